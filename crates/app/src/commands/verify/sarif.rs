//! Findings as SARIF 2.1.0, with the path of events as a code flow.

use std::collections::BTreeSet;

use adit_verify::{Certainty, Finding, PathEvent};
use serde_json::{Value, json};

use super::{baseline, forms};

/// The log of a run.
pub(super) fn log(findings: &[Finding], source_root: Option<&str>) -> Value {
    let rules: BTreeSet<(String, &str)> = findings.iter().map(|one| (rule_id(one), &*one.rule)).collect();
    // One rule has one text; rules that differ only in how the state came about share an id.
    let mut ids: Vec<String> = Vec::new();
    let mut descriptors = Vec::new();
    for (id, text) in rules {
        if ids.contains(&id) {
            continue;
        }
        descriptors.push(json!({
            "id": id,
            "shortDescription": {"text": text},
            "fullDescription": {"text": format!("{text}. The typestate of the class refuses it.")},
            "defaultConfiguration": {"level": "error"},
        }));
        ids.push(id);
    }
    let results: Vec<Value> = findings.iter().map(|finding| result(finding, &ids, source_root)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "adit",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": descriptors,
            }},
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    })
}

/// `java.util.Scanner/next()!IllegalStateException`.
fn rule_id(finding: &Finding) -> String {
    format!("{}/{}", finding.model, finding.event)
}

fn result(finding: &Finding, ids: &[String], source_root: Option<&str>) -> Value {
    let id = rule_id(finding);
    let here = PathEvent {
        class: finding.class.as_str().into(),
        method: finding.method.as_str().into(),
        file: finding.file.as_deref().map(Into::into),
        line: finding.line,
        event: finding.event.clone(),
        decisive: true,
    };
    let steps: Vec<Value> = finding
        .path
        .iter()
        .chain([&here])
        .enumerate()
        .map(|(at, event)| {
            json!({
                "executionOrder": at + 1,
                "importance": if event.decisive { "essential" } else { "unimportant" },
                "location": location(event, source_root, Some(&event.event)),
            })
        })
        .collect();
    json!({
        "ruleId": id,
        "ruleIndex": ids.iter().position(|known| *known == id),
        "level": match finding.certainty {
            Certainty::Certain => "error",
            Certainty::Possible => "warning",
            Certainty::Unchecked => "note",
        },
        "kind": "fail",
        "message": {"text": format!("{} ({})", finding.rule, finding.certainty.name())},
        "locations": [location(&here, source_root, None)],
        "codeFlows": [{"threadFlows": [{"locations": steps}]}],
        "partialFingerprints": {"adit/v1": fingerprint(finding)},
        "properties": {
            "certain": finding.certainty == Certainty::Certain,
            "certainty": finding.certainty.name(),
            "state": finding.state,
        },
    })
}

fn location(event: &PathEvent, source_root: Option<&str>, message: Option<&str>) -> Value {
    let uri = uri(&forms::source_path(&event.class, event.file.as_deref(), source_root));
    let mut physical = json!({"artifactLocation": {"uri": uri}});
    if let Some(line) = event.line.filter(|&line| line > 0) {
        physical["region"] = json!({"startLine": line});
    }
    let mut location = json!({
        "physicalLocation": physical,
        "logicalLocations": [{
            "fullyQualifiedName": format!("{}.{}", event.class, event.method),
            "kind": "function",
        }],
    });
    if let Some(message) = message {
        location["message"] = json!({"text": message});
    }
    location
}

/// A relative path as a URI reference.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'$' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// A number that stays the same when lines move.
fn fingerprint(finding: &Finding) -> String {
    let [one, two] = super::cache::hash(baseline::key(finding).as_bytes());
    format!("{one:016x}{two:016x}")
}
