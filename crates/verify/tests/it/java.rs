//! Compiled sources, verified.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use adit_automata::format::{Call, CallEnd, Format, Spelling, read};
use adit_bytecode::Class;
use adit_verify::{ClassReport, Facts, Library, Memory, MethodFacts, ReceiverScope, Typestate, Verifier};

/// The home of a JDK. Prints `NOT RUN:` if there is none.
#[expect(clippy::print_stdout, reason = "a test that could not run must say so")]
pub(crate) fn home() -> Option<PathBuf> {
    let from_path = || {
        let path = std::env::var_os("PATH")?;
        let mut compilers = std::env::split_paths(&path).map(|folder| folder.join("javac"));
        Some(compilers.find(|file| file.exists())?.canonicalize().ok()?.parent()?.parent()?.to_owned())
    };
    let homes = [std::env::var_os("JAVA_HOME").map(PathBuf::from), from_path()];
    let found = homes.into_iter().flatten().find(|home| home.join("bin/javac").exists());
    if found.is_none() {
        println!("NOT RUN: no JDK was found; set JAVA_HOME or install one");
    }
    found
}

/// Compiles a source into a folder, and returns the classes by internal name.
pub(crate) fn compile(home: &Path, source: &Path, into: &Path) -> BTreeMap<String, Vec<u8>> {
    let output = Command::new(home.join("bin/javac"))
        .args(["-g", "-nowarn", "-proc:none", "-XDuseUnsharedTable", "-d"])
        .arg(into)
        .arg(source)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let files = fs::read_dir(into).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter(|file| file.extension().is_some_and(|extension| extension == "class"))
        .map(|file| (file.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read(&file).unwrap()))
        .collect()
}

/// Labels as adit writes them.
pub(crate) const SPELLING: Spelling = Spelling {
    call: |label| {
        let (label, end) = match label.split_once('!') {
            Some((label, class)) => (label, CallEnd::Threw(class)),
            None => match (label.strip_suffix(":TRUE"), label.strip_suffix(":FALSE")) {
                (Some(label), _) => (label, CallEnd::Returned(true)),
                (_, Some(label)) => (label, CallEnd::Returned(false)),
                _ => (label, CallEnd::Any),
            },
        };
        let (method, parameters) = match label.strip_suffix(')').and_then(|label| label.split_once('(')) {
            Some((method, parameters)) => (method, Some(parameters)),
            None => (label, None),
        };
        Some(Call { method, parameters, end })
    },
    ..Spelling::PLAIN
};

fn typestate(class: &str, model: &str, scope: ReceiverScope, facts: &Facts) -> Typestate {
    let model = read(model.as_bytes(), class, Some(Format::Json)).unwrap();
    Typestate::new(class, &model, &SPELLING, scope, facts).unwrap()
}

/// Stacks.
pub(crate) fn stacks() -> Verifier {
    let model = include_str!("../models/stack.json");
    Verifier::new(vec![typestate("java/util/Stack", model, ReceiverScope::Exact, &Facts::default())])
}

/// Deques, which are used like stacks.
pub(crate) fn deques() -> Verifier {
    let model = include_str!("../models/stack.json");
    Verifier::new(vec![typestate("java/util/ArrayDeque", model, ReceiverScope::Exact, &Facts::default())])
}

/// Iterators of every kind, and scanners.
pub(crate) fn verifier() -> Verifier {
    let fluent = MethodFacts {
        label: "useDelimiter(String)".to_owned(),
        name: "useDelimiter".to_owned(),
        descriptor: "(Ljava/lang/String;)Ljava/util/Scanner;".to_owned(),
        fluent: true,
        declares: Vec::new(),
    };
    let iterators = Facts { creators: vec!["java/util/*.iterator()".to_owned()], ..Facts::default() };
    let scanners = Facts { methods: vec![fluent], is_final: true, ..Facts::default() };
    Verifier::new(vec![
        typestate(
            "java/util/Iterator",
            include_str!("../models/iterator.json"),
            ReceiverScope::Contract,
            &iterators,
        ),
        typestate(
            "java/util/Scanner",
            include_str!("../models/scanner.json"),
            ReceiverScope::Exact,
            &scanners,
        ),
    ])
}

/// Verifies all classes.
pub(crate) fn verify(verifier: &Verifier, classes: &BTreeMap<String, Vec<u8>>) -> Vec<ClassReport> {
    let owned = classes.clone();
    let mut library = Library::new(Box::new(move |name| Some((owned.get(name)?.clone(), name.to_owned()))));
    let parsed: Vec<Arc<Class>> =
        classes.iter().map(|(name, bytes)| Arc::new(Class::parse(bytes, name).unwrap())).collect();
    parsed.iter().for_each(|class| library.add(class));
    let mut memory = Memory::default();
    parsed.iter().map(|class| verifier.verify(&library, class, &mut memory)).collect()
}
