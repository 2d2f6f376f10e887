//! Sequences of calls on every component: the interpreter against HotSpot.

use std::collections::BTreeMap;
use std::sync::Arc;

use adit_bytecode::{ClassPath, Flags, Method, Type};
use adit_concolic::{
    Completion, Concrete, InterpreterLimits, Linker, Machine, MachineState, Run, Word, summarize,
};
use adit_learn::compiled::Compiled;
use adit_learn::{Component, Kind, WordOutcome};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::jdk::{self, Jdk};
use crate::learning::solver;

/// A call by its descriptor, with its arguments.
pub(crate) struct Call {
    pub(crate) name: Arc<str>,
    pub(crate) descriptor: Arc<str>,
    pub(crate) arguments: Vec<i64>,
}

/// Values at which components change their minds, and some others.
const INTERESTING: [i64; 14] =
    [0, 1, -1, 2, 3, 4, 5, 7, 100, 1000, -1000, 100_000, 0x7fff_ffff, -0x8000_0000];

fn value(kind: &Type, random: &mut ChaCha8Rng) -> i64 {
    let wide = if random.random_bool(0.8) {
        INTERESTING[random.random_range(0..INTERESTING.len())]
    } else {
        random.random::<i64>()
    };
    match kind {
        Type::Boolean => wide & 1,
        Type::Byte => i64::from(wide as i8),
        Type::Short => i64::from(wide as i16),
        Type::Char => i64::from(wide as u16),
        Type::Int => i64::from(wide as i32),
        Type::Long => wide,
        _ => 0,
    }
}

pub(crate) fn sequence(methods: &[&Method], random: &mut ChaCha8Rng) -> Vec<Call> {
    let call = |method: &Method, random: &mut ChaCha8Rng| Call {
        name: method.name.clone(),
        descriptor: method.descriptor.clone(),
        arguments: method.signature().parameters.iter().map(|kind| value(kind, random)).collect(),
    };
    let (constructors, others): (Vec<&Method>, Vec<&Method>) =
        methods.iter().partition(|method| method.is_constructor());
    let mut calls = vec![call(constructors[random.random_range(0..constructors.len())], random)];
    for _ in 0..random.random_range(1..12) {
        calls.push(call(others[random.random_range(0..others.len())], random));
    }
    calls
}

/// Outcomes of the interpreter, spelled as the driver does.
pub(crate) fn interpret(linker: &mut Linker<'_>, class: &str, calls: &[Call]) -> String {
    let (mut machine, mut state) = (Machine::new(), MachineState::new());
    let limits = InterpreterLimits { steps: 20_000, ..InterpreterLimits::USUAL };
    let id = linker.class(class).unwrap();
    let mut receiver = None;
    let mut said = Vec::new();
    for call in calls {
        let method = linker.own_method(id, &call.name, &call.descriptor).unwrap();
        let mut slots: Vec<Word<()>> = receiver.into_iter().map(Word::plain).collect();
        for (kind, &value) in
            adit_bytecode::Signature::parse(&call.descriptor).unwrap().parameters.iter().zip(&call.arguments)
        {
            slots.push(Word::plain(value));
            slots.extend((kind.slots() == 2).then(|| Word::plain(0)));
        }
        let run = Run { linker, state: &mut state, domain: &mut Concrete, limits: &limits };
        let completion = if receiver.is_none() {
            let (object, completion) = machine.construct(run, method, &slots);
            receiver = matches!(completion, Completion::Returned(_)).then_some(i64::from(object.0));
            completion
        } else {
            machine.call(run, method, &slots)
        };
        said.push(match completion {
            Completion::Returned(Some(word)) => word.bits.to_string(),
            Completion::Returned(None) => "ok".to_owned(),
            Completion::Threw(class) => format!("!{}", linker.class_name(class)),
            Completion::Unknown(reason) => format!("?{reason}"),
        });
        if receiver.is_none() {
            break;
        }
    }
    said.join(";")
}

/// Checks that the summaries predict the outcome of each call up to the first exception, or say that they
/// cannot. Returns how many they predicted.
pub(crate) fn assert_predicted(
    calls: &[Call],
    said: &str,
    component: &Component,
    compiled: &mut Compiled,
) -> usize {
    let mut fields = component.initial();
    let mut predicted = 0;
    for (call, said) in calls.iter().zip(said.split(';')) {
        let is_called = |at: &usize| {
            let method = &component.methods[*at];
            let plain = method.name.split('(').next().unwrap();
            let same_name = plain == &*call.name || (&*call.name == "<init>" && plain == component.class);
            let kinds = adit_bytecode::Signature::parse(&call.descriptor).unwrap().parameters;
            same_name
                && method.parameters.len() == kinds.len()
                && kinds
                    .iter()
                    .zip(&method.parameters)
                    .all(|(kind, parameter)| same_kind(kind, parameter.kind))
        };
        let method = (0..component.methods.len()).find(is_called).unwrap();
        let (path, outcome) = compiled.take(method, &call.arguments, &mut fields);
        assert!(path.is_some(), "no path of {} covers {:?}", call.name, call.arguments);
        match outcome {
            WordOutcome::Unknown => return predicted,
            WordOutcome::Ok => {
                assert!(!said.starts_with('!'), "{}: {} {:?}", component.class, call.name, call.arguments)
            }
            WordOutcome::Error => {
                assert!(said.starts_with('!'), "{}: {} {:?}", component.class, call.name, call.arguments);
                return predicted + 1;
            }
        }
        predicted += 1;
    }
    predicted
}

fn same_kind(kind: &Type, known: Kind) -> bool {
    match kind {
        Type::Boolean => known == Kind::Boolean,
        Type::Byte => known == Kind::Byte,
        Type::Char => known == Kind::Char,
        Type::Short => known == Kind::Short,
        Type::Long => known == Kind::Long,
        _ => known == Kind::Int,
    }
}

fn components(path: &ClassPath) -> Vec<String> {
    let names = path.names();
    let ours = names
        .into_iter()
        .filter(|name| !name.contains('/') && !name.contains('$') && name != "Driver" && name != "Gate");
    ours.collect()
}

#[test]
fn components_behave_as_on_hotspot() {
    let Some(jdk) = Jdk::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut sources = jdk::java_files(&jdk::interfaces());
    sources.push(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/Driver.java"));
    jdk.compile(&sources, folder.path());
    let path = jdk.class_path(folder.path());
    let mut linker = Linker::new(&path);
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let (mut solver, mut predicted) = (solver(), 0);
    let (mut input, mut ours) = (String::new(), Vec::new());
    for name in components(&path) {
        let class = path.class(&name).unwrap();
        let mut summary = solver.as_mut().map(|solver| {
            let component = summarize(&path, &name, InterpreterLimits::USUAL, solver, &mut || true).unwrap();
            (Compiled::new(&component), component)
        });
        let is_called = |method: &&Method| method.flags.has(Flags::PUBLIC) && &*method.name != "<clinit>";
        let methods: Vec<&Method> = class.methods.iter().filter(is_called).collect();
        for _ in 0..150 {
            let mut calls = sequence(&methods, &mut random);
            // Only even numbers end there.
            calls.iter_mut().filter(|call| &*call.name == "spin").for_each(|call| call.arguments[0] &= 0x1fe);
            input += &name;
            for call in &calls {
                let parameters = call.descriptor.split(')').next().unwrap();
                let arguments: String = call.arguments.iter().map(|value| format!(" {value}")).collect();
                input += &format!(";{}{parameters}){arguments}", call.name);
            }
            input += "\n";
            ours.push(interpret(&mut linker, &name, &calls));
            if let Some((compiled, component)) = &mut summary {
                predicted += assert_predicted(&calls, ours.last().unwrap(), component, compiled);
            }
        }
    }
    assert!(solver.is_none() || predicted > 2_000, "only {predicted} calls were predicted");
    let theirs = jdk.run(folder.path(), "Driver", &input);
    let mut outcomes = BTreeMap::new();
    for ((line, ours), theirs) in input.lines().zip(&ours).zip(theirs.lines()) {
        assert_eq!(ours, theirs, "{line}");
        for outcome in ours.split(';') {
            let kind = if outcome.starts_with('!') { "exception" } else { "return" };
            *outcomes.entry(kind).or_insert(0) += 1;
        }
    }
    assert_eq!(theirs.lines().count(), ours.len());
    assert!(outcomes.values().all(|&count| count > 1000), "{outcomes:?}");
}
