//! A model in the terminal: boxes one below the other, and arrows as lines beside them.
//!
//! ```text
//!    ┌─────────┐
//!  ▶ │ 0 start ├─ open ─────────┐
//!    └─────────┘                │
//!    ┌─────────┐                │
//!    │ 1       │◀───────────────┘
//!    │ read    ├─ close ─────┐
//!    └─────────┘             │
//! ```
//!
//! Each arrow runs down or up in a lane of its own. A model that needs too many lanes or lines is told as a list.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::Fsa;

use super::picture::{Arrow, Box, Call, Choice, draw, state_name, terminal_columns as columns};

/// More lines do not fit on a screen or two.
const MOST_LINES: usize = 90;

/// More columns are broken by most terminals.
const MOST_COLUMNS: usize = 118;

/// The model for a screen of so many columns: drawn when that fits, else as a list.
pub(crate) fn fitting(model: &Fsa<String>, pure: &BTreeSet<String>, room: usize) -> String {
    let choice = Choice { pure: true, failures: false };
    let drawn = boxes(model, pure, choice).filter(|text| text.lines().all(|line| columns(line) <= room));
    drawn.unwrap_or_else(|| list(model))
}

/// The model drawn, when it is small enough.
pub(crate) fn boxes(model: &Fsa<String>, pure: &BTreeSet<String>, choice: Choice) -> Option<String> {
    let picture = draw(model, pure, choice);
    if !picture.folded.is_empty() {
        return None;
    }
    let mut order: Vec<usize> = (0..picture.boxes.len()).collect();
    // Down the page as the picture flows, which begins at the initial state.
    let along = |number: &usize| {
        let at = picture.layout.boxes[*number];
        (at.x, at.y)
    };
    let down = picture.flow == adit_automata::layout::Flow::Down;
    order.sort_by(|one, other| {
        let (one, other) = (along(one), along(other));
        let key = |(x, y): (f64, f64)| if down { (y, x) } else { (x, y) };
        let (one, other) = (key(one), key(other));
        one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1))
    });
    let text = Canvas::new(&picture.boxes, &picture.arrows, &order).text();
    let lines = text.lines().count();
    let widest = text.lines().map(columns).max().unwrap_or(0);
    (lines <= MOST_LINES && widest <= MOST_COLUMNS).then_some(text)
}

/// The model as a list: from each state, where which events lead, by the labels that other commands take.
pub(crate) fn list(model: &Fsa<String>) -> String {
    let mut text = String::new();
    for state in model.states() {
        let start = if model.initial().contains(&state) { "start " } else { "" };
        text += &format!("{start}{}\n", state_name(model, state));
        let mut to: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for edge in model.edges(state) {
            to.entry(edge.to).or_default().push(edge.label);
        }
        for (to, labels) in to {
            let arrow =
                if to == state { "stays".to_owned() } else { format!("-> {}", state_name(model, to)) };
            text += &format!("    {arrow}: {}\n", labels.join(", "));
        }
    }
    text
}

/// An arrow on its way beside the boxes.
struct Lane {
    from: usize,
    to: usize,
    label: String,
    /// How far to the right it runs.
    lane: usize,
}

struct Canvas {
    /// The text of each line up to where arrows begin.
    left: Vec<String>,
    lanes: Vec<Lane>,
}

/// Where boxes begin, behind the mark of the initial state.
const INDENT: usize = 3;

impl Canvas {
    fn new(boxes: &[Box], arrows: &[Arrow], order: &[usize]) -> Self {
        let inner = boxes.iter().flat_map(lines).map(|line| columns(&line)).max().unwrap_or(0);
        let bar = "─".repeat(inner + 2);
        let mut left = Vec::new();
        // For each arrow, the lines where it leaves and arrives.
        let mut ends = vec![(0, 0); arrows.len()];
        for &number in order {
            let one = &boxes[number];
            let text = lines(one);
            let arriving: Vec<usize> = (0..arrows.len()).filter(|&at| arrows[at].to == number).collect();
            let leaving: Vec<usize> = (0..arrows.len()).filter(|&at| arrows[at].from == number).collect();
            // Arrows that arrive share the line of the name; each that leaves has one of its own.
            let rows = text.len().max(usize::from(!arriving.is_empty()) + leaving.len());
            left.push(format!("{:INDENT$}┌{bar}┐", ""));
            let first = left.len();
            for row in 0..rows {
                let content = text.get(row).map_or("", String::as_str);
                let pad = " ".repeat(inner - columns(content));
                let arrives = row == 0 && !arriving.is_empty();
                let leaves = row >= usize::from(!arriving.is_empty())
                    && row < usize::from(!arriving.is_empty()) + leaving.len();
                let side = if leaves {
                    '├'
                } else if arrives {
                    '◀'
                } else {
                    '│'
                };
                let start = if row == 0 && one.initial { " ▶ " } else { "   " };
                left.push(format!("{start}│ {content}{pad} {side}"));
            }
            left.push(format!("{:INDENT$}└{bar}┘", ""));
            for at in arriving.iter().copied() {
                ends[at].1 = first;
            }
            for (row, at) in leaving.iter().enumerate() {
                ends[*at].0 = first + usize::from(!arriving.is_empty()) + row;
            }
        }
        let mut lanes: Vec<Lane> = arrows
            .iter()
            .zip(ends)
            .map(|(arrow, (from, to))| Lane { from, to, label: label(arrow), lane: 0 })
            .collect();
        assign(&mut lanes);
        Self { left, lanes }
    }

    fn text(&self) -> String {
        let base = self.left.iter().map(|line| columns(line)).max().unwrap_or(0);
        let labels = self.lanes.iter().map(|lane| columns(&lane.label)).max().unwrap_or(0);
        // A label stands between two short strokes.
        let first = base + labels + 5;
        let width = first + 3 * self.lanes.iter().map(|lane| lane.lane + 1).max().unwrap_or(0);
        let mut grid: Vec<Vec<char>> = vec![vec![' '; width]; self.left.len()];
        for lane in &self.lanes {
            let column = first + 3 * lane.lane;
            let (low, high) = (lane.from.min(lane.to), lane.from.max(lane.to));
            for row in &mut grid[low + 1..high] {
                row[column] = crossed(row[column], '│');
            }
        }
        for lane in &self.lanes {
            let column = first + 3 * lane.lane;
            for line in [lane.from, lane.to] {
                for cell in &mut grid[line][base..column] {
                    *cell = crossed(*cell, '─');
                }
                let other = if line == lane.from { lane.to } else { lane.from };
                let corner = if other > line { '┐' } else { '┘' };
                grid[line][column] = joined(grid[line][column], corner);
            }
        }
        let mut text = String::new();
        for (number, (left, cells)) in self.left.iter().zip(&grid).enumerate() {
            let mut line = left.clone();
            line += &" ".repeat(base - columns(left));
            let mut rest: Vec<String> = cells[base..].iter().map(char::to_string).collect();
            if let Some(lane) = self.lanes.iter().find(|lane| lane.from == number) {
                let shown = format!(" {} ", lane.label);
                let taken = columns(&shown);
                rest.splice(1..=taken, [shown]);
            }
            line += &rest.concat();
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

/// Gives each arrow the first lane in which it meets no other; short ones choose first. Arrows to the same box may share one.
fn assign(lanes: &mut [Lane]) {
    let mut order: Vec<usize> = (0..lanes.len()).collect();
    order.sort_by_key(|&at| (lanes[at].from.abs_diff(lanes[at].to), at));
    for (done, &at) in order.iter().enumerate() {
        let span = |lane: &Lane| (lane.from.min(lane.to), lane.from.max(lane.to));
        let (low, high) = span(&lanes[at]);
        let taken: BTreeSet<usize> = order[..done]
            .iter()
            .filter(|&&other| {
                let (from, to) = span(&lanes[other]);
                low <= to && from <= high
            })
            .map(|&other| lanes[other].lane)
            .collect();
        lanes[at].lane = (0..).find(|lane| !taken.contains(lane)).unwrap_or(0);
    }
}

/// A line over what is there already.
fn crossed(there: char, line: char) -> char {
    match (there, line) {
        (' ', line) => line,
        ('│', '─') | ('─', '│') => '┼',
        ('┘', '─') => '┴',
        ('┐', '─') => '┬',
        (there, _) => there,
    }
}

/// A corner over what is there already: a line that goes on to the right.
fn joined(there: char, corner: char) -> char {
    match (there, corner) {
        ('─' | '┴', '┘') => '┴',
        ('─' | '┬', '┐') => '┬',
        ('┼' | '│', _) => '┼',
        (_, corner) => corner,
    }
}

fn lines(one: &Box) -> Vec<String> {
    let mut lines = one.title.clone();
    lines.extend(one.stays.iter().map(|line| format!("  {}", calls(line))));
    lines.extend(one.refuses.iter().map(|line| format!("  refuses {}", calls(line))));
    lines
}

fn calls(line: &[Call]) -> String {
    line.iter().map(|call| call.shown.as_str()).collect::<Vec<_>>().join(", ")
}

/// All calls of an arrow on one line.
fn label(arrow: &Arrow) -> String {
    const LONGEST: usize = 34;
    let all: Vec<&Call> = arrow.calls.iter().flatten().collect();
    let text = all.iter().map(|call| call.shown.as_str()).collect::<Vec<_>>().join(", ");
    if columns(&text) <= LONGEST {
        return text;
    }
    let mut kept = String::new();
    let mut count = 0;
    for call in &all {
        if !kept.is_empty() && columns(&kept) + columns(&call.shown) + 2 > LONGEST - 9 {
            break;
        }
        if count > 0 {
            kept += ", ";
        }
        kept += &call.shown;
        count += 1;
    }
    if count == all.len() { kept } else { format!("{kept}, {} more", all.len() - count) }
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;
    use expect_test::{Expect, expect};

    use super::*;

    fn check(states: usize, edges: &[(usize, &str, usize)], expect: Expect) {
        let mut builder = Builder::new();
        for _ in 0..states {
            builder.state(true);
        }
        builder.initial(0);
        for (from, label, to) in edges {
            builder.edge(*from, (*label).to_owned(), *to);
        }
        let all = Choice { pure: true, failures: false };
        let drawn = boxes(&builder.build(), &BTreeSet::new(), all).unwrap_or("too large".to_owned());
        // A sign before each line, because expectations lose the indentation that all lines share.
        let told: String = drawn.lines().map(|line| format!("|{line}\n")).collect();
        expect.assert_eq(&told);
    }

    #[test]
    fn a_file() {
        check(
            3,
            &[(0, "open", 1), (1, "read", 1), (1, "close", 2), (2, "open", 1), (2, "read!IOException", 2)],
            expect![[r#"
                |   ┌──────────────────────────────┐
                | ▶ │ 0 start                      ├─ open ───┐
                |   └──────────────────────────────┘          │
                |   ┌──────────────────────────────┐          │
                |   │ 1                            ◀──────────┴──┐
                |   │   read                       ├─ close ──┐  │
                |   └──────────────────────────────┘          │  │
                |   ┌──────────────────────────────┐          │  │
                |   │ 2                            ◀──────────┘  │
                |   │   refuses read ⚠ IOException ├─ open ──────┘
                |   └──────────────────────────────┘
            "#]],
        );
    }

    #[test]
    fn lines_that_cross() {
        check(
            4,
            &[(0, "a", 1), (0, "b", 2), (1, "c", 3), (2, "d", 0), (3, "e:TRUE", 1), (3, "e:FALSE", 0)],
            expect![[r#"
                |   ┌─────────┐
                | ▶ │ 0 start ◀──────────────┬─────┐
                |   │         ├─ a ────┐     │     │
                |   │         ├─ b ────┼──┐  │     │
                |   └─────────┘        │  │  │     │
                |   ┌─────────┐        │  │  │     │
                |   │ 1       ◀────────┴──┼──┼──┐  │
                |   │         ├─ c ────┐  │  │  │  │
                |   └─────────┘        │  │  │  │  │
                |   ┌─────────┐        │  │  │  │  │
                |   │ 2       ◀────────┼──┘  │  │  │
                |   │         ├─ d ────┼─────┘  │  │
                |   └─────────┘        │        │  │
                |   ┌─────────┐        │        │  │
                |   │ 3       ◀────────┘        │  │
                |   │         ├─ e ✗ ───────────┼──┘
                |   │         ├─ e ✓ ───────────┘
                |   └─────────┘
            "#]],
        );
    }

    #[test]
    fn one_state_and_none() {
        check(
            1,
            &[(0, "a", 0)],
            expect![[r#"
                |   ┌─────────┐
                | ▶ │ 0 start │
                |   │   a     │
                |   └─────────┘
            "#]],
        );
        check(
            1,
            &[],
            expect![[r#"
                |   ┌─────────┐
                | ▶ │ 0 start │
                |   └─────────┘
            "#]],
        );
    }

    #[test]
    fn a_large_model_is_a_list() {
        let ring: Vec<(usize, &str, usize)> = (0..61).map(|state| (state, "a", (state + 1) % 61)).collect();
        check(
            61,
            &ring,
            expect![[r#"
                |too large
            "#]],
        );
        let mut builder = Builder::new();
        builder.state(true);
        builder.state(true);
        builder.initial(0);
        builder.name(1, "isOpen".to_owned());
        builder.edge(0, "open:TRUE".to_owned(), 1);
        builder.edge(1, "read".to_owned(), 1);
        let model = builder.build();
        expect![[r#"
            start 0
                -> 1 (isOpen): open:TRUE
            1 (isOpen)
                stays: read
        "#]]
        .assert_eq(&list(&model));
        assert_eq!(fitting(&model, &BTreeSet::new(), 20), list(&model));
        assert!(fitting(&model, &BTreeSet::new(), 80).contains("├─ open ✓"));
    }
}
