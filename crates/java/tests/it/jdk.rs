//! Tests that need a JDK: values for its classes, and its compiler on the sources that are written.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::process::Command;

use adit_bytecode::{ClassPath, Folder, Modules, Program, Type};
use adit_java::source::test_class;
use adit_java::{Generator, TextKinds, prepare_in, worth_reading};
use adit_trace::{Argument, Author};
use expect_test::expect;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::classes::{generator_options, options, show, small_files};
use crate::jdk_home::jdk_home;

/// The classes of the JDK, and the small ones.
fn modules(home: &Path) -> ClassPath {
    let path = home.join("lib/modules");
    let modules = Modules::new("modules", BufReader::new(File::open(path).unwrap())).unwrap();
    ClassPath::new(vec![Box::new(Folder::in_memory("small", small_files(false))), Box::new(modules)])
}

/// Whatever reads gets texts of every kind, as text and as bytes.
#[test]
fn readers_and_streams_get_texts_of_many_kinds() {
    let Some(home) = jdk_home() else { return };
    let path = modules(&home);
    let names = worth_reading(&path.names());
    let program = Program::new(&path, names.iter().map(String::as_str));
    for (class, made) in [
        ("java.io.LineNumberReader", "StringReader"),
        ("java.io.PushbackInputStream", "ByteArrayInputStream"),
    ] {
        let (api, supply) = prepare_in(&program, class, &options()).unwrap();
        let mut generator = Generator::new(&api, supply, generator_options());
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut kinds = TextKinds::default();
        for _ in 0..3000 {
            let script = generator.script(&mut rng, 0);
            for argument in
                script.statements.iter().filter(|one| one.callable.name == made).flat_map(|one| &one.args)
            {
                match argument {
                    Argument::Text(text) => kinds.add(TextKinds::of(text)),
                    Argument::Array(bytes) => {
                        let byte = |one: &Argument| if let Argument::Int(one) = one { *one as u8 } else { 0 };
                        let bytes: Vec<u8> = bytes.iter().map(byte).collect();
                        kinds.add(TextKinds::of(&String::from_utf8_lossy(&bytes)));
                    }
                    _ => {}
                }
            }
        }
        let missing: Vec<&str> = kinds.missing().collect();
        assert!(missing.is_empty(), "{class}: {missing:?}");
    }
}

/// Objects of what nobody implements are made by classes that are written for it, and functions return what
/// their generic types say.
#[test]
fn stubs_are_written_for_what_nothing_makes() {
    let Some(home) = jdk_home() else { return };
    let path = modules(&home);
    let names = worth_reading(&path.names());
    let program = Program::new(&path, names.iter().map(String::as_str));
    let (api, supply) = prepare_in(&program, "small.Timetable", &options()).unwrap();
    let shown = |wanted: &str| {
        let recipes = supply.recipes(&Type::Class(wanted.into())).iter();
        let calls = recipes.flat_map(|recipe| recipe.statements.last());
        calls.map(|call| format!("{} {}\n", show(call), call.callable.signature)).collect::<String>()
    };
    expect![[r#"
        new Chore(0, false, #0) (I)V+isDone()Z+badge()Lsmall/Badge;+run()V
        new Chore(1, true, #0) (I)V+isDone()Z+badge()Lsmall/Badge;+run()V
        new Chore(2, false, #0) (I)V+isDone()Z+badge()Lsmall/Badge;+run()V
        new Chore(0) (I)V!isDone()Z!badge()Lsmall/Badge;!run()V
    "#]]
    .assert_eq(&shown("small/Chore"));
    expect![[r#"
        new Impossible() ()V+one()V+two()V
        new Impossible() ()V!one()V!two()V
    "#]]
    .assert_eq(&shown("small/Impossible"));
    expect![[r#"
        new Thread() ()V
        Thread.currentThread() ()Ljava/lang/Thread;
        new Thread("a") (Ljava/lang/String;)V
        new Thread("one\ntwo\nthree\n") (Ljava/lang/String;)V
        new Thread("a b c") (Ljava/lang/String;)V
        new Thread("") (Ljava/lang/String;)V
        new FutureTask(#0, "a") (Ljava/lang/Runnable;Ljava/lang/Object;)V
        new FutureTask(() -> null, "c") (Ljava/lang/Runnable;Ljava/lang/Object;)V
        new FutureTask(#0, "d") (Ljava/lang/Runnable;Ljava/lang/Object;)V
        new FutureTask(() -> null, "e") (Ljava/lang/Runnable;Ljava/lang/Object;)V
        new FutureTask(() -> "a") (Ljava/util/concurrent/Callable;)V
        new Runnable() ()V!run()V
    "#]]
    .assert_eq(&shown("java/lang/Runnable"));
    // A class that others extend is made by them.
    assert!(!shown("small/Animal").contains("new Animal"));
    let mut generator = Generator::new(&api, supply, generator_options());
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let scripts: Vec<_> = (0..100).map(|_| generator.script(&mut rng, 8)).collect();
    let awards = scripts.iter().flat_map(|script| {
        let of_name = script.statements.iter().filter(|one| &*one.callable.name == "award");
        of_name.map(|one| match &one.args[0] {
            Argument::Function(result) => match **result {
                Argument::Earlier(at) => show(&script.statements[at]),
                _ => String::new(),
            },
            _ => String::new(),
        })
    });
    assert!({ awards }.any(|award| award.starts_with("new Badge")));
    let calls = scripts.iter().flat_map(|script| &script.statements);
    let mut filled = calls.filter(|one| &*one.callable.name == "fill").map(|one| &one.args[0]);
    let is_array = |result: &Argument| matches!(result, Argument::Array(_));
    assert!(filled.any(|given| matches!(given, Argument::Function(result) if is_array(result))));
}

/// For some class that needs the type, recipes that begin with each of these calls exist.
#[test]
fn values_are_searched_backwards_from_what_is_needed() {
    let Some(home) = jdk_home() else { return };
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
    let Some(home) = jdk_home() else { return };
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
        // These need stubs and functions that return something.
        "small.Timetable",
        "java.util.Timer",
        "java.util.Optional",
        "java.util.concurrent.CompletableFuture",
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
        .args(["-proc:none", "-Xmaxerrs", "20", "-cp"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/classes"))
        .arg("-d")
        .arg(folder.path().join("out"))
        .args(&sources)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
