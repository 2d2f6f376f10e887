//! HOA version 1 (Hanoi Omega-Automata), for Spot and its relatives.
//!
//! Every label is an atomic proposition and an event is the valuation in which just its own is true, which an
//! alias says for each. HOA's words are infinite and ours are not, so a word here is followed by the
//! valuation in which nothing is true, for ever: from every accepting state a transition `@end` leads to one
//! more state, the only one that is accepting in the sense of Büchi. The infinite words are then exactly our
//! words, and tools may compute with them.
//!
//! Read are such files, and those without `@end`, where a state in the acceptance set is taken for one where
//! a word may end. Several propositions at once are no event: labels that need that are refused.

use std::collections::BTreeSet;

use super::draft::{Draft, DraftEdge, Unmarked};
use super::error::FormatError;
use super::hoa_label::Labels;
use super::notes::{Notes, Remarks, identifiers};
use super::scan::{Comments, File, Scanner};
use crate::{Fsa, State};

/// Every alias denies every other label, so the header grows with the square of their number: five megabytes
/// here.
pub(super) const MOST_LABELS: usize = 1024;

/// Writes `fsa`.
pub(super) fn write(fsa: &Fsa<String>, title: &str) -> String {
    let labels = fsa.alphabet();
    let aliases = identifiers(labels, "end", |word| word);
    let end = fsa.len();
    let mut out = format!("HOA: v1\ntool: \"adit\"\nname: {}\nStates: {}\n", quote(title), fsa.len() + 1);
    for state in fsa.initial() {
        out.push_str(&format!("Start: {state}\n"));
    }
    let names: String = labels.iter().map(|label| format!(" {}", quote(label))).collect();
    out.push_str(&format!("AP: {}{names}\n", labels.len()));
    for (letter, alias) in aliases.iter().enumerate() {
        out.push_str(&format!("Alias: @{alias} {}\n", only(Some(letter), labels.len())));
    }
    out.push_str(&format!("Alias: @end {}\n", only(None, labels.len())));
    out.push_str(
        "acc-name: Buchi\nAcceptance: 1 Inf(0)\nproperties: trans-labels explicit-labels state-acc\n",
    );
    let mut remarks = Remarks::about(fsa);
    remarks.predicates();
    remarks.maybes();
    remarks.guards();
    out.push_str(&remarks.comments("/*", " */"));
    out.push_str("--BODY--\n");
    for state in fsa.states() {
        let name = fsa.name(state).map(|name| format!(" {}", quote(name)));
        out.push_str(&format!("State: {state}{}\n", name.unwrap_or_default()));
        for step in fsa.steps(state) {
            out.push_str(&format!("[@{}] {}\n", aliases[step.letter as usize], step.to));
        }
        if fsa.is_accepting(state) {
            out.push_str(&format!("[@end] {end}\n"));
        }
    }
    out.push_str(&format!("State: {end} {{0}}\n[@end] {end}\n--END--\n"));
    out
}

/// The valuation of `count` propositions in which just `letter` is true.
fn only(letter: Option<usize>, count: usize) -> String {
    let literal = |other: usize| if Some(other) == letter { other.to_string() } else { format!("!{other}") };
    if count == 0 { "t".to_owned() } else { (0..count).map(literal).collect::<Vec<_>>().join("&") }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Reads an automaton.
pub(super) fn read(file: File<'_>) -> Result<Fsa<String>, FormatError> {
    let mut scanner = Scanner::new(file, Comments { line: &[], block: true, nested: true });
    let mut reader = Reader::default();
    reader.header(&mut scanner)?;
    reader.body(&mut scanner)?;
    let notes = Notes::read(file, &scanner.remarks)?;
    reader.finish(file, notes)
}

#[derive(Default)]
struct Reader<'a> {
    states: Option<usize>,
    start: Vec<State>,
    propositions: Option<Vec<String>>,
    labels: Labels<'a>,
    acceptance: Acceptance,
    draft: Draft,
    /// The transitions on the time after the last event.
    ends: Vec<(State, State)>,
}

#[derive(Default, PartialEq, Eq)]
enum Acceptance {
    #[default]
    Missing,
    Buchi,
    All,
}

impl<'a> Reader<'a> {
    fn header(&mut self, scanner: &mut Scanner<'a>) -> Result<(), FormatError> {
        let file = scanner.file;
        scanner.expect("HOA:", "at the start of a HOA file")?;
        let (version, span) = scanner.expect_word("a version")?;
        if version != "v1" {
            let problem = format!("version {version} of HOA is not known");
            return Err(file.error(span, problem, "this adit reads version v1"));
        }
        loop {
            scanner.skip();
            if scanner.eat("--BODY--") {
                return Ok(());
            }
            let Some((item, span)) = scanner.take_while(is_header) else {
                return Err(scanner.unexpected("a header item or `--BODY--`"));
            };
            scanner.expect(":", "after the name of a header item")?;
            match item {
                "States" => {
                    let (count, span) = scanner.expect_number("the number of states")?;
                    self.states = Some(file.state_count(count, span)?);
                }
                "Start" => self.start.push(single_state(scanner, span.start)?),
                "AP" => self.propositions(scanner)?,
                "Alias" => self.labels.alias(scanner)?,
                "Acceptance" => {
                    let start = scanner.at();
                    skip_values(scanner)?;
                    let text: String = file.text[start..scanner.at()].split_whitespace().collect();
                    self.acceptance = match text.as_str() {
                        "0t" => Acceptance::All,
                        "1Inf(0)" => Acceptance::Buchi,
                        _ => {
                            let help = "words end here, so only Büchi acceptance (1 Inf(0)) or none (0 t) has a meaning";
                            return Err(file.error(span, "this acceptance condition is not supported", help));
                        }
                    };
                }
                // The standard demands that an unknown item with a capital is not passed over.
                _ if item.starts_with(|c: char| c.is_ascii_uppercase()) => {
                    let help = "an item with a capital changes the meaning of the automaton; adit cannot leave it out";
                    return Err(file.error(span, format!("the header item `{item}` is not known"), help));
                }
                _ => skip_values(scanner)?,
            }
        }
    }

    fn propositions(&mut self, scanner: &mut Scanner<'a>) -> Result<(), FormatError> {
        let file = scanner.file;
        let (count, _) = scanner.expect_number("the number of propositions")?;
        let mut names = Vec::new();
        let mut seen = BTreeSet::new();
        for _ in 0..count {
            scanner.skip();
            let at = scanner.at();
            let Some(name) = string(scanner)? else {
                return Err(scanner.unexpected("a proposition in quotes"));
            };
            let span = at..scanner.at();
            if name.is_empty() || !seen.insert(name.clone()) {
                let help = "every proposition is an event and needs a name of its own";
                return Err(file.error(span, "this proposition has no name of its own", help));
            }
            names.push(name);
        }
        self.propositions = Some(names);
        Ok(())
    }

    fn body(&mut self, scanner: &mut Scanner<'a>) -> Result<(), FormatError> {
        let file = scanner.file;
        loop {
            if scanner.eat("--END--") {
                break;
            }
            scanner.expect("State:", "or `--END--` in the body")?;
            let state_label = if scanner.eat("[") { Some(self.label(scanner)?) } else { None };
            let (number, span) = scanner.expect_number("a state's number")?;
            let state = self.state(file, number, span)?;
            if let Some(name) = string(scanner)? {
                self.draft.names.insert(state, name);
            }
            if scanner.eat("{") {
                while !scanner.eat("}") {
                    scanner.expect_number("an acceptance set or `}`")?;
                    self.draft.accepting[state] = true;
                }
            }
            loop {
                scanner.skip();
                let at = scanner.at();
                let explicit = if scanner.eat("[") { Some(self.label(scanner)?) } else { None };
                if explicit.is_none() && !scanner.peek().is_some_and(|c| c.is_ascii_digit()) {
                    break;
                }
                let Some(label) = explicit.or_else(|| state_label.clone()) else {
                    let help = "implicit labels are not read; `autfilt -H` writes labels out";
                    return Err(file.error(at..at + 1, "this transition has no label", help));
                };
                let to = single_state(scanner, at)?;
                let to = self.state(file, to as u64, at..scanner.at())?;
                scanner.skip();
                if scanner.peek() == Some('{') {
                    let help = "let `autfilt --state-based-acceptance` move acceptance to states";
                    return Err(file.error(
                        scanner.at()..scanner.at() + 1,
                        "acceptance on transitions is not read",
                        help,
                    ));
                }
                self.transition(file, state, &label, to, at)?;
            }
        }
        scanner.expect_end("automaton")
    }

    /// Reads a label after its bracket.
    fn label(&mut self, scanner: &mut Scanner<'a>) -> Result<Label, FormatError> {
        scanner.skip();
        let start = scanner.at();
        let letters = self.labels.expression(scanner)?;
        let file = scanner.file;
        let span = start..scanner.at();
        scanner.expect("]", "after a label")?;
        let count = self.propositions.as_ref().map_or(0, Vec::len) as u32;
        if let Some(largest) = letters.largest().filter(|&largest| largest >= count) {
            let problem = format!("there is no proposition {largest}");
            return Err(file.error(
                span,
                problem,
                format!("the header declares {count} propositions, counted from 0"),
            ));
        }
        let events = letters.len(count);
        if events == 0 && !letters.has_nothing() && file.text[span.clone()].trim() != "f" {
            let help = "adit reads every proposition as one event, and one event at a time";
            return Err(file.error(span, "no single event satisfies this label", help));
        }
        Ok(letters)
    }

    fn transition(
        &mut self,
        file: File<'_>,
        from: State,
        label: &Label,
        to: State,
        at: usize,
    ) -> Result<(), FormatError> {
        let names = self.propositions.as_deref().unwrap_or_default();
        let count = names.len() as u32;
        let events = label.len(count);
        if events == 0 && label.has_nothing() {
            self.ends.push((from, to));
        }
        if self.draft.edges.len() + events > file.most_edges() {
            let help = "labels such as `t` stand for a transition per event; use fewer propositions";
            return Err(file.error(at..at + 1, "the labels stand for too many transitions", help));
        }
        let edges =
            label.events(count).map(|event| DraftEdge::plain(from, names[event as usize].clone(), to));
        self.draft.edges.extend(edges);
        Ok(())
    }

    /// Checks a state's number, and makes room for the state if the header does not say how many there are.
    fn state(
        &mut self,
        file: File<'_>,
        number: u64,
        span: std::ops::Range<usize>,
    ) -> Result<State, FormatError> {
        if let Some(states) = self.states.filter(|&states| number as usize >= states) {
            let problem = format!("there is no state {number}");
            return Err(file.error(
                span,
                problem,
                format!("the header says `States: {states}`, and states count from 0"),
            ));
        }
        let needed = self.states.unwrap_or(file.state_count(number + 1, span)?);
        if self.draft.accepting.len() < needed {
            self.draft.accepting.resize(needed, false);
        }
        Ok(number as State)
    }

    fn finish(mut self, file: File<'_>, mut notes: Notes) -> Result<Fsa<String>, FormatError> {
        for state in std::mem::take(&mut self.start) {
            let state = self.state(file, state as u64, 0..1)?;
            self.draft.initial.insert(state);
        }
        if self.draft.initial.is_empty() {
            return Err(file.error(
                0..0,
                "the model has no initial state",
                "name it in the header: `Start: 0`",
            ));
        }
        if self.acceptance == Acceptance::All {
            self.draft.accepting.fill(true);
        }
        if !self.ends.is_empty() {
            self.fold_ends(&mut notes);
        }
        self.draft.labels = self.propositions.unwrap_or_default();
        self.draft.finish(file, notes, Unmarked::NoneAccept)
    }

    /// Makes the states accepting that have a way to an accepting end, and removes the states that are only
    /// an end.
    fn fold_ends(&mut self, notes: &mut Notes) {
        let draft = &mut self.draft;
        let accepts: BTreeSet<State> =
            self.ends.iter().filter(|end| draft.accepting[end.1]).map(|end| end.0).collect();
        let mut gone: BTreeSet<State> = self.ends.iter().map(|end| end.1).collect();
        for edge in &draft.edges {
            gone.remove(&edge.from);
            gone.remove(&edge.to);
        }
        gone.retain(|state| !draft.initial.contains(state));
        for (state, accepting) in draft.accepting.iter_mut().enumerate() {
            *accepting = accepts.contains(&state);
        }
        draft.remove(&gone);
        let marked = (0..draft.accepting.len()).filter(|&state| draft.accepting[state]);
        notes.accepting.get_or_insert_with(|| marked.map(|state| (state, 0)).collect());
    }
}

type Label = std::rc::Rc<super::hoa_label::Letters>;

fn is_header(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// A state that stands alone; HOA also allows a conjunction, which is alternation.
fn single_state(scanner: &mut Scanner<'_>, at: usize) -> Result<State, FormatError> {
    let (number, _) = scanner.expect_number("a state's number")?;
    if scanner.eat("&") {
        let help = "alternating automata are not read; `autfilt` makes them nondeterministic";
        return Err(scanner.file.error(at..scanner.at(), "this leads to several states at once", help));
    }
    Ok(number as State)
}

/// A string in double quotes, in which a backslash protects the next character.
fn string(scanner: &mut Scanner<'_>) -> Result<Option<String>, FormatError> {
    if !scanner.eat("\"") {
        return Ok(None);
    }
    let start = scanner.at() - 1;
    let mut out = String::new();
    loop {
        out.push_str(scanner.take_while(|c| !matches!(c, '"' | '\\')).unwrap_or_default().0);
        let next = match scanner.bump() {
            Some('"') => return Ok(Some(out)),
            Some(_) => scanner.bump(),
            None => None,
        };
        match next {
            Some(c) => out.push(c),
            None => {
                return Err(scanner.file.error(
                    start..start + 1,
                    "this string is never closed",
                    "close it with `\"`",
                ));
            }
        }
    }
}

/// Moves to the next header item.
fn skip_values(scanner: &mut Scanner<'_>) -> Result<(), FormatError> {
    loop {
        if string(scanner)?.is_some() {
            continue;
        }
        let rest = scanner.rest();
        let word = rest.find(|c| !is_header(c)).unwrap_or(rest.len());
        if rest.is_empty() || rest.starts_with("--") || (word > 0 && rest[word..].starts_with(':')) {
            return Ok(());
        }
        if word > 0 {
            scanner.advance(word);
        } else {
            scanner.bump();
        }
    }
}
