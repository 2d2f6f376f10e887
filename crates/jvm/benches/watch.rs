//! Cost of watching fields: the same scripts without and with, in the same run.
//!
//! Run with `cargo bench -p adit-jvm --bench watch`; a number behind `--` is how many scripts each side runs.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark is there to print its result")]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use adit_jvm::find::{Places, USUAL, find};
use adit_jvm::{Host, HostOptions, Profile};
use adit_trace::{Argument, CallKind, Callable, Script, Statement, Subject};

fn main() {
    let count = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(5_000);
    let places = Places {
        java_home: std::env::var_os("JAVA_HOME").map(PathBuf::from),
        path: std::env::var_os("PATH"),
        usual: USUAL.map(PathBuf::from).to_vec(),
    };
    let jdk = match find(&places) {
        Ok(jdk) => jdk,
        Err(error) => return println!("NOT RUN: {error}"),
    };
    println!("{count} scripts of a constructor and ten calls on JDK {}, nanoseconds a call", jdk.version);
    let cases = [
        (
            "java.util.HashSet",
            ["java.util.HashSet", "java.util.HashMap"].as_slice(),
            "add",
            "(Ljava/lang/Object;)Z",
        ),
        ("java.util.ArrayList", &["java.util.ArrayList"], "add", "(Ljava/lang/Object;)Z"),
        ("java.util.ArrayList", &["java.util.ArrayList"], "size", "()I"),
        ("java.util.ArrayList", &["java.lang.Absent"], "size", "()I"),
    ];
    for (class, watched, method, descriptor) in cases {
        let batch = vec![script(class, method, descriptor); count];
        let options = HostOptions::new(env!("CARGO_BIN_EXE_adit-jvm-worker").into(), Vec::new(), jdk.clone());
        let classes = watched.iter().map(ToString::to_string).collect();
        let (fast, _) = time(options.clone(), &batch);
        let (slow, touches) = time(HostOptions { profile: Profile::Watch { classes }, ..options }, &batch);
        let each = |seconds: f64| seconds * 1e9 / (count * 11) as f64;
        println!(
            "{class}.{method}: {:.0} fast, {:.0} watched ({:.1} different fields touched by a call)",
            each(fast),
            each(slow),
            touches as f64 / (count * 11) as f64
        );
    }
}

fn script(class: &str, name: &str, descriptor: &str) -> Script {
    let callable = |name: &str, descriptor: &str, kind| {
        Arc::new(Callable { signature: descriptor.into(), ..Callable::new(kind, class, name) })
    };
    let new = callable("<init>", "()V", CallKind::Constructor);
    let method = callable(name, descriptor, CallKind::Method);
    let mut statements = vec![Statement { callable: new, receiver: None, args: Vec::new() }];
    for index in 0..10 {
        let args =
            if descriptor.starts_with("()") { Vec::new() } else { vec![Argument::Text(index.to_string())] };
        statements.push(Statement { callable: method.clone(), receiver: Some(0), args });
    }
    Script { statements }
}

/// Seconds, and how many fields were touched.
fn time(options: HostOptions, batch: &[Script]) -> (f64, usize) {
    let mut host = Host::new(options).unwrap();
    host.run(&batch[..batch.len() / 5]).unwrap();
    let begin = Instant::now();
    let runs = host.run(batch).unwrap();
    let seconds = begin.elapsed().as_secs_f64();
    let effects = runs.iter().flat_map(|run| &run.steps).filter_map(|step| step.effects.as_ref());
    (seconds, effects.map(|effects| effects.reads.len() + effects.writes.len()).sum())
}
