//! The log of `adit verify --sarif` against the JSON schema of SARIF 2.1.0.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod driver;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use driver::adit;
use driver::java::java;
use driver::schema::violation;
use serde_json::{Value, json};

/// Certain, possible and unchecked findings, a rule over two objects, a path through another method, a
/// lambda, and names that a URI cannot have as they are.
const CLIENTS: &str = r#"package shop.größe;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Scanner;
import java.util.function.Supplier;

class Clients {
    String certain() {
        Scanner scanner = new Scanner("a");
        end(scanner);
        return scanner.next();
    }

    private static void end(Scanner scanner) {
        scanner.close();
    }

    String possible(boolean close) {
        Scanner scanner = new Scanner("a");
        if (close) {
            scanner.close();
        }
        return scanner.next();
    }

    String unchecked() {
        return new Scanner("").next();
    }

    String changed(List<String> more) {
        ArrayList<String> all = new ArrayList<>(more);
        Iterator<String> it = all.iterator();
        all.add("more");
        return it.next();
    }

    Supplier<String> later() {
        return () -> {
            Scanner scanner = new Scanner("a");
            scanner.close();
            return scanner.next();
        };
    }

    static class Größe$1 {
        void enter() {
            Door door = new Door();
            door.shut();
        }
    }
}
"#;

const DOOR: &str = "package shop.größe;

class Door {
    private boolean isOpen;

    void open() {
        isOpen = true;
    }

    void shut() {
        if (!isOpen) {
            throw new IllegalStateException();
        }
        isOpen = false;
    }
}
";

const DOOR_MODEL: &str = r#"{"format":"adit-model","version":1,"title":"shop.größe.Door","initial":[0],
    "states":[{"id":0,"accepting":false},
              {"id":1,"accepting":true,"refuses":["shut!IllegalStateException"]},
              {"id":2,"accepting":true}],
    "edges":[{"from":0,"event":"Door","to":1},{"from":1,"event":"open","to":2},
             {"from":2,"event":"open","to":2},{"from":2,"event":"shut","to":1}]}"#;

fn schema() -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sarif/sarif-schema-2.1.0.json");
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

/// Runs `adit verify` with these arguments and returns its log, which must be valid.
fn log(schema: &Value, folder: &Path, arguments: &[&str]) -> Value {
    let file = folder.join("adit.sarif").display().to_string();
    let run = adit(&[&["verify", "--sarif", &file], arguments].concat());
    assert!(run.code < 2, "{}", run.err);
    let log: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    fs::remove_file(&file).unwrap();
    assert_eq!(violation(schema, schema, &log, "log"), None, "{arguments:?}: {log:#}");
    log
}

fn results(log: &Value) -> &[Value] {
    log["runs"][0]["results"].as_array().map(Vec::as_slice).unwrap_or_default()
}

#[test]
fn the_log_is_valid_for_every_kind_of_finding() {
    let Some(java) = java() else { return };
    let schema = schema();
    let folder = java.compile(&[("Clients.java", CLIENTS), ("Door.java", DOOR)]);
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (classes, model, baseline) =
        (folder.path().display().to_string(), at("door.json"), at("known findings.txt"));
    fs::write(&model, DOOR_MODEL).unwrap();

    // Several models, all kinds of findings.
    let all = ["--shipped", "--unchecked", &model, &classes];
    let everything = log(&schema, folder.path(), &all);
    let levels: BTreeSet<&str> =
        results(&everything).iter().filter_map(|one| one["level"].as_str()).collect();
    assert_eq!(levels, BTreeSet::from(["error", "note", "warning"]), "{everything:#}");
    let rules: BTreeSet<&str> = results(&everything)
        .iter()
        .filter_map(|one| one["ruleId"].as_str()?.split(['/', '(', '!']).next())
        .collect();
    assert_eq!(rules, BTreeSet::from(["java.util.Iterator", "java.util.Scanner", "shop.größe.Door"]));
    // A schema cannot say that references fit, and that identifiers are unique.
    let known = everything["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let ids: BTreeSet<&str> = known.iter().filter_map(|rule| rule["id"].as_str()).collect();
    assert_eq!(ids.len(), known.len(), "ids are unique");
    for result in results(&everything) {
        assert_eq!(known[result["ruleIndex"].as_u64().unwrap() as usize]["id"], result["ruleId"]);
        let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
        assert!(flow.len() >= 2, "{result:#}");
    }

    // A folder of sources whose name is no URI, and a baseline that accepts some findings or all.
    let written = [&all[..], &["--source-root", "my sources/ü%", "--write-baseline", &baseline]].concat();
    assert_eq!(results(&log(&schema, folder.path(), &written)).len(), results(&everything).len());
    let accepted = [&all[..], &["--baseline", &baseline]].concat();
    assert_eq!(results(&log(&schema, folder.path(), &accepted)), [] as [Value; 0]);
    let lines = fs::read_to_string(&baseline).unwrap();
    let scanners: String =
        lines.lines().filter(|line| !line.contains("Door")).flat_map(|l| [l, "\n"]).collect();
    fs::write(&baseline, scanners).unwrap();
    let doors = log(&schema, folder.path(), &accepted);
    assert_eq!(results(&doors).len(), 1, "{doors:#}");

    // No line numbers, and no names of source files.
    let bare = tempfile::tempdir().unwrap();
    let sources: Vec<PathBuf> = ["Clients.java", "Door.java"].map(|name| folder.path().join(name)).into();
    java.compile_with(&["-g:none"], &sources, "", bare.path());
    let without = log(&schema, bare.path(), &["--unchecked", &bare.path().display().to_string()]);
    assert!(results(&without).iter().all(|one| one["locations"][0]["physicalLocation"]["region"].is_null()));
    assert!(!results(&without).is_empty());
}

/// A check that accepts everything would make the test above worthless.
#[test]
fn the_schema_rejects_what_the_standard_forbids() {
    let schema = schema();
    let right = json!({
        "version": "2.1.0",
        "runs": [{"tool": {"driver": {"name": "adit"}}, "results": [{
            "level": "error",
            "message": {"text": "wrong order"},
            "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": "a/B.java"}, "region": {"startLine": 1},
            }}],
        }]}],
    });
    assert_eq!(violation(&schema, &schema, &right, "log"), None);
    let result = "/runs/0/results/0";
    let physical = "/runs/0/results/0/locations/0/physicalLocation";
    for (place, key, value) in [
        ("", "version", json!("2.0.0")),
        (result, "level", json!("fatal")),
        (result, "message", json!("a text")),
        (result, "ruleIndex", json!(-2)),
        (result, "certainty", json!("certain")),
        (result, "partialFingerprints", json!({"adit/v1": 1})),
        (result, "codeFlows", json!([{"threadFlows": []}])),
        (result, "tags", json!([])),
        (&format!("{result}/message"), "arguments", json!([1])),
        // Formats and patterns that the check does not know are no silent yes.
        (result, "guid", json!("1")),
        (&format!("{physical}/region"), "startLine", json!(0)),
        (&format!("{physical}/artifactLocation"), "uri", json!("my sources/B.java")),
    ] {
        let mut wrong = right.clone();
        wrong.pointer_mut(place).unwrap()[key] = value;
        let found = violation(&schema, &schema, &wrong, "log");
        assert!(found.as_ref().is_some_and(|found| found.contains(key)), "{place}/{key}: {found:?}");
    }
}
