//! The order of calls in a few sentences: `nextInt` is refused after `close`, or there is no order at all.
//!
//! Nobody reads the transitions of a model with many states. Which calls are refused, and since when, is what
//! users of a class must know, and a few sentences say it. Every sentence is checked on the whole model
//! before it is said:
//!
//! * *m is refused when q is false*: wherever `q` answers false, it leads only to states that refuse `m`, and
//!   where it answers true, it leads to some that do not;
//! * *m is refused after e, until f*: `e` leads only to states that refuse `m`, and from there only `f` leads
//!   to states that do not. Where `e` was not explored in some states, the sentence says so;
//! * *m is refused before the first f*: the same with the events that create an object.
//!
//! The sentences that cover the most states are chosen first. Methods with the same sentence share it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use adit_automata::{Fsa, State};
use adit_picture::legible;
use adit_trace::Label;

/// Maximum number of sentences.
const MAX_SENTENCES: usize = 12;

/// Maximum number of sentences about one method.
const MAX_OF_METHOD: usize = 2;

/// Maximum number of methods, and of events that end a refusal, that a sentence names.
const MAX_NAMES: usize = 5;
const MAX_ENDS: usize = 3;

/// Returns sentences about the calls that a model refuses, the most important first.
pub(crate) fn refusals(model: &Fsa<String>) -> Vec<String> {
    let protocol = Protocol::of(model);
    // The methods, and the number of states, of each sentence.
    let mut tails: BTreeMap<String, (Vec<&str>, usize)> = BTreeMap::new();
    for (&method, refusing) in &protocol.refusing {
        for (tail, states) in protocol.sentences(refusing) {
            let known = tails.entry(tail).or_default();
            known.0.push(method);
            known.1 += states;
        }
    }
    let mut all: Vec<(String, Vec<&str>, usize)> =
        tails.into_iter().map(|(tail, (methods, states))| (tail, methods, states)).collect();
    all.sort_by(|one, other| (Reverse(one.2), &one.0).cmp(&(Reverse(other.2), &other.0)));
    let more = all.len().saturating_sub(MAX_SENTENCES);
    let mut sentences: Vec<String> = all.iter().take(MAX_SENTENCES).map(sentence).collect();
    if more > 0 {
        sentences.push(format!("and {more} more; `adit show --all` lists what each state refuses"));
    }
    sentences
}

fn sentence((tail, methods, _): &(String, Vec<&str>, usize)) -> String {
    let are = if methods.len() == 1 { "is" } else { "are" };
    format!("{} {are} refused {tail}", list(methods, MAX_NAMES, "and"))
}

/// Returns true if the model says nothing about the order of calls: every method is possible in every state
/// of an object, and no answer of a method ever changes.
pub(crate) fn is_free(model: &Fsa<String>) -> bool {
    let protocol = Protocol::of(model);
    let states = &protocol.states;
    let Some(first) = states.first() else { return false };
    let methods = |state: State| -> BTreeSet<&str> { protocol.allowed[state].keys().copied().collect() };
    let same_methods = states.iter().all(|&state| methods(state) == methods(*first));
    let is_state = |state: State| states.contains(&state);
    let mut inner = model.all_edges().filter(|edge| is_state(edge.from));
    let unchanged =
        inner.all(|edge| is_state(edge.to) && protocol.allowed[edge.from] == protocol.allowed[edge.to]);
    let nothing_refused = protocol.refusing.is_empty() && never_worked(model).is_empty();
    !methods(*first).is_empty() && nothing_refused && same_methods && unchanged
}

/// Returns true if no call ever changes what an object can do: it was made so, and stays so.
pub(crate) fn is_immutable(model: &Fsa<String>) -> bool {
    let is_object = |state: State| !model.initial().contains(&state);
    let mut inner = model.all_edges().filter(|edge| is_object(edge.from)).peekable();
    inner.peek().is_some() && inner.all(|edge| edge.from == edge.to)
}

/// Returns the number of kinds of new objects: states that the creation of an object leads to.
pub(crate) fn kinds_of_objects(model: &Fsa<String>) -> usize {
    let creations = model.initial().iter().flat_map(|&state| model.steps(state));
    creations.map(|step| step.to).collect::<BTreeSet<_>>().len()
}

/// Returns the methods that no state of the model allows and some refuse. They never worked, so that a state
/// that refuses them says nothing about itself.
pub(crate) fn never_worked(model: &Fsa<String>) -> BTreeSet<String> {
    let refused = model.states().flat_map(|state| model.refusals(state)).map(String::as_str);
    let refused: BTreeSet<&str> = refused.map(|label| Label::parse(label).method()).collect();
    let returned =
        model.all_edges().map(|edge| Label::parse(edge.label)).filter(|label| label.threw().is_none());
    let worked: BTreeSet<&str> = returned.map(Label::method).collect();
    refused.difference(&worked).map(|&method| method.to_owned()).collect()
}

/// Returns the model without the refusals of methods that never worked.
pub(crate) fn without_never_worked(model: &Fsa<String>) -> Fsa<String> {
    let never = never_worked(model);
    if never.is_empty() {
        return model.clone();
    }
    let mut builder = model.to_builder();
    for state in model.states() {
        let refused = model.refusals(state).iter();
        let kept = refused.filter(|label| !never.contains(Label::parse(label).method()));
        builder.refusals(state, kept.cloned().collect());
    }
    builder.build()
}

/// What each state of a model allows and refuses.
struct Protocol<'m> {
    model: &'m Fsa<String>,
    /// The states of an object: all but those before its creation and the place that was not explored.
    states: BTreeSet<State>,
    /// For each state, the methods that can succeed there, with the answers that they can give.
    allowed: Vec<BTreeMap<&'m str, BTreeSet<Option<bool>>>>,
    /// For each method that is refused somewhere and worked elsewhere, the states that refuse it.
    refusing: BTreeMap<&'m str, BTreeSet<State>>,
    /// For each event that changes the state, where it leads from and to.
    leads: BTreeMap<&'m str, BTreeSet<(State, State)>>,
    /// The states in which a method always gives one answer and changes nothing.
    answering: BTreeMap<(&'m str, bool), BTreeSet<State>>,
    /// The place that was not explored, and the states from which only it is reached and that refuse nothing:
    /// there was no time to look at them.
    unknown: BTreeSet<State>,
}

impl<'m> Protocol<'m> {
    fn of(model: &'m Fsa<String>) -> Self {
        let mut is_entered = vec![false; model.len()];
        let mut allowed = vec![BTreeMap::<&str, BTreeSet<Option<bool>>>::new(); model.len()];
        let mut throwing = vec![BTreeSet::new(); model.len()];
        let mut leads: BTreeMap<&str, BTreeSet<(State, State)>> = BTreeMap::new();
        for edge in model.all_edges() {
            is_entered[edge.to] = true;
            let label = Label::parse(edge.label);
            if label.threw().is_some() {
                throwing[edge.from].insert(label.method());
            } else {
                allowed[edge.from].entry(label.method()).or_default().insert(label.answer());
            }
            leads.entry(edge.label).or_default().insert((edge.from, edge.to));
        }
        let is_before = |state: &State| model.initial().contains(state) && !is_entered[*state];
        let states: BTreeSet<State> = model.explored_states().filter(|state| !is_before(state)).collect();
        let mut refusing: BTreeMap<&str, BTreeSet<State>> = BTreeMap::new();
        let mut answering: BTreeMap<(&str, bool), BTreeSet<State>> = BTreeMap::new();
        for &state in &states {
            let recorded = model.refusals(state).iter().map(|label| Label::parse(label).method());
            for method in recorded.chain(throwing[state].iter().copied()) {
                if !allowed[state].contains_key(method) {
                    refusing.entry(method).or_default().insert(state);
                }
            }
            let leaving = model.edges(state).filter(|edge| edge.to != state);
            let changing: BTreeSet<&str> = leaving.map(|edge| Label::parse(edge.label).method()).collect();
            for (&method, answers) in allowed[state].iter().filter(|(method, _)| !changing.contains(*method))
            {
                if let [Some(answer)] = answers.iter().copied().collect::<Vec<_>>()[..] {
                    answering.entry((method, answer)).or_default().insert(state);
                }
            }
        }
        let worked: BTreeSet<&str> = allowed.iter().flat_map(|methods| methods.keys().copied()).collect();
        refusing.retain(|method, _| worked.contains(method));
        let place = model.not_explored();
        let is_unknown = |state: &State| {
            let mut steps = model.edges(*state).peekable();
            let is_left = steps.peek().is_some() && model.refusals(*state).is_empty();
            is_left && place.is_some() && steps.all(|edge| Some(edge.to) == place)
        };
        let unknown = model.states().filter(is_unknown).chain(place).collect();
        Self { model, states, allowed, refusing, leads, answering, unknown }
    }

    /// Returns what can be said about a method that `refusing` states refuse, without the method, and for how
    /// many states it is said.
    fn sentences(&self, refusing: &BTreeSet<State>) -> Vec<(String, usize)> {
        let mut candidates = self.by_answers(refusing);
        candidates.extend(self.before_the_first(refusing));
        candidates.extend(self.after_events(refusing));
        let (mut left, mut chosen) = (refusing.clone(), Vec::new());
        while chosen.len() < MAX_OF_METHOD && !left.is_empty() {
            // Of equally good ones the first, because answers are plainer than events.
            let gain = |one: &Candidate| one.covers.intersection(&left).count();
            let best =
                candidates.iter().enumerate().max_by_key(|(at, one)| (gain(one), Reverse((one.ends, *at))));
            let Some((_, best)) = best.filter(|(_, one)| gain(one) > 0) else { break };
            chosen.push((best.tail.clone(), gain(best)));
            left.retain(|state| !best.covers.contains(state));
        }
        chosen
    }

    /// *when q is false*.
    fn by_answers(&self, refusing: &BTreeSet<State>) -> Vec<Candidate> {
        let is_true = |method: &str, answer: bool| {
            let is_of =
                |label: &Label<'_>, answer: bool| label.method() == method && label.answer() == Some(answer);
            let leads = |answer: bool| {
                let events = self.leads.iter().filter(move |(event, _)| is_of(&Label::parse(event), answer));
                events.flat_map(|(_, steps)| steps.iter().map(|(_, to)| to))
            };
            leads(answer).all(|to| refusing.contains(to))
                && leads(!answer).any(|to| self.states.contains(to) && !refusing.contains(to))
        };
        let told = self.answering.iter().filter(|((method, answer), _)| is_true(method, *answer));
        told.map(|((method, answer), states)| Candidate {
            tail: format!("when `{}` is {answer}", legible(method)),
            covers: states.clone(),
            ends: 0,
        })
        .collect()
    }

    /// *before the first f*.
    fn before_the_first(&self, refusing: &BTreeSet<State>) -> Option<Candidate> {
        let before = self.model.explored_states().filter(|state| !self.states.contains(state));
        let first: BTreeSet<State> =
            before.flat_map(|state| self.model.steps(state)).map(|step| step.to as State).collect();
        if first.is_empty() || !first.is_subset(refusing) {
            return None;
        }
        let (covers, ends) = self.region(first, refusing);
        let names: Vec<&str> = ends.keys().copied().collect();
        (1..=MAX_ENDS).contains(&names.len()).then(|| Candidate {
            tail: format!("before the first {}", list(&names, MAX_ENDS, "or")),
            covers,
            ends: names.len(),
        })
    }

    /// *after e, until f*, for each event that begins a refusal.
    fn after_events(&self, refusing: &BTreeSet<State>) -> Vec<Candidate> {
        let begins = |steps: &BTreeSet<(State, State)>| {
            let known = || steps.iter().filter(|(_, to)| !self.unknown.contains(to));
            known().all(|(_, to)| refusing.contains(to)) && known().any(|(from, _)| !refusing.contains(from))
        };
        let events = self.leads.iter().filter(|(_, steps)| begins(steps));
        let candidates = events.filter_map(|(event, steps)| {
            let known = steps.iter().map(|(_, to)| *to).filter(|to| !self.unknown.contains(to));
            let (covers, ends) = self.region(known.collect(), refusing);
            let mut is_partial = steps.iter().any(|(_, to)| self.unknown.contains(to));
            let mut names: Vec<&str> = ends.keys().copied().collect();
            // Where much was not explored, what was not is no end.
            if is_partial || names.len() > MAX_ENDS {
                names.retain(|name| ends[name]);
                is_partial |= names.len() < ends.len();
            }
            let until = match names.len() {
                0 => String::new(),
                _ => format!(", until {}", list(&names, MAX_ENDS, "or")),
            };
            // What ends in many ways, as far as is known, says little.
            if is_partial && names.len() > MAX_ENDS {
                return None;
            }
            let as_far = if is_partial { ", as far as that was explored" } else { "" };
            let tail = format!("after `{}`{until}{as_far}", legible(event));
            Some(Candidate { tail, covers, ends: names.len() })
        });
        candidates.collect()
    }

    /// Returns the states that can be reached from `first` without leaving `refusing`, and the events that
    /// leave them: true for one that leads to a state that was looked at.
    fn region(
        &self,
        first: BTreeSet<State>,
        refusing: &BTreeSet<State>,
    ) -> (BTreeSet<State>, BTreeMap<&'m str, bool>) {
        let (mut region, mut ends) = (first.clone(), BTreeMap::new());
        let mut todo: Vec<State> = first.into_iter().collect();
        while let Some(state) = todo.pop() {
            for edge in self.model.edges(state) {
                if !refusing.contains(&edge.to) {
                    *ends.entry(edge.label.as_str()).or_default() |= !self.unknown.contains(&edge.to);
                } else if region.insert(edge.to) {
                    todo.push(edge.to);
                }
            }
        }
        (region, ends)
    }
}

/// A sentence that is true, and the states that it is about.
struct Candidate {
    tail: String,
    covers: BTreeSet<State>,
    /// Number of events that end what it says.
    ends: usize,
}

/// Returns names in a sentence: `a`, `b` and 3 more.
fn list(names: &[&str], most: usize, last: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", legible(name))).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [before @ .., end] if quoted.len() <= most => format!("{} {last} {end}", before.join(", ")),
        all => format!("{} {last} {} more", all[..most - 1].join(", "), all.len() - (most - 1)),
    }
}

#[cfg(test)]
mod tests {
    use adit_automata::{Builder, Modality, NOT_EXPLORED};
    use expect_test::{Expect, expect};

    use super::*;

    /// A model from lines such as `0 open 1`, `1 refuses read!E`, and `1 commit ?` for what was not explored.
    fn model(text: &str) -> Fsa<String> {
        let mut builder = Builder::new();
        let number = |word: &str| word.parse::<usize>().ok();
        let most = text.split_whitespace().filter_map(number).max().unwrap();
        (0..=most).for_each(|_| _ = builder.state(true));
        builder.initial(0);
        let (mut refused, mut place) = (BTreeMap::<usize, Vec<String>>::new(), None);
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let [from, what, to] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let from = number(from).unwrap();
            match (what, to) {
                ("refuses", label) => refused.entry(from).or_default().push(label.to_owned()),
                (label, "?") => {
                    let to = *place.get_or_insert_with(|| builder.state(true));
                    builder.name(to, NOT_EXPLORED.to_owned());
                    builder.modal_edge(from, label.to_owned(), to, Modality::Maybe);
                }
                (label, to) => builder.edge(from, label.to_owned(), number(to).unwrap()),
            }
        }
        refused.into_iter().for_each(|(state, labels)| builder.refusals(state, labels));
        builder.build()
    }

    fn check(text: &str, expect: Expect) {
        let sentences = refusals(&model(text));
        expect.assert_eq(&sentences.iter().map(|sentence| format!("{sentence}\n")).collect::<String>());
    }

    #[test]
    fn what_is_refused_after_an_event() {
        check(
            "0 Reader 1\n1 read 1\n1 skip 1\n1 close 2\n2 close 2\n2 refuses read!E\n2 refuses skip!E",
            expect![[r#"
                `read` and `skip` are refused after `close`
            "#]],
        );
        // `reset` ends the refusal.
        check(
            "0 Reader 1\n1 read 1\n1 mark 2\n2 refuses read!E\n2 reset 1\n1 reset 1",
            expect![[r#"
                `read` is refused after `mark`, until `reset`
            "#]],
        );
    }

    #[test]
    fn an_event_that_also_leads_elsewhere_begins_nothing() {
        // After `next` there may or may not be more, and only the answer tells.
        check(
            "0 new 1\n0 new 2\n1 next 1\n1 next 2\n1 more:TRUE 1\n2 more:FALSE 2\n2 refuses next!E",
            expect![[r#"
                `next` is refused when `more` is false
            "#]],
        );
        check("0 new 1\n0 new 2\n1 next 1\n1 next 2\n2 refuses next!E\n1 other 1", expect![[r#""#]]);
    }

    #[test]
    fn what_was_not_explored_is_no_evidence() {
        // Where `more` is true a number may follow, which was not explored in state 2.
        check("0 new 1\n0 new 2\n1 more:TRUE 1\n2 more:TRUE ?\n2 next 2\n1 refuses next!E", expect![[r#""#]]);
        // The answer says nothing if `next` is refused after both.
        check(
            "0 new 1\n0 new 2\n0 new 3\n1 more:TRUE 1\n2 more:FALSE 2\n3 next 3\n1 refuses next!E\n2 refuses next!E",
            expect![[r#""#]],
        );
        check(
            "0 new 1\n0 new 2\n1 read 1\n2 read 2\n1 close 3\n2 close ?\n3 refuses read!E",
            expect![[r#"
                `read` is refused after `close`, as far as that was explored
            "#]],
        );
    }

    #[test]
    fn what_is_refused_before_the_first() {
        check(
            "0 list 1\n1 next 2\n2 next 2\n2 remove 3\n3 next 2\n1 refuses remove!E\n3 refuses remove!E",
            expect![[r#"
                `remove` is refused after `remove`, until `next`
                `remove` is refused before the first `next`
            "#]],
        );
        // Not every object begins there.
        check(
            "0 list 1\n0 copy 2\n1 next 2\n2 next 2\n2 remove 2\n1 refuses remove!E",
            expect![[r#"
                `remove` is refused after `list`, until `next`
            "#]],
        );
    }

    #[test]
    fn what_was_not_explored_may_end_a_refusal() {
        check(
            "0 new 1\n1 run 1\n1 stop 2\n2 refuses run!E\n2 purge ?",
            expect![[r#"
                `run` is refused after `stop`, until `purge`
            "#]],
        );
    }

    #[test]
    fn a_state_that_nobody_looked_at_is_no_evidence() {
        // State 3 allows what is not known, and from state 2 many calls lead there.
        let text = "0 new 1\n1 read 1\n1 close 2\n1 skip 3\n3 close ?\n2 refuses read!E\n2 a 3\n2 b 3\n2 c 3\n2 d 3\n3 x ?";
        check(
            text,
            expect![[r#"
                `read` is refused after `close`, as far as that was explored
            "#]],
        );
    }

    #[test]
    fn methods_that_never_worked_are_no_refusals() {
        let text = "0 new 1\n1 read 1\n1 close 2\n2 refuses read!E\n2 refuses init!K\n1 refuses init!K";
        check(
            text,
            expect![[r#"
                `read` is refused after `close`
            "#]],
        );
        let model = model(text);
        assert_eq!(never_worked(&model), BTreeSet::from(["init".to_owned()]));
        let without = without_never_worked(&model);
        assert_eq!((without.refusals(1).len(), without.refusals(2)), (0, &["read!E".to_owned()][..]));
        assert_eq!(without.transitions(), model.transitions());
    }

    #[test]
    fn many_methods_and_many_sentences_are_counted() {
        let mut text = "0 new 1\n1 close 2\n".to_owned();
        for method in 0..9 {
            text += &format!("1 m{method} 1\n2 refuses m{method}!E\n");
        }
        check(
            &text,
            expect![[r#"
                `m0`, `m1`, `m2`, `m3` and 5 more are refused after `close`
            "#]],
        );
        let mut text = "0 new 1\n".to_owned();
        for state in 2..20 {
            text +=
                &format!("1 go{state} {state}\n1 m{state} 1\n{state} refuses m{state}!E\n{state} back 1\n");
        }
        let sentences = refusals(&model(&text));
        assert_eq!(sentences.len(), MAX_SENTENCES + 1);
        assert!(sentences.last().unwrap().starts_with("and 6 more"), "{sentences:?}");
    }

    #[test]
    fn a_class_without_protocol() {
        let is_free = |text: &str| super::is_free(&model(text));
        assert!(is_free("0 of 1\n1 plus 1\n1 isZero:TRUE 1\n1 isZero:FALSE 1"));
        // Two kinds of objects, which never become each other.
        assert!(is_free("0 of 1\n0 of 2\n1 isLeap:TRUE 1\n2 isLeap:FALSE 2\n1 plus 1\n2 plus 2"));
        // An answer changes.
        assert!(!is_free("0 of 1\n1 isDone:FALSE 1\n1 run 2\n2 isDone:TRUE 2\n2 run 2"));
        // Something is refused, or possible only at times, or not known.
        assert!(!is_free("0 of 1\n1 read 1\n1 close 2\n2 close 2\n2 refuses read!E"));
        assert!(!is_free("0 of 1\n1 read 1\n1 close 2\n2 close 2"));
        assert!(!is_free("0 of 1\n1 read 1\n1 close ?"));
        assert!(!is_free("0 of 1\n1 open 1\n1 refuses close!Stuck"));
        assert!(!is_free("0 of 1"));
    }

    #[test]
    fn objects_that_never_change() {
        let is_immutable = |text: &str| super::is_immutable(&model(text));
        // The last day of all has no day after it.
        let days = "0 of 1\n0 of 2\n1 plusDays 1\n1 getYear 1\n2 getYear 2\n2 refuses plusDays!E";
        assert!(is_immutable(days));
        assert_eq!(kinds_of_objects(&model(days)), 2);
        assert!(!is_immutable("0 of 1\n1 plusDays 2\n2 getYear 2"));
        assert!(!is_immutable("0 of 1\n1 getYear 1\n1 plusDays ?"));
        assert!(!is_immutable("0 of 1"));
    }
}
