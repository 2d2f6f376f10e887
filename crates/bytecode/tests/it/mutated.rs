//! Mutants run on a real virtual machine, which verifies them.

use std::fs;

use adit_bytecode::mutate::{CallMutation, Change, Receiver, mutate};
use adit_bytecode::{Class, Instruction, MemberRef};

use crate::jdk::Jdk;

const SOURCE: &str = "\
import java.util.ArrayDeque;

public class Mutant {
    public static void main(String[] arguments) {
        ArrayDeque<String> queue = new ArrayDeque<>();
        queue.push(arguments.length > 0 ? \"a\" : \"b\");
        System.out.println(queue.size());
        try {
            System.out.println(queue.pop());
        } catch (java.util.NoSuchElementException e) {
            System.out.println(\"line \" + e.getStackTrace()[2].getLineNumber());
        }
    }
}
";

/// Runs the class with one change, and returns its output and the changed class.
fn run(jdk: &Jdk, change: impl Fn(&Class) -> Option<CallMutation>) -> (String, Class) {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Mutant.java");
    fs::write(&source, SOURCE).unwrap();
    jdk.compile(&[&source], folder.path(), &["-g"]);
    let file = folder.path().join("Mutant.class");
    let bytes = fs::read(&file).unwrap();
    let class = Class::parse(&bytes, "Mutant").unwrap();
    let changed = mutate(&bytes, "Mutant", change(&class).as_ref()).unwrap().unwrap();
    fs::write(&file, &changed).unwrap();
    let output = jdk.java().arg("-cp").arg(folder.path()).arg("Mutant").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (String::from_utf8(output.stdout).unwrap(), Class::parse(&changed, "Mutant").unwrap())
}

/// The method `main` and the first call of this name in it.
fn call(class: &Class, name: &str) -> (usize, usize) {
    let method = class.methods.iter().position(|method| &*method.name == "main").unwrap();
    let code = class.methods[method].code.as_ref().unwrap();
    let is_call = |(_, one): &(u32, Instruction)| matches!(one, Instruction::Invoke(_, member) if &*member.name == name);
    (method, code.instructions.iter().position(is_call).unwrap())
}

#[test]
fn a_call_is_left_out() {
    let Some(jdk) = Jdk::find() else { return };
    assert_eq!(run(&jdk, |_| None).0, "1\nb\n");
    let (output, class) = run(&jdk, |class| {
        let (method, at) = call(class, "push");
        Some(CallMutation { method, at, change: Change::Suppress })
    });
    // The lines are the numbers of instructions, so that the trace names the call.
    let (method, at) = call(&class, "pop");
    let code = class.methods[method].code.as_ref().unwrap();
    let line = code.line_at(code.instructions[at].0).unwrap();
    assert_eq!(output, format!("0\nline {line}\n"));
}

#[test]
fn a_call_is_added() {
    let Some(jdk) = Jdk::find() else { return };
    let (output, _) = run(&jdk, |class| {
        let (method, at) = call(class, "size");
        let code = class.methods[method].code.as_ref().unwrap();
        let queue = code.variables.iter().find(|variable| &*variable.name == "queue").unwrap();
        let target = MemberRef {
            class: "java/util/ArrayDeque".into(),
            name: "clear".into(),
            descriptor: "()V".into(),
            in_interface: false,
        };
        let change = Change::Inject { receiver: Receiver::Local(queue.slot), target };
        Some(CallMutation { method, at, change })
    });
    assert!(output.starts_with("1\nline "), "{output}");
}

#[test]
fn only_calls_can_be_changed() {
    let Some(jdk) = Jdk::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Mutant.java");
    fs::write(&source, SOURCE).unwrap();
    jdk.compile(&[&source], folder.path(), &["-g"]);
    let bytes = fs::read(folder.path().join("Mutant.class")).unwrap();
    let class = Class::parse(&bytes, "Mutant").unwrap();
    let (method, _) = call(&class, "push");
    let mutation = CallMutation { method, at: 0, change: Change::Suppress };
    assert_eq!(mutate(&bytes, "Mutant", Some(&mutation)).unwrap(), None);
}
