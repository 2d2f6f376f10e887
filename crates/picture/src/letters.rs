//! Letters as shapes, for rendering without fonts and equally everywhere.

use std::fmt::Write;

use adit_automata::layout::Point;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::COLUMN;
use super::words::columns;

/// Font size, as in the style sheet.
const SIZE: f64 = 13.0;

/// Slant of italic letters: about eleven degrees.
const SLANT: f64 = 0.2;

/// The corners of an area.
type Corners = &'static [(f64, f64)];

/// Symbols for outcomes, which text fonts lack, in a unit square on the baseline.
const MARKS: [(char, &[Corners]); 3] = [
    ('✓', &[&[(0.12, 0.32), (0.22, 0.42), (0.4, 0.22), (0.8, 0.76), (0.91, 0.67), (0.42, 0.02)]]),
    (
        '✗',
        &[
            &[(0.18, 0.6), (0.28, 0.7), (0.82, 0.1), (0.72, 0.0)],
            &[(0.72, 0.7), (0.82, 0.6), (0.28, 0.0), (0.18, 0.1)],
        ],
    ),
    (
        '⚠',
        &[
            &[(0.5, 0.82), (1.0, 0.0), (0.0, 0.0)],
            // The other way round, which makes it a hole.
            &[(0.5, 0.66), (0.13, 0.07), (0.87, 0.07)],
            &[(0.45, 0.5), (0.55, 0.5), (0.55, 0.25), (0.45, 0.25)],
            &[(0.45, 0.19), (0.55, 0.19), (0.55, 0.1), (0.45, 0.1)],
        ],
    ),
];

/// Returns the width of a text.
pub(crate) fn width(text: &str) -> f64 {
    columns(text) as f64 * COLUMN
}

/// Returns true if there is a shape for a character.
pub(crate) fn has(sign: char) -> bool {
    sign.is_whitespace() || mark(sign).is_some() || font().glyph_index(sign).is_some()
}

/// Returns the outline of a text at `start`, as the data of an SVG path.
pub(crate) fn shape(text: &str, start: Point, slanted: bool) -> String {
    let font = font();
    let mut pen = Pen {
        path: String::new(),
        x: start.x,
        y: start.y,
        scale: SIZE / f64::from(font.units_per_em()),
        slant: if slanted { SLANT } else { 0.0 },
    };
    for sign in text.chars() {
        if let Some(mark) = mark(sign) {
            let scale = std::mem::replace(&mut pen.scale, SIZE);
            for corners in mark {
                for (at, &(x, y)) in corners.iter().enumerate() {
                    pen.to(if at == 0 { 'M' } else { 'L' }, &[(x, y)]);
                }
                pen.close();
            }
            pen.scale = scale;
        } else {
            // The first glyph of every font is the one for signs that it does not have.
            let glyph = font.glyph_index(sign).unwrap_or(GlyphId(0));
            let _ = font.outline_glyph(glyph, &mut pen);
        }
        pen.x += width(sign.encode_utf8(&mut [0; 4]));
    }
    pen.path
}

/// Returns a style sheet with the light colors only, and without variables.
pub(crate) fn light(sheet: &str) -> String {
    let (named, rest) = sheet.split_once('\n').unwrap_or((sheet, ""));
    let rest = rest.split_once("\n}\n").map_or(rest, |(_dark, rest)| rest);
    let colors = named.split(['{', ';']).filter_map(|rule| rule.trim().strip_prefix("--")?.split_once(": "));
    let fixed = colors
        .fold(rest.to_owned(), |sheet, (name, color)| sheet.replace(&format!("var(--{name})"), color.trim()));
    // Shapes have neither weight nor slant: the first is painted around them, the second is theirs.
    fixed.replace(".picture text", ".picture .letters")
        + ".picture .name { stroke: #1b1f24; stroke-width: 0.6; }\n"
}

fn mark(sign: char) -> Option<&'static [Corners]> {
    MARKS.iter().find(|(known, _)| *known == sign).map(|&(_, corners)| corners)
}

fn font() -> Face<'static> {
    Face::parse(epaint_default_fonts::HACK_REGULAR, 0).expect("the font is a part of this program")
}

/// Writes outlines at the position and size of the text.
struct Pen {
    path: String,
    x: f64,
    y: f64,
    scale: f64,
    slant: f64,
}

impl Pen {
    fn to(&mut self, command: char, points: &[(f64, f64)]) {
        self.path.push(command);
        for (x, y) in points {
            let (x, y) = (self.x + (x + y * self.slant) * self.scale, self.y - y * self.scale);
            let _ = write!(self.path, "{x:.2} {y:.2} ");
        }
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.to('M', &[(x.into(), y.into())]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.to('L', &[(x.into(), y.into())]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.to('Q', &[(x1.into(), y1.into()), (x.into(), y.into())]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.to('C', &[(x1.into(), y1.into()), (x2.into(), y2.into()), (x.into(), y.into())]);
    }

    fn close(&mut self) {
        self.path.push('Z');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_stand_where_the_text_is() {
        let path = shape("l", Point { x: 100.0, y: 50.0 }, false);
        let numbers: Vec<f64> = path
            .split(|c: char| c.is_ascii_alphabetic() || c == ' ')
            .filter_map(|number| number.parse().ok())
            .collect();
        let across = numbers.iter().step_by(2).all(|x| (100.0..108.0).contains(x));
        let up = numbers.iter().skip(1).step_by(2).all(|y| (38.0..=50.5).contains(y));
        assert!(numbers.len() > 8 && across && up, "{path}");
        assert_ne!(path, shape("l", Point { x: 100.0, y: 50.0 }, true), "pure calls lean");
    }

    #[test]
    fn every_mark_has_a_shape_and_foreign_scripts_are_known_to_lack_one() {
        assert!("add ✓ ✗ ⚠ …→Ωж".chars().all(has));
        assert!(!has('語'));
        assert!(
            !shape("語", Point { x: 0.0, y: 0.0 }, false).is_empty(),
            "a sign without a shape leaves a frame"
        );
    }

    #[test]
    fn colors_are_fixed() {
        let sheet = light(include_str!("picture.css"));
        assert!(!sheet.contains("var(") && !sheet.contains("@media") && !sheet.contains("--"), "{sheet}");
        assert!(sheet.contains(".picture .ground { fill: #ffffff; }"), "{sheet}");
    }
}
