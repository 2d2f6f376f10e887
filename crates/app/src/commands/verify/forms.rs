//! A finding as text, as JSON and as an annotation.

use std::fmt::Write as _;

use adit_verify::{Certainty, Finding, PathEvent};
use serde_json::{Value, json};

/// A finding for people: the place, the rule, and how the object got there.
pub(super) fn text(finding: &Finding) -> String {
    let mut text = format!("{}: {}: {}\n", place(finding), finding.certainty.name(), finding.rule);
    for event in &finding.path {
        let line = event.line.map_or_else(|| "?".to_owned(), |line| line.to_string());
        let elsewhere = *event.class != *finding.class || *event.method != *finding.method;
        let method = if elsewhere { format!(" in {}.{}", event.class, event.method) } else { String::new() };
        let _ = writeln!(text, "    line {line}: {}{method}", event.event);
    }
    text
}

/// `com.acme.Foo.run(String) (Foo.java:12)`.
fn place(finding: &Finding) -> String {
    let file = finding.file.as_deref().unwrap_or("unknown source");
    let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}.{} ({file}{line})", finding.class, finding.method)
}

pub(super) fn json(finding: &Finding) -> Value {
    json!({
        "class": finding.class,
        "method": finding.method,
        "file": finding.file,
        "line": finding.line,
        "model": finding.model,
        "state": finding.state,
        "event": finding.event,
        "certain": finding.certainty == Certainty::Certain,
        "certainty": finding.certainty.name(),
        "path": finding.path.iter().map(event).collect::<Vec<_>>(),
        "rule": finding.rule,
    })
}

fn event(event: &PathEvent) -> Value {
    json!({
        "class": &*event.class,
        "method": &*event.method,
        "file": event.file.as_deref(),
        "line": event.line,
        "event": event.event,
        "decisive": event.decisive,
    })
}

/// A finding from its JSON, as the cache keeps it.
pub(super) fn from_json(value: &Value) -> Option<Finding> {
    let text = |name: &str| Some(value[name].as_str()?.to_owned());
    let line = |value: &Value| value["line"].as_u64().and_then(|line| u16::try_from(line).ok());
    Some(Finding {
        class: text("class")?,
        method: text("method")?,
        line: line(value),
        certainty: Certainty::from_name(value["certainty"].as_str()?)?,
        file: text("file"),
        model: text("model")?,
        state: text("state")?,
        event: text("event")?,
        path: value["path"]
            .as_array()?
            .iter()
            .map(|event| {
                Some(PathEvent {
                    class: event["class"].as_str()?.into(),
                    method: event["method"].as_str()?.into(),
                    file: event["file"].as_str().map(Into::into),
                    line: line(event),
                    event: event["event"].as_str()?.to_owned(),
                    decisive: event["decisive"].as_bool()?,
                })
            })
            .collect::<Option<Vec<_>>>()?,
        rule: text("rule")?,
    })
}

/// A workflow command of GitHub Actions.
pub(super) fn github(finding: &Finding, source_root: Option<&str>) -> String {
    let kind = match finding.certainty {
        Certainty::Certain => "error",
        Certainty::Possible => "warning",
        Certainty::Unchecked => "notice",
    };
    let file = source_path(&finding.class, finding.file.as_deref(), source_root);
    let line = finding.line.map(|line| format!(",line={line}")).unwrap_or_default();
    let title = match finding.certainty {
        Certainty::Unchecked => "unchecked call".to_owned(),
        certainty => format!("{} typestate violation", certainty.name()),
    };
    let mut message = finding.rule.clone();
    if let Some(last) = finding.path.iter().rev().find(|event| event.decisive)
        && let Some(line) = last.line
    {
        let _ = write!(message, " (`{}` in line {line})", last.event);
    }
    let property = |text: &str| {
        text.replace('%', "%25")
            .replace('\r', "%0D")
            .replace('\n', "%0A")
            .replace(':', "%3A")
            .replace(',', "%2C")
    };
    let data = message.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    format!("::{kind} file={}{line},title={}::{data}\n", property(&file), property(&title))
}

/// The source file of a class, below the folder of the sources.
pub(super) fn source_path(class: &str, file: Option<&str>, root: Option<&str>) -> String {
    let (package, simple) = class.rsplit_once('.').unwrap_or(("", class));
    let top = simple.split('$').next().unwrap_or(simple);
    let file = file.map_or_else(|| format!("{top}.java"), str::to_owned);
    let mut path = String::new();
    if let Some(root) = root {
        path.push_str(root.trim_end_matches('/'));
        path.push('/');
    }
    if !package.is_empty() {
        path.push_str(&package.replace('.', "/"));
        path.push('/');
    }
    path + &file
}
