//! A picture as SVG: on its own for `adit convert`, and as a part of the report page, whose script finds its way by the
//! `data-` attributes.
//!
//! Every text goes through [`escaped`]. What differs without color: what may or may not happen is dashed and has a
//! question mark, what throws is dotted and has a warning sign, what has no side effect is italic.

use std::fmt::Write;

use adit_automata::layout::{Flow, Point, Route};

use super::letters;
use super::words::BETWEEN;
use super::{Arrow, Box, COLUMN, Call, LINE, PADDING, Picture, REFUSES, RULE};

/// Where the picture will stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// In a file of its own, with colors of its own.
    Alone,
    /// For a renderer that has neither fonts nor a choice of colors: letters are shapes, and the paper is light.
    Shapes,
    /// In the report page, whose style sheet colors it; parts can be clicked and reached with the keyboard.
    Page {
        /// Tells apart the marks of several pictures in one page.
        number: usize,
    },
}

/// Room around the picture, for the arrow that marks the initial state.
const MARGIN: f64 = 34.0;

/// The colors of a picture that stands alone, in light and in dark.
const COLORS: &str = include_str!("../assets/picture.css");

impl Picture {
    /// The picture as SVG. `title` says what it shows.
    pub(crate) fn svg(&self, title: &str, style: Style) -> String {
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
                    "role=\"img\" aria-label=\"{0}\" font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace\">\n<title>{0}</title>\n<style>\n{COLORS}</style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n",
                    escaped(title)
                );
            }
            Style::Shapes => {
                let _ = write!(
                    text,
                    ">\n<style>\n{}</style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n",
                    letters::light(COLORS)
                );
            }
            Style::Page { .. } => {
                let _ = writeln!(
                    text,
                    "role=\"group\" aria-label=\"{}\" data-view=\"{number}\">",
                    escaped(title)
                );
            }
        }
        // A marker of an arrow is found by its name, which must not occur twice in a page.
        let _ = write!(
            text,
            "<defs><marker id=\"head{number}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"head\" d=\"M0 0.5 L10 5 L0 9.5 z\"/></marker></defs>\n<g class=\"scene\" transform=\"translate({MARGIN:.0} {MARGIN:.0})\">\n"
        );
        for (at, (arrow, route)) in self.arrows.iter().zip(&self.layout.links).enumerate() {
            self.arrow(&mut text, at, arrow, route, number, style);
        }
        for (at, (one, &center)) in self.boxes.iter().zip(&self.layout.boxes).enumerate() {
            self.one_box(&mut text, at, one, center, number, style);
        }
        text + "</g>\n</svg>\n"
    }

    fn arrow(&self, text: &mut String, at: usize, arrow: &Arrow, route: &Route, number: usize, style: Style) {
        let mut class = "arrow".to_owned();
        if arrow.maybe {
            class += " maybe";
        }
        if arrow.throws {
            class += " throws";
        }
        let name = |one: &Box| one.title.join(" ");
        let (from, to) = (name(&self.boxes[arrow.from]), name(&self.boxes[arrow.to]));
        let labels: Vec<String> = arrow.calls.iter().flatten().map(exact).collect();
        let says = escaped(&format!("from {from} to {to}: {}", labels.join(", ")));
        let _ = match style {
            Style::Alone | Style::Shapes => write!(text, "<g class=\"{class}\"><title>{says}</title>"),
            Style::Page { .. } => write!(
                text,
                "<g class=\"{class}\" data-arrow=\"{at}\" tabindex=\"0\" role=\"button\" aria-label=\"{says}\"><title>{says}</title>"
            ),
        };
        let course = course(route);
        if matches!(style, Style::Page { .. }) {
            // A line this thin cannot be hit with a finger.
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

    fn one_box(&self, text: &mut String, at: usize, one: &Box, center: Point, number: usize, style: Style) {
        let (left, top) = (center.x - one.size.width / 2.0, center.y - one.size.height / 2.0);
        let mut class = "box".to_owned();
        if one.initial {
            class += " initial";
        }
        if one.states.len() > 1 {
            class += " several";
        }
        let calls = |lines: &[Vec<Call>]| lines.iter().flatten().map(exact).collect::<Vec<_>>().join(", ");
        let mut says = format!("state {}", one.title.join(" "));
        for (what, lines) in [("stays with", &one.stays), (REFUSES, &one.refuses)] {
            if !lines.is_empty() {
                let _ = write!(says, "; {what}: {}", calls(lines));
            }
        }
        let says = escaped(&says);
        let _ = match style {
            Style::Alone | Style::Shapes => write!(text, "<g class=\"{class}\"><title>{says}</title>"),
            Style::Page { .. } => write!(
                text,
                "<g class=\"{class}\" data-box=\"{at}\" tabindex=\"0\" role=\"button\" aria-label=\"{says}\"><title>{says}</title>"
            ),
        };
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
            // Where the arrows come from, on the side where nothing else is.
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
        let x = left + PADDING;
        let mut y = top + PADDING - 2.0;
        let line = |y: f64, class: &'static str| Line { x, y: y + LINE * 0.75, middle: false, class, style };
        for title in &one.title {
            line(y, "name").plain(text, title);
            y += LINE;
        }
        let rule = |y: f64| {
            format!("<path class=\"rule\" d=\"M{left:.1} {:.1} h{:.1}\"/>", y + RULE / 2.0, one.size.width)
        };
        for (heading, lines) in [(None, &one.stays), (Some(REFUSES), &one.refuses)] {
            if lines.is_empty() {
                continue;
            }
            text.push_str(&rule(y));
            y += RULE;
            if let Some(heading) = heading {
                line(y, "quiet").plain(text, heading);
                y += LINE;
            }
            for (at, calls) in lines.iter().enumerate() {
                line(y, "").calls(text, calls, at + 1 == lines.len());
                y += LINE;
            }
        }
        text.push_str("</g>\n");
    }
}

/// Where a line of text stands, and how it looks.
struct Line {
    x: f64,
    y: f64,
    /// `x` is where its middle is, not its beginning.
    middle: bool,
    class: &'static str,
    style: Style,
}

impl Line {
    /// A line of calls, with a comma behind it unless it is the last.
    fn calls(&self, text: &mut String, calls: &[Call], last: bool) {
        let mut pieces = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            pieces.push((Some(call), call.shown.as_str()));
            if at + 1 < calls.len() {
                pieces.push((None, BETWEEN));
            } else if !last {
                pieces.push((None, ","));
            }
        }
        self.pieces(text, &pieces);
    }

    fn plain(&self, text: &mut String, what: &str) {
        self.pieces(text, &[(None, what)]);
    }

    fn pieces(&self, text: &mut String, pieces: &[(Option<&Call>, &str)]) {
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
                Some(call) => write!(
                    text,
                    "<tspan class=\"{}\" data-edge=\"{}\">{piece}</tspan>",
                    class_of(call),
                    call.edge
                ),
                None => write!(text, "{piece}"),
            };
        }
        text.push_str("</text>");
    }

    fn shapes(&self, text: &mut String, pieces: &[(Option<&Call>, &str)]) {
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

fn class_of(call: &Call) -> &'static str {
    if call.pure { "call pure" } else { "call" }
}

/// The exact label of a call, or what stands there instead of one.
fn exact(call: &Call) -> String {
    let label = if call.label.is_empty() { &call.shown } else { &call.label };
    if call.maybe { format!("{label} (perhaps)") } else { label.clone() }
}

/// The path of a route.
fn course(route: &Route) -> String {
    let mut path = format!("M{:.1} {:.1}", route.start.x, route.start.y);
    for [one, two, to] in &route.curves {
        let _ = write!(path, " C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}", one.x, one.y, two.x, two.y, to.x, to.y);
    }
    path
}

/// Text that means itself in XML and HTML, between tags and inside quotes. What XML cannot hold at all is replaced.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\r' | '\t' => safe.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push('\u{fffd}'),
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
    use crate::report::picture::{Choice, draw};

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
