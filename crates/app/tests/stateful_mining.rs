//! `adit mine` with the miners that use fields, as users run it: SEKT, ADABU, CONTRACTOR++, TEMI with and
//! without `--confirm`, and with solvers that are missing, hang or print nonsense.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]
#![expect(clippy::print_stderr, reason = "a test that cannot run says so")]
#![cfg(unix)]

mod driver;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use driver::java::{Java, java};
use driver::{Run, adit_in, refused};
use serde_json::Value;
use tempfile::TempDir;

/// A door whose only state is a number, and whose `ring` never throws.
const DOOR: &str = "
public class Door {
    private int position;
    public Door() {}
    public void open() { if (position != 0) throw new IllegalStateException(); position = 1; }
    public void close() { if (position != 1) throw new IllegalStateException(); position = 0; }
    public boolean isOpen() { return position == 1; }
    public void ring() {}
}
";

/// True if this machine has a solver; otherwise a line says so.
fn has_solver(test: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let named = |name| std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    let found = ["z3", "cvc5"].into_iter().any(named);
    if !found {
        eprintln!("NOT RUN: {test} needs z3 or cvc5 on PATH");
    }
    found
}

/// A mined class.
struct Mined {
    run: Run,
    folder: TempDir,
}

impl Mined {
    /// Mines the door. `PATH` begins with `first`, if there is one.
    fn door(java: &Java, flags: &[&str], first: Option<&Path>) -> Self {
        Self::of(java, "Door", DOOR, flags, first)
    }

    /// Mines a class.
    fn of(java: &Java, class: &str, source: &str, flags: &[&str], first: Option<&Path>) -> Self {
        let folder = java.compile(&[(&format!("{class}.java"), source)]);
        let classes = folder.path().display().to_string();
        let out = folder.path().join("out").display().to_string();
        let mut arguments = vec!["mine", class, "-c", &classes, "--json", "-o", &out];
        arguments.extend(flags);
        let rest = std::env::var("PATH").unwrap();
        let path = first.map_or(rest.clone(), |first| format!("{}:{rest}", first.display()));
        let home = java.home.display().to_string();
        let run = adit_in(&[("PATH", Some(&path)), ("JAVA_HOME", Some(&home))], &arguments);
        Self { run, folder }
    }

    #[track_caller]
    fn json(&self, file: &str) -> Value {
        assert_eq!(self.run.code, 0, "{}", self.run.err);
        serde_json::from_str(&fs::read_to_string(self.folder.path().join("out").join(file)).unwrap()).unwrap()
    }

    /// Number of states, of required and of *maybe* transitions.
    #[track_caller]
    fn size(&self) -> (usize, usize, usize) {
        let model = self.json("model.json");
        let edges = model["edges"].as_array().unwrap();
        let maybe = edges.iter().filter(|edge| edge["modality"] == "maybe").count();
        (model["states"].as_array().unwrap().len(), edges.len() - maybe, maybe)
    }
}

const BUDGET: [&str; 4] = ["--budget", "6000tests", "--seed", "1"];

/// A program in a folder of its own, which takes the place of the solver.
fn fake_solver(script: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("z3");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

#[test]
fn sekt_needs_no_solver() {
    let Some(java) = java() else { return };
    let nowhere = fake_solver("exit 1");
    let mined = Mined::door(&java, &[&["--miner", "sekt"], &BUDGET[..]].concat(), Some(nowhere.path()));
    // States are told apart by what follows, too, and never joined where the position differs.
    let (states, _, maybe) = mined.size();
    assert!(states >= 3 && maybe == 0, "{states} states, {maybe} guesses");
    for state in mined.json("model.json")["states"].as_array().unwrap().iter().skip(1) {
        let holds = |text: &str| state["predicates"].as_array().unwrap().iter().any(|one| one == text);
        assert!(holds("this.position == 0") != holds("this.position == 1"), "{state}");
    }
}

/// A shop order: its fields are two lists and a number that counts payments, and what matters is what the
/// object answers about itself.
const ORDER: &str = "
public class Order {
    public enum Status { NEW, PAID, SHIPPED }
    private Status status = Status.NEW;
    private String note;
    public Order() {}
    public void note(String text) { note = text; }
    public void pay() { if (status != Status.NEW) throw new IllegalStateException(); status = Status.PAID; }
    public void ship() { if (status != Status.PAID) throw new IllegalStateException(); status = Status.SHIPPED; }
    public Status getStatus() { return status; }
}
";

#[test]
fn adabu_tells_states_by_fields_and_inspectors() {
    let Some(java) = java() else { return };
    let mined = Mined::door(&java, &[&["--miner", "adabu"], &BUDGET[..]].concat(), None);
    assert_eq!(mined.size(), (3, 7, 0), "{}", mined.run.err);
    let states = mined.json("model.json")["states"].clone();
    let refusals: Vec<String> =
        states.as_array().unwrap().iter().map(|state| state["refuses"].to_string()).collect();
    assert!(refusals[1].contains("close!IllegalStateException"), "{states}");
    assert!(refusals[2].contains("open!IllegalStateException"), "{states}");

    // All fields of an order are references that are never null or do not matter; the inspector's answer is
    // one of three constants.
    let mined = Mined::of(&java, "Order", ORDER, &[&["--miner", "adabu"], &BUDGET[..]].concat(), None);
    assert_eq!(mined.size().0, 4, "{}", mined.run.err);
    assert!(mined.run.err.contains("not needed to tell states apart: note, status"), "{}", mined.run.err);
    let states = mined.json("model.json")["states"].to_string();
    for constant in ["NEW", "PAID", "SHIPPED"] {
        assert!(states.contains(&format!("getStatus() == {constant}")), "{states}");
    }
}

#[test]
fn contractor_and_temi_agree_on_a_door() {
    let (Some(java), true) = (java(), has_solver("contractor_and_temi_agree_on_a_door")) else { return };
    for miner in ["contractor", "temi"] {
        let mined = Mined::door(&java, &[&["--miner", miner], &BUDGET[..]].concat(), None);
        assert_eq!(mined.size(), (3, 7, 0), "{miner}: {}", mined.run.err);
        let states = mined.json("model.json")["states"].to_string();
        assert!(states.contains("this.position == 0") && states.contains("this.position == 1"), "{states}");
    }
}

#[test]
fn confirm_settles_what_is_only_guessed() {
    let (Some(java), true) = (java(), has_solver("confirm_settles_what_is_only_guessed")) else { return };
    let confirmed = Mined::door(&java, &[&["--miner", "temi"], &BUDGET[..]].concat(), None);
    assert!(confirmed.run.err.contains("7 transitions seen"), "{}", confirmed.run.err);
    assert!(confirmed.run.err.contains("0 still maybe"), "{}", confirmed.run.err);
    let invariants = confirmed.json("invariants.json");
    assert!(invariants.to_string().contains("this.position"), "{invariants}");
    let guessed = Mined::door(&java, &[&["--miner", "temi", "--no-confirm"], &BUDGET[..]].concat(), None);
    assert!(!guessed.run.err.contains("still maybe"), "{}", guessed.run.err);
    // Confirming never costs a transition that was seen.
    assert!(confirmed.size().1 >= guessed.size().1);
}

#[test]
fn the_same_seed_gives_the_same_model() {
    let (Some(java), true) = (java(), has_solver("the_same_seed_gives_the_same_model")) else { return };
    let mine = || {
        let mined = Mined::door(&java, &[&["--miner", "temi"], &BUDGET[..]].concat(), None);
        (mined.json("model.json"), mined.json("invariants.json"))
    };
    assert_eq!(mine(), mine());
}

#[test]
fn a_solver_that_is_of_no_use_costs_little() {
    let Some(java) = java() else { return };
    let budget = [&["--miner", "temi"], &BUDGET[..]].concat();
    for (script, complaint) in [
        ("exec sleep 1000", "did not answer within"),
        ("while :; do echo '<html>'; done", "printed no answer but `<html>…`"),
        ("exit 3", "ended without an answer"),
    ] {
        let fake = fake_solver(script);
        let start = Instant::now();
        let mined = Mined::door(&java, &budget, Some(fake.path()));
        // Everything that was seen is there, and the message says why there is no more.
        assert_eq!(mined.size().1, 7, "{script}: {}", mined.run.err);
        assert!(mined.run.err.contains("to the solver had no answer"), "{script}: {}", mined.run.err);
        assert!(mined.run.err.contains(complaint), "{script}: {}", mined.run.err);
        // Three time-outs of two seconds, and what a busy machine adds.
        assert!(start.elapsed() < Duration::from_secs(60), "{script}: {:?}", start.elapsed());
    }
}

#[test]
fn a_missing_solver_is_named_before_any_time_is_spent() {
    let Some(java) = java() else { return };
    let folder = java.compile(&[("Door.java", DOOR)]);
    let (classes, empty) = (folder.path().display().to_string(), TempDir::new().unwrap());
    let (path, home) = (empty.path().display().to_string(), java.home.display().to_string());
    for miner in ["contractor", "temi"] {
        let run = adit_in(
            &[("PATH", Some(&path)), ("JAVA_HOME", Some(&home))],
            &["mine", "Door", "-c", &classes, "--miner", miner, "-o", &format!("{classes}/out")],
        );
        refused(&run, &[&format!("--miner {miner} needs a solver"), "z3", "--miner sekt needs none"]);
        assert!(!folder.path().join("out").exists(), "nothing was begun");
    }
}
