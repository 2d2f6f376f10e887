//! A model as a picture: what stands in which box, what on which arrow, and where all of it is.
//!
//! A call that stays in its state stands inside the box, under a rule, as in UML. Calls between the same two states
//! share an arrow. Calls that throw are a quiet list in the box, and a state that only they lead to is left out unless it
//! is asked for. Everything is measured in columns of a monospaced font, so that no font need be at hand.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::layout::{Flow, Gaps, Layout, Link, Size, layout};
use adit_automata::{Fsa, Modality, State};

mod fold;
mod letters;
mod png;
mod svg;
mod words;

pub(crate) use svg::{Style, escaped};
pub(crate) use words::{mark, terminal_columns};

use words::{columns, shortened};

use fold::Folding;

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
    pub(crate) title: Vec<String>,
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

/// A label as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    /// As it reads in files.
    pub(crate) label: String,
    /// As it reads in the picture.
    pub(crate) shown: String,
    pub(crate) pure: bool,
    pub(crate) maybe: bool,
    /// A transition with this label, as a position among all transitions of the model.
    pub(crate) edge: usize,
}

/// Boxes that fit on a page; a model with more states is folded.
pub(crate) const MOST_BOXES: usize = 60;

/// Wide enough for most names of methods, narrow enough for several boxes beside each other.
const BOX_COLUMNS: usize = 30;
const ARROW_COLUMNS: usize = 24;

/// More calls on one arrow, or inside one box, are counted instead of shown.
const ARROW_LINES: usize = 8;
const BOX_LINES: usize = 12;

/// The picture's measures, in pixels at its natural size.
pub(crate) const COLUMN: f64 = 7.9;
pub(crate) const LINE: f64 = 18.0;
pub(crate) const PADDING: f64 = 10.0;
/// Around a rule inside a box.
pub(crate) const RULE: f64 = 9.0;

const GAPS: Gaps = Gaps { neighbors: 22.0, layers: 34.0 };

/// A screen is this much wider than high, roughly; the flow that fills it better is taken.
const SCREEN: f64 = 1.7;

/// Draws `model`. `pure` are the labels of calls without a side effect.
pub(crate) fn draw(model: &Fsa<String>, pure: &BTreeSet<String>, choice: Choice) -> Picture {
    let hidden = if choice.failures { BTreeSet::new() } else { failures(model) };
    let folding = Folding::new(model, &hidden, MOST_BOXES);
    let sketch = Sketch { model, pure, choice, folding: &folding, hidden: &hidden };
    let boxes = sketch.boxes();
    // Where traces may end almost anywhere, a mark on almost every box would say nothing.
    let ends = boxes.iter().filter(|one| one.accepting).count();
    let shows_ends = 2 * ends <= boxes.len();
    let arrows = sketch.arrows();
    let (flow, layout) = lay_out(&boxes, &arrows);
    let folded = folding.says;
    Picture { boxes, arrows, folded, layout, flow, shows_ends }
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
    adit_trace::method_of(label).len() < label.len() && label.contains('!')
}

/// What a state is called in a sentence.
pub(crate) fn state_name(model: &Fsa<String>, state: State) -> String {
    match model.name(state) {
        Some(name) if name != state.to_string() => format!("{state} ({name})"),
        _ => state.to_string(),
    }
}

/// Calls by label and guard, each once.
type Calls = BTreeMap<(String, Option<String>), Call>;

struct Sketch<'a> {
    model: &'a Fsa<String>,
    pure: &'a BTreeSet<String>,
    choice: Choice,
    folding: &'a Folding,
    hidden: &'a BTreeSet<State>,
}

impl Sketch<'_> {
    fn boxes(&self) -> Vec<Box> {
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
                list[from].entry(key).and_modify(|known| known.maybe &= call.maybe).or_insert(call);
            }
        }
        let parts = self.folding.boxes.iter().zip(stays).zip(refuses);
        parts
            .map(|((states, stays), refuses)| {
                let title = self.title(states);
                let stays = words::flow(stays.into_values().collect(), BOX_COLUMNS, BOX_LINES);
                let refuses = words::flow(refuses.into_values().collect(), BOX_COLUMNS, BOX_LINES);
                Box {
                    states: states.clone(),
                    size: box_size(&title, &stays, &refuses),
                    title,
                    stays,
                    refuses,
                    initial: states.iter().any(|state| self.model.initial().contains(state)),
                    accepting: states.iter().any(|&state| self.model.is_accepting(state)),
                }
            })
            .collect()
    }

    fn arrows(&self) -> Vec<Arrow> {
        let mut arrows: BTreeMap<(usize, usize), (Calls, Vec<usize>)> = BTreeMap::new();
        for (number, edge) in self.model.all_edges().enumerate() {
            let (Some(from), Some(to)) = (self.folding.of[edge.from], self.folding.of[edge.to]) else {
                continue;
            };
            if from == to || self.folding.rest == Some(from) {
                continue;
            }
            if let Some(call) = self.call(number, edge.label, edge.modality, edge.guard, ARROW_COLUMNS) {
                let key = (edge.label.clone(), edge.guard.map(str::to_owned));
                let (calls, edges) = arrows.entry((from, to)).or_default();
                calls.entry(key).and_modify(|known| known.maybe &= call.maybe).or_insert(call);
                edges.push(number);
            }
        }
        arrows
            .into_iter()
            .map(|((from, to), (calls, edges))| Arrow {
                from,
                to,
                maybe: calls.values().all(|call| call.maybe),
                throws: calls.values().all(|call| throws(&call.label)),
                calls: words::flow(calls.into_values().collect(), ARROW_COLUMNS, ARROW_LINES),
                edges,
            })
            .collect()
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
        Some(Call { label: label.to_owned(), shown, pure, maybe, edge })
    }

    fn title(&self, states: &[State]) -> Vec<String> {
        let text = match states {
            [state] => match self.model.name(*state) {
                Some(name) if name != state.to_string() => format!("{state} {name}"),
                _ if self.model.initial().contains(state) => format!("{state} start"),
                _ => format!("{state}"),
            },
            many => {
                let names: BTreeSet<Option<&str>> =
                    many.iter().map(|&state| self.model.name(state)).collect();
                match names.first() {
                    Some(Some(name)) if names.len() == 1 => format!("{} states: {name}", many.len()),
                    _ => format!("{} states", many.len()),
                }
            }
        };
        words::wrapped(&text, BOX_COLUMNS)
    }
}

/// How large a box must be for its text.
fn box_size(title: &[String], stays: &[Vec<Call>], refuses: &[Vec<Call>]) -> Size {
    let title_columns = title.iter().map(|line| columns(line)).max().unwrap_or(0);
    let calls = stays.iter().chain(refuses).map(|line| words::line_columns(line)).max().unwrap_or(0);
    // The heading of the list of refusals needs its room too.
    let heading = if refuses.is_empty() { 0 } else { REFUSES.len() };
    let widest = title_columns.max(calls).max(heading).max(4);
    let part = |lines: usize| if lines == 0 { 0.0 } else { lines as f64 * LINE + RULE };
    let below = part(stays.len()) + part(refuses.len() + usize::from(!refuses.is_empty()));
    Size {
        width: widest as f64 * COLUMN + 2.0 * PADDING,
        height: title.len() as f64 * LINE + below + 2.0 * PADDING - 4.0,
    }
}

/// Above the calls that throw.
pub(crate) const REFUSES: &str = "refuses";

/// The layout in the direction that fills a screen better.
fn lay_out(boxes: &[Box], arrows: &[Arrow]) -> (Flow, Layout) {
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
    let roots: Vec<usize> = (0..boxes.len()).filter(|&number| boxes[number].initial).collect();
    let drawn = [Flow::Right, Flow::Down].map(|flow| (flow, layout(&sizes, &links, &roots, flow, GAPS)));
    let needs = |layout: &Layout| layout.size.width.max(layout.size.height * SCREEN);
    let [right, down] = drawn;
    if needs(&right.1) <= needs(&down.1) { right } else { down }
}
