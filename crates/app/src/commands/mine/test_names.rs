//! Names and comments of generated tests: what each of them shows of the model.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use adit_automata::{Fsa, State};
use adit_java::source::{TestClass, TestMethod};
use adit_logic::{Fate, Property, Template};
use adit_picture::StateNames;
use adit_trace::Label;

use crate::campaign::JudgedProperty;
use crate::witnesses::Witnesses;

/// Longest part of a name that a state contributes.
const LONGEST_STATE: usize = 40;

/// Places of tests that are about no state.
const REFUTES: u8 = 3;
const PLAIN: u8 = 4;

/// Fact that a test shows.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Title {
    name: String,
    /// A longer name, if another test has the same.
    longer: String,
    comment: Option<String>,
    /// State that the test is about, and its place among the tests of that state.
    order: (State, u8),
}

/// Tests with names of their own: equal ones once, those about one state together.
pub(super) struct NamedTests {
    pub(super) class: TestClass,
    /// For each method of the class, the name of the group that it belongs to: the state that it is about.
    pub(super) groups: Vec<String>,
    /// For each test, its position among those that are left.
    pub(super) position: Vec<usize>,
}

impl NamedTests {
    /// Names the methods of a class of tests, of which each has one in `words`.
    pub(super) fn new(class: TestClass, namer: &Namer<'_>, words: &[Vec<Vec<String>>]) -> Self {
        let TestClass { head, methods } = class;
        let body = |method: &TestMethod| method.source.replacen(&method.name, "", 1);
        // The first of equal tests stays; what others show, it shows as well.
        let mut kept: BTreeMap<String, usize> = BTreeMap::new();
        let mut alike: Vec<usize> = Vec::new();
        for (at, method) in methods.iter().enumerate() {
            alike.push(*kept.entry(body(method)).or_insert(at));
        }
        let mut titles: BTreeMap<usize, Title> = BTreeMap::new();
        for &at in kept.values() {
            let group: Vec<usize> = (0..alike.len()).filter(|&other| alike[other] == at).collect();
            titles.insert(at, namer.title(&group, &words[at]));
        }
        let mut order: Vec<usize> = kept.into_values().collect();
        order.sort_by_key(|&at| (titles[&at].order, titles[&at].name.clone(), at));
        let mut position = vec![0; alike.len()];
        for (place, &at) in order.iter().enumerate() {
            (0..alike.len()).filter(|&other| alike[other] == at).for_each(|other| position[other] = place);
        }
        let mut taken = BTreeSet::new();
        let named = |&at: &usize| {
            let title = &titles[&at];
            let name = fresh(title, &mut taken);
            let TestMethod { name: old, source } = &methods[at];
            let source = source.replacen(&format!("void {old}()"), &format!("void {name}()"), 1);
            TestMethod { name, source: commented(&source, title.comment.as_deref()) }
        };
        let methods = order.iter().map(named).collect();
        let mut group_names: BTreeMap<(State, u8), String> = BTreeMap::new();
        let groups = order.iter().map(|at| namer.group(titles[at].order, &mut group_names)).collect();
        Self { class: TestClass { head, methods }, groups, position }
    }
}

/// The source of a method with a comment before its first statement.
fn commented(source: &str, comment: Option<&str>) -> String {
    match (comment, source.split_once("{\n")) {
        (Some(comment), Some((head, rest))) => format!("{head}{{\n    // {comment}\n{rest}"),
        _ => source.to_owned(),
    }
}

fn fresh(title: &Title, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{}{number}", title.longer));
    let mut all = [title.name.clone(), title.longer.clone()].into_iter().chain(numbered);
    let name = all.find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(name.clone());
    name
}

/// Knows what tests show.
pub(super) struct Namer<'a> {
    pub(super) model: &'a Fsa<String>,
    pub(super) names: StateNames,
    pub(super) witnesses: &'a Witnesses,
    pub(super) properties: &'a [JudgedProperty],
    /// Name of the class without its package.
    pub(super) class: &'a str,
}

impl Namer<'_> {
    /// The title of a test that stands for a group of equal ones.
    fn title(&self, group: &[usize], words: &[Vec<String>]) -> Title {
        let takes = self.witnesses.takes.iter().filter(|take| group.contains(&take.test));
        let known = takes.filter(|take| take.from < self.model.len() && take.to < self.model.len());
        // A change says more than a call that changes nothing.
        if let Some(take) = known.min_by_key(|take| (take.from == take.to, take.from)) {
            return self.taken(take.from, &take.event, take.to);
        }
        let refused = self
            .witnesses
            .refuses
            .iter()
            .find(|refused| group.contains(&refused.test) && refused.state < self.model.len());
        if let Some(refused) = refused {
            return self.refused(refused.state, &refused.event, words);
        }
        let refutes =
            |one: &&JudgedProperty| matches!(&one.fate, Fate::Refuted(test) if group.contains(test));
        match self.properties.iter().find(refutes) {
            Some(judged) => self.refutes(&judged.property),
            None => self.plain(words),
        }
    }

    /// The name of the group of tests with a place in the order. `known` has the names of other groups.
    fn group(&self, (state, kind): (State, u8), known: &mut BTreeMap<(State, u8), String>) -> String {
        let (key, name) = match kind {
            _ if self.model.initial().contains(&state) => ((state, 0), "NewObjects".to_owned()),
            REFUTES => ((state, REFUTES), "RefutedProperties".to_owned()),
            PLAIN => ((state, PLAIN), "OtherSequences".to_owned()),
            _ => ((state, 0), format!("In{}", self.state(state))),
        };
        if let Some(name) = known.get(&key) {
            return name.clone();
        }
        // States with the same name are told apart by their numbers.
        let is_taken = known.values().any(|other| *other == name);
        let fresh = if is_taken { format!("{name}State{state}") } else { name };
        known.insert(key, fresh.clone());
        fresh
    }

    fn taken(&self, from: State, event: &str, to: State) -> Title {
        let label = Label::parse(event);
        let call = self.call(label);
        let returns = match label.answer() {
            Some(true) => "ReturnsTrue",
            Some(false) => "ReturnsFalse",
            None => "",
        };
        let (start, end) = (self.state(from), self.state(to));
        let (name, longer) = match (from == to, returns) {
            (true, "") => (format!("{call}IsPossibleIn{start}"), format!("{call}StaysIn{start}")),
            (true, _) => (format!("{call}{returns}In{start}"), format!("{call}{returns}AndStaysIn{start}")),
            (false, _) => {
                let name = format!("{call}{returns}LeadsTo{end}");
                (name.clone(), format!("{name}From{start}"))
            }
        };
        let comment = format!("{} -- {event} -> {}", self.names.name(from), self.names.name(to));
        Title { name, longer, comment: Some(comment), order: (from, u8::from(from == to)) }
    }

    fn refused(&self, state: State, event: &str, words: &[Vec<String>]) -> Title {
        let label = Label::parse(event);
        let call = self.call(label);
        let place = self.state(state);
        let last = words.iter().flatten().rev().find(|other| *other != event);
        let name = match (self.enabler(state, label.method()), last) {
            (Some(enabler), _) => {
                format!("{call}IsRefusedBefore{}", capital(&self.call(Label::parse(enabler))))
            }
            (None, Some(last)) => format!("{call}IsRefusedAfter{}", capital(&self.call(Label::parse(last)))),
            (None, None) => format!("{call}IsRefusedIn{place}"),
        };
        let longer = format!("{name}In{place}");
        let comment = format!("{} refuses {event}", self.names.name(state));
        Title { name, longer, comment: Some(comment), order: (state, 2) }
    }

    /// The call after which a method is possible, on the shortest way from a state; none if it never is.
    fn enabler(&self, state: State, method: &str) -> Option<&str> {
        let allows = |state: State| {
            let mut returned = self.model.edges(state).map(|edge| Label::parse(edge.label));
            returned.any(|label| label.threw().is_none() && label.method() == method)
        };
        let mut seen = BTreeSet::from([state]);
        let mut open = VecDeque::from([state]);
        while let Some(here) = open.pop_front() {
            for edge in self.model.edges(here).filter(|edge| self.model.is_explored(edge)) {
                if seen.insert(edge.to) {
                    if allows(edge.to) {
                        return Some(edge.label);
                    }
                    open.push_back(edge.to);
                }
            }
        }
        None
    }

    fn refutes(&self, property: &Property<String>) -> Title {
        let [a, b] = [&property.a, &property.b].map(|label| self.outcome(Label::parse(label)));
        let name = match property.template {
            Template::NeverFollowed => format!("{b}CanFollow{}", capital(&a)),
            Template::NeverImmediatelyFollowed => format!("{b}CanFollowRightAfter{}", capital(&a)),
            Template::AlwaysFollowed => format!("{a}NeedsNo{}Later", capital(&b)),
            Template::AlwaysPreceded => format!("{a}NeedsNo{}Before", capital(&b)),
            Template::AlwaysImmediatelyFollowed => format!("{a}NeedsNo{}RightAfter", capital(&b)),
            Template::AlwaysImmediatelyPreceded => format!("{a}NeedsNo{}RightBefore", capital(&b)),
        };
        let comment = Some(format!("refutes {property}"));
        Title { longer: name.clone(), name, comment, order: (self.model.len(), REFUTES) }
    }

    /// A test that shows nothing in particular: its last two calls, or three.
    fn plain(&self, words: &[Vec<String>]) -> Title {
        let longest = words.iter().max_by_key(|word| word.len());
        let calls: Vec<Label<'_>> = longest.into_iter().flatten().map(|label| Label::parse(label)).collect();
        let past = |label: &Label<'_>| capital(&self.past(*label));
        let (name, longer) = match calls.as_slice() {
            [.., first, before, last] => {
                let (last, before) = (self.outcome(*last), past(before));
                (format!("{last}After{before}"), format!("{last}After{}And{before}", past(first)))
            }
            [before, last] => {
                let name = format!("{}After{}", self.outcome(*last), past(before));
                (name.clone(), name)
            }
            [only] => (self.outcome(*only), self.outcome(*only)),
            [] => ("nothingHappens".to_owned(), "nothingHappens".to_owned()),
        };
        Title { longer, name, comment: None, order: (self.model.len(), PLAIN) }
    }

    /// A call as a part of a name: `nextToken`, `nextTokenWithString`, `newStack`.
    fn call(&self, label: Label<'_>) -> String {
        let name = identifier(label.name());
        if name == self.class {
            return format!("new{name}");
        }
        // An array is several of its elements.
        let types = label.parameters().map(|types| identifier(&types.replace("[]", "s"))).unwrap_or_default();
        let with = if types.is_empty() { String::new() } else { format!("With{types}") };
        let mut letters = name.chars();
        letters
            .next()
            .map_or_else(String::new, |first| format!("{}{}{with}", first.to_lowercase(), letters.as_str()))
    }

    /// A call with its outcome: `isEmptyReturnsTrue`.
    fn outcome(&self, label: Label<'_>) -> String {
        let call = self.call(label);
        match (label.answer(), label.threw()) {
            (Some(true), _) => format!("{call}ReturnsTrue"),
            (Some(false), _) => format!("{call}ReturnsFalse"),
            (None, Some(_)) => format!("{call}Throws"),
            (None, None) => call,
        }
    }

    /// A call with its outcome, of which something came after: `isEmptyReturnedTrue`.
    fn past(&self, label: Label<'_>) -> String {
        let call = self.call(label);
        match (label.answer(), label.threw()) {
            (Some(true), _) => format!("{call}ReturnedTrue"),
            (Some(false), _) => format!("{call}ReturnedFalse"),
            (None, Some(_)) => format!("{call}Threw"),
            (None, None) => call,
        }
    }

    /// A state as a part of a name: its name as far as there is room, else its number.
    fn state(&self, state: State) -> String {
        let name = self.model.name(state).filter(|name| *name != state.to_string()).unwrap_or_default();
        let mut text = String::new();
        for part in name.split(", ") {
            let part = identifier(&part.replace('>', "more than").replace('<', "less than"));
            if text.is_empty() || text.len() + part.len() <= LONGEST_STATE {
                text += &part;
            }
        }
        if text.is_empty() { format!("State{state}") } else { text }
    }
}

/// The words of a text as one, each with a capital: `not isEmpty` is `NotIsEmpty`, `PAID` is `Paid`.
fn identifier(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let one = |word: &str| {
        let shouted = word.len() > 1 && word.chars().all(|c| c.is_uppercase() || c.is_numeric());
        if shouted { capital(&word.to_lowercase()) } else { capital(word) }
    };
    words.map(one).collect()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}", first.to_uppercase(), letters.as_str()))
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;

    use super::*;
    use crate::witnesses::{Refuses, Takes};

    fn order() -> Fsa<String> {
        let mut builder = Builder::new();
        (0..4).for_each(|_| _ = builder.state(true));
        builder.initial(0);
        for (from, label, to) in [
            (0, "Order", 1),
            (1, "isEmpty:TRUE", 1),
            (1, "addItem(String)", 2),
            (2, "addItem(String)", 2),
            (2, "pay", 3),
        ] {
            builder.edge(from, label.to_owned(), to);
        }
        builder.name(1, "OPEN, isEmpty".to_owned());
        builder.name(2, "OPEN, size > 0".to_owned());
        builder.name(3, "PAID".to_owned());
        builder.build()
    }

    fn method(number: usize, body: &str) -> TestMethod {
        let name = format!("script{number}");
        TestMethod { source: format!("@Test\nvoid {name}() throws Throwable {{\n    {body}\n}}\n"), name }
    }

    #[test]
    fn tests_are_named_after_what_they_show() {
        let model = order();
        let take = |test, from, event: &str, to| Takes { from, event: event.into(), to, situations: 1, test };
        let refuse = |test, state, event: &str| Refuses { state, event: event.into(), times: 1, test };
        let witnesses = Witnesses {
            takes: vec![
                take(0, 1, "addItem(String)", 2),
                take(1, 2, "addItem(String)", 2),
                take(2, 1, "isEmpty:TRUE", 1),
                take(3, 0, "Order", 1),
            ],
            refuses: vec![
                refuse(4, 1, "pay!IllegalStateException"),
                refuse(5, 3, "pay!IllegalStateException"),
                // The same test as the fifth.
                refuse(6, 1, "pay!IllegalStateException"),
            ],
        };
        let property = Property {
            template: Template::NeverFollowed,
            a: "pay".to_owned(),
            b: "isEmpty:FALSE".to_owned(),
        };
        let properties = [JudgedProperty { property, fate: Fate::Refuted(7), support: 1, found_after: None }];
        let namer = Namer {
            model: &model,
            names: StateNames::of(&model),
            witnesses: &witnesses,
            properties: &properties,
            class: "Order",
        };
        let bodies =
            ["a();", "b();", "c();", "d();", "e();", "f();", "e();", "g();", "h();", "i();", "j();", "k();"];
        let methods = bodies.iter().enumerate().map(|(number, body)| method(number, body)).collect();
        let word = |text: &str| vec![text.split(' ').map(str::to_owned).collect::<Vec<_>>()];
        let mut words = vec![word("Order"); 8];
        words[5] = word("Order addItem(String) pay pay!IllegalStateException");
        words.push(word("Order addItem(String) isEmpty:FALSE"));
        words.push(word("Order pay!IllegalStateException addItems(byte[],int)"));
        words.push(word("Order isEmpty:TRUE addItem(String)"));
        words.push(word("Order addItem(String) isEmpty:TRUE addItem(String)"));
        let class = TestClass { head: String::new(), methods };
        let NamedTests { class, groups, position } = NamedTests::new(class, &namer, &words);
        let told: Vec<String> = class
            .methods
            .iter()
            .map(|method| {
                let comment = method.source.lines().find_map(|line| line.trim().strip_prefix("// "));
                format!("{}: {}", method.name, comment.unwrap_or("-"))
            })
            .collect();
        expect_test::expect![[r#"
            newOrderLeadsToOpenIsEmpty: 0 -- Order -> 1 (OPEN, isEmpty)
            addItemWithStringLeadsToOpenSizeMoreThan0: 1 (OPEN, isEmpty) -- addItem(String) -> 2 (OPEN, size > 0)
            isEmptyReturnsTrueInOpenIsEmpty: 1 (OPEN, isEmpty) -- isEmpty:TRUE -> 1 (OPEN, isEmpty)
            payIsRefusedBeforeAddItemWithString: 1 (OPEN, isEmpty) refuses pay!IllegalStateException
            addItemWithStringIsPossibleInOpenSizeMoreThan0: 2 (OPEN, size > 0) -- addItem(String) -> 2 (OPEN, size > 0)
            payIsRefusedAfterPay: 3 (PAID) refuses pay!IllegalStateException
            isEmptyReturnsFalseCanFollowPay: refutes NF(pay, isEmpty:FALSE)
            addItemWithStringAfterIsEmptyReturnedTrue: -
            addItemWithStringAfterAddItemWithStringAndIsEmptyReturnedTrue: -
            addItemsWithBytesIntAfterPayThrew: -
            isEmptyReturnsFalseAfterAddItemWithString: -"#]]
        .assert_eq(&told.join("\n"));
        assert_eq!(
            groups,
            [
                "NewObjects",
                "InOpenIsEmpty",
                "InOpenIsEmpty",
                "InOpenIsEmpty",
                "InOpenSizeMoreThan0",
                "InPaid",
                "RefutedProperties",
                "OtherSequences",
                "OtherSequences",
                "OtherSequences",
                "OtherSequences"
            ]
        );
        // The seventh test is the fifth.
        assert_eq!((position[4], position[6]), (3, 3));
        assert!(class.methods[3].source.contains("{\n    // 1 (OPEN"), "{}", class.methods[3].source);
    }
}
