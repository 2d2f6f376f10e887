//! Agreement of everything that adit says about a class: no surviving property is violated by the model
//! beside it, and no figure differs between the files, the terminal and the page.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod driver;

use std::fs;
use std::path::{Path, PathBuf};

use driver::adit;
use driver::agreement::{assert_agrees, disagreements};
use driver::java::{CELL, java};
use serde_json::json;

/// The folders in `docs/examples`, each with a model.
fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("model.json").exists())
        .collect();
    found.sort();
    found
}

#[test]
fn the_examples_agree_with_themselves() {
    let all = examples();
    assert!(all.len() >= 8, "`evals examples` writes a folder for each class: {}", all.len());
    all.iter().for_each(|folder| assert_agrees(folder));
}

/// A class with a status, whose `add` throws too late.
const BASKET: &str = "
public class Basket {
    public enum Status { OPEN, PAID, SENT }
    private Status status = Status.OPEN;
    private int items;
    public void add(int count) {
        if (status != Status.OPEN) throw new IllegalStateException();
        items++;
        if (count < 0) throw new IllegalArgumentException(\"count must not be negative\");
    }
    public void pay() { if (status != Status.OPEN || items == 0) throw new IllegalStateException(); status = Status.PAID; }
    public void send() { if (status != Status.PAID) throw new IllegalStateException(); status = Status.SENT; }
    public boolean isEmpty() { return items == 0; }
    public Status getStatus() { return status; }
    public boolean equals(Object other) { return ((Basket) other).items == items; }
    public int hashCode() { return items; }
}
";

#[test]
fn a_mined_folder_agrees_with_itself_and_with_the_terminal() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Cell.java", CELL), ("Basket.java", BASKET)]);
    let path = classes.path().display().to_string();
    for class in ["Cell", "Basket"] {
        let out = classes.path().join(format!("out-{class}"));
        let place = out.display().to_string();
        let flags = ["-c", &path, "--budget", "60000tests", "-o", &place];
        let told = adit(&[&["mine", class][..], &flags].concat());
        assert_eq!(told.code, 0, "{}", told.err);
        assert_agrees(&out);
        // The second round begins with what the first found, and says what it ends with.
        let said = adit(&[&["mine", class, "--json"][..], &flags].concat()).json();
        assert_agrees(&out);
        let status = adit(&["status", &place, "--json"]).json();
        for figure in ["states", "transitions", "not_explored", "realized", "walks"] {
            assert_eq!(status["model"][figure], said[figure], "{figure}: {status} {said}");
        }
        let walks = &said["walks"];
        let sentence = format!(
            "of {} random walks through the model, {} were reproduced on the class",
            walks["of"], walks["good"]
        );
        let status = adit(&["status", &place]).out;
        assert!(status.contains(&sentence), "{sentence}\n{status}");
    }
}

/// The properties of a folder are really asked.
#[test]
fn a_contradiction_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let model = json!({
        "format": "adit-model", "version": 1, "title": "Door", "alphabet": ["Door", "close", "open"],
        "initial": [0],
        "states": [{"id": 0, "accepting": true}, {"id": 1, "accepting": true}],
        "edges": [
            {"from": 0, "event": "Door", "to": 1}, {"from": 1, "event": "open", "to": 1},
            {"from": 1, "event": "close", "to": 1},
        ],
    });
    let property = |template: &str, a: &str, b: &str| json!({"template": template, "a": a, "b": b, "says": "", "support": 1, "fate": "not_attacked"});
    let write = |name: &str, content: &serde_json::Value| {
        fs::write(folder.path().join(name), content.to_string()).unwrap();
    };
    write("model.json", &model);
    let good = [property("NF", "open", "Door"), property("AP", "open", "Door")];
    write("properties.json", &json!({"version": 2, "pure": [], "properties": good}));
    assert_eq!(disagreements(folder.path()), Vec::<String>::new());
    let bad = [property("NF", "open", "Door"), property("NF", "open", "close")];
    write("properties.json", &json!({"version": 2, "pure": [], "properties": bad}));
    assert_eq!(disagreements(folder.path()), ["NF(open, close) and the model's word Door open close"]);
}

#[test]
fn findings_come_first_and_have_tests_that_pass() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Basket.java", BASKET)]);
    let path = classes.path().display().to_string();
    let out = classes.path().join("out");
    let place = out.display().to_string();
    let run = adit(&["mine", "Basket", "-c", &path, "--budget", "60000tests", "--quiet", "-o", &place]);
    assert_eq!(run.code, 0, "{}", run.err);
    let first: Vec<&str> = run.out.lines().take(4).collect();
    assert!(first[0].starts_with("3 findings (tests in "), "{first:?}");
    let threw = "    `add` threw IllegalArgumentException and changed the object: isEmpty true → false";
    assert!(first[1].starts_with(threw), "{first:?}");
    assert!(run.out.contains("    `equals(null)` threw NullPointerException\n"), "{}", run.out);
    // States have the names of their status.
    assert!(run.out.contains("(PAID)") && run.out.contains("(SENT)"), "{}", run.out);
    let found: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(out.join("findings.json")).unwrap()).unwrap();
    let one = &found["findings"][0];
    assert_eq!((&one["kind"], &one["method"]), (&json!("threw_and_changed"), &json!("add")));
    assert_eq!(one["message"], "count must not be negative");
    assert_eq!(one["fields"], json!([{"name": "items", "before": "0", "after": "1"}]));
    let source = fs::read_to_string(out.join("tests/BasketFindingsTest.java")).unwrap();
    for line in [
        "assertTrue(basket0.isEmpty());",
        "assertThrows(IllegalArgumentException.class",
        "// field items 0 → 1",
    ] {
        assert!(source.contains(line), "{line}\n{source}");
    }
    let passed = java.tests_pass(&out.join("tests/BasketFindingsTest.java"), "Basket", &path);
    assert!(passed.is_none_or(|passed| passed == 3), "{passed:?}");
    // The next round finds them again.
    let said =
        adit(&["mine", "Basket", "-c", &path, "--budget", "60000tests", "--json", "-o", &place]).json();
    assert_eq!(said["findings"].as_array().map(Vec::len), Some(3), "{said}");
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("threw_and_changed"));
}
