//! Damaged class files: an answer or a reason, never a panic and never an endless run.

use std::collections::BTreeMap;

use adit_bytecode::{ClassPath, Folder};
use adit_concolic::{InterpreterLimits, summarize};
use adit_smt::{Frugal, Missing};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::jdk::{self, Jdk};

#[test]
fn damaged_classes_are_survived() {
    let Some(jdk) = Jdk::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    jdk.compile(&jdk::java_files(&jdk::interfaces()), folder.path());
    let mut random = ChaCha8Rng::seed_from_u64(17);
    let modules = jdk.class_path(tempfile::tempdir().unwrap().path());
    // The few classes of the platform that components use, so that damaged ones are linked with real ones.
    let platform = ["Object", "Throwable", "Exception", "RuntimeException", "Error", "AssertionError"]
        .into_iter()
        .chain([
            "IllegalStateException",
            "IllegalArgumentException",
            "NullPointerException",
            "Math",
            "Integer",
        ])
        .map(|name| {
            let name = format!("java/lang/{name}");
            let (bytes, _) = modules.find(&name).unwrap().unwrap();
            (format!("{name}.class"), bytes)
        });
    let platform: BTreeMap<String, Vec<u8>> = platform.collect();
    let limits = InterpreterLimits { steps: 2_000, paths: 20, shapes: 4, ..InterpreterLimits::USUAL };
    let (mut summarized, mut refused) = (0, 0);
    for class in ["CEV", "CEV$Parts", "Account", "BoundedBuffer", "Door", "IntMath", "Door$Motor"] {
        let original = std::fs::read(folder.path().join(format!("{class}.class"))).unwrap();
        let outer = class.split('$').next().unwrap();
        for _ in 0..150 {
            let mut files = platform.clone();
            for entry in std::fs::read_dir(folder.path()).unwrap() {
                let file = entry.unwrap().path();
                let name = file.file_name().unwrap().to_str().unwrap().to_owned();
                if name.starts_with(outer) {
                    files.insert(name, std::fs::read(&file).unwrap());
                }
            }
            let mut bytes = original.clone();
            for _ in 0..random.random_range(1..6) {
                let at = random.random_range(bytes.len() / 3..bytes.len());
                bytes[at] = random.random();
            }
            files.insert(format!("{class}.class"), bytes);
            let path = ClassPath::new(vec![Box::new(Folder::in_memory("damaged", files))]);
            let mut solver = Frugal::new(Missing);
            match summarize(&path, outer, limits, &mut solver, &mut || true) {
                Ok(_) => summarized += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(summarized > 30 && refused > 100, "{summarized} summarized, {refused} refused");
}
