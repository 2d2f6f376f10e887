//! Names for the states of a model from what its objects answer: a status (`PAID`), a count (`size 0`), a
//! reference that is null. Labels only have the answers of boolean questions.
//!
//! Every test whose last call leads to a state is continued by each question. An answer names a state if all
//! these tests give it, so names say what was observed, as the model does. States are named by the fewest
//! questions that tell them apart; where answers do not, by a call that one allows and the others refuse.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use adit_attack::EventReader;
use adit_automata::{Fsa, State};
use adit_trace::{
    CallKind, Callable, End, Label, Run, Script, Statement, StepResult, Subject, Value, ValueKind,
};

use crate::witnesses::Witnesses;

/// Most tests that are continued for one state, and most questions.
const SAMPLES: usize = 10;
const QUESTIONS: usize = 12;

/// Most states that are asked; a model with more is not read state by state.
const STATES: usize = 60;

/// Most parts of a name.
const PARTS: usize = 3;

/// Most further parts of a name that only say what was not seen elsewhere.
const ABSENT_PARTS: usize = 2;

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
        for (state, found) in answers(subject, reader, methods, tests, witnesses)? {
            if let Some(known) = facts.get_mut(state) {
                known.extend(found);
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

/// The answers that all tests of a state agree on.
fn answers<S: Subject>(
    subject: &mut S,
    reader: &EventReader,
    methods: &[Arc<Callable>],
    tests: &[(Script, Run)],
    witnesses: &Witnesses,
) -> Result<BTreeMap<State, Facts>, S::Error> {
    let asks = |method: &&Arc<Callable>| {
        let told = !matches!(method.answer, ValueKind::Nothing | ValueKind::Float);
        method.parameters.is_empty() && told && method.kind == CallKind::Method
    };
    let questions: Vec<&Arc<Callable>> = methods.iter().filter(asks).take(QUESTIONS).collect();
    let mut samples: BTreeMap<State, BTreeSet<usize>> = BTreeMap::new();
    for take in &witnesses.takes {
        let of_state = samples.entry(take.to).or_default();
        if of_state.len() < SAMPLES {
            of_state.insert(take.test);
        }
    }
    let (mut asked, mut batch) = (Vec::new(), Vec::new());
    for (&state, of_state) in &samples {
        for &test in of_state {
            let Some((script, run)) = tests.get(test).filter(|(_, run)| run.end == End::Complete) else {
                continue;
            };
            let ends = |trace: &adit_attack::ObjectTrace| {
                trace.threw.is_none() && trace.statements.last() == Some(&(script.statements.len() - 1))
            };
            let Some(trace) = reader.read(script, run).into_iter().find(ends) else { continue };
            for (number, question) in questions.iter().enumerate() {
                asked.push((state, number));
                batch.push(asking(script, trace.object, question));
            }
        }
    }
    let runs = subject.run(&batch)?;
    // For each state and question, the answers of its tests; none if a test gave no answer.
    let mut found: BTreeMap<(State, usize), BTreeSet<Option<Answer>>> = BTreeMap::new();
    for ((state, question), (script, run)) in asked.into_iter().zip(batch.iter().zip(&runs)) {
        found.entry((state, question)).or_default().insert(Answer::of(script, run));
    }
    let mut all: BTreeMap<State, Facts> = BTreeMap::new();
    for ((state, question), answers) in found {
        let answers: Option<BTreeSet<Answer>> = answers.into_iter().collect();
        let method = reader.names().of(questions[question]);
        if let Some(fact) = answers.and_then(|answers| Answer::agreed(&answers, method)) {
            all.entry(state).or_default().insert(method.to_owned(), fact);
        }
    }
    Ok(all)
}

/// The script with a question at its end, and the name of the constant if the answer is one.
fn asking(script: &Script, object: usize, question: &Arc<Callable>) -> Script {
    let mut statements = script.statements.clone();
    statements.push(Statement { callable: question.clone(), receiver: Some(object), args: Vec::new() });
    if question.answer == ValueKind::Object {
        let name = Callable {
            signature: "()Ljava/lang/String;".to_owned(),
            answer: ValueKind::Text,
            ..Callable::new(CallKind::Method, "java.lang.Enum", "name")
        };
        let receiver = Some(statements.len() - 1);
        statements.push(Statement { callable: Arc::new(name), receiver, args: Vec::new() });
    }
    Script { statements }
}

/// An answer to a question, as far as it may tell states apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    Constant(String),
    Truth(bool),
    Number(i64),
    Null,
    NotNull,
}

/// Largest number that a name tells exactly. States that differ in a larger count are usually one.
const SMALL: i64 = 3;

/// Most constants in one part of a name; a state with more is hardly about them.
const CONSTANTS: usize = 3;

impl Answer {
    fn of(script: &Script, run: &Run) -> Option<Self> {
        let last = script.statements.len() - 1;
        let result = |at: usize| run.steps.get(at).map(|step| &step.result);
        let is_named = script.statements[last].callable.owner == "java.lang.Enum";
        let answer = result(if is_named { last - 1 } else { last })?;
        match (answer, result(last)?) {
            (_, StepResult::Returned(Value::Text(name))) if is_named => Some(Self::Constant(name.clone())),
            (StepResult::Returned(Value::Bool(answer)), _) => Some(Self::Truth(*answer)),
            (StepResult::Returned(Value::Null), _) => Some(Self::Null),
            (StepResult::Object { .. } | StepResult::Returned(Value::Text(_)), _) => Some(Self::NotNull),
            (StepResult::Returned(Value::Int(number)), _) => Some(Self::Number(*number)),
            _ => None,
        }
    }

    /// Returns the fact that all answers agree on, if there is one: of numbers, at least their sign; of
    /// constants, at least the few that they are.
    fn agreed(answers: &BTreeSet<Self>, method: &str) -> Option<Fact> {
        let all = |is: fn(i64) -> bool| answers.iter().all(|one| matches!(one, Self::Number(n) if is(*n)));
        let constant = |one: &Self| match one {
            Self::Constant(name) => Some(name.clone()),
            _ => None,
        };
        let constants: Option<Vec<String>> = answers.iter().map(constant).collect();
        let thing = thing(method);
        let (rank, told) = match answers.first()? {
            Self::Constant(_) if answers.len() <= CONSTANTS => (Rank::Constant, constants?.join(" or ")),
            Self::Truth(true) if answers.len() == 1 => (Rank::Boolean, method.to_owned()),
            Self::Truth(false) if answers.len() == 1 => (Rank::Boolean, format!("{NOT}{method}")),
            Self::Null if answers.len() == 1 => (Rank::Reference, format!("no {thing}")),
            Self::NotNull if answers.len() == 1 => (Rank::Reference, format!("has {thing}")),
            Self::Number(n) if answers.len() == 1 && (0..=SMALL).contains(n) => {
                (Rank::Number, format!("{thing} {n}"))
            }
            _ if all(|n| n < 0) => (Rank::Number, format!("{thing} < 0")),
            // The least of a few samples is no bound.
            _ if all(|n| n > 0) => (Rank::Number, format!("{thing} > 0")),
            _ => return None,
        };
        Some(Fact { rank, told })
    }
}

/// Returns the thing that a method asks for: `header` of `getHeader`.
fn thing(method: &str) -> String {
    let rest = method.strip_prefix("get").filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    let Some(rest) = rest else { return method.to_owned() };
    let second = rest.chars().nth(1);
    // `URL` stays as it is.
    if second.is_some_and(|c| c.is_ascii_uppercase()) {
        return rest.to_owned();
    }
    rest[..1].to_ascii_lowercase() + &rest[1..]
}

/// The model with the facts as predicates and its states named by the fewest questions that tell them apart,
/// and these questions.
fn named(model: &Fsa<String>, mut facts: Vec<Facts>) -> (Fsa<String>, Vec<String>) {
    let states: Vec<State> = model.explored_states().filter(|&state| !facts[state].is_empty()).collect();
    tell_constants_apart(&mut facts);
    let questions = questions(&states, &facts);
    let mut builder = model.to_builder();
    let mut names = BTreeMap::new();
    for &state in &states {
        builder.predicates(state, facts[state].values().map(|fact| fact.told.clone()).collect());
        let others: Vec<State> = states.iter().copied().filter(|&other| other != state).collect();
        let name = name(model, state, &others, &questions, &facts);
        if !name.is_empty() {
            names.insert(state, name.join(", "));
        }
    }
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
        if chosen.len() < PARTS && rest.len() < others.len() {
            chosen.extend(told(question));
            others = rest;
        }
    }
    while !others.is_empty() && chosen.len() < PARTS {
        let Some((part, rest)) = by_calls(model, state, &others) else { break };
        chosen.push(part);
        others = rest;
    }
    for _ in 0..ABSENT_PARTS {
        let Some((part, rest)) = by_absence(model, state, &others) else { break };
        chosen.push(part);
        others = rest;
    }
    if chosen.is_empty() {
        // Nothing tells it from any other, and what holds is still worth saying.
        chosen.extend(questions.iter().find_map(told));
    }
    chosen
}

/// A call that tells the state from some of the others, and the others that it does not: one that it allows
/// and they refuse, or the other way round.
fn by_calls(model: &Fsa<String>, state: State, others: &[State]) -> Option<(String, Vec<State>)> {
    let allowed = |state: State| allowed(model, state);
    let refused = |state: State| -> BTreeSet<&str> {
        let refused = model.refusals(state).iter().map(|label| Label::parse(label).method());
        refused.filter(|method| !allowed(state).contains(method)).collect()
    };
    let without = |told: &dyn Fn(State) -> bool| -> Vec<State> {
        others.iter().copied().filter(|&other| !told(other)).collect()
    };
    let mut found: Vec<(Vec<State>, usize, String)> = Vec::new();
    for method in allowed(state) {
        let rest = without(&|other| refused(other).contains(method));
        found.push((rest, method.len(), format!("can {method}")));
    }
    for method in refused(state) {
        let rest = without(&|other| allowed(other).contains(method));
        found.push((rest, method.len() + CANNOT, format!("cannot {method}")));
    }
    let best = found
        .into_iter()
        .min_by(|one, other| (one.0.len(), one.1, &one.2).cmp(&(other.0.len(), other.1, &other.2)))?;
    (best.0.len() < others.len()).then_some((best.2, best.0))
}

/// A call that the state allows and as many of the others as possible do not, or the other way round, and the
/// others that it does not tell apart. They may not refuse it, but block, or nobody saw it succeed there.
fn by_absence(model: &Fsa<String>, state: State, others: &[State]) -> Option<(String, Vec<State>)> {
    let own = labels(model, state);
    let all: Vec<(State, BTreeSet<&str>)> =
        others.iter().map(|&other| (other, labels(model, other))).collect();
    let methods: BTreeSet<&str> = all.iter().flat_map(|(_, other)| other).chain(&own).copied().collect();
    let found = methods.into_iter().map(|method| {
        let has = own.contains(method);
        let rest = all.iter().filter(|(_, other)| other.contains(method) == has).map(|(other, _)| *other);
        let name = format!("{} {method}", if has { "can" } else { "without" });
        (rest.collect::<Vec<State>>(), !has, name)
    });
    let best = found.filter(|(rest, ..)| rest.len() < others.len()).min_by(|one, other| {
        (one.0.len(), one.1, one.2.len(), &one.2).cmp(&(other.0.len(), other.1, other.2.len(), &other.2))
    });
    best.map(|(rest, _, name)| (name, rest))
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

/// Letters by which a refusal is the longer name, so that what is possible comes first.
const CANNOT: usize = 100;

#[cfg(test)]
mod tests {
    use adit_automata::Builder;
    use expect_test::expect;

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
    fn answers_agree_as_far_as_they_do() {
        let agreed = |answers: &[Answer], method: &str| {
            let fact = Answer::agreed(&answers.iter().cloned().collect(), method);
            fact.map_or_else(|| "-".to_owned(), |fact| fact.told)
        };
        let numbers = |all: &[i64]| all.iter().copied().map(Answer::Number).collect::<Vec<_>>();
        assert_eq!(agreed(&numbers(&[2]), "getSize"), "size 2");
        assert_eq!(agreed(&numbers(&[4]), "size"), "size > 0");
        assert_eq!(agreed(&numbers(&[2, 5]), "size"), "size > 0");
        assert_eq!(agreed(&numbers(&[1, 7]), "size"), "size > 0");
        assert_eq!(agreed(&numbers(&[0, 7]), "size"), "-");
        assert_eq!(agreed(&numbers(&[-1, -5]), "getIndex"), "index < 0");
        assert_eq!(agreed(&[Answer::Null], "getHeader"), "no header");
        assert_eq!(agreed(&[Answer::NotNull], "getURL"), "has URL");
        assert_eq!(agreed(&[Answer::Null, Answer::NotNull], "getHeader"), "-");
        assert_eq!(agreed(&[Answer::Constant("PAID".to_owned())], "getStatus"), "PAID");
        // One state for several constants says which.
        let constants = |names: &[&str]| -> Vec<Answer> {
            names.iter().map(|name| Answer::Constant((*name).to_owned())).collect()
        };
        assert_eq!(agreed(&constants(&["SHIPPED", "PAID"]), "getStatus"), "PAID or SHIPPED");
        assert_eq!(agreed(&constants(&["A", "B", "C", "D"]), "getStatus"), "-");
        assert_eq!(agreed(&[Answer::Constant("A".to_owned()), Answer::Null], "getStatus"), "-");
        assert_eq!(agreed(&[Answer::Truth(false)], "isOpen"), "not isOpen");
        assert_eq!(agreed(&[], "isOpen"), "-");
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
