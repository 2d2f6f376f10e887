//! The shapes of a picture in the order in which they are drawn, for the writers of SVG and PNG.

use std::fmt::Write;

use adit_automata::layout::{Flow, Point, Route, Size};

use crate::words::{BETWEEN, is_heading, line_columns};
use crate::{COLUMN, DrawnCall, LINE, PADDING, Picture, RULE, headed};

/// Space around the picture, for the arrow that marks the initial state.
pub(crate) const MARGIN: f64 = 34.0;

/// Radius of the dot that marks the initial state.
pub(crate) const DOT: f64 = 6.0;

/// Length of the arrow that marks the initial state.
pub(crate) const START: f64 = 19.0;

/// A box, an arrow or a note, with its shapes.
pub(crate) struct Part<'a> {
    pub(crate) kind: Kind,
    /// Position among all boxes, arrows or notes.
    pub(crate) number: usize,
    /// Begins with the visible text, because users of speech input say what they see.
    pub(crate) title: String,
    pub(crate) shapes: Vec<Shape<'a>>,
}

/// Kind of a part, with the properties that change its look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Box { initial: bool, several: bool },
    Arrow { maybe: bool, throws: bool },
    Note { maybe: bool },
}

/// Something to draw. Later shapes cover earlier ones.
pub(crate) enum Shape<'a> {
    Area(Area),
    /// The mark of an initial state: a dot, and an arrow from `line` in the direction of the flow.
    Start {
        dot: Point,
        line: Point,
        flow: Flow,
    },
    /// A horizontal line inside a box.
    Rule {
        start: Point,
        width: f64,
    },
    /// A line with an arrow head.
    Route(&'a Route),
    Text(Line<'a>),
}

/// A rectangle with rounded corners.
pub(crate) struct Area {
    pub(crate) role: Role,
    /// Upper left corner.
    pub(crate) corner: Point,
    pub(crate) size: Size,
    pub(crate) radius: f64,
}

/// Purpose of an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The box of a state.
    Frame,
    /// The inner border of a box in which a word may end.
    End,
    /// The background of the calls on an arrow.
    Plate,
    /// The invisible area of a note, which can be clicked.
    Strip,
}

/// A line of text.
pub(crate) struct Line<'a> {
    pub(crate) x: f64,
    /// Height of the baseline.
    pub(crate) y: f64,
    /// `x` is the middle of the line, not its start.
    pub(crate) middle: bool,
    pub(crate) voice: Voice,
    pub(crate) pieces: Vec<Piece<'a>>,
}

/// Look of a line of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Voice {
    /// The title of a box.
    Name,
    /// A remark or a heading.
    Quiet,
    Calls,
}

/// A call, or the text between two calls.
pub(crate) struct Piece<'a> {
    pub(crate) call: Option<&'a DrawnCall>,
    pub(crate) text: &'a str,
}

impl Picture {
    /// Returns the boxes row by row, in the direction of the flow.
    pub fn reading_order(&self) -> Vec<usize> {
        let place = |number: usize| {
            let Point { x, y } = self.layout.boxes[number];
            let (along, across) = if self.flow == Flow::Right { (x, y) } else { (y, x) };
            (self.layout.rows.iter().position(|(_, to)| across <= *to), along, across)
        };
        let mut order: Vec<usize> = (0..self.boxes.len()).collect();
        order.sort_by(|&one, &other| {
            let (one, other) = (place(one), place(other));
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(one.2.total_cmp(&other.2))
        });
        order
    }

    /// Returns the size of the picture with its margin, in whole pixels.
    pub(crate) fn size(&self) -> Size {
        let Size { width, height } = self.layout.size;
        let length = |length: f64| (length + 2.0 * MARGIN).round_ties_even();
        Size { width: length(width), height: length(height) }
    }

    /// Returns the parts of the picture. The Tab key visits them in this order: boxes in reading order, each
    /// followed by its notes and arrows.
    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = Vec::new();
        for at in self.reading_order() {
            self.state_box(&mut parts, at);
            let leaving = (0..self.arrows.len()).filter(|&arrow| self.arrows[arrow].from == at);
            parts.extend(leaving.map(|arrow| self.arrow(arrow)));
        }
        parts
    }

    fn arrow(&self, at: usize) -> Part<'_> {
        let (arrow, route) = (&self.arrows[at], &self.layout.links[at]);
        let way = self.way(arrow.from, arrow.to);
        let title = format!("{}, {way}: {}", seen(&arrow.calls), exactly(&arrow.calls));
        let widest = arrow.calls.iter().map(|line| line_columns(line)).max().unwrap_or(0) as f64;
        let size = Size { width: widest * COLUMN + PADDING, height: arrow.calls.len() as f64 * LINE + 2.0 };
        let Point { x, y } = route.label;
        let corner = Point { x: x - size.width / 2.0, y: y - size.height / 2.0 };
        let plate = Area { role: Role::Plate, corner, size, radius: 6.0 };
        let mut shapes = vec![Shape::Route(route), Shape::Area(plate)];
        for (at, calls) in arrow.calls.iter().enumerate() {
            let y = corner.y + LINE * (at as f64 + 0.78);
            let pieces = pieces(calls, comma(at, &arrow.calls));
            shapes.push(Shape::Text(Line { x, y, middle: true, voice: Voice::Calls, pieces }));
        }
        let kind = Kind::Arrow { maybe: arrow.maybe, throws: arrow.throws };
        Part { kind, number: at, title, shapes }
    }

    /// Describes source and target in words.
    fn way(&self, from: usize, to: usize) -> String {
        let name = |number: usize| self.boxes[number].title.join(" ");
        format!("from {} to {}", name(from), name(to))
    }

    /// Adds the box of a state with its calls, then the notes in it.
    fn state_box<'a>(&'a self, parts: &mut Vec<Part<'a>>, at: usize) {
        let one = &self.boxes[at];
        let kind = Kind::Box { initial: one.initial, several: one.states.len() > 1 };
        let mut shapes = self.box_frame(at);
        let mut y = self.box_text(&mut shapes, at);
        parts.push(Part { kind, number: at, title: box_title(one), shapes });
        // After the box, because a part that can be selected must not lie inside another.
        let x = self.corner(at).x;
        for &note in &one.notes {
            parts.push(self.note(note, Point { x, y }, one.size.width));
            y += self.notes[note].calls.len() as f64 * LINE;
        }
    }

    /// Returns the upper left corner of a box.
    fn corner(&self, at: usize) -> Point {
        let (size, center) = (self.boxes[at].size, self.layout.boxes[at]);
        Point { x: center.x - size.width / 2.0, y: center.y - size.height / 2.0 }
    }

    /// Returns the border of a box, and the mark of an initial state.
    fn box_frame(&self, at: usize) -> Vec<Shape<'_>> {
        let (one, center) = (&self.boxes[at], self.layout.boxes[at]);
        let corner = self.corner(at);
        let mut shapes = vec![Shape::Area(Area { role: Role::Frame, corner, size: one.size, radius: 8.0 })];
        if one.accepting && self.shows_ends {
            let corner = Point { x: corner.x + 3.0, y: corner.y + 3.0 };
            let size = Size { width: one.size.width - 6.0, height: one.size.height - 6.0 };
            shapes.push(Shape::Area(Area { role: Role::End, corner, size, radius: 6.0 }));
        }
        if one.initial {
            // On the side that arrows come from, where nothing else is.
            let away = |distance: f64| match self.flow {
                Flow::Right => Point { x: corner.x - distance, y: center.y },
                Flow::Down => Point { x: center.x, y: corner.y - distance },
            };
            shapes.push(Shape::Start { dot: away(27.0), line: away(21.0), flow: self.flow });
        }
        shapes
    }

    /// Adds the lines inside a box: title, calls that stay, calls after which nothing was explored, and
    /// refused calls. Returns the height at which the space for its notes begins, behind the calls that stay.
    fn box_text<'a>(&'a self, shapes: &mut Vec<Shape<'a>>, at: usize) -> f64 {
        let one = &self.boxes[at];
        let Point { x: left, y: top } = self.corner(at);
        let mut y = top + PADDING - 2.0;
        let line = |shapes: &mut Vec<Shape<'a>>, y: &mut f64, voice: Voice, pieces: Vec<Piece<'a>>| {
            let baseline = *y + LINE * 0.75;
            shapes.push(Shape::Text(Line { x: left + PADDING, y: baseline, middle: false, voice, pieces }));
            *y += LINE;
        };
        let rule = |shapes: &mut Vec<Shape<'a>>, y: &mut f64| {
            let start = Point { x: left, y: *y + RULE / 2.0 };
            shapes.push(Shape::Rule { start, width: one.size.width });
            *y += RULE;
        };
        let calls = |shapes: &mut Vec<Shape<'a>>, y: &mut f64, lines: &'a [Vec<DrawnCall>]| {
            for (at, calls) in lines.iter().enumerate() {
                line(shapes, y, Voice::Calls, pieces(calls, comma(at, lines)));
            }
        };
        for title in &one.title {
            line(shapes, &mut y, Voice::Name, vec![Piece { call: None, text: title }]);
        }
        if let Some(heard) = &one.heard {
            line(shapes, &mut y, Voice::Quiet, vec![Piece { call: None, text: heard }]);
        }
        if !one.stays.is_empty() {
            rule(shapes, &mut y);
            calls(shapes, &mut y, &one.stays);
        }
        if !one.notes.is_empty() {
            rule(shapes, &mut y);
        }
        let notes_at = y;
        let lines: usize = one.notes.iter().map(|&at| self.notes[at].calls.len()).sum();
        y += lines as f64 * LINE;
        for (heading, lines) in headed(one).into_iter().filter(|(_, lines)| !lines.is_empty()) {
            rule(shapes, &mut y);
            line(shapes, &mut y, Voice::Quiet, vec![Piece { call: None, text: heading }]);
            calls(shapes, &mut y, lines);
        }
        notes_at
    }

    /// Returns a note in its box, whose left border is at `corner`.
    fn note(&self, at: usize, corner: Point, width: f64) -> Part<'_> {
        let note = &self.notes[at];
        let way = self.way(note.from, note.to);
        let visible = format!("{}{}", seen(&note.calls), note.target);
        let title = format!("{visible}, {way}: {}", exactly(&note.calls));
        let size = Size { width: width - 6.0, height: note.calls.len() as f64 * LINE };
        let inner = Point { x: corner.x + 3.0, y: corner.y };
        let mut shapes = vec![Shape::Area(Area { role: Role::Strip, corner: inner, size, radius: 4.0 })];
        let last = note.calls.len().saturating_sub(1);
        for (line, calls) in note.calls.iter().enumerate() {
            let (x, y) = (corner.x + PADDING, corner.y + LINE * (line as f64 + 0.75));
            let pieces = pieces(calls, if line == last { &note.target } else { "," });
            shapes.push(Shape::Text(Line { x, y, middle: false, voice: Voice::Calls, pieces }));
        }
        let maybe = note.calls.iter().flatten().all(|call| call.maybe);
        Part { kind: Kind::Note { maybe }, number: at, title, shapes }
    }
}

/// Returns a line of calls with a text at its end.
fn pieces<'a>(calls: &'a [DrawnCall], behind: &'a str) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        pieces.push(Piece { call: Some(call), text: &call.shown });
        let text = if at + 1 < calls.len() { BETWEEN } else { behind };
        if !text.is_empty() {
            pieces.push(Piece { call: None, text });
        }
    }
    pieces
}

/// Returns the comma at the end of a line of calls, unless it is the last or a heading.
fn comma(at: usize, lines: &[Vec<DrawnCall>]) -> &'static str {
    if at + 1 == lines.len() || lines[at].iter().any(is_heading) { "" } else { "," }
}

/// Returns the title of a box: what is written in it, then the exact labels.
fn box_title(one: &crate::Box) -> String {
    let mut visible = one.title.join(" ");
    let mut says = format!("state {} {}", one.number, one.name);
    if let Some(heard) = &one.heard {
        let _ = write!(visible, " {heard}");
    }
    let headed = headed(one).map(|(heading, lines)| (heading, heading, lines));
    for (heading, what, lines) in [("", "stays with", one.stays.as_slice())].into_iter().chain(headed) {
        if !lines.is_empty() {
            let _ = write!(visible, " {heading} {}", seen(lines));
            let _ = write!(says, "; {what}: {}", exactly(lines));
        }
    }
    format!("{visible}, {says}")
}

/// Returns the exact label of a call, or its visible text if it has none.
fn exact(call: &DrawnCall) -> String {
    let label = if call.label.is_empty() { &call.shown } else { &call.label };
    if call.maybe { format!("{label} (perhaps)") } else { label.clone() }
}

/// Returns calls as spelled in the picture.
fn seen(lines: &[Vec<DrawnCall>]) -> String {
    let line = |calls: &Vec<DrawnCall>| {
        calls.iter().map(|call| call.shown.as_str()).collect::<Vec<_>>().join(BETWEEN)
    };
    lines.iter().map(line).collect::<Vec<_>>().join(", ")
}

/// Returns calls as spelled in files.
fn exactly(lines: &[Vec<DrawnCall>]) -> String {
    lines.iter().flatten().filter(|call| !is_heading(call)).map(exact).collect::<Vec<_>>().join(BETWEEN)
}
