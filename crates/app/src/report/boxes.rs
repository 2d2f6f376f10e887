//! A model in the terminal as a drawing: boxes one below the other, and arrows as lines beside them.
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
//! Each arrow runs in its own lane. A model that needs too many lanes or lines is not drawn.

use std::collections::BTreeSet;

use adit_automata::Fsa;
use adit_picture::{Arrow, Box, Choice, DrawnCall, Note, Picture, draw, terminal_columns as columns};

/// Maximum number of lines: a screen or two.
const MAX_LINES: usize = 90;

/// Maximum number of columns; most terminals break longer lines.
const MAX_COLUMNS: usize = 118;

/// Draws the model if it is small enough.
pub(crate) fn boxes(model: &Fsa<String>, pure: &BTreeSet<String>, choice: Choice) -> Option<String> {
    let picture = draw(model, pure, choice);
    if !picture.folded.is_empty() {
        return None;
    }
    // In reading order, which begins at the initial state.
    let text = Canvas::new(&picture, &picture.reading_order()).text();
    let lines = text.lines().count();
    let widest = text.lines().map(columns).max().unwrap_or(0);
    (lines <= MAX_LINES && widest <= MAX_COLUMNS).then_some(text)
}

/// An arrow beside the boxes.
struct Lane {
    from: usize,
    to: usize,
    label: String,
    /// Its column, counted from the boxes.
    lane: usize,
}

struct Canvas {
    /// Text of each line, left of the arrows.
    left: Vec<String>,
    lanes: Vec<Lane>,
}

/// Column of the boxes, right of the mark of the initial state.
const INDENT: usize = 3;

impl Canvas {
    fn new(picture: &Picture, order: &[usize]) -> Self {
        let Picture { boxes, arrows, notes, .. } = picture;
        let lines = |one: &Box| lines(one, notes);
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

/// Gives each arrow the first free lane, short arrows first. Arrows to the same box may share a lane.
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

/// Returns the character for a line that crosses another character.
fn crossed(there: char, line: char) -> char {
    match (there, line) {
        (' ', line) => line,
        ('│', '─') | ('─', '│') => '┼',
        ('┘', '─') => '┴',
        ('┐', '─') => '┬',
        (there, _) => there,
    }
}

/// Returns the character for a corner on a line that continues to the right.
fn joined(there: char, corner: char) -> char {
    match (there, corner) {
        ('─' | '┴', '┘') => '┴',
        ('─' | '┬', '┐') => '┬',
        ('┼' | '│', _) => '┼',
        (_, corner) => corner,
    }
}

fn lines(one: &Box, notes: &[Note]) -> Vec<String> {
    let mut lines = one.title.clone();
    lines.extend(one.heard.clone());
    lines.extend(one.stays.iter().map(|line| format!("  {}", calls(line))));
    for note in one.notes.iter().map(|&at| &notes[at]) {
        let last = note.calls.len().saturating_sub(1);
        let behind = |at: usize| if at == last { note.target.as_str() } else { "," };
        lines.extend(
            note.calls.iter().enumerate().map(|(at, line)| format!("  {}{}", calls(line), behind(at))),
        );
    }
    lines.extend(one.unexplored.iter().map(|line| format!("  not explored after {}", calls(line))));
    // The word once, and what follows it below each other.
    let refuses = one.refuses.iter().enumerate();
    lines.extend(
        refuses
            .map(|(at, line)| format!("  {} {}", if at == 0 { "refuses" } else { "       " }, calls(line))),
    );
    lines
}

fn calls(line: &[DrawnCall]) -> String {
    line.iter().map(|call| call.shown.as_str()).collect::<Vec<_>>().join(", ")
}

/// Returns all calls of an arrow on one line.
fn label(arrow: &Arrow) -> String {
    const LONGEST: usize = 34;
    let all: Vec<&DrawnCall> = arrow.calls.iter().flatten().collect();
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
    fn a_large_model_is_not_drawn() {
        let ring: Vec<(usize, &str, usize)> = (0..61).map(|state| (state, "a", (state + 1) % 61)).collect();
        check(
            61,
            &ring,
            expect![[r#"
                |too large
            "#]],
        );
    }
}
