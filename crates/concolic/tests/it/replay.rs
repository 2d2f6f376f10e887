//! One call of a script, for all arguments.

use std::sync::Arc;

use adit_concolic::{CallEnd, CallPath, InterpreterLimits, OpenCall, Replayer};
use adit_learn::regions::Regions;
use adit_learn::value;
use adit_smt::{Arena, Frugal, Missing, Model};
use adit_trace::{
    Argument, CallKind, Callable, End, Run, Script, Statement, Step, StepResult, Value, ValueKind,
};

use crate::jdk::Jdk;

const SHELF: &str = "
public class Shelf {
    private final int[] items;
    private int size;
    public Shelf(int capacity) { items = new int[capacity]; }
    public void add(int item) {
        if (size == items.length) throw new IllegalStateException();
        items[size++] = item;
    }
    public int get(int index) {
        if (index < 0 || index >= size) throw new IndexOutOfBoundsException();
        return items[index];
    }
    public boolean isFull() { return size == items.length; }
}";

fn call(
    kind: CallKind,
    name: &str,
    signature: &str,
    receiver: Option<usize>,
    args: &[Argument],
) -> Statement {
    let callable = Callable {
        signature: signature.to_owned(),
        answer: if signature.ends_with('Z') { ValueKind::Bool } else { ValueKind::Nothing },
        ..Callable::new(kind, "Shelf", name)
    };
    Statement { callable: Arc::new(callable), receiver, args: args.to_vec() }
}

fn run(results: Vec<StepResult>) -> Run {
    let steps = results.into_iter().map(Step::new).collect();
    Run { steps, end: End::Complete, leaked: false, passed: None }
}

/// The end of the call and of its question for one number as the argument.
fn ends(opened: &OpenCall, arena: &Arena, number: i64) -> (CallEnd, Option<CallEnd>) {
    let parameter = &opened.parameters[0];
    let model = Model::from_iter([(parameter.var, value(parameter.kind.sort(), number))]);
    let holds = |path: &&CallPath| arena.satisfies(&model, &[path.condition]) == Ok(true);
    let taken: Vec<&CallPath> = opened.paths.iter().filter(holds).collect();
    assert_eq!(taken.len(), 1, "paths exclude each other and cover {number}");
    (taken[0].end.clone(), taken[0].answer.clone())
}

#[test]
fn a_call_is_known_for_all_arguments() {
    let Some(jdk) = Jdk::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Shelf.java");
    std::fs::write(&source, SHELF).unwrap();
    jdk.compile(&[source], folder.path());
    let path = jdk.class_path(folder.path());
    let limits = InterpreterLimits { open_lengths: true, ..InterpreterLimits::USUAL };
    let mut replayer = Replayer::new(&path, limits);
    let mut solver = Frugal::new(Regions::new(Missing));
    let made = call(CallKind::Constructor, "Shelf", "(I)V", None, &[Argument::Int(2)]);
    let added = call(CallKind::Method, "add", "(I)V", Some(0), &[Argument::Int(7)]);
    let asked = call(CallKind::Method, "isFull", "()Z", Some(0), &[]);
    let got = call(CallKind::Method, "get", "(I)I", Some(0), &[Argument::Int(0)]);
    let object = || StepResult::Object { class: "Shelf".into(), first: 0 };
    let script = Script { statements: vec![made.clone(), added] };
    let recorded = run(vec![object(), StepResult::Returned(Value::Void)]);

    // A capacity that is not known, and a question that tells full objects from others.
    let mut arena = Arena::new();
    let nothing = replayer.replay(&script, &recorded, 0).unwrap();
    let opened = replayer.open(&mut arena, &mut solver, &nothing, &made, Some(&asked), &mut || true).unwrap();
    for capacity in [-5, -1, 0, 1, 7, 100, 101, 5_000] {
        let expected = if capacity < 0 {
            (CallEnd::Threw("java.lang.NegativeArraySizeException".to_owned()), None)
        } else {
            (CallEnd::Returned(None), Some(CallEnd::Returned(Some(capacity == 0))))
        };
        assert_eq!(ends(&opened, &arena, capacity), expected, "a capacity of {capacity}");
    }

    let mut arena = Arena::new();
    let one = replayer.replay(&script, &recorded, 2).unwrap();
    let opened = replayer.open(&mut arena, &mut solver, &one, &got, None, &mut || true).unwrap();
    for index in [-1, 0, 1, 2, 100] {
        let expected = if index == 0 {
            CallEnd::Returned(None)
        } else {
            CallEnd::Threw("java.lang.IndexOutOfBoundsException".to_owned())
        };
        assert_eq!(ends(&opened, &arena, index), (expected, None), "an index of {index}");
    }

    // A machine that did something else.
    let other = run(vec![object(), StepResult::threw("java.lang.IllegalStateException")]);
    assert!(replayer.replay(&script, &other, 2).is_err());
}
