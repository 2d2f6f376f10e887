//! Names for the states of a model from what its objects answer: a status (`PAID`), a count (`size 0`), a
//! reference that is null. Labels only have the answers of boolean questions.
//!
//! Every test whose last call leads to a state is continued by each question. An answer names a state if all
//! these tests give it, so names say what was observed, as the model does. States are named by the fewest
//! questions that tell them apart; where answers do not, by a call that one allows and the others refuse, or
//! by what leads there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use adit_attack::EventReader;
use adit_automata::{Fsa, State};
use adit_trace::{Callable, Label, Run, Script, Subject};

use crate::witnesses::Witnesses;
use answers::{answers, thing};

mod answers;

/// Most states that are asked; a model with more is not read state by state.
const STATES: usize = 60;

/// Most answers in a name.
const ANSWERS: usize = 3;

/// Most calls that are looked at for a pair that tells a state from others.
const PAIRED: usize = 24;

/// Prefix of a predicate that does not hold.
const NOT: &str = "not ";

/// Facts about a state: for each question, its answer as a part of a name.
type Facts = BTreeMap<String, Fact>;

/// The answer to a question in a state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fact {
    rank: Rank,
    told: String,
}

/// Kinds of answers, the plainest names first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Constant,
    Boolean,
    Reference,
    Number,
    /// A condition on fields. It is for those who look closer; an answer is a better name.
    Field,
}

/// A model with names of its states, and the methods whose answers tell them apart.
pub(crate) type NamedModel = (Fsa<String>, Vec<Arc<Callable>>);

/// Asks objects in every state, and names the states. `methods` only ask, as far as is known. Returns the
/// model, and those methods whose answers tell its states apart.
pub(crate) fn with_facts<S: Subject>(
    subject: &mut S,
    model: &Fsa<String>,
    reader: &EventReader,
    methods: &[Arc<Callable>],
    tests: &[(Script, Run)],
    witnesses: &Witnesses,
) -> Result<NamedModel, S::Error> {
    let mut facts = known(model);
    if model.explored_states().count() <= STATES {
        for (state, question, fact) in answers(subject, model, reader, methods, tests, witnesses)? {
            let Some(known) = facts.get_mut(state) else { continue };
            match fact {
                Some(fact) => drop(known.insert(question, fact)),
                // Objects that the search took for one state differ in it.
                None => drop(known.remove(&question)),
            }
        }
    }
    let (model, questions) = named(model, facts);
    let telling = methods.iter().filter(|method| {
        method.parameters.is_empty() && questions.iter().any(|question| question == reader.names().of(method))
    });
    Ok((model, telling.cloned().collect()))
}

/// Names the states of a model by their predicates alone.
pub(crate) fn with_names(model: &Fsa<String>) -> Fsa<String> {
    named(model, known(model)).0
}

/// The predicates of each state as facts.
fn known(model: &Fsa<String>) -> Vec<Facts> {
    let fact = |told: &String| {
        let question = told.strip_prefix(NOT).unwrap_or(told).to_owned();
        let rank = if told.contains("this.") { Rank::Field } else { Rank::Boolean };
        (question, Fact { rank, told: told.clone() })
    };
    model.states().map(|state| model.predicates(state).iter().map(fact).collect()).collect()
}

/// The model with the facts as predicates and its states named by the fewest questions that tell them apart,
/// and these questions.
fn named(model: &Fsa<String>, mut facts: Vec<Facts>) -> (Fsa<String>, Vec<String>) {
    // Before its creation an object is in no state, unless calls lead back there.
    let is_object = |state: &State| !model.initial().contains(state) || !facts[*state].is_empty();
    let states: Vec<State> = model.explored_states().filter(is_object).collect();
    tell_constants_apart(&mut facts);
    let questions = questions(&states, &facts);
    let mut builder = model.to_builder();
    let mut names = BTreeMap::new();
    for &state in &states {
        if !facts[state].is_empty() {
            builder.predicates(state, facts[state].values().map(|fact| fact.told.clone()).collect());
        }
        let others: Vec<State> = states.iter().copied().filter(|&other| other != state).collect();
        let name = name(model, state, &others, &questions, &facts);
        if !name.is_empty() {
            names.insert(state, name.join(", "));
        }
    }
    tell_by_arrival(model, &mut names);
    numbered(&mut names);
    names.into_iter().for_each(|(state, name)| builder.name(state, name));
    (builder.build(), questions)
}

/// Adds the question to a constant that answers several questions: `mode NONE` and `status NONE`.
fn tell_constants_apart(facts: &mut [Facts]) {
    let mut asked: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (question, fact) in facts.iter().flatten() {
        asked.entry(fact.told.clone()).or_default().insert(question.clone());
    }
    for (question, fact) in facts.iter_mut().flatten() {
        if fact.rank == Rank::Constant && asked.get(&fact.told).is_some_and(|questions| questions.len() > 1) {
            fact.told = format!("{} {}", thing(question), fact.told);
        }
    }
}

/// Returns true if two states answer a question differently.
fn differ(facts: &[Facts], question: &str, one: State, other: State) -> bool {
    match (facts[one].get(question), facts[other].get(question)) {
        (Some(one), Some(other)) => one != other,
        _ => false,
    }
}

/// The fewest questions that tell all pairs of states apart that any question tells apart, chosen greedily. A
/// question with constants comes first, because they are names already.
fn questions(states: &[State], facts: &[Facts]) -> Vec<String> {
    let ranks: BTreeMap<&String, Rank> = states
        .iter()
        .flat_map(|&state| &facts[state])
        .map(|(question, fact)| (question, fact.rank))
        .collect();
    let mut pairs: Vec<(State, State)> = Vec::new();
    for (at, &one) in states.iter().enumerate() {
        pairs.extend(states[at + 1..].iter().map(|&other| (one, other)));
    }
    let mut chosen: Vec<String> = Vec::new();
    loop {
        let gain = |question: &str| pairs.iter().filter(|(a, b)| differ(facts, question, *a, *b)).count();
        let candidates = ranks.iter().map(|(&question, &rank)| (question, rank, gain(question)));
        let best = candidates.filter(|(.., gain)| *gain > 0).min_by_key(|(question, rank, gain)| {
            let last = (*rank != Rank::Constant, *rank == Rank::Field);
            (last, std::cmp::Reverse(*gain), *rank, question.len(), *question)
        });
        let Some((best, ..)) = best else { return chosen };
        pairs.retain(|(a, b)| !differ(facts, best, *a, *b));
        chosen.push(best.clone());
    }
}

/// The parts of a state's name: one answer if that is enough, else as many as it takes, and a call where
/// answers do not tell it from the others.
fn name(
    model: &Fsa<String>,
    state: State,
    others: &[State],
    questions: &[String],
    facts: &[Facts],
) -> Vec<String> {
    let told = |question: &String| facts[state].get(question).map(|fact| fact.told.clone());
    let left = |question: &str, others: &[State]| -> Vec<State> {
        others.iter().copied().filter(|&other| !differ(facts, question, state, other)).collect()
    };
    // A constant is never left out, so that states with the same one are seen to belong together.
    let has_constant = facts[state].iter().any(|(question, fact)| {
        fact.rank == Rank::Constant && questions.first().is_some_and(|first| first == question)
    });
    let candidates = if has_constant { &questions[..1] } else { questions };
    if let Some(alone) = candidates.iter().find(|question| left(question, others).is_empty()) {
        return told(alone).into_iter().collect();
    }
    let mut chosen = Vec::new();
    let mut others = others.to_vec();
    for question in questions {
        let rest = left(question, &others);
        if chosen.len() < ANSWERS && rest.len() < others.len() {
            chosen.extend(told(question));
            others = rest;
        }
    }
    chosen.extend(by_calls(model, state, &others));
    if chosen.is_empty() {
        // Nothing tells it from any other, and what holds is still worth saying.
        chosen.extend(questions.iter().find_map(told));
    }
    chosen
}

/// A call that tells a state from others.
struct Telling {
    part: String,
    /// The others that it does not tell the state from.
    rest: BTreeSet<State>,
    /// Rank: a call that others refuse comes before one that the state refuses, and last comes one that
    /// nobody saw succeed.
    kind: u8,
    /// The number of overloads that it stands for. The more a method has, the more the class is about it.
    overloads: usize,
}

impl Telling {
    /// The plainest first.
    fn rank(&self) -> (u8, std::cmp::Reverse<usize>, usize, &str) {
        (self.kind, std::cmp::Reverse(self.overloads), self.part.len(), &self.part)
    }
}

/// The fewest calls that tell a state from the others: one or two, or the two that leave the fewest others.
fn by_calls(model: &Fsa<String>, state: State, others: &[State]) -> Vec<String> {
    if others.is_empty() {
        return Vec::new();
    }
    let mut telling = telling_calls(model, state, others);
    telling.sort_by(|one, other| (one.rest.len(), one.rank()).cmp(&(other.rest.len(), other.rank())));
    telling.truncate(PAIRED);
    let alone = telling.iter().map(|one| (one.rest.len(), vec![one]));
    let pairs = telling.iter().enumerate().flat_map(|(at, one)| {
        telling[at + 1..]
            .iter()
            .map(move |other| (one.rest.intersection(&other.rest).count(), vec![one, other]))
    });
    let best = alone.chain(pairs).min_by(|(least, one), (other_least, other)| {
        let kinds = |parts: &[&Telling]| parts.iter().map(|one| one.kind).sum::<u8>();
        let plain = (least, one.len(), kinds(one)).cmp(&(other_least, other.len(), kinds(other)));
        plain.then_with(|| one.iter().map(|one| one.rank()).cmp(other.iter().map(|one| one.rank())))
    });
    best.into_iter().flat_map(|(_, parts)| parts).map(|one| one.part.clone()).collect()
}

/// Every call that tells a state from some of the others: one that it allows and they refuse, or the other
/// way round, or one that was seen to succeed only here or only there.
fn telling_calls(model: &Fsa<String>, state: State, others: &[State]) -> Vec<Telling> {
    let refused = |state: State| -> BTreeSet<&str> {
        let refused = model.refusals(state).iter().map(|label| Label::parse(label).method());
        refused.filter(|method| !allowed(model, state).contains(method)).collect()
    };
    let calls = |state: State| Calls {
        allowed: allowed(model, state),
        refused: refused(state),
        labels: labels(model, state),
    };
    let own = calls(state);
    let others: Vec<(State, Calls<'_>)> = others.iter().map(|&other| (other, calls(other))).collect();
    let mut found = Vec::new();
    let mut add = |kind: u8, overloads: usize, part: String, tells: &dyn Fn(&Calls<'_>) -> bool| {
        let rest = others.iter().filter(|(_, calls)| !tells(calls)).map(|(other, _)| *other);
        let rest: BTreeSet<State> = rest.collect();
        if rest.len() < others.len() {
            found.push(Telling { part, rest, kind, overloads });
        }
    };
    for method in &own.allowed {
        add(0, 1, format!("can {method}"), &|other| other.refused.contains(method));
    }
    for method in &own.refused {
        add(1, 1, format!("cannot {method}"), &|other| other.allowed.contains(method));
    }
    for (name, all) in overloads(model) {
        if all.is_subset(&own.allowed) {
            add(0, all.len(), format!("can {name}"), &|other| all.is_subset(&other.refused));
        } else if all.is_subset(&own.refused) {
            add(1, all.len(), format!("cannot {name}"), &|other| all.is_subset(&other.allowed));
        }
    }
    let all = others.iter().flat_map(|(_, calls)| &calls.labels).chain(&own.labels);
    for label in all.copied().collect::<BTreeSet<&str>>() {
        match own.labels.contains(label) {
            true => add(2, 1, format!("can {label}"), &|other| !other.labels.contains(label)),
            false => add(3, 1, format!("without {label}"), &|other| other.labels.contains(label)),
        }
    }
    found
}

/// The methods with several overloads, by name: `read()` and `read(byte[])` of `read`.
fn overloads(model: &Fsa<String>) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut all: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for label in model.alphabet().iter().map(|label| Label::parse(label)) {
        all.entry(label.name()).or_default().insert(label.method());
    }
    all.retain(|_, methods| methods.len() > 1);
    all
}

/// Methods that a state allows and refuses, and the labels of those that it allows.
struct Calls<'m> {
    allowed: BTreeSet<&'m str>,
    refused: BTreeSet<&'m str>,
    labels: BTreeSet<&'m str>,
}

/// The methods that returned in a state, and their answers.
fn labels(model: &Fsa<String>, state: State) -> BTreeSet<&str> {
    let answers = model.edges(state).map(|edge| edge.label.as_str());
    let answers = answers.filter(|label| Label::parse(label).answer().is_some());
    allowed(model, state).into_iter().chain(answers).collect()
}

/// The methods that returned in a state.
fn allowed(model: &Fsa<String>, state: State) -> BTreeSet<&str> {
    let returned = model.edges(state).map(|edge| Label::parse(edge.label));
    returned.filter(|label| label.threw().is_none()).map(Label::method).collect()
}

/// Adds to names that several states have what leads to one of them only: its creation, or a call.
fn tell_by_arrival(model: &Fsa<String>, names: &mut BTreeMap<State, String>) {
    let mut alike: BTreeMap<&String, Vec<State>> = BTreeMap::new();
    names.iter().for_each(|(&state, name)| alike.entry(name).or_default().push(state));
    let alike: Vec<Vec<State>> = alike.into_values().filter(|states| states.len() > 1).collect();
    let mut arrivals: BTreeMap<State, BTreeSet<String>> = BTreeMap::new();
    for edge in model.all_edges().filter(|edge| edge.from != edge.to) {
        let is_new = model.initial().contains(&edge.from);
        let part = if is_new { "new".to_owned() } else { format!("after {}", edge.label) };
        arrivals.entry(edge.to).or_default().insert(part);
    }
    let of = |state: &State| arrivals.get(state).into_iter().flatten();
    for states in alike {
        for &state in &states {
            let is_own = |part: &&String| {
                states.iter().all(|other| *other == state || !of(other).any(|one| one == *part))
            };
            let shortest = of(&state).filter(is_own).min_by_key(|part| (part.as_str() != "new", part.len()));
            if let (Some(part), Some(name)) = (shortest, names.get_mut(&state)) {
                *name = format!("{name}, {part}");
            }
        }
    }
}

/// Numbers the states that nothing tells apart, so that a name means one state.
fn numbered(names: &mut BTreeMap<State, String>) {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for name in names.values_mut() {
        let unique =
            (1..).map(|number| if number == 1 { name.clone() } else { format!("{name} ({number})") });
        if let Some(free) = { unique }.find(|one| !taken.contains(one)) {
            taken.insert(free.clone());
            *name = free;
        }
    }
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;
    use expect_test::expect;

    use super::answers::Answer;
    use super::*;

    #[test]
    fn a_state_has_the_fewest_facts_that_tell_it_from_others() {
        let mut builder = Builder::new();
        (0..6).for_each(|_| _ = builder.state(true));
        builder.initial(0);
        for (from, label, to) in [
            (0, "Order", 1),
            (1, "addItem", 2),
            (2, "pay", 3),
            (3, "ship", 4),
            (4, "deliver", 5),
            (4, "split", 3),
        ] {
            builder.edge(from, label.to_owned(), to);
        }
        builder.refusals(3, vec!["split!IllegalStateException".to_owned()]);
        let facts = [
            "",
            "OPEN isEmpty not_isPaid",
            "OPEN not_isEmpty not_isPaid",
            "PAID isPaid not_isEmpty",
            "PAID isPaid not_isEmpty",
            "DELIVERED isPaid not_isEmpty",
        ];
        let fact = |text: &str| {
            let told = text.replace('_', " ");
            let rank = if told.starts_with(char::is_uppercase) { Rank::Constant } else { Rank::Boolean };
            let question = if rank == Rank::Constant { "getStatus" } else { told.trim_start_matches(NOT) };
            (question.to_owned(), Fact { rank, told: told.clone() })
        };
        let facts: Vec<Facts> = facts.map(|text| text.split_whitespace().map(fact).collect()).into();
        let (model, questions) = named(&builder.build(), facts);
        assert_eq!(questions, ["getStatus", "isEmpty"]);
        let names: String = model
            .states()
            .map(|state| format!("{}: {}\n", state, model.name(state).unwrap_or("-")))
            .collect();
        expect![[r#"
            0: -
            1: OPEN, isEmpty
            2: OPEN, not isEmpty
            3: PAID, cannot split
            4: PAID, can split
            5: DELIVERED
        "#]]
        .assert_eq(&names);
    }

    #[test]
    fn names_are_unique() {
        let truth = |answer: bool| {
            let fact = Answer::agreed(&BTreeSet::from([Answer::Truth(answer)]), "isFair").unwrap();
            Facts::from([("isFair".to_owned(), fact)])
        };
        let mut builder = Builder::new();
        (0..6).for_each(|_| _ = builder.state(true));
        builder.initial(0);
        // A call that blocks in a state is neither allowed nor refused there.
        for (from, label, to) in [
            (0, "Semaphore", 1),
            (1, "acquire", 2),
            (1, "drain", 2),
            (2, "release", 1),
            (3, "drain", 3),
            (4, "drain", 4),
            (4, "tryAcquire:FALSE", 4),
            (3, "tryAcquire:FALSE", 3),
            (3, "tryAcquire:TRUE", 3),
            (5, "acquire", 5),
        ] {
            builder.edge(from, label.to_owned(), to);
        }
        let facts = vec![Facts::new(), truth(false), truth(false), truth(false), truth(false), truth(true)];
        assert_eq!(
            told(&named(&builder.build(), facts).0),
            [
                "-",
                "not isFair, can acquire",
                "not isFair, can release",
                "not isFair, can tryAcquire:TRUE",
                "not isFair, can tryAcquire, without tryAcquire:TRUE",
                "isFair"
            ]
        );
    }

    #[test]
    fn states_that_allow_the_same_are_told_apart_by_what_leads_there() {
        let phase = |name: &str| {
            let fact = Fact { rank: Rank::Constant, told: name.to_owned() };
            Facts::from([("phase".to_owned(), fact)])
        };
        let mut builder = Builder::new();
        (0..6).for_each(|_| _ = builder.state(true));
        builder.initial(0);
        // The second signature is the one that counts, and nothing tells the two ends apart.
        for (from, label, to) in
            [(0, "Lease", 1), (1, "sign", 2), (2, "sign", 3), (3, "end", 4), (3, "end", 5)]
        {
            builder.edge(from, label.to_owned(), to);
        }
        let phases = ["OFFERED", "OFFERED", "SIGNED", "ENDED", "ENDED"].map(phase);
        let facts = [Facts::new()].into_iter().chain(phases).collect();
        assert_eq!(
            told(&named(&builder.build(), facts).0),
            ["-", "OFFERED, new", "OFFERED, after sign", "SIGNED", "ENDED", "ENDED (2)"]
        );
    }

    #[test]
    fn without_answers_calls_name_the_states() {
        let mut builder = Builder::new();
        (0..3).for_each(|_| _ = builder.state(true));
        builder.initial(0);
        for (from, label, to) in
            [(0, "Reader", 1), (1, "mark", 1), (1, "read()", 1), (1, "read(char[])", 1), (1, "close", 2)]
        {
            builder.edge(from, label.to_owned(), to);
        }
        builder.refusals(2, ["mark!E", "read()!E", "read(char[])!E"].map(str::to_owned).into());
        let (model, questions) = named(&builder.build(), vec![Facts::new(); 3]);
        assert!(questions.is_empty());
        // Reading is what the class is about, although `mark` is shorter.
        assert_eq!(told(&model), ["-", "can read", "cannot read"]);
    }

    fn told(model: &Fsa<String>) -> Vec<&str> {
        model.states().map(|state| model.name(state).unwrap_or("-")).collect()
    }

    #[test]
    fn the_fewest_questions_name_all_states() {
        let number = |question: &str, n: i64| {
            let fact = Answer::agreed(&BTreeSet::from([Answer::Number(n)]), question).unwrap();
            (question.to_owned(), fact)
        };
        let truth = |question: &str, answer: bool| {
            let fact = Answer::agreed(&BTreeSet::from([Answer::Truth(answer)]), question).unwrap();
            (question.to_owned(), fact)
        };
        let mut builder: Builder<String> = Builder::new();
        (0..4).for_each(|_| _ = builder.state(true));
        builder.initial(0);
        let facts = vec![
            Facts::new(),
            Facts::from([number("size", 0), truth("isEmpty", true)]),
            Facts::from([number("size", 1), truth("isEmpty", false)]),
            Facts::from([number("size", 2), truth("isEmpty", false)]),
        ];
        // One question instead of two, although another one alone would name one of them.
        assert_eq!(told(&named(&builder.build(), facts).0), ["-", "size 0", "size 1", "size 2"]);
        let mut builder: Builder<String> = Builder::new();
        (0..3).for_each(|_| _ = builder.state(true));
        builder.initial(0);
        let facts = vec![
            Facts::new(),
            Facts::from([truth("hasMoreElements", true), truth("hasMoreTokens", true)]),
            Facts::from([truth("hasMoreElements", false), truth("hasMoreTokens", false)]),
        ];
        assert_eq!(told(&named(&builder.build(), facts).0), ["-", "hasMoreTokens", "not hasMoreTokens"]);
    }

    #[test]
    fn a_constant_that_answers_two_questions_says_which() {
        let none =
            |question: &str| (question.to_owned(), Fact { rank: Rank::Constant, told: "NONE".to_owned() });
        let mut facts = vec![Facts::from([none("getMode"), none("getStatus")])];
        tell_constants_apart(&mut facts);
        assert_eq!(facts[0]["getMode"].told, "mode NONE");
        assert_eq!(facts[0]["getStatus"].told, "status NONE");
    }
}
