//! A model as a picture: boxes, arrows, notes, and their layout.
//!
//! A call that stays in its state is listed inside the box, under a rule, as in UML. Calls between the same
//! two states share an arrow, or a note where there would be too many arrows (`notes.rs`). Calls that throw
//! are listed in the box, and a state that only they lead to is omitted unless it is asked for. Calls after
//! which nothing was explored are listed in the box too; the place that they lead to is no state and has no
//! box. Sizes are measured in columns of a monospaced font, so no font is needed.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::layout::{Flow, Gaps, Layout, Link, Size, layouts};
use adit_automata::{Fsa, Modality, NOT_EXPLORED, State};
use adit_trace::Label;

mod fold;
mod letters;
mod notes;
mod png;
mod scene;
mod svg;
mod titles;
mod words;

pub use png::Painted;
pub use svg::{STYLE_SHEET, Style, escaped};
pub use words::{legible, spellings, terminal_columns};

use words::{columns, mark, shortened};

use fold::Folding;
use notes::{Passage, Way};
use titles::{Title, titles};

/// Optional parts of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Choice {
    /// Show calls without side effects.
    pub pure: bool,
    /// Show states that are reached only by an exception.
    pub failures: bool,
}

/// A drawn model.
pub struct Picture {
    /// Boxes of states.
    pub boxes: Vec<Box>,
    /// Transitions between boxes, as far as they are drawn as arrows.
    pub arrows: Vec<Arrow>,
    /// Transitions written in their boxes instead of drawn as arrows.
    pub notes: Vec<Note>,
    /// A sentence for each way in which states were folded into one box.
    pub folded: Vec<String>,
    layout: Layout,
    flow: Flow,
    /// Boxes in which a word may end are marked.
    pub shows_ends: bool,
}

/// The box of one or several states.
#[derive(Clone, Debug, PartialEq)]
pub struct Box {
    /// Its states, in order.
    pub states: Vec<State>,
    /// Short name: the number of its state, or the range of its states.
    pub number: String,
    /// Lines of the title.
    pub title: Vec<String>,
    /// Full name, of which the title is the distinguishing part.
    pub name: String,
    /// Sources of the notes that lead here.
    pub heard: Option<String>,
    /// The notes in this box, as positions among all notes.
    pub notes: Vec<usize>,
    /// Lines of calls that stay in the state.
    pub stays: Vec<Vec<DrawnCall>>,
    /// Lines of calls that were observed here while nobody saw what follows them.
    pub unexplored: Vec<Vec<DrawnCall>>,
    /// Lines of calls that throw.
    pub refuses: Vec<Vec<DrawnCall>>,
    /// One of its states is initial.
    pub initial: bool,
    /// A word may end in one of its states.
    pub accepting: bool,
    /// Width and height in pixels.
    pub size: Size,
}

/// Transitions from one box to another, drawn as an arrow.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrow {
    /// Position of the source among the boxes.
    pub from: usize,
    /// Position of the target among the boxes.
    pub to: usize,
    /// Lines of calls.
    pub calls: Vec<Vec<DrawnCall>>,
    /// None of the calls was observed.
    pub maybe: bool,
    /// All calls throw.
    pub throws: bool,
    /// The transitions, as positions among all transitions of the model.
    pub edges: Vec<usize>,
}

/// Transitions from one box to another, written inside the first.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Position of the source among the boxes.
    pub from: usize,
    /// Position of the target among the boxes.
    pub to: usize,
    /// Lines of calls.
    pub calls: Vec<Vec<DrawnCall>>,
    /// Their target, appended to the last line.
    pub target: String,
    /// The transitions, as positions among all transitions of the model.
    pub edges: Vec<usize>,
}

/// A label in a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnCall {
    /// Spelling in files.
    pub label: String,
    /// Spelling in the picture.
    pub shown: String,
    /// It has no side effects.
    pub pure: bool,
    /// It was not observed.
    pub maybe: bool,
    /// Position of a transition with this label among all transitions of the model; absent if there is none.
    pub edge: Option<usize>,
}

/// Maximum number of boxes; a model with more states is folded.
const MAX_BOXES: usize = 60;

/// Maximum columns: wide enough for most method names, narrow enough for several boxes side by side.
const BOX_COLUMNS: usize = 30;
const ARROW_COLUMNS: usize = 24;

/// Maximum lines of calls on an arrow, in a box or in a note; further calls are counted.
const ARROW_LINES: usize = 8;
const BOX_LINES: usize = 12;
const NOTE_LINES: usize = 4;

/// With more boxes than these, each shows less: calls with side effects come first, and calls implied by its
/// name are omitted.
const LARGE: usize = 12;
const LARGE_BOX_LINES: usize = 3;
/// Maximum number of notes in a box; further notes are counted.
const MAX_NOTES: usize = 5;

/// Sizes in pixels.
const COLUMN: f64 = 7.9;
const LINE: f64 = 18.0;
const PADDING: f64 = 10.0;
/// Height of a rule inside a box, with the space around it.
const RULE: f64 = 9.0;

const GAPS: Gaps = Gaps { neighbors: 22.0, layers: 34.0 };

/// Approximate aspect ratio of a screen; the flow that fills it better is chosen.
const SCREEN: f64 = 1.7;

/// Maximum width of a row: readable on a screen and on paper.
const WIDEST: f64 = 1650.0;

/// Draws `model`. `pure` are the labels of calls without side effects.
pub fn draw(model: &Fsa<String>, pure: &BTreeSet<String>, choice: Choice) -> Picture {
    let mut hidden = if choice.failures { BTreeSet::new() } else { failures(model) };
    hidden.extend(model.not_explored());
    let folding = Folding::new(model, &hidden, MAX_BOXES);
    let sketch = Sketch { model, pure, choice, folding: &folding, hidden: &hidden };
    let ways = sketch.ways();
    let roots: Vec<usize> = (0..folding.boxes.len())
        .filter(|&number| folding.boxes[number].iter().any(|state| model.initial().contains(state)))
        .collect();
    let (arrows, noted) = notes::divide(ways, folding.boxes.len(), &roots);
    let (boxes, notes) = sketch.boxes(&noted);
    // Marks on more than half of the boxes would carry no information.
    let ends = boxes.iter().filter(|one| one.accepting).count();
    let shows_ends = 2 * ends <= boxes.len();
    let arrows: Vec<Arrow> = arrows.into_iter().map(arrow).collect();
    let (flow, layout) = lay_out(&boxes, &arrows, &roots);
    let folded = folding.says;
    Picture { boxes, arrows, notes, folded, layout, flow, shows_ends }
}

/// Returns the states that are entered and left only by exceptions.
pub fn failures(model: &Fsa<String>) -> BTreeSet<State> {
    let mut reached = vec![false; model.len()];
    let mut alive: BTreeSet<State> = model.initial().iter().copied().collect();
    for edge in model.all_edges() {
        reached[edge.to] |= edge.from != edge.to;
        if edge.from != edge.to && !throws(edge.label) {
            alive.extend([edge.from, edge.to]);
        } else if !throws(edge.label) {
            alive.insert(edge.from);
        }
    }
    model.states().filter(|state| reached[*state] && !alive.contains(state)).collect()
}

/// Returns true if a label says that a call threw.
pub fn throws(label: &str) -> bool {
    Label::parse(label).threw().is_some()
}

/// The names of all states for use in sentences, with the same words as the titles of boxes.
pub struct StateNames {
    titles: Vec<Option<Title>>,
    not_explored: Option<State>,
}

impl StateNames {
    /// Names the states of `model`.
    pub fn of(model: &Fsa<String>) -> Self {
        Self { titles: titles(model), not_explored: model.not_explored() }
    }

    /// Returns the name of a state: its number, and in brackets what distinguishes it.
    pub fn name(&self, state: State) -> String {
        self.named(state, |title| format!("{state} ({title})"))
    }

    /// Returns the name of a state as a box shows it: its number, and what distinguishes it.
    pub fn title(&self, state: State) -> String {
        self.named(state, |title| format!("{state} {title}"))
    }

    fn named(&self, state: State, with: impl FnOnce(String) -> String) -> String {
        match &self.titles[state] {
            _ if self.not_explored == Some(state) => NOT_EXPLORED.to_owned(),
            Some(title) => with(legible(&title.text)),
            None => state.to_string(),
        }
    }
}

/// Calls by label and guard.
type Calls = BTreeMap<(String, Option<String>), Passage>;

/// The calls that are listed in a box.
#[derive(Clone, Default)]
struct Inner {
    stays: Calls,
    unexplored: Calls,
    refuses: Calls,
}

fn calls(calls: Calls) -> Vec<DrawnCall> {
    calls.into_values().map(|one| one.call).collect()
}

struct Sketch<'a> {
    model: &'a Fsa<String>,
    pure: &'a BTreeSet<String>,
    choice: Choice,
    folding: &'a Folding,
    hidden: &'a BTreeSet<State>,
}

impl Sketch<'_> {
    /// Returns the boxes and the notes in them.
    fn boxes(&self, noted: &[Way]) -> (Vec<Box>, Vec<Note>) {
        let inner = self.inner_calls();
        let titles = titles(self.model);
        let states = |number: usize| self.folding.boxes[number].len();
        let heard = notes::heard(noted, self.folding.boxes.len(), states);
        let parts = self.folding.boxes.iter().zip(inner).zip(heard);
        let mut boxes: Vec<Box> = parts
            .map(|((states, inner), heard)| {
                let title = self.title(states, &titles);
                let heard = heard.map(|text| shortened(&text, BOX_COLUMNS));
                Box { heard, ..self.state_box(states, &title, inner) }
            })
            .collect();
        let mut notes: Vec<Note> = Vec::new();
        for ways in noted.chunk_by(|one, other| one.from == other.from) {
            let shown = if ways.len() > MAX_NOTES { MAX_NOTES - 1 } else { ways.len() };
            notes.extend(ways[..shown].iter().map(|way| note(way, &boxes)));
            notes.extend(rest(&ways[shown..]));
        }
        for (at, note) in notes.iter().enumerate() {
            boxes[note.from].notes.push(at);
        }
        for one in &mut boxes {
            one.size = box_size(one, &notes);
        }
        (boxes, notes)
    }

    /// Returns, for each box, the calls that are listed in it.
    fn inner_calls(&self) -> Vec<Inner> {
        let mut inner: Vec<Inner> = vec![Inner::default(); self.folding.boxes.len()];
        let not_explored = self.model.not_explored();
        for (number, edge) in self.model.all_edges().enumerate() {
            let Some(from) = self.folding.of[edge.from] else { continue };
            let (to, inner) = (self.folding.of[edge.to], &mut inner[from]);
            let list = match to {
                _ if not_explored == Some(edge.to) => &mut inner.unexplored,
                _ if throws(edge.label) && (to == Some(from) || self.hidden.contains(&edge.to)) => {
                    &mut inner.refuses
                }
                Some(to) if to == from => &mut inner.stays,
                _ => continue,
            };
            if let Some(call) = self.call(number, edge.label, edge.modality, edge.guard, BOX_COLUMNS - 1) {
                let key = (edge.label.clone(), edge.guard.map(str::to_owned));
                list.entry(key)
                    .and_modify(|known| known.call.maybe &= call.maybe)
                    .or_insert(Passage { call, edges: Vec::new() });
            }
        }
        // A box of several states refuses what all of them refuse.
        for (states, inner) in self.folding.boxes.iter().zip(&mut inner) {
            let all =
                |label: &&String| states.iter().all(|&state| self.model.refusals(state).contains(label));
            for label in states.first().into_iter().flat_map(|&state| self.model.refusals(state)).filter(all)
            {
                inner.refuses.entry((label.clone(), None)).or_insert_with(|| Self::refused(label));
            }
        }
        inner
    }

    /// Returns the box of some states, still without notes and size.
    fn state_box(&self, states: &[State], title: &Title, inner: Inner) -> Box {
        let large = self.folding.boxes.len() > LARGE;
        let name = self.name(states);
        let is_told = |call: &DrawnCall| {
            titles::predicate(&call.label).is_some_and(|predicate| {
                title.tells.contains(&predicate) || large && name.split(", ").any(|part| part == predicate)
            })
        };
        let mut stays: Vec<DrawnCall> =
            calls(inner.stays).into_iter().filter(|call| !call.pure || !is_told(call)).collect();
        if large {
            stays.sort_by_key(|call| call.pure);
        }
        let lines = if large { LARGE_BOX_LINES } else { BOX_LINES };
        Box {
            states: states.to_vec(),
            number: numbers(states),
            title: words::wrapped(&title.text, BOX_COLUMNS),
            name,
            heard: None,
            notes: Vec::new(),
            stays: words::flow(stays, BOX_COLUMNS, lines),
            unexplored: words::flow(calls(inner.unexplored), BOX_COLUMNS, lines),
            refuses: words::refusals(calls(inner.refuses), BOX_COLUMNS, lines),
            initial: states.iter().any(|state| self.model.initial().contains(state)),
            accepting: states.iter().any(|&state| self.model.is_accepting(state)),
            size: Size::default(),
        }
    }

    /// Returns the transitions between boxes.
    fn ways(&self) -> Vec<Way> {
        let mut ways: BTreeMap<(usize, usize), Calls> = BTreeMap::new();
        for (number, edge) in self.model.all_edges().enumerate() {
            let (Some(from), Some(to)) = (self.folding.of[edge.from], self.folding.of[edge.to]) else {
                continue;
            };
            if from == to || self.folding.rest == Some(from) {
                continue;
            }
            if let Some(call) = self.call(number, edge.label, edge.modality, edge.guard, ARROW_COLUMNS) {
                let key = (edge.label.clone(), edge.guard.map(str::to_owned));
                let maybe = call.maybe;
                let known = ways.entry((from, to)).or_default().entry(key);
                let known = known.or_insert(Passage { call, edges: Vec::new() });
                known.call.maybe &= maybe;
                known.edges.push(number);
            }
        }
        let way = |((from, to), calls): (_, Calls)| Way { from, to, passages: calls.into_values().collect() };
        ways.into_iter().map(way).collect()
    }

    /// Returns a transition as a call of at most `most` columns, unless it is hidden.
    fn call(
        &self,
        edge: usize,
        label: &str,
        modality: Modality,
        guard: Option<&str>,
        most: usize,
    ) -> Option<DrawnCall> {
        let pure = self.pure.contains(label);
        if pure && !self.choice.pure {
            return None;
        }
        let guard = guard.map(|guard| format!(" [{guard}]")).unwrap_or_default();
        let maybe = modality == Modality::Maybe;
        let doubt = if maybe { "?" } else { "" };
        let shown = shortened(&format!("{}{doubt}{guard}", mark(label)), most);
        Some(DrawnCall { label: label.to_owned(), shown, pure, maybe, edge: Some(edge) })
    }

    /// Returns a refused call for which the model has no transition.
    fn refused(label: &str) -> Passage {
        let shown = shortened(&mark(label), BOX_COLUMNS - 1);
        let call = DrawnCall { label: label.to_owned(), shown, pure: false, maybe: false, edge: None };
        Passage { call, edges: Vec::new() }
    }

    /// Returns the title of a box.
    fn title(&self, states: &[State], titles: &[Option<Title>]) -> Title {
        let (number, known) = (numbers(states), titles[states[0]].clone());
        match states {
            [state] => match known {
                Some(title) => Title { text: format!("{number} {}", title.text), ..title },
                None if self.model.initial().contains(state) => {
                    Title { text: format!("{number} start"), ..Title::default() }
                }
                None => Title { text: number, ..Title::default() },
            },
            many => {
                let names: BTreeSet<Option<&str>> =
                    many.iter().map(|&state| self.model.name(state)).collect();
                let count = many.len();
                match known {
                    Some(title) if names.len() == 1 => {
                        Title { text: format!("{number}: {count} states, {}", title.text), ..title }
                    }
                    _ => Title { text: format!("{number}: {count} states"), ..Title::default() },
                }
            }
        }
    }

    /// Returns the name shared by all states of a box.
    fn name(&self, states: &[State]) -> String {
        let names: BTreeSet<&str> =
            states.iter().map(|&state| self.model.name(state).unwrap_or_default()).collect();
        if names.len() == 1 { names.first().copied().unwrap_or_default().to_owned() } else { String::new() }
    }
}

/// Abbreviates the numbers of states: `7`, `2–31`, `2…40`.
fn numbers(states: &[State]) -> String {
    match states {
        [] => String::new(),
        [one] => one.to_string(),
        [first, .., last] if last - first + 1 == states.len() => format!("{first}–{last}"),
        [first, .., last] => format!("{first}…{last}"),
    }
}

fn arrow(way: Way) -> Arrow {
    let edges = edges(&way);
    let calls: Vec<DrawnCall> = way.passages.into_iter().map(|one| one.call).collect();
    Arrow {
        from: way.from,
        to: way.to,
        maybe: calls.iter().all(|call| call.maybe),
        throws: calls.iter().all(|call| throws(&call.label)),
        calls: words::flow(calls, ARROW_COLUMNS, ARROW_LINES),
        edges,
    }
}

fn edges(way: &Way) -> Vec<usize> {
    let mut edges: Vec<usize> = way.passages.iter().flat_map(|one| one.edges.iter().copied()).collect();
    edges.sort_unstable();
    edges
}

/// Returns a note with the name of its target if it fits, else with its number.
fn note(way: &Way, boxes: &[Box]) -> Note {
    let to = &boxes[way.to];
    let calls: Vec<DrawnCall> = way.passages.iter().map(|one| one.call.clone()).collect();
    let [short, long] = [&to.number, &to.title.join(" ")].map(|name| format!(" → {name}"));
    let room = |target: &str| BOX_COLUMNS.saturating_sub(columns(target));
    let whole = words::line_columns(&calls) <= room(&long);
    let target = if whole { long } else { short };
    Note {
        from: way.from,
        to: way.to,
        calls: words::flow(calls, room(&target).max(ARROW_COLUMNS), NOTE_LINES),
        target,
        edges: edges(way),
    }
}

/// Returns one note for all transitions that do not fit.
fn rest(ways: &[Way]) -> Option<Note> {
    let first = ways.first()?;
    let call = DrawnCall {
        label: String::new(),
        shown: format!("… and to {} more states", ways.len()),
        ..first.passages.first()?.call.clone()
    };
    let call = DrawnCall { pure: false, maybe: false, ..call };
    Some(Note {
        from: first.from,
        to: first.to,
        calls: vec![vec![call]],
        target: String::new(),
        edges: ways.iter().flat_map(edges).collect(),
    })
}

/// Returns the size of a box that fits its text.
fn box_size(one: &Box, notes: &[Note]) -> Size {
    let title = one.title.iter().chain(&one.heard).map(|line| columns(line)).max().unwrap_or(0);
    let lists = [&one.stays, &one.unexplored, &one.refuses];
    let calls = lists.into_iter().flatten().map(|line| words::line_columns(line)).max().unwrap_or(0);
    let noted = one.notes.iter().map(|&at| note_columns(&notes[at])).max().unwrap_or(0);
    // The headings need their room too.
    let headings = headed(one).into_iter().filter(|(_, lines)| !lines.is_empty());
    let heading = headings.map(|(heading, _)| heading.len()).max().unwrap_or(0);
    let widest = title.max(calls).max(noted).max(heading).max(4);
    let part = |lines: usize| if lines == 0 { 0.0 } else { lines as f64 * LINE + RULE };
    let below = part(one.stays.len())
        + part(one.notes.iter().map(|&at| notes[at].calls.len()).sum())
        + headed(one)
            .map(|(_, lines)| part(lines.len() + usize::from(!lines.is_empty())))
            .iter()
            .sum::<f64>();
    let above = one.title.len() + usize::from(one.heard.is_some());
    Size {
        width: widest as f64 * COLUMN + 2.0 * PADDING,
        height: above as f64 * LINE + below + 2.0 * PADDING - 4.0,
    }
}

/// Returns the width of a note in columns.
fn note_columns(note: &Note) -> usize {
    let last = note.calls.len().saturating_sub(1);
    let line = |(at, calls): (usize, &Vec<DrawnCall>)| {
        words::line_columns(calls) + if at == last { columns(&note.target) } else { 0 }
    };
    note.calls.iter().enumerate().map(line).max().unwrap_or(0)
}

/// Returns the lists of a box that have a heading, with their headings.
pub(crate) fn headed(one: &Box) -> [(&'static str, &[Vec<DrawnCall>]); 2] {
    [("not explored after", &one.unexplored), ("refuses", &one.refuses)]
}

/// Returns the layout whose direction and number of rows fill a screen best.
fn lay_out(boxes: &[Box], arrows: &[Arrow], roots: &[usize]) -> (Flow, Layout) {
    /// Maximum number of rows: sixty boxes in a line make ten.
    const ROWS: [usize; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    /// Cost of a row, because readers must find where it continues.
    const TROUBLE: f64 = 0.06;
    const MUCH: f64 = 2.0;
    let sizes: Vec<Size> = boxes.iter().map(|one| one.size).collect();
    let links: Vec<Link> = arrows
        .iter()
        .map(|arrow| {
            let widest = arrow.calls.iter().map(|line| words::line_columns(line)).max().unwrap_or(0);
            let label = Size {
                width: widest as f64 * COLUMN + PADDING,
                height: arrow.calls.len() as f64 * LINE + 2.0,
            };
            Link { from: arrow.from, to: arrow.to, label }
        })
        .collect();
    let needs = |layout: &Layout| layout.size.width.max(layout.size.height * SCREEN);
    let crowds: &[Option<usize>] = if boxes.len() > LARGE { &[None, Some(3), Some(5)] } else { &[None] };
    let mut drawn: Vec<(Flow, Layout)> = Vec::new();
    for flow in [Flow::Right, Flow::Down] {
        for &crowd in crowds {
            let all = layouts(&sizes, &links, roots, flow, GAPS, crowd, &ROWS);
            // What can be read as it is stays in one row.
            let rows = if all.first().is_some_and(|one| needs(one) <= WIDEST) { 1 } else { all.len() };
            drawn.extend(all.into_iter().take(rows).map(|layout| (flow, layout)));
        }
    }
    let cost = |(flow, layout): &(Flow, Layout)| {
        let trouble = 1.0 + TROUBLE * (layout.rows.len() as f64 - 1.0);
        // What is too large for a screen is read from left to right; a wide tree that hangs down begins with
        // much emptiness.
        let hanging = if *flow == Flow::Down && needs(layout) > WIDEST { 1.5 } else { 1.0 };
        needs(layout) * trouble * hanging
    };
    // What fits paper and screen is taken even if something wider would fill a screen better, unless that is
    // much better.
    let wide = |(_, layout): &(Flow, Layout)| layout.size.width > WIDEST;
    let least =
        |wanted: bool| drawn.iter().filter(|one| wide(one) == wanted).map(cost).fold(f64::INFINITY, f64::min);
    let narrow = least(false) <= MUCH * least(true);
    let best = drawn
        .into_iter()
        .filter(|one| wide(one) != narrow)
        .min_by(|one, other| cost(one).total_cmp(&cost(other)));
    best.expect("two flows were tried")
}
