//! Scripts a second with and without probes in the class. Each side runs in rounds that take turns, and the
//! fastest round counts.
//!
//! Run with `cargo bench -p adit-jvm --bench probes`; `docs/perf/jvm.md` has figures.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark is there to print its result")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use adit_bytecode::probe::probe_classes;
use adit_jvm::find::{Places, USUAL, find};
use adit_jvm::{Host, HostOptions, classes, hits};
use adit_trace::{Argument, CallKind, Callable, Script, Statement, Subject};

const ROUND: usize = 5_000;
const ROUNDS: usize = 20;

fn script(class: &str, new: (&str, Argument), calls: &[(&str, &str)]) -> Script {
    let callable = |name: &str, descriptor: &str, kind| {
        Arc::new(Callable { signature: descriptor.to_owned(), ..Callable::new(kind, class, name) })
    };
    let mut statements = vec![Statement {
        callable: callable("<init>", new.0, CallKind::Constructor),
        receiver: None,
        args: vec![new.1],
    }];
    statements.extend(calls.iter().map(|(name, descriptor)| Statement {
        callable: callable(name, descriptor, CallKind::Method),
        receiver: Some(0),
        args: if descriptor.starts_with("()") { Vec::new() } else { vec![Argument::Text("x".to_owned())] },
    }));
    Script { statements }
}

fn main() {
    let places = Places {
        java_home: std::env::var_os("JAVA_HOME").map(PathBuf::from),
        path: std::env::var_os("PATH"),
        usual: USUAL.map(PathBuf::from).to_vec(),
    };
    let jdk = find(&places).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let subject = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects/BoundedStack.java");
    let status =
        Command::new(jdk.home.join("bin/javac")).arg("-d").arg(folder.path()).arg(subject).status().unwrap();
    assert!(status.success());
    let (next, more) = (("nextToken", "()Ljava/lang/String;"), ("hasMoreTokens", "()Z"));
    let (push, pop) = (("push", "(Ljava/lang/Object;)V"), ("pop", "()V"));
    let (empty, full, count) = (("isEmpty", "()Z"), ("isFull", "()Z"), ("countTokens", "()I"));
    let text = Argument::Text("one two three".to_owned());
    let scripts = [
        script(
            "java.util.StringTokenizer",
            ("(Ljava/lang/String;)V", text),
            &[more, next, count, next, more, next, more, more, count, more],
        ),
        script(
            "BoundedStack",
            ("(I)V", Argument::Int(2)),
            &[empty, push, push, full, pop, push, empty, pop, pop, empty],
        ),
    ];
    for script in scripts {
        let class = script.statements[0].callable.owner.clone();
        let mut options =
            HostOptions::new(env!("CARGO_BIN_EXE_adit-jvm-worker").into(), Vec::new(), jdk.clone());
        options.class_path = vec![folder.path().to_owned()];
        let path = classes::open(Some(&jdk), &options.class_path).unwrap();
        let probed = probe_classes(&path, &class, &hits()).unwrap();
        let probes = probed.probes.len();
        let with = HostOptions { probes: Some(probed), ..options.clone() };
        let mut hosts = [Host::new(options).unwrap(), Host::new(with).unwrap()];
        let batch = vec![script; ROUND];
        let mut best = [Duration::MAX; 2];
        for _ in 0..ROUNDS {
            for (host, best) in hosts.iter_mut().zip(&mut best) {
                let start = Instant::now();
                host.run(&batch).unwrap();
                *best = start.elapsed().min(*best);
            }
        }
        let [plain, probed] = best.map(|time| ROUND as f64 / time.as_secs_f64());
        println!(
            "{class}: {plain:.0} scripts/s without, {probed:.0} with {probes} probes ({:.2})",
            probed / plain
        );
    }
}
