//! A layered layout of boxes and arrows in which the initial state comes first.
//!
//! Four steps, a file each, in the manner of Sugiyama, Tagawa and Toda: boxes are put into layers so that
//! most links point forward (`rank.rs`), each layer is ordered so that few links cross (`order.rs`), its
//! members are moved so that links run straight (`place.rs`), and links become curves that pass between boxes
//! (`route.rs`).
//!
//! Paper: `sugiyama81`, the four steps.
//! Deviation: the label of a link is a member of a layer of its own between two layers of boxes, so that no
//! label is ever covered or cut off, and a link passes through its label. Layers follow the order in which
//! states are met from the roots.
//! Cost: some hundredths of a second for sixty boxes and two hundred links; a complete graph of sixty takes
//! seconds.
//!
//! Nothing here measures text or knows what a box shows: sizes come in, positions go out. The same input
//! gives the same output everywhere, because only the four basic operations on floats are used.

mod order;
mod place;
mod rank;
mod route;
mod rows;

/// A width and a height.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
}

/// A place; `y` grows downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// An arrow from one box to another, with room for a label. Loops are not placed: see [`layouts`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Index of the box where it starts.
    pub from: usize,
    /// Index of the box where it ends.
    pub to: usize,
    /// The size of the label.
    pub label: Size,
}

/// In which direction most links point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The first box is at the left.
    Right,
    /// The first box is at the top.
    Down,
}

/// The least distances between things.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gaps {
    /// Between neighbors in a layer.
    pub neighbors: f64,
    /// Between one layer and the next, at least.
    pub layers: f64,
}

/// The place of every box, link and label.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The size of the whole picture, from the origin.
    pub size: Size,
    /// The center of each box.
    pub boxes: Vec<Point>,
    /// The course of each link.
    pub links: Vec<Route>,
    /// Extent of each row, across the flow; one when the picture was not broken into rows.
    pub rows: Vec<(f64, f64)>,
}

/// The course of a link: a start, curves one after the other, and where the label's center is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// On the border of the box where the link starts.
    pub start: Point,
    /// Cubic curves: two control points and an end each. The last end is on the border of the box where the
    /// link ends.
    pub curves: Vec<[Point; 3]>,
    /// The center of the label.
    pub label: Point,
}

/// Finds a place for every box and a course for every link, once for each of `rows`: the same picture broken
/// into at most so many rows, which stand below each other as the lines of a text do, or beside each other
/// when the flow goes down. Most of the work is done once for all of them. `roots` come first.
///
/// A link from a box to itself gets an empty route in the middle of its box: a transition that stays in a
/// state is better written inside it.
///
/// At most `most` boxes stand beside each other in a layer, as far as links allow: a model whose states all
/// follow one state would else be a single column, and rows could not help.
///
/// ```
/// use adit_automata::layout::{Flow, Gaps, Link, Size, layouts};
///
/// let side = Size { width: 40.0, height: 20.0 };
/// let links: Vec<Link> = (0..9).map(|from| Link { from, to: from + 1, label: side }).collect();
/// let gaps = Gaps { neighbors: 10.0, layers: 20.0 };
/// let drawn = layouts(&[side; 10], &links, &[0], Flow::Right, gaps, None, &[1, 3]);
/// assert!(drawn[0].boxes[0].x < drawn[0].boxes[1].x);
/// assert_eq!((drawn[0].rows.len(), drawn[1].rows.len()), (1, 3));
/// assert!(drawn[1].size.width < drawn[0].size.width / 2.0);
/// ```
pub fn layouts(
    boxes: &[Size],
    links: &[Link],
    roots: &[usize],
    flow: Flow,
    gaps: Gaps,
    most: Option<usize>,
    rows: &[usize],
) -> Vec<Layout> {
    // All steps think of layers that follow each other from left to right; `Down` is the same picture,
    // mirrored.
    let turn = |size: Size| match flow {
        Flow::Right => size,
        Flow::Down => Size { width: size.height, height: size.width },
    };
    let boxes: Vec<Size> = boxes.iter().map(|&size| turn(size)).collect();
    let links: Vec<Link> = links.iter().map(|link| Link { label: turn(link.label), ..*link }).collect();
    let ranks = rank::ranks(boxes.len(), &links, roots, most.unwrap_or(usize::MAX).max(1));
    let mut layers = Layers::new(&boxes, &links, &ranks);
    order::order(&mut layers);
    let ports = route::ports(&layers);
    let across = place::place(&layers, &ports, gaps.neighbors);
    let drawn = rows.iter().map(|&rows| {
        let mut drawn = route::route(&layers, &across, &ports, &links, gaps.layers, rows);
        if flow == Flow::Down {
            drawn.mirror();
        }
        drawn
    });
    drawn.collect()
}

impl Layout {
    /// Exchanges left and top.
    fn mirror(&mut self) {
        let swap = |point: &mut Point| *point = Point { x: point.y, y: point.x };
        self.size = Size { width: self.size.height, height: self.size.width };
        self.boxes.iter_mut().for_each(swap);
        for route in &mut self.links {
            swap(&mut route.start);
            swap(&mut route.label);
            route.curves.iter_mut().flatten().for_each(swap);
        }
    }
}

/// A member of a layer: a box, or a place that a link passes through.
#[derive(Clone, Copy, Debug)]
struct Item {
    layer: usize,
    size: Size,
    /// A box is not bent to make links straight; a link is.
    is_box: bool,
}

/// Boxes stand in even layers, labels in odd ones.
#[derive(Clone, Debug)]
struct Layers {
    /// The boxes, then the places of links.
    items: Vec<Item>,
    /// The members of each layer, from first to last.
    layers: Vec<Vec<usize>>,
    /// For each link its items from the lower to the higher layer, boxes included; nothing for loops.
    chains: Vec<Vec<usize>>,
    /// For each link, the index in its chain where the label is.
    labels: Vec<usize>,
    /// For each item, the items of the layer before that it is joined to.
    before: Vec<Vec<usize>>,
    /// For each item, the items of the layer after that it is joined to.
    after: Vec<Vec<usize>>,
}

impl Layers {
    fn new(boxes: &[Size], links: &[Link], ranks: &[usize]) -> Self {
        let count = 1 + 2 * ranks.iter().max().copied().unwrap_or(0);
        let mut items: Vec<Item> = boxes
            .iter()
            .zip(ranks)
            .map(|(&size, rank)| Item { layer: 2 * rank, size, is_box: true })
            .collect();
        let mut layers = vec![Vec::new(); count];
        // Within a layer, boxes begin in the order in which they are numbered: that is the order of the
        // model.
        for (number, item) in items.iter().enumerate() {
            layers[item.layer].push(number);
        }
        let (mut chains, mut labels) = (Vec::new(), Vec::new());
        for link in links {
            let (mut low, mut high) = (link.from, link.to);
            if ranks[low] > ranks[high] {
                std::mem::swap(&mut low, &mut high);
            }
            let (first, last) = (2 * ranks[low], 2 * ranks[high]);
            if first == last {
                chains.push(Vec::new());
                labels.push(0);
                continue;
            }
            // The odd layer in the middle; of two, the one that is nearer to where the link starts.
            let middle = (first + last) / 2;
            let label = match middle % 2 {
                1 => middle,
                _ if low == link.from => middle - 1,
                _ => middle + 1,
            };
            let mut chain = vec![low];
            for (layer, members) in layers.iter_mut().enumerate().take(last).skip(first + 1) {
                let size = if layer == label { link.label } else { Size::default() };
                members.push(items.len());
                chain.push(items.len());
                items.push(Item { layer, size, is_box: false });
            }
            chain.push(high);
            labels.push(label - first);
            chains.push(chain);
        }
        let (mut before, mut after) = (vec![Vec::new(); items.len()], vec![Vec::new(); items.len()]);
        for pair in chains.iter().flat_map(|chain| chain.windows(2)) {
            after[pair[0]].push(pair[1]);
            before[pair[1]].push(pair[0]);
        }
        Self { items, layers, chains, labels, before, after }
    }

    /// For each item, where it stands in its layer.
    fn positions(&self) -> Vec<usize> {
        let mut position = vec![0; self.items.len()];
        for layer in &self.layers {
            for (at, &item) in layer.iter().enumerate() {
                position[item] = at;
            }
        }
        position
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    const BOX: Size = Size { width: 60.0, height: 30.0 };
    const GAPS: Gaps = Gaps { neighbors: 10.0, layers: 20.0 };

    fn links(text: &str) -> Vec<Link> {
        let link = |pair: &str| {
            let (from, to) = pair.split_once('>').unwrap();
            Link {
                from: from.parse().unwrap(),
                to: to.parse().unwrap(),
                label: Size { width: 30.0, height: 12.0 },
            }
        };
        text.split_whitespace().map(link).collect()
    }

    /// The picture in one row.
    fn layout(boxes: &[Size], links: &[Link], roots: &[usize], flow: Flow, gaps: Gaps) -> Layout {
        layouts(boxes, links, roots, flow, gaps, None, &[1]).remove(0)
    }

    /// Compares the places of boxes and labels, for a graph whose box 0 is initial.
    fn check(boxes: usize, text: &str, expect: Expect) {
        let drawn = layout(&vec![BOX; boxes], &links(text), &[0], Flow::Right, GAPS);
        let mut told = format!("{:.0} x {:.0}\n", drawn.size.width, drawn.size.height);
        for (number, at) in drawn.boxes.iter().enumerate() {
            told += &format!("{number} at {:.0},{:.0}\n", at.x, at.y);
        }
        for (name, route) in text.split_whitespace().zip(&drawn.links) {
            told += &format!("{name} label {:.0},{:.0}\n", route.label.x, route.label.y);
        }
        expect.assert_eq(&told);
    }

    #[test]
    fn a_life_runs_along_a_line() {
        check(
            3,
            "0>1 1>2",
            expect![[r#"
                320 x 30
                0 at 30,15
                1 at 160,15
                2 at 290,15
                0>1 label 95,15
                1>2 label 225,15
            "#]],
        );
    }

    #[test]
    fn a_return_has_a_label_of_its_own() {
        check(
            2,
            "0>1 1>0",
            expect![[r#"
                190 x 34
                0 at 30,17
                1 at 160,17
                0>1 label 95,6
                1>0 label 95,28
            "#]],
        );
    }

    #[test]
    fn a_loop_takes_no_room_and_nothing_is_nothing() {
        check(
            1,
            "0>0",
            expect![[r#"
                60 x 30
                0 at 30,15
                0>0 label 30,15
            "#]],
        );
        let nothing = layout(&[], &[], &[], Flow::Down, GAPS);
        let empty =
            Layout { size: Size::default(), boxes: Vec::new(), links: Vec::new(), rows: vec![(0.0, 0.0)] };
        assert_eq!(nothing, empty);
    }

    /// A rectangle around a center.
    type Area = (Point, Size);

    fn overlap((a, one): Area, (b, other): Area) -> bool {
        // A hair's breadth is a rounding error.
        (a.x - b.x).abs() * 2.0 < one.width + other.width - 0.01
            && (a.y - b.y).abs() * 2.0 < one.height + other.height - 0.01
    }

    /// Points on a route, close to each other.
    fn along(route: &Route) -> Vec<Point> {
        let mut points = vec![route.start];
        let mut from = route.start;
        for &[one, two, to] in &route.curves {
            for step in 1..=8 {
                let t = f64::from(step) / 8.0;
                let s = 1.0 - t;
                let mix = |a: f64, b: f64, c: f64, d: f64| {
                    s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
                };
                points.push(Point { x: mix(from.x, one.x, two.x, to.x), y: mix(from.y, one.y, two.y, to.y) });
            }
            from = to;
        }
        points
    }

    fn graphs() -> impl Strategy<Value = (Vec<Size>, Vec<Link>, Flow)> {
        let size = || {
            (1u8..100, 1u8..60)
                .prop_map(|(width, height)| Size { width: width.into(), height: height.into() })
        };
        (
            prop::collection::vec(size(), 1..12),
            prop::collection::vec((0..12usize, 0..12usize, size()), 0..25),
            prop::bool::ANY,
        )
            .prop_map(|(boxes, links, down)| {
                let count = boxes.len();
                let links = links
                    .into_iter()
                    .map(|(from, to, label)| Link { from: from % count, to: to % count, label })
                    .collect();
                (boxes, links, if down { Flow::Down } else { Flow::Right })
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        /// Boxes and labels stay apart, inside the picture, and links go around boxes that are not theirs, in
        /// any number of rows.
        #[test]
        fn nothing_covers_anything((boxes, links, flow) in graphs(), rows in 1usize..5, most in 0usize..5) {
            let most = Some(most).filter(|most| *most > 0);
            let drawn = layouts(&boxes, &links, &[0], flow, GAPS, most, &[rows]).remove(0);
            prop_assert!(drawn.rows.len() <= rows);
            let mut areas: Vec<Area> = drawn.boxes.iter().copied().zip(boxes.iter().copied()).collect();
            let whole = (Point { x: drawn.size.width / 2.0, y: drawn.size.height / 2.0 }, drawn.size);
            let is_inside = |point: Point| overlap((point, Size { width: -0.02, height: -0.02 }), (whole.0, Size { width: whole.1.width + 0.1, height: whole.1.height + 0.1 }));
            let labels = links.iter().zip(&drawn.links).filter(|(link, _)| link.from != link.to);
            for (link, route) in labels {
                for point in along(route) {
                    prop_assert!(is_inside(point), "{point:?} lies outside {:?}", drawn.size);
                    for (number, &area) in areas[..boxes.len()].iter().enumerate() {
                        let touches = overlap((point, Size::default()), area);
                        prop_assert!(!touches || [link.from, link.to].contains(&number), "link {link:?} crosses box {number}");
                    }
                }
                prop_assert_eq!(route.curves.is_empty(), false);
                areas.push((route.label, link.label));
            }
            for (at, &one) in areas.iter().enumerate() {
                for &other in &areas[..at] {
                    prop_assert!(!overlap(one, other), "{one:?} covers {other:?}");
                }
                let (Point { x, y }, Size { width, height }) = one;
                prop_assert!(x - width / 2.0 > -0.01 && x + width / 2.0 < drawn.size.width + 0.01);
                prop_assert!(y - height / 2.0 > -0.01 && y + height / 2.0 < drawn.size.height + 0.01);
            }
        }

        /// No box stands before the root, in the direction of the flow.
        #[test]
        fn the_root_comes_first((boxes, links, flow) in graphs()) {
            let same = vec![BOX; boxes.len()];
            let drawn = layout(&same, &links, &[0], flow, GAPS);
            let place = |point: &Point| if flow == Flow::Right { point.x } else { point.y };
            for other in &drawn.boxes {
                prop_assert!(place(&drawn.boxes[0]) <= place(other) + 0.01);
            }
        }
    }
}
