//! PROMELA: a process for SPIN whose runs are the words of the model.
//!
//! ```text
//! S0:
//!   if
//!   :: event = open; event = none; goto S1
//!   :: goto ended
//!   fi;
//! ```
//!
//! The variable `event` names the event for one step and is `none` in between, so that a claim sees two
//! events where a word repeats one. The process may end where the model accepts; it blocks where the model is
//! stuck, which SPIN then reports. Only files as written here are read: PROMELA itself is a programming
//! language.

use std::collections::BTreeSet;
use std::ops::Range;

use super::draft::{Draft, DraftEdge, Ids, Unmarked};
use super::error::FormatError;
use super::notes::{Notes, Remarks, comment_title, identifiers};
use super::scan::{Comments, File, Scanner};
use crate::{Fsa, State};

/// SPIN keeps names of type `mtype` in a byte, and `none` is one of them.
pub(super) const MOST_LABELS: usize = 254;

/// Words of PROMELA, of this file, and of the C preprocessor that SPIN runs first.
const RESERVED: &str = "\
    D_proctype STDIN _ _last _nr_pr _pid active assert atomic bit bool break byte c_code c_decl c_expr \
    c_state c_track chan d_step do else empty enabled ended eval event false fi for full get_priority goto \
    hidden i386 if in init inline int len linux local ltl model mtype nempty never nfull none notrace np_ od \
    of pc_value pid print printf printm priority proctype provided run select set_priority short show skip \
    timeout trace true typedef unix unless unsigned xr xs";

/// Writes `fsa`.
pub(super) fn write(fsa: &Fsa<String>, title: &str) -> String {
    // A jump target and an event may not share a name.
    let words =
        identifiers(
            fsa.alphabet(),
            RESERVED,
            |word| if is_state(&word) { format!("e_{word}") } else { word },
        );
    let mut out = String::new();
    if !title.is_empty() {
        out.push_str(&format!("/* The model of {} */\n", comment_title(title)));
    }
    out.push_str("mtype = { none");
    for word in &words {
        out.push_str(&format!(", {word}"));
    }
    out.push_str(" };\n\n/* The event of this step, none between events. */\nmtype event = none;\n\n");
    out.push_str("active proctype model()\n{\n  if\n");
    for state in fsa.initial() {
        out.push_str(&format!("  :: goto S{state}\n"));
    }
    out.push_str("  fi;\n");
    for state in fsa.states() {
        out.push_str(&format!("S{state}:\n  if\n"));
        for step in fsa.steps(state) {
            let word = &words[step.letter as usize];
            out.push_str(&format!("  :: event = {word}; event = none; goto S{}\n", step.to));
        }
        if fsa.is_accepting(state) {
            out.push_str("  :: goto ended\n");
        } else if fsa.steps(state).is_empty() {
            out.push_str("  :: false\n");
        }
        out.push_str("  fi;\n");
    }
    out.push_str("ended:\n  skip\n}\n");
    let mut remarks = Remarks::about(fsa);
    remarks.events(&words, str::to_owned);
    remarks.names();
    remarks.predicates();
    remarks.maybes();
    remarks.guards();
    out + &remarks.comments("/*", " */")
}

fn is_state(word: &str) -> bool {
    word.strip_prefix('S').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Reads a process that [`write`] wrote.
pub(super) fn read(file: File<'_>) -> Result<Fsa<String>, FormatError> {
    let mut reader =
        Reader { scanner: Scanner::new(file, Comments::C), ids: Ids::default(), jumps: Vec::new() };
    let process = reader.process();
    // A process of another make fails somewhere on the way; that it is one is the better message.
    let (initial, states, events) = process.map_err(|error| foreign(file, error))?;
    let notes = Notes::read(file, &reader.scanner.remarks)?;
    let event = |word: &str| notes.event(word).unwrap_or_else(|| word.to_owned());
    let mut draft = Draft::with_states(reader.ids.names.len());
    draft.initial.extend(initial);
    draft.labels = events.iter().map(|word| event(word)).collect();
    for state in states {
        draft.accepting[state.number] = state.accepting;
        draft
            .edges
            .extend(state.edges.iter().map(|&(word, to)| DraftEdge::plain(state.number, event(word), to)));
    }
    draft.number_by(&reader.ids.names, &["S"], &notes);
    draft.finish(file, notes, Unmarked::NoneAccept)
}

fn foreign(file: File<'_>, error: FormatError) -> FormatError {
    if file.text.contains("mtype event = none;") {
        return error;
    }
    let help = "adit reads only the PROMELA that it writes; keep the model in another format";
    let at = file.text.find("proctype").unwrap_or(0);
    file.error(at..at + 8, "this is not a process written by adit", help)
}

/// The start states, all states, and the words that are events.
type Process<'a> = (Vec<State>, Vec<Stop<'a>>, Vec<&'a str>);

struct Stop<'a> {
    number: State,
    accepting: bool,
    edges: Vec<(&'a str, State)>,
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    ids: Ids,
    /// The jump targets, with where they are used, to see in the end that all exist.
    jumps: Vec<(State, Range<usize>)>,
}

impl<'a> Reader<'a> {
    fn process(&mut self) -> Result<Process<'a>, FormatError> {
        self.words(&["mtype", "=", "{", "none"])?;
        let mut events = Vec::new();
        while self.scanner.eat(",") {
            events.push(self.scanner.expect_word("an event")?.0);
        }
        self.words(&["}", ";", "mtype", "event", "=", "none", ";", "active", "proctype"])?;
        self.scanner.expect_word("the name of the process")?;
        self.words(&["(", ")", "{", "if"])?;
        let mut initial = Vec::new();
        while self.scanner.eat("::") {
            self.words(&["goto"])?;
            initial.push(self.jump()?);
        }
        self.words(&["fi", ";"])?;
        let known: BTreeSet<&str> = events.iter().copied().collect();
        let mut states: Vec<Stop<'a>> = Vec::new();
        let mut defined = BTreeSet::new();
        loop {
            let (label, span) = self.scanner.expect_word("a state's label, or `ended`")?;
            self.words(&[":"])?;
            if label == "ended" {
                break;
            }
            let number = self.ids.number(label);
            if !defined.insert(number) {
                return Err(self.scanner.file.error(
                    span,
                    format!("{label} is there twice"),
                    "keep one of the two",
                ));
            }
            self.words(&["if"])?;
            let mut state = Stop { number, accepting: false, edges: Vec::new() };
            while self.scanner.eat("::") {
                self.option(&mut state, &known)?;
            }
            self.words(&["fi", ";"])?;
            states.push(state);
        }
        self.words(&["skip", "}"])?;
        self.scanner.expect_end("process")?;
        if let Some((state, span)) = self.jumps.iter().find(|(state, _)| !defined.contains(state)) {
            let problem = format!("there is no state {}", self.ids.names[*state]);
            return Err(self.scanner.file.error(
                span.clone(),
                problem,
                "jump to a label that is there, or add the state",
            ));
        }
        Ok((initial, states, events))
    }

    /// One way on: an event, the end, or none at all.
    fn option(&mut self, state: &mut Stop<'a>, known: &BTreeSet<&str>) -> Result<(), FormatError> {
        let (word, _) = self.scanner.expect_word("`event`, `goto` or `false`")?;
        match word {
            "false" => {}
            "goto" => {
                self.words(&["ended"])?;
                state.accepting = true;
            }
            _ => {
                self.words(&["="])?;
                let (event, span) = self.scanner.expect_word("an event")?;
                if !known.contains(event) {
                    let near = super::did_you_mean(event, known.iter().copied());
                    let problem = format!("the event `{event}` is not declared{near}");
                    return Err(self.scanner.file.error(span, problem, "add it to the `mtype` at the top"));
                }
                self.words(&[";", "event", "=", "none", ";", "goto"])?;
                let to = self.jump()?;
                state.edges.push((event, to));
            }
        }
        Ok(())
    }

    fn jump(&mut self) -> Result<State, FormatError> {
        let (label, span) = self.scanner.expect_word("a state's label")?;
        let state = self.ids.number(label);
        self.jumps.push((state, span));
        Ok(state)
    }

    fn words(&mut self, words: &[&str]) -> Result<(), FormatError> {
        words.iter().try_for_each(|word| self.scanner.expect(word, "in a process as adit writes it"))
    }
}
