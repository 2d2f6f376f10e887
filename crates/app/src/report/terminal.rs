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
//! Each arrow runs in its own lane. A model that needs too many lanes or lines is printed as a list.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::protocol;
use crate::output::{counted, size_of, some_of};
use crate::results::run::BlockedCalls;
use adit_automata::{Edge, Fsa, Modality};
use adit_picture::{
    Arrow, Box, Choice, DrawnCall, Note, Picture, StateNames, draw, legible, terminal_columns as columns,
};
use adit_trace::Label;

/// Maximum number of lines: a screen or two.
const MAX_LINES: usize = 90;

/// Maximum number of columns; most terminals break longer lines.
const MAX_COLUMNS: usize = 118;

/// Maximum number of states in a list; nobody reads a longer one.
const MAX_LISTED: usize = 15;

/// Returns the model for a terminal of this size: drawn if it fits, else as text.
pub(crate) fn fitting(
    model: &Fsa<String>,
    blocked: &[BlockedCalls],
    pure: &BTreeSet<String>,
    (width, height): (usize, usize),
) -> String {
    /// Lines of a drawing that are worth scrolling for in a small window.
    const WORTH: usize = 40;
    let choice = Choice { pure: true, failures: false };
    let fits = |text: &String| {
        text.lines().all(|line| columns(line) <= width) && text.lines().count() <= height.max(WORTH)
    };
    // A box has no place for what blocks.
    let drawn = boxes(model, pure, choice).filter(|_| blocked.is_empty());
    drawn.filter(fits).unwrap_or_else(|| told(model, blocked))
}

/// Returns the model as a list or, if that is too long, a summary.
pub(crate) fn told(model: &Fsa<String>, blocked: &[BlockedCalls]) -> String {
    if is_long(model) { summary(model) } else { on_a_screen(model, blocked) }
}

/// Returns the list of calls, cut short where it and the remarks below it would not fit on a screen.
fn on_a_screen(model: &Fsa<String>, blocked: &[BlockedCalls]) -> String {
    const LINES: usize = 30;
    // With few remarks this is still a screen, and a list says more than a summary.
    const MOST_LINES: usize = 37;
    const COLUMNS: usize = 100;
    let height = |text: &str| text.lines().map(|line| columns(line).div_ceil(COLUMNS).max(1)).sum::<usize>();
    let all = list(model, blocked);
    if height(&all) <= LINES {
        return all;
    }
    let shorter = [8, 5, 3].map(|most| listed(model, blocked, most));
    let changes = without_loops(&shorter[shorter.len() - 1]);
    let shortest = [&shorter[shorter.len() - 1], &changes].into_iter().find(|text| height(text) < MOST_LINES);
    let told = match shorter.iter().find(|text| height(text) < LINES).or(shortest) {
        Some(text) => text.clone(),
        // What changes a state fills the screen.
        None => summary(model),
    };
    format!("{told}(`adit show --all` lists every call)\n")
}

/// The list without the calls that lead to no other state.
fn without_loops(list: &str) -> String {
    let is_loop =
        |line: &&str| line.starts_with("    stays: ") || line.starts_with("    not explored after: ");
    list.lines().filter(|line| !is_loop(line)).map(|line| format!("{line}\n")).collect()
}

/// Returns true if a model has too many states for a list.
pub(crate) fn is_long(model: &Fsa<String>) -> bool {
    model.explored_states().count() > MAX_LISTED
}

/// Returns the sentence about a class in which the order of calls never matters, if the model says so.
/// `tests` is the number of tests in which they were tried, if known.
///
/// `never_worked` are methods that were called and never returned. The model does not have them, and the
/// sentence must not be taken to be about them.
pub(crate) fn no_protocol(
    model: &Fsa<String>,
    tests: Option<u64>,
    never_worked: &[String],
) -> Option<String> {
    const TOLD: usize = 5;
    let methods: BTreeSet<&str> = model.alphabet().iter().map(|label| Label::parse(label).method()).collect();
    let methods = counted(methods.len(), "method");
    let tried = match (tests, never_worked) {
        (Some(tests), []) => format!("{methods} were called in {}", counted(tests, "test")),
        (Some(tests), _) => format!("{methods} returned in {}", counted(tests, "test")),
        (None, _) => format!("the model has {methods}"),
    };
    let except = match never_worked {
        [] => String::new(),
        _ => format!("; not known for calls that never succeeded: {}", some_of(never_worked, TOLD)),
    };
    if protocol::is_free(model) {
        let every = if never_worked.is_empty() { "every call" } else { "every call that ever succeeded" };
        return Some(format!(
            "no protocol: {every} is possible at any time ({tried}; no state refuses one, no answer changed)\
             {except}\n"
        ));
    }
    protocol::is_immutable(model).then(|| {
        let kinds = counted(protocol::kinds_of_objects(model), "kind");
        format!(
            "no protocol: no call changes what others may do ({tried}; {kinds} of objects, which never change)\
             {except}\n"
        )
    })
}

/// Returns a summary of a large model: its start, and what it refuses. If it refuses nothing, its most common
/// transitions, its busiest states and its dead ends.
pub(crate) fn summary(model: &Fsa<String>) -> String {
    const FEW: usize = 5;
    let mut text = format!("{}\n", size_of(model));
    let few = |names: Vec<String>| {
        let more = names.len().saturating_sub(FEW);
        let shown = names.into_iter().take(FEW).collect::<Vec<_>>().join("; ");
        if more > 0 { format!("{shown}; and {more} more") } else { shown }
    };
    let names = StateNames::of(model);
    let name = |state: &usize| names.name(*state);
    for &start in model.initial() {
        let labels: BTreeSet<&str> = model.edges(start).map(|edge| edge.label.as_str()).collect();
        let calls = few(labels.into_iter().map(legible).collect());
        let _ = writeln!(text, "start {}: {calls}", name(&start));
    }
    let refusals = protocol::refusals(model);
    if !refusals.is_empty() {
        refusals.iter().for_each(|sentence| _ = writeln!(text, "{sentence}"));
        return text;
    }
    let mut leading: BTreeMap<(&str, usize), BTreeSet<usize>> = BTreeMap::new();
    let (mut degree, mut goes_on) = (vec![0usize; model.len()], vec![false; model.len()]);
    for edge in model.all_edges().filter(|edge| edge.from != edge.to && model.is_explored(edge)) {
        leading.entry((edge.label, edge.to)).or_default().insert(edge.from);
        degree[edge.from] += 1;
        degree[edge.to] += 1;
        goes_on[edge.from] = true;
    }
    let mut leading: Vec<((&str, usize), usize)> =
        leading.into_iter().map(|(key, from)| (key, from.len())).filter(|(_, from)| *from > 1).collect();
    leading.sort_by_key(|&(key, from)| (std::cmp::Reverse(from), key));
    for ((label, to), from) in leading.into_iter().take(FEW) {
        let _ = writeln!(text, "{} leads to {} from {from} states", legible(label), name(&to));
    }
    let mut busiest: Vec<usize> = model.explored_states().collect();
    busiest.sort_by_key(|&state| (std::cmp::Reverse(degree[state]), state));
    let busy = busiest
        .iter()
        .take(FEW)
        .map(|state| format!("{} ({})", name(state), counted(degree[*state], "arrow")));
    let _ = writeln!(text, "busiest states: {}", busy.collect::<Vec<_>>().join("; "));
    let ends: Vec<String> =
        model.explored_states().filter(|&state| !goes_on[state]).map(|state| name(&state)).collect();
    if !ends.is_empty() {
        let _ = writeln!(text, "dead ends: {}", few(ends));
    }
    text
}

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

/// Returns the model as a list of states with their transitions, in the labels that other commands take. A
/// question mark follows each label whose target is not known for certain.
pub(crate) fn list(model: &Fsa<String>, blocked: &[BlockedCalls]) -> String {
    listed(model, blocked, usize::MAX)
}

/// The list with at most so many calls of each kind.
fn listed(model: &Fsa<String>, blocked: &[BlockedCalls], most: usize) -> String {
    let some = |labels: &[String]| legible(&some_of(labels, most));
    let mut text = String::new();
    let (names, not_explored) = (StateNames::of(model), model.not_explored());
    for state in model.explored_states() {
        let start = if model.initial().contains(&state) { "start " } else { "" };
        text += &format!("{start}{}\n", names.name(state));
        let mut to: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for edge in model.edges(state) {
            to.entry(edge.to).or_default().push(doubted(&edge));
        }
        let unexplored = not_explored.and_then(|place| to.remove(&place));
        for (to, labels) in to {
            let arrow = if to == state { "stays".to_owned() } else { format!("-> {}", names.name(to)) };
            text += &format!("    {arrow}: {}\n", some(&labels));
        }
        if let Some(labels) = unexplored {
            text += &format!("    not explored after: {}\n", some(&labels));
        }
        for (with, refused) in refusals(model.refusals(state)) {
            text += &format!("    refuses{with}: {}\n", some(&refused));
        }
        for BlockedCalls { methods, .. } in blocked.iter().filter(|one| one.state == state) {
            let methods: Vec<String> = methods.iter().cloned().collect();
            text += &format!("    blocks: {}\n", some(&methods));
        }
    }
    text
}

/// The calls that a state refuses. Those with the same exception share a line that names it once; the others
/// are labels, as other commands take them.
fn refusals(labels: &[String]) -> Vec<(String, Vec<String>)> {
    let mut thrown: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for label in labels.iter().map(|label| Label::parse(label)) {
        thrown.entry(label.threw().unwrap_or_default()).or_default().push(label.method().to_owned());
    }
    thrown.retain(|exception, methods| methods.len() > 1 && !exception.is_empty());
    let is_single = |label: &&String| !thrown.contains_key(Label::parse(label).threw().unwrap_or_default());
    let single: Vec<String> = labels.iter().filter(is_single).cloned().collect();
    let shared = thrown.iter().map(|(exception, methods)| (format!(" with {exception}"), methods.clone()));
    let single = (!single.is_empty()).then(|| (String::new(), single));
    shared.chain(single).collect()
}

fn doubted(edge: &Edge<'_, String>) -> String {
    let doubt = if edge.modality == Modality::Maybe { "?" } else { "" };
    let guard = edge.guard.map(|guard| format!(" [{guard}]")).unwrap_or_default();
    format!("{}{doubt}{guard}", edge.label)
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
    use adit_automata::{Builder, NOT_EXPLORED};
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

    /// A connection: `commit` and `abort` were seen, and nobody looked further; where `reset` leads is a
    /// guess.
    fn connection() -> Fsa<String> {
        let mut builder = Builder::new();
        for _ in 0..4 {
            builder.state(true);
        }
        builder.initial(0);
        builder.name(3, NOT_EXPLORED.to_owned());
        for (from, label, to) in [(0, "connect", 1), (1, "isClosed:FALSE", 1), (1, "close", 2)] {
            builder.edge(from, label.to_owned(), to);
        }
        for (from, label, to) in [(1, "commit", 3), (1, "abort", 3), (2, "reset", 1)] {
            builder.modal_edge(from, label.to_owned(), to, Modality::Maybe);
        }
        builder.refusals(2, vec!["commit!SQLException".to_owned()]);
        builder.build()
    }

    #[test]
    fn what_was_not_explored_is_no_state() {
        expect![[r#"
            start 0
                -> 1: connect
            1
                stays: isClosed:FALSE
                -> 2: close
                not explored after: abort?, commit?
            2
                -> 1: reset?
                refuses: commit!SQLException
        "#]]
        .assert_eq(&list(&connection(), &[]));
        let blocked = BlockedCalls { state: 1, methods: ["read", "take"].map(str::to_owned).into() };
        let told = list(&connection(), &[blocked]);
        assert_eq!(told.matches("    blocks: read, take\n").count(), 1, "{told}");
        let all = Choice { pure: true, failures: false };
        let drawn = boxes(&connection(), &BTreeSet::new(), all).unwrap();
        assert!(drawn.contains("│   not explored after abort?, commit?"), "{drawn}");
        assert!(drawn.contains("├─ reset? ─"), "{drawn}");
        assert_eq!(drawn.matches('┌').count(), 3, "the place has no box:\n{drawn}");
        assert_eq!(size_of(&connection()), "3 states, 6 transitions, 2 of them not explored");
        assert!(!is_long(&connection()));
    }

    #[test]
    fn a_large_model_tells_what_it_refuses() {
        let mut builder = Builder::new();
        for _ in 0..20 {
            builder.state(true);
        }
        builder.initial(0);
        builder.edge(0, "new".to_owned(), 1);
        for state in 1..19 {
            builder.edge(state, "next".to_owned(), (state + 1).min(18));
            builder.edge(state, "close".to_owned(), 19);
        }
        builder.refusals(19, vec!["next!IllegalStateException".to_owned()]);
        expect![[r#"
            20 states, 37 transitions
            start 0: new
            `next` is refused after `close`
        "#]]
        .assert_eq(&told(&builder.build(), &[]));
    }

    #[test]
    fn a_class_without_protocol_is_told_first() {
        let mut builder = Builder::new();
        builder.state(true);
        builder.state(true);
        builder.initial(0);
        builder.edge(0, "of".to_owned(), 1);
        builder.edge(1, "plus".to_owned(), 1);
        let model = builder.build();
        expect!["no protocol: every call is possible at any time (2 methods were called in 900 tests; no state refuses one, no answer changed)\n"]
            .assert_eq(&no_protocol(&model, Some(900), &[]).unwrap());
        // It is not about calls that never worked, and says so.
        expect!["no protocol: every call that ever succeeded is possible at any time (2 methods returned in 900 tests; no state refuses one, no answer changed); not known for calls that never succeeded: decode\n"]
            .assert_eq(&no_protocol(&model, Some(900), &["decode".to_owned()]).unwrap());
        assert_eq!(no_protocol(&connection(), None, &[]), None);
    }

    #[test]
    fn refusals_with_the_same_exception_share_a_line() {
        let labels = ["add!IllegalStateException", "get(int)!IOException", "pay!IllegalStateException"];
        let told = refusals(&labels.map(str::to_owned));
        let lines: Vec<String> =
            told.iter().map(|(with, calls)| format!("refuses{with}: {}", calls.join(", "))).collect();
        assert_eq!(lines, ["refuses with IllegalStateException: add, pay", "refuses: get(int)!IOException"]);
        assert!(refusals(&[]).is_empty());
    }

    #[test]
    fn a_class_of_many_methods_fits_on_a_screen() {
        let mut builder = Builder::new();
        for _ in 0..6 {
            builder.state(true);
        }
        builder.initial(0);
        builder.edge(0, "Connection".to_owned(), 1);
        for state in 1..6 {
            for method in 0..40 {
                builder.edge(state, format!("someLongMethodName{method}"), state);
            }
            builder.edge(state, "next".to_owned(), 1 + state % 5);
        }
        let model = builder.build();
        let text = told(&model, &[]);
        let height: usize = text.lines().map(|line| line.len().div_ceil(100).max(1)).sum();
        assert!(height <= 31, "{height} lines:\n{text}");
        assert!(
            text.contains("and 32 more") && text.ends_with("(`adit show --all` lists every call)\n"),
            "{text}"
        );
        assert!(list(&model, &[]).lines().count() < 40 && list(&model, &[]).contains("someLongMethodName39"));
        // Where that is not enough, the list has only what changes a state.
        let mut builder = Builder::new();
        (0..12).for_each(|_| _ = builder.state(true));
        builder.initial(0);
        for state in 0..12 {
            builder.edge(state, "stay".to_owned(), state);
            builder.edge(state, "next".to_owned(), 1 + state % 11);
            builder.refusals(state, vec!["back!IllegalStateException".to_owned()]);
        }
        let text = told(&builder.build(), &[]);
        assert!(!text.contains("stays:") && text.matches("    -> ").count() == 12, "{text}");
        // Where the states alone fill the screen, there is a summary.
        let mut builder = Builder::new();
        (0..14).for_each(|_| _ = builder.state(true));
        builder.initial(0);
        for (from, to) in (0..14).flat_map(|from| (1..5).map(move |more| (from, 1 + (from + more) % 13))) {
            builder.edge(from, format!("call{}", to % 4), to);
        }
        let text = told(&builder.build(), &[]);
        assert!(text.lines().count() < 20 && text.starts_with("14 states, "), "{text}");
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
        .assert_eq(&list(&model, &[]));
        assert_eq!(fitting(&model, &[], &BTreeSet::new(), (20, 50)), list(&model, &[]));
        let mut builder = Builder::new();
        for _ in 0..20 {
            builder.state(true);
        }
        builder.initial(0);
        for state in 0..19 {
            builder.edge(state, "next".to_owned(), state + 1);
            builder.edge(state + 1, "abort".to_owned(), 0);
        }
        builder.edge(19, "is\u{202e}odd".to_owned(), 19);
        expect![[r#"
            20 states, 39 transitions
            start 0: next
            abort leads to 0 from 19 states
            busiest states: 0 (20 arrows); 1 (3 arrows); 2 (3 arrows); 3 (3 arrows); 4 (3 arrows)
        "#]]
        .assert_eq(&told(&builder.build(), &[]));
        assert!(fitting(&model, &[], &BTreeSet::new(), (80, 50)).contains("├─ open ✓"));
    }
}
