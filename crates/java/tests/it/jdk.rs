//! Tests that need a JDK: values for its classes, and its compiler on the sources that are written.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::PathBuf;
use std::process::Command;

use adit_bytecode::{ClassPath, Modules, Program, Type};
use adit_java::source::test_class;
use adit_java::{Generator, prepare_in, worth_reading};
use adit_trace::Author;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::classes::{generator_options, options, show};

/// The home of the JDK of `JAVA_HOME` or of `PATH`. Prints `NOT RUN:` if there is none.
#[expect(clippy::print_stdout, reason = "a test that could not run must say so")]
fn home() -> Option<PathBuf> {
    let from_path = || {
        let path = std::env::var_os("PATH")?;
        let mut compilers = std::env::split_paths(&path).map(|folder| folder.join("javac"));
        Some(compilers.find(|file| file.exists())?.canonicalize().ok()?.parent()?.parent()?.to_owned())
    };
    let homes = [std::env::var_os("JAVA_HOME").map(PathBuf::from), from_path()];
    let found = homes
        .into_iter()
        .flatten()
        .find(|home| home.join("lib/modules").exists() && home.join("bin/javac").exists());
    if found.is_none() {
        println!("NOT RUN: no JDK was found; set JAVA_HOME or install one");
    }
    found
}

fn modules(home: &std::path::Path) -> ClassPath {
    let path = home.join("lib/modules");
    let modules = Modules::new("modules", BufReader::new(File::open(path).unwrap())).unwrap();
    ClassPath::new(vec![Box::new(modules)])
}

/// For some class that needs the type, recipes that begin with each of these calls exist.
#[test]
fn values_are_searched_backwards_from_what_is_needed() {
    let Some(home) = home() else { return };
    let path = modules(&home);
    let names = worth_reading(&path.names());
    let program = Program::new(&path, names.iter().map(String::as_str));
    for (class, wanted, calls) in [
        ("java.util.zip.ZipOutputStream", "java/io/OutputStream", &["new ByteArrayOutputStream()"][..]),
        ("java.util.zip.ZipOutputStream", "java/nio/charset/Charset", &["StandardCharsets.UTF_8"]),
        ("java.io.BufferedReader", "java/io/Reader", &["new StringReader(\"a\")"]),
        ("java.util.HashSet", "java/util/Collection", &["new HashSet()", "List.of(\"a\")"]),
        ("java.util.regex.Matcher", "java/util/regex/Pattern", &["Pattern.compile(\"a\")"]),
        ("java.util.concurrent.ThreadPoolExecutor", "java/util/concurrent/TimeUnit", &["TimeUnit.SECONDS"]),
    ] {
        let (_, supply) = prepare_in(&program, class, &options()).unwrap();
        let recipes = supply.recipes(&Type::Class(wanted.into()));
        for call in calls {
            let found = recipes.iter().flat_map(|recipe| &recipe.statements).any(|one| show(one) == *call);
            assert!(found, "{call} for {wanted}: {recipes:?}");
        }
        // What these hold is in another order in every machine.
        for shuffled in ["Set.of(", "Set.copyOf(", "Map.of(", "Map.copyOf("] {
            let all = recipes.iter().flat_map(|recipe| &recipe.statements);
            assert!(!all.map(show).any(|call| call.starts_with(shuffled)), "{shuffled} for {wanted}");
        }
    }
}

#[test]
fn generated_sources_compile() {
    let Some(home) = home() else { return };
    let path = modules(&home);
    let names = worth_reading(&path.names());
    let program = Program::new(&path, names.iter().map(String::as_str));
    let folder = tempfile::tempdir().unwrap();
    let junit = folder.path().join("org/junit/jupiter/api");
    fs::create_dir_all(&junit).unwrap();
    // As much of JUnit as the sources name.
    fs::write(junit.join("Test.java"), "package org.junit.jupiter.api; public @interface Test {}").unwrap();
    let mut sources = vec![junit.join("Test.java")];
    for (number, class) in [
        "java.util.ArrayList",
        "java.util.HashMap",
        "java.util.StringTokenizer",
        "java.lang.StringBuilder",
        "java.util.zip.ZipOutputStream",
        "java.util.regex.Matcher",
        "java.time.LocalDate",
        "java.util.concurrent.ThreadPoolExecutor",
        "java.util.Collection",
        "java.math.BigDecimal",
        // Both are about classes as values.
        "java.lang.invoke.MethodHandle",
        "java.util.EnumMap",
    ]
    .into_iter()
    .enumerate()
    {
        let (api, supply) = prepare_in(&program, class, &options()).unwrap();
        let facts = supply.facts().clone();
        let mut generator = Generator::new(&api, supply, generator_options());
        let mut rng = ChaCha8Rng::seed_from_u64(number as u64);
        let tests: Vec<_> = (0..40).map(|_| (generator.script(&mut rng, 12), None)).collect();
        let file = folder.path().join(format!("Generated{number}.java"));
        fs::write(&file, test_class("", &format!("Generated{number}"), &tests, &facts).to_string()).unwrap();
        sources.push(file);
    }
    let output = Command::new(home.join("bin/javac"))
        .args(["-proc:none", "-Xmaxerrs", "20", "-d"])
        .arg(folder.path().join("out"))
        .args(&sources)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
