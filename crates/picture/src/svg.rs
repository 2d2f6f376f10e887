//! A picture as SVG: as a file for `adit convert`, and as part of the report page, whose script uses the
//! `data-` attributes.
//!
//! Every text goes through [`escaped`]. Nothing depends on color alone: transitions that were not observed
//! are dashed and have a question mark, calls that throw are dotted and have a warning sign, calls without
//! side effect are italic.

use std::fmt::Write;

use adit_automata::layout::{Flow, Point, Route, Size};

use crate::scene::{Area, DOT, Kind, Line, MARGIN, Part, Role, START, Shape, Voice};
use crate::words::turns;
use crate::{DrawnCall, Picture};

/// Destination of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A file, with its own colors.
    Alone,
    /// The report page, whose style sheet colors it; parts can be clicked and focused.
    Page {
        /// Number that distinguishes the pictures of a page.
        number: usize,
    },
}

/// Style sheet of a picture, light and dark.
pub const STYLE_SHEET: &str = include_str!("picture.css");

impl Picture {
    /// Returns the picture as SVG with this title.
    pub fn svg(&self, title: &str, style: Style) -> String {
        let Size { width, height } = self.size();
        let number = match style {
            Style::Alone => 0,
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
        let head = format!("marker-end=\"url(#head{number})\"");
        for part in self.parts() {
            open(&mut text, &part, style);
            for shape in &part.shapes {
                write_shape(&mut text, shape, &head, style);
            }
            text.push_str("</g>\n");
        }
        text + "</g>\n</svg>\n"
    }
}

/// Opens the group of a part. It has a title and not a label, so that the title is also shown on hover.
fn open(text: &mut String, part: &Part<'_>, style: Style) {
    let (class, flags, data) = match part.kind {
        Kind::Box { initial, several } => ("box", [(initial, " initial"), (several, " several")], "box"),
        Kind::Arrow { maybe, throws } => ("arrow", [(maybe, " maybe"), (throws, " throws")], "arrow"),
        Kind::Note { maybe } => ("note", [(maybe, " maybe"), (false, "")], "note"),
    };
    let _ = write!(text, "<g class=\"{class}");
    flags.iter().filter(|(is_set, _)| *is_set).for_each(|(_, flag)| text.push_str(flag));
    text.push('"');
    if matches!(style, Style::Page { .. }) {
        let _ = write!(text, " data-{data}=\"{}\" tabindex=\"0\" role=\"button\"", part.number);
    }
    let _ = write!(text, "><title>{}</title>", escaped(&part.title));
}

fn write_shape(text: &mut String, shape: &Shape<'_>, head: &str, style: Style) {
    let _ = match shape {
        Shape::Area(area) => write_area(text, area),
        Shape::Start { dot, line, flow } => {
            let along = if *flow == Flow::Right { 'h' } else { 'v' };
            write!(
                text,
                "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{DOT}\"/><path class=\"line\" d=\"M{:.1} {:.1} {along}{START}\" {head}/>",
                dot.x, dot.y, line.x, line.y
            )
        }
        Shape::Rule { start: Point { x, y }, width } => {
            write!(text, "<path class=\"rule\" d=\"M{x:.1} {y:.1} h{width:.1}\"/>")
        }
        Shape::Route(route) => {
            let course = course(route);
            if matches!(style, Style::Page { .. }) {
                // A wider invisible line that a finger can hit.
                let _ = write!(text, "<path class=\"reach\" d=\"{course}\"/>");
            }
            write!(text, "<path class=\"line\" d=\"{course}\" {head}/>")
        }
        Shape::Text(line) => write_line(text, line),
    };
}

fn write_area(text: &mut String, area: &Area) -> std::fmt::Result {
    let class = match area.role {
        Role::Frame => "frame",
        Role::End => "end",
        Role::Plate => "plate",
        Role::Strip => "strip",
    };
    let Area { corner: Point { x, y }, size: Size { width, height }, radius, .. } = area;
    write!(
        text,
        "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{radius}\"/>"
    )
}

fn write_line(text: &mut String, line: &Line<'_>) -> std::fmt::Result {
    let Line { x, y, .. } = line;
    match line.voice {
        Voice::Name => write!(text, "<text class=\"name\" x=\"{x:.1}\" y=\"{y:.1}\">")?,
        Voice::Quiet => write!(text, "<text class=\"quiet\" x=\"{x:.1}\" y=\"{y:.1}\">")?,
        Voice::Calls => {
            let anchor = if line.middle { "middle" } else { "start" };
            write!(text, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">")?;
        }
    }
    for piece in &line.pieces {
        let shown = escaped(piece.text);
        match piece.call {
            Some(call) => {
                let edge = call.edge.map(|edge| format!(" data-edge=\"{edge}\"")).unwrap_or_default();
                write!(text, "<tspan class=\"{}\"{edge}>{shown}</tspan>", class_of(call))?;
            }
            None => text.push_str(&shown),
        }
    }
    // The space separates words for screen readers.
    text.push_str("</text> ");
    Ok(())
}

fn class_of(call: &DrawnCall) -> &'static str {
    if call.pure { "call pure" } else { "call" }
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
