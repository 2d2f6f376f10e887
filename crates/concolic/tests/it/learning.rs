//! Interfaces of the components, learned from their class files.

use std::time::Duration;

use adit_bytecode::ClassPath;
use adit_concolic::{InterpreterLimits, summarize};
use adit_learn::symbolic::Analysis;
use adit_learn::x_psyco::{Execution, Interface, Matching, Options, x_psyco};
use adit_learn::{Component, End};
use adit_smt::{Frugal, Patience, Process};
use expect_test::expect;

use crate::jdk::{self, Jdk};

/// The solver of this machine.
#[expect(clippy::print_stdout, reason = "a test that could not run must say so")]
pub(crate) fn solver() -> Option<Frugal<Process>> {
    let path = std::env::var_os("PATH")?;
    let program = std::env::split_paths(&path).map(|folder| folder.join("z3")).find(|file| file.is_file());
    if program.is_none() {
        println!("NOT RUN: there is no z3");
    }
    Some(Frugal::new(Process::new(program?, Patience(Duration::from_secs(5)))))
}

/// The components, compiled once for each test.
pub(crate) fn components() -> Option<(tempfile::TempDir, ClassPath)> {
    let jdk = Jdk::find()?;
    let folder = tempfile::tempdir().unwrap();
    jdk.compile(&jdk::java_files(&jdk::interfaces()), folder.path());
    let path = jdk.class_path(folder.path());
    Some((folder, path))
}

/// A summary as text: each path of each method.
fn show(component: &Component) -> String {
    let arena = &component.arena;
    let mut said = String::new();
    for method in &component.methods {
        said += &format!("{}\n", method.name);
        for path in &method.paths {
            let updates: Vec<String> = path
                .updates
                .iter()
                .map(|&(field, value)| format!("{} := {}", component.fields[field].name, arena.show(value)))
                .collect();
            let end = match &path.end {
                End::Ok => format!("ok {}", updates.join(", ")),
                End::Error(class) => format!("error {class}"),
                End::Unknown(reason) => format!("unknown: {reason}"),
            };
            said += &format!("  {} => {}\n", arena.show(path.condition), end.trim_end());
        }
    }
    said
}

fn learn(path: &ClassPath, class: &str) -> Option<Interface> {
    let mut solver = solver()?;
    let component = summarize(path, class, InterpreterLimits::USUAL, &mut solver, &mut || true).unwrap();
    let options = Options {
        partial_order: true,
        matching: Matching::Symbolic,
        execution: Execution::Hybrid,
        depth: Some(2),
        symbols: 200,
        nodes: 1_000_000,
        certify: true,
    };
    let mut analysis = Analysis::new(component.slice(), &mut solver);
    Some(x_psyco(&mut analysis, options, &mut || true))
}

#[test]
fn summary_of_the_motivating_example() {
    let (Some((_folder, path)), Some(mut solver)) = (components(), solver()) else { return };
    let component = summarize(&path, "Stream", InterpreterLimits::USUAL, &mut solver, &mut || true).unwrap();
    expect![[r#"
        Stream
          !this exists => ok sink := 0, this exists := true
          this exists => error a constructor is the first call
        connect
          snk$1 == 0 && this exists => error java.lang.NullPointerException
          snk$1 != 0 && !connected$1 && sink == 0 && this exists => ok sink := snk$1
          (connected$1 && snk$1 != 0 && sink == 0 && this exists) || (snk$1 != 0 && sink != 0 && this exists) => error java.lang.IllegalStateException
          !this exists => error there is no object yet
        write
          sink == 0 && this exists => error java.lang.IllegalStateException
          sink != 0 && this exists => ok
          !this exists => error there is no object yet
        flush
          this exists => ok
          !this exists => error there is no object yet
        close
          this exists => ok
          !this exists => error there is no object yet
    "#]].assert_eq(&show(&component));
}

fn sizes(classes: &[&str]) -> Option<String> {
    let (_folder, path) = components()?;
    let mut said = String::new();
    for class in classes {
        let interface = learn(&path, class)?;
        said += &format!(
            "{class}: {} symbols, {} states, {:?}, {}; mixed: {:?}\n",
            interface.symbols.len(),
            interface.lts.len(),
            interface.stop,
            if interface.complete { "complete" } else { "not complete" },
            interface.mixed,
        );
    }
    Some(said)
}

#[test]
fn sizes_are_those_of_the_paper() {
    let classes = ["Signature", "Stream", "AltBit", "AccMeter", "CEV", "Socket", "IntMath"];
    let Some(said) = sizes(&classes) else { return };
    expect![[r#"
        Signature: 6 symbols, 5 states, Proved, complete; mixed: {}
        Stream: 6 symbols, 4 states, Proved, complete; mixed: {}
        AltBit: 6 symbols, 6 states, Proved, complete; mixed: {}
        AccMeter: 12 symbols, 8 states, Proved, complete; mixed: {}
        CEV: 27 symbols, 34 states, Proved, complete; mixed: {}
        Socket: 60 symbols, 42 states, Proved, complete; mixed: {}
        IntMath: 14 symbols, 3 states, Proved, complete; mixed: {}
    "#]]
    .assert_eq(&said);
}

#[test]
fn sizes_of_other_components() {
    let classes = ["AltBitRemainder", "TokenLock", "Spinner", "Account", "BoundedBuffer", "Door", "Gate"];
    let Some(said) = sizes(&classes) else { return };
    expect![[r#"
        AltBitRemainder: 7 symbols, 6 states, Proved, not complete; mixed: {}
        TokenLock: 3 symbols, 5 states, Proved, complete; mixed: {"the outcome of `unlock` depends on how its arguments or state relate to arguments of an earlier `lock`"}
        Spinner: 4 symbols, 5 states, Proved, complete; mixed: {}
        Account: 7 symbols, 4 states, Depth, not complete; mixed: {}
        BoundedBuffer: 8 symbols, 6 states, Proved, complete; mixed: {}
        Door: 8 symbols, 10 states, Proved, complete; mixed: {}
        Gate: 9 symbols, 9 states, Proved, complete; mixed: {"the outcome of `own` depends on how its arguments or state relate to arguments of an earlier `own`"}
    "#]].assert_eq(&said);
}
