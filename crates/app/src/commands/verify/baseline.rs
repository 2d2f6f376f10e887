//! Known findings that a user accepts, one on a line, so that a baseline reads well in a review.

use std::collections::BTreeSet;
use std::path::Path;

use adit_verify::Finding;
use miette::Report;

use crate::errors::bad_input;
use crate::input::{open, read_whole};
use crate::output::{Target, write_failed};

const FIRST_LINE: &str = "# adit verify baseline 1";

/// Identity of a finding, which survives moved lines: its class, method, model, event and rule.
pub(super) fn key(finding: &Finding) -> String {
    format!("{}\t{}\t{}\t{}\t{}", finding.class, finding.method, finding.model, finding.event, finding.rule)
}

pub(super) fn read(path: &Path) -> Result<BTreeSet<String>, Report> {
    let (name, bytes) = read_whole(open(path)?)?;
    let wrong = |what: String| {
        bad_input(format!("{name}: {what}"), "write it again: `adit verify … --write-baseline FILE`")
    };
    let text = String::from_utf8(bytes).map_err(|_| wrong("not a text file".to_owned()))?;
    let mut lines = text.lines().enumerate();
    if lines.next().map(|(_, line)| line.trim_end()) != Some(FIRST_LINE) {
        return Err(wrong(format!("not a baseline of this version; the first line is not `{FIRST_LINE}`")));
    }
    let mut known = BTreeSet::new();
    for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#')) {
        if line.split('\t').count() != 5 {
            return Err(wrong(format!("line {} does not have five parts separated by tabs", at + 1)));
        }
        known.insert(line.to_owned());
    }
    Ok(known)
}

pub(super) fn write(path: &Path, findings: &[Finding]) -> Result<(), Report> {
    let keys: BTreeSet<String> = findings.iter().map(key).collect();
    let mut text = format!("{FIRST_LINE}\n");
    for key in keys {
        text.push_str(&key);
        text.push('\n');
    }
    Target::new(Some(path)).write(|out| out.write_all(text.as_bytes()).map_err(write_failed))
}
