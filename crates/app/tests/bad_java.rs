//! Java that cannot be run: exit code 2, nothing on standard output, and a message that says what would help.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod driver;

use std::fs;
use std::path::Path;

use driver::java::{CELL, java};
use driver::{Run, adit, adit_in, refused, shell};
use tempfile::TempDir;

#[test]
fn an_unknown_class_with_near_misses() {
    if java().is_none() {
        return;
    }
    refused(
        &adit(&["observe", "java.util.StringTokeniser"]),
        &["java.util.StringTokeniser", "java.util.StringTokenizer"],
    );
    refused(&adit(&["observe", "Hashset"]), &["java.util.HashSet"]);
    refused(&adit(&["observe", "no.such.Thing"]), &["no class no.such.Thing", "class path", "with -c"]);
}

#[test]
fn a_class_file_of_a_newer_version() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Cell.java", CELL)]);
    let file = classes.path().join("Cell.class");
    let mut bytes = fs::read(&file).unwrap();
    bytes[6..8].copy_from_slice(&(java.feature + 45).to_be_bytes());
    fs::write(&file, bytes).unwrap();
    let next = (java.feature + 1).to_string();
    refused(&observe(&classes, "Cell"), &["Cell", &format!("compiled for Java {next}"), "--release"]);
}

#[test]
fn classes_that_are_damaged() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Cell.java", CELL)]);
    let file = classes.path().join("Cell.class");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    refused(&observe(&classes, "Cell"), &["Cell.class", "is cut off", "compile or copy it again"]);
    fs::write(&file, "public class Cell {}").unwrap();
    refused(&observe(&classes, "Cell"), &["Cell.class", "is not a class file"]);
    fs::write(classes.path().join("no.jar"), "not a zip file").unwrap();
    let jar = classes.path().join("no.jar").display().to_string();
    refused(&adit(&["observe", "Cell", "-c", &jar]), &["no.jar", "cannot be read as a jar"]);
}

#[test]
fn a_class_path_that_is_too_deep() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Cell.java", &format!("package com.acme; {CELL}"))]);
    let (root, deep) = (classes.path().display().to_string(), classes.path().join("com/acme"));
    let folder = deep.display().to_string();
    let file = deep.join("Cell.class").display().to_string();
    let right = format!("use -c {root}");
    refused(&adit(&["mine", "com.acme.Cell", "-c", &folder]), &["inside of the package", &right]);
    refused(&adit(&["mine", "Cell", "-c", &folder]), &["name the class com.acme.Cell", &right]);
    refused(&adit(&["observe", "com.acme.Cell", "-c", &file]), &["is a class file", "-c wants", &right]);
}

#[test]
fn an_entry_of_the_class_path_that_is_missing() {
    if java().is_none() {
        return;
    }
    let run = adit(&["observe", "java.util.BitSet", "-c", "no/such/folder"]);
    refused(&run, &["no/such/folder", "does not exist", "compiled"]);
}

#[test]
fn a_class_without_a_way_to_make_objects() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[
        ("Sealed.java", "public class Sealed { private Sealed() {} public int size() { return 0; } }"),
        ("Hidden.java", "class Hidden { public int size() { return 0; } }"),
        ("Color.java", "public enum Color { RED }"),
        ("Alone.java", "public interface Alone { int size(); }"),
    ]);
    for (class, non_public) in [("Sealed", true), ("Alone", false)] {
        let run = observe(&classes, class);
        assert_eq!(run.code, 4, "{}", run.err);
        assert!(run.err.contains(&format!("cannot construct an object of {class}")), "{}", run.err);
        assert!(run.err.contains("--fixtures"), "{}", run.err);
        assert_eq!(run.err.contains("--non-public"), non_public, "{}", run.err);
    }
    refused(&observe(&classes, "Hidden"), &["is not public", "--non-public"]);
    refused(&observe(&classes, "Color"), &["Color is an enum"]);
}

#[test]
fn methods_that_are_not_there() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Cell.java", CELL)]);
    let path = classes.path().display().to_string();
    refused(
        &adit(&["observe", "Cell", "-c", &path, "--only", "putt"]),
        &["no callable method `putt`", "put"],
    );
    refused(&adit(&["observe", "Cell", "-c", &path, "--without", "gone"]), &["no callable method `gone`"]);
    // A comma at the end names nothing.
    let run = adit(&["observe", "Cell", "-c", &path, "--only", "put,", "--budget", "20tests", "--quiet"]);
    assert_eq!(run.code, 0, "{}", run.err);
}

#[test]
fn a_file_instead_of_a_class() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Cell.java", &format!("package a;\n{CELL}"))]);
    let path = classes.path().display().to_string();
    let file = classes.path().join("a/Cell.class").display().to_string();
    refused(&adit(&["observe", &file]), &[&file, "is a file", &format!("a.Cell -c {path}")]);
    // Any other spelling of the name is understood.
    for name in ["a/Cell", "a.Cell.class", "a/Cell.class"] {
        let run = adit(&["observe", name, "-c", &path, "--budget", "20tests", "--quiet"]);
        assert_eq!(run.code, 0, "{name}: {}", run.err);
    }
}

#[test]
fn source_code_instead_of_classes() {
    let Some(java) = java() else { return };
    let project = TempDir::new().unwrap();
    let root = project.path();
    let [sources, target] = ["src/main/java/a", "target/classes/a"].map(|folder| root.join(folder));
    fs::create_dir_all(&sources).unwrap();
    let source = format!("package a;\n{CELL}");
    fs::write(sources.join("Cell.java"), &source).unwrap();
    let sources = root.join("src/main/java").display().to_string();
    refused(&adit(&["observe", "a.Cell", "-c", &sources]), &["Cell.java is source code", "compile it"]);
    // The root of a project is above its classes.
    let classes = java.compile(&[("Cell.java", &source)]);
    fs::create_dir_all(&target).unwrap();
    fs::copy(classes.path().join("a/Cell.class"), target.join("Cell.class")).unwrap();
    let root = root.display().to_string();
    refused(&adit(&["observe", "a.Cell", "-c", &root]), &[&format!("use -c {root}/target/classes")]);
}

#[test]
fn no_jdk_or_none_that_fits() {
    let machine = tempfile::tempdir().unwrap();
    let empty = machine.path().display().to_string();
    let none = [("JAVA_HOME", None), ("PATH", Some("")), ("ADIT_JDKS", Some(empty.as_str()))];
    refused(&adit_in(&none, &["observe", "java.util.BitSet"]), &["no JDK was found", "install one", "--jdk"]);

    let old = old_jdk(machine.path());
    refused(&adit_in(&none, &["observe", "java.util.BitSet"]), &["no JDK was found", "1.8.0_402", "oldest"]);
    let home = [("JAVA_HOME", Some(old.as_str()))];
    refused(&adit_in(&home, &["observe", "java.util.BitSet"]), &["JAVA_HOME cannot be used", "1.8.0_402"]);
    refused(
        &adit(&["observe", "java.util.BitSet", "--jdk", &old]),
        &["--jdk cannot be used", "1.8.0_402", "adit doctor"],
    );
    refused(
        &adit(&["observe", "java.util.BitSet", "--jdk", "no/such"]),
        &["--jdk cannot be used", "no/such"],
    );
}

#[test]
fn the_doctor_says_what_is_missing() {
    let machine = tempfile::tempdir().unwrap();
    old_jdk(machine.path());
    let place = machine.path().display().to_string();
    let none = [("JAVA_HOME", None), ("PATH", Some("")), ("ADIT_JDKS", Some(place.as_str()))];
    let run = adit_in(&none, &["doctor", "--json"]);
    assert_eq!(run.code, 1, "{}", run.err);
    let json = run.json();
    assert_eq!(json["well"], false);
    assert!(json["java"]["home"].is_null() && json["java"]["version"].is_null());
    assert_eq!(json["java"]["others"][0]["version"], "1.8.0_402");
    assert!(json["sandbox"]["files"].is_boolean() && json["sandbox"]["network"].is_boolean());
    assert!(json["solver"]["command"].is_null());
    let run = adit_in(&none, &["doctor"]);
    assert_eq!(run.code, 1, "{}", run.err);
    for part in ["none usable", "unsuitable: ", "1.8.0_402", "missing: ", "to fix: "] {
        assert!(run.out.contains(part), "`{part}` is missing in:\n{}", run.out);
    }
}

#[test]
fn fixtures_that_are_no_use() {
    let Some(java) = java() else { return };
    let place = java.compile(&[("Cell.java", CELL)]);
    let file = |name: &str, text: &str| {
        let path = place.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let with = |fixtures: &str| adit(&["observe", "java.util.BitSet", "--fixtures", fixtures]);
    let broken = file("Broken.java", "public class Broken { public static int one() { return \"1\"; } }");
    refused(&with(&broken), &["do not compile", "Broken.java:1", "incompatible types"]);
    let idle =
        file("Idle.java", "public class Idle { static int one() { return 1; } public static void two() {} }");
    refused(&with(&idle), &["supplies no values", "public static"]);
    refused(&with("no/Such.java"), &["no/Such.java", "no such file"]);
    let text = file("fixtures.txt", "");
    refused(&with(&text), &["not a Java source file", ".java"]);
}

#[test]
fn tests_that_are_none() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Cell.java", CELL)]);
    let path = classes.path().display().to_string();
    let with = |tests: &str| adit(&["observe", "Cell", "-c", &path, "--tests", tests]);
    refused(&with(&path), &["none of them a test", "@Test"]);
    refused(&with("Cell"), &["Cell has no JUnit tests"]);
    refused(&with("NoSuchTest"), &["no class NoSuchTest"]);
    refused(&with("no/such/folder"), &["no/such/folder", "does not exist"]);
    let run = adit(&["observe", "Cell", "-c", &path, "--main", "Cell"]);
    refused(&run, &["--main", "static void main(String[])"]);

    // A test by its annotation, which lies beside it, while JUnit itself is missing.
    let annotation = "package org.junit; import java.lang.annotation.*; @Retention(RetentionPolicy.RUNTIME) public @interface Test {}";
    let test = "public class CellTest { @org.junit.Test public void works() { new Cell(); } }";
    let tests = java.compile(&[("Test.java", annotation), ("CellTest.java", test), ("Cell.java", CELL)]);
    refused(
        &adit(&["observe", "Cell", "--tests", &tests.path().display().to_string()]),
        &["JUnit is not on the class path", "--classpath"],
    );
}

#[test]
fn budgets_and_flags_that_mean_nothing() {
    let cases: [(&[&str], &str); 10] = [
        (&["--budget", "10"], "5000tests"),
        (&["--budget", "0tests"], "from 1"),
        (&["--budget", "-3s"], "1ms"),
        (&["--budget", "soon"], "such as"),
        (&["--calls", "0"], "from 1 to 1000"),
        (&["--workers", "0"], "write a number from 1 to 64"),
        (&["--seed", "abc"], "write a whole number from 0"),
        (&["--script-limit", "forever"], "500ms"),
        (&["-o", "traces.doc"], "--to"),
        (&["--to", "regex"], "jsonl"),
    ];
    for (arguments, says) in cases {
        let run = adit(&[&["observe", "java.util.BitSet"], arguments].concat());
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.err);
        assert!(run.err.contains(says), "{arguments:?}: {}", run.err);
    }
    let run = adit(&["observe", "java.util.BitSet", "--tests", "x", "--only", "set"]);
    refused(&run, &["--only", "--tests"]);
}

/// Inside a user namespace that allows no further ones, the sandbox cannot be made.
#[test]
fn nothing_runs_without_a_sandbox_unless_told_so() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Cell.java", CELL)]);
    let without = |arguments: &str| {
        shell(&format!(
            "unshare --user --map-root-user bash -c 'echo 0 > /proc/sys/user/max_user_namespaces && exec {} {arguments}'",
            env!("CARGO_BIN_EXE_adit")
        ))
    };
    if without("--version").code != 0 {
        eprintln!("NOT RUN: namespaces cannot be taken away here");
        return;
    }
    let observe = format!("observe Cell -c {} --budget 20tests", classes.path().display());
    refused(&without(&observe), &["cannot prevent workers from", "adit doctor", "--unsafe-no-sandbox"]);
    let run = without(&format!("{observe} --quiet --unsafe-no-sandbox"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("WARNING") && run.err.contains("network"), "{}", run.err);
    let run = without("doctor --json");
    assert_eq!((run.code, &run.json()["sandbox"]["network"]), (1, &serde_json::json!(false)));
}

fn observe(classes: &TempDir, class: &str) -> Run {
    adit(&["observe", class, "--classpath", &classes.path().display().to_string()])
}

/// A folder that looks like a JDK 8.
fn old_jdk(root: &Path) -> String {
    let home = root.join("jdk8");
    fs::create_dir_all(home.join("bin")).unwrap();
    fs::write(home.join("bin/java"), "").unwrap();
    fs::write(home.join("release"), "JAVA_VERSION=\"1.8.0_402\"\n").unwrap();
    home.display().to_string()
}
