//! adit's own JSON: complete, versioned, one state or transition a line so that a change reads well in a
//! diff.
//!
//! The reader walks the text itself instead of building a tree first, because every complaint has to point at
//! a line and a column, and because the depth of what it reads is then the depth of the schema, whatever the
//! file nests.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::did_you_mean;
use super::draft::{Draft, DraftEdge, Unmarked};
use super::error::FormatError;
use super::notes::Notes;
use super::scan::{Comments, File, Scanner, json_quote, unknown_word};
use crate::{Fsa, Modality, State};

/// The versions that [`read`] understands; [`write`] writes the last.
const VERSIONS: [u64; 1] = [1];

/// Writes `fsa` with everything it holds.
pub(super) fn write(fsa: &Fsa<String>, title: &str) -> String {
    let quote = |text: &str| json_quote(text, "");
    let labels = fsa.alphabet().iter().map(|label| format!("    {}", quote(label)));
    let states = fsa.states().map(|state| {
        let mut line = format!("    {{\"id\": {state}");
        if let Some(name) = fsa.name(state) {
            line.push_str(&format!(", \"name\": {}", quote(name)));
        }
        line.push_str(&format!(", \"accepting\": {}", fsa.is_accepting(state)));
        for (field, said) in [("predicates", fsa.predicates(state)), ("refuses", fsa.refusals(state))] {
            if !said.is_empty() {
                let said: Vec<String> = said.iter().map(|text| quote(text)).collect();
                line.push_str(&format!(", \"{field}\": [{}]", said.join(", ")));
            }
        }
        line + "}"
    });
    let edges = fsa.all_edges().map(|edge| {
        let mut line =
            format!("    {{\"from\": {}, \"event\": {}, \"to\": {}", edge.from, quote(edge.label), edge.to);
        if edge.modality == Modality::Maybe {
            line.push_str(", \"modality\": \"maybe\"");
        }
        if let Some(guard) = edge.guard {
            line.push_str(&format!(", \"guard\": {}", quote(guard)));
        }
        line + "}"
    });
    let initial: Vec<String> = fsa.initial().iter().map(State::to_string).collect();
    let [.., version] = VERSIONS;
    format!(
        "{{\n  \"format\": \"adit-model\",\n  \"version\": {version},\n  \"title\": {},\n  \"alphabet\": {},\n  \"initial\": [{}],\n  \"states\": {},\n  \"edges\": {}\n}}\n",
        quote(title),
        lines(labels),
        initial.join(", "),
        lines(states),
        lines(edges),
    )
}

/// A JSON array with an item a line.
fn lines(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() { "[]".to_owned() } else { format!("[\n{}\n  ]", items.join(",\n")) }
}

/// The fields read so far; they may come in any order, so references are checked at the end.
#[derive(Default)]
struct Model {
    format: Option<()>,
    version: Option<()>,
    alphabet: Option<Vec<String>>,
    initial: Option<Vec<(State, Range<usize>)>>,
    states: Option<Vec<Node>>,
    edges: Option<Vec<Transition>>,
}

#[derive(Default)]
struct Node {
    id: Option<(State, Range<usize>)>,
    accepting: Option<bool>,
    name: Option<String>,
    predicates: Vec<String>,
    refusals: Vec<String>,
}

#[derive(Default)]
struct Transition {
    from: Option<(State, Range<usize>)>,
    to: Option<(State, Range<usize>)>,
    event: Option<(String, Range<usize>)>,
    maybe: bool,
    guard: Option<String>,
}

/// Reads a model.
pub(super) fn read(file: File<'_>) -> Result<Fsa<String>, FormatError> {
    let mut scanner = Scanner::new(file, Comments::NONE);
    let mut model = Model::default();
    const FIELDS: [&str; 7] = ["format", "version", "title", "alphabet", "initial", "states", "edges"];
    object(&mut scanner, "a model", &FIELDS, |scanner, field| {
        match field {
            "format" => {
                let at = here(scanner);
                if string(scanner, "the format's name")? != "adit-model" {
                    let help = "a model of adit says \"format\": \"adit-model\"";
                    return Err(file.error(at..scanner.at(), "this JSON is not a model of adit", help));
                }
                model.format = Some(());
            }
            "version" => {
                let (version, span) = scanner.expect_number("the version, a number")?;
                if !VERSIONS.contains(&version) {
                    let known: Vec<String> = VERSIONS.iter().map(u64::to_string).collect();
                    let problem = format!("version {version} of the format is not known");
                    let help =
                        format!("this adit reads version {}; a newer adit may read it", known.join(", "));
                    return Err(file.error(span, problem, help));
                }
                model.version = Some(());
            }
            "title" => drop(string(scanner, "a title in quotes")?),
            "alphabet" => {
                model.alphabet = Some(array(scanner, "the alphabet", |scanner| Ok(event(scanner)?.0))?)
            }
            "initial" => model.initial = Some(array(scanner, "the initial states", state)?),
            "states" => model.states = Some(array(scanner, "the states", node)?),
            _ => model.edges = Some(array(scanner, "the edges", transition)?),
        }
        Ok(())
    })?;
    scanner.expect_end("model")?;
    let missing = |field: &str| {
        file.error(0..1, format!("the model has no field `{field}`"), format!("add `\"{field}\": …`"))
    };
    model.format.ok_or_else(|| missing("format"))?;
    model.version.ok_or_else(|| missing("version"))?;
    let initial = model.initial.ok_or_else(|| missing("initial"))?;
    let states = model.states.ok_or_else(|| missing("states"))?;
    let edges = model.edges.ok_or_else(|| missing("edges"))?;
    let mut draft = place_states(file, states)?;
    let count = draft.accepting.len();
    let known = |(state, span): (State, Range<usize>)| {
        if state < count {
            return Ok(state);
        }
        let help = format!("the states are 0 to {}; add the state or correct the number", count.max(1) - 1);
        Err(file.error(span, format!("there is no state {state}"), help))
    };
    for state in initial {
        draft.initial.insert(known(state)?);
    }
    let alphabet: Option<FxHashSet<&String>> = model.alphabet.as_ref().map(|labels| labels.iter().collect());
    for edge in edges {
        let (Some(from), Some(to), Some((label, span))) = (edge.from, edge.to, edge.event) else { continue };
        if let Some(alphabet) = &alphabet
            && !alphabet.contains(&label)
        {
            let near = did_you_mean(&label, alphabet.iter().map(|label| label.as_str()));
            let problem = format!("the event `{}` is not in the alphabet{near}", label.escape_debug());
            return Err(file.error(span, problem, "add it to \"alphabet\", or leave \"alphabet\" out"));
        }
        let modality = if edge.maybe { Modality::Maybe } else { Modality::Required };
        draft.edges.push(DraftEdge {
            from: known(from)?,
            label,
            to: known(to)?,
            modality,
            guard: edge.guard,
        });
    }
    draft.labels = model.alphabet.unwrap_or_default();
    if draft.initial.is_empty() {
        let at = file.text.find("\"initial\"").unwrap_or(0);
        let help = "list at least one state: \"initial\": [0]";
        return Err(file.error(at..at + 9, "the model has no initial state", help));
    }
    draft.finish(file, Notes::default(), Unmarked::NoneAccept)
}

/// The states in the order of their ids, which must be 0, 1, 2 … in any order.
fn place_states(file: File<'_>, states: Vec<Node>) -> Result<Draft, FormatError> {
    let count = states.len();
    let mut draft = Draft::with_states(count);
    let mut seen = vec![false; count];
    for node in states {
        let Some((id, span)) = node.id else { continue };
        if id >= count {
            let problem = format!("the id {id} is too large: the number of states is {count}");
            return Err(file.error(span, problem, "ids are 0, 1, 2 … without gaps"));
        }
        if std::mem::replace(&mut seen[id], true) {
            return Err(file.error(
                span,
                format!("state {id} is there twice"),
                "give every state an id of its own",
            ));
        }
        draft.accepting[id] = node.accepting.unwrap_or(false);
        if let Some(name) = node.name {
            draft.names.insert(id, name);
        }
        if !node.predicates.is_empty() {
            draft.predicates.insert(id, node.predicates);
        }
        if !node.refusals.is_empty() {
            draft.refusals.insert(id, node.refusals);
        }
    }
    Ok(draft)
}

fn node(scanner: &mut Scanner<'_>) -> Result<Node, FormatError> {
    let mut node = Node::default();
    let fields = ["id", "name", "accepting", "predicates", "refuses"];
    let span = object(scanner, "a state", &fields, |scanner, field| {
        match field {
            "id" => node.id = Some(state(scanner)?),
            "name" => node.name = Some(string(scanner, "the state's name in quotes")?),
            "accepting" => node.accepting = Some(boolean(scanner)?),
            "refuses" => {
                node.refusals = array(scanner, "what is refused", |s| string(s, "a refused call in quotes"))?;
            }
            _ => node.predicates = array(scanner, "the predicates", |s| string(s, "a predicate in quotes"))?,
        }
        Ok(())
    })?;
    let missing = [("id", node.id.is_none()), ("accepting", node.accepting.is_none())];
    complete(scanner.file, span, "state", &missing)?;
    Ok(node)
}

fn transition(scanner: &mut Scanner<'_>) -> Result<Transition, FormatError> {
    let mut edge = Transition::default();
    let fields = ["from", "event", "to", "modality", "guard"];
    let span = object(scanner, "an edge", &fields, |scanner, field| {
        match field {
            "from" => edge.from = Some(state(scanner)?),
            "to" => edge.to = Some(state(scanner)?),
            "event" => edge.event = Some(event(scanner)?),
            "guard" => edge.guard = Some(string(scanner, "the guard in quotes")?),
            _ => {
                let at = here(scanner);
                let word = string(scanner, "\"required\" or \"maybe\"")?;
                if !["required", "maybe"].contains(&word.as_str()) {
                    return Err(unknown_word(
                        scanner.file,
                        at..scanner.at(),
                        "modality",
                        &word,
                        &["required", "maybe"],
                    ));
                }
                edge.maybe = word == "maybe";
            }
        }
        Ok(())
    })?;
    let missing = [("from", edge.from.is_none()), ("event", edge.event.is_none()), ("to", edge.to.is_none())];
    complete(scanner.file, span, "edge", &missing)?;
    Ok(edge)
}

/// An error if one of the fields is missing.
fn complete(
    file: File<'_>,
    span: Range<usize>,
    what: &str,
    missing: &[(&str, bool)],
) -> Result<(), FormatError> {
    match missing.iter().find(|(_, missing)| *missing) {
        None => Ok(()),
        Some((field, _)) => Err(file.error(
            span,
            format!("this {what} has no field `{field}`"),
            format!("add `\"{field}\": …`"),
        )),
    }
}

fn state(scanner: &mut Scanner<'_>) -> Result<(State, Range<usize>), FormatError> {
    let (number, span) = scanner.expect_number("a state's number")?;
    Ok((number as State, span))
}

fn event(scanner: &mut Scanner<'_>) -> Result<(String, Range<usize>), FormatError> {
    let at = here(scanner);
    let label = string(scanner, "an event in quotes")?;
    let span = at..scanner.at();
    if label.is_empty() {
        return Err(scanner.file.error(span, "an event needs a name", "put a name between the quotes"));
    }
    Ok((label, span))
}

fn string(scanner: &mut Scanner<'_>, wanted: &str) -> Result<String, FormatError> {
    scanner.json_string(wanted)
}

fn boolean(scanner: &mut Scanner<'_>) -> Result<bool, FormatError> {
    if scanner.eat("true") {
        Ok(true)
    } else if scanner.eat("false") {
        Ok(false)
    } else {
        Err(scanner.unexpected("`true` or `false`"))
    }
}

/// The offset of the next token.
fn here(scanner: &mut Scanner<'_>) -> usize {
    scanner.skip();
    scanner.at()
}

/// Reads an object, handing each of its `fields` to `read` once; gives the place of its brace.
fn object<'a>(
    scanner: &mut Scanner<'a>,
    what: &str,
    fields: &[&'static str],
    mut read: impl FnMut(&mut Scanner<'a>, &str) -> Result<(), FormatError>,
) -> Result<Range<usize>, FormatError> {
    let start = here(scanner);
    scanner.expect("{", &format!("at the start of {what}"))?;
    let mut seen = Vec::new();
    if scanner.eat("}") {
        return Ok(start..start + 1);
    }
    loop {
        let at = here(scanner);
        let field = string(scanner, "a field's name in quotes")?;
        let span = at..scanner.at();
        if !fields.contains(&field.as_str()) {
            return Err(unknown_word(scanner.file, span, &format!("field of {what}"), &field, fields));
        }
        if seen.contains(&field) {
            let problem = format!("the field `{field}` is there twice");
            return Err(scanner.file.error(span, problem, "keep one of them"));
        }
        scanner.expect(":", "after a field's name")?;
        read(scanner, &field)?;
        seen.push(field);
        if scanner.eat("}") {
            return Ok(start..start + 1);
        }
        scanner.expect(",", &format!("or `}}` after a field of {what}"))?;
    }
}

/// Reads an array, each item with `item`.
fn array<'a, T>(
    scanner: &mut Scanner<'a>,
    what: &str,
    mut item: impl FnMut(&mut Scanner<'a>) -> Result<T, FormatError>,
) -> Result<Vec<T>, FormatError> {
    scanner.expect("[", &format!("at the start of {what}"))?;
    let mut items = Vec::new();
    if scanner.eat("]") {
        return Ok(items);
    }
    loop {
        items.push(item(scanner)?);
        if scanner.eat("]") {
            return Ok(items);
        }
        scanner.expect(",", &format!("or `]` in {what}"))?;
    }
}
