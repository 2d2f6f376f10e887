//! A model in the terminal: drawn if it fits, else as a list of states or, if that is too long, as a summary.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::boxes::boxes;
use super::protocol;
use crate::output::{counted, size_of, some_of};
use crate::results::run::{BlockedCalls, MethodExceptions};
use adit_automata::{Edge, Fsa, Modality};
use adit_picture::{Choice, StateNames, legible, terminal_columns as columns};
use adit_trace::Label;

/// Maximum number of states in a list; nobody reads a longer one.
const MAX_LISTED: usize = 15;

/// Returns the model for a terminal of this size: drawn if it fits there beside everything else, else as
/// text. `room` is the number of lines that everything else leaves of a usual screen.
pub(crate) fn fitting(
    model: &Fsa<String>,
    blocked: &[BlockedCalls],
    pure: &BTreeSet<String>,
    (width, height): (usize, usize),
    room: usize,
) -> String {
    // A small window scrolls, and a large one has more room.
    let lines = room + height.saturating_sub(SCREEN);
    let choice = Choice { pure: true, failures: false };
    let fits =
        |text: &String| text.lines().all(|line| columns(line) <= width) && text.lines().count() <= lines;
    // A box has no place for what blocks.
    let drawn = boxes(model, pure, choice).filter(|_| blocked.is_empty());
    drawn.filter(fits).unwrap_or_else(|| told(model, blocked, room))
}

/// Lines of a screen, and of those that are left for a model however much else there is to say.
const SCREEN: usize = 40;
const LEAST_ROOM: usize = 12;

/// The number of lines that a text takes on a screen of usual width.
fn height(text: &str) -> usize {
    const COLUMNS: usize = 100;
    text.lines().map(|line| columns(line).div_ceil(COLUMNS).max(1)).sum()
}

/// Lines that are left for a model on a screen that also has these texts.
pub(crate) fn room_beside<'a>(texts: impl IntoIterator<Item = &'a str>) -> usize {
    let taken: usize = texts.into_iter().map(height).sum();
    SCREEN.saturating_sub(taken).max(LEAST_ROOM)
}

/// Returns the model as a list or, if that is too long for so many lines, a summary.
pub(crate) fn told(model: &Fsa<String>, blocked: &[BlockedCalls], room: usize) -> String {
    if is_long(model) { summary(model) } else { on_a_screen(model, blocked, room) }
}

/// Returns the list of calls, cut short where it would not fit on a screen.
fn on_a_screen(model: &Fsa<String>, blocked: &[BlockedCalls], room: usize) -> String {
    let lines = room.min(30);
    // A list says more than a summary, and is worth a few lines more.
    let most_lines = (room + 4).min(37);
    let all = list(model, blocked);
    if height(&all) <= lines {
        return all;
    }
    let shorter = [8, 5, 3].map(|most| listed(model, blocked, most));
    let changes = without_loops(&shorter[shorter.len() - 1]);
    let shortest = [&shorter[shorter.len() - 1], &changes].into_iter().find(|text| height(text) < most_lines);
    let told = match shorter.iter().find(|text| height(text) < lines).or(shortest) {
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
/// sentence must not be taken to be about them. `thrown` are methods that threw for some objects: the model
/// does not tell these from others, and so says nothing about when they may be called.
pub(crate) fn no_protocol(
    model: &Fsa<String>,
    tests: Option<u64>,
    never_worked: &[String],
    thrown: &[MethodExceptions],
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
    let is_free = protocol::is_free(model);
    if !thrown.is_empty() && (is_free || protocol::is_immutable(model)) {
        let one = |one: &MethodExceptions| {
            let exceptions: Vec<&str> = one.exceptions.iter().map(String::as_str).collect();
            format!("{} ({})", one.method, exceptions.join(", "))
        };
        let thrown: Vec<String> = thrown.iter().map(one).collect();
        return Some(format!(
            "no protocol found ({tried}), but some objects threw where others did not: {}{except}\n",
            some_of(&thrown, TOLD)
        ));
    }
    if is_free {
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

/// The name of a state in a sentence about many: as many of its parts as are read at a glance.
pub(crate) fn brief(name: &str) -> String {
    const LONGEST: usize = 45;
    let Some((number, parts)) = name.strip_suffix(')').and_then(|name| name.split_once(" (")) else {
        return name.to_owned();
    };
    let mut kept = String::new();
    for part in parts.split(", ") {
        if !kept.is_empty() && columns(&kept) + columns(part) > LONGEST {
            return format!("{number} ({kept}, …)");
        }
        kept += if kept.is_empty() { "" } else { ", " };
        kept += part;
    }
    name.to_owned()
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
    let name = |state: &usize| brief(&names.name(*state));
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

#[cfg(test)]
mod tests {
    use adit_automata::{Builder, NOT_EXPLORED};
    use expect_test::expect;

    use super::*;

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
        .assert_eq(&told(&builder.build(), &[], SCREEN));
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
            .assert_eq(&no_protocol(&model, Some(900), &[], &[]).unwrap());
        // It is not about calls that never worked, and says so.
        expect!["no protocol: every call that ever succeeded is possible at any time (2 methods returned in 900 tests; no state refuses one, no answer changed); not known for calls that never succeeded: decode\n"]
            .assert_eq(&no_protocol(&model, Some(900), &["decode".to_owned()], &[]).unwrap());
        // Nor does it hide that some objects threw.
        let exceptions = BTreeSet::from(["NoSuchElementException".to_owned()]);
        let thrown = MethodExceptions { method: "plus".to_owned(), exceptions };
        expect!["no protocol found (2 methods were called in 900 tests), but some objects threw where others did not: plus (NoSuchElementException)\n"]
            .assert_eq(&no_protocol(&model, Some(900), &[], &[thrown]).unwrap());
        assert_eq!(no_protocol(&connection(), None, &[], &[]), None);
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
        let text = told(&model, &[], SCREEN);
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
        let text = told(&builder.build(), &[], SCREEN);
        assert!(!text.contains("stays:") && text.matches("    -> ").count() == 12, "{text}");
        // Where the states alone fill the screen, there is a summary.
        let mut builder = Builder::new();
        (0..14).for_each(|_| _ = builder.state(true));
        builder.initial(0);
        for (from, to) in (0..14).flat_map(|from| (1..5).map(move |more| (from, 1 + (from + more) % 13))) {
            builder.edge(from, format!("call{}", to % 4), to);
        }
        let text = told(&builder.build(), &[], SCREEN);
        assert!(text.lines().count() < 20 && text.starts_with("14 states, "), "{text}");
    }

    #[test]
    fn a_list_leaves_room_for_what_else_is_said() {
        assert_eq!(room_beside([]), SCREEN);
        assert_eq!(room_beside(["a\nb", &"c".repeat(101)]), SCREEN - 4);
        assert_eq!(room_beside(["a\n".repeat(90).as_str()]), LEAST_ROOM);
        let mut builder = Builder::new();
        (0..4).for_each(|_| _ = builder.state(true));
        builder.initial(0);
        for (state, method) in (0..4).flat_map(|state| (0..30).map(move |method| (state, method))) {
            builder.edge(state, format!("someLongMethodName{method}"), (state + method % 2) % 4);
        }
        let model = builder.build();
        let [wide, narrow] = [SCREEN, 14].map(|room| height(&told(&model, &[], room)));
        assert!(wide > 20 && narrow <= 14 + 5, "{wide} {narrow}");
    }

    #[test]
    fn a_long_name_is_cut_between_its_parts() {
        assert_eq!(brief("3"), "3");
        assert_eq!(brief("3 (isOpen, can read(int,int))"), "3 (isOpen, can read(int,int))");
        assert_eq!(
            brief("12 (isLenient, has timeZone, firstDayOfWeek 1, can toZonedDateTime, without before:TRUE)"),
            "12 (isLenient, has timeZone, firstDayOfWeek 1, …)"
        );
    }

    #[test]
    fn a_large_model_is_a_list() {
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
        assert_eq!(fitting(&model, &[], &BTreeSet::new(), (20, 50), SCREEN), list(&model, &[]));
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
        .assert_eq(&told(&builder.build(), &[], SCREEN));
        // Where other text takes the screen, a drawing would scroll away.
        assert!(!fitting(&model, &[], &BTreeSet::new(), (80, 40), 2).contains("├─ open ✓"));
        assert!(fitting(&model, &[], &BTreeSet::new(), (80, 50), SCREEN).contains("├─ open ✓"));
    }
}
