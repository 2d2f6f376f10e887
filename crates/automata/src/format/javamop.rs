//! JavaMOP: a monitor with an `fsm` block.
//!
//! Each label gets an event with a pointcut for the call that it stands for, which the caller's
//! [`Spelling`](super::Spelling) tells. The first state is the initial one, the alias `accepting` lists where
//! a word may end, and remarks hold what a monitor does not know. Pointcuts are not read: the block is the
//! model.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::draft::{Draft, DraftEdge, Ids, Unmarked};
use super::error::FormatError;
use super::notes::{Notes, Remarks, comment_title, identifiers};
use super::scan::{Comments, File, Scanner};
use super::{Call, CallEnd, Model, Written};
use crate::{Fsa, State};

/// Words of Java and of JavaMOP that cannot name an event.
const RESERVED: &str = "\
    abstract after alias around assert before boolean break byte case catch char class condition const \
    continue creation default do double else enum event execution extends false final finally float for fsm \
    goto if implements import instanceof int interface long native new null package perthread pointcut \
    private protected public raw return returning short static strictfp super suffix switch synchronized \
    target this throw throwing throws transient true try unsynchronized void volatile while within call args";

/// Writes a monitor for the class that the title names, and lists what the monitor cannot do.
pub(super) fn write(model: &Model<'_>) -> Written {
    let Model { fsa, title, spelling } = *model;
    let class = if title.split('.').all(is_java_name) { title } else { "Object" };
    let words = identifiers(fsa.alphabet(), RESERVED, |word| word);
    let name =
        identifiers(
            &[title.to_owned()],
            RESERVED,
            |word| if title.is_empty() { "Model".to_owned() } else { word },
        );
    let mut lost = Vec::new();
    if !fsa.is_deterministic() {
        lost.push("JavaMOP needs a deterministic model; add --determinize".to_owned());
    }
    let comment =
        if title.is_empty() { String::new() } else { format!("// The model of {}\n", comment_title(title)) };
    let mut out = format!("{comment}{}({class} o) {{\n", name[0]);
    for (word, label) in words.iter().zip(fsa.alphabet()) {
        let pointcut = (spelling.call)(label).and_then(|call| pointcut(call, class)).unwrap_or_else(|| {
            lost.push(format!(
                "the event `{}` is not a call: write its pointcut yourself",
                label.escape_debug()
            ));
            format!("after({class} o) : call(* {class}.{word}(..)) && target(o)")
        });
        out.push_str(&format!("    event {word} {pointcut} {{}}\n"));
    }
    out.push_str("\n    fsm :\n");
    let first = fsa.initial()[0];
    for state in std::iter::once(first).chain(fsa.states().filter(|&state| state != first)) {
        out.push_str(&format!("        s{state} [\n"));
        for step in fsa.steps(state) {
            out.push_str(&format!("            {} -> s{}\n", words[step.letter as usize], step.to));
        }
        out.push_str("        ]\n");
    }
    let accepting: Vec<String> =
        fsa.states().filter(|&state| fsa.is_accepting(state)).map(|state| format!("s{state}")).collect();
    if !accepting.is_empty() {
        out.push_str(&format!("        alias accepting = {}\n", accepting.join(", ")));
    }
    out.push_str(
        "\n    @fail {\n        System.err.println(\"the model does not allow this call\");\n    }\n",
    );
    let mut remarks = Remarks::about(fsa);
    remarks.initial(&[first]);
    remarks.nothing_accepted();
    remarks.events(&words, str::to_owned);
    remarks.names();
    remarks.predicates();
    remarks.maybes();
    remarks.guards();
    Written { text: out + &remarks.comments("    //", "") + "}\n", lost }
}

/// The moment of `call` on an object of `class`; `None` when Java cannot have such a call.
fn pointcut(call: Call<'_>, class: &str) -> Option<String> {
    if !is_java_name(call.method) {
        return None;
    }
    let parameters = call.parameters.map_or_else(|| "..".to_owned(), parameter_patterns);
    if call.end == CallEnd::Any && class.rsplit('.').next() == Some(call.method) {
        return Some(format!("after() returning({class} o) : call({class}.new({parameters}))"));
    }
    let target = format!("call(* {class}.{}({parameters})) && target(o)", call.method);
    match call.end {
        CallEnd::Any => Some(format!("after({class} o) : {target}")),
        CallEnd::Returned(answer) => {
            let condition = if answer { "result" } else { "!result" };
            Some(format!("after({class} o) returning(boolean result) : {target} && condition({condition})"))
        }
        CallEnd::Threw(exception) => exception
            .split('.')
            .all(is_java_name)
            .then(|| format!("after({class} o) throwing({exception} exception) : {target}")),
    }
}

/// Parameter types as patterns of a pointcut. A class without its package is one of any package.
fn parameter_patterns(types: &str) -> String {
    let pattern = |name: &str| {
        let simple = !name.contains('.') && name.starts_with(char::is_uppercase);
        if simple { format!("*..{name}") } else { name.to_owned() }
    };
    types.split(',').map(|name| pattern(name.trim())).collect::<Vec<_>>().join(", ")
}

fn is_java_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
        && RESERVED.split(' ').all(|word| word != text)
}

/// Reads the first `fsm` block of a file.
pub(super) fn read(file: File<'_>) -> Result<Fsa<String>, FormatError> {
    let mut scanner = Scanner::new(file, Comments::C);
    let events = find_block(&mut scanner)?;
    let mut block = Block::default();
    block.read(&mut scanner)?;
    // Remarks may stand anywhere, so the rest of the file is walked too.
    while !scanner.done() {
        pass(&mut scanner)?;
    }
    let notes = Notes::read(file, &scanner.remarks)?;
    block.finish(file, &events, notes)
}

/// Moves behind `fsm :`, collecting the events declared on the way.
fn find_block<'a>(scanner: &mut Scanner<'a>) -> Result<BTreeSet<&'a str>, FormatError> {
    let mut events = BTreeSet::new();
    while !scanner.done() {
        match scanner.word() {
            Some(("fsm", _)) if scanner.eat(":") => return Ok(events),
            Some(("event", _)) => {
                if let Some((name, _)) = scanner.word() {
                    events.insert(name);
                }
            }
            Some(_) => {}
            None => pass(scanner)?,
        }
    }
    let help = "adit reads the `fsm :` block; specifications in other logics (ere, ltl, cfg) have none";
    let end = scanner.at();
    Err(scanner.file.error(end..end, "there is no `fsm` block in this file", help))
}

/// Moves past one character, or past a whole literal, in which nothing counts.
fn pass(scanner: &mut Scanner<'_>) -> Result<(), FormatError> {
    let at = scanner.at();
    let Some(quote @ ('"' | '\'')) = scanner.bump() else { return Ok(()) };
    loop {
        match scanner.bump() {
            Some('\\') => drop(scanner.bump()),
            Some('\n') | None => {
                let problem = "this literal is never closed";
                return Err(scanner.file.error(
                    at..at + 1,
                    problem,
                    format!("close it with {quote} on its line"),
                ));
            }
            Some(c) if c == quote => return Ok(()),
            Some(_) => {}
        }
    }
}

/// An `fsm` block.
#[derive(Default)]
struct Block<'a> {
    ids: Ids,
    defined: BTreeSet<State>,
    first: Option<State>,
    edges: Vec<(State, &'a str, State)>,
    /// The state to which all other events of a state lead.
    defaults: BTreeMap<State, State>,
    accepting: Vec<State>,
    mentions: Vec<(State, Range<usize>)>,
}

impl<'a> Block<'a> {
    fn read(&mut self, scanner: &mut Scanner<'a>) -> Result<(), FormatError> {
        let file = scanner.file;
        while let Some((word, span)) = scanner.word() {
            if word == "alias" && !scanner.eat("[") {
                self.alias(scanner)?;
                continue;
            }
            // A state may be called `alias`, and its bracket is then taken already.
            if word != "alias" {
                scanner.expect("[", "after a state's name")?;
            }
            let state = self.ids.number(word);
            self.first.get_or_insert(state);
            if !self.defined.insert(state) {
                return Err(file.error(
                    span,
                    format!("the state `{word}` is there twice"),
                    "keep one of the two",
                ));
            }
            while !scanner.eat("]") {
                let (event, _) = scanner.expect_word("an event or `]`")?;
                let arrow = scanner.eat("->");
                if event == "default" {
                    let to = self.mention(scanner)?;
                    self.defaults.insert(state, to);
                } else if arrow {
                    let to = self.mention(scanner)?;
                    self.edges.push((state, event, to));
                } else {
                    return Err(scanner.unexpected("`->` after an event"));
                }
                scanner.eat(",");
            }
        }
        Ok(())
    }

    fn alias(&mut self, scanner: &mut Scanner<'a>) -> Result<(), FormatError> {
        let (alias, _) = scanner.expect_word("the name of an alias")?;
        scanner.expect("=", "after the name of an alias")?;
        loop {
            let state = self.mention(scanner)?;
            if alias == "accepting" {
                self.accepting.push(state);
            }
            if !scanner.eat(",") {
                return Ok(());
            }
        }
    }

    fn mention(&mut self, scanner: &mut Scanner<'a>) -> Result<State, FormatError> {
        let (word, span) = scanner.expect_word("a state")?;
        let state = self.ids.number(word);
        self.mentions.push((state, span));
        Ok(state)
    }

    fn finish(
        self,
        file: File<'_>,
        events: &BTreeSet<&str>,
        notes: Notes,
    ) -> Result<Fsa<String>, FormatError> {
        let names = &self.ids.names;
        if let Some((state, span)) = self.mentions.iter().find(|(state, _)| !self.defined.contains(state)) {
            let near =
                super::did_you_mean(&names[*state], self.defined.iter().map(|&state| names[state].as_str()));
            let problem = format!("the state `{}` is not defined{near}", names[*state]);
            return Err(file.error(span.clone(), problem, "define it: `name [ event -> state ]`"));
        }
        let Some(first) = self.first else {
            let at = file.text.find("fsm").unwrap_or(0);
            return Err(file.error(
                at..at + 3,
                "the `fsm` block has no states",
                "define one: `name [ event -> state ]`",
            ));
        };
        let label = |word: &str| notes.event(word).unwrap_or_else(|| word.to_owned());
        let mut draft = Draft::with_states(names.len());
        draft.initial.insert(first);
        for &state in &self.accepting {
            draft.accepting[state] = true;
        }
        draft.labels = events.iter().map(|word| label(word)).collect();
        let used: BTreeSet<(State, &str)> = self.edges.iter().map(|&(from, word, _)| (from, word)).collect();
        draft.edges =
            self.edges.iter().map(|&(from, word, to)| DraftEdge::plain(from, label(word), to)).collect();
        if self.defaults.len().saturating_mul(events.len()) > file.most_edges() {
            return Err(file.error(
                0..1,
                "the defaults stand for too many transitions",
                "write the transitions out",
            ));
        }
        for (&from, &to) in &self.defaults {
            let others = events.iter().filter(|&&word| !used.contains(&(from, word)));
            draft.edges.extend(others.map(|word| DraftEdge::plain(from, label(word), to)));
        }
        draft.number_by(names, &["s"], &notes);
        draft.finish(file, notes, Unmarked::AllAccept)
    }
}
