//! Remarks in comments: what a format has no place for, written so that other tools pass over it.
//!
//! A comment that starts with `adit:` says one thing, as a word and its arguments: state numbers, and strings
//! in JSON's notation. `docs/formats.md` lists them. A remark only ever adds to what the file itself says;
//! one that speaks of a transition or state that is not there is an error, so that an edited file cannot
//! silently mean something else.

use std::collections::{BTreeMap, BTreeSet};

use super::error::FormatError;
use super::scan::{File, Remark, Scanner, json_quote, unknown_word};
use crate::{Fsa, Modality, State};

/// The content of the remarks of a file. Offsets are those of the remarks.
#[derive(Default)]
pub(super) struct Notes {
    /// The number of states, for formats that mention a state only when something happens there.
    pub(super) states: Option<usize>,
    pub(super) initial: Option<Vec<(State, usize)>>,
    pub(super) accepting: Option<Vec<(State, usize)>>,
    /// The label of each word that stands for another one.
    pub(super) events: BTreeMap<String, String>,
    pub(super) labels: Vec<String>,
    pub(super) names: Vec<(State, String, usize)>,
    pub(super) predicates: Vec<(State, String, usize)>,
    pub(super) refusals: Vec<(State, String, usize)>,
    pub(super) maybes: Vec<((State, String, State), usize)>,
    pub(super) guards: Vec<((State, String, State), String, usize)>,
}

impl Notes {
    const WORDS: [&str; 10] = [
        "states",
        "initial",
        "accepting",
        "event",
        "label",
        "name",
        "predicate",
        "refuses",
        "maybe",
        "guard",
    ];

    /// Reads `remarks` of `file`.
    pub(super) fn read(file: File<'_>, remarks: &[Remark<'_>]) -> Result<Self, FormatError> {
        let mut notes = Self::default();
        for remark in remarks {
            notes.add(Scanner::part(file, remark.text, remark.at))?;
        }
        Ok(notes)
    }

    fn add(&mut self, mut scanner: Scanner<'_>) -> Result<(), FormatError> {
        let file = scanner.file;
        let (word, span) = scanner.expect_word("a word that says what the remark is about")?;
        let at = span.start;
        match word {
            "states" => {
                let (count, span) = scanner.expect_number("the number of states")?;
                self.states = Some(file.state_count(count, span)?);
            }
            "initial" => self.initial = Some(states(&mut scanner, at)?),
            "accepting" => self.accepting = Some(states(&mut scanner, at)?),
            "event" => {
                let word = scanner.json_string("the word that stands for an event, in quotes")?;
                let label = label(&mut scanner)?;
                self.events.insert(word, label);
            }
            "label" => self.labels.push(label(&mut scanner)?),
            "name" => {
                let state = state(&mut scanner)?;
                self.names.push((state, scanner.json_string("the state's name in quotes")?, at));
            }
            "predicate" => {
                let state = state(&mut scanner)?;
                self.predicates.push((state, scanner.json_string("what holds in the state, in quotes")?, at));
            }
            "refuses" => {
                let state = state(&mut scanner)?;
                self.refusals.push((state, scanner.json_string("what the state refuses, in quotes")?, at));
            }
            "maybe" => self.maybes.push((edge(&mut scanner)?, at)),
            "guard" => {
                let edge = edge(&mut scanner)?;
                self.guards.push((edge, scanner.json_string("the guard in quotes")?, at));
            }
            _ => return Err(unknown_word(file, span, "remark that adit knows", word, &Self::WORDS)),
        }
        if scanner.done() { Ok(()) } else { Err(scanner.unexpected("the end of the remark")) }
    }

    /// The event that `word` stands for, if a remark says so.
    pub(super) fn event(&self, word: &str) -> Option<String> {
        self.events.get(word).cloned()
    }
}

fn state(scanner: &mut Scanner<'_>) -> Result<State, FormatError> {
    Ok(scanner.expect_number("a state's number")?.0 as State)
}

fn states(scanner: &mut Scanner<'_>, at: usize) -> Result<Vec<(State, usize)>, FormatError> {
    let mut states = Vec::new();
    while !scanner.done() {
        states.push((state(scanner)?, at));
    }
    Ok(states)
}

fn label(scanner: &mut Scanner<'_>) -> Result<String, FormatError> {
    let at = scanner.at();
    let label = scanner.json_string("an event in quotes")?;
    if label.is_empty() {
        return Err(scanner.file.error(at..at + 1, "an event needs a name", "put a name between the quotes"));
    }
    Ok(label)
}

fn edge(scanner: &mut Scanner<'_>) -> Result<(State, String, State), FormatError> {
    let from = state(scanner)?;
    let label = label(scanner)?;
    Ok((from, label, state(scanner)?))
}

/// The remarks to write beside a model, without the comment signs.
pub(super) struct Remarks<'a> {
    fsa: &'a Fsa<String>,
    pub(super) lines: Vec<String>,
}

impl<'a> Remarks<'a> {
    /// No remarks about `fsa` yet.
    pub(super) fn about(fsa: &'a Fsa<String>) -> Self {
        Self { fsa, lines: Vec::new() }
    }

    /// Lists the initial states, unless they are just `implied`.
    pub(super) fn initial(&mut self, implied: &[State]) {
        if self.fsa.initial() != implied {
            self.lines.push(format!("initial{}", list(self.fsa.initial())));
        }
    }

    /// Lists the accepting states.
    pub(super) fn accepting(&mut self) {
        let accepting: Vec<State> = self.fsa.states().filter(|&state| self.fsa.is_accepting(state)).collect();
        self.lines.push(format!("accepting{}", list(&accepting)));
    }

    /// Remarks that no state accepts, for formats where no mark means that all do.
    pub(super) fn nothing_accepted(&mut self) {
        if !self.fsa.states().any(|state| self.fsa.is_accepting(state)) {
            self.accepting();
        }
    }

    /// Gives the labels of words that stand for another one than a reader would take them for, which `plain`
    /// tells.
    pub(super) fn events(&mut self, words: &[String], plain: impl Fn(&str) -> String) {
        for (word, label) in words.iter().zip(self.fsa.alphabet()) {
            if plain(word) != *label {
                self.lines.push(format!("event {} {}", quote(word), quote(label)));
            }
        }
    }

    /// [`Remarks::events`], for formats that only speak of events that happen.
    pub(super) fn used_events(&mut self, words: &[String], plain: impl Fn(&str) -> String) {
        let used = self.used();
        for (word, label) in words.iter().zip(self.fsa.alphabet()).filter(|(_, label)| used.contains(label)) {
            if plain(word) != *label {
                self.lines.push(format!("event {} {}", quote(word), quote(label)));
            }
        }
    }

    /// The labels of transitions.
    fn used(&self) -> BTreeSet<&'a String> {
        self.fsa.all_edges().map(|edge| edge.label).collect()
    }

    /// The labels that no transition uses.
    pub(super) fn unused_labels(&mut self) {
        let used = self.used();
        for label in self.fsa.alphabet().iter().filter(|label| !used.contains(label)) {
            self.lines.push(format!("label {}", quote(label)));
        }
    }

    /// The names of states.
    pub(super) fn names(&mut self) {
        for state in self.fsa.states() {
            if let Some(name) = self.fsa.name(state) {
                self.lines.push(format!("name {state} {}", quote(name)));
            }
        }
    }

    /// Lists the predicates and refusals of states.
    pub(super) fn predicates(&mut self) {
        for state in self.fsa.states() {
            for (word, said) in
                [("predicate", self.fsa.predicates(state)), ("refuses", self.fsa.refusals(state))]
            {
                self.lines.extend(said.iter().map(|said| format!("{word} {state} {}", quote(said))));
            }
        }
    }

    /// Lists the transitions that only may occur.
    pub(super) fn maybes(&mut self) {
        for edge in self.fsa.all_edges().filter(|edge| edge.modality == Modality::Maybe) {
            self.lines.push(format!("maybe {} {} {}", edge.from, quote(edge.label), edge.to));
        }
    }

    /// The guards of transitions.
    pub(super) fn guards(&mut self) {
        for edge in self.fsa.all_edges() {
            if let Some(guard) = edge.guard {
                self.lines.push(format!(
                    "guard {} {} {} {}",
                    edge.from,
                    quote(edge.label),
                    edge.to,
                    quote(guard)
                ));
            }
        }
    }

    /// The remarks as comments, each on its own line.
    pub(super) fn comments(&self, open: &str, close: &str) -> String {
        self.lines.iter().map(|line| format!("{open} adit: {line}{close}\n")).collect()
    }
}

fn list(states: &[State]) -> String {
    states.iter().map(|state| format!(" {state}")).collect()
}

/// Characters that could end a comment of some format, or start one of Mermaid's directives in it.
const BREAKING: &str = "*{}";

/// A string as remarks write it: JSON, in which nothing can end the comment.
pub(super) fn quote(text: &str) -> String {
    json_quote(text, BREAKING)
}

/// A title made fit for a comment: one line, without the characters that could end it.
pub(super) fn comment_title(title: &str) -> String {
    title.chars().map(|c| if c.is_control() || BREAKING.contains(c) { ' ' } else { c }).collect()
}

/// A word for each label that is an ASCII identifier, different from all others and from the words of
/// `reserved`.
///
/// `fit` gets the identifier that the label suggests and may change it to what the format wants.
pub(super) fn identifiers(labels: &[String], reserved: &str, fit: impl Fn(String) -> String) -> Vec<String> {
    let mut taken: BTreeSet<String> = reserved.split(' ').map(str::to_owned).collect();
    let mut next: BTreeMap<String, usize> = BTreeMap::new();
    let mut words = Vec::with_capacity(labels.len());
    for label in labels {
        let plain = label.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
        let mut word: String = plain.collect();
        if !word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            word.insert_str(0, "e_");
        }
        let word = fit(word);
        let mut unique = word.clone();
        // Counting on from the last number keeps a thousand equal words from costing a million looks.
        let count = next.entry(word.clone()).or_insert(1);
        while !taken.insert(unique.clone()) {
            *count += 1;
            unique = format!("{word}_{count}");
        }
        words.push(unique);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_legal_and_distinct() {
        let labels: Vec<String> =
            ["a:b", "a b", "a_b", "a_b_2", "1", "ü", "if", "A"].map(str::to_owned).into();
        let words = identifiers(&labels, "if", |word| word.to_lowercase());
        assert_eq!(words, ["a_b", "a_b_2", "a_b_3", "a_b_2_2", "e_1", "e__", "if_2", "a"]);
    }
}
