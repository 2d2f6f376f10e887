//! Violations as text and as JSON.

use std::fmt::Write as _;

use adit_jvm::record::watch::CodePlace;
use adit_jvm::record::{Outcome, Recorded, TaskEnd};
use serde_json::{Value, json};

use super::watch::{HistoryEvent, Report, Violation};

/// Number of frames that a violation shows to people.
const FRAMES_SHOWN: usize = 8;

/// The violations for people: the place, the rule, the stack, and the events of the object.
pub(super) fn text(report: &Report) -> String {
    let mut text = String::new();
    for violation in &report.found {
        let place = violation.place.as_ref().map_or_else(|| "unknown place".to_owned(), ToString::to_string);
        let _ = write!(text, "{place}: {}", violation.rule);
        if violation.times > 1 {
            let _ = write!(text, " ({} times)", violation.times);
        }
        text.push('\n');
        if let Some(test) = &violation.test {
            let expected = if violation.expected { ", which expects an exception" } else { "" };
            let _ = writeln!(text, "    in {test}{expected}");
        }
        let _ = writeln!(text, "    stack of {}:", violation.threw.as_deref().unwrap_or("the call"));
        for frame in violation.stack.iter().take(FRAMES_SHOWN) {
            let _ = writeln!(text, "        {frame}");
        }
        if violation.stack.len() > FRAMES_SHOWN {
            let _ =
                writeln!(text, "        … and {} more; --json has all", violation.stack.len() - FRAMES_SHOWN);
        }
        let _ = writeln!(text, "    events of the object before:");
        for (number, event) in violation.history.iter().enumerate() {
            let place = event.place.as_ref().map(|place| format!("  {}", short(place))).unwrap_or_default();
            let _ = writeln!(text, "        {}{place}", event.event);
            if number == 0 && violation.history_lost > 0 {
                let _ = writeln!(text, "        … {} more", violation.history_lost);
            }
        }
    }
    text
}

/// The file and line of a place.
fn short(place: &CodePlace) -> String {
    match (&place.file, place.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        _ => place.to_string(),
    }
}

pub(super) fn json(report: &Report, recorded: &Recorded, compared: Option<Value>) -> Value {
    let models: Vec<Value> = report
        .models
        .iter()
        .map(|seen| {
            json!({
                "class": seen.class,
                "objects": seen.objects,
                "created": seen.created,
                "calls": seen.calls,
                "unknown_calls": seen.unknown_calls,
            })
        })
        .collect();
    let failed = recorded.tests.iter().filter(|test| matches!(test.outcome, Outcome::Failed { .. })).count();
    let end = match &recorded.end {
        TaskEnd::Finished => json!("finished"),
        TaskEnd::TimedOut => json!("timed out"),
        TaskEnd::Stopped(_) => json!("stopped"),
        TaskEnd::Exited { code } => json!({ "exit_code": code }),
        TaskEnd::Died { how } => json!({ "died": how }),
    };
    json!({
        "violations": report.found.iter().map(violation).collect::<Vec<_>>(),
        "contradictions": report.contradictions.iter().map(violation).collect::<Vec<_>>(),
        "models": models,
        "objects": report.objects(),
        "calls": report.calls(),
        "subclasses": report.subclasses,
        "tests": recorded.tests.len(),
        "failed": failed,
        "end": end,
        "not_watched": recorded.left,
        "seconds": recorded.elapsed.as_secs_f64(),
        "compare": compared,
    })
}

fn violation(violation: &Violation) -> Value {
    json!({
        "model": violation.model,
        "class": &*violation.class,
        "object": violation.object,
        "rule": violation.rule,
        "state": violation.state,
        "event": violation.event,
        "threw": violation.threw,
        "certain": violation.certain,
        "expected": violation.expected,
        "place": violation.place.as_ref().map(frame),
        "stack": violation.stack.iter().map(frame).collect::<Vec<_>>(),
        "test": violation.test.as_deref(),
        "history": violation.history.iter().map(event).collect::<Vec<_>>(),
        "history_lost": violation.history_lost,
        "times": violation.times,
    })
}

fn frame(place: &CodePlace) -> Value {
    json!({
        "class": &*place.class,
        "method": &*place.method,
        "file": place.file.as_deref(),
        "line": place.line,
    })
}

fn event(event: &HistoryEvent) -> Value {
    json!({ "event": event.event, "place": event.place.as_ref().map(frame) })
}
