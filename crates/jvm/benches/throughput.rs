//! Scripts a second through the whole path, beside a bare JNI loop that makes the same calls: the ratio is
//! what matters, because it says the same on every machine. Each side runs in rounds, and the fastest round
//! counts: what else the machine has to do can only make a round slower.
//!
//! The bare loop runs in a process of its own, as a worker does: this binary, started again with `bare`. It
//! looks up nothing, checks nothing but exceptions, and keeps no results. Run with `cargo bench -p adit-jvm`;
//! a number behind `--` is how many scripts each side runs, and what follows it a part of the name of the
//! only class to run.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark is there to print its result")]
#![expect(unsafe_code, reason = "the bare loop calls the virtual machine directly")]

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use adit_jvm::find::{Places, USUAL, find};
use adit_jvm::vm::{self, Env, MachineOptions};
use adit_jvm::{Host, HostOptions, Jdk, jni};
use adit_trace::{Argument, CallKind, Callable, Depth, End, Script, Statement, Subject};
use jni_sys::{jclass, jmethodID, jobject, jvalue};

/// A class, how it is made, and ten calls on it.
struct Case {
    class: &'static str,
    new: (&'static str, Option<Argument>),
    calls: [(&'static str, &'static str); 10],
}

const PUSH: (&str, &str) = ("push", "(Ljava/lang/Object;)V");
const NEXT: (&str, &str) = ("nextToken", "()Ljava/lang/String;");
const MORE: (&str, &str) = ("hasMoreTokens", "()Z");

fn cases() -> [Case; 6] {
    let add = ("add", "(Ljava/lang/Object;)Z");
    let (pop, empty) = (("pop", "()V"), ("isEmpty", "()Z"));
    let poll = ("poll", "()Ljava/lang/Object;");
    let (lock, unlock, locked) = (("lock", "()V"), ("unlock", "()V"), ("isLocked", "()Z"));
    let (has, word, reset) = (("hasNext", "()Z"), ("next", "()Ljava/lang/String;"), "()Ljava/util/Scanner;");
    let top = ("topAndPop", "()Ljava/lang/Object;");
    [
        Case {
            class: "BoundedStack",
            new: ("(I)V", Some(Argument::Int(2))),
            calls: [empty, PUSH, PUSH, ("isFull", "()Z"), top, PUSH, ("size", "()I"), pop, pop, empty],
        },
        Case {
            class: "java.util.HashSet",
            new: ("()V", None),
            calls: [
                empty,
                add,
                add,
                ("contains", "(Ljava/lang/Object;)Z"),
                ("size", "()I"),
                ("remove", "(Ljava/lang/Object;)Z"),
                empty,
                add,
                ("clear", "()V"),
                empty,
            ],
        },
        Case {
            class: "java.util.StringTokenizer",
            new: ("(Ljava/lang/String;)V", Some(Argument::Text("one two three".to_owned()))),
            calls: [
                MORE,
                NEXT,
                ("countTokens", "()I"),
                NEXT,
                MORE,
                NEXT,
                MORE,
                MORE,
                ("countTokens", "()I"),
                MORE,
            ],
        },
        Case {
            class: "java.util.ArrayDeque",
            new: ("()V", None),
            calls: [
                empty,
                add,
                add,
                add,
                ("peek", "()Ljava/lang/Object;"),
                ("size", "()I"),
                add,
                add,
                poll,
                poll,
            ],
        },
        Case {
            class: "java.util.concurrent.locks.ReentrantLock",
            new: ("()V", None),
            calls: [
                locked,
                lock,
                lock,
                locked,
                ("getHoldCount", "()I"),
                unlock,
                locked,
                unlock,
                lock,
                locked,
            ],
        },
        Case {
            class: "java.util.Scanner",
            new: ("(Ljava/lang/String;)V", Some(Argument::Text("one 2 three".to_owned()))),
            calls: [
                has,
                word,
                has,
                ("nextInt", "()I"),
                has,
                word,
                has,
                has,
                ("close", "()V"),
                ("reset", reset),
            ],
        },
    ]
}

/// Number of scripts in a round: as many as a miner would ask for at once.
const ROUND: usize = 5_000;

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    let first = words.next();
    if first.as_deref() == Some("worker") {
        adit_jvm::worker::main(words.map(Into::into));
        return;
    }
    if first.as_deref() == Some("bare") {
        let (libjvm, classes, scripts) =
            (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
        let java = std::thread::Builder::new().stack_size(vm::STACK);
        java.spawn(move || bare(libjvm.into(), classes.into(), scripts.parse().unwrap()))
            .unwrap()
            .join()
            .unwrap();
        return;
    }
    let places = Places {
        java_home: std::env::var_os("JAVA_HOME").map(PathBuf::from),
        path: std::env::var_os("PATH"),
        usual: USUAL.map(PathBuf::from).to_vec(),
    };
    match find(&places) {
        Ok(jdk) => {
            let scripts = first.and_then(|number| number.parse().ok()).unwrap_or(200_000);
            compare(&jdk, scripts, &words.next().unwrap_or_default());
        }
        Err(error) => println!("not run: {error}"),
    }
}

/// Prints scripts a second for both sides and each case whose class has this in its name.
fn compare(jdk: &Jdk, scripts: usize, only: &str) {
    let classes = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects/BoundedStack.java");
    let javac = Command::new(jdk.home.join("bin/javac")).arg("-d").arg(classes.path()).arg(source).status();
    assert!(javac.unwrap().success());
    let own = std::env::current_exe().unwrap();
    let output = Command::new(&own)
        .args(["bare".as_ref(), jdk.libjvm.as_os_str(), classes.path().as_os_str()])
        .arg(scripts.to_string())
        .output()
        .unwrap();
    let bare: Vec<f64> = String::from_utf8(output.stdout)
        .unwrap()
        .split_whitespace()
        .map(|seconds| seconds.parse().unwrap())
        .collect();
    println!("JDK {}, {scripts} scripts of 11 calls, scripts a second", jdk.version);
    println!(
        "{:40} {:>9} {:>9} {:>6} {:>11} {:>6} {:>7} {:>11} {:>6} {:>11} {:>6}",
        "", "bare", "host", "ratio", "with fields", "ratio", "cost", "deep at end", "cost", "deep", "cost"
    );
    for (case, bare) in cases().iter().zip(bare).filter(|(case, _)| case.class.contains(only)) {
        let [whole, fields, at_end, deep] = hosted(jdk, &own, classes.path(), case, scripts);
        let rate = |seconds: f64| ROUND as f64 / seconds;
        println!(
            "{:40} {:9.0} {:9.0} {:6.2} {:11.0} {:6.2} {:6.2}x {:11.0} {:5.2}x {:11.0} {:5.2}x",
            case.class,
            rate(bare),
            rate(whole),
            bare / whole,
            rate(fields),
            bare / fields,
            fields / whole,
            rate(at_end),
            at_end / whole,
            rate(deep),
            deep / whole
        );
    }
}

/// The seconds that one worker takes for a round, from scripts to runs, without and with fields, and with
/// digests at the end and after every call. They take turns, so that all meet the same machine.
fn hosted(jdk: &Jdk, own: &Path, classes: &Path, case: &Case, scripts: usize) -> [f64; 4] {
    let boxes = tempfile::tempdir().unwrap();
    let depths = [
        (false, Depth::Fields),
        (true, Depth::Fields),
        (true, Depth::ReachableAtEnd),
        (true, Depth::Reachable),
    ];
    let mut hosts = depths.map(|(snapshots, depth)| {
        let mut options = HostOptions::new(own.to_owned(), vec!["worker".into()], jdk.clone());
        options.class_path = vec![classes.to_owned()];
        options.boxes = boxes.path().to_owned();
        options.snapshots = snapshots;
        options.limits.batch = 1000;
        options.limits.recycle_after = u64::MAX;
        let mut host = Host::new(options).unwrap();
        host.look(depth);
        host
    });
    let batch = vec![script(case); ROUND];
    let mut fastest = [f64::INFINITY; 4];
    for _ in 0..=scripts.div_ceil(ROUND) {
        for (host, fastest) in hosts.iter_mut().zip(&mut fastest) {
            let start = Instant::now();
            let runs = host.run(&batch).unwrap();
            assert!(runs.iter().all(|run| run.end == End::Complete && run.steps.len() == 11));
            drop(runs);
            *fastest = fastest.min(start.elapsed().as_secs_f64());
        }
    }
    fastest
}

fn script(case: &Case) -> Script {
    let callable = |name: &str, descriptor: &str, kind| {
        Arc::new(Callable { signature: descriptor.to_owned(), ..Callable::new(kind, case.class, name) })
    };
    let mut statements = vec![Statement {
        callable: callable("<init>", case.new.0, CallKind::Constructor),
        receiver: None,
        args: case.new.1.clone().into_iter().collect(),
    }];
    statements.extend(case.calls.iter().map(|(name, descriptor)| Statement {
        callable: callable(name, descriptor, CallKind::Method),
        receiver: Some(0),
        args: if descriptor.starts_with("()") { Vec::new() } else { vec![Argument::Text("x".to_owned())] },
    }));
    Script { statements }
}

/// Makes the calls of every case directly and prints the seconds of the fastest round of each.
fn bare(libjvm: PathBuf, classes: PathBuf, scripts: usize) {
    let folder = tempfile::tempdir().unwrap();
    let options = MachineOptions {
        libjvm,
        class_path: vec![classes],
        folder: folder.path().to_owned(),
        heap_megabytes: 256,
        flags: Vec::new(),
    };
    let env = vm::create(&options).unwrap();
    for case in cases() {
        // SAFETY: names and descriptors are those of existing classes, arguments have the types of the
        // descriptors, and all runs on the thread that created the machine.
        unsafe {
            let class = jni!(env, FindClass, c(&case.class.replace('.', "/")).as_ptr());
            let method = |name: &str, descriptor: &str| {
                let id = jni!(env, GetMethodID, class, c(name).as_ptr(), c(descriptor).as_ptr());
                assert!(!id.is_null(), "{name}{descriptor}");
                id
            };
            let new = method("<init>", case.new.0);
            let calls = case.calls.map(|(name, descriptor)| (method(name, descriptor), descriptor));
            let round = |_| {
                let start = Instant::now();
                loop_bare(env, class, new, &case.new.1, &calls, ROUND);
                start.elapsed().as_secs_f64()
            };
            println!("{}", (0..=scripts.div_ceil(ROUND)).map(round).fold(f64::INFINITY, f64::min));
        }
    }
}

/// # Safety
/// Class, methods and descriptors belong together, and the thread is that of `env`.
unsafe fn loop_bare(
    env: Env,
    class: jclass,
    new: jmethodID,
    argument: &Option<Argument>,
    calls: &[(jmethodID, &str)],
    scripts: usize,
) {
    for _ in 0..scripts {
        // SAFETY: the caller vouches for the methods; all references live in the frame that is popped at the
        // end.
        unsafe {
            jni!(env, PushLocalFrame, 16);
            let argument = match argument {
                Some(Argument::Int(value)) => jvalue { i: *value as i32 },
                Some(Argument::Text(text)) => text_value(env, text),
                _ => jvalue { j: 0 },
            };
            let object = jni!(env, NewObjectA, class, new, &raw const argument);
            for (method, descriptor) in calls {
                let argument =
                    if descriptor.starts_with("()") { jvalue { j: 0 } } else { text_value(env, "x") };
                call(env, object, *method, descriptor, &argument);
                let thrown = jni!(env, ExceptionOccurred);
                if !thrown.is_null() {
                    jni!(env, ExceptionClear);
                }
            }
            jni!(env, PopLocalFrame, std::ptr::null_mut());
        }
    }
}

/// # Safety
/// As for [`loop_bare`].
unsafe fn call(env: Env, object: jobject, method: jmethodID, descriptor: &str, argument: &jvalue) {
    // SAFETY: the entry is chosen by the descriptor's result.
    unsafe {
        match descriptor.rsplit(')').next() {
            Some("V") => jni!(env, CallVoidMethodA, object, method, argument),
            Some("Z") => _ = std::hint::black_box(jni!(env, CallBooleanMethodA, object, method, argument)),
            Some("I") => _ = std::hint::black_box(jni!(env, CallIntMethodA, object, method, argument)),
            _ => _ = std::hint::black_box(jni!(env, CallObjectMethodA, object, method, argument)),
        }
    }
}

/// # Safety
/// The thread is that of `env`.
unsafe fn text_value(env: Env, text: &str) -> jvalue {
    let units: Vec<u16> = text.encode_utf16().collect();
    // SAFETY: the units live until the call returns.
    jvalue { l: unsafe { jni!(env, NewString, units.as_ptr(), units.len() as i32) } }
}

fn c(text: &str) -> CString {
    CString::new(text).unwrap()
}
