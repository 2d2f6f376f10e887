//! `adit mine --all`: every class ends in a model or in a reason, and a second run goes on.

mod driver;

use std::fs;

use driver::java::java;
use driver::{adit, refused};
use serde_json::Value;

const SOURCES: [(&str, &str); 6] = [
    (
        "Slot.java",
        "public class Slot { private Object held;
         public void put(Object o) { if (held != null) throw new IllegalStateException(); held = o; }
         public void clear() { if (held == null) throw new IllegalStateException(); held = null; }
         public boolean isEmpty() { return held == null; }
         public static class Inner { public int zero() { return 0; } }
         private static class Hidden { public int zero() { return 0; } } }",
    ),
    ("Mark.java", "public @interface Mark { }"),
    ("Shape.java", "public interface Shape { double area(); }"),
    ("Never.java", "public class Never { private Never() {} public void call() {} }"),
    (
        "Numbers.java",
        "public final class Numbers { private Numbers() {} public static int one() { return 1; } }",
    ),
    ("Local.java", "class Local { public void call() {} }"),
];

#[test]
fn every_public_class_ends_in_a_model_or_a_reason() {
    let Some(java) = java() else { return };
    let classes = java.compile(&SOURCES);
    let path = classes.path().display().to_string();
    let out = classes.path().join("out");
    let shown = out.display().to_string();
    let run = |more: &[&str]| {
        adit(&[&["mine", "--all", &path, "-o", &shown, "--budget", "2000tests", "--json"], more].concat())
    };
    let first = run(&[]);
    assert_eq!(first.code, 0, "{}", first.err);
    let answer = first.json();
    let of = |answer: &Value, class: &str| -> Value {
        let all = answer["classes"].as_array().unwrap();
        all.iter().find(|row| row["class"] == class).unwrap_or_else(|| panic!("{class}: {answer:#}")).clone()
    };
    assert_eq!(answer["all"], 6, "{answer:#}");
    assert_eq!(answer["classes"].as_array().unwrap().len(), 6);
    assert!(of(&answer, "Slot")["states"].as_u64().unwrap() >= 2, "{answer:#}");
    assert!(of(&answer, "Slot$Inner")["no_protocol"] == true, "{answer:#}");
    let why = |class: &str| of(&answer, class)["why"].as_str().unwrap_or_default().to_owned();
    assert!(why("Mark").contains("annotation"), "{}", why("Mark"));
    assert!(why("Shape").contains("interface"), "{}", why("Shape"));
    assert!(why("Never").contains("no public constructor"), "{}", why("Never"));
    assert!(why("Numbers").contains("no public instance methods"), "{}", why("Numbers"));
    // A reason is not told as an error.
    for class in ["Mark", "Shape", "Never", "Numbers"] {
        assert!(!why(class).contains("no answer:") && !why(class).contains("rror:"), "{}", why(class));
    }
    let page = fs::read_to_string(out.join("index.html")).unwrap();
    for part in
        ["6 public classes", "href=\"Slot/report.html\"", "Classes without a model", "Mark", "annotation"]
    {
        assert!(page.contains(part), "`{part}` is not on the page");
    }

    // A second run mines nothing again; one with a class missing from the notes mines that class alone.
    let model = fs::metadata(out.join("Slot/model.json")).unwrap().modified().unwrap();
    let again = run(&[]);
    assert_eq!(again.json(), answer);
    assert!(again.err.contains("6 of them known already"), "{}", again.err);
    fs::remove_file(out.join("Shape/outcome.json")).unwrap();
    let rest = run(&[]);
    assert!(rest.err.contains("5 of them known already") && rest.err.contains("Shape:"), "{}", rest.err);
    assert!(!rest.err.contains("] Slot:"), "{}", rest.err);
    assert_eq!(fs::metadata(out.join("Slot/model.json")).unwrap().modified().unwrap(), model);

    // Another seed is another question.
    let other = run(&["--seed", "1"]);
    assert!(other.err.contains("] Slot:"), "{}", other.err);
}

/// Several machines mine some classes each. Their folders together are those of one run.
#[test]
fn folders_of_classes_can_be_put_together() {
    let Some(java) = java() else { return };
    let classes = java.compile(&SOURCES);
    let path = classes.path().display().to_string();
    let at = |name: &str| classes.path().join(name).display().to_string();
    let run = |out: &str, more: &[&str]| {
        adit(&[&["mine", "--all", &path, "-o", out, "--budget", "2000tests", "--json"], more].concat())
    };
    let together = at("together");
    let listed = run(&together, &["--list"]);
    assert_eq!(listed.code, 0, "{}", listed.err);
    // What the class file alone tells is not left.
    assert_eq!(listed.json()["left"], serde_json::json!(["Never", "Shape", "Slot", "Slot$Inner"]));
    assert!(!classes.path().join("together").exists(), "listing writes nothing");
    for (number, class) in ["Never", "Shape", "Slot", "Slot.Inner"].into_iter().enumerate() {
        let own = at(&format!("machine-{number}"));
        let part = run(&own, &["--only-class", class]);
        assert_eq!(part.code, 0, "{}", part.err);
        assert_eq!(part.json()["classes"].as_array().unwrap().len(), 3, "one class, and two without running");
        fs::create_dir_all(&together).unwrap();
        fs::rename(format!("{own}/{class}"), format!("{together}/{class}")).unwrap();
    }
    let listed = run(&together, &["--list"]);
    assert_eq!(listed.json()["left"], serde_json::json!([]));
    let found = run(&together, &[]);
    assert!(found.err.contains("6 of them known already"), "{}", found.err);
    let plain = |mut answer: Value| {
        answer.as_object_mut().unwrap().remove("page");
        for row in answer["classes"].as_array_mut().unwrap() {
            row.as_object_mut().unwrap().remove("seconds");
        }
        answer
    };
    assert_eq!(plain(found.json()), plain(run(&at("alone"), &[]).json()));
    let page = fs::read_to_string(format!("{together}/index.html")).unwrap();
    assert!(page.contains("href=\"Slot/report.html\""), "{page}");
    refused(&run(&together, &["--only-class", "Slto"]), &["--only-class", "`Slto`", "did you mean `Slot`?"]);
    refused(&adit(&["mine", "Slot", "--only-class", "Slot"]), &["--all"]);
}

#[test]
fn a_folder_without_a_model_has_a_page_of_reasons() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Mark.java", "public @interface Mark { }")]);
    let out = classes.path().join("out");
    let (path, shown) = (classes.path().display().to_string(), out.display().to_string());
    let mined = adit(&["mine", "--all", &path, "-o", &shown, "--budget", "100tests"]);
    assert_eq!(mined.code, 0, "{}", mined.err);
    fs::remove_file(out.join("index.html")).unwrap();
    let again = adit(&["report", &shown]);
    assert_eq!(again.code, 0, "{}", again.err);
    let page = fs::read_to_string(out.join("index.html")).unwrap();
    assert!(page.contains("Classes without a model") && page.contains("annotation"), "{page}");
}

#[test]
fn what_is_no_jar_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    refused(&adit(&["mine", "--all", &path]), &["no public class", "target/classes"]);
    refused(&adit(&["mine", "--all", "/nowhere/at-all.jar"]), &["/nowhere/at-all.jar"]);
    refused(&adit(&["mine", "--all", &path, "--only", "add"]), &["--all", "--only"]);
}
