//! Reads off the claims that all samples of a slice bear out.

use adit_logic::contract::{Clause, Constant, Moment, Relation, Type, Variable, VariablePlace};

use super::justify::{self, End};
use super::slice::Slice;
use super::stats::{Together, Values};
use super::{Invariant, Scope};

/// The most values in a claim that lists them. Daikon lists three too.
const MOST_LISTED: usize = 3;

/// The claims that hold in every sample with the values that they are about, justified or not, and whether
/// or not they follow from others.
pub(super) fn claims(slice: &Slice, scope: &Scope) -> Vec<Invariant> {
    let mut claims = Vec::new();
    for (place, variable) in slice.variables.iter().enumerate() {
        of_one(variable, &slice.values[place], scope, &mut claims);
    }
    for one in 0..slice.variables.len() {
        for another in 0..one {
            let (first, second) = (&slice.variables[one], &slice.variables[another]);
            let (one, another) = if reads_first(first, second) { (one, another) } else { (another, one) };
            let Some(together) = slice.pair(one, another) else { continue };
            of_two(slice, one, another, &together, scope, &mut claims);
        }
    }
    claims.sort_by(|one, another| one.clause.cmp(&another.clause));
    claims
}

/// Tells whether a claim at the end of a call is only about its beginning, and so part of its precondition.
pub(super) fn is_early(clause: &Clause) -> bool {
    clause.variables().iter().all(|variable| {
        variable.moment == Moment::Before || matches!(variable.place, VariablePlace::Parameter(_))
    })
}

/// Tells whether a comparison reads better with `one` on the left: sizes stand on the right, and so does
/// what was before.
fn reads_first(one: &Variable, another: &Variable) -> bool {
    let key = |variable: &Variable| {
        let result = variable.place == VariablePlace::Return;
        (variable.is_size(), variable.moment == Moment::Before, !result)
    };
    (key(one), one) < (key(another), another)
}

fn of_one(variable: &Variable, values: &Values, scope: &Scope, claims: &mut Vec<Invariant>) {
    let samples = values.samples;
    if samples == 0 {
        return;
    }
    let mut claim = |clause, confidence| claims.push(Invariant { clause, support: samples, confidence });
    let kind = values.kind();
    if matches!(kind, Type::Text | Type::Reference) && scope.types.null {
        match values.nulls {
            0 => claim(Clause::NonNull(variable.clone()), justify::nonnull(samples)),
            nulls if nulls == samples => {
                claim(Clause::is(variable.clone(), Constant::Null), justify::exact(samples));
            }
            _ => {}
        }
    }
    let listed = !values.many
        && values.each.len() <= MOST_LISTED
        && values.nulls < samples
        && !values.each.keys().any(|value| matches!(value, Constant::Object(_)));
    // Both booleans are no news.
    let news = kind != Type::Bool || values.each.len() == 1;
    if listed && news && scope.types.has(kind) {
        let constants = values.each.keys().cloned().collect();
        claim(Clause::OneOf(variable.clone(), constants), justify::exact(samples));
    }
    let (Some(&(lowest, _)), Some(&(highest, _))) = (values.lowest.first(), values.highest.first()) else {
        return;
    };
    if kind == Type::Int && scope.types.int {
        let range = (i128::from(highest) - i128::from(lowest)) as f64 + 1.0;
        let lower = justify::bound(&values.lowest, End::Lower, samples, range);
        let upper = justify::bound(&values.highest, End::Upper, samples, range);
        claim(Clause::bound(variable.clone(), Relation::AtLeast, lowest), lower);
        claim(Clause::bound(variable.clone(), Relation::AtMost, highest), upper);
        if values.zeros == 0 && lowest < 0 && highest > 0 {
            let confidence = justify::nonzero(samples, range);
            claim(Clause::bound(variable.clone(), Relation::NotEqual, 0), confidence);
        }
    }
}

fn of_two(
    slice: &Slice,
    one: usize,
    another: usize,
    together: &Together,
    scope: &Scope,
    claims: &mut Vec<Invariant>,
) {
    let (left, right) = (&slice.variables[one], &slice.variables[another]);
    if together.ints > 0 && together.others == 0 && together.unlike == 0 && scope.types.int {
        let Together { lowest, highest, zeros, ints: support, .. } = *together;
        let mut claim = |relation, offset, confidence| {
            let clause = Clause::compare(left.clone(), relation, right.clone(), offset);
            claims.push(Invariant { clause, support, confidence });
        };
        let confidence = justify::order(support);
        // A difference that was cut says nothing.
        if lowest <= -i64::MAX || highest == i64::MAX || lowest > highest {
            return;
        }
        let index = right.is_size() && !left.is_size();
        if lowest == highest {
            // The last index of what has a size is a variable of its own for Daikon.
            let equal = lowest == 0 || index && lowest == -1;
            let different = slice.values[one].different().max(slice.values[another].different());
            let confidence = if equal { justify::exact(support) } else { justify::difference(different) };
            claim(Relation::Equal, lowest, confidence);
        }
        if let Some(offset) = at_most(index, highest) {
            claim(Relation::AtMost, offset, confidence);
        }
        if let Some(offset) = at_least(index, lowest) {
            claim(Relation::AtLeast, offset, confidence);
        }
        if zeros == 0 && lowest < 0 && highest > 0 {
            claim(Relation::NotEqual, 0, confidence);
        }
    }
    let kinds = (slice.kind(one), slice.kind(another));
    // Two constants, such as null and null, are the same by what is said about each.
    let comparable = kinds.0 == kinds.1 && kinds.0 != Type::Mixed;
    let wanted = scope.types.has(kinds.0) || kinds.0 == Type::Reference && scope.types.null;
    if together.others > 0
        && together.same == together.others
        && together.ints == 0
        && together.unlike == 0
        && comparable
        && wanted
    {
        let clause = Clause::Same(left.clone(), right.clone());
        let confidence = justify::exact(together.others);
        claims.push(Invariant { clause, support: together.others, confidence });
    }
}

/// The offset of the strongest claim `left <= right + offset`, of those that Daikon makes: about a variable,
/// and about the last index of what has a size.
fn at_most(index: bool, highest: i64) -> Option<i64> {
    let strongest = if index { -2 } else { -1 };
    (highest <= 0).then(|| highest.max(strongest))
}

/// The offset of the strongest claim `left >= right + offset`.
fn at_least(index: bool, lowest: i64) -> Option<i64> {
    let weakest = if index { -1 } else { 0 };
    (lowest >= weakest).then(|| lowest.min(1))
}
