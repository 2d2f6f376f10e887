//! The regular expression by which a log is read, and where it stops matching.

use std::sync::{Arc, LazyLock};

use adit_suggest::nearest;
use miette::Diagnostic;
use regex::{Captures, Regex};
use thiserror::Error;

/// A regular expression with named groups.
///
/// `(?<event>…)` is needed; Texada's name `ETYPE` does as well. Optional are `trace` (which trace the event
/// belongs to; without it, all events are one trace, or several with lines `--` between), `time`, `returned`
/// and `threw`. Groups with other names are not used.
#[derive(Clone, Debug)]
pub struct Pattern {
    regex: Regex,
    pub(super) groups: Groups,
    /// Ever longer beginnings of the pattern, each with what it adds, to find out how far a line matches.
    /// They are compiled when the first line does not match, which for most logs is never.
    prefixes: Arc<LazyLock<Prefixes, Box<dyn FnOnce() -> Prefixes + Send>>>,
}

type Prefixes = Vec<(String, Regex)>;

/// The numbers of the groups that mean something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Groups {
    pub(super) event: usize,
    pub(super) trace: Option<usize>,
    pub(super) time: Option<usize>,
    pub(super) returned: Option<usize>,
    pub(super) threw: Option<usize>,
}

/// Names of groups by their meaning; the first is ours.
const EVENT: [&str; 3] = ["event", "ETYPE", "activity"];
const TRACE: [&str; 3] = ["trace", "case", "id"];
const TIME: [&str; 3] = ["time", "timestamp", "FTIME"];
const RETURNED: [&str; 2] = ["returned", "outcome"];
const THREW: [&str; 2] = ["threw", "exception"];

/// A fault of a pattern.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum PatternError {
    /// It is not a regular expression.
    #[error("invalid regular expression: {0}")]
    #[diagnostic(
        code(trace::pattern),
        help("see https://docs.rs/regex for the syntax, which has no look-around and no back-references")
    )]
    Syntax(String),
    /// It does not say what the event is.
    #[error("the pattern has no group `event`{groups}")]
    #[diagnostic(code(trace::pattern), help("{hint}"))]
    NoEvent {
        /// The groups it has, as the end of a sentence; empty when there are none.
        groups: String,
        /// A remedy.
        hint: String,
    },
}

impl Pattern {
    /// Compiles a pattern.
    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        let regex = Regex::new(pattern).map_err(|error| PatternError::Syntax(error.to_string()))?;
        let names: Vec<&str> = regex.capture_names().flatten().collect();
        let find = |wanted: &[&str]| {
            wanted.iter().find_map(|wanted| regex.capture_names().position(|name| name == Some(*wanted)))
        };
        let Some(event) = find(&EVENT) else {
            let mistyped = names.iter().find(|name| nearest(name, EVENT).is_some());
            let hint = match mistyped {
                Some(name) => format!("did you mean `event` where it says `{name}`?"),
                None => r"name the part that holds the event, as in `(?<event>\w+)`".to_owned(),
            };
            let groups = if names.is_empty() {
                String::new()
            } else {
                format!("; its groups are {}", names.join(", "))
            };
            return Err(PatternError::NoEvent { groups, hint });
        };
        let groups = Groups {
            event,
            trace: find(&TRACE),
            time: find(&TIME),
            returned: find(&RETURNED),
            threw: find(&THREW),
        };
        let text = pattern.to_owned();
        // A beginning that is no pattern by itself tells nothing.
        let compile = move || {
            let prefixes = prefixes(&text).into_iter();
            prefixes.filter_map(|(what, prefix)| Some((what, Regex::new(&prefix).ok()?))).collect()
        };
        Ok(Self { prefixes: Arc::new(LazyLock::new(Box::new(compile))), regex, groups })
    }

    /// The groups that the pattern finds in `line`.
    pub(super) fn captures<'l>(&self, line: &'l str) -> Option<Captures<'l>> {
        self.regex.captures(line)
    }

    /// The named groups and what they found.
    pub(super) fn found(&self, captures: &Captures<'_>) -> Vec<(String, String)> {
        self.regex
            .capture_names()
            .flatten()
            .filter_map(|name| Some((name.to_owned(), captures.name(name)?.as_str().to_owned())))
            .collect()
    }

    /// For a line that does not match: the byte up to which the beginning of the pattern does, and the part
    /// after it.
    pub(super) fn mismatch(&self, line: &str) -> (usize, String) {
        let mut reached = 0;
        for (what, prefix) in self.prefixes.iter() {
            match prefix.find(line) {
                Some(found) => reached = found.end(),
                None => return (reached, what.clone()),
            }
        }
        let what = match self.prefixes.last() {
            Some((what, _)) => format!("the part after {what}"),
            None => "any alternative".to_owned(),
        };
        (reached, what)
    }
}

/// The beginnings of `pattern` that end before and after a named group outside all others, each with what it
/// adds.
///
/// This reads just enough of the syntax: escapes, classes, and parentheses. Where an alternative at the top
/// level makes "the beginning" meaningless, there is none.
fn prefixes(pattern: &str) -> Vec<(String, String)> {
    let mut prefixes = Vec::new();
    let mut depth = 0usize;
    let mut class = 0usize;
    let mut name = None;
    let mut chars = pattern.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => {
                chars.next();
            }
            '[' => class += 1,
            ']' => class = class.saturating_sub(1),
            _ if class > 0 => {}
            '(' => {
                if depth == 0 {
                    let rest = &pattern[at..];
                    let named = rest.strip_prefix("(?<").or_else(|| rest.strip_prefix("(?P<"));
                    name = named.and_then(|rest| rest.split_once('>')).map(|(name, _)| name.to_owned());
                    if let Some(name) = &name {
                        prefixes.push((format!("the part before group `{name}`"), pattern[..at].to_owned()));
                    }
                }
                depth += 1;
            }
            ')' => {
                depth = depth.saturating_sub(1);
                if let Some(name) = name.take_if(|_| depth == 0) {
                    let mut end = at + 1;
                    while let Some(&(next, '*' | '+' | '?')) = chars.peek() {
                        end = next + 1;
                        chars.next();
                    }
                    prefixes.push((format!("group `{name}`"), pattern[..end].to_owned()));
                }
            }
            '|' if depth == 0 => return Vec::new(),
            _ => {}
        }
    }
    prefixes
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(pattern: &str, line: &str, expected: Expect) {
        let pattern = Pattern::new(pattern).unwrap();
        let actual = match pattern.captures(line) {
            Some(captures) => format!("{:?}", pattern.found(&captures)),
            None => format!("{:?}", pattern.mismatch(line)),
        };
        expected.assert_eq(&actual);
    }

    #[test]
    fn says_which_group_does_not_match() {
        let pattern = r"^(?<time>\d+:\d+) \[(?<trace>[^]]+)\] (?<event>[a-z]+)$";
        check(
            pattern,
            "10:20 [t1] open",
            expect![[r#"[("time", "10:20"), ("trace", "t1"), ("event", "open")]"#]],
        );
        check(pattern, "yesterday [t1] open", expect![[r#"(0, "group `time`")"#]]);
        check(pattern, "10:20 t1 open", expect![[r#"(5, "the part before group `trace`")"#]]);
        check(pattern, "10:20 [t1] OPEN", expect![[r#"(11, "group `event`")"#]]);
        check(pattern, "10:20 [t1] open!", expect![[r#"(15, "the part after group `event`")"#]]);
        check(r"x(?<event>a)|y", "z", expect![[r#"(0, "any alternative")"#]]);
        check(r"(?P<time>[(\]]x)?(?<ETYPE>a(b))", "q", expect![[r#"(0, "group `ETYPE`")"#]]);
    }

    #[test]
    fn unusable_patterns() {
        let help = |pattern: &str| {
            let error = Pattern::new(pattern).unwrap_err();
            format!("{error}\n{}", error.help().unwrap())
        };
        expect![[r#"
            the pattern has no group `event`; its groups are evnt
            did you mean `event` where it says `evnt`?"#]]
        .assert_eq(&help("(?<evnt>.*)"));
        expect![[r#"
            the pattern has no group `event`
            name the part that holds the event, as in `(?<event>\w+)`"#]]
        .assert_eq(&help("a(.*)"));
        assert!(help("(?<event>").contains("unclosed group"));
    }
}
