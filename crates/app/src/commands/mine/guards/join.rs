//! One guard for several situations: the same condition, or intervals whose bounds are fields.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::{Fsa, State};
use adit_learn::guards::GuardPart;

use super::Guarded;
use crate::results::run::{GuardStatus, GuardSummary};

/// Longest guard. A longer one is not read.
const LONGEST: usize = 120;

/// The condition of a transition in one situation.
pub(super) struct Found {
    /// None if the condition is not a conjunction of intervals.
    pub(super) parts: Option<Vec<GuardPart>>,
    pub(super) text: String,
    pub(super) fields: BTreeMap<String, i128>,
    /// The call has a receiver, whose state may show in the condition as a number.
    pub(super) has_state: bool,
}

/// All conditions of a transition.
#[derive(Default)]
pub(super) struct Conditions {
    pub(super) found: Vec<Found>,
    /// Situations in which all arguments take it.
    pub(super) always: usize,
    pub(super) sampled: bool,
    pub(super) runs: usize,
}

/// Puts guards at the transitions of the model: one for all situations of a method where bounds are fields,
/// else one for each state.
///
/// A transition whose label stands for several constructors or overloads says for which of them its condition
/// is.
pub(super) fn put(
    model: &Fsa<String>,
    guards: BTreeMap<Guarded, Conditions>,
) -> (Fsa<String>, Vec<GuardSummary>) {
    fn call(guarded: &Guarded) -> (&str, Option<&str>) {
        (&guarded.taken.0, guarded.overload.as_deref())
    }
    let mut of_call: BTreeMap<(&str, Option<&str>), Vec<&Found>> = BTreeMap::new();
    for (guarded, conditions) in &guards {
        of_call.entry(call(guarded)).or_default().extend(&conditions.found);
    }
    let general: BTreeMap<(&str, Option<&str>), Option<String>> = of_call
        .iter()
        .map(|(one, found)| {
            let mut states = guards.keys().filter(|other| call(other) == *one).map(|other| other.state);
            let mut known = BTreeSet::new();
            let several = states.any(|state| !known.insert(state));
            (*one, if several { None } else { joined(found) })
        })
        .collect();
    let mut told: Vec<GuardSummary> = Vec::new();
    for (guarded, conditions) in &guards {
        // Where all arguments are good in some situation, the state does not decide.
        if conditions.found.is_empty() || conditions.always > 0 {
            continue;
        }
        let own: Vec<&Found> = conditions.found.iter().collect();
        let general = general.get(&call(guarded)).cloned().flatten();
        let Some(mut guard) = general.or_else(|| joined(&own)) else { continue };
        if guard.len() > LONGEST {
            continue;
        }
        if let Some(overload) = &guarded.overload {
            guard = format!("{overload}: {guard}");
        }
        let status = if conditions.sampled { GuardStatus::Sampled } else { GuardStatus::Proved };
        let Guarded { state: from, taken: (label, targets), .. } = guarded;
        told.extend(targets.iter().map(|to| GuardSummary {
            from: *from,
            event: label.clone(),
            to: *to,
            guard: guard.clone(),
            status,
            situations: conditions.found.len(),
            runs: conditions.runs,
        }));
    }
    let mut at_edges: BTreeMap<(State, &String, State), Vec<String>> = BTreeMap::new();
    for one in &told {
        let texts = at_edges.entry((one.from, &one.event, one.to)).or_default();
        texts.push(one.status.marked(&one.guard));
    }
    let mut builder = model.to_builder();
    for ((from, label, to), texts) in at_edges {
        builder.guard(from, label.clone(), to, texts.join("; "));
    }
    (builder.build(), told)
}

/// One condition for several situations: the same text, or intervals whose bounds are always those of the
/// same fields.
fn joined(found: &[&Found]) -> Option<String> {
    let first = found.first()?;
    if found.iter().all(|other| other.text == first.text) {
        return (!is_about_state(found)).then(|| first.text.clone());
    }
    let all: Vec<&Vec<GuardPart>> = found.iter().map(|one| one.parts.as_ref()).collect::<Option<_>>()?;
    let mut texts = Vec::new();
    for at in 0..all[0].len() {
        let same: Vec<&GuardPart> = all.iter().map(|parts| parts.get(at)).collect::<Option<_>>()?;
        if all.iter().any(|parts| parts.len() != all[0].len()) {
            return None;
        }
        texts.push(joined_part(&same, found)?);
    }
    Some(texts.join(" && "))
}

fn joined_part(same: &[&GuardPart], found: &[&Found]) -> Option<String> {
    let GuardPart::Range { term, whole, .. } = same[0] else {
        let GuardPart::Other(text) = same[0] else { return None };
        return same.iter().all(|other| *other == same[0]).then(|| text.clone());
    };
    let mut ranges = Vec::new();
    for part in same {
        match part {
            GuardPart::Range { term: other, range, .. } if other == term => ranges.push(*range),
            _ => return None,
        }
    }
    let lower: Vec<i128> = ranges.iter().map(|range| range.0).collect();
    let upper: Vec<i128> = ranges.iter().map(|range| range.1).collect();
    let least = lower
        .iter()
        .any(|&bound| bound != whole.0)
        .then(|| bound(&lower, found))
        .map_or(Some(None), |bound| bound.map(Some))?;
    let most = upper
        .iter()
        .any(|&bound| bound != whole.1)
        .then(|| bound(&upper, found))
        .map_or(Some(None), |bound| bound.map(Some))?;
    let above = least.map(|bound| format!("{} <= {term}", bound.plus(0)));
    // `index < size` reads better than `index <= size - 1`.
    let below = most.map(|bound| match &bound {
        Bound { field: Some(_), offset: -1 } => format!("{term} < {}", bound.plus(1)),
        _ => format!("{term} <= {}", bound.plus(0)),
    });
    match (above, below) {
        (Some(above), Some(below)) => Some(format!("{above} && {below}")),
        (Some(_), None) => lower_only(term, &bound(&lower, found)?),
        (None, below) => below,
    }
}

fn lower_only(term: &str, bound: &Bound) -> Option<String> {
    Some(match bound {
        Bound { field: Some(_), offset: 1 } => format!("{term} > {}", bound.plus(-1)),
        _ => format!("{term} >= {}", bound.plus(0)),
    })
}

/// True if a number of the condition may be one of the object's state, not of the code: objects of the same
/// state of the model may then have another one. Zero, and one as a lower bound, are taken for constants.
fn is_about_state(found: &[&Found]) -> bool {
    let first = found[0];
    let mut constants: Vec<i128> = Vec::new();
    let mut of_text = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        constants.extend(words.filter_map(|word| word.parse::<i128>().ok()).filter(|&number| number != 0));
    };
    match &first.parts {
        None => of_text(&first.text),
        Some(parts) => {
            for part in parts {
                match part {
                    GuardPart::Other(text) => of_text(text),
                    GuardPart::Range { term, .. } => of_text(term),
                }
            }
            for part in parts {
                if let GuardPart::Range { range, whole, .. } = part {
                    constants
                        .extend(Some(range.0).filter(|&least| least != whole.0 && !(0..2).contains(&least)));
                    constants.extend(Some(range.1).filter(|&most| most != whole.1));
                }
            }
        }
    }
    if !first.has_state || constants.is_empty() {
        return false;
    }
    let same_state = found.iter().all(|other| other.fields == first.fields);
    same_state || constants.iter().any(|&constant| is_some_field(constant, found))
}

/// True if a field has this value, or one beside it, in all situations.
fn is_some_field(constant: i128, found: &[&Found]) -> bool {
    let near = |value: Option<&i128>| value.is_some_and(|value| (value - constant).abs() <= 1);
    found[0].fields.keys().any(|field| found.iter().all(|one| near(one.fields.get(field))))
}

/// A bound: a number, or a field and an offset.
struct Bound {
    field: Option<String>,
    offset: i128,
}

impl Bound {
    fn plus(&self, more: i128) -> String {
        let offset = self.offset + more;
        match (&self.field, offset) {
            (None, offset) => offset.to_string(),
            (Some(field), 0) => field.clone(),
            (Some(field), 1..) => format!("{field} + {offset}"),
            (Some(field), _) => format!("{field} - {}", -offset),
        }
    }
}

/// The bound that is right in all situations: a constant, or the value of a field that differs among them.
fn bound(bounds: &[i128], found: &[&Found]) -> Option<Bound> {
    if bounds.iter().all(|bound| *bound == bounds[0]) {
        if !(0..2).contains(&bounds[0]) && is_some_field(bounds[0], found) {
            return None;
        }
        return Some(Bound { field: None, offset: bounds[0] });
    }
    let mut fitting = Vec::new();
    for offset in [-1, 0, 1] {
        for field in found[0].fields.keys() {
            let fits = |(bound, one): (&i128, &&Found)| {
                one.fields.get(field).is_some_and(|value| value + offset == *bound)
            };
            if bounds.iter().zip(found).all(fits) {
                fitting.push(Bound { field: Some(field.clone()), offset });
            }
        }
    }
    // If several fields fit, the tests do not tell which one decides.
    if fitting.len() == 1 { fitting.pop() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(range: (i128, i128), fields: &[(&str, i128)]) -> Found {
        let part = GuardPart::Range { term: "index".to_owned(), range, whole: (-8, 7) };
        Found {
            text: format!("{range:?}"),
            parts: Some(vec![part]),
            fields: fields.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
            has_state: true,
        }
    }

    fn check(found: &[Found], expected: Option<&str>) {
        let all: Vec<&Found> = found.iter().collect();
        assert_eq!(joined(&all).as_deref(), expected);
    }

    #[test]
    fn bounds_become_fields() {
        let at = |size| found((0, size - 1), &[("size", size), ("capacity", 6)]);
        check(&[at(1), at(2), at(5)], Some("0 <= index && index < size"));
        let at = |size| found((0, size), &[("size", size)]);
        check(&[at(1), at(3)], Some("0 <= index && index <= size"));
        let at = |mark| found((mark + 1, 7), &[("mark", mark)]);
        check(&[at(1), at(3)], Some("index > mark"));
        let at = |mark| found((-8, mark), &[("mark", mark)]);
        check(&[at(1), at(3)], Some("index <= mark"));
    }

    #[test]
    fn a_condition_of_one_constructor_is_not_that_of_all() {
        let mut builder = adit_automata::Builder::new();
        (0..2).for_each(|_| _ = builder.state(true));
        builder.initial(0);
        builder.edge(0, "Set".to_owned(), 1);
        builder.edge(1, "add".to_owned(), 1);
        let guard = |state: usize, label: &str, overload: Option<&str>, text: &str| {
            let taken = (label.to_owned(), BTreeSet::from([1]));
            let guarded = Guarded { state, taken, overload: overload.map(str::to_owned) };
            let text = text.to_owned();
            let found = Found { parts: None, text, fields: BTreeMap::new(), has_state: false };
            (guarded, Conditions { found: vec![found], ..Conditions::default() })
        };
        let guards = BTreeMap::from([
            guard(0, "Set", Some("Set(Collection)"), "c != null"),
            guard(0, "Set", Some("Set(int)"), "size >= 0"),
            guard(1, "add", None, "e != null"),
        ]);
        let (model, told) = put(&builder.build(), guards);
        let guards: Vec<_> = model.all_edges().map(|edge| edge.guard.unwrap_or_default()).collect();
        assert_eq!(guards, ["Set(Collection): c != null; Set(int): size >= 0", "e != null"]);
        assert_eq!(told.len(), 3);
    }

    #[test]
    fn what_the_tests_do_not_tell_is_no_guard() {
        // Two fields fit as well as each other.
        let at = |size| found((0, size - 1), &[("size", size), ("copy", size)]);
        check(&[at(1), at(2)], None);
        // No field does.
        check(&[found((0, 1), &[("size", 5)]), found((0, 2), &[("size", 5)])], None);
        // One object does not tell its own numbers from those of the code.
        check(&[found((0, 3), &[("size", 4)])], None);
        let at = |changes| found((0, 1), &[("changes", changes), ("size", 2)]);
        check(&[at(5), at(7)], None);
        let at = |level| found((0, 5), &[("level", level)]);
        check(&[at(1), at(3)], Some("(0, 5)"));
    }
}
