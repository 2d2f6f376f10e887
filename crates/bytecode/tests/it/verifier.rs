//! Spliced classes before HotSpot's verifier.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use adit_bytecode::probe::{Hits, probe};
use adit_bytecode::splice::{CallSite, Choice, Hook, reroute};
use adit_bytecode::wrap::{Witness, wrap};
use adit_bytecode::{Class, ClassPath, ClassSource, Flags, Jar, MemberRef, Program, RewriteError};

use crate::jdk::{Jdk, java_sources};

/// Takes every call, with numbers on both sides of what fits into a `short`.
struct Everything<'p> {
    program: &'p Program<'p>,
    next: i32,
}

impl Choice for Everything<'_> {
    fn number(&mut self, _: &CallSite<'_>) -> Option<i32> {
        self.next = (self.next + 1) % 70_000;
        // Few numbers, so that trampolines are shared, but of every size.
        Some(self.next / 1_000 * 1_000)
    }

    fn may_be_protected(&mut self, target: &MemberRef) -> bool {
        let found = self.program.resolve(&target.class, &target.name, &target.descriptor);
        found.is_none_or(|(_, method)| method.flags.has(Flags::PROTECTED))
    }

    fn is_loadable(&mut self, class: &str) -> bool {
        self.program.is_loadable(class)
    }
}

#[derive(Debug, Default)]
struct Tally {
    classes: usize,
    sites: usize,
    skipped: usize,
    refused: usize,
}

/// Splices classes into a folder.
fn splice_into(
    folder: &Path,
    path: &ClassPath,
    program: &Program<'_>,
    names: &[String],
    hook: &Hook,
) -> Tally {
    let mut tally = Tally::default();
    let mut choice = Everything { program, next: 0 };
    for name in names {
        let (bytes, file) = path.find(name).unwrap().unwrap();
        let spliced = match reroute(&bytes, &file, hook, &mut choice) {
            Ok(spliced) => spliced,
            Err(
                RewriteError::InvokePackage { .. }
                | RewriteError::OldInterface { .. }
                | RewriteError::ClassFull { .. },
            ) => {
                tally.refused += 1;
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        tally.classes += 1;
        tally.sites += spliced.rerouted;
        tally.skipped += spliced.skipped.len();
        write(folder, name, &spliced.bytes);
    }
    write(folder, &hook.class, &hook.class_file());
    tally
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    let file = folder.join(format!("{name}.class"));
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, bytes).unwrap();
}

/// Verdicts of the JVM on these classes: lines that begin with `refused`, `absent` or `linked`.
fn link(jdk: &Jdk, names: &[String], flags: &[String], classes: Option<&Path>) -> String {
    let folder = tempfile::tempdir().unwrap();
    jdk.compile(&[&java_sources().join("LinkAll.java")], folder.path(), &[]);
    let list = folder.path().join("names");
    fs::write(&list, names.iter().map(|name| name.replace('/', ".") + "\n").collect::<String>()).unwrap();
    let mut java = jdk.java();
    // `-Xverify:all` says the same, and prints a warning.
    java.args(["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal"]);
    java.args(["-XX:+BytecodeVerificationRemote", "-Xshare:off", "-XX:TieredStopAtLevel=1"]).args(flags);
    java.arg("-cp").arg(folder.path()).arg("LinkAll").arg(list).args(classes);
    let output = java.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    said
}

fn linked(said: &str) -> usize {
    said.lines().find_map(|line| line.strip_prefix("linked ")).unwrap().parse().unwrap()
}

fn slow() -> bool {
    std::env::var_os("SLOW").is_some()
}

/// The JVM starts on spliced classes of its own, all calls in them going through trampolines, and verifies
/// them all.
#[test]
fn the_verifier_accepts_spliced_classes_of_the_jdk() {
    let Some(jdk) = Jdk::find() else { return };
    let modules = jdk.modules();
    let all: Vec<String> =
        modules.names().into_iter().filter(|name| modules.module_of(name) == Some("java.base")).collect();
    let names: Vec<String> = all.iter().step_by(if slow() { 1 } else { 16 }).cloned().collect();
    let path = ClassPath::new(vec![Box::new(modules)]);
    let program = Program::new(&path, all.iter().map(String::as_str));
    // Inside java.base, so that the first classes which the JVM loads can see it.
    let hook =
        Hook { class: "java/lang/AditHook".to_owned(), flag: "on".to_owned(), method: "call".to_owned() };
    let folder = tempfile::tempdir().unwrap();
    let tally = splice_into(folder.path(), &path, &program, &names, &hook);
    let patch = format!("--patch-module=java.base={}", folder.path().display());
    let said = link(&jdk, &names, &[patch], None);
    println!("{tally:?}, {} linked", linked(&said));
    assert!(tally.sites > 1000, "{tally:?}");
    assert!(!said.contains("refused"), "{said}");
    assert_eq!(linked(&said), names.len(), "{said}");
}

/// The same with a witness around every method that does not depend on who called it.
#[test]
fn the_verifier_accepts_wrapped_classes_of_the_jdk() {
    let Some(jdk) = Jdk::find() else { return };
    let modules = jdk.modules();
    let names: Vec<String> = modules
        .names()
        .into_iter()
        .filter(|name| modules.module_of(name) == Some("java.base") && !name.starts_with("java/lang/invoke/"))
        .step_by(if slow() { 1 } else { 16 })
        .collect();
    let witness = Witness { class: "java/lang/AditWitness".to_owned(), arguments: true, intervenes: true };
    let folder = tempfile::tempdir().unwrap();
    let (mut next, mut count) = (0, 0);
    for name in &names {
        let bytes = modules.find(name).unwrap().unwrap();
        let class = Class::parse_outline(&bytes, name).unwrap();
        let wrapped = wrap(&bytes, name, &witness, &mut |method, descriptor, _| {
            // Numbers of every size.
            next = (next + 1_001) % 70_000;
            let method = class.method(method, descriptor).unwrap();
            let peculiar = ["CallerSensitive;", "IntrinsicCandidate;", "Hidden;"];
            let is_peculiar = |annotation: &str| peculiar.iter().any(|end| annotation.ends_with(end));
            (!method.annotations.iter().any(|annotation| is_peculiar(annotation))).then_some(next)
        });
        let wrapped = wrapped.unwrap();
        count += wrapped.wrapped;
        write(folder.path(), name, &wrapped.bytes);
    }
    write(folder.path(), &witness.class, &witness.class_file());
    let patch = format!("--patch-module=java.base={}", folder.path().display());
    let said = link(&jdk, &names, &[patch], None);
    println!("{count} methods, {} linked", linked(&said));
    assert!(count > 1000, "{count}");
    assert!(!said.contains("refused"), "{said}");
    assert_eq!(linked(&said), names.len(), "{said}");
}

/// The JVM starts on classes of its own whose branches note that they are taken, and verifies them all.
/// Numbers are of every size.
#[test]
fn the_verifier_accepts_probed_classes_of_the_jdk() {
    let Some(jdk) = Jdk::find() else { return };
    let modules = jdk.modules();
    // The JVM runs some of `java.lang` before it can initialize any class, so not that of the array either.
    let names: Vec<String> = modules
        .names()
        .into_iter()
        .filter(|name| modules.module_of(name) == Some("java.base") && !name.starts_with("java/lang/"))
        .step_by(if slow() { 1 } else { 8 })
        .collect();
    let hits = Hits { class: "java/lang/AditHits".to_owned() };
    let folder = tempfile::tempdir().unwrap();
    let (mut probes, mut skipped) = (0, 0);
    for name in &names {
        let probed = probe(&modules.find(name).unwrap().unwrap(), name, &hits, probes).unwrap();
        // What is written can be read again, and has the probes where they were.
        Class::parse(&probed.bytes, name).unwrap();
        probes += probed.probes.len();
        skipped += probed.skipped;
        write(folder.path(), name, &probed.bytes);
    }
    // Like the class file that `Hits` makes, but with an array from the beginning.
    let source = tempfile::tempdir().unwrap();
    let file = source.path().join("java/lang/AditHits.java");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = format!(
        "package java.lang; public final class AditHits {{ public static byte[] hits = new byte[{probes}]; }}"
    );
    fs::write(&file, text).unwrap();
    jdk.compile(
        &[&file],
        folder.path(),
        &["--patch-module", &format!("java.base={}", source.path().display())],
    );
    let patch = format!("--patch-module=java.base={}", folder.path().display());
    let said = link(&jdk, &names, &[patch], None);
    println!("{probes} probes, {skipped} methods skipped, {} linked", linked(&said));
    assert!(probes > 10_000, "{probes}");
    assert!(skipped * 1000 < probes, "{skipped} of {probes}");
    assert!(!said.contains("refused"), "{said}");
    assert_eq!(linked(&said), names.len(), "{said}");
}

/// Jars of the machine, named by `ADIT_JARS` like a class path; nothing is refused that was not refused
/// before.
#[test]
fn the_verifier_accepts_spliced_classes_of_jars() {
    let (Some(jdk), Some(jars)) = (Jdk::find(), std::env::var_os("ADIT_JARS")) else {
        println!("ADIT_JARS names no jars, so this test did nothing");
        return;
    };
    for jar in std::env::split_paths(&jars) {
        let open = |jar: &PathBuf| {
            Jar::new(jar.display().to_string(), BufReader::new(File::open(jar).unwrap()), 17).unwrap()
        };
        let own = open(&jar).names();
        let path = ClassPath::new(vec![Box::new(open(&jar)), Box::new(jdk.modules())]);
        let all = path.names();
        let program = Program::new(&path, all.iter().map(String::as_str));
        let hook = Hook { class: "adit/Hook".to_owned(), flag: "on".to_owned(), method: "call".to_owned() };
        let (before, after) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for name in &own {
            let (bytes, _) = path.find(name).unwrap().unwrap();
            write(before.path(), name, &bytes);
            write(after.path(), name, &bytes);
        }
        let tally = splice_into(after.path(), &path, &program, &own, &hook);
        let refused = |said: &str| {
            let names = said.lines().filter(|line| line.starts_with("refused"));
            names.map(|line| line.split(':').next().unwrap().to_owned()).collect::<BTreeSet<String>>()
        };
        let plain = link(&jdk, &own, &[], Some(before.path()));
        let spliced = link(&jdk, &own, &[], Some(after.path()));
        println!("{}: {tally:?}, {} linked", jar.display(), linked(&spliced));
        assert_eq!(refused(&spliced), refused(&plain), "{spliced}");
        assert_eq!(linked(&spliced), linked(&plain), "{spliced}");
    }
}
