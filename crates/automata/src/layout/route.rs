//! The course of links: straight through a layer in the place kept for them there, in curves from one layer
//! to the next.
//!
//! Because every piece of a link has its own place in each layer, no link ever crosses a box. Links that
//! begin or end at the same side of a box are spread over that side in the order of where they go.

use super::{Layers, Layout, Link, Point, Route, Size, rows};

/// Links at one side of a box are at most this far apart, so that they look as if they belonged together.
const SPREAD: f64 = 48.0;

/// Part of a box's side at each corner where no link begins, because corners may be round.
const CORNER: f64 = 6.0;

/// The extent of a layer along the flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) from: f64,
    pub(super) to: f64,
}

/// The places at which a link meets its boxes, from their middle across the flow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ports {
    /// At the box in the lower layer.
    pub(super) leaves: f64,
    /// At the box in the higher layer.
    pub(super) arrives: f64,
}

/// The layout in at most so many rows.
pub(super) fn route(
    layers: &Layers,
    across: &[f64],
    ports: &[Ports],
    links: &[Link],
    gap: f64,
    rows: usize,
) -> Layout {
    let boxes: Vec<Size> = layers.items.iter().take_while(|item| item.is_box).map(|item| item.size).collect();
    let mut spans = spans(layers, across, gap);
    let rows = rows::break_into_rows(layers, across, &mut spans, rows);
    let row_of = |item: usize| rows.of[layers.items[item].layer];
    let across: Vec<f64> = (0..across.len()).map(|item| across[item] + rows.shift[row_of(item)]).collect();
    let middle = |layer: usize| (spans[layer].from + spans[layer].to) / 2.0;
    let centers: Vec<Point> = (0..boxes.len())
        .map(|number| Point { x: middle(layers.items[number].layer), y: across[number] })
        .collect();
    let routes = links
        .iter()
        .enumerate()
        .zip(layers.chains.iter().zip(&layers.labels).zip(ports))
        .map(|((number, link), ((chain, &label), &Ports { leaves, arrives }))| {
            let Some((&low, inner)) = chain.split_first() else {
                return Route { start: centers[link.from], curves: Vec::new(), label: centers[link.from] };
            };
            let (&high, inner) = inner.split_last().expect("a chain has two ends");
            let mut path =
                Path::new(Point { x: centers[low].x + boxes[low].width / 2.0, y: across[low] + leaves });
            path.straight_to(spans[layers.items[low].layer].to);
            let mut row = row_of(low);
            let mut go = |path: &mut Path, item: usize, y: f64| {
                let to = Point { x: spans[layers.items[item].layer].from, y };
                if row_of(item) == row {
                    path.curve_to(to);
                } else {
                    path.around(&rows.carriage(row, number, path.at, to));
                    row = row_of(item);
                }
            };
            for &item in inner {
                go(&mut path, item, across[item]);
                path.straight_to(spans[layers.items[item].layer].to);
            }
            go(&mut path, high, across[high] + arrives);
            path.straight_to(centers[high].x - boxes[high].width / 2.0);
            let at = chain[label];
            let mut route = path.route;
            route.label = Point { x: middle(layers.items[at].layer), y: across[at] };
            if low == link.to {
                route.reverse();
            }
            route
        })
        .collect();
    let height = rows.extents.last().map_or(0.0, |(_, to)| *to);
    let width = if boxes.is_empty() { 0.0 } else { rows.length() };
    Layout { size: Size { width, height }, boxes: centers, links: routes, rows: rows.extents }
}

/// The extent of each layer. Curves that climb far get more room, else they would look like steps.
fn spans(layers: &Layers, across: &[f64], gap: f64) -> Vec<Span> {
    /// A curve this much longer than its climb is still pleasant to follow.
    const SLOPE: f64 = 0.12;
    /// Beyond this the picture only becomes longer.
    const WIDEST: f64 = 4.0;
    let mut spans = Vec::with_capacity(layers.layers.len());
    let mut next = 0.0;
    for layer in &layers.layers {
        let width = layer.iter().map(|&item| layers.items[item].size.width).fold(0.0, f64::max);
        spans.push(Span { from: next, to: next + width });
        let climb = layer
            .iter()
            .flat_map(|&item| layers.after[item].iter().map(move |&to| (across[item] - across[to]).abs()))
            .fold(0.0, f64::max);
        next += width + gap.max((climb * SLOPE).min(gap * WIDEST));
    }
    spans
}

/// The places at which each link meets its boxes: links at the same side of a box are spread over it, in the
/// order of their other ends.
pub(super) fn ports(layers: &Layers) -> Vec<Ports> {
    let position = layers.positions();
    let mut leaving: Vec<Vec<(usize, usize)>> = vec![Vec::new(); layers.items.len()];
    let mut arriving = leaving.clone();
    for (link, chain) in layers.chains.iter().enumerate() {
        if let [low, second, ..] = chain[..]
            && let [.., before, high] = chain[..]
        {
            leaving[low].push((position[second], link));
            arriving[high].push((position[before], link));
        }
    }
    let mut ports = vec![Ports::default(); layers.chains.len()];
    for (item, (mut out, mut into)) in layers.items.iter().zip(leaving.into_iter().zip(arriving)) {
        out.sort_unstable();
        into.sort_unstable();
        let room = (item.size.height - 2.0 * CORNER).max(0.0);
        let place = |at: usize, count: usize| {
            SPREAD.min(room / count as f64) * (at as f64 - (count as f64 - 1.0) / 2.0)
        };
        for (at, &(_, link)) in out.iter().enumerate() {
            ports[link].leaves = place(at, out.len());
        }
        for (at, &(_, link)) in into.iter().enumerate() {
            ports[link].arrives = place(at, into.len());
        }
    }
    ports
}

/// A route in the making.
struct Path {
    route: Route,
    at: Point,
}

impl Path {
    fn new(start: Point) -> Self {
        Self { route: Route { start, ..Route::default() }, at: start }
    }

    /// On along the flow. Steps that nobody could see are left out.
    fn straight_to(&mut self, x: f64) {
        if x - self.at.x > 0.01 {
            let to = Point { x, y: self.at.y };
            self.route.curves.push([self.at, to, to]);
            self.at = to;
        }
    }

    /// On around corners.
    fn around(&mut self, corners: &[Point]) {
        self.route.curves.extend(rows::rounded(self.at, corners));
        self.at = corners.last().copied().unwrap_or(self.at);
    }

    /// On in a curve that begins and ends along the flow.
    fn curve_to(&mut self, to: Point) {
        let half = (self.at.x + to.x) / 2.0;
        self.route.curves.push([Point { x: half, y: self.at.y }, Point { x: half, y: to.y }, to]);
        self.at = to;
    }
}

impl Route {
    /// The same course, the other way round.
    fn reverse(&mut self) {
        let mut ends = vec![self.start];
        ends.extend(self.curves.iter().map(|[_, _, to]| *to));
        self.start = ends[ends.len() - 1];
        self.curves =
            self.curves.iter().zip(ends).rev().map(|(&[one, two, _], start)| [two, one, start]).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reversed_route_ends_where_it_began() {
        let point = |x: f64| Point { x, y: x };
        let there = Route {
            start: point(0.0),
            curves: vec![[point(1.0), point(2.0), point(3.0)], [point(4.0), point(5.0), point(6.0)]],
            label: point(3.0),
        };
        let mut back = there.clone();
        back.reverse();
        assert_eq!(back.start, point(6.0));
        assert_eq!(back.curves, [[point(5.0), point(4.0), point(3.0)], [point(2.0), point(1.0), point(0.0)]]);
        back.reverse();
        assert_eq!(back, there);
    }
}
