//! FSP, the finite state processes of LTSA and MTSA, in the form that Krka et al. published their ground
//! truths in.
//!
//! ```text
//! Stack = S0,
//! S0 = (stack_EXIT40 -> S1),
//! S1 = (push -> S1
//!     | isEmpty_TRUE -> S1
//!     | pop? -> S1).
//! ```
//!
//! `a? -> S1` is MTSA's maybe transition. FSP has no final states: a file where a state with transitions is
//! *also* defined as `STOP` means the states defined as `STOP` to accept, any other file accepts everywhere.
//! Actions are identifiers; [`Spelling::from_identifier`](super::Spelling::from_identifier) gives the label
//! of one.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Model;
use super::draft::{Draft, DraftEdge, Ids, Unmarked};
use super::error::FormatError;
use super::notes::{Notes, Remarks, comment_title, identifiers};
use super::scan::{Comments, File, Scanner};
use crate::{Fsa, Modality, State};

/// Words of FSP that cannot be actions.
const RESERVED: &str = "\
    const range if then else forall when set progress menu property assert fluent constraint deterministic \
    minimal compose initially tau exists rigid import";

/// Writes `fsa`.
pub(super) fn write(model: &Model<'_>) -> String {
    let Model { fsa, title, spelling } = *model;
    let words = identifiers(fsa.alphabet(), RESERVED, |word| first_letter(word, |c| c.to_ascii_lowercase()));
    let first = fsa.initial()[0];
    let stops: Vec<bool> =
        fsa.states().map(|state| fsa.is_accepting(state) || fsa.steps(state).is_empty()).collect();
    let accepts_everywhere = fsa.states().all(|state| fsa.is_accepting(state));
    let mut definitions = vec![format!("{} = S{first}", process_name(title))];
    for state in fsa.states() {
        let choices: Vec<String> = fsa
            .steps(state)
            .iter()
            .map(|step| {
                let maybe = if step.modality == Modality::Maybe { "?" } else { "" };
                format!("{}{maybe} -> S{}", words[step.letter as usize], step.to)
            })
            .collect();
        if !choices.is_empty() {
            definitions.push(format!("S{state} = ({})", choices.join("\n    | ")));
        }
        if choices.is_empty() || (fsa.is_accepting(state) && !accepts_everywhere) {
            definitions.push(format!("S{state} = STOP"));
        }
    }
    let mut remarks = Remarks::about(fsa);
    remarks.initial(&[first]);
    // What a reader would conclude from the definitions alone.
    let marks = !accepts_everywhere
        && fsa.states().any(|state| fsa.is_accepting(state) && !fsa.steps(state).is_empty());
    if fsa.states().any(|state| fsa.is_accepting(state) != (!marks || stops[state])) {
        remarks.accepting();
    }
    remarks.used_events(&words, spelling.from_identifier);
    remarks.unused_labels();
    remarks.names();
    remarks.predicates();
    remarks.guards();
    let title =
        if title.is_empty() { String::new() } else { format!("// The model of {}\n", comment_title(title)) };
    format!("{title}{}.\n{}", definitions.join(",\n"), remarks.comments("//", ""))
}

/// The process: the title with a capital, and nothing that could be taken for a state.
fn process_name(title: &str) -> String {
    let word =
        identifiers(&[title.to_owned()], "", |word| if title.is_empty() { "Model".to_owned() } else { word });
    let word = first_letter(word[0].clone(), |c| c.to_ascii_uppercase());
    let state = word.strip_prefix('S').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    if state || ["STOP", "END", "ERROR"].contains(&word.as_str()) { format!("Model_{word}") } else { word }
}

fn first_letter(word: String, change: impl Fn(char) -> char) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| change(first).to_string() + chars.as_str())
}

/// Reads a process.
pub(super) fn read(file: File<'_>) -> Result<Fsa<String>, FormatError> {
    let mut reader = Reader::new(file);
    reader.definitions()?;
    let notes = Notes::read(file, &reader.scanner.remarks)?;
    reader.finish(file, notes)
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    ids: Ids,
    first: Option<State>,
    edges: Vec<(State, &'a str, State, Modality)>,
    /// The states defined as `STOP`.
    stops: BTreeSet<State>,
    /// The states defined by a choice.
    choices: BTreeSet<State>,
    mentions: Vec<(State, Range<usize>)>,
}

impl<'a> Reader<'a> {
    fn new(file: File<'a>) -> Self {
        Self {
            scanner: Scanner::new(file, Comments::C),
            ids: Ids::default(),
            first: None,
            edges: Vec::new(),
            stops: BTreeSet::new(),
            choices: BTreeSet::new(),
            mentions: Vec::new(),
        }
    }

    /// `Name = body, Name = body, … .` and then perhaps compositions, which add nothing.
    fn definitions(&mut self) -> Result<(), FormatError> {
        loop {
            let (name, span) = self.scanner.expect_word("the name of a process")?;
            self.scanner.expect("=", "after the name of a process")?;
            self.body(name, span)?;
            if self.scanner.eat(".") {
                break;
            }
            self.scanner.expect(",", "or `.` after a definition")?;
        }
        while !self.scanner.done() {
            if !self.scanner.eat("||") {
                return self.scanner.expect_end("process");
            }
            self.scanner.take_while(|c| c != '.');
            self.scanner.expect(".", "after a composition")?;
        }
        Ok(())
    }

    fn body(&mut self, name: &'a str, span: Range<usize>) -> Result<(), FormatError> {
        if self.scanner.eat("(") {
            let state = self.ids.number(name);
            self.first.get_or_insert(state);
            self.choices.insert(state);
            loop {
                self.branch(state)?;
                if self.scanner.eat(")") {
                    return Ok(());
                }
                self.scanner.expect("|", "or `)` in a choice")?;
            }
        }
        let (word, word_span) = self.scanner.expect_word("`(`, `STOP` or the name of a process")?;
        if word == "STOP" || word == "END" {
            let state = self.ids.number(name);
            self.first.get_or_insert(state);
            self.stops.insert(state);
        } else if self.first.is_none() && self.ids.names.is_empty() {
            let state = self.ids.number(word);
            self.mentions.push((state, word_span));
            self.first = Some(state);
        } else {
            let help = "only the first definition may name another process; write its choices out here";
            return Err(self.scanner.file.error(
                span,
                format!("`{name}` is only another name for `{word}`"),
                help,
            ));
        }
        Ok(())
    }

    /// `action -> action -> … -> Process`; between two actions there is a state without a name.
    fn branch(&mut self, from: State) -> Result<(), FormatError> {
        let (start, mut from) = (from, from);
        let mut action = self.scanner.expect_word("an action")?.0;
        loop {
            let modality = if self.scanner.eat("?") { Modality::Maybe } else { Modality::Required };
            self.scanner.expect("->", "after an action")?;
            if self.scanner.eat("(") {
                let at = self.scanner.at() - 1;
                let help = "give the inner choice a name: `S1 = (b -> S0)`, and lead there";
                return Err(self.scanner.file.error(
                    at..at + 1,
                    "a choice inside a choice is not read",
                    help,
                ));
            }
            let (word, span) = self.scanner.expect_word("a process or an action")?;
            self.scanner.skip();
            let rest = self.scanner.rest();
            if rest.starts_with("->") || rest.starts_with('?') {
                let between = self.ids.number(&format!("{}'{}", self.ids.names[start], self.ids.names.len()));
                self.choices.insert(between);
                self.edges.push((from, action, between, modality));
                (from, action) = (between, word);
                continue;
            }
            let to = self.ids.number(word);
            if word == "STOP" || word == "END" {
                self.stops.insert(to);
            } else {
                self.mentions.push((to, span));
            }
            self.edges.push((from, action, to, modality));
            return Ok(());
        }
    }

    fn finish(self, file: File<'_>, notes: Notes) -> Result<Fsa<String>, FormatError> {
        let names = &self.ids.names;
        let defined: BTreeSet<State> = self.choices.union(&self.stops).copied().collect();
        if let Some((state, span)) = self.mentions.iter().find(|(state, _)| !defined.contains(state)) {
            let near =
                super::did_you_mean(&names[*state], defined.iter().map(|&state| names[state].as_str()));
            let problem = format!("the process `{}` is not defined{near}", names[*state]);
            let help = format!("define it: `{} = STOP` if nothing happens there", names[*state]);
            return Err(file.error(span.clone(), problem, help));
        }
        let mut draft = Draft::with_states(names.len());
        draft.initial.extend(self.first);
        if !self.choices.is_disjoint(&self.stops) {
            for &state in &self.stops {
                draft.accepting[state] = true;
            }
        }
        for &(from, action, to, modality) in &self.edges {
            let label = notes.event(action).unwrap_or_else(|| (file.spelling.from_identifier)(action));
            draft.edges.push(DraftEdge { modality, ..DraftEdge::plain(from, label, to) });
        }
        draft.number_by(names, &["S"], &notes);
        draft.finish(file, notes, Unmarked::AllAccept)
    }
}
