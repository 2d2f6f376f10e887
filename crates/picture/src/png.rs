//! A picture as PNG, for chats, slides and issue trackers that do not show SVG.
//!
//! It looks like the SVG in light colors, without fonts: letters are outlines (`letters.rs`). Colors and
//! widths repeat the style sheet; a test compares them.

use std::collections::BTreeSet;

use adit_automata::layout::{Flow, Point, Route, Size};
use tiny_skia::{
    Color, FillRule, LineCap, Paint, Path, PathBuilder, Pixmap, Shader, Stroke, StrokeDash, Transform,
};

use crate::scene::{Area, DOT, Kind, Line, MARGIN, Part, Role, START, Shape, Voice};
use crate::{Picture, letters};

/// Pixels per unit of the picture, for high-resolution screens and zooming in.
const SCALE: f32 = 2.0;

/// Maximum number of pixels; larger pictures are rendered with lower resolution. 100 million take 400 MB of
/// memory.
const MOST_PIXELS: f32 = 100_000_000.0;

/// Red, green and blue.
type Ink = [u8; 3];

/// The light colors of the style sheet, by their names there.
const PAPER: Ink = [0xff, 0xff, 0xff];
const INK: Ink = [0x1b, 0x1f, 0x24];
const DIM: Ink = [0x57, 0x60, 0x6a];
const LINE: Ink = [0x6e, 0x77, 0x81];
const FRAME: Ink = [0x8c, 0x95, 0x9f];
const FILL: Ink = [0xf6, 0xf8, 0xfa];
const ACCENT: Ink = [0x05, 0x50, 0xae];

/// Widths and dashes of lines, as in the style sheet.
const FRAME_WIDTH: f32 = 1.3;
const SEVERAL_WIDTH: f32 = 4.0;
const END_WIDTH: f32 = 1.0;
const RULE_WIDTH: f32 = 0.7;
const RULE_OPACITY: f32 = 0.7;
const LINE_WIDTH: f32 = 1.4;
const MAYBE_DASHES: [f32; 2] = [7.0, 5.0];
const THROWS_DASHES: [f32; 2] = [1.5, 4.0];

/// Width of the line around letters that makes them bold.
const BOLD: f32 = 0.6;

/// Corners of an arrow head, along and across its line from the end of the line, as the marker in the SVG.
const HEAD: [(f64, f64); 3] = [(-7.2, -3.6), (0.8, 0.0), (-7.2, 3.6)];

/// A rendered picture.
pub struct Painted {
    /// Content of the file.
    pub bytes: Vec<u8>,
    /// Characters that appear as an empty frame because the font lacks them.
    pub lacking: BTreeSet<char>,
}

impl Picture {
    /// Renders the picture as PNG. The error says why that is impossible.
    pub fn png(&self) -> Result<Painted, String> {
        let Size { width, height } = self.size();
        let (width, height) = (width as f32, height as f32);
        let scale = SCALE.min((MOST_PIXELS / (width * height)).sqrt());
        let pixels = |length: f32| ((length * scale) as u32).max(1);
        let mut pixels = Pixmap::new(pixels(width), pixels(height)).ok_or("it is too large")?;
        pixels.fill(color(PAPER));
        let place = Transform::from_scale(scale, scale).pre_translate(MARGIN as f32, MARGIN as f32);
        let mut paper = Paper { pixels, place };
        let parts = self.parts();
        parts.iter().for_each(|part| paper.part(part));
        let bytes = paper.pixels.encode_png().map_err(|error| error.to_string())?;
        let lacking = signs(&parts).filter(|&sign| !letters::has(sign)).collect();
        Ok(Painted { bytes, lacking })
    }
}

/// Returns all characters in the picture.
fn signs(parts: &[Part<'_>]) -> impl Iterator<Item = char> {
    parts.iter().flat_map(|part| &part.shapes).flat_map(|shape| {
        let pieces = if let Shape::Text(line) = shape { line.pieces.as_slice() } else { &[] };
        pieces.iter().flat_map(|piece| piece.text.chars())
    })
}

fn color([red, green, blue]: Ink) -> Color {
    Color::from_rgba8(red, green, blue, u8::MAX)
}

struct Paper {
    pixels: Pixmap,
    /// From the coordinates of the picture to pixels.
    place: Transform,
}

impl Paper {
    fn part(&mut self, part: &Part<'_>) {
        for shape in &part.shapes {
            match shape {
                Shape::Area(area) => self.area(area, part.kind),
                Shape::Start { dot, line, flow } => self.start(*dot, *line, *flow),
                Shape::Rule { start, width } => {
                    let mut ink = color(FRAME);
                    ink.apply_opacity(RULE_OPACITY);
                    let end = Point { x: start.x + width, y: start.y };
                    self.stroke(straight(*start, end), ink, &stroke(RULE_WIDTH));
                }
                Shape::Route(route) => self.route(route, part.kind),
                Shape::Text(line) => self.text(line),
            }
        }
    }

    fn area(&mut self, area: &Area, kind: Kind) {
        let (initial, several) = match kind {
            Kind::Box { initial, several } => (initial, several),
            Kind::Arrow { .. } | Kind::Note { .. } => (false, false),
        };
        match area.role {
            Role::Frame => {
                self.fill(rounded(area), color(FILL));
                let ink = if initial { ACCENT } else { FRAME };
                let width = if several { SEVERAL_WIDTH } else { FRAME_WIDTH };
                self.stroke(rounded(area), color(ink), &stroke(width));
            }
            Role::End => self.stroke(rounded(area), color(FRAME), &stroke(END_WIDTH)),
            Role::Plate => self.fill(rounded(area), color(PAPER)),
            // It is there to be clicked.
            Role::Strip => {}
        }
    }

    /// Paints the mark of an initial state.
    fn start(&mut self, dot: Point, line: Point, flow: Flow) {
        self.fill(PathBuilder::from_circle(dot.x as f32, dot.y as f32, DOT as f32), color(INK));
        let end = match flow {
            Flow::Right => Point { x: line.x + START, y: line.y },
            Flow::Down => Point { x: line.x, y: line.y + START },
        };
        self.stroke(straight(line, end), color(LINE), &stroke(LINE_WIDTH));
        self.fill(head(&[line, end]), color(LINE));
    }

    fn route(&mut self, route: &Route, kind: Kind) {
        let (maybe, throws) = match kind {
            Kind::Arrow { maybe, throws } => (maybe, throws),
            Kind::Box { .. } | Kind::Note { .. } => (false, false),
        };
        let mut line = stroke(LINE_WIDTH);
        if throws {
            line.dash = StrokeDash::new(THROWS_DASHES.to_vec(), 0.0);
            line.line_cap = LineCap::Round;
        } else if maybe {
            line.dash = StrokeDash::new(MAYBE_DASHES.to_vec(), 0.0);
        }
        let mut course = PathBuilder::new();
        course.move_to(route.start.x as f32, route.start.y as f32);
        for [one, two, to] in &route.curves {
            let [(x1, y1), (x2, y2), (x, y)] = [one, two, to].map(|point| (point.x as f32, point.y as f32));
            course.cubic_to(x1, y1, x2, y2, x, y);
        }
        self.stroke(course.finish(), color(LINE), &line);
        let points: Vec<Point> =
            [route.start].into_iter().chain(route.curves.iter().flatten().copied()).collect();
        self.fill(head(&points), color(LINE));
    }

    fn text(&mut self, line: &Line<'_>) {
        let width: f64 = line.pieces.iter().map(|piece| letters::width(piece.text)).sum();
        let mut x = if line.middle { line.x - width / 2.0 } else { line.x };
        for piece in &line.pieces {
            let pure = piece.call.is_some_and(|call| call.pure);
            let ink = color(if pure || line.voice == Voice::Quiet { DIM } else { INK });
            let letters = letters::outline(piece.text, Point { x, y: line.y }, pure);
            if line.voice == Voice::Name {
                self.stroke(letters.clone(), ink, &stroke(BOLD));
            }
            self.fill(letters, ink);
            x += letters::width(piece.text);
        }
    }

    /// Fills a path; a path without extent is absent and leaves nothing.
    fn fill(&mut self, path: Option<Path>, color: Color) {
        if let Some(path) = path {
            self.pixels.fill_path(&path, &paint(color), FillRule::Winding, self.place, None);
        }
    }

    fn stroke(&mut self, path: Option<Path>, color: Color, stroke: &Stroke) {
        if let Some(path) = path {
            self.pixels.stroke_path(&path, &paint(color), stroke, self.place, None);
        }
    }
}

fn paint(color: Color) -> Paint<'static> {
    Paint { shader: Shader::SolidColor(color), ..Paint::default() }
}

fn stroke(width: f32) -> Stroke {
    Stroke { width, ..Stroke::default() }
}

fn straight(from: Point, to: Point) -> Option<Path> {
    let mut path = PathBuilder::new();
    path.move_to(from.x as f32, from.y as f32);
    path.line_to(to.x as f32, to.y as f32);
    path.finish()
}

/// Returns the outline of an area.
fn rounded(area: &Area) -> Option<Path> {
    /// Distance of control points for a quarter of a circle with radius 1.
    const QUARTER: f32 = 0.552_284_8;
    let (left, top) = (area.corner.x as f32, area.corner.y as f32);
    let (right, bottom) = (left + area.size.width as f32, top + area.size.height as f32);
    let radius = area.radius as f32;
    // How far the control points are from the corners.
    let rest = radius - radius * QUARTER;
    let mut path = PathBuilder::new();
    path.move_to(left + radius, top);
    path.line_to(right - radius, top);
    path.cubic_to(right - rest, top, right, top + rest, right, top + radius);
    path.line_to(right, bottom - radius);
    path.cubic_to(right, bottom - rest, right - rest, bottom, right - radius, bottom);
    path.line_to(left + radius, bottom);
    path.cubic_to(left + rest, bottom, left, bottom - rest, left, bottom - radius);
    path.line_to(left, top + radius);
    path.cubic_to(left, top + rest, left + rest, top, left + radius, top);
    path.close();
    path.finish()
}

/// Returns the head of an arrow along these points, which are ends and control points of its curves.
fn head(points: &[Point]) -> Option<Path> {
    /// Points that are nearer to the end give no reliable direction.
    const NEAR: f64 = 0.05;
    let end = points.last()?;
    let away = |point: &Point| (end.x - point.x, end.y - point.y);
    let (x, y) = points.iter().rev().map(away).find(|(x, y)| x.hypot(*y) > NEAR)?;
    let (x, y) = (x / x.hypot(y), y / x.hypot(y));
    let mut path = PathBuilder::new();
    for (at, (along, across)) in HEAD.iter().enumerate() {
        let (x, y) = (end.x + along * x - across * y, end.y + along * y + across * x);
        if at == 0 { path.move_to(x as f32, y as f32) } else { path.line_to(x as f32, y as f32) }
    }
    path.close();
    path.finish()
}

#[cfg(test)]
mod tests {
    use adit_automata::{Builder, Fsa, Modality};

    use super::*;
    use crate::{Choice, STYLE_SHEET, Style, draw};

    fn painted(model: &Fsa<String>) -> (Picture, Painted, Pixmap) {
        let picture = draw(model, &BTreeSet::new(), Choice { pure: true, failures: true });
        let painted = picture.png().expect("a small picture");
        let pixels = Pixmap::decode_png(&painted.bytes).expect("what was written is read");
        (picture, painted, pixels)
    }

    /// Two states, one transition, and a call that stays.
    fn model(label: &str, modality: Modality, accepting: bool) -> Fsa<String> {
        let mut builder = Builder::new();
        builder.state(false);
        builder.state(accepting);
        builder.initial(0);
        builder.modal_edge(0, label.to_owned(), 1, modality);
        builder.edge(1, "名:TRUE".to_owned(), 1);
        builder.build()
    }

    fn count(pixels: &Pixmap, ink: Ink) -> usize {
        pixels.pixels().iter().filter(|p| [p.red(), p.green(), p.blue()] == ink).count()
    }

    #[test]
    fn the_picture_is_painted_twice_as_large_and_has_ink() {
        let (picture, painted, pixels) = painted(&model("push", Modality::Required, true));
        let svg = picture.svg("a", Style::Alone);
        let size = format!("width=\"{}\" height=\"{}\"", pixels.width() / 2, pixels.height() / 2);
        assert!(svg.contains(&size), "{size} {svg}");
        assert!(count(&pixels, INK) > 200, "letters");
        assert!(count(&pixels, PAPER) > 5_000, "paper");
        assert!(count(&pixels, FILL) > 2_000, "boxes");
        assert!(count(&pixels, ACCENT) > 100, "the frame of the initial state");
        assert_eq!(painted.lacking, BTreeSet::from(['名']));
    }

    #[test]
    fn what_differs_differs_without_color() {
        let lines = |label: &str, modality| count(&painted(&model(label, modality, false)).2, LINE);
        let solid = lines("push", Modality::Required);
        let dashed = lines("push", Modality::Maybe);
        let dotted = lines("push!E", Modality::Required);
        assert!(solid > dashed && dashed > dotted && dotted > 0, "{solid} {dashed} {dotted}");
        let frames = |accepting| count(&painted(&model("push", Modality::Required, accepting)).2, FRAME);
        assert!(frames(true) > frames(false) + 100, "an end has a second frame");
    }

    #[test]
    fn an_arrow_head_is_before_its_target() {
        let (picture, _, pixels) = painted(&model("push", Modality::Required, false));
        let end = picture.layout.links[0].curves.last().expect("an arrow")[2];
        let ink = |along: f64, across: f64| {
            let (x, y) = match picture.flow {
                Flow::Right => (end.x - along, end.y + across),
                Flow::Down => (end.x + across, end.y - along),
            };
            let at = |length: f64| (f64::from(SCALE) * (length + MARGIN)) as u32;
            let pixel = pixels.pixel(at(x), at(y)).expect("inside the picture");
            [pixel.red(), pixel.green(), pixel.blue()]
        };
        // Wider than the line.
        assert_eq!([ink(6.0, -2.0), ink(6.0, 2.0)], [LINE, LINE]);
        assert_eq!([ink(2.0, -3.0), ink(2.0, 3.0)], [PAPER, PAPER]);
    }

    #[test]
    fn colors_and_widths_are_those_of_the_style_sheet() {
        let named = [
            ("paper", PAPER),
            ("ink", INK),
            ("dim", DIM),
            ("line", LINE),
            ("frame", FRAME),
            ("fill", FILL),
            ("accent", ACCENT),
        ];
        let light = STYLE_SHEET.lines().next().expect("the light colors come first");
        for (name, [red, green, blue]) in named {
            let rule = format!("--{name}: #{red:02x}{green:02x}{blue:02x};");
            assert!(light.contains(&rule), "{rule}");
        }
        let dashes = |[dash, gap]: [f32; 2]| format!("stroke-dasharray: {dash} {gap};");
        for rule in [
            format!(".frame {{ fill: var(--fill); stroke: var(--frame); stroke-width: {FRAME_WIDTH}; }}"),
            format!(".several .frame {{ stroke-width: {SEVERAL_WIDTH}; }}"),
            format!(".end {{ fill: none; stroke: var(--frame); stroke-width: {END_WIDTH}; }}"),
            format!(".rule {{ stroke: var(--frame); stroke-width: {RULE_WIDTH}; opacity: {RULE_OPACITY}; }}"),
            format!(".line {{ fill: none; stroke: var(--line); stroke-width: {LINE_WIDTH}; }}"),
            format!(".maybe .line {{ {} }}", dashes(MAYBE_DASHES)),
            format!(".throws .line {{ {} stroke-linecap: round; }}", dashes(THROWS_DASHES)),
        ] {
            assert!(STYLE_SHEET.contains(&rule), "{rule}");
        }
    }
}
