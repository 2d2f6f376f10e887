//! Remarks on a round for the terminal: findings before the model, and below it what to know about it.
//!
//! With the model they fit on a screen, so each is a line, and lists are cut; `--json` has all of them.

use std::collections::BTreeSet;
use std::path::Path;

use adit_picture::StateNames;
use adit_trace::{Label, Stop};

use super::fixture_skeleton::SKELETON;
use super::outcome::findings_file;
use crate::budget::Budget;
use crate::output::{counted, model_size, some_of};
use crate::report::RejectedTraces;
use crate::report::terminal::brief;
use crate::results::not_made::NeverReturned;
use crate::results::run::{
    BadEnd, Branches, ConfirmedTransitions, Construction, FoundSummary, Gaps, MethodExceptions, ModelSummary,
    Summary, mode_in_words,
};

/// Most findings that stand above the model.
const FINDINGS_TOLD: usize = 4;

/// Most calls that never succeeded and are told one by one.
const NEVER_TOLD: usize = 5;

/// Most names in one line; `--json` has all of them.
const NAMES_TOLD: usize = 5;

/// Most methods that throw for some arguments, each with its exceptions.
const THROWN_TOLD: usize = 3;

/// Longest message of an exception that is told in full.
const MESSAGE_TOLD: usize = 80;

/// Returns the lines about findings, which come before the model.
pub(super) fn findings(summary: &Summary, folder: &Path) -> String {
    let visible: Vec<&FoundSummary> =
        summary.findings.iter().filter(|finding| finding.kind.is_visible()).collect();
    if visible.is_empty() {
        return String::new();
    }
    let tests = folder.join(findings_file(&summary.class));
    let mut text = format!("{} (tests in {}):\n", counted(visible.len(), "finding"), tests.display());
    visible.iter().take(FINDINGS_TOLD).for_each(|finding| text += &format!("    {}\n", finding.says));
    if let Some(more @ 1..) = visible.len().checked_sub(FINDINGS_TOLD) {
        text += &format!("    and {more} more, in report.html\n");
    }
    text
}

/// Returns the lines about a round.
pub(super) fn remarks(
    summary: &Summary,
    rejected: RejectedTraces,
    names: &StateNames,
    folder: &Path,
    budget: Budget,
    takes_fixtures: bool,
) -> Vec<String> {
    let Summary { tests, seconds, properties, stop, .. } = summary;
    let model = &summary.model;
    let rate = *tests as f64 / seconds.max(0.001);
    let mut lines = vec![format!(
        "{}; {} in {seconds:.1} s ({rate:.0} per second); {properties}; stopped: {}",
        model_size(model.states, model.transitions, model.not_explored),
        counted(*tests, "test"),
        model.stopped(*stop),
    )];
    lines.extend(about_model(summary, names));
    if rejected.rejected > 0 {
        lines.push(format!(
            "the model rejects {} of {} (the page shows the shortest)",
            rejected.rejected,
            counted(rejected.all, "recorded trace")
        ));
    }
    lines.extend(incomplete(summary, budget));
    if let Some(Branches { covered, all: all @ 1.. }) = summary.branches {
        lines.push(format!("branch coverage of the attack: {covered} of {all}"));
    }
    if !summary.attacked && properties.mined > 0 {
        let first = if *stop == Stop::Interrupted { "it was interrupted" } else { "the budget ran out" };
        lines.push(format!("no property was attacked: {first} first"));
    }
    lines.extend(about_gaps(&summary.gaps, folder, takes_fixtures));
    lines.push(format!("written to {}", folder.display()));
    lines
}

fn about_model(summary: &Summary, names: &StateNames) -> Vec<String> {
    let model = &summary.model;
    let mut lines = Vec::new();
    if model.made_by_round != summary.round {
        lines.push(format!("the model is {}", model.origin));
    }
    lines.extend(model.reproduced());
    if let Some(word) = model.unrealized.iter().flatten().next() {
        lines.push(format!("  not reproduced: {}", word.join(" ")));
    }
    lines.extend(constructed(&model.constructions, names));
    lines.extend(model.guarded());
    lines.extend(thrown(model));
    for mode in &model.modes {
        lines.push(format!("independent of everything else: {}", mode_in_words(mode)));
    }
    if let Some(detail) = &summary.detail {
        lines.push(format!("a finer model (--detail) has {}", detail.told()));
    }
    if let Some(shortest) = model.rejected.first() {
        lines.push(format!(
            "the model rejects {} of your tests (listed by --json); the shortest: {}",
            counted(model.rejected.len(), "call sequence"),
            shortest.join(" ")
        ));
    }
    lines
}

/// Says which constructor makes objects in which state, where one label stands for several constructors.
fn constructed(constructions: &[Construction], names: &StateNames) -> Option<String> {
    let one = |construction: &Construction| {
        let states: Vec<String> =
            construction.states.iter().map(|&state| brief(&names.name(state))).collect();
        format!("{} makes {}", construction.call, states.join(" or "))
    };
    let told: Vec<String> = constructions.iter().map(one).collect();
    let states: BTreeSet<&Vec<usize>> = constructions.iter().map(|one| &one.states).collect();
    // Parameter types have commas.
    (states.len() > 1).then(|| format!("constructors seen: {}", told.join("; ")))
}

/// Says which calls throw although their states allow them: for some arguments, or because the state stands
/// for several. An exception by which a state refuses another call is hardly about arguments.
fn thrown(model: &ModelSummary) -> Vec<String> {
    let of_states: BTreeSet<&str> =
        model.refused.iter().filter_map(|label| Label::parse(label).threw()).collect();
    let told = |what: &str, all: &[MethodExceptions], is_told: &dyn Fn(&str) -> bool| {
        let one = |MethodExceptions { method, exceptions }: &MethodExceptions| {
            let exceptions: Vec<&str> =
                { exceptions.iter() }.map(String::as_str).filter(|exception| is_told(exception)).collect();
            (!exceptions.is_empty()).then(|| format!("{method} ({})", exceptions.join(", ")))
        };
        let told: Vec<String> = all.iter().filter_map(one).collect();
        (!told.is_empty()).then(|| format!("{what}: {}", some_of(&told, THROWN_TOLD)))
    };
    let (arguments, objects) = (&model.argument_exceptions, &model.object_exceptions);
    let lines = [
        told("throw for some arguments", arguments, &|exception| !of_states.contains(exception)),
        told("throw for some arguments or objects of a state", arguments, &|one| of_states.contains(one)),
        told("throw for some objects of a state that allows them", objects, &|_| true),
    ];
    lines.into_iter().flatten().collect()
}

/// Says in one line what there was no time for, and what to do about it.
fn incomplete(summary: &Summary, budget: Budget) -> Option<String> {
    let model = &summary.model;
    let ConfirmedTransitions { confirmed, all } = model.confirmed_transitions;
    let guesses = all.saturating_sub(confirmed + model.not_explored);
    let all = counted(all, "transition");
    let mut missing = Vec::new();
    if model.not_explored > 0 {
        let are = if model.not_explored == 1 { "is" } else { "are" };
        missing.push(format!("{} of {all} {are} not explored (marked `?`)", model.not_explored));
    }
    if guesses > 0 {
        let are = if guesses == 1 { "is a guess" } else { "are guesses" };
        missing.push(format!("{guesses} of {all} {are} (marked `?`)"));
    }
    if model.admitted > 0 {
        let were = if model.admitted == 1 { "was" } else { "were" };
        missing.push(format!(
            "{} {were} seen too late to be explored",
            counted(model.admitted, "call sequence")
        ));
    }
    let is_cut = model.unrealized.is_some() && !model.complete;
    if missing.is_empty() && !is_cut {
        return None;
    }
    let is_interrupted = summary.stop == Stop::Interrupted;
    if missing.is_empty() {
        missing.push(match summary.stop {
            Stop::Interrupted => "interrupted before the search ended".to_owned(),
            Stop::GaveUp => "too many calls hung or crashed".to_owned(),
            Stop::Budget(_) | Stop::Done => {
                format!("the {} ended before the search did", budget.in_words())
            }
        });
    }
    missing.extend(model.explored_first.in_words());
    let remedy = match is_interrupted {
        true => "the same command continues it".to_owned(),
        false => format!("try --budget {}", budget.longer()),
    };
    Some(format!("incomplete: {}; {remedy}", missing.join("; ")))
}

fn about_gaps(gaps: &Gaps, folder: &Path, takes_fixtures: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let mut list = |what: &str, names: Vec<String>| {
        if !names.is_empty() {
            lines.push(format!("{what}: {}", some_of(&names, NAMES_TOLD)));
        }
    };
    list("no longer called, because they hang or crash", gaps.hang.iter().cloned().collect());
    list(
        "blocked where only another thread could let them go on, so not possible there",
        gaps.blocking.iter().cloned().collect(),
    );
    if gaps.hanging_objects.is_empty() {
        let rare = gaps.bad_ends.iter().filter(|one| !gaps.hang.contains(&one.method));
        let rare = rare
            .map(|BadEnd { method, on, times }| format!("{method} on {on} ({})", counted(*times, "time")));
        list("sometimes hung or crashed, still called", rare.collect());
    }
    list(
        "no longer constructed, because most calls on them hang",
        gaps.hanging_objects.iter().cloned().collect(),
    );
    // A file to complete is there if adit knows which values are missing.
    let skeleton = folder.join(SKELETON);
    let hint = match (takes_fixtures, skeleton.exists()) {
        (false, _) => String::new(),
        (true, false) => " (--fixtures may help)".to_owned(),
        (true, true) => format!(" (complete {0}, then use --fixtures {0})", skeleton.display()),
    };
    list(
        &format!("never called, because adit could not construct their arguments{hint}"),
        gaps.not_made.never_tried.iter().map(|one| one.method.clone()).collect(),
    );
    lines.extend(gaps.not_made.about_texts());
    // One below the other, because each has its own reason.
    let never = &gaps.not_made.never_returned;
    if !never.is_empty() {
        let hint = if gaps.not_made.never_tried.is_empty() { &hint } else { "" };
        lines.push(format!("never succeeded, so the model does not show them{hint}:"));
        lines.extend(never.iter().take(NEVER_TOLD).map(|one| format!("    {}", shortened(one))));
    }
    if let Some(more @ 1..) = never.len().checked_sub(NEVER_TOLD) {
        lines.push(format!("    and {more} more, listed by --json"));
    }
    lines
}

/// The same with a message that fits on a line.
fn shortened(never: &NeverReturned) -> NeverReturned {
    let cut = |message: &String| match message.char_indices().nth(MESSAGE_TOLD) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.clone(),
    };
    NeverReturned { message: never.message.as_ref().map(cut), ..never.clone() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use adit_automata::Builder;

    use super::*;
    use crate::results::run::tests::plain;

    fn told(summary: &Summary) -> Vec<String> {
        let mut builder: Builder<String> = Builder::new();
        (0..3).for_each(|_| _ = builder.state(true));
        builder.name(1, "isEmpty".to_owned());
        let names = StateNames::of(&builder.build());
        let (rejected, budget) = (RejectedTraces::default(), Budget::Time(Duration::from_secs(10)));
        remarks(summary, rejected, &names, Path::new("out"), budget, true)
    }

    #[test]
    fn traces_that_the_model_rejects_are_counted() {
        let summary = plain().summary;
        let names = StateNames::of(&Builder::<String>::new().build());
        let rejected = RejectedTraces { rejected: 2, all: 30 };
        let budget = Budget::Time(Duration::from_secs(10));
        let lines = remarks(&summary, rejected, &names, Path::new("out"), budget, true);
        let told = "the model rejects 2 of 30 recorded traces (the page shows the shortest)";
        assert!(lines.iter().any(|line| line == told), "{lines:?}");
    }

    #[test]
    fn missing_time_is_told_once() {
        let mut summary = plain().summary;
        let model = &mut summary.model;
        (model.states, model.transitions, model.not_explored) = (5, 16, 3);
        model.confirmed_transitions = ConfirmedTransitions { confirmed: 12, all: 16 };
        (model.admitted, model.complete, model.unrealized) = (2, false, Some(Vec::new()));
        let lines = told(&summary);
        assert!(lines[0].starts_with("5 states, 16 transitions, 3 of them not explored; "), "{lines:?}");
        assert_eq!(
            lines[1],
            "incomplete: 3 of 16 transitions are not explored (marked `?`); 1 of 16 transitions is a guess \
             (marked `?`); 2 call sequences were seen too late to be explored; try --budget 1m"
        );
        assert_eq!(lines[2..], ["written to out"]);
        let model = &mut summary.model;
        (model.not_explored, model.admitted) = (0, 0);
        model.confirmed_transitions.confirmed = 16;
        assert_eq!(told(&summary)[1], "incomplete: the 10 s ended before the search did; try --budget 1m");
        summary.stop = Stop::Interrupted;
        let interrupted = "incomplete: interrupted before the search ended; the same command continues it";
        assert_eq!(told(&summary)[1], interrupted);
        summary.model.complete = true;
        assert_eq!(told(&summary)[1], "written to out");
    }

    #[test]
    fn constructors_and_exceptions_of_arguments_are_told() {
        let mut summary = plain().summary;
        let construction =
            |call: &str, states: &[usize]| Construction { call: call.to_owned(), states: states.to_vec() };
        summary.model.constructions = vec![construction("B()", &[1]), construction("B(List)", &[1, 2])];
        let exceptions = BTreeSet::from(["NullPointerException".to_owned()]);
        summary.model.argument_exceptions = vec![MethodExceptions { method: "add".to_owned(), exceptions }];
        let lines = told(&summary);
        assert_eq!(
            lines[1..3],
            [
                "constructors seen: B() makes 1 (isEmpty); B(List) makes 1 (isEmpty) or 2",
                "throw for some arguments: add (NullPointerException)"
            ]
        );
        summary.model.refused = BTreeSet::from(["next!NullPointerException".to_owned()]);
        assert_eq!(
            told(&summary)[2],
            "throw for some arguments or objects of a state: add (NullPointerException)"
        );
        let thrown = BTreeSet::from(["NoSuchElementException".to_owned()]);
        summary.model.object_exceptions =
            vec![MethodExceptions { method: "next".to_owned(), exceptions: thrown }];
        assert_eq!(
            told(&summary)[3],
            "throw for some objects of a state that allows them: next (NoSuchElementException)"
        );
        // One constructor needs no words.
        summary.model.constructions.pop();
        assert!(told(&summary)[1].starts_with("throw "));
    }
}
