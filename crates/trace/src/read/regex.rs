//! `regex`: any log, a line an event, by a regular expression with named groups.
//!
//! ```text
//! ^(?<time>\S+ \S+) \[(?<trace>[^]]+)\] (?<event>\w+)(?: -> (?<returned>\w+))?
//! ```
//! See [`super::Pattern`] for the groups. Without a group `trace` the log is one trace, and lines `--`
//! separate several. Blank lines are nothing. A line that does not match is an error unless such lines are to
//! be skipped: a pattern that silently misses every tenth line makes a wrong model.

use std::io::Read;

use regex::Captures;

use super::error::{Halt, Problem};
use super::group::Groups;
use super::pattern::Pattern;
use super::stream::{SEPARATOR, Streamed};
use super::target::{Spelled, Target};
use super::text::{Blocks, Line};
use super::value::value_of;
use super::{ReadError, Reading, time};
use crate::{Event, Outcome};

pub(crate) fn read<R: Read>(reading: Reading<'_, R, impl Target>) -> Result<(), Halt> {
    let Reading { source, options, target, summary } = reading;
    let Some(pattern) = &options.pattern else {
        return Err(ReadError::of_file(source.name(), Problem::NoPattern).into());
    };
    // Without an order to restore, events of one trace at a time need not be held.
    let grouped = pattern.groups.trace.is_some() || options.sort_by_time;
    let mut groups = Groups::new(options);
    let mut trace = Streamed::default();
    Blocks::new(source, options.max_line).each_line(|line| {
        if line.text.trim().is_empty() {
            return Ok(());
        }
        if pattern.groups.trace.is_none() && line.text.trim() == SEPARATOR {
            return if grouped { groups.close("", target, summary) } else { trace.end(target, summary) };
        }
        let Some(captures) = pattern.captures(line.text) else {
            if options.skip_unmatched {
                summary.skipped += 1;
                return Ok(());
            }
            return Err(no_match(pattern, &line).into());
        };
        let event = event(pattern, &captures, &line)?;
        let full = |_| Halt::from(line.error(0, Problem::TooManyLabels { limit: options.max_labels }));
        if !grouped {
            return trace.event(event, target)?.map_err(full);
        }
        let at = pattern.groups.time.and_then(|time| captures.get(time));
        let when = at.and_then(|at| time::parse(at.as_str()));
        if let (true, None, Some(at)) = (options.sort_by_time, when, at) {
            return Err(line.error(at.start(), Problem::Time { text: at.as_str().to_owned() }).into());
        }
        let id = pattern.groups.trace.and_then(|trace| captures.get(trace)).map_or("", |id| id.as_str());
        let number = target.number_to_keep(event).map_err(full)?;
        groups.add(id, number, when, summary);
        Ok(())
    })?;
    trace.end_if_begun(target, summary)?;
    groups.finish(target, summary)
}

/// The error for a line that the pattern does not match.
pub(super) fn no_match(pattern: &Pattern, line: &Line<'_>) -> ReadError {
    let (at, what) = pattern.mismatch(line.text);
    line.error(at, Problem::NoMatch { what })
}

/// The event of a line that the pattern matches.
pub(super) fn event<'l>(
    pattern: &Pattern,
    captures: &Captures<'l>,
    line: &Line<'_>,
) -> Result<Spelled<'l>, ReadError> {
    let part =
        |group: Option<usize>| group.and_then(|group| captures.get(group)).map(|part| part.as_str().trim());
    let word = match captures.get(pattern.groups.event) {
        Some(word) if !word.as_str().trim().is_empty() => word.as_str().trim(),
        other => {
            let at = other.map_or(0, |word| word.start());
            return Err(line.error(at, Problem::NoMatch { what: "group `event` is empty here, so".into() }));
        }
    };
    let outcome = match (part(pattern.groups.threw), part(pattern.groups.returned)) {
        (Some(class), _) if !class.is_empty() => Outcome::Threw(class.to_owned()),
        (_, Some(value)) if !value.is_empty() => Outcome::Returned(value_of(value)),
        _ => return Ok(Spelled::Word(word)),
    };
    Ok(Spelled::Event(Event { outcome, ..Event::from_spelling(word) }))
}
