//! The tables of `evals classes`.

use super::Row;
use super::list::Half;

/// Precision and recall that count as good.
const ENOUGH: f64 = 0.97;

/// Heading of a half, with the head of its table.
pub(super) fn head(half: Half) -> String {
    let name = match half {
        Half::Tuning => "Tuning",
        Half::HeldOut => "Held out",
    };
    format!(
        "\n## {name}\n\n| class | methods | never returned | states | transitions | guesses | P, by mine | \
         P, by validate | R | contradictions | same language | seconds |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n"
    )
}

/// The row of a class.
pub(super) fn line(row: &Row) -> String {
    let Some(model) = &row.model else {
        let problem = row.problem.as_deref().unwrap_or_default().replace(['\n', '|'], " ");
        return format!("| {} | {problem} | | | | | | | | | | |", row.class);
    };
    let number = |share: Option<f64>| share.map_or_else(|| "?".to_owned(), |share| format!("{share:.3}"));
    let with_interval = |share: Option<f64>, interval: Option<[f64; 2]>| match interval {
        Some([low, high]) => format!("{} ({low:.3} to {high:.3})", number(share)),
        None => number(share),
    };
    let validation = row.validation.as_ref();
    let precision = validation.map_or_else(
        || "no answer".to_owned(),
        |validation| with_interval(validation.precision, validation.precision_interval),
    );
    let recall = validation.map_or_else(
        || "no answer".to_owned(),
        |validation| with_interval(validation.recall, validation.recall_interval),
    );
    let same = model.same_language.iter().filter(|same| **same == Some(true)).count();
    let same = match model.same_language.len() {
        0 => String::new(),
        all => format!("{} of {}", same + 1, all + 1),
    };
    let contradictions = format!(
        "{} of {}, not attacked {} of {}",
        model.contradictions.len(),
        model.survived,
        model.contradictions_not_attacked,
        model.not_attacked
    );
    let not_explored = match model.not_explored {
        0 => String::new(),
        some => format!(" + {some} not explored"),
    };
    format!(
        "| {} | {} | {} | {} | {} | {}{not_explored} | {} | {precision} | {recall} | {contradictions} | {same} | {:.1} |",
        row.class,
        model.methods,
        model.never_returned,
        model.states,
        model.transitions,
        model.guesses,
        number(model.trust),
        model.seconds,
    )
}

/// The sums of a half.
pub(super) fn totals(rows: &[&Row], budget: &str) -> String {
    let run: Vec<&&Row> = rows.iter().filter(|row| !row.not_run).collect();
    let count = |is_it: &dyn Fn(&Row) -> bool| run.iter().filter(|row| is_it(row)).count();
    let contradictions: usize =
        run.iter().filter_map(|row| row.model.as_ref()).map(|model| model.contradictions.len()).sum();
    let mut guesses: Vec<f64> = run
        .iter()
        .filter_map(|row| row.model.as_ref())
        .map(|model| (model.guesses + model.not_explored) as f64 / model.transitions.max(1) as f64)
        .collect();
    guesses.sort_by(f64::total_cmp);
    let median = guesses.get(guesses.len() / 2).map_or(0.0, |share| share * 100.0);
    let mut out = format!(
        "\n- {} of {} classes reach {ENOUGH} both ways by `adit validate` at {budget}; {} have a model\n\
         - {contradictions} contradictions between surviving properties and models, in {} classes\n\
         - guesses, median class: {median:.1} % of the transitions\n\
         - the trust figure of `mine` is within the interval of `validate` for {} of {} classes\n",
        count(&is_good),
        run.len(),
        count(&|row| row.model.is_some()),
        count(&|row| row.model.as_ref().is_some_and(|model| !model.contradictions.is_empty())),
        count(&|row| trust_agrees(row) == Some(true)),
        count(&|row| trust_agrees(row).is_some()),
    );
    if run.iter().any(|row| row.seeds > 1) {
        let same = count(&|row| {
            row.model.as_ref().is_some_and(|model| model.same_language.iter().all(|same| *same == Some(true)))
        });
        out += &format!("- all seeds give the same language for {same} of {} classes\n", run.len());
    }
    if rows.len() > run.len() {
        out += &format!("- NOT RUN: {} classes, for want of jars\n", rows.len() - run.len());
    }
    out
}

/// Tells whether a class reaches enough precision and recall.
fn is_good(row: &Row) -> bool {
    row.validation.as_ref().is_some_and(|validation| {
        [validation.precision, validation.recall]
            .iter()
            .all(|share| share.is_some_and(|share| share >= ENOUGH))
    })
}

/// Tells whether the figure of `mine` lies within the interval of `validate`, if both are there.
fn trust_agrees(row: &Row) -> Option<bool> {
    let trust = row.model.as_ref()?.trust?;
    let [low, high] = row.validation.as_ref()?.precision_interval?;
    Some((low..=high).contains(&trust))
}
