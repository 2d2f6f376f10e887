//! Solver programs that behave, and shell scripts in their place that do not.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use adit_smt::{Answer, Arena, COMMANDS, Expr, Frugal, Patience, Process, Reason, Solver, Sort};
use tempfile::TempDir;

/// A solver that is a shell script. `$0.count` is a file where it may count its starts.
struct Fake {
    folder: TempDir,
}

impl Fake {
    fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("z3");
        fs::write(&path, format!("#!/bin/sh\necho x >> \"$0.count\"\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder }
    }

    fn solver(&self, patience: Duration) -> Process {
        Process::new(self.folder.path().join("z3"), Patience(patience))
    }

    fn starts(&self) -> usize {
        fs::read_to_string(self.folder.path().join("z3.count")).unwrap().lines().count()
    }
}

/// `x < y`, which only a solver decides, and `x` alone.
fn question(arena: &mut Arena) -> Expr {
    let (x, y) = (arena.var("x", Sort::Bits(32)), arena.var("y", Sort::Bits(32)));
    arena.lt(x, y)
}

fn reason(solver: &mut impl Solver) -> Reason {
    let mut arena = Arena::new();
    let asked = question(&mut arena);
    match solver.check(&mut arena, &[asked]) {
        Answer::Unknown(reason) => reason,
        other => panic!("{other:?}"),
    }
}

/// Answers every echo, and `check-sat` and `get-value` with the given texts.
fn answering(check: &str, values: &str) -> String {
    format!(
        r#"while read -r line; do case "$line" in
            "(check-sat)") echo '{check}' ;;
            "(get-value"*) echo '{values}' ;;
            "(get-info"*) echo '(:reason-unknown "tired")' ;;
            "(echo"*) mark=${{line#*\"}}; echo "${{mark%%\"*}}" ;;
        esac; done"#
    )
}

#[test]
fn a_solver_that_hangs_is_ended() {
    for script in ["exec sleep 1000", "while read -r line; do :; done; exec sleep 1000"] {
        let fake = Fake::new(script);
        let start = Instant::now();
        let limit = Duration::from_millis(200);
        let mut solver = fake.solver(limit);
        assert_eq!(reason(&mut solver), Reason::TimedOut(limit));
        assert_eq!(reason(&mut solver), Reason::TimedOut(limit));
        assert!(start.elapsed() < Duration::from_secs(60), "it was not ended");
        assert_eq!(fake.starts(), 2, "each question gets a new one");
    }
}

#[test]
fn a_solver_that_does_not_read_is_ended() {
    let fake = Fake::new("exec sleep 1000");
    let mut solver = fake.solver(Duration::from_millis(300));
    let mut arena = Arena::new();
    // Far more text than fits into a pipe.
    let many: Vec<Expr> = (0..20_000)
        .map(|number| {
            let (x, y) = (arena.var(&format!("x{number}"), Sort::Int), arena.var("y", Sort::Int));
            arena.lt(x, y)
        })
        .collect();
    assert!(matches!(solver.check(&mut arena, &many), Answer::Unknown(Reason::TimedOut(_))));
}

#[test]
fn a_solver_that_dies_is_reported_and_started_again() {
    let fake = Fake::new("echo 'no license'; exit 3");
    let mut solver = fake.solver(Duration::from_secs(60));
    let Reason::Died(how) = reason(&mut solver) else { panic!("it died") };
    assert!(how.contains("exit status: 3") && how.contains("no license"), "{how}");
    let missing = Process::new(PathBuf::from("/nonexistent/z3"), Patience(Duration::from_secs(60)));
    let Reason::Died(how) = reason(&mut { missing }) else { panic!("it cannot start") };
    assert!(how.contains("/nonexistent/z3"), "{how}");
}

#[test]
fn a_solver_that_dies_between_questions_costs_no_answer() {
    // It answers one question and ends when the next one comes.
    let script =
        answering("unsat", "").replace("\"(check-sat)\")", "\"(pop 1)\") exit 1 ;; \"(check-sat)\")");
    let fake = Fake::new(&script);
    let mut solver = fake.solver(Duration::from_secs(60));
    let mut arena = Arena::new();
    let asked = question(&mut arena);
    for _ in 0..3 {
        assert_eq!(solver.check(&mut arena, &[asked]), Answer::Unsat);
    }
    assert_eq!(fake.starts(), 3);
}

#[test]
fn nonsense_is_unknown() {
    for text in ["maybe", "sat unsat", "(error \"line 1: unknown option\")", ""] {
        let fake = Fake::new(&answering(text, ""));
        let reason = reason(&mut fake.solver(Duration::from_secs(60)));
        assert_eq!(reason, Reason::Nonsense(text.to_owned()));
    }
    for values in ["", "((v0 1) (v1 2))", "((v0 #x00000001))", "((v1 #x00000001) (v0 #x00000002))"] {
        let fake = Fake::new(&answering("sat", values));
        let reason = reason(&mut fake.solver(Duration::from_secs(60)));
        assert_eq!(reason, Reason::Nonsense(values.to_owned()));
    }
    // For ever, and never the end of a line.
    let fake = Fake::new("exec tr '\\0' x < /dev/zero");
    let reason = reason(&mut fake.solver(Duration::from_secs(60)));
    assert!(matches!(reason, Reason::Nonsense(_)), "{reason:?}");
}

#[test]
fn a_wrong_assignment_is_unknown() {
    let fake = Fake::new(&answering("sat", "((v0 #x00000002) (v1 #x00000001))"));
    let reason = reason(&mut fake.solver(Duration::from_secs(60)));
    assert!(matches!(reason, Reason::BadModel(_)), "{reason:?}");
    let fake = Fake::new(&answering("sat", "((v0 #x00000001) (v1 #x00000002))"));
    let mut arena = Arena::new();
    let asked = question(&mut arena);
    assert!(matches!(fake.solver(Duration::from_secs(60)).check(&mut arena, &[asked]), Answer::Sat(_)));
}

#[test]
fn unknown_has_its_reason() {
    let fake = Fake::new(&answering("unknown", ""));
    let reason = reason(&mut fake.solver(Duration::from_secs(60)));
    assert_eq!(reason, Reason::Undecided("(:reason-unknown \"tired\")".to_owned()));
}

/// Each solver that this machine has.
fn real_solvers(test: &str) -> Vec<Process> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found: Vec<Process> = COMMANDS
        .into_iter()
        .filter_map(|name| {
            std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
        })
        .map(|program| Process::new(program, Patience(Duration::from_secs(20))))
        .collect();
    if found.is_empty() {
        not_run(test);
    }
    found
}

#[expect(clippy::print_stderr, reason = "`./test` collects these lines")]
fn not_run(test: &str) {
    eprintln!("NOT RUN: {test} needs z3 or cvc5 on PATH");
}

#[test]
fn real_solvers_answer_many_questions() {
    for mut solver in real_solvers("real_solvers_answer_many_questions") {
        let mut arena = Arena::new();
        let (x, y, p) =
            (arena.var("x", Sort::Bits(32)), arena.var("n", Sort::Int), arena.var("a b|c", Sort::Bool));
        for number in 0..50 {
            let (goal, limit) = (arena.bits(32, number), arena.int(i128::from(number)));
            let (square, far) = (arena.mul(x, x), arena.gt(y, limit));
            let (equal, square_int) = (arena.eq(square, goal), arena.mul(y, y));
            let small = arena.lt(square_int, limit);
            let answer = solver.check(&mut arena, &[equal, p, far]);
            // An odd number is a square of bits if it leaves 1 modulo 8, and of the even ones below 50 these
            // are.
            let square = number % 8 == 1 || [0, 4, 16, 36].contains(&number);
            assert_eq!(answer.is_sat(), Some(square), "{number}");
            assert_eq!(solver.check(&mut arena, &[far, small]), Answer::Unsat, "{number}");
        }
    }
}

#[test]
fn a_hard_question_ends_in_time() {
    for solver in real_solvers("a_hard_question_ends_in_time") {
        let mut solver = Process::new(solver.program().to_owned(), Patience(Duration::from_millis(300)));
        let mut arena = Arena::new();
        let (x, y) = (arena.var("x", Sort::Bits(64)), arena.var("y", Sort::Bits(64)));
        // The factors of a product of two large primes, without overflow.
        let product = arena.mul(x, y);
        let goal = arena.bits(64, 2_147_483_647 * 2_147_483_629);
        let (one, most) = (arena.bits(64, 1), arena.bits(64, 3_000_000_000));
        let equal = arena.eq(product, goal);
        let bounds = [arena.lt(one, x), arena.lt(one, y), arena.lt(x, most), arena.lt(y, most)];
        let mut constraints = bounds.to_vec();
        constraints.push(equal);
        let start = Instant::now();
        let answer = solver.check(&mut arena, &constraints);
        assert!(start.elapsed() < Duration::from_secs(30), "{answer:?}");
        // And the next question is answered by a new process.
        assert_eq!(solver.check(&mut arena, &[bounds[0]]).is_sat(), Some(true));
    }
}

#[test]
fn a_frugal_solver_gives_the_answers_of_the_one_behind() {
    for solver in real_solvers("a_frugal_solver_gives_the_answers_of_the_one_behind") {
        let mut plain = Process::new(solver.program().to_owned(), Patience(Duration::from_secs(20)));
        let mut frugal = Frugal::new(solver);
        let mut arena = Arena::new();
        let vars = ["a", "b", "c", "d"].map(|name| arena.var(name, Sort::Int));
        let mut atoms = Vec::new();
        for (index, &left) in vars.iter().enumerate() {
            for (other, &right) in vars.iter().enumerate() {
                if index != other {
                    atoms.push(arena.lt(left, right));
                }
            }
            let limit = arena.int(2);
            atoms.push(arena.eq(left, limit));
        }
        // Every third set of up to four atoms, in a fixed order.
        let mut sets = Vec::new();
        for number in (0..65_536_u32).step_by(3) {
            if number.count_ones() <= 4 {
                sets.push(number);
            }
        }
        for set in sets {
            let chosen: Vec<Expr> =
                (0..16).filter(|index| set >> index & 1 == 1).map(|index| atoms[index]).collect();
            let (expected, found) = (plain.check(&mut arena, &chosen), frugal.check(&mut arena, &chosen));
            assert_eq!(expected.is_sat(), found.is_sat(), "{set:b}");
            if let Answer::Sat(model) = found {
                assert!(chosen.iter().all(|&atom| arena.satisfies(&model, &[atom]) != Ok(false)));
            }
        }
        let counters = frugal.counters();
        assert_eq!(
            counters.asked,
            counters.by_simplification + counters.by_cache + counters.by_solver + counters.unknown
        );
        assert!(counters.by_solver * 2 < counters.asked, "{counters:?}");
    }
}
