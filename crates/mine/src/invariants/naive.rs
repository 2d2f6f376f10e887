//! The naive twin: keeps every sample and asks of every claim whether it holds in each.

use std::collections::{BTreeMap, BTreeSet};

use adit_logic::contract::{Clause, Constant, Moment, Relation, Valuation, Variable, VariablePlace};
use adit_trace::{Event, Labels, observed_calls};

use super::ProgramPoint;

/// The claims at every moment, justified or not. All types count, and depth one.
pub(super) fn claims(traces: &[Vec<Event>], labels: Labels) -> BTreeMap<ProgramPoint, BTreeSet<Clause>> {
    let mut samples: BTreeMap<ProgramPoint, Vec<Valuation>> = BTreeMap::new();
    samples.entry(ProgramPoint::Object).or_default();
    for call in traces.iter().flat_map(|trace| observed_calls(trace)) {
        let label = labels.of(call.event);
        for state in [call.before, call.event.state.as_ref()].into_iter().flatten() {
            samples.entry(ProgramPoint::Object).or_default().push(Valuation::of_state(state));
        }
        let entry = Valuation::of_entry(call.before, call.event);
        samples.entry(ProgramPoint::Entry(label.clone())).or_default().push(entry);
        let exit = Valuation::of_exit(call.before, call.event);
        samples.entry(ProgramPoint::Exit(label)).or_default().push(exit);
    }
    samples
        .into_iter()
        .map(|(point, samples)| {
            let at_exit = matches!(point, ProgramPoint::Exit(_));
            (point, at(&samples, at_exit))
        })
        .collect()
}

fn at(samples: &[Valuation], at_exit: bool) -> BTreeSet<Clause> {
    let variables: BTreeSet<&Variable> =
        samples.iter().flat_map(|sample| sample.iter().map(|(variable, _)| variable)).collect();
    let early = |variable: &Variable| {
        at_exit
            && (variable.moment == Moment::Before || matches!(variable.place, VariablePlace::Parameter(_)))
    };
    let holds = |clause: &Clause| {
        let answers: Vec<bool> = samples.iter().filter_map(|sample| clause.holds(sample)).collect();
        !answers.is_empty() && answers.iter().all(|&answer| answer)
    };
    let mut found = BTreeSet::new();
    for &variable in &variables {
        let values: BTreeSet<&Constant> = samples.iter().filter_map(|sample| sample.get(variable)).collect();
        if !early(variable) {
            found.extend(candidates(variable, &values).into_iter().filter(|clause| holds(clause)));
        }
        for &other in variables.iter().filter(|&&other| other != variable) {
            let both: Vec<(&Constant, &Constant)> = samples
                .iter()
                .filter_map(|sample| Some((sample.get(variable)?, sample.get(other)?)))
                .collect();
            let others: BTreeSet<&Constant> = samples.iter().filter_map(|sample| sample.get(other)).collect();
            if early(variable) && early(other) || both.is_empty() {
                continue;
            }
            let clauses = pairs(variable, other, &both, (&values, &others));
            // The strongest of several offsets comes first.
            for family in clauses {
                found
                    .extend(family.into_iter().find(|clause| holds(clause)).map(|clause| canonical(&clause)));
            }
        }
    }
    found
}

fn is_int(value: &Constant) -> bool {
    matches!(value, Constant::Int(_))
}

fn is_reference(value: &Constant) -> bool {
    matches!(value, Constant::Null | Constant::Object(_) | Constant::Text(_))
}

/// The type of a set of values, with null among references.
fn kind(values: &BTreeSet<&Constant>) -> u8 {
    let all = |fits: fn(&Constant) -> bool| values.iter().all(|value| fits(value));
    let text = values.iter().any(|value| matches!(value, Constant::Text(_)));
    match () {
        () if all(is_int) => 0,
        () if all(|value| matches!(value, Constant::Bool(_))) => 1,
        () if all(|value| matches!(value, Constant::Float(_))) => 2,
        () if text && all(|value| matches!(value, Constant::Text(_) | Constant::Null)) => 3,
        () if all(|value| matches!(value, Constant::Object(_) | Constant::Null)) => 4,
        () => 5,
    }
}

fn candidates(variable: &Variable, values: &BTreeSet<&Constant>) -> Vec<Clause> {
    let mut clauses = Vec::new();
    let kind = kind(values);
    if values.iter().all(|value| is_reference(value)) && kind != 5 {
        clauses.push(Clause::NonNull(variable.clone()));
        clauses.push(Clause::is(variable.clone(), Constant::Null));
    }
    let objects = values.iter().any(|value| matches!(value, Constant::Object(_)));
    let only_null = values.iter().all(|value| **value == Constant::Null);
    let both = kind == 1 && values.len() == 2;
    if values.len() <= 3 && kind < 4 && !objects && !only_null && !both {
        clauses.push(Clause::OneOf(variable.clone(), values.iter().map(|&value| value.clone()).collect()));
    }
    if kind == 0 {
        let numbers = values.iter().filter_map(|value| match value {
            Constant::Int(number) => Some(*number),
            _ => None,
        });
        let (low, high) = (numbers.clone().min().unwrap(), numbers.max().unwrap());
        clauses.push(Clause::bound(variable.clone(), Relation::AtLeast, low));
        clauses.push(Clause::bound(variable.clone(), Relation::AtMost, high));
        if low < 0 && high > 0 {
            clauses.push(Clause::bound(variable.clone(), Relation::NotEqual, 0));
        }
    }
    clauses
}

/// Families of claims about two variables; in each the strongest first.
fn pairs(
    left: &Variable,
    right: &Variable,
    both: &[(&Constant, &Constant)],
    values: (&BTreeSet<&Constant>, &BTreeSet<&Constant>),
) -> Vec<Vec<Clause>> {
    let compare = |relation, offset| Clause::compare(left.clone(), relation, right.clone(), offset);
    let family =
        |relation, offsets: &[i64]| offsets.iter().map(|&offset| compare(relation, offset)).collect();
    if both.iter().all(|(one, another)| is_int(one) && is_int(another)) {
        if left.is_size() && !right.is_size() {
            return Vec::new();
        }
        let index = right.is_size() && !left.is_size();
        let difference = |(one, another): &(&Constant, &Constant)| match (one, another) {
            (Constant::Int(one), Constant::Int(another)) => one - another,
            _ => unreachable!("all are numbers"),
        };
        let mut families: Vec<Vec<Clause>> = vec![
            vec![compare(Relation::Equal, difference(&both[0]))],
            family(Relation::AtMost, if index { &[-2, -1, 0] } else { &[-1, 0] }),
            family(Relation::AtLeast, if index { &[1, 0, -1] } else { &[1, 0] }),
        ];
        let spread =
            both.iter().any(|pair| difference(pair) < 0) && both.iter().any(|pair| difference(pair) > 0);
        if spread {
            families.push(vec![compare(Relation::NotEqual, 0)]);
        }
        return families;
    }
    let comparable =
        both.iter().all(|(one, another)| !is_int(one) && !is_int(another) && one.same(another).is_some());
    let kinds = (kind(values.0), kind(values.1));
    if comparable && kinds.0 == kinds.1 && kinds.0 < 5 {
        return vec![vec![Clause::Same(left.clone(), right.clone())]];
    }
    Vec::new()
}

/// The same claim with its two variables in order.
pub(super) fn canonical(clause: &Clause) -> Clause {
    match clause {
        Clause::Compare { left, relation, right: Some(right), offset } if right < left => {
            Clause::compare(right.clone(), relation.flipped(), left.clone(), -offset)
        }
        Clause::Same(one, another) if another < one => Clause::Same(another.clone(), one.clone()),
        other => other.clone(),
    }
}
