//! The difference between a model and an earlier one of the same class, for reviewers: calls that became
//! possible, calls that are now refused, and calls that were not seen this time.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;

use adit_automata::{Fsa, Reader, TooLarge};
use adit_picture::legible;
use adit_trace::Label;
use serde_json::{Value, json};

use crate::models::STATES;
use crate::output::counted;

/// Most words that are listed of one kind.
const LISTED: usize = 20;

/// Most pairs of states in which refusals are compared.
const PAIRS: usize = 20_000;

/// Changes from an earlier model to this one. Each word is the shortest that ends with its call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Difference {
    /// Words that only this model allows.
    pub(super) new: Vec<Vec<String>>,
    /// Such words whose last call is one of a method that the earlier model does not have at all.
    pub(super) new_methods: Vec<Vec<String>>,
    /// Words that the earlier model allows and whose last call throws now, with its label, at least for some
    /// objects.
    pub(super) refused: Vec<(Vec<String>, String)>,
    /// Calls of the earlier model that the class does not offer any more.
    pub(super) removed: BTreeSet<String>,
    /// Other words that only the earlier model allows: this search did not see them.
    pub(super) gone: Vec<Vec<String>>,
    /// Calls that both models allow or both refuse, under another condition or with another exception.
    pub(super) details: Vec<ChangedDetail>,
}

/// Another condition of a call, or another exception by which it is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChangedDetail {
    /// The shortest word that ends with the call.
    word: Vec<String>,
    before: String,
    now: String,
}

impl Difference {
    pub(super) fn between(now: &Fsa<String>, before: &Fsa<String>) -> Result<Self, TooLarge> {
        let is_new = |word: &Vec<String>| word.last().is_some_and(|label| is_new_method(label, before));
        let (new_methods, new) = now.reads_beyond(before, STATES)?.into_iter().partition(is_new);
        let mut found = Self { new, new_methods, ..Self::default() };
        for word in before.reads_beyond(now, STATES)? {
            match refusal(now, &word) {
                Some(label) => found.refused.push((word, label)),
                None => found.gone.push(word),
            }
        }
        let Beside { refused, details } = side_by_side(now, before);
        found.details = details;
        for (word, label) in refused {
            let method = Label::parse(&label).method();
            let is_known = |(_, known): &(Vec<String>, String)| Label::parse(known).method() == method;
            if !found.refused.iter().any(is_known) {
                found.refused.push((word, label));
            }
        }
        Ok(found)
    }

    /// Tells apart what this search did not see and what the class no longer has. `offered` are the
    /// signatures of its calls.
    pub(super) fn with_removed(mut self, before: &Fsa<String>, offered: &BTreeSet<String>) -> Self {
        if offered.is_empty() {
            return self;
        }
        let calls: BTreeSet<&str> = labels(before).map(Label::method).collect();
        self.removed = { calls.into_iter() }
            .filter(|call| !offered.iter().any(|signature| is_call_of(call, signature)))
            .map(str::to_owned)
            .collect();
        let removed = &self.removed;
        self.gone
            .retain(|word| word.last().is_none_or(|label| !removed.contains(Label::parse(label).method())));
        self
    }

    /// Tells whether the class behaves differently from what the earlier model says. A search that saw less
    /// says nothing about the class.
    pub(super) fn is_news(&self) -> bool {
        let calls_differ = !self.new.is_empty() || !self.refused.is_empty();
        calls_differ || !self.new_methods.is_empty() || !self.removed.is_empty()
    }

    pub(super) fn as_json(&self) -> Value {
        let refused = self.refused.iter().map(|(word, label)| json!({ "word": word, "now": label }));
        let details = { self.details.iter() }
            .map(|one| json!({ "word": one.word, "before": one.before, "now": one.now }));
        json!({
            "new": self.new,
            "new_methods": self.new_methods,
            "refused": refused.collect::<Vec<_>>(),
            "removed": self.removed,
            "gone": self.gone,
            "details": details.collect::<Vec<_>>(),
        })
    }

    /// Returns the difference as Markdown, ready for a comment on a change.
    pub(super) fn markdown(&self, title: &str) -> String {
        let mut text = format!("### {}\n\n", code(title));
        if *self == Self::default() {
            text += "The model has not changed.\n";
            return text;
        }
        let calls = |count: usize, one: &str, many: &str| {
            format!("**{} {}:**", counted(count, "call"), if count == 1 { one } else { many })
        };
        let call = |word: &[String], threw: Option<&str>| {
            let threw = threw.map(|class| format!("throws {}", code(class)));
            called(word).into_iter().chain([threw.unwrap_or_default()]).collect()
        };
        let after = ["call", "after", ""];
        let new: Vec<Row> = self.new.iter().map(|word| call(word, None)).collect();
        section(&mut text, &calls(new.len(), "is possible now", "are possible now"), &after, &new);
        let refused = self.refused.iter().map(|(word, label)| call(word, Label::parse(label).threw()));
        let refused: Vec<Row> = refused.collect();
        section(&mut text, &calls(refused.len(), "is refused now", "are refused now"), &after, &refused);
        let added: Vec<Row> = self.new_methods.iter().map(|word| called(word)).collect();
        let methods = self.new_methods.iter().filter_map(|word| Some(Label::parse(word.last()?).method()));
        let methods = methods.collect::<BTreeSet<_>>().len();
        let heading =
            format!("**{}**, which the earlier model does not have:", counted(methods, "new method"));
        section(&mut text, &heading, &["call", "after"], &added);
        let removed: Vec<Row> = self.removed.iter().map(|call| vec![code(call)]).collect();
        let verb = if removed.len() == 1 { "was" } else { "were" };
        let heading = format!("**{} {verb} removed from the class:**", counted(removed.len(), "method"));
        section(&mut text, &heading, &["method"], &removed);
        let gone: Vec<Row> = self.gone.iter().map(|word| call(word, None)).collect();
        let unseen = calls(gone.len(), "was not seen this time", "were not seen this time");
        section(&mut text, &unseen, &after, &gone);
        let told = |text: &str| if text.is_empty() { "always".to_owned() } else { code(text) };
        let detail = |one: &ChangedDetail| {
            called(&one.word).into_iter().chain([told(&one.before), told(&one.now)]).collect()
        };
        let details: Vec<Row> = self.details.iter().map(detail).collect();
        let heading = "**Conditions and exceptions that changed** (the calls are the same):";
        section(&mut text, heading, &["call", "after", "before", "now"], &details);
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }
}

/// Labels of a model, also those of refused calls.
fn labels(model: &Fsa<String>) -> impl Iterator<Item = Label<'_>> {
    let refused = model.states().flat_map(|state| model.refusals(state));
    model.alphabet().iter().chain(refused).map(|label| Label::parse(label))
}

/// Tells whether the earlier model has no call of the method of this label. A name without parameter types
/// stands for any overload: only a class with several overloads has labels that tell them apart.
fn is_new_method(label: &str, before: &Fsa<String>) -> bool {
    let label = Label::parse(label);
    let is_same = |known: Label<'_>| match (label.parameters(), known.parameters()) {
        (Some(_), Some(_)) => known.method() == label.method(),
        _ => known.name() == label.name(),
    };
    !labels(before).any(is_same)
}

/// Tells whether a call of a model may be one of a method with this signature: `nextToken` and
/// `nextToken(String)` are calls of `nextToken(java.lang.String)`.
fn is_call_of(call: &str, signature: &str) -> bool {
    let parts = |text: &'_ str| -> Option<(String, Vec<String>)> {
        let (name, types) = text.split_once('(')?;
        Some((name.to_owned(), types.trim_end_matches(')').split(',').map(str::to_owned).collect()))
    };
    let Some((name, types)) = parts(signature) else { return call == signature };
    let Some((called, given)) = parts(call) else { return call == name };
    let fits = |(given, whole): (&String, &String)| {
        whole.strip_suffix(given.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with(['.', '$']))
    };
    called == name && given.len() == types.len() && given.iter().zip(&types).all(fits)
}

/// The cells of a row.
type Row = Vec<String>;

/// Adds a heading and a table, unless it has no rows.
fn section(text: &mut String, heading: &str, columns: &[&str], rows: &[Row]) {
    if rows.is_empty() {
        return;
    }
    let titles: Vec<String> = columns.iter().map(|title| format!(" {title} ").replace("  ", " ")).collect();
    let _ = writeln!(text, "{heading}\n\n|{}|\n|{}", titles.join("|"), "---|".repeat(columns.len()));
    for row in rows.iter().take(LISTED) {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    if rows.len() > LISTED {
        let _ = writeln!(text, "\n{} more.", rows.len() - LISTED);
    }
    text.push('\n');
}

/// The last call of a word, and the calls before it.
fn called(word: &[String]) -> Row {
    let (last, rest) = word.split_last().map_or(("", &[][..]), |(last, rest)| (last, rest));
    let rest: Vec<String> = rest.iter().map(|label| code(label)).collect();
    vec![code(last), rest.join(" ")]
}

/// What a walk through both models at once shows.
#[derive(Default)]
struct Beside {
    refused: Vec<(Vec<String>, String)>,
    details: Vec<ChangedDetail>,
}

/// Calls that are refused now in a state that an object may be in after the word, and were refused in no such
/// state before. Where an event leads to several states, one of them may still allow the call, so that the
/// words of both models are the same. Also conditions and exceptions that are others than before. Each method
/// is named once, with the shortest word.
fn side_by_side(now: &Fsa<String>, before: &Fsa<String>) -> Beside {
    type States = BTreeSet<usize>;
    fn refused<'a>(model: &'a Fsa<String>, states: &States) -> BTreeMap<&'a str, &'a String> {
        let labels = states.iter().flat_map(|state| model.refusals(*state));
        labels.map(|label| (Label::parse(label).method(), label)).collect()
    }
    fn next<'a>(model: &'a Fsa<String>, states: &States) -> BTreeMap<&'a String, States> {
        let mut next: BTreeMap<&String, States> = BTreeMap::new();
        for edge in states.iter().flat_map(|state| model.edges(*state)) {
            next.entry(edge.label).or_default().insert(edge.to);
        }
        next
    }
    /// The conditions of a call, in words; nothing if it has none.
    fn conditions(model: &Fsa<String>, states: &States, label: &str) -> String {
        let edges = states.iter().flat_map(|state| model.edges(*state)).filter(|edge| *edge.label == label);
        let all: BTreeSet<&str> = edges.filter_map(|edge| edge.guard).collect();
        all.into_iter().collect::<Vec<_>>().join(" or ")
    }
    let initial = |model: &Fsa<String>| model.initial().iter().copied().collect::<States>();
    let first = (initial(now), initial(before));
    let mut seen = BTreeSet::from([first.clone()]);
    let mut open = VecDeque::from([(first, Vec::<String>::new())]);
    let (mut found, mut told, mut detailed) = (Beside::default(), BTreeSet::new(), BTreeSet::new());
    while let Some(((states, earlier), word)) = open.pop_front() {
        let known = refused(before, &earlier);
        let possible = next(before, &earlier);
        let after = |label: &str| [&word[..], &[label.to_owned()]].concat();
        for (method, label) in refused(now, &states) {
            if let Some(&known) = known.get(method) {
                if known != label && detailed.insert(method.to_owned()) {
                    let (before, now) = (known.clone(), label.clone());
                    found.details.push(ChangedDetail { word: after(method), before, now });
                }
                continue;
            }
            let call = possible.keys().find(|label| Label::parse(label).method() == method);
            if let Some(call) = call
                && told.insert(method.to_owned())
            {
                found.refused.push((after(call), label.clone()));
            }
        }
        for (label, to) in next(now, &states) {
            let Some(beside) = possible.get(label) else { continue };
            let guards = [(before, &earlier), (now, &states)];
            let [old, new] = guards.map(|(model, states)| conditions(model, states, label));
            if !same_condition(&old, &new) && detailed.insert(label.clone()) {
                found.details.push(ChangedDetail { word: after(label), before: old, now: new });
            }
            let pair = (to, beside.clone());
            // Models as large as that are compared as far as this goes.
            if seen.len() < PAIRS && seen.insert(pair.clone()) {
                open.push_back((pair, after(label)));
            }
        }
    }
    found
}

/// Returns true if two conditions are the same but for parameters that have a name in one and a number in the
/// other (`p0`), as those of a class that was compiled without debug information.
fn same_condition(one: &str, other: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let words = |text: &str| -> Vec<String> {
        let parts = text.split_inclusive(|c| !is_word(c)).flat_map(|part| {
            let end = part.trim_end_matches(|c| !is_word(c)).len();
            [part[..end].to_owned(), part[end..].to_owned()]
        });
        parts.filter(|part| !part.is_empty()).collect()
    };
    let is_number = |word: &str| {
        word.strip_prefix('p')
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()))
    };
    let is_name = |word: &str| word.starts_with(char::is_alphabetic) && word != "null";
    let (one, other) = (words(one), words(other));
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    one.len() == other.len()
        && one.iter().zip(&other).all(|(a, b)| {
            let (number, name) = if is_number(a) { (a, b) } else { (b, a) };
            a == b
                || is_number(number) && is_name(name) && *names.entry(number).or_insert(name) == name.as_str()
        })
}

/// A name as code that neither ends nor leaves its cell.
fn code(text: &str) -> String {
    format!("`{}`", legible(text).replace('`', "'").replace('|', "\\|"))
}

/// The label with which a model refuses the last call of a word, if it does where the rest of the word leads.
fn refusal(model: &Fsa<String>, word: &[String]) -> Option<String> {
    let (last, rest) = word.split_last()?;
    let mut reader = Reader::indexed(model);
    if !reader.reads(rest.iter().map(|label| model.letter(label))) {
        return None;
    }
    let method = Label::parse(last).method();
    let refused = |state: &usize| {
        model.refusals(*state).iter().find(|label| Label::parse(label).method() == method).cloned()
    };
    reader.states().iter().find_map(refused)
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;
    use expect_test::expect;

    use super::*;

    fn model(edges: &[(usize, &str, usize)], refusals: &[(usize, &str)]) -> Fsa<String> {
        let mut builder = Builder::new();
        (0..3).for_each(|_| _ = builder.state(true));
        builder.initial(0);
        for (from, label, to) in edges {
            builder.edge(*from, (*label).to_owned(), *to);
        }
        for (state, label) in refusals {
            builder.refusals(*state, vec![(*label).to_owned()]);
        }
        builder.build()
    }

    #[test]
    fn a_parameter_without_a_name_is_the_same_parameter() {
        assert!(same_condition("p0 != null && p1 < 3", "key != null && size < 3"));
        assert!(same_condition("Set(Collection): c != null", "Set(Collection): p0 != null"));
        assert!(same_condition("", ""));
        assert!(!same_condition("p0 != null", "null != null"));
        assert!(!same_condition("p0 < 3 && p0 != 1", "a < 3 && b != 1"));
        assert!(!same_condition("p0 < 3", "a < 4"));
        assert!(!same_condition("a < 3", "b < 3"));
        assert!(!same_condition("p0 < 3", ""));
    }

    #[test]
    fn what_is_new_refused_and_gone() {
        let before = model(&[(0, "Door", 1), (1, "open", 2), (2, "lock", 1), (1, "paint", 1)], &[]);
        let now =
            model(&[(0, "Door", 1), (1, "open", 2), (2, "knock", 2)], &[(2, "lock!IllegalStateException")]);
        let found = Difference::between(&now, &before).unwrap();
        assert!(found.is_news());
        expect![[r#"
            ### `a.Door`

            **1 call is refused now:**

            | call | after | |
            |---|---|---|
            | `lock` | `Door` `open` | throws `IllegalStateException` |

            **1 new method**, which the earlier model does not have:

            | call | after |
            |---|---|
            | `knock` | `Door` `open` |

            **1 call was not seen this time:**

            | call | after | |
            |---|---|---|
            | `paint` | `Door` |  |
        "#]]
        .assert_eq(&found.markdown("a.Door"));
        // `pay` may leave the order unpaid, so that `cancel` stays possible after it. Paid orders refuse it
        // now.
        let paying = [(0, "Order", 1), (1, "pay", 1), (1, "pay", 2), (1, "cancel", 1)];
        let before = model(&[&paying[..], &[(2, "cancel", 2)]].concat(), &[]);
        let now = model(&paying, &[(2, "cancel!IllegalStateException")]);
        assert!(now.reads_beyond(&before, STATES).unwrap().is_empty(), "the words are the same");
        let found = Difference::between(&now, &before).unwrap();
        let cancelled = ["Order", "pay", "cancel"].map(str::to_owned).to_vec();
        assert_eq!(found.refused, [(cancelled, "cancel!IllegalStateException".to_owned())]);
        assert!(found.is_news() && found.new.is_empty() && found.gone.is_empty(), "{found:?}");
        assert_eq!(Difference::between(&now, &now).unwrap(), Difference::default());
        // The calls are the same, but not when they are possible, nor how one is refused.
        let guarded = |guard: &str, refused: &str| {
            let mut builder = model(&[(0, "Door", 1), (1, "open", 1)], &[(1, refused)]).to_builder();
            if !guard.is_empty() {
                builder.guard(1, "open".to_owned(), 1, guard.to_owned());
            }
            builder.build()
        };
        let before = guarded("key != null", "lock!IllegalStateException");
        let now = guarded("", "lock!UnsupportedOperationException");
        let found = Difference::between(&now, &before).unwrap();
        assert!(!found.is_news(), "{found:?}");
        expect![[r#"
            ### `a.Door`

            **Conditions and exceptions that changed** (the calls are the same):

            | call | after | before | now |
            |---|---|---|---|
            | `lock` | `Door` | `lock!IllegalStateException` | `lock!UnsupportedOperationException` |
            | `open` | `Door` | `key != null` | always |
        "#]]
        .assert_eq(&found.markdown("a.Door"));
        let before = model(&[(0, "Door", 1), (1, "open", 2), (2, "lock", 1), (1, "paint", 1)], &[]);
        let less = model(&[(0, "Door", 1), (1, "open", 2), (2, "lock", 1)], &[]);
        let found = Difference::between(&less, &before).unwrap();
        assert!(!found.is_news() && found.gone == [["Door", "paint"]], "{found:?}");
        assert_eq!(
            Difference::between(&before, &before).unwrap().markdown("a|b`"),
            "### `a\\|b'`\n\nThe model has not changed.\n"
        );
    }

    #[test]
    fn a_new_method_is_told_from_a_call_that_became_possible() {
        let before = model(&[(0, "Door", 1), (1, "open", 1), (1, "paint(int)", 1)], &[(1, "lock!Locked")]);
        let more = [(0, "Door", 1), (1, "lock", 1), (1, "isOpen:TRUE", 1), (1, "isOpen:FALSE", 1)];
        // `open` got an overload, so its labels have parameter types now.
        let overloads = [(1, "open()", 1), (1, "paint(int)", 1), (1, "paint(Color)", 1)];
        let found = Difference::between(&model(&[&more[..], &overloads].concat(), &[]), &before).unwrap();
        let last = |words: &[Vec<String>]| words.iter().map(|word| word.concat()).collect::<BTreeSet<_>>();
        let set = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(last(&found.new), set(&["Doorlock", "Dooropen()"]));
        let new = set(&["DoorisOpen:FALSE", "DoorisOpen:TRUE", "Doorpaint(Color)"]);
        assert_eq!(last(&found.new_methods), new);
        assert!(
            found.markdown("a.Door").contains("**2 new methods**, which"),
            "{}",
            found.markdown("a.Door")
        );
    }

    #[test]
    fn a_method_that_the_class_no_longer_has_is_removed() {
        let all = [(0, "Door", 1), (1, "open()", 2), (2, "lock", 1), (1, "paint(Color)", 1)];
        let before = model(&all, &[(2, "knock!IllegalStateException")]);
        let now = model(&[(0, "Door", 1)], &[]);
        let offered = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect::<BTreeSet<_>>();
        let found =
            |has: &[&str]| Difference::between(&now, &before).unwrap().with_removed(&before, &offered(has));
        // A search that saw less is no news, and an earlier folder does not say what the class offers.
        let whole = ["Door(int)", "open()", "lock(int)", "paint(java.awt.Color)", "knock()"];
        assert_eq!((found(&whole).is_news(), found(&[]).is_news()), (false, false));
        let less = found(&["Door()", "open(int)", "lock(int)", "paint(java.awt.color.ColorSpace)"]);
        assert_eq!(less.removed, offered(&["knock", "open()", "paint(Color)"]));
        assert!(less.is_news() && less.gone.is_empty(), "{less:?}");
        expect![[r#"
            ### `a.Door`

            **3 methods were removed from the class:**

            | method |
            |---|
            | `knock` |
            | `open()` |
            | `paint(Color)` |
        "#]]
        .assert_eq(&less.markdown("a.Door"));
    }
}
