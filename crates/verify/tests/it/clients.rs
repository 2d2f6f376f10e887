//! Every feature of the verifier on `tests/java/Clients.java`, whose comments say what is to be found.

use std::collections::BTreeMap;
use std::path::Path;

use crate::java::{compile, home, verifier, verify};

const SOURCE: &str = "tests/java/Clients.java";

#[test]
fn the_comments_name_exactly_the_findings() {
    let Some(home) = home() else { return };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(SOURCE);
    let text = std::fs::read_to_string(&source).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let classes = compile(&home, &source, folder.path());
    let reports = verify(&verifier(), &classes);
    assert!(reports.iter().all(|report| report.skipped.is_empty()));
    let mut found: BTreeMap<u16, &str> = BTreeMap::new();
    let mut rules = Vec::new();
    for finding in reports.iter().flat_map(|report| &report.findings) {
        let kind = if finding.certain { "certain" } else { "possible" };
        found.insert(finding.line.unwrap(), kind);
        rules.push(format!("{}: {}", finding.line.unwrap(), finding.rule));
        assert!(!finding.path.is_empty(), "{finding:?}");
    }
    let wanted: BTreeMap<u16, &str> = text
        .lines()
        .enumerate()
        .filter_map(|(at, line)| Some((at as u16 + 1, line.split_once("// ")?.1.trim())))
        .collect();
    assert!(wanted.len() > 25);
    assert_eq!(found, wanted, "{rules:#?}");
}
