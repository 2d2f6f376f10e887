//! A model as a picture: what stands in which box, what on which arrow, and where all of it is.
//!
//! A call that stays in its state stands inside the box, under a rule, as in UML. Calls between the same two states
//! share an arrow, or a note where arrows would be a web (`notes.rs`). Calls that throw are a quiet list in the box, and a
//! state that only they lead to is left out unless it is asked for. Everything is measured in columns of a monospaced font, so that no font need be at hand.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::layout::{Flow, Gaps, Layout, Link, Size, layouts};
use adit_automata::{Fsa, Modality, State};
use adit_trace::Label;

mod fold;
mod letters;
mod notes;
mod png;
mod svg;
mod titles;
mod words;

pub(crate) use svg::{Style, escaped};
pub(crate) use words::{legible, mark, spellings, terminal_columns};

use words::{columns, shortened};

use fold::Folding;
use notes::{Passage, Way};
use titles::{Title, titles};

/// What to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Choice {
    /// Calls without a side effect.
    pub(crate) pure: bool,
    /// States that are reached only by an exception.
    pub(crate) failures: bool,
}

/// A model, drawn.
pub(crate) struct Picture {
    pub(crate) boxes: Vec<Box>,
    pub(crate) arrows: Vec<Arrow>,
    /// What would be an arrow if there were fewer of them.
    pub(crate) notes: Vec<Note>,
    /// What several states or transitions were drawn as one, in a sentence each.
    pub(crate) folded: Vec<String>,
    pub(crate) layout: Layout,
    pub(crate) flow: Flow,
    /// Whether boxes in which a word may end are marked.
    pub(crate) shows_ends: bool,
}

/// A state, or several.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Box {
    pub(crate) states: Vec<State>,
    /// What it is called where there is little room: the number of its state, or from where to where its states reach.
    pub(crate) number: String,
    pub(crate) title: Vec<String>,
    /// The whole name, of which the title is what tells it apart.
    pub(crate) name: String,
    /// From where notes lead here, when any do.
    pub(crate) heard: Option<String>,
    /// The notes in this box, as positions among all notes.
    pub(crate) notes: Vec<usize>,
    /// What can be called without leaving, in lines.
    pub(crate) stays: Vec<Vec<Call>>,
    /// What throws, in lines.
    pub(crate) refuses: Vec<Vec<Call>>,
    pub(crate) initial: bool,
    pub(crate) accepting: bool,
    pub(crate) size: Size,
}

/// What leads from one box to another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Arrow {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// The calls in lines.
    pub(crate) calls: Vec<Vec<Call>>,
    /// Nothing shows that any of the calls occurs.
    pub(crate) maybe: bool,
    /// All of the calls throw.
    pub(crate) throws: bool,
    /// The transitions, as positions among all transitions of the model.
    pub(crate) edges: Vec<usize>,
}

/// What leads from one box to another, written in the first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Note {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// The calls in lines.
    pub(crate) calls: Vec<Vec<Call>>,
    /// Where they lead, behind the last line.
    pub(crate) target: String,
    /// The transitions, as positions among all transitions of the model.
    pub(crate) edges: Vec<usize>,
}

/// A label as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    /// As it reads in files.
    pub(crate) label: String,
    /// As it reads in the picture.
    pub(crate) shown: String,
    pub(crate) pure: bool,
    pub(crate) maybe: bool,
    /// A transition with this label, as a position among all transitions of the model; none for what has no transition.
    pub(crate) edge: Option<usize>,
}

/// Boxes that fit on a page; a model with more states is folded.
pub(crate) const MOST_BOXES: usize = 60;

/// Wide enough for most names of methods, narrow enough for several boxes beside each other.
const BOX_COLUMNS: usize = 30;
const ARROW_COLUMNS: usize = 24;

/// More calls on one arrow, or inside one box, are counted instead of shown.
const ARROW_LINES: usize = 8;
const BOX_LINES: usize = 12;
const NOTE_LINES: usize = 4;

/// With more boxes than these, each says less: what changes the state comes first, and what its name tells is not repeated.
const LARGE: usize = 12;
const LARGE_BOX_LINES: usize = 3;
/// More notes in one box are counted instead of shown.
const MOST_NOTES: usize = 5;

/// The picture's measures, in pixels at its natural size.
pub(crate) const COLUMN: f64 = 7.9;
pub(crate) const LINE: f64 = 18.0;
pub(crate) const PADDING: f64 = 10.0;
/// Around a rule inside a box.
pub(crate) const RULE: f64 = 9.0;

const GAPS: Gaps = Gaps { neighbors: 22.0, layers: 34.0 };

/// A screen is this much wider than high, roughly; the flow that fills it better is taken.
const SCREEN: f64 = 1.7;

/// A wider picture is broken into rows if it can be: this much is still readable across a screen, and on paper.
const WIDEST: f64 = 1650.0;

/// Draws `model`. `pure` are the labels of calls without a side effect.
pub(crate) fn draw(model: &Fsa<String>, pure: &BTreeSet<String>, choice: Choice) -> Picture {
    let hidden = if choice.failures { BTreeSet::new() } else { failures(model) };
    let folding = Folding::new(model, &hidden, MOST_BOXES);
    let sketch = Sketch { model, pure, choice, folding: &folding, hidden: &hidden };
    let ways = sketch.ways();
    let roots: Vec<usize> = (0..folding.boxes.len())
        .filter(|&number| folding.boxes[number].iter().any(|state| model.initial().contains(state)))
        .collect();
    let (arrows, noted) = notes::divide(ways, folding.boxes.len(), &roots);
    let (boxes, notes) = sketch.boxes(&noted);
    // Where traces may end almost anywhere, a mark on almost every box would say nothing.
    let ends = boxes.iter().filter(|one| one.accepting).count();
    let shows_ends = 2 * ends <= boxes.len();
    let arrows: Vec<Arrow> = arrows.into_iter().map(arrow).collect();
    let (flow, layout) = lay_out(&boxes, &arrows, &roots);
    let folded = folding.says;
    Picture { boxes, arrows, notes, folded, layout, flow, shows_ends }
}

/// The states that only exceptions lead to, and that nothing but exceptions leaves.
pub(crate) fn failures(model: &Fsa<String>) -> BTreeSet<State> {
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

/// Whether a label says that a call threw.
pub(crate) fn throws(label: &str) -> bool {
    Label::parse(label).threw().is_some()
}

/// What a state is called in a sentence.
pub(crate) fn state_name(model: &Fsa<String>, state: State) -> String {
    match model.name(state) {
        Some(name) if name != state.to_string() => format!("{state} ({})", legible(name)),
        _ => state.to_string(),
    }
}

/// Calls by label and guard, each once.
type Calls = BTreeMap<(String, Option<String>), Passage>;

fn calls(calls: Calls) -> Vec<Call> {
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
    /// The boxes, and the notes in them.
    fn boxes(&self, noted: &[Way]) -> (Vec<Box>, Vec<Note>) {
        let mut stays: Vec<Calls> = vec![BTreeMap::new(); self.folding.boxes.len()];
        let mut refuses = stays.clone();
        for (number, edge) in self.model.all_edges().enumerate() {
            let Some(from) = self.folding.of[edge.from] else { continue };
            let to = self.folding.of[edge.to];
            let list = match to {
                _ if throws(edge.label) && (to == Some(from) || self.hidden.contains(&edge.to)) => {
                    &mut refuses
                }
                Some(to) if to == from => &mut stays,
                _ => continue,
            };
            if let Some(call) = self.call(number, edge.label, edge.modality, edge.guard, BOX_COLUMNS - 1) {
                let key = (edge.label.clone(), edge.guard.map(str::to_owned));
                list[from]
                    .entry(key)
                    .and_modify(|known| known.call.maybe &= call.maybe)
                    .or_insert(Passage { call, edges: Vec::new() });
            }
        }
        // Several states in one box refuse what all of them do.
        for (states, refuses) in self.folding.boxes.iter().zip(&mut refuses) {
            let all =
                |label: &&String| states.iter().all(|&state| self.model.refusals(state).contains(label));
            for label in states.first().into_iter().flat_map(|&state| self.model.refusals(state)).filter(all)
            {
                refuses.entry((label.clone(), None)).or_insert_with(|| Self::refused(label));
            }
        }
        let large = self.folding.boxes.len() > LARGE;
        let titles = titles(self.model);
        let states = |number: usize| self.folding.boxes[number].len();
        let heard = notes::heard(noted, self.folding.boxes.len(), states);
        let parts = self.folding.boxes.iter().zip(stays).zip(refuses).zip(heard);
        let mut boxes: Vec<Box> = parts
            .map(|(((states, stays), refuses), heard)| {
                let title = self.title(states, &titles);
                let name = self.name(states);
                let tells = |call: &Call| {
                    titles::predicate(&call.label).is_some_and(|predicate| {
                        title.tells.contains(&predicate)
                            || large && name.split(", ").any(|part| part == predicate)
                    })
                };
                let mut stays: Vec<Call> =
                    calls(stays).into_iter().filter(|call| !call.pure || !tells(call)).collect();
                if large {
                    stays.sort_by_key(|call| call.pure);
                }
                let lines = if large { LARGE_BOX_LINES } else { BOX_LINES };
                Box {
                    states: states.clone(),
                    number: numbers(states),
                    name,
                    heard: heard.map(|text| shortened(&text, BOX_COLUMNS)),
                    notes: Vec::new(),
                    size: Size::default(),
                    title: words::wrapped(&title.text, BOX_COLUMNS),
                    stays: words::flow(stays, BOX_COLUMNS, lines),
                    refuses: words::flow(calls(refuses), BOX_COLUMNS, lines),
                    initial: states.iter().any(|state| self.model.initial().contains(state)),
                    accepting: states.iter().any(|&state| self.model.is_accepting(state)),
                }
            })
            .collect();
        let mut notes: Vec<Note> = Vec::new();
        for ways in noted.chunk_by(|one, other| one.from == other.from) {
            let shown = if ways.len() > MOST_NOTES { MOST_NOTES - 1 } else { ways.len() };
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

    /// What leads from box to box.
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

    /// A transition as it is shown in at most so many columns, if it is to be shown.
    fn call(
        &self,
        edge: usize,
        label: &str,
        modality: Modality,
        guard: Option<&str>,
        most: usize,
    ) -> Option<Call> {
        let pure = self.pure.contains(label);
        if pure && !self.choice.pure {
            return None;
        }
        let guard = guard.map(|guard| format!(" [{guard}]")).unwrap_or_default();
        let maybe = modality == Modality::Maybe;
        let doubt = if maybe { "?" } else { "" };
        let shown = shortened(&format!("{}{doubt}{guard}", mark(label)), most);
        Some(Call { label: label.to_owned(), shown, pure, maybe, edge: Some(edge) })
    }

    /// A call that a state is known to refuse, though the model has no transition for it.
    fn refused(label: &str) -> Passage {
        let shown = shortened(&mark(label), BOX_COLUMNS - 1);
        let call = Call { label: label.to_owned(), shown, pure: false, maybe: false, edge: None };
        Passage { call, edges: Vec::new() }
    }

    /// What is written above all else in a box.
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

    /// The name that all states of a box have.
    fn name(&self, states: &[State]) -> String {
        let names: BTreeSet<&str> =
            states.iter().map(|&state| self.model.name(state).unwrap_or_default()).collect();
        if names.len() == 1 { names.first().copied().unwrap_or_default().to_owned() } else { String::new() }
    }
}

/// The numbers of states in a few letters: `7`, `2–31`, `2…40`.
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
    let calls: Vec<Call> = way.passages.into_iter().map(|one| one.call).collect();
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

/// A note with the name of its target, when there is room for that, else with its number.
fn note(way: &Way, boxes: &[Box]) -> Note {
    let to = &boxes[way.to];
    let calls: Vec<Call> = way.passages.iter().map(|one| one.call.clone()).collect();
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

/// One note for all that there is no room for.
fn rest(ways: &[Way]) -> Option<Note> {
    let first = ways.first()?;
    let call = Call {
        label: String::new(),
        shown: format!("… and to {} more states", ways.len()),
        ..first.passages.first()?.call.clone()
    };
    let call = Call { pure: false, maybe: false, ..call };
    Some(Note {
        from: first.from,
        to: first.to,
        calls: vec![vec![call]],
        target: String::new(),
        edges: ways.iter().flat_map(edges).collect(),
    })
}

/// How large a box must be for its text.
fn box_size(one: &Box, notes: &[Note]) -> Size {
    let title = one.title.iter().chain(&one.heard).map(|line| columns(line)).max().unwrap_or(0);
    let calls = one.stays.iter().chain(&one.refuses).map(|line| words::line_columns(line)).max().unwrap_or(0);
    let noted = one.notes.iter().map(|&at| note_columns(&notes[at])).max().unwrap_or(0);
    // The heading of the list of refusals needs its room too.
    let heading = if one.refuses.is_empty() { 0 } else { REFUSES.len() };
    let widest = title.max(calls).max(noted).max(heading).max(4);
    let part = |lines: usize| if lines == 0 { 0.0 } else { lines as f64 * LINE + RULE };
    let below = part(one.stays.len())
        + part(one.notes.iter().map(|&at| notes[at].calls.len()).sum())
        + part(one.refuses.len() + usize::from(!one.refuses.is_empty()));
    let above = one.title.len() + usize::from(one.heard.is_some());
    Size {
        width: widest as f64 * COLUMN + 2.0 * PADDING,
        height: above as f64 * LINE + below + 2.0 * PADDING - 4.0,
    }
}

/// How many columns a note takes.
fn note_columns(note: &Note) -> usize {
    let last = note.calls.len().saturating_sub(1);
    let line = |(at, calls): (usize, &Vec<Call>)| {
        words::line_columns(calls) + if at == last { columns(&note.target) } else { 0 }
    };
    note.calls.iter().enumerate().map(line).max().unwrap_or(0)
}

/// Above the calls that throw.
pub(crate) const REFUSES: &str = "refuses";

/// The layout in the direction, and in as many rows, that fills a screen best.
fn lay_out(boxes: &[Box], arrows: &[Arrow], roots: &[usize]) -> (Flow, Layout) {
    /// More rows than these are tried for nobody: sixty boxes in a line make ten.
    const ROWS: [usize; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    /// A row more must be worth the trouble of finding where it goes on.
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
        // What is too large for a screen is read from left to right; a wide tree that hangs down begins with much emptiness.
        let hanging = if *flow == Flow::Down && needs(layout) > WIDEST { 1.5 } else { 1.0 };
        needs(layout) * trouble * hanging
    };
    // What fits paper and screen is taken even if something wider would fill a screen better, unless that is much better.
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
