//! fsm.txt, the text format of DSM and DICE: counts, then ids, then a transition a line.
//!
//! ```text
//! 1            how many initial states
//! S0           each of them
//! 1            how many final states
//! S1           each of them
//! 2            how many transitions
//! S0 → S1 → StringTokenizer           from, to and label, with tabs between
//! S1 → S1 → hasMoreTokens:TRUE → 0.99 a probability may follow; it is not kept
//! ```
//!
//! Published models also spell the ends of a trace out: a `<START>` edge from a state that is declared
//! nowhere leads to the initial state, and `<END>` edges lead from the states where a trace ends to a final
//! state without a way out. Both are folded away. The format has no comments; remarks stand after the last
//! transition, where readers that count do not look.

use std::collections::BTreeSet;
use std::ops::Range;

use super::draft::{Draft, DraftEdge, Ids, Unmarked, common_numbers};
use super::error::FormatError;
use super::notes::{Notes, Remarks, identifiers};
use super::scan::{File, Remark};
use super::{Model, Spelling};
use crate::{Fsa, State};

/// Writes `fsa`. States whose names can be ids keep them, else numbers are the ids and remarks give the
/// names.
pub(super) fn write(model: &Model<'_>) -> String {
    let Model { fsa, spelling, .. } = *model;
    let names_as_ids = names_fit(fsa);
    let id = |state: State| match fsa.name(state) {
        Some(name) if names_as_ids => name.to_owned(),
        _ => state.to_string(),
    };
    let words = words(fsa.alphabet(), spelling);
    let accepting: Vec<State> = fsa.states().filter(|&state| fsa.is_accepting(state)).collect();
    let mut out = String::new();
    for states in [fsa.initial(), &accepting] {
        out.push_str(&format!("{}\n", states.len()));
        for &state in states {
            out.push_str(&format!("{}\n", id(state)));
        }
    }
    out.push_str(&format!("{}\n", fsa.transitions()));
    for state in fsa.states() {
        for step in fsa.steps(state) {
            out.push_str(&format!(
                "{}\t{}\t{}\n",
                id(state),
                id(step.to as State),
                words[step.letter as usize]
            ));
        }
    }
    let mut remarks = Remarks::about(fsa);
    if !mentions_all(fsa) {
        remarks.lines.push(format!("states {}", fsa.len()));
    }
    remarks.used_events(&words, str::to_owned);
    remarks.unused_labels();
    if !names_as_ids {
        remarks.names();
    }
    remarks.predicates();
    remarks.maybes();
    remarks.guards();
    out + &remarks.comments("#", "")
}

/// The word for each label: the label itself wherever a reader would take it for itself.
fn words(alphabet: &[String], spelling: Spelling) -> Vec<String> {
    let safe = |label: &str| {
        !label.contains(char::is_control)
            && label.trim() == label
            && (spelling.from_word)(label) == label
            && !["<START>", "<END>"].contains(&label)
    };
    let (plain, odd): (Vec<String>, Vec<String>) = alphabet.iter().cloned().partition(|label| safe(label));
    // A label with spaces is no identifier, so reserving its words as well does no harm.
    let mut replaced = identifiers(&odd, &plain.join(" "), |word| (spelling.from_word)(&word)).into_iter();
    let word = |label: &String| if safe(label) { Some(label.clone()) } else { replaced.next() };
    alphabet.iter().map(word).map(|word| word.expect("every odd label got a word")).collect()
}

/// Returns whether every state is initial, final or on a transition; one that is not would be forgotten.
fn mentions_all(fsa: &Fsa<String>) -> bool {
    let mut mentioned: Vec<bool> = fsa.states().map(|state| fsa.is_accepting(state)).collect();
    for &state in fsa.initial() {
        mentioned[state] = true;
    }
    for edge in fsa.all_edges() {
        mentioned[edge.from] = true;
        mentioned[edge.to] = true;
    }
    !mentioned.contains(&false)
}

/// Returns whether the names can stand for the states: a reader finds the same states with the same numbers.
fn names_fit(fsa: &Fsa<String>) -> bool {
    let names: Option<Vec<String>> = fsa.states().map(|state| fsa.name(state).map(str::to_owned)).collect();
    let Some(names) = names.filter(|_| mentions_all(fsa)) else { return false };
    let Some((prefix, numbers)) = common_numbers(&names) else { return false };
    let plain = prefix.is_empty() && numbers.iter().copied().eq(0..numbers.len() as u64);
    let clean = !prefix.contains(|c: char| c.is_whitespace() || c.is_control()) && !prefix.starts_with('#');
    clean && !plain && numbers.is_sorted()
}

/// Reads any dialect of the format.
pub(super) fn read(file: File<'_>) -> Result<Fsa<String>, FormatError> {
    let mut lines =
        Lines { file, lines: file.lines().filter(|(_, line)| !line.trim().is_empty()).collect(), next: 0 };
    let mut ids = Ids::default();
    let initial = lines.states("initial", &mut ids)?;
    let accepting = lines.states("final", &mut ids)?;
    let (count, count_span) = lines.count("transitions")?;
    let mut edges = Vec::new();
    for seen in 0..count {
        let Some((at, line)) = lines.next() else {
            let problem = format!("the number of transitions is declared as {count} and is {seen}");
            return Err(file.error(
                count_span,
                problem,
                format!("write {seen} here, or was the file cut off?"),
            ));
        };
        edges.push(transition(file, at, line, &mut ids)?);
    }
    let mut remarks = Vec::new();
    while let Some((at, line)) = lines.next() {
        match line.strip_prefix('#') {
            None => {
                let help = format!("line {} says how many there are", line_of(file, count_span.start));
                let problem =
                    format!("the number of transitions is declared as {count}, and here is one more");
                return Err(file.error(at..at + line.len(), problem, help));
            }
            Some(comment) => {
                if let Some(text) = comment.trim_start().strip_prefix("adit:") {
                    remarks.push(Remark { at: at + line.len() - text.len(), text });
                }
            }
        }
    }
    let notes = Notes::read(file, &remarks)?;
    let mut draft = Draft::with_states(ids.names.len());
    if initial.is_empty() && edges.iter().all(|edge| edge.2 != "<START>") {
        let help = "the first number says how many initial states follow it; list at least one";
        return Err(file.error(0..1, "the model has no initial state", help));
    }
    draft.initial.extend(initial);
    for state in accepting {
        draft.accepting[state] = true;
    }
    let edges = fold_ends(edges, &mut draft, &mut ids.names);
    draft.edges = edges
        .into_iter()
        .map(|(from, to, label)| {
            let label = notes.event(label).unwrap_or_else(|| (file.spelling.from_word)(label));
            DraftEdge::plain(from, label, to)
        })
        .collect();
    draft.number_by(&ids.names, &[""], &notes);
    draft.finish(file, notes, Unmarked::NoneAccept)
}

/// Removes `<START>` and `<END>` edges, and the states that exist only for them.
fn fold_ends<'a>(
    mut edges: Vec<(State, State, &'a str)>,
    draft: &mut Draft,
    names: &mut Vec<String>,
) -> Vec<(State, State, &'a str)> {
    let marker = |label: &str| label == "<START>" || label == "<END>";
    // Only the states at the outer end of a marker can exist for its sake.
    let mut outer = BTreeSet::new();
    for &(from, to, label) in edges.iter().filter(|edge| marker(edge.2)) {
        if label == "<START>" {
            outer.insert(from);
            draft.initial.remove(&from);
            draft.initial.insert(to);
        } else {
            outer.insert(to);
            draft.accepting[from] = true;
        }
    }
    edges.retain(|edge| !marker(edge.2));
    for &(from, to, _) in &edges {
        outer.remove(&from);
        outer.remove(&to);
    }
    // `<START>` straight to `<END>` leaves nothing but an initial state, which has to stay.
    outer.retain(|state| !draft.initial.contains(state));
    draft.edges = edges.iter().map(|&(from, to, _)| DraftEdge::plain(from, String::new(), to)).collect();
    draft.remove(&outer);
    let mut state = 0;
    names.retain(|_| {
        state += 1;
        !outer.contains(&(state - 1))
    });
    let renumbered = std::mem::take(&mut draft.edges);
    renumbered.into_iter().zip(edges).map(|(edge, (_, _, label))| (edge.from, edge.to, label)).collect()
}

/// The lines that are not blank, read one after the other.
struct Lines<'a> {
    file: File<'a>,
    lines: Vec<(usize, &'a str)>,
    next: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<(usize, &'a str)> {
        let line = self.lines.get(self.next).copied();
        self.next += 1;
        line
    }

    /// A line with the number of `what`.
    fn count(&mut self, what: &str) -> Result<(u64, Range<usize>), FormatError> {
        let Some((at, line)) = self.next() else {
            let end = self.file.text.len();
            let problem = format!("expected the number of {what}, but the file ends here");
            return Err(self.file.error(end..end, problem, "was the file cut off?"));
        };
        let span = at..at + line.len();
        match line.trim().parse::<u64>() {
            Ok(count) => Ok((count, span)),
            Err(_) => {
                let problem = format!("the number of {what} should be here");
                Err(self.file.error(
                    span,
                    problem,
                    "does a count further up match the number of lines after it?",
                ))
            }
        }
    }

    /// A count of states and then each of them on a line.
    fn states(&mut self, kind: &str, ids: &mut Ids) -> Result<Vec<State>, FormatError> {
        let (count, count_span) = self.count(&format!("{kind} states"))?;
        let mut states = Vec::new();
        for seen in 0..count {
            let Some((at, line)) = self.next() else {
                let problem = format!("the number of {kind} states is declared as {count} and is {seen}");
                return Err(self.file.error(count_span, problem, "was the file cut off?"));
            };
            let id = line.trim();
            if id.contains(char::is_whitespace) {
                let help =
                    format!("line {} says that {count} states follow", line_of(self.file, count_span.start));
                let problem = format!("a {kind} state should be here, one id on the line");
                return Err(self.file.error(at..at + line.len(), problem, help));
            }
            states.push(ids.number(id));
        }
        Ok(states)
    }
}

/// A transition: from, to, label, and perhaps a probability.
fn transition<'a>(
    file: File<'a>,
    at: usize,
    line: &'a str,
    ids: &mut Ids,
) -> Result<(State, State, &'a str), FormatError> {
    // With tabs a label may hold spaces, without them any white space separates.
    let columns: Vec<&str> = if line.trim().contains('\t') {
        line.trim_end().split('\t').map(str::trim).collect()
    } else {
        line.split_whitespace().collect()
    };
    let span = |column: &str| {
        let start = at + (column.as_ptr() as usize - line.as_ptr() as usize);
        start..start + column.len()
    };
    let help = "write `from`, `to` and the label with tabs between; a probability may follow";
    let (&[from, to, label] | &[from, to, label, _]) = &columns[..] else {
        let problem = format!("a transition has 3 or 4 columns and this line has {}", columns.len());
        return Err(file.error(at..at + line.len(), problem, help));
    };
    if let Some(empty) = [from, to, label].into_iter().find(|column| column.is_empty()) {
        return Err(file.error(span(empty), "this column is empty", help));
    }
    if let Some(probability) = columns.get(3)
        && probability.parse::<f64>().is_err()
    {
        let help =
            "the fourth column is a probability such as 0.99; a label with spaces needs tabs around it";
        return Err(file.error(span(probability), format!("`{probability}` is not a probability"), help));
    }
    Ok((ids.number(from), ids.number(to), label))
}

/// The line that holds the byte at `at`, from 1.
fn line_of(file: File<'_>, at: usize) -> usize {
    file.text[..at].bytes().filter(|&byte| byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::*;
    use expect_test::{Expect, expect};

    /// Labels of a tool that appends a mark.
    const SPELLING: Spelling =
        Spelling { from_word: |word| word.trim_end_matches("#mark").to_owned(), ..Spelling::PLAIN };

    fn check(text: &str, expected: Expect) {
        let fsa = SPELLING.read(text.as_bytes(), "x", Some(Format::Fsm)).unwrap();
        expected.assert_eq(&write(&Model { fsa: &fsa, title: "", spelling: SPELLING }));
    }

    #[test]
    fn published_markers_fold_away() {
        check(
            "1\n2\n1\n90\n5\n2\t30\tStack\n0\t2\t<START>\n30\t30\tpush\n30\t90\t<END>\n2\t90\t<END>",
            expect![[r#"
                1
                2
                2
                2
                30
                2
                2	30	Stack
                30	30	push
            "#]],
        );
    }

    #[test]
    fn names_probabilities_decorated_labels_and_white_space() {
        check(
            "1\r\nS0\r\n1\r\nS1\r\n\r\n2\r\nS0 S1 open#mark 0.99\r\nS1\tS1\tread more:TRUE\t1e-3\r\n\r\n",
            expect![[r#"
                1
                S0
                1
                S1
                2
                S0	S1	open
                S1	S1	read more:TRUE
            "#]],
        );
    }

    #[test]
    fn a_trace_without_events_keeps_its_state() {
        check(
            "1\n2\n1\n3\n2\n0\t2\t<START>\n2\t3\t<END>\n",
            expect![[r#"
            1
            2
            1
            2
            0
        "#]],
        );
    }
}
