//! Answers of objects in the states of a model.
//!
//! Tests that lead into a state are continued by each question, in a run of its own. A fact is what all tests
//! of a state agree on, so that it is true of every object that was seen there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use adit_attack::{EventReader, ObjectTrace};
use adit_automata::{Fsa, Reader, State};
use adit_trace::{CallKind, Callable, End, Run, Script, Statement, StepResult, Subject, Value, ValueKind};

use super::{Fact, NOT, Rank};
use crate::witnesses::Witnesses;

/// Most tests that are continued for one state, and most questions.
const SAMPLES: usize = 10;
const QUESTIONS: usize = 12;

/// A state, a question, and the fact that all objects agree on, if they do.
type Answered = (State, String, Option<Fact>);

/// Asks objects in each state, and returns for each question the fact that all of them agree on, or none.
pub(super) fn answers<S: Subject>(
    subject: &mut S,
    model: &Fsa<String>,
    reader: &EventReader,
    methods: &[Arc<Callable>],
    tests: &[(Script, Run)],
    witnesses: &Witnesses,
) -> Result<Vec<Answered>, S::Error> {
    let asks = |method: &&Arc<Callable>| {
        // The sign of a hash says nothing.
        let told =
            !matches!(method.answer, ValueKind::Nothing | ValueKind::Float) && method.name != "hashCode";
        method.parameters.is_empty() && told && method.kind == CallKind::Method
    };
    let questions: Vec<&Arc<Callable>> = methods.iter().filter(asks).take(QUESTIONS).collect();
    let (mut asked, mut batch) = (Vec::new(), Vec::new());
    for (state, of_state) in samples(model, reader, tests, witnesses) {
        for Sample { script, object } in of_state {
            for (number, question) in questions.iter().enumerate() {
                asked.push((state, number));
                batch.push(asking(&script, object, question));
            }
        }
    }
    let runs = subject.run(&batch)?;
    // For each state and question, the answers of its tests; none if a test gave no answer.
    let mut found: BTreeMap<(State, usize), BTreeSet<Option<Answer>>> = BTreeMap::new();
    for ((state, question), (script, run)) in asked.into_iter().zip(batch.iter().zip(&runs)) {
        found.entry((state, question)).or_default().insert(Answer::of(script, run));
    }
    let agreed = |((state, question), answers): ((State, usize), BTreeSet<Option<Answer>>)| {
        let answers: Option<BTreeSet<Answer>> = answers.into_iter().collect();
        let method = reader.names().of(questions[question]);
        (state, method.to_owned(), answers.and_then(|answers| Answer::agreed(&answers, method)))
    };
    Ok(found.into_iter().map(agreed).collect())
}

/// Calls that make an object and bring it into a state.
struct Sample {
    script: Script,
    object: usize,
}

/// Tests that lead into each state: those that show its transitions, and others whose objects were made by
/// other calls. A state that merges objects of several constructors is named after none of them.
fn samples(
    model: &Fsa<String>,
    reader: &EventReader,
    tests: &[(Script, Run)],
    witnesses: &Witnesses,
) -> BTreeMap<State, Vec<Sample>> {
    let mut all: BTreeMap<State, Vec<Sample>> = BTreeMap::new();
    let mut shown: BTreeMap<State, BTreeSet<usize>> = BTreeMap::new();
    let mut made: BTreeSet<(State, String)> = BTreeSet::new();
    let maker = |script: &Script, object: usize| {
        let Statement { callable, args, .. } = &script.statements[object];
        format!("{}{} {args:?}", callable.name, callable.signature)
    };
    for take in &witnesses.takes {
        let of_state = shown.entry(take.to).or_default();
        if of_state.len() >= SAMPLES || !of_state.insert(take.test) {
            continue;
        }
        let Some((script, run)) = tests.get(take.test).filter(|(_, run)| run.end == End::Complete) else {
            continue;
        };
        let ends = |trace: &ObjectTrace| {
            trace.threw.is_none() && trace.statements.last() == Some(&(script.statements.len() - 1))
        };
        let Some(trace) = reader.read(script, run).into_iter().find(ends) else { continue };
        made.insert((take.to, maker(script, trace.object)));
        all.entry(take.to).or_default().push(Sample { script: script.clone(), object: trace.object });
    }
    let letters = model.letters(reader.alphabet().names());
    let mut states = Reader::new(model);
    for (script, run) in tests.iter().filter(|(_, run)| run.end == End::Complete && !run.leaked) {
        for trace in reader.read(script, run) {
            states.back_to(0);
            for (&at, &letter) in trace.statements.iter().zip(&trace.word) {
                if !states.step(letters[letter as usize]) {
                    break;
                }
                let [state] = *states.states() else { continue };
                let of_state = all.entry(state).or_default();
                if of_state.len() < 2 * SAMPLES && made.insert((state, maker(script, trace.object))) {
                    let script = Script { statements: script.statements[..=at].to_vec() };
                    of_state.push(Sample { script, object: trace.object });
                }
            }
        }
    }
    all
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
pub(super) enum Answer {
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
        let at = if is_named { last - 1 } else { last };
        let answer = result(at)?;
        // A number or a truth value that a method returns as an object is what somebody gave it.
        let is_kept = script.statements[at].callable.answer == ValueKind::Object;
        match (answer, result(last)?) {
            (StepResult::Returned(Value::Bool(_) | Value::Int(_)), _) if is_kept => Some(Self::NotNull),
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
    pub(super) fn agreed(answers: &BTreeSet<Self>, method: &str) -> Option<Fact> {
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
pub(super) fn thing(method: &str) -> String {
    let rest = method.strip_prefix("get").filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    let Some(rest) = rest else { return method.to_owned() };
    let second = rest.chars().nth(1);
    // `URL` stays as it is.
    if second.is_some_and(|c| c.is_ascii_uppercase()) {
        return rest.to_owned();
    }
    rest[..1].to_ascii_lowercase() + &rest[1..]
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
