//! DOT, as LearnLib and AALpy write it: `__start0 -> s0` points at an initial state, a double circle accepts.
//!
//! Three attributes that Graphviz ignores hold what a drawing does not say: `event`, where the label would be
//! read as something else, `guard`, and `modality="maybe"`, which is also drawn dashed. Remarks in comments
//! hold the rest. The place that was not explored is small and dashed.
//!
//! Rules for reading:
//! * a label of several lines is several events; ` / ` between input and output of a Mealy machine becomes
//!   `/`;
//! * a node without a border that only starts unlabeled edges points at initial states, whatever it is
//!   called;
//! * a double circle that only ends unlabeled edges stands for the end of a word: where they start, a word
//!   may end;
//! * a file without any double circle accepts everywhere.

use super::Model;
use super::dot_parse::{Arrow, Attributes, Graph, Text, parse};
use super::draft::{Draft, DraftEdge, Unmarked};
use super::error::FormatError;
use super::notes::{Notes, Remarks};
use super::scan::File;
use crate::{Fsa, Modality};

/// Writes `fsa`.
pub(super) fn write(model: &Model<'_>) -> String {
    let Model { fsa, title, spelling } = *model;
    let mut out = format!("digraph {} {{\n", quote(title));
    let mut remarks = Remarks::about(fsa);
    let not_explored = fsa.not_explored();
    for state in fsa.states() {
        let id = format!("s{state}");
        let shape = if fsa.is_accepting(state) { "doublecircle" } else { "circle" };
        let mut label = id.clone();
        if let Some(name) = fsa.name(state) {
            if name_of(&id, &unescape(&quoted(name), &id)).as_deref() == Some(name) {
                label = name.to_owned();
            } else {
                remarks.lines.push(format!("name {state} {}", super::notes::quote(name)));
            }
        }
        let look = if Some(state) == not_explored { PLACE } else { "" };
        out.push_str(&format!("  {id} [shape=\"{shape}\" label={}{look}];\n", quote(&label)));
    }
    for edge in fsa.all_edges() {
        let mut label = edge.label.clone();
        if let Some(guard) = edge.guard {
            label.push_str(&format!(" [{guard}]"));
        }
        let mut attributes = format!("label={}", quote(&label));
        if events(&unescape(&quoted(&label), "")) != [edge.label.as_str()]
            || (spelling.from_word)(edge.label) != *edge.label
        {
            attributes.push_str(&format!(" event={}", quote(edge.label)));
        }
        if let Some(guard) = edge.guard {
            attributes.push_str(&format!(" guard={}", quote(guard)));
        }
        if edge.modality == Modality::Maybe {
            attributes.push_str(" style=\"dashed\" modality=\"maybe\"");
        }
        out.push_str(&format!("  s{} -> s{} [{attributes}];\n", edge.from, edge.to));
    }
    for (number, state) in fsa.initial().iter().enumerate() {
        out.push_str(&format!("  __start{number} [label=\"\" shape=\"none\" width=\"0\" height=\"0\"];\n"));
        out.push_str(&format!("  __start{number} -> s{state};\n"));
    }
    remarks.nothing_accepted();
    remarks.unused_labels();
    remarks.predicates();
    out.push_str(&remarks.comments("  //", ""));
    out + "}\n"
}

/// Look of the place that was not explored.
const PLACE: &str = " style=\"dashed\" fontsize=\"9\" margin=\"0\"";

fn quote(text: &str) -> String {
    format!("\"{}\"", quoted(text))
}

/// `text` as it stands between quotes.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Reads an automaton from a drawing of it.
pub(super) fn read(file: File<'_>) -> Result<Fsa<String>, FormatError> {
    let graph = parse(file)?;
    let notes = Notes::read(file, &graph.remarks)?;
    let roles = roles(&graph);
    let mut draft = Draft::default();
    let mut ids = Vec::new();
    let mut states = Vec::with_capacity(graph.nodes.len());
    for (node, role) in graph.nodes.iter().zip(&roles) {
        states.push(ids.len());
        if *role == Role::State {
            if let Some(label) = &node.attributes.label
                && let Some(name) = name_of(&node.id, &text(label, &node.id))
            {
                draft.names.insert(ids.len(), name);
            }
            draft.accepting.push(is_double(&node.attributes));
            ids.push(node.id.to_string());
        }
    }
    for edge in &graph.edges {
        match (roles[edge.from], roles[edge.to]) {
            (Role::State, Role::State) => {
                add_edge(file, &mut draft, edge, states[edge.from], states[edge.to])?
            }
            (Role::Start, Role::State) => drop(draft.initial.insert(states[edge.to])),
            (Role::State, _) => draft.accepting[states[edge.from]] = true,
            _ => {}
        }
    }
    if draft.initial.is_empty() && notes.initial.is_none() {
        let help =
            "point at it from a node without a border: `__start0 [shape=none label=\"\"]; __start0 -> s0;`";
        return Err(file.error(0..0, "the model has no initial state", help));
    }
    draft.number_by(&ids, &["s", ""], &notes);
    draft.finish(file, notes, Unmarked::AllAccept)
}

/// The meaning of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    State,
    /// Points at initial states.
    Start,
    /// Stands for the end of a word.
    End,
}

fn roles(graph: &Graph<'_>) -> Vec<Role> {
    #[derive(Clone, Default)]
    struct Ends {
        comes_in: bool,
        goes_out: bool,
        labeled: bool,
        pointed_at: bool,
    }
    let mut ends = vec![Ends::default(); graph.nodes.len()];
    for edge in &graph.edges {
        let labeled = !is_unlabeled(edge);
        ends[edge.from].goes_out = true;
        ends[edge.to].comes_in = true;
        ends[edge.from].labeled |= labeled;
        ends[edge.to].labeled |= labeled;
    }
    let mut roles: Vec<Role> = graph
        .nodes
        .iter()
        .zip(&ends)
        .map(|(node, ends)| {
            let look = &node.attributes;
            let borderless = ["none", "plaintext", "point", "plain"]
                .iter()
                .any(|shape| Attributes::is(&look.shape, shape))
                || Attributes::is(&look.style, "invis");
            let pointer = node.id.starts_with("__start") || (borderless && ends.goes_out);
            if pointer && !ends.labeled && !ends.comes_in { Role::Start } else { Role::State }
        })
        .collect();
    for edge in graph.edges.iter().filter(|edge| roles[edge.from] == Role::Start) {
        ends[edge.to].pointed_at = true;
    }
    for (role, (node, ends)) in roles.iter_mut().zip(graph.nodes.iter().zip(&ends)) {
        // An initial state may accept and have no transitions; then it only looks like an end.
        if is_double(&node.attributes) && ends.comes_in && !ends.goes_out && !ends.labeled && !ends.pointed_at
        {
            *role = Role::End;
        }
    }
    roles
}

fn is_double(look: &Attributes) -> bool {
    Attributes::is(&look.shape, "doublecircle") || Attributes::is(&look.peripheries, "2")
}

fn is_unlabeled(edge: &Arrow) -> bool {
    let Attributes { event, label, .. } = &edge.attributes;
    event.is_none() && label.as_ref().is_none_or(|label| text(label, "").trim().is_empty())
}

/// Adds the transitions that an edge of the drawing stands for.
fn add_edge(
    file: File<'_>,
    draft: &mut Draft,
    edge: &Arrow,
    from: usize,
    to: usize,
) -> Result<(), FormatError> {
    let Attributes { label, event, guard, modality, .. } = &edge.attributes;
    let labels = match (event, label) {
        (Some(event), _) => vec![text(event, "")],
        (None, Some(label)) => {
            events(&text(label, "")).into_iter().map(|label| (file.spelling.from_word)(&label)).collect()
        }
        (None, None) => Vec::new(),
    };
    if labels.is_empty() || labels.contains(&String::new()) {
        let help =
            "give it a label: `[label=\"event\"]`; only edges from a borderless node or to an end have none";
        return Err(file.error(edge.at..edge.at + 1, "this edge has no label", help));
    }
    let modality = match modality {
        Some(value) if &*value.raw == "maybe" => Modality::Maybe,
        _ => Modality::Required,
    };
    let guard = guard.as_ref().map(|guard| text(guard, ""));
    for label in labels {
        draft.edges.push(DraftEdge { from, label, to, modality, guard: guard.clone() });
    }
    Ok(())
}

/// The events of a label: one a line, the space around them and around a Mealy machine's slash removed.
fn events(label: &str) -> Vec<String> {
    let lines = label.split('\n').map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| line.replace(" / ", "/")).collect()
}

/// The name that a node's label gives it: none when it repeats the id or its number.
fn name_of(id: &str, label: &str) -> Option<String> {
    let number = id.trim_start_matches(|c: char| !c.is_ascii_digit());
    (!label.is_empty() && label != id && label != number).then(|| label.to_owned())
}

/// The text of an attribute of an edge, or of a node called `id`.
fn text(value: &Text, id: &str) -> String {
    if value.html { without_tags(&value.raw) } else { unescape(&value.raw, id) }
}

/// Replaces the backslash sequences of labels: line ends, the node's id, and protected characters.
fn unescape(raw: &str, id: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n' | 'l' | 'r') => out.push('\n'),
                Some('N') => out.push_str(id),
                Some(c) => out.push(c),
                None => out.push('\\'),
            },
            c => out.push(c),
        }
    }
    out
}

/// The text of an HTML label; a line break is one, all other tags are looks.
fn without_tags(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let end = rest[at..].find('>').map_or(rest.len(), |end| at + end + 1);
        if rest[at + 1..end].get(..2).is_some_and(|tag| tag.eq_ignore_ascii_case("br")) {
            out.push('\n');
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&nbsp;", " "), ("&amp;", "&")];
    entities.iter().fold(out, |text, (entity, c)| text.replace(entity, c))
}
