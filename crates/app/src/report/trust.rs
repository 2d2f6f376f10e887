//! Facts that speak for or against a model: measurements, gaps, and how well it fits the recorded traces.

use adit_automata::{Fsa, Modality};
use adit_trace::Stop;
use serde::Serialize;

use super::page::Page;
use crate::results::Validation;
use crate::results::run::{Branches, Gaps, ModelSummary, mode_in_words};
use crate::results::validation::{Novelty, Share};
use crate::shell::quoted;

/// A measurement and its meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Fact {
    pub(super) name: &'static str,
    pub(super) value: String,
    pub(super) says: String,
    /// Words that are examples of it.
    pub(super) words: Vec<String>,
}

impl Fact {
    fn new(name: &'static str, value: impl Into<String>, says: impl Into<String>) -> Self {
        Self { name, value: value.into(), says: says.into(), words: Vec::new() }
    }

    /// Adds a few words as examples.
    fn with_words(self, words: &[Vec<String>]) -> Self {
        const FEW: usize = 5;
        Self { words: words.iter().take(FEW).map(|word| word.join(" ")).collect(), ..self }
    }
}

/// Returns all facts about the model of a page.
pub(super) fn facts(page: &Page) -> Vec<Fact> {
    let mut facts: Vec<Fact> =
        page.notes.iter().map(|note| Fact::new("Warning", "some input could not be read", note)).collect();
    let summary = page.run.as_ref().map(|run| &run.summary);
    facts.extend(page.validation.iter().flat_map(measured));
    // One figure for one thing: that of `adit validate`, which runs more, or else that of the search.
    if page.validation.is_none() {
        facts.extend(summary.and_then(|summary| walked(&summary.model)));
        facts.push(Fact::new("Recall", "not measured", unmeasured(page)));
    }
    if let Some(run) = &page.run {
        facts.extend(explored(&run.summary.model));
        facts.extend(missing(&run.summary.gaps));
        facts.extend(run.summary.branches.map(covered));
        facts.push(stopped(&run.summary.model, run.summary.stop));
    }
    facts.extend(not_known(&page.model));
    facts.extend(replayed(page));
    facts
}

/// Facts from running the class against the model.
fn measured(validation: &Validation) -> Vec<Fact> {
    let fact = |name, share: Share, says: String| {
        (share.of > 0).then(|| Fact::new(name, format!("{} of {}", share.good, share.of), says))
    };
    let Validation { walks, objects, not_made, .. } = validation;
    let precision = fact("Precision: walks reproduced", *walks, walks.of_walks())
        .map(|fact| fact.with_words(&validation.unrealized));
    let made = not_made.told();
    let without =
        if made.is_empty() { String::new() } else { format!(". Not among them: {}", made.join("; ")) };
    let recall = fact("Recall: objects allowed", *objects, objects.of_objects() + &without)
        .map(|fact| fact.with_words(&validation.rejected));
    [precision, recall, unseen(validation.new_pairs)].into_iter().flatten().collect()
}

/// The walks that the search made happen.
fn walked(model: &ModelSummary) -> Option<Fact> {
    let value = match model.walks {
        Some(Share { good, of, .. }) => format!("{good} of {of}"),
        // Rounded down, because only all is 100 %.
        None => format!("{} %", (model.realized? * 100.0).floor()),
    };
    let fact = Fact::new("Precision: walks reproduced", value, model.reproduced()?);
    Some(fact.with_words(model.unrealized.as_deref().unwrap_or_default()))
}

/// The way to measure recall.
fn unmeasured(page: &Page) -> String {
    let class = page.run.as_ref().map_or("CLASS", |run| run.summary.class.as_str());
    let class_path = page.run.as_ref().and_then(|run| run.class_path.as_deref());
    let entries: Vec<String> =
        { class_path.into_iter().flatten() }.map(|entry| entry.display().to_string()).collect();
    let path = if entries.is_empty() { String::new() } else { format!(" -c {}", quoted(&entries.join(":"))) };
    // Earlier versions did not keep the class path.
    let hint = if class_path.is_some() { "" } else { ", with the `-c` of `adit mine`," };
    format!(
        "`adit validate model.json {class}{path} --json > validate.json`{hint} measures it on the class; run \
         in this folder, it is shown here"
    )
}

/// The probability that another object shows a new pair of consecutive calls.
fn unseen(pairs: Novelty) -> Option<Fact> {
    let (value, says) = match (pairs.chance?, pairs.at_most) {
        (0.0, Some(most)) if most > 0.0 => (
            format!("fewer than 1 in {:.0}", 1.0 / most),
            "further random objects would show a new pair of consecutive calls",
        ),
        (0.0, _) => return None,
        (chance, _) => (
            format!("about 1 in {:.0}", 1.0 / chance),
            "further random objects would show a new pair of consecutive calls; a longer run would find more",
        ),
    };
    Some(Fact::new("Unseen behavior", value, says))
}

/// Facts from the search that built the model.
fn explored(model: &ModelSummary) -> Vec<Fact> {
    let mut facts = Vec::new();
    if !model.complete {
        facts.push(Fact::new(
            "Search",
            "incomplete",
            "it stopped before it had tried everything; a longer `--budget` may find more states and transitions",
        ));
    }
    if !model.modes.is_empty() {
        let told: Vec<String> = model.modes.iter().map(mode_in_words).collect();
        let says = format!("parts of the protocol depend on nothing else: {}", told.join("; "));
        facts.push(Fact::new("Modes", model.modes.len().to_string(), says));
    }
    if model.admitted > 0 {
        facts.push(Fact::new(
            "Unexplored call sequences",
            model.admitted.to_string(),
            "were seen too late to be explored; the model allows them, and what follows is unknown",
        ));
    }
    facts
}

/// Calls that the model knows nothing or little about.
fn missing(gaps: &Gaps) -> Vec<Fact> {
    let mut facts = Vec::new();
    if !gaps.not_made.never_tried.is_empty() {
        let names: Vec<&str> = gaps.not_made.never_tried.iter().map(|one| one.method.as_str()).collect();
        facts.push(Fact::new(
            "Never called",
            names.len().to_string(),
            format!("no arguments could be generated for {}; `--fixtures` can supply them", names.join(", ")),
        ));
    }
    if !gaps.not_made.never_returned.is_empty() {
        let told: Vec<String> = gaps.not_made.never_returned.iter().map(ToString::to_string).collect();
        facts.push(Fact::new(
            "Never succeeded",
            told.len().to_string(),
            format!("so the model does not show them: {}; `--fixtures` may help", told.join(", ")),
        ));
    }
    if let Some(texts) = gaps.not_made.about_texts() {
        facts.push(Fact::new("Values not tried", gaps.not_made.texts_not_tried.len().to_string(), texts));
    }
    if !gaps.hang.is_empty() {
        let names: Vec<&str> = gaps.hang.iter().map(String::as_str).collect();
        facts.push(Fact::new(
            "No longer called",
            names.len().to_string(),
            format!("hang or end their process: {}", names.join(", ")),
        ));
    }
    facts
}

fn covered(Branches { covered, all }: Branches) -> Fact {
    let name = "Branches of the class";
    if covered == 0 {
        let says =
            format!("the budget ended before the {all} branches were observed; a longer `--budget` helps");
        return Fact::new(name, "not measured", says);
    }
    let says = "were taken by some test; behavior behind the others was never observed";
    Fact::new(name, format!("{covered} of {all}"), says)
}

fn stopped(model: &ModelSummary, stop: Stop) -> Fact {
    let says = match stop {
        Stop::Budget(_) => "a longer `--budget` may find more",
        Stop::Interrupted => "the page shows what had been found by then",
        Stop::Done => "the search ended by itself, before its budget did",
        Stop::GaveUp => "too many calls hung or ended their process",
    };
    Fact::new("Stopped because", model.stopped(stop), says)
}

/// Facts from replaying the recorded traces over the model.
fn replayed(page: &Page) -> Vec<Fact> {
    let evidence = &page.evidence;
    if evidence.traces == 0 {
        return Vec::new();
    }
    let inside = evidence.traces - evidence.outside;
    let mut allowed = Fact::new(
        "Recorded traces that the model accepts",
        format!("{inside} of {}", evidence.traces),
        if evidence.outside == 0 {
            "all of them; after its first exception an object is no longer looked at, unless the model shows exceptions"
        } else {
            "the model is wrong about the others; the shortest of them are listed"
        },
    );
    allowed.words = evidence.outside_examples.iter().map(|word| evidence.word(word).join(" ")).collect();
    let all = page.model.transitions() - page.model.unexplored_transitions();
    let explored =
        page.model.all_edges().zip(&evidence.taken).filter(|(edge, _)| page.model.is_explored(edge));
    let taken = explored.filter(|(_, taken)| taken.is_certain()).count();
    let seen = Fact::new(
        "Transitions with evidence",
        format!("{taken} of {all}"),
        if taken == all {
            "each was taken by a recorded trace or a generated test, or observed by the search"
        } else {
            "the others were inferred, or the model can also read their traces in another way"
        },
    );
    vec![allowed, seen]
}

/// Transitions of which nobody knows where they lead, whatever the traces say.
fn not_known(model: &Fsa<String>) -> Vec<Fact> {
    let unexplored = model.unexplored_transitions();
    let maybe = model.all_edges().filter(|edge| edge.modality == Modality::Maybe).count();
    let mut facts = Vec::new();
    if unexplored > 0 {
        let says =
            "transitions: the events were observed, but not where they lead; a longer `--budget` helps";
        facts.push(Fact::new("Not explored", unexplored.to_string(), says));
    }
    if maybe > unexplored {
        let says = "transitions (marked `?`): no run took them, or showed where they lead";
        facts.push(Fact::new("Guessed", (maybe - unexplored).to_string(), says));
    }
    facts
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;
    use expect_test::expect;

    use super::*;
    use crate::report::evidence::Evidence;
    use crate::results::not_made::{NeverTried, NotMade};
    use crate::results::run::tests::plain;
    use crate::results::validation::Undecided;
    use crate::results::{Run, Validation};

    fn page(run: Option<Run>, validation: Option<Validation>) -> Page {
        let mut builder = Builder::new();
        builder.state(true);
        builder.initial(0);
        builder.edge(0, "a".to_owned(), 0);
        let evidence =
            Evidence { taken: vec![Default::default()], traces: 7, outside: 0, ..Evidence::default() };
        Page { evidence, run, validation, ..Page::of("A", builder.build()) }
    }

    fn validation() -> Validation {
        let none = Novelty { seen: 0, once: 0, twice: 0, chance: None, at_most: None, unseen_at_least: 0.0 };
        Validation {
            class: "A".to_owned(),
            precision: Some(0.5),
            recall: Some(1.0),
            unrealized: vec![vec!["a".to_owned()]],
            rejected: Vec::new(),
            rejected_java: Vec::new(),
            walks: Share { good: 1, of: 2, interval: Some((0.1, 0.9)) },
            objects: Share { good: 9, of: 9, interval: None },
            undecided: Undecided::default(),
            events_not_in_model: Vec::new(),
            not_made: NotMade::default(),
            new_events: none,
            new_pairs: Novelty { chance: Some(0.0), at_most: Some(0.01), ..none },
            hang: Vec::new(),
            tests: 1,
            seconds: 1.0,
            stop: Stop::Done,
        }
    }

    #[test]
    fn measurements_become_facts() {
        let mut run = plain();
        let model = &mut run.summary.model;
        (model.realized, model.complete, model.admitted) = (Some(0.999), false, 2);
        model.unrealized = Some(vec![vec!["a".to_owned(), "b".to_owned()]]);
        let never = NeverTried { method: "put".to_owned(), why: "x".to_owned() };
        run.summary.gaps.not_made.never_tried.push(never);
        run.summary.gaps.hang.insert("spin".to_owned());
        run.summary.branches = Some(Branches { covered: 3, all: 4 });
        let mut page = page(Some(run), Some(validation()));
        page.notes.push("campaign.db is damaged".to_owned());
        let told: String = facts(&page)
            .iter()
            .map(|fact| format!("{}: {} ({}) {:?}\n", fact.name, fact.value, fact.says, fact.words))
            .collect();
        expect![[r#"
            Warning: some input could not be read (campaign.db is damaged) []
            Precision: walks reproduced: 1 of 2 (of 2 random walks through the model, 1 was reproduced on the class (10 to 90 %)) ["a"]
            Recall: objects allowed: 9 of 9 (of 9 random objects, 9 did only what the model allows) []
            Unseen behavior: fewer than 1 in 100 (further random objects would show a new pair of consecutive calls) []
            Search: incomplete (it stopped before it had tried everything; a longer `--budget` may find more states and transitions) []
            Unexplored call sequences: 2 (were seen too late to be explored; the model allows them, and what follows is unknown) []
            Never called: 1 (no arguments could be generated for put; `--fixtures` can supply them) []
            No longer called: 1 (hang or end their process: spin) []
            Branches of the class: 3 of 4 (were taken by some test; behavior behind the others was never observed) []
            Stopped because: the budget is used up (a longer `--budget` may find more) []
            Recorded traces that the model accepts: 7 of 7 (all of them; after its first exception an object is no longer looked at, unless the model shows exceptions) []
            Transitions with evidence: 0 of 1 (the others were inferred, or the model can also read their traces in another way) []
        "#]]
        .assert_eq(&told);
    }

    #[test]
    fn a_missing_measurement_is_a_fact_too() {
        let mut page = page(None, None);
        page.evidence = Evidence::default();
        let facts = facts(&page);
        assert_eq!(facts.len(), 1);
        assert_eq!(facts[0].value, "not measured");
    }
}
