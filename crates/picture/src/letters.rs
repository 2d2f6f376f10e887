//! Letters as shapes, for rendering without fonts and equally everywhere.

use adit_automata::layout::Point;
use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use crate::COLUMN;
use crate::words::columns;

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

/// Returns the outline of a text at `start`, unless the text is empty or all spaces.
pub(crate) fn outline(text: &str, start: Point, slanted: bool) -> Option<Path> {
    let font = font();
    let mut pen = Pen {
        path: PathBuilder::new(),
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
                    let (x, y) = pen.at(x, y);
                    if at == 0 { pen.path.move_to(x, y) } else { pen.path.line_to(x, y) }
                }
                pen.path.close();
            }
            pen.scale = scale;
        } else {
            // The first glyph of every font is the one for signs that it does not have.
            let glyph = font.glyph_index(sign).unwrap_or(GlyphId(0));
            let _ = font.outline_glyph(glyph, &mut pen);
        }
        pen.x += width(sign.encode_utf8(&mut [0; 4]));
    }
    pen.path.finish()
}

fn mark(sign: char) -> Option<&'static [Corners]> {
    MARKS.iter().find(|(known, _)| *known == sign).map(|&(_, corners)| corners)
}

fn font() -> Face<'static> {
    Face::parse(epaint_default_fonts::HACK_REGULAR, 0).expect("the font is a part of this program")
}

/// Draws outlines at the position and size of the text.
struct Pen {
    path: PathBuilder,
    x: f64,
    y: f64,
    scale: f64,
    slant: f64,
}

impl Pen {
    /// Returns the place of a point of a letter.
    fn at(&self, x: f64, y: f64) -> (f32, f32) {
        let (x, y) = (self.x + (x + y * self.slant) * self.scale, self.y - y * self.scale);
        (x as f32, y as f32)
    }

    /// The same for the numbers of a font.
    fn near(&self, x: f32, y: f32) -> (f32, f32) {
        self.at(x.into(), y.into())
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.near(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.near(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.near(x1, y1), self.near(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.near(x1, y1), self.near(x2, y2), self.near(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_stand_where_the_text_is() {
        let place = Point { x: 100.0, y: 50.0 };
        let upright = outline("l", place, false).expect("a letter");
        let bounds = upright.bounds();
        assert!(bounds.left() > 100.0 && bounds.right() < 108.0, "{bounds:?}");
        assert!(bounds.top() > 38.0 && bounds.bottom() <= 50.5, "{bounds:?}");
        assert!(bounds.height() > 8.0, "{bounds:?}");
        assert_ne!(Some(upright), outline("l", place, true), "pure calls lean");
        assert_eq!(outline(" ", place, false), None);
    }

    #[test]
    fn every_mark_has_a_shape_and_foreign_scripts_are_known_to_lack_one() {
        assert!("add ✓ ✗ ⚠ …→Ωж".chars().all(has));
        assert!(!has('語'));
        assert!(
            outline("語", Point { x: 0.0, y: 0.0 }, false).is_some(),
            "a sign without a shape leaves a frame"
        );
    }
}
