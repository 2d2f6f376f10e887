//! `adit compare`: precision and recall of a model, by random walks and by exact counting.

use std::fmt::Write as _;
use std::path::Path;

use adit_automata::compare::{Exact, Score, exact, sampled};
use adit_automata::{Fsa, TooLarge};
use miette::Report;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::{Value, json};

use super::difference::Difference;
use crate::errors::{Ending, no_answer};
use crate::flags::CompareFlags;
use crate::models::{self, STATES};
use crate::output;
use crate::progress::Working;
use crate::results;

/// Default limit on the length of counted words: numbers grow with the length, and beyond this limit they say
/// nothing new about any published model.
const COUNTED_LENGTH: usize = 50;

pub(super) fn run(flags: &CompareFlags, quiet: bool) -> Result<Ending, Report> {
    let model = models::read(&flags.model, flags.from.as_deref())?;
    let truth = models::read(&flags.truth, flags.from.as_deref())?;
    let (model, truth) =
        if flags.prefix_closed { (model.prefix_closed(), truth.prefix_closed()) } else { (model, truth) };
    if flags.markdown || flags.fail_on_new {
        return changes(flags, &model, &truth);
    }
    let working = Working::new("comparing", quiet);
    let comparison = Comparison::new(&model, &truth, flags);
    drop(working);
    if flags.json {
        output::print_json(&comparison.json())?;
    } else {
        output::print(&comparison.table())?;
    }
    match comparison.exactly {
        Ok(exactly) => Ok(if exactly.equal() { Ending::Clean } else { Ending::Found }),
        Err(TooLarge(states)) => Err(no_answer(
            format!("exact figures are unknown: determinizing the models takes more than {states} states"),
            "compare less nondeterministic models, such as those of a larger --k",
        )),
    }
}

/// Says what changed from the reference to the model, for who decides about a change.
fn changes(flags: &CompareFlags, model: &Fsa<String>, truth: &Fsa<String>) -> Result<Ending, Report> {
    let found = Difference::between(model, truth).map_err(|TooLarge(states)| {
        no_answer(
            format!("the differences are unknown: determinizing the models takes more than {states} states"),
            "compare models of fewer methods, as `adit mine --only` makes them",
        )
    })?;
    // Only the folder of a campaign says what the class offers.
    let found = found.with_removed(truth, &results::offered(&flags.model)?);
    if flags.json {
        output::print_json(&found.as_json())?;
    } else {
        output::print(&found.markdown(&title(&flags.model)))?;
    }
    let differs = if flags.fail_on_new { found.is_news() } else { found != Difference::default() };
    Ok(if differs { Ending::Found } else { Ending::Clean })
}

/// The name of a class, which is that of its folder or of the file of its model.
fn title(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.strip_suffix(".json").unwrap_or(&name).to_owned()
}

/// The comparison of two models.
struct Comparison {
    sampled: Sampled,
    /// Exact comparison; absent if the deterministic models would be too large.
    exactly: Result<Exactly, TooLarge>,
}

struct Exactly {
    exact: Exact,
    only_in_model: Option<Vec<String>>,
    only_in_truth: Option<Vec<String>>,
}

impl Exactly {
    fn equal(&self) -> bool {
        self.only_in_model.is_none() && self.only_in_truth.is_none()
    }

    fn max_length(&self) -> usize {
        self.exact.model.len().saturating_sub(1)
    }
}

/// The mean over several runs. F is the mean of the runs' Fs, as in the papers, not the F of the means.
struct Sampled {
    mean: Score,
    f: f64,
    walks: usize,
    runs: usize,
    max_length: usize,
}

impl Comparison {
    fn new(model: &Fsa<String>, truth: &Fsa<String>, flags: &CompareFlags) -> Self {
        let walked = flags.max_length.unwrap_or(2 * truth.transitions());
        let counted = flags.max_length.unwrap_or(walked.min(COUNTED_LENGTH));
        let exactly = || {
            Ok(Exactly {
                exact: exact(model, truth, counted, STATES)?,
                only_in_model: model.separating_word(truth, STATES)?,
                only_in_truth: truth.separating_word(model, STATES)?,
            })
        };
        Self { sampled: Sampled::new(model, truth, flags, walked), exactly: exactly() }
    }

    fn json(&self) -> Value {
        let sampled = &self.sampled;
        let score =
            |score: Score, f: f64| json!({"precision": score.precision, "recall": score.recall, "f": f});
        let mut measured = score(sampled.mean, sampled.f);
        measured["walks"] = sampled.walks.into();
        measured["runs"] = sampled.runs.into();
        measured["max_length"] = sampled.max_length.into();
        let Ok(exactly) = &self.exactly else {
            return json!({
                "sampled": measured,
                "exact": null,
                "equal": null,
                "only_in_model": [],
                "only_in_truth": [],
            });
        };
        let Exactly { exact, only_in_model, only_in_truth } = exactly;
        let overall = exact.overall();
        let mut counted = score(overall, overall.f());
        counted["max_length"] = exactly.max_length().into();
        counted["mean_of_lengths"] = exact.mean().map_or(Value::Null, |mean| score(mean, mean.f()));
        let lengths = (0..exact.model.len()).filter_map(|length| {
            let mut row = score(exact.at(length)?, exact.at(length)?.f());
            row["length"] = length.into();
            // As text, because JSON readers lose digits of large numbers.
            row["words"] = json!({
                "model": exact.model[length].to_string(),
                "truth": exact.truth[length].to_string(),
                "both": exact.both[length].to_string(),
            });
            Some(row)
        });
        counted["lengths"] = lengths.collect();
        json!({
            "sampled": measured,
            "exact": counted,
            "equal": exactly.equal(),
            "only_in_model": only_in_model.iter().collect::<Vec<_>>(),
            "only_in_truth": only_in_truth.iter().collect::<Vec<_>>(),
        })
    }

    fn table(&self) -> String {
        let Sampled { mean, f, walks, runs, max_length } = self.sampled;
        let mut text = String::from("                         precision   recall        f\n");
        let mut row = |name: &str, score: Score, f: f64| {
            let _ = writeln!(text, "{name:24} {:9.4} {:8.4} {f:8.4}", score.precision, score.recall);
        };
        row("sampled", mean, f);
        if let Ok(exactly) = &self.exactly {
            let overall = exactly.exact.overall();
            row("exact, all words", overall, overall.f());
            if let Some(mean) = exactly.exact.mean() {
                row("exact, mean of lengths", mean, mean.f());
            }
        }
        let _ = write!(
            text,
            "\nSampled: {walks} random walks in each direction of at most {max_length} events, mean of {runs} runs. In a final\n\
             state, stopping is one of the choices; a walk counts if the other model can read it, final state or not.\n",
        );
        let Ok(exactly) = &self.exactly else { return text };
        let _ = write!(text, "Exact: a count of all words of up to {} events.\n\n", exactly.max_length());
        match (&exactly.only_in_model, &exactly.only_in_truth) {
            (None, None) => text.push_str("The models accept the same words.\n"),
            (model, truth) => {
                let show = |word: &Option<Vec<String>>| match word.as_deref() {
                    None => "nothing".to_owned(),
                    Some([]) => "the empty word".to_owned(),
                    Some(word) => word.join(" "),
                };
                let _ = writeln!(text, "Shortest word only in the model: {}", show(model));
                let _ = writeln!(text, "Shortest word only in the truth: {}", show(truth));
            }
        }
        text
    }
}

impl Sampled {
    fn new(model: &Fsa<String>, truth: &Fsa<String>, flags: &CompareFlags, max_length: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(flags.seed);
        let runs = flags.runs;
        let scores: Vec<Score> =
            (0..runs).map(|_| sampled(model, truth, flags.walks, max_length, &mut rng)).collect();
        let mean = |part: fn(&Score) -> f64| scores.iter().map(part).sum::<f64>() / runs as f64;
        let score = Score { precision: mean(|score| score.precision), recall: mean(|score| score.recall) };
        Self { mean: score, f: mean(|score| score.f()), walks: flags.walks, runs, max_length }
    }
}
