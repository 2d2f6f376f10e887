//! How far to trust a model, and how to get it again: what a run and its validation said, in plain words.

use adit_trace::Stop;
use serde_json::{Value, json};

use super::page::Page;

/// Something that was measured, and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) name: &'static str,
    pub(super) value: String,
    pub(super) says: String,
    /// Words that show it.
    pub(super) words: Vec<String>,
}

impl Fact {
    fn new(name: &'static str, value: impl Into<String>, says: impl Into<String>) -> Self {
        Self { name, value: value.into(), says: says.into(), words: Vec::new() }
    }

    pub(super) fn json(&self) -> Value {
        json!({"name": self.name, "value": self.value, "says": self.says, "words": self.words})
    }
}

/// Everything that speaks for or against the model.
pub(super) fn facts(page: &Page) -> Vec<Fact> {
    let mut facts: Vec<Fact> =
        page.notes.iter().map(|note| Fact::new("Mind", "not complete", note)).collect();
    if let Some(validated) = &page.validated {
        facts.extend(measured(
            validated,
            "precision",
            "walks",
            "walks of the model were realized",
            "unrealised",
        ));
        facts.extend(measured(
            validated,
            "recall",
            "objects",
            "new objects did what the model allows",
            "rejected",
        ));
        facts.extend(novelty(validated));
    } else {
        let text = "`adit validate` measures it on the class itself; saved as validate.json beside the model, its answer is shown here";
        facts.push(Fact::new("Precision and recall", "not measured", text));
    }
    if let Some(run) = &page.run {
        if let Some(share) = run["realized"].as_f64() {
            // Rounded down: all is not nearly all.
            let mut fact = Fact::new(
                "Walks that really happen",
                format!("{} %", (share * 100.0).floor()),
                "of the model's random walks, this share was made to happen by running the class",
            );
            fact.words = words(&run["unrealized"]);
            facts.push(fact);
        }
        if run["complete"] == false {
            facts.push(Fact::new(
                "Everything tried",
                "no",
                "the search was broken off; states and transitions may be missing, and a longer `--budget` may find them",
            ));
        }
        if let Some(words) = run["admitted"].as_u64().filter(|&words| words > 0) {
            facts.push(Fact::new(
                "Guessed",
                words.to_string(),
                "orders of calls happened and were not explored; the model allows them, but where they lead is a guess",
            ));
        }
        let never: Vec<&str> = run["never_tried"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| one["method"].as_str())
            .collect();
        if !never.is_empty() {
            facts.push(Fact::new(
                "Never called",
                never.len().to_string(),
                format!("no argument could be made up for {}; `--fixtures` can supply one", never.join(", ")),
            ));
        }
        let hang = strings(&run["hang"]);
        if !hang.is_empty() {
            facts.push(Fact::new(
                "Not tried further",
                hang.len().to_string(),
                format!("hangs or ends its process: {}", hang.join(", ")),
            ));
        }
        if let (Some(covered), Some(all)) =
            (run["branches"]["covered"].as_u64(), run["branches"]["all"].as_u64())
        {
            facts.push(if covered == 0 {
                Fact::new(
                    "Branches of the class",
                    "not measured",
                    format!(
                        "the time was over before the {all} branches were watched; a longer `--budget` helps"
                    ),
                )
            } else {
                Fact::new(
                    "Branches of the class",
                    format!("{covered} of {all}"),
                    "were taken by some test; what lies behind the others was never seen",
                )
            });
        }
        if let Some(stop) = run["stop"].as_str() {
            facts.push(Fact::new("Why it ended", stop, ended(stop)));
        }
    }
    facts.extend(replayed(page));
    facts
}

/// What the traces beside the model say.
fn replayed(page: &Page) -> Vec<Fact> {
    let evidence = &page.evidence;
    if evidence.traces == 0 {
        return Vec::new();
    }
    let inside = evidence.traces - evidence.outside;
    let mut allowed = Fact::new(
        "Recorded traces that the model allows",
        format!("{inside} of {}", evidence.traces),
        if evidence.outside == 0 {
            "all of them; an object counts up to its first exception unless the model has exceptions"
        } else {
            "a trace that the model does not allow is a fault of the model; the shortest are listed"
        },
    );
    allowed.words = evidence.outside_examples.iter().map(|word| evidence.word(word).join(" ")).collect();
    let all = page.model.transitions();
    let taken = evidence.certain();
    let seen = Fact::new(
        "Transitions with evidence",
        format!("{taken} of {all}"),
        if taken == all {
            "each was taken by a recorded trace or a generated test, or seen by the search"
        } else {
            "the others were inferred, or are one of several ways in which the model can read a trace"
        },
    );
    vec![allowed, seen]
}

/// Precision or recall, with its interval.
fn measured(validated: &Value, name: &str, of: &str, what: &str, examples: &str) -> Option<Fact> {
    let share = validated[name].as_f64()?;
    let counted = &validated[of];
    let mut says = match (counted["good"].as_u64(), counted["of"].as_u64()) {
        (Some(good), Some(all)) => format!("{good} of {all} {what}"),
        _ => what.to_owned(),
    };
    if let (Some(low), Some(high)) = (counted["interval"][0].as_f64(), counted["interval"][1].as_f64()) {
        says += &format!("; with 95 % confidence it is between {low:.3} and {high:.3}");
    }
    let title = if name == "precision" { "Precision" } else { "Recall" };
    let mut fact = Fact::new(title, format!("{share:.3}"), says);
    fact.words = words(&validated[examples]);
    Some(fact)
}

/// How likely the next object is to show something new.
fn novelty(validated: &Value) -> Option<Fact> {
    let new = &validated["new_pairs"];
    let (value, says) = match (new["chance"].as_f64()?, new["at_most"].as_f64()) {
        (0.0, Some(most)) if most > 0.0 => (
            format!("fewer than 1 in {:.0}", 1.0 / most),
            "objects would show two consecutive calls that were not seen yet",
        ),
        (0.0, _) => return None,
        (chance, _) => (
            format!("about 1 in {:.0}", 1.0 / chance),
            "objects still shows two consecutive calls that were not seen before; a longer run would find more",
        ),
    };
    Some(Fact::new("Still new", value, says))
}

fn ended(stop: &str) -> &'static str {
    match Stop::from_name(stop) {
        Some(Stop::Budget(_)) => "the budget was used up; a longer `--budget` may find more",
        Some(Stop::Interrupted) => "the run was interrupted; what was found by then is shown",
        Some(Stop::Done) => "every claim was decided or given up and nothing was left to try",
        _ => "this is what ended the search",
    }
}

/// What is needed to get the model again: names and values, nested names joined by dots.
pub(super) fn parameters(page: &Page) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    if let Some(run) = &page.run {
        // What is shown elsewhere, or long.
        const ELSEWHERE: [&str; 6] = ["alphabet", "unrealized", "never_tried", "hang", "pure", "rejected"];
        for (name, value) in run.as_object().into_iter().flatten() {
            if !ELSEWHERE.contains(&name.as_str()) {
                flatten(name, value, &mut rows);
            }
        }
    }
    rows.push(("report written by".to_owned(), format!("adit {}", env!("CARGO_PKG_VERSION"))));
    rows
}

fn flatten(name: &str, value: &Value, rows: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                flatten(&format!("{name}.{field}"), value, rows);
            }
        }
        Value::Null => {}
        Value::String(text) => rows.push((name.to_owned(), text.clone())),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            rows.push((name.to_owned(), strings(value).join(", ")));
        }
        other => rows.push((name.to_owned(), other.to_string())),
    }
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A few words of a list of words.
fn words(value: &Value) -> Vec<String> {
    const FEW: usize = 5;
    value.as_array().into_iter().flatten().take(FEW).map(|word| strings(word).join(" ")).collect()
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;
    use expect_test::expect;

    use super::*;
    use crate::report::evidence::Evidence;

    fn page(run: Option<Value>, validated: Option<Value>) -> Page {
        let mut builder = Builder::new();
        builder.state(true);
        builder.initial(0);
        builder.edge(0, "a".to_owned(), 0);
        let evidence =
            Evidence { taken: vec![Default::default()], traces: 7, outside: 0, ..Evidence::default() };
        Page { evidence, run, validated, ..Page::of("A".to_owned(), builder.build()) }
    }

    #[test]
    fn what_was_measured_is_told() {
        let run = json!({
            "class": "A", "realized": 0.999, "unrealized": [["a", "b"]], "stop": "time",
            "never_tried": [{"method": "put", "why": "x"}], "branches": {"covered": 3, "all": 4},
            "parameters": {"seed": 7, "only": ["a", "b"]},
        });
        let validated = json!({
            "precision": 0.5, "walks": {"good": 1, "of": 2, "interval": [0.1, 0.9]}, "unrealised": [["a"]],
            "recall": 1.0, "objects": {"good": 9, "of": 9, "interval": null},
            "new_pairs": {"chance": 0.0, "at_most": 0.01},
        });
        let page = page(Some(run), Some(validated));
        let told: String = facts(&page)
            .iter()
            .map(|fact| format!("{}: {} ({}) {:?}\n", fact.name, fact.value, fact.says, fact.words))
            .chain(parameters(&page).iter().take(4).map(|(name, value)| format!("{name} = {value}\n")))
            .collect();
        expect![[r#"
            Precision: 0.500 (1 of 2 walks of the model can be made to happen; with 95 % confidence it is between 0.100 and 0.900) ["a"]
            Recall: 1.000 (9 of 9 new objects did what the model allows) []
            Still new: fewer than 1 in 100 (objects would show two consecutive calls that were not seen yet) []
            Walks that really happen: 99 % (of the model's random walks, this share was made to happen by running the class) ["a b"]
            Never called: 1 (no argument could be made up for put; `--fixtures` can supply one) []
            Branches of the class: 3 of 4 (were taken by some test; what lies behind the others was never seen) []
            Why it ended: time (the budget was used up; a longer `--budget` may find more) []
            Recorded traces that the model allows: 7 of 7 (all of them; an object counts up to its first exception unless the model has exceptions) []
            Transitions with evidence: 0 of 1 (the others were inferred, or are one of several ways in which the model can read a trace) []
            class = A
            realized = 0.999
            stop = budget
            branches.covered = 3
        "#]]
        .assert_eq(&told);
    }

    #[test]
    fn nothing_measured_is_said_too() {
        let mut page = page(None, None);
        page.evidence = Evidence::default();
        let facts = facts(&page);
        assert_eq!(facts.len(), 1);
        assert_eq!(facts[0].value, "not measured");
    }
}
