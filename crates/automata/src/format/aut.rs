//! AUT, the Aldebaran format of CADP and mCRL2: `des (initial, transitions, states)`, then `(from, "label",
//! to)`.
//!
//! AUT knows labeled transition systems: one initial state, no final states, no comments. So
//! * a transition `exit`, which is how LOTOS writes successful termination, leads from every accepting state
//!   to one more state; a file without `exit` accepts everywhere;
//! * several initial states are reached from one more state by the internal event `i`;
//! * labels that no transition uses and maybe transitions are remarks on loops of a state that nothing
//!   reaches;
//! * in labels, `%` and two hexadecimal digits stand for a byte, where the character itself would be misread.
//!
//! Names, predicates, refusals and guards are lost.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Written;
use super::draft::{Draft, DraftEdge, Unmarked};
use super::error::FormatError;
use super::notes::{Notes, Remarks};
use super::scan::{File, Remark, Scanner};
use crate::{Fsa, State};

/// Writes `fsa`, and lists what was lost.
pub(super) fn write(fsa: &Fsa<String>) -> Written {
    let mut states = fsa.len();
    let mut more = || {
        states += 1;
        states - 1
    };
    let mut lines = Vec::with_capacity(fsa.transitions());
    // A reader takes a last initial state with `i` transitions for one of our making, so `i` must not look
    // like that.
    let hide_i = fsa.initial() == [fsa.len() - 1];
    for edge in fsa.all_edges() {
        lines.push(format!("({},\"{}\",{})", edge.from, encode(edge.label, hide_i), edge.to));
    }
    if fsa.states().any(|state| !fsa.is_accepting(state)) {
        let end = more();
        let before = lines.len();
        lines.extend(
            fsa.states()
                .filter(|&state| fsa.is_accepting(state))
                .map(|state| format!("({state},\"exit\",{end})")),
        );
        if lines.len() == before {
            lines.push(format!("({end},\"exit\",{end})"));
        }
    }
    let first = match fsa.initial() {
        [state] => *state,
        several => {
            let start = more();
            lines.extend(several.iter().map(|state| format!("({start},\"i\",{state})")));
            start
        }
    };
    let mut remarks = Remarks::about(fsa);
    remarks.unused_labels();
    remarks.maybes();
    if !remarks.lines.is_empty() {
        let legend = more();
        for remark in &remarks.lines {
            lines.push(format!("({legend},\"adit: {}\",{legend})", percent(remark)));
        }
    }
    let mut text = format!("des ({first}, {}, {states})\n", lines.len());
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
    Written { text, lost: lost(fsa) }
}

fn lost(fsa: &Fsa<String>) -> Vec<String> {
    let mut lost = Vec::new();
    let mut say = |count: usize, what: &str| {
        if count > 0 {
            lost.push(format!(
                "AUT has no place for {what}: {count} of them {} lost",
                if count == 1 { "is" } else { "are" }
            ));
        }
    };
    say(fsa.states().filter(|&state| fsa.name(state).is_some()).count(), "names of states");
    say(fsa.states().map(|state| fsa.predicates(state).len()).sum(), "predicates of states");
    say(fsa.states().map(|state| fsa.refusals(state).len()).sum(), "refusals of states");
    say(fsa.all_edges().filter(|edge| edge.guard.is_some()).count(), "guards of transitions");
    lost
}

/// A label as it stands between quotes.
fn encode(label: &str, hide_i: bool) -> String {
    let special = label == "exit" || label.starts_with("adit:") || (hide_i && label == "i");
    let encoded = percent(label);
    if special { format!("%{:02X}{}", label.as_bytes()[0], &encoded[1..]) } else { encoded }
}

/// `text` with a percent sign and two digits for what cannot stand in a label.
fn percent(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || matches!(c, '"' | '\\' | '%') {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                out.push_str(&format!("%{byte:02X}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// The opposite of [`percent`]. A percent sign that no two digits follow stands for itself, as in others'
/// files.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = |digit: u8| (digit as char).to_digit(16);
        let coded = match (first, after) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)).map(|(high, low)| (high * 16 + low) as u8),
            _ => None,
        };
        bytes.push(coded.unwrap_or(*first));
        rest = if coded.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// A transition as the file has it, the label still encoded.
struct Line<'a> {
    from: State,
    label: &'a str,
    to: State,
    at: usize,
}

/// Reads a transition system.
pub(super) fn read(file: File<'_>) -> Result<Fsa<String>, FormatError> {
    let mut lines = file.lines().filter(|(_, line)| !line.trim().is_empty());
    let (at, line) = lines.next().unwrap_or_default();
    let header = header(file, line, at)?;
    let mut edges = Vec::new();
    for (at, line) in lines {
        let edge = transition(file, line, at)?;
        for state in [edge.from, edge.to] {
            if state >= header.states {
                let problem = format!("there is no state {state}: the first line declares {}", header.states);
                let help = format!(
                    "states are 0 to {}; raise the third number of the first line",
                    header.states.max(1) - 1
                );
                return Err(file.error(at..at + line.len(), problem, help));
            }
        }
        edges.push(edge);
    }
    if edges.len() as u64 != header.transitions.0 {
        let (count, span) = header.transitions;
        let problem = format!("the number of transitions is declared as {count} and is {}", edges.len());
        return Err(file.error(
            span,
            problem,
            format!("write {} here, or was the file cut off?", edges.len()),
        ));
    }
    let mut draft = Draft::with_states(header.states);
    draft.initial.insert(header.first);
    let notes = fold(file, edges, &mut draft)?;
    draft.finish(file, notes, Unmarked::AllAccept)
}

struct Header {
    first: State,
    transitions: (u64, Range<usize>),
    states: usize,
}

fn header(file: File<'_>, line: &str, at: usize) -> Result<Header, FormatError> {
    let mut scanner = Scanner::part(file, line, at);
    scanner.expect("des", "at the start of an AUT file")?;
    scanner.expect("(", "after `des`")?;
    let (first, first_span) = scanner.expect_number("the number of the initial state")?;
    scanner.expect(",", "after the initial state")?;
    let transitions = scanner.expect_number("the number of transitions")?;
    scanner.expect(",", "after the number of transitions")?;
    let (states, span) = scanner.expect_number("the number of states")?;
    scanner.expect(")", "after the number of states")?;
    let states = file.state_count(states, span)?;
    if first as usize >= states {
        let problem = format!("the initial state is {first} and there are {states} states");
        return Err(file.error(
            first_span,
            problem,
            "the initial state must be smaller than the number of states",
        ));
    }
    Ok(Header { first: first as State, transitions, states })
}

/// A line `(from, label, to)`, the label with or without quotes.
fn transition<'a>(file: File<'a>, line: &'a str, at: usize) -> Result<Line<'a>, FormatError> {
    let wrong =
        |problem: &str| file.error(at..at + line.len(), problem, "a transition reads (from, \"label\", to)");
    let inner = line.trim().strip_prefix('(').and_then(|line| line.strip_suffix(')'));
    let inner = inner.ok_or_else(|| wrong("a transition should stand here, in parentheses"))?;
    let parts = inner.split_once(',').and_then(|(from, rest)| Some((from, rest.rsplit_once(',')?)));
    let (from, (label, to)) = parts.ok_or_else(|| wrong("this transition does not have three parts"))?;
    let number = |text: &str| {
        let number = text
            .trim()
            .parse::<u32>()
            .map_err(|_| wrong(&format!("`{}` is not a state's number", text.trim())))?;
        Ok(number as State)
    };
    let label = label.trim();
    let label = match label.strip_prefix('"') {
        Some(rest) => rest.strip_suffix('"').ok_or_else(|| wrong("the label's quotes are not closed"))?,
        None => label,
    };
    if label.is_empty() {
        return Err(wrong("the label is empty"));
    }
    let offset = label.as_ptr() as usize - line.as_ptr() as usize;
    Ok(Line { from: number(from)?, label, to: number(to)?, at: at + offset })
}

/// Puts the transitions into `draft`, without those that stand for something else, which become notes.
fn fold(file: File<'_>, edges: Vec<Line<'_>>, draft: &mut Draft) -> Result<Notes, FormatError> {
    let mut gone = BTreeSet::new();
    let (legend, edges): (Vec<_>, Vec<_>) =
        edges.into_iter().partition(|edge| edge.from == edge.to && edge.label.starts_with("adit:"));
    gone.extend(legend.iter().map(|edge| edge.from));

    // A state is an end when `exit` is the only way to it and the only way from it is to itself.
    let mut ends: BTreeSet<State> =
        edges.iter().filter(|edge| edge.label == "exit").map(|edge| edge.to).collect();
    for edge in &edges {
        let exit = edge.label == "exit";
        if !(exit && edge.from == edge.to) {
            ends.remove(&edge.from);
        }
        if !exit {
            ends.remove(&edge.to);
        }
    }
    ends.retain(|state| !draft.initial.contains(state));
    let (exits, edges): (Vec<_>, Vec<_>) =
        edges.into_iter().partition(|edge| edge.label == "exit" && ends.contains(&edge.to));
    gone.extend(&ends);

    let first = draft.initial.first().copied().unwrap_or_default();
    let from_first = edges.iter().filter(|edge| edge.from == first).count();
    let made_start = from_first > 1
        && (first + 1..draft.accepting.len()).all(|state| gone.contains(&state))
        && edges.iter().all(|edge| edge.to != first && (edge.from != first || edge.label == "i"))
        && exits.iter().all(|edge| edge.from != first);
    if made_start {
        gone.insert(first);
        draft.initial = edges.iter().filter(|edge| edge.from == first).map(|edge| edge.to).collect();
    }
    for edge in edges.into_iter().filter(|edge| !(made_start && edge.from == first)) {
        gone.remove(&edge.from);
        gone.remove(&edge.to);
        draft.edges.push(DraftEdge::plain(edge.from, decode(edge.label), edge.to));
    }
    for edge in &exits {
        draft.accepting[edge.from] = true;
        if !ends.contains(&edge.from) {
            gone.remove(&edge.from);
        }
    }
    gone.retain(|state| !draft.initial.contains(state));
    draft.remove(&gone);

    let remarks: Vec<(usize, String)> = legend
        .iter()
        .map(|edge| (edge.at, decode(edge.label.strip_prefix("adit:").unwrap_or_default())))
        .collect();
    let remarks: Vec<Remark<'_>> = remarks.iter().map(|(at, text)| Remark { at: *at, text }).collect();
    let mut notes = Notes::read(file, &remarks)?;
    if !exits.is_empty() {
        let marked = (0..draft.accepting.len()).filter(|&state| draft.accepting[state]);
        notes.accepting.get_or_insert_with(|| marked.map(|state| (state, 0)).collect());
    }
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs_come_back() {
        for label in ["plain", "a\"b\\c%d\n", "ü\u{85}", "exit", "adit: x", "i", "%", "%4"] {
            assert_eq!(decode(&encode(label, true)), label);
        }
        assert_eq!(decode("100% sure %zz %F"), "100% sure %zz %F", "others' percent signs are not ours");
    }

    #[test]
    fn labels_with_commas_and_without_quotes() {
        let file = File { name: "x", text: "", spelling: super::super::Spelling::PLAIN };
        for (line, label) in
            [("(0,\"a,b\",1)", "a,b"), ("(0, send !1, 2, 1)", "send !1, 2"), ("( 0 , a , 1 )", "a")]
        {
            assert_eq!(transition(file, line, 0).unwrap().label, label);
        }
    }
}
