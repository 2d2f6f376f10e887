//! A picture as SVG: as a file for `adit convert`, and as part of the report page, whose script uses the
//! `data-` attributes.
//!
//! Every text goes through [`escaped`]. Nothing depends on color alone: transitions that were not observed
//! are dashed and have a question mark, calls that throw are dotted and have a warning sign, calls without
//! side effect are italic.

use std::fmt::Write;

use adit_automata::layout::{Flow, Point, Route};

use super::letters;
use super::words::{BETWEEN, turns};
use super::{COLUMN, DrawnCall, LINE, PADDING, Picture, REFUSES, RULE};

/// Destination of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A file, with its own colors.
    Alone,
    /// A renderer without fonts: letters are shapes, and colors are light.
    Shapes,
    /// The report page, whose style sheet colors it; parts can be clicked and focused.
    Page {
        /// Number that distinguishes the pictures of a page.
        number: usize,
    },
}

/// Space around the picture, for the arrow that marks the initial state.
const MARGIN: f64 = 34.0;

/// Style sheet of a picture, light and dark.
pub const STYLE_SHEET: &str = include_str!("picture.css");

impl Picture {
    /// Returns the picture as SVG with this title.
    pub fn svg(&self, title: &str, style: Style) -> String {
        let (width, height) = (self.layout.size.width + 2.0 * MARGIN, self.layout.size.height + 2.0 * MARGIN);
        let number = match style {
            Style::Alone | Style::Shapes => 0,
            Style::Page { number } => number,
        };
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" "
        );
        match style {
            Style::Alone => {
                let _ = write!(
                    text,
                    "role=\"img\" aria-label=\"{0}\" font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace\">\n<title>{0}</title>\n<style>\n{STYLE_SHEET}</style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n",
                    escaped(title)
                );
            }
            Style::Shapes => {
                let _ = write!(
                    text,
                    ">\n<style>\n{}</style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n",
                    letters::light(STYLE_SHEET)
                );
            }
            Style::Page { .. } => {
                // Extent of each row, for page breaks between them.
                let row = |&(from, to): &(f64, f64)| format!("{:.0},{:.0}", from + MARGIN, to + MARGIN);
                let rows: Vec<String> = self.layout.rows.iter().map(row).collect();
                let _ = writeln!(
                    text,
                    "role=\"group\" aria-label=\"{}\" data-view=\"{number}\" data-flow=\"{}\" data-rows=\"{}\">",
                    escaped(title),
                    if self.flow == Flow::Right { "right" } else { "down" },
                    rows.join(" ")
                );
            }
        }
        // Ids of markers must be unique in a page.
        let _ = write!(
            text,
            "<defs><marker id=\"head{number}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"head\" d=\"M0 0.5 L10 5 L0 9.5 z\"/></marker></defs>\n<g class=\"scene\" transform=\"translate({MARGIN:.0} {MARGIN:.0})\">\n"
        );
        // The Tab key visits boxes in reading order, each followed by its arrows.
        for at in self.reading_order() {
            self.state_box(&mut text, at, number, style);
            for arrow in (0..self.arrows.len()).filter(|&arrow| self.arrows[arrow].from == at) {
                self.arrow(&mut text, arrow, number, style);
            }
        }
        text + "</g>\n</svg>\n"
    }

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

    /// Opens a part of the picture. Its title begins with the visible text, because users of speech input say
    /// what they see. It is a title and not a label, so that it is also shown on hover.
    fn part(&self, text: &mut String, class: &str, data: &str, title: &str, style: Style) {
        let title = escaped(title);
        let _ = match style {
            Style::Alone | Style::Shapes => write!(text, "<g class=\"{class}\"><title>{title}</title>"),
            Style::Page { .. } => write!(
                text,
                "<g class=\"{class}\" {data} tabindex=\"0\" role=\"button\"><title>{title}</title>"
            ),
        };
    }

    fn arrow(&self, text: &mut String, at: usize, number: usize, style: Style) {
        let (arrow, route) = (&self.arrows[at], &self.layout.links[at]);
        let mut class = "arrow".to_owned();
        if arrow.maybe {
            class += " maybe";
        }
        if arrow.throws {
            class += " throws";
        }
        let way = self.way(arrow.from, arrow.to);
        let says = format!("{}, {way}: {}", seen(&arrow.calls), exactly(&arrow.calls));
        self.part(text, &class, &format!("data-arrow=\"{at}\""), &says, style);
        let course = course(route);
        if matches!(style, Style::Page { .. }) {
            // A wider invisible line that a finger can hit.
            let _ = write!(text, "<path class=\"reach\" d=\"{course}\"/>");
        }
        let _ = write!(text, "<path class=\"line\" d=\"{course}\" marker-end=\"url(#head{number})\"/>");
        let widest =
            arrow.calls.iter().map(|line| super::words::line_columns(line)).max().unwrap_or(0) as f64;
        let (width, height) = (widest * COLUMN + PADDING, arrow.calls.len() as f64 * LINE + 2.0);
        let Point { x, y } = route.label;
        let _ = write!(
            text,
            "<rect class=\"plate\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"6\"/>",
            x - width / 2.0,
            y - height / 2.0
        );
        for (at, calls) in arrow.calls.iter().enumerate() {
            let base = y - height / 2.0 + LINE * (at as f64 + 0.78);
            let line = Line { x, y: base, middle: true, class: "", style };
            line.calls(text, calls, at + 1 == arrow.calls.len());
        }
        text.push_str("</g>\n");
    }

    /// Describes source and target in words.
    fn way(&self, from: usize, to: usize) -> String {
        let name = |number: usize| self.boxes[number].title.join(" ");
        format!("from {} to {}", name(from), name(to))
    }

    /// Draws the box of a state with its calls, then the notes in it.
    fn state_box(&self, text: &mut String, at: usize, number: usize, style: Style) {
        let one = &self.boxes[at];
        let mut class = "box".to_owned();
        if one.initial {
            class += " initial";
        }
        if one.states.len() > 1 {
            class += " several";
        }
        self.part(text, &class, &format!("data-box=\"{at}\""), &box_title(one), style);
        self.box_frame(text, at, number);
        let notes_at = self.box_text(text, at, style);
        text.push_str("</g>\n");
        // After the box, because a part that can be selected must not lie inside another.
        let left = self.corner(at).x;
        let mut y = notes_at;
        for &note in &one.notes {
            self.note(text, note, Point { x: left, y }, one.size.width, style);
            y += self.notes[note].calls.len() as f64 * LINE;
        }
    }

    /// Returns the upper left corner of a box.
    fn corner(&self, at: usize) -> Point {
        let (size, center) = (self.boxes[at].size, self.layout.boxes[at]);
        Point { x: center.x - size.width / 2.0, y: center.y - size.height / 2.0 }
    }

    /// Draws the border of a box, and the arrow that marks an initial state.
    fn box_frame(&self, text: &mut String, at: usize, number: usize) {
        let (one, center) = (&self.boxes[at], self.layout.boxes[at]);
        let Point { x: left, y: top } = self.corner(at);
        let _ = write!(
            text,
            "<rect class=\"frame\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"8\"/>",
            one.size.width, one.size.height
        );
        if one.accepting && self.shows_ends {
            let _ = write!(
                text,
                "<rect class=\"end\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"6\"/>",
                left + 3.0,
                top + 3.0,
                one.size.width - 6.0,
                one.size.height - 6.0
            );
        }
        if one.initial {
            // On the side that arrows come from, where nothing else is.
            let (dot, line) = match self.flow {
                Flow::Right => ((left - 27.0, center.y), format!("M{:.1} {:.1} h19", left - 21.0, center.y)),
                Flow::Down => ((center.x, top - 27.0), format!("M{:.1} {:.1} v19", center.x, top - 21.0)),
            };
            let _ = write!(
                text,
                "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"6\"/><path class=\"line\" d=\"{line}\" marker-end=\"url(#head{number})\"/>",
                dot.0, dot.1
            );
        }
    }

    /// Writes the lines inside a box: title, calls that stay, and refused calls. Returns the height at which
    /// the space for its notes begins, between the two.
    fn box_text(&self, text: &mut String, at: usize, style: Style) -> f64 {
        let one = &self.boxes[at];
        let Point { x: left, y: top } = self.corner(at);
        let mut y = top + PADDING - 2.0;
        let line = |y: f64, class: &'static str| Line {
            x: left + PADDING,
            y: y + LINE * 0.75,
            middle: false,
            class,
            style,
        };
        let rule = |text: &mut String, y: &mut f64| {
            let _ = write!(
                text,
                "<path class=\"rule\" d=\"M{left:.1} {:.1} h{:.1}\"/>",
                *y + RULE / 2.0,
                one.size.width
            );
            *y += RULE;
        };
        let calls = |text: &mut String, y: &mut f64, lines: &[Vec<DrawnCall>]| {
            for (at, calls) in lines.iter().enumerate() {
                line(*y, "").calls(text, calls, at + 1 == lines.len());
                *y += LINE;
            }
        };
        for title in &one.title {
            line(y, "name").plain(text, title);
            y += LINE;
        }
        if let Some(heard) = &one.heard {
            line(y, "quiet").plain(text, heard);
            y += LINE;
        }
        if !one.stays.is_empty() {
            rule(text, &mut y);
            calls(text, &mut y, &one.stays);
        }
        if !one.notes.is_empty() {
            rule(text, &mut y);
        }
        let notes_at = y;
        let lines: usize = one.notes.iter().map(|&at| self.notes[at].calls.len()).sum();
        y += lines as f64 * LINE;
        if !one.refuses.is_empty() {
            rule(text, &mut y);
            line(y, "quiet").plain(text, REFUSES);
            y += LINE;
            calls(text, &mut y, &one.refuses);
        }
        notes_at
    }

    /// Draws a note in its box, whose left border is at `corner`.
    fn note(&self, text: &mut String, at: usize, corner: Point, width: f64, style: Style) {
        let note = &self.notes[at];
        let way = self.way(note.from, note.to);
        let visible = format!("{}{}", seen(&note.calls), note.target);
        let says = format!("{visible}, {way}: {}", exactly(&note.calls));
        let class = if note.calls.iter().flatten().all(|call| call.maybe) { "note maybe" } else { "note" };
        self.part(text, class, &format!("data-note=\"{at}\""), &says, style);
        let _ = write!(
            text,
            "<rect class=\"strip\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"4\"/>",
            corner.x + 3.0,
            corner.y,
            width - 6.0,
            note.calls.len() as f64 * LINE
        );
        let last = note.calls.len().saturating_sub(1);
        for (line, calls) in note.calls.iter().enumerate() {
            let y = corner.y + LINE * (line as f64 + 0.75);
            let place = Line { x: corner.x + PADDING, y, middle: false, class: "", style };
            let behind = if line == last { note.target.as_str() } else { "," };
            place.calls_with(text, calls, behind);
        }
        text.push_str("</g>\n");
    }
}

/// Position and style of a line of text.
struct Line {
    x: f64,
    y: f64,
    /// `x` is the middle of the line, not its start.
    middle: bool,
    class: &'static str,
    style: Style,
}

impl Line {
    /// Writes a line of calls, with a comma at its end unless it is the last.
    fn calls(&self, text: &mut String, calls: &[DrawnCall], last: bool) {
        self.calls_with(text, calls, if last { "" } else { "," });
    }

    /// Writes a line of calls with a text at its end.
    fn calls_with(&self, text: &mut String, calls: &[DrawnCall], behind: &str) {
        let mut pieces = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            pieces.push((Some(call), call.shown.as_str()));
            if at + 1 < calls.len() {
                pieces.push((None, BETWEEN));
            } else if !behind.is_empty() {
                pieces.push((None, behind));
            }
        }
        self.pieces(text, &pieces);
    }

    fn plain(&self, text: &mut String, what: &str) {
        self.pieces(text, &[(None, what)]);
    }

    fn pieces(&self, text: &mut String, pieces: &[(Option<&DrawnCall>, &str)]) {
        if self.style == Style::Shapes {
            return self.shapes(text, pieces);
        }
        let Self { x, y, .. } = self;
        text.push_str("<text");
        if !self.class.is_empty() {
            let _ = write!(text, " class=\"{}\"", self.class);
        }
        let _ = write!(text, " x=\"{x:.1}\" y=\"{y:.1}\"");
        if self.class.is_empty() {
            let _ = write!(text, " text-anchor=\"{}\"", if self.middle { "middle" } else { "start" });
        }
        text.push('>');
        for (call, piece) in pieces {
            let piece = escaped(piece);
            let _ = match call {
                Some(call) => {
                    let edge = call.edge.map(|edge| format!(" data-edge=\"{edge}\"")).unwrap_or_default();
                    write!(text, "<tspan class=\"{}\"{edge}>{piece}</tspan>", class_of(call))
                }
                None => write!(text, "{piece}"),
            };
        }
        // The space separates words for screen readers.
        text.push_str("</text> ");
    }

    fn shapes(&self, text: &mut String, pieces: &[(Option<&DrawnCall>, &str)]) {
        let width: f64 = pieces.iter().map(|(_, piece)| letters::width(piece)).sum();
        let mut x = if self.middle { self.x - width / 2.0 } else { self.x };
        let _ = write!(text, "<g class=\"letters {}\">", self.class);
        for (call, piece) in pieces {
            let class = call.map_or("", class_of);
            let slanted = call.is_some_and(|call| call.pure);
            let _ = write!(
                text,
                "<path class=\"{class}\" d=\"{}\"/>",
                letters::shape(piece, Point { x, y: self.y }, slanted)
            );
            x += letters::width(piece);
        }
        text.push_str("</g>");
    }
}

/// Returns the title of a box: what is written in it, then the exact labels.
fn box_title(one: &super::Box) -> String {
    let mut visible = one.title.join(" ");
    let mut says = format!("state {} {}", one.number, one.name);
    if let Some(heard) = &one.heard {
        let _ = write!(visible, " {heard}");
    }
    for (heading, what, lines) in [("", "stays with", &one.stays), (REFUSES, REFUSES, &one.refuses)] {
        if !lines.is_empty() {
            let _ = write!(visible, " {heading} {}", seen(lines));
            let _ = write!(says, "; {what}: {}", exactly(lines));
        }
    }
    format!("{visible}, {says}")
}

fn class_of(call: &DrawnCall) -> &'static str {
    if call.pure { "call pure" } else { "call" }
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
    lines.iter().flatten().map(exact).collect::<Vec<_>>().join(BETWEEN)
}

/// Returns the SVG path of a route.
fn course(route: &Route) -> String {
    let mut path = format!("M{:.1} {:.1}", route.start.x, route.start.y);
    for [one, two, to] in &route.curves {
        let _ = write!(path, " C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}", one.x, one.y, two.x, two.y, to.x, to.y);
    }
    path
}

/// Escapes a text for XML and HTML, in content and in attributes. Characters that XML cannot contain are
/// replaced.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\r' | '\t' => safe.push(' '),
            c if c.is_control() || turns(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use adit_automata::{Builder, Fsa};

    use super::*;
    use crate::{Choice, draw};

    #[test]
    fn marks_of_direction_are_shown() {
        assert_eq!(escaped("a\u{202e}b\u{2066}\u{200f}"), "a\u{fffd}b\u{fffd}\u{fffd}");
    }

    fn hostile() -> Fsa<String> {
        let mut builder = Builder::new();
        builder.state(true);
        builder.state(false);
        builder.initial(0);
        builder.name(0, "<script>alert(1)</script>".to_owned());
        builder.edge(0, "\"onload='x' ]]> & \u{1}\u{ffff}".to_owned(), 1);
        builder.edge(0, "<!--".to_owned(), 0);
        builder.edge(1, "pop!<b>".to_owned(), 1);
        builder.build()
    }

    #[test]
    fn nothing_that_a_model_says_becomes_markup() {
        let picture = draw(&hostile(), &BTreeSet::new(), Choice { pure: true, failures: true });
        for style in [Style::Alone, Style::Page { number: 3 }] {
            let svg = picture.svg("</title><script>", style);
            assert!(!svg.contains("<script") && !svg.contains("<!--") && !svg.contains("<b>"), "{svg}");
            assert!(svg.chars().all(|c| c == '\n' || (!c.is_control() && c != '\u{ffff}')), "{svg}");
            assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
        }
    }

    #[test]
    fn what_differs_differs_without_color() {
        let mut builder = Builder::new();
        builder.state(true);
        builder.state(true);
        builder.initial(0);
        builder.modal_edge(0, "may".to_owned(), 1, adit_automata::Modality::Maybe);
        builder.edge(1, "isOpen:TRUE".to_owned(), 1);
        builder.edge(1, "read!IOException".to_owned(), 0);
        let pure = BTreeSet::from(["isOpen:TRUE".to_owned()]);
        let svg = draw(&builder.build(), &pure, Choice { pure: true, failures: true }).svg("a", Style::Alone);
        assert!(svg.contains("class=\"arrow maybe\"") && svg.contains(">may?<"), "{svg}");
        assert!(svg.contains("class=\"call pure\"") && svg.contains("isOpen ✓"), "{svg}");
        assert!(svg.contains("class=\"arrow throws\"") && svg.contains("read ⚠ IOException"), "{svg}");
        assert!(svg.contains("isOpen:TRUE"), "the exact label is there on hover");
    }
}
