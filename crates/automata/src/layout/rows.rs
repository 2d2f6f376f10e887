//! A long picture in rows, as text is broken into lines: layers that do not fit beside each other go on
//! below.
//!
//! A link from one row to the next runs like the carriage of a typewriter: out at the end of its row, back
//! through the gutter between the two, and in at the beginning of the next. Each has a lane of its own in all
//! three places, so that links only ever cross at right angles there, and never touch a box or a label.

use super::route::Span;
use super::{Layers, Point};

/// Between two lanes.
const LANE: f64 = 9.0;
/// Between lanes and what stands beside them.
const CLEAR: f64 = 14.0;
/// The radius of the corners of a lane.
const ROUND: f64 = 6.0;

/// The rows into which layers are broken, and their places.
pub(super) struct Rows {
    /// The row of each layer.
    pub(super) of: Vec<usize>,
    /// For each row, what is added to the place of its members across the flow.
    pub(super) shift: Vec<f64>,
    /// For each row, where it begins and ends across the flow.
    pub(super) extents: Vec<(f64, f64)>,
    /// For each row but the last, the links that go on in the next: their numbers, in the order of their
    /// lanes.
    crossing: Vec<Vec<usize>>,
    /// For each row, where its last layer ends.
    ends: Vec<f64>,
}

/// Puts layers into rows of about the same length, `count` of them at most; `spans` are moved to where their
/// rows begin.
pub(super) fn break_into_rows(layers: &Layers, across: &[f64], spans: &mut [Span], count: usize) -> Rows {
    let of = assign(spans, count);
    let rows = of.last().map_or(1, |last| last + 1);
    let mut crossing = vec![Vec::new(); rows - 1];
    for (link, chain) in layers.chains.iter().enumerate() {
        for pair in chain.windows(2) {
            let row = of[layers.items[pair[0]].layer];
            if row != of[layers.items[pair[1]].layer] {
                crossing[row].push((across[pair[0]], link));
            }
        }
    }
    let crossing: Vec<Vec<usize>> = crossing
        .into_iter()
        .map(|mut links: Vec<(f64, usize)>| {
            links.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
            links.into_iter().map(|(_, link)| link).collect()
        })
        .collect();
    // All rows begin at the same place, behind the lanes of the row that has most of them.
    let lanes = crossing.iter().map(Vec::len).max().unwrap_or(0);
    let indent = if rows == 1 { 0.0 } else { width(lanes) };
    let mut ends = vec![0.0; rows];
    let mut begin = vec![f64::INFINITY; rows];
    for (span, &row) in spans.iter().zip(&of) {
        begin[row] = begin[row].min(span.from);
    }
    for (span, &row) in spans.iter_mut().zip(&of) {
        let back = indent - begin[row];
        *span = Span { from: span.from + back, to: span.to + back };
        ends[row] = f64::max(ends[row], span.to);
    }
    let mut low = vec![f64::INFINITY; rows];
    let mut high = vec![f64::NEG_INFINITY; rows];
    for (item, at) in layers.items.iter().zip(across) {
        let row = of[item.layer];
        low[row] = low[row].min(at - item.size.height / 2.0);
        high[row] = high[row].max(at + item.size.height / 2.0);
    }
    let (mut shift, mut extents, mut next) = (Vec::new(), Vec::new(), 0.0);
    for row in 0..rows {
        // A row without members has no extent of its own.
        let (from, to) = if low[row] <= high[row] { (low[row], high[row]) } else { (0.0, 0.0) };
        shift.push(next - from);
        extents.push((next, next + to - from));
        next += to - from + crossing.get(row).map_or(0.0, |links| width(links.len()));
    }
    Rows { of, shift, extents, crossing, ends }
}

impl Rows {
    /// The length of the longest row, with the lanes at its end.
    pub(super) fn length(&self) -> f64 {
        let lanes = |row: usize| self.crossing.get(row).map_or(0.0, |links| width(links.len()));
        self.ends.iter().enumerate().map(|(row, end)| end + lanes(row)).fold(0.0, f64::max)
    }

    /// The way of a link from where it is at the end of `row` to a place at the beginning of the next, as
    /// corners.
    pub(super) fn carriage(&self, row: usize, link: usize, from: Point, to: Point) -> Vec<Point> {
        let links = &self.crossing[row];
        let lane = links.iter().position(|&other| other == link).unwrap_or(0) as f64;
        let all = links.len() as f64;
        // The topmost link turns last, runs lowest and turns in first: then none crosses its neighbor on the
        // way.
        let right = self.ends[row] + CLEAR + LANE * (all - 1.0 - lane);
        let gutter = self.extents[row].1 + CLEAR + LANE * (all - 1.0 - lane);
        let first = self.of.iter().position(|&other| other == row + 1).map_or(0.0, |_| width(links.len()));
        let left = to.x - first + CLEAR + LANE * (all - 1.0 - lane);
        vec![
            Point { x: right, y: from.y },
            Point { x: right, y: gutter },
            Point { x: left, y: gutter },
            Point { x: left, y: to.y },
            to,
        ]
    }
}

/// The width of this many lanes.
fn width(lanes: usize) -> f64 {
    2.0 * CLEAR + LANE * (lanes.max(1) - 1) as f64
}

/// The row of each layer. A row ends behind a layer of labels, so that a label stays with the box where most
/// of its links start.
fn assign(spans: &[Span], count: usize) -> Vec<usize> {
    let length = spans.last().map_or(0.0, |span| span.to);
    let most = length / count.max(1) as f64;
    let (mut row, mut begin) = (0, 0.0);
    let mut of = Vec::with_capacity(spans.len());
    for (layer, span) in spans.iter().enumerate() {
        // A layer of boxes goes with its labels; more than half a layer too long is too long.
        let end = spans.get(layer + 1).map_or(span.to, |labels| labels.to);
        if layer % 2 == 0 && layer > 0 && row + 1 < count && (span.from + end) / 2.0 - begin > most {
            row += 1;
            begin = span.from;
        }
        of.push(row);
    }
    of
}

/// Corners as curves: straight lines that are round where they meet, from `from` on.
pub(super) fn rounded(from: Point, corners: &[Point]) -> Vec<[Point; 3]> {
    let mut curves = Vec::new();
    let mut at = from;
    let toward = |a: Point, b: Point, far: f64| {
        let length = (b.x - a.x).abs() + (b.y - a.y).abs();
        let part = if length == 0.0 { 0.0 } else { far.min(length / 2.0) / length };
        Point { x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part }
    };
    for (number, &corner) in corners.iter().enumerate() {
        let Some(&next) = corners.get(number + 1) else {
            curves.push([at, corner, corner]);
            break;
        };
        let before = toward(corner, at, ROUND);
        let after = toward(corner, next, ROUND);
        curves.push([at, before, before]);
        curves.push([corner, corner, after]);
        at = after;
    }
    curves
}
