//! Names for the states of a model from what its objects answer: a status (`PAID`), a count (`size = 0`), a
//! reference that is null. Labels only have the answers of boolean questions.
//!
//! Every test whose last call leads to a state is continued by each question. An answer names a state if all
//! these tests give it, so names say what was observed, as the model does. A state is named by the fewest
//! answers that tell it from the others; where answers do not, by a call that it allows and they do not.

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

/// Prefix of a predicate that does not hold.
const NOT: &str = "not ";

/// Asks objects in every state, and names the states. `methods` only ask, as far as is known.
pub(crate) fn with_facts<S: Subject>(
    subject: &mut S,
    model: &Fsa<String>,
    reader: &EventReader,
    methods: &[Arc<Callable>],
    tests: &[(Script, Run)],
    witnesses: &Witnesses,
) -> Result<Fsa<String>, S::Error> {
    let mut facts: Vec<BTreeSet<String>> =
        model.states().map(|state| model.predicates(state).iter().cloned().collect()).collect();
    if model.explored_states().count() <= STATES {
        for (state, found) in answers(subject, reader, methods, tests, witnesses)? {
            if let Some(known) = facts.get_mut(state) {
                known.extend(found);
            }
        }
    }
    Ok(named(model, &facts))
}

/// The answers that all tests of a state agree on.
fn answers<S: Subject>(
    subject: &mut S,
    reader: &EventReader,
    methods: &[Arc<Callable>],
    tests: &[(Script, Run)],
    witnesses: &Witnesses,
) -> Result<BTreeMap<State, Vec<String>>, S::Error> {
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
    let mut found: BTreeMap<(State, usize), BTreeSet<Option<Answered>>> = BTreeMap::new();
    for ((state, question), (script, run)) in asked.into_iter().zip(batch.iter().zip(&runs)) {
        found.entry((state, question)).or_default().insert(Answered::of(script, run));
    }
    let mut all: BTreeMap<State, Vec<String>> = BTreeMap::new();
    for ((state, question), answers) in found {
        if let [Some(answer)] = &answers.into_iter().collect::<Vec<_>>()[..] {
            let method = reader.names().of(questions[question]);
            all.entry(state).or_default().push(answer.told(method));
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

/// An answer, as far as it may tell states apart. Of numbers only the sign counts, because states that differ
/// in a count are usually one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Answered {
    Constant(String),
    Yes,
    No,
    Negative,
    Zero,
    Positive,
    Null,
    NotNull,
}

impl Answered {
    fn of(script: &Script, run: &Run) -> Option<Self> {
        let last = script.statements.len() - 1;
        let result = |at: usize| run.steps.get(at).map(|step| &step.result);
        let is_named = script.statements[last].callable.owner == "java.lang.Enum";
        let answer = result(if is_named { last - 1 } else { last })?;
        match (answer, result(last)?) {
            (_, StepResult::Returned(Value::Text(name))) if is_named => Some(Self::Constant(name.clone())),
            (StepResult::Returned(Value::Bool(answer)), _) => {
                Some(if *answer { Self::Yes } else { Self::No })
            }
            (StepResult::Returned(Value::Null), _) => Some(Self::Null),
            (StepResult::Object { .. } | StepResult::Returned(Value::Text(_)), _) => Some(Self::NotNull),
            (StepResult::Returned(Value::Int(0)), _) => Some(Self::Zero),
            (StepResult::Returned(Value::Int(number)), _) => {
                Some(if *number < 0 { Self::Negative } else { Self::Positive })
            }
            _ => None,
        }
    }

    fn told(&self, method: &str) -> String {
        match self {
            Self::Constant(name) => name.clone(),
            Self::Yes => method.to_owned(),
            Self::No => format!("{NOT}{method}"),
            Self::Negative => format!("{method} < 0"),
            Self::Zero => format!("{method} = 0"),
            Self::Positive => format!("{method} > 0"),
            Self::Null => format!("{method} = null"),
            Self::NotNull => format!("{method} ≠ null"),
        }
    }
}

/// The model with the facts as predicates and its states named by the fewest of them. A predicate that holds
/// in every state tells nothing.
fn named(model: &Fsa<String>, facts: &[BTreeSet<String>]) -> Fsa<String> {
    let states: Vec<State> = model.explored_states().filter(|&state| !facts[state].is_empty()).collect();
    let mut builder = model.to_builder();
    for &state in &states {
        builder.predicates(state, facts[state].iter().cloned().collect());
        let others: Vec<State> = states.iter().copied().filter(|&other| other != state).collect();
        let name = name(model, state, &others, facts);
        if !name.is_empty() {
            builder.name(state, name.join(", "));
        }
    }
    builder.build()
}

fn name(model: &Fsa<String>, state: State, others: &[State], facts: &[BTreeSet<String>]) -> Vec<String> {
    let mut left: Vec<State> = others.to_vec();
    let mut chosen: Vec<String> = Vec::new();
    // A constant is the plainest name, then what holds, then what does not, then counts and references.
    let rank = |fact: &String| match fact {
        fact if fact.starts_with(NOT) => 2,
        fact if fact.contains(" = ")
            || fact.contains(" ≠ ")
            || fact.contains(" > ")
            || fact.contains(" < ") =>
        {
            3
        }
        fact if fact.chars().next().is_some_and(char::is_uppercase) => 0,
        _ => 1,
    };
    while chosen.len() < PARTS && !left.is_empty() {
        let shared = |fact: &String| left.iter().filter(|&&other| facts[other].contains(fact)).count();
        let candidates =
            facts[state].iter().filter(|fact| !chosen.contains(fact) && shared(fact) < left.len());
        let Some(best) =
            candidates.min_by_key(|fact| (rank(fact) != 0, shared(fact), rank(fact), fact.len(), *fact))
        else {
            break;
        };
        let best = best.clone();
        left.retain(|&other| facts[other].contains(&best));
        chosen.push(best);
    }
    if !left.is_empty() && chosen.len() < PARTS {
        chosen.extend(by_calls(model, state, &left));
    }
    chosen
}

/// A call that tells the state from the others: one that it allows and none of them does, or the other way
/// round.
fn by_calls(model: &Fsa<String>, state: State, others: &[State]) -> Option<String> {
    let allowed = |state: State| -> BTreeSet<&str> {
        let returned = model.edges(state).map(|edge| Label::parse(edge.label));
        returned.filter(|label| label.threw().is_none()).map(Label::method).collect()
    };
    let refused = |state: State| -> BTreeSet<&str> {
        model.refusals(state).iter().map(|label| Label::parse(label).method()).collect()
    };
    let shortest = |methods: BTreeSet<&str>| {
        methods.into_iter().min_by_key(|method| (method.len(), *method)).map(str::to_owned)
    };
    let (mine, mut theirs) = (allowed(state), refused(others[0]));
    others.iter().for_each(|&other| theirs = &theirs & &refused(other));
    if let Some(method) = shortest(&mine & &theirs) {
        return Some(format!("can {method}"));
    }
    let mut theirs = allowed(others[0]);
    others.iter().for_each(|&other| theirs = &theirs & &allowed(other));
    shortest(&refused(state) & &theirs).map(|method| format!("cannot {method}"))
}

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
        let facts: Vec<BTreeSet<String>> =
            facts.map(|text| text.split_whitespace().map(|fact| fact.replace('_', " ")).collect()).into();
        let model = named(&builder.build(), &facts);
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
}
