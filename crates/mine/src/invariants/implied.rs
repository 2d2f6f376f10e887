//! Removes claims that follow from others at the same program point.
//!
//! A claim goes if it follows
//!
//! - from a stronger claim about the same variables: `x == 3` says more than `x >= 0`;
//! - from what is claimed about each of its two variables: `x <= 2` and `y >= 5` say that `x < y`;
//! - from an equality: of variables that are equal, one stands for all, and so of constants that are equal;
//! - from two comparisons of the same moment: `x <= y` and `y <= z` say that `x <= z`;
//! - from nature: a size is not negative.
//!
//! A claim that connects the beginning of a call with its end stays, as in [krka, Figure 1], even if it
//! follows from two others.

use std::collections::{BTreeMap, BTreeSet};

use adit_logic::contract::{Clause, Constant, Moment, Relation, Variable};

use super::Invariant;

/// Keeps the claims that do not follow from others.
pub(super) fn without_implied(claims: Vec<Invariant>) -> Vec<Invariant> {
    let claims = of_leaders(claims);
    let facts = Facts::of(&claims);
    let claims: Vec<Invariant> = claims.iter().filter(|claim| !facts.imply(&claim.clause)).cloned().collect();
    without_transitive(claims)
}

/// Keeps, of variables that are equal in all samples, the claims about one of them and the equalities that
/// connect the others with it.
fn of_leaders(claims: Vec<Invariant>) -> Vec<Invariant> {
    let mut leader: BTreeMap<Variable, Variable> = BTreeMap::new();
    let mut equalities: Vec<(&Variable, &Variable)> = claims
        .iter()
        .filter_map(|claim| match &claim.clause {
            Clause::Same(one, another) => Some((one, another)),
            Clause::Compare { left, relation: Relation::Equal, right: Some(right), offset: 0 } => {
                Some((left, right))
            }
            _ => None,
        })
        .map(|(one, another)| if leads(one, another) { (one, another) } else { (another, one) })
        .collect();
    let constants: Vec<(&Variable, &Constant)> = claims
        .iter()
        .filter_map(|claim| match &claim.clause {
            Clause::OneOf(variable, values) if values.len() == 1 => Some((variable, &values[0])),
            _ => None,
        })
        .collect();
    // The variable that leads most is first, so that chains end at it.
    equalities.sort_by(|one, another| order(one.0).cmp(&order(another.0)));
    let direct: BTreeSet<(&Variable, &Variable)> = equalities.iter().copied().collect();
    for (first, second) in equalities {
        let above = leader.get(first).filter(|above| direct.contains(&(*above, second)));
        let first = above.unwrap_or(first).clone();
        leader.entry(second.clone()).or_insert(first);
    }
    // Two equal constants need no equality to say so; only their comparisons with others are twice there.
    let mut twin: BTreeMap<&Variable, &Variable> = BTreeMap::new();
    for (variable, value) in &constants {
        let same = constants.iter().filter(|(_, other)| other == value).map(|(other, _)| *other);
        let first = same.min_by(|one, another| order(one).cmp(&order(another))).unwrap_or(variable);
        if first != *variable {
            twin.insert(variable, first);
        }
    }
    let leads_itself = |variable: &Variable| !leader.contains_key(variable);
    let connects = |one: &Variable, another: &Variable| {
        leader.get(one) == Some(another) || leader.get(another) == Some(one)
    };
    let keeps = |clause: &Clause| match clause {
        Clause::Same(one, another) => connects(one, another),
        Clause::Compare { left, relation: Relation::Equal, right: Some(right), offset: 0 } => {
            connects(left, right)
        }
        Clause::OneOf(variable, values) if values.len() == 1 => leads_itself(variable),
        Clause::Compare { left, right: Some(right), .. } => {
            let stands_alone = |variable: &Variable| leads_itself(variable) && !twin.contains_key(variable);
            // Constants against each other are left to what is known of each.
            stands_alone(left) && stands_alone(right)
        }
        other => other.variables().into_iter().all(leads_itself),
    };
    claims.iter().filter(|claim| keeps(&claim.clause)).cloned().collect()
}

/// Tells whether `one` stands for both.
fn leads(one: &Variable, another: &Variable) -> bool {
    order(one) < order(another)
}

/// Fields after the call are known to every reader, then what is a size, then the rest.
fn order(variable: &Variable) -> (bool, bool, &Variable) {
    (variable.moment == Moment::Before, !variable.is_field(), variable)
}

/// A smallest and a largest number, each only if there is one.
type Range = (Option<i64>, Option<i64>);

/// Everything that the claims say about each variable, and about two.
#[derive(Default)]
pub(super) struct Facts<'a> {
    /// The numbers that a variable may have.
    ranges: BTreeMap<&'a Variable, Range>,
    /// The values that a variable may have.
    lists: BTreeMap<&'a Variable, &'a [Constant]>,
    /// Variables that are never null.
    never_null: BTreeSet<&'a Variable>,
    /// The only difference of two variables.
    differences: BTreeMap<(&'a Variable, &'a Variable), i64>,
    /// The largest and the smallest difference of two variables.
    limits: BTreeMap<(&'a Variable, &'a Variable), Range>,
}

impl<'a> Facts<'a> {
    pub(super) fn of(claims: &'a [Invariant]) -> Self {
        let mut facts = Self::default();
        for claim in claims {
            match &claim.clause {
                Clause::OneOf(variable, values) => {
                    facts.lists.insert(variable, values);
                    let number = |value: Option<&Constant>| match value {
                        Some(Constant::Int(number)) => Some(*number),
                        _ => None,
                    };
                    if let (Some(low), Some(high)) = (number(values.first()), number(values.last())) {
                        facts.ranges.insert(variable, (Some(low), Some(high)));
                    }
                }
                Clause::Compare { left, relation, right: None, offset } => {
                    let range = facts.ranges.entry(left).or_default();
                    match relation {
                        Relation::AtLeast => range.0 = range.0.max(Some(*offset)),
                        Relation::AtMost => range.1 = Some(range.1.map_or(*offset, |high| high.min(*offset))),
                        Relation::Equal | Relation::NotEqual => {}
                    }
                }
                Clause::Compare { left, relation, right: Some(right), offset } => match relation {
                    Relation::Equal => {
                        facts.differences.insert((left, right), *offset);
                    }
                    Relation::AtMost => facts.limits.entry((left, right)).or_default().1 = Some(*offset),
                    Relation::AtLeast => facts.limits.entry((left, right)).or_default().0 = Some(*offset),
                    Relation::NotEqual => {}
                },
                Clause::NonNull(variable) => {
                    facts.never_null.insert(variable);
                }
                Clause::Same(..) | Clause::Implies(..) | Clause::Iff(..) => {}
            }
        }
        facts
    }

    /// Tells whether the claim follows from the others.
    fn imply(&self, clause: &Clause) -> bool {
        match clause {
            Clause::NonNull(variable) => {
                self.lists.get(variable).is_some_and(|values| !values.contains(&Constant::Null))
            }
            Clause::Compare { left, right: None, relation: Relation::AtLeast, offset }
                if left.is_size() && *offset <= 0 =>
            {
                true
            }
            // A list says more than the ends of a range.
            Clause::Compare { left, right: None, .. } => self.lists.contains_key(left),
            Clause::Compare { left, relation, right: Some(right), offset } => {
                self.by_ranges(left, *relation, right, *offset)
                    || self.by_stronger((left, right), *relation, *offset)
            }
            Clause::Same(one, another) => {
                let single = |variable| self.lists.get(variable).filter(|values| values.len() == 1);
                single(one).is_some() && single(another).is_some()
            }
            Clause::OneOf(..) | Clause::Implies(..) | Clause::Iff(..) => false,
        }
    }

    /// Tells whether the claims leave no room for this one.
    pub(super) fn exclude(&self, clause: &Clause) -> bool {
        match clause {
            Clause::OneOf(variable, values) => {
                let listed = self.lists.get(variable);
                let not_in_list = listed.is_some_and(|list| values.iter().all(|value| !list.contains(value)));
                let (low, high) = self.ranges.get(variable).copied().unwrap_or_default();
                let not_in_range = values.iter().all(|value| match value {
                    Constant::Int(number) => {
                        low.is_some_and(|low| *number < low) || high.is_some_and(|high| *number > high)
                    }
                    _ => false,
                });
                let never_null = *values == [Constant::Null] && self.never_null.contains(variable);
                not_in_list || not_in_range || never_null
            }
            Clause::NonNull(variable) => {
                self.lists.get(variable).is_some_and(|values| **values == [Constant::Null])
            }
            Clause::Compare { left, relation, right: None, offset } => {
                let (low, high) = self.ranges.get(left).copied().unwrap_or_default();
                match relation {
                    Relation::AtMost => low.is_some_and(|low| low > *offset),
                    Relation::AtLeast => high.is_some_and(|high| high < *offset),
                    Relation::Equal | Relation::NotEqual => false,
                }
            }
            Clause::Compare { left, relation, right: Some(right), offset } => {
                let (mut low, mut high) = self.limits.get(&(left, right)).copied().unwrap_or_default();
                if let Some(&only) = self.differences.get(&(left, right)) {
                    (low, high) = (Some(only), Some(only));
                }
                let above = low.is_some_and(|low| low > *offset);
                let below = high.is_some_and(|high| high < *offset);
                match relation {
                    Relation::AtMost => above,
                    Relation::AtLeast => below,
                    Relation::Equal => above || below,
                    Relation::NotEqual => low == Some(*offset) && high == Some(*offset),
                }
            }
            Clause::Same(..) | Clause::Implies(..) | Clause::Iff(..) => false,
        }
    }

    fn by_ranges(&self, left: &Variable, relation: Relation, right: &Variable, offset: i64) -> bool {
        let range = |variable: &Variable| {
            let (low, high) = self.ranges.get(variable).copied().unwrap_or_default();
            let low = if variable.is_size() { low.max(Some(0)) } else { low };
            (low.map(i128::from), high.map(i128::from))
        };
        let ((low, high), (least, most), offset) = (range(left), range(right), i128::from(offset));
        let below = |high: Option<i128>, least: Option<i128>, offset| {
            high.zip(least).is_some_and(|(high, least)| high <= least + offset)
        };
        let above = |low: Option<i128>, most: Option<i128>, offset| {
            low.zip(most).is_some_and(|(low, most)| low >= most + offset)
        };
        match relation {
            Relation::AtMost => below(high, least, offset),
            Relation::AtLeast => above(low, most, offset),
            Relation::Equal => below(high, least, offset) && above(low, most, offset),
            Relation::NotEqual => below(high, least, offset - 1) || above(low, most, offset + 1),
        }
    }

    fn by_stronger(&self, pair: (&Variable, &Variable), relation: Relation, offset: i64) -> bool {
        if relation != Relation::Equal && self.differences.contains_key(&pair) {
            return true;
        }
        let (low, high) = self.limits.get(&pair).copied().unwrap_or_default();
        relation == Relation::NotEqual
            && (low.is_some_and(|low| low > offset) || high.is_some_and(|high| high < offset))
    }
}

/// Removes comparisons that follow from two others of the same moment. One claim is removed after the other,
/// weakest last, so that two that follow from each other do not both go.
fn without_transitive(claims: Vec<Invariant>) -> Vec<Invariant> {
    // Everything as `from - to <= limit`.
    let mut limits: BTreeMap<(&Variable, &Variable), i64> = BTreeMap::new();
    for claim in &claims {
        for (from, to, limit) in edges(&claim.clause) {
            let known = limits.entry((from, to)).or_insert(limit);
            *known = limit.min(*known);
        }
    }
    let mut nodes: Vec<&Variable> = limits.keys().map(|(from, _)| *from).collect();
    nodes.dedup();
    let mut kept = vec![true; claims.len()];
    for (at, claim) in claims.iter().enumerate() {
        let Clause::Compare { relation: Relation::AtMost | Relation::AtLeast, right: Some(_), .. } =
            &claim.clause
        else {
            continue;
        };
        let Some((from, to, limit)) = edges(&claim.clause).into_iter().next() else { continue };
        let follows = nodes.iter().any(|&between| {
            let (first, second) = (limits.get(&(from, between)), limits.get(&(between, to)));
            between != from
                && between != to
                && first.zip(second).is_some_and(|(first, second)| {
                    i128::from(*first) + i128::from(*second) <= i128::from(limit)
                })
        });
        if follows {
            kept[at] = false;
            limits.remove(&(from, to));
        }
    }
    let mut kept = kept.into_iter();
    claims.iter().filter(|_| kept.next().unwrap_or(true)).cloned().collect()
}

/// A comparison of two variables of the same moment, as differences that it limits.
fn edges(clause: &Clause) -> Vec<(&Variable, &Variable, i64)> {
    let Clause::Compare { left, relation, right: Some(right), offset } = clause else { return Vec::new() };
    if left.moment != right.moment {
        return Vec::new();
    }
    let (below, above) = ((left, right, *offset), (right, left, offset.saturating_neg()));
    match relation {
        Relation::AtMost => vec![below],
        Relation::AtLeast => vec![above],
        Relation::Equal => vec![below, above],
        Relation::NotEqual => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn variable(name: &str) -> Variable {
        match name.strip_suffix('\'') {
            Some(name) => variable(name).before(),
            None if name.starts_with('s') => Variable::field_size(name),
            None => Variable::field(name),
        }
    }

    /// Reads claims such as `x <= y + 2`, `x == 3`, `x != null`.
    fn clause(text: &str) -> Clause {
        let words: Vec<&str> = text.split(' ').collect();
        let relation = match words[1] {
            "==" => Relation::Equal,
            "!=" => Relation::NotEqual,
            "<=" => Relation::AtMost,
            _ => Relation::AtLeast,
        };
        let left = variable(words[0]);
        match (words[2].parse::<i64>(), words.get(4)) {
            (Ok(number), _) if relation == Relation::Equal => Clause::is(left, Constant::Int(number)),
            (Ok(number), _) => Clause::bound(left, relation, number),
            (Err(_), _) if words[2] == "null" => Clause::NonNull(left),
            (Err(_), offset) => {
                let offset = offset.map_or(0, |offset| offset.parse().unwrap());
                Clause::compare(left, relation, variable(words[2]), offset)
            }
        }
    }

    fn check(claims: &str, expected: Expect) {
        let claims = claims
            .split(", ")
            .map(|text| Invariant { clause: clause(text), support: 9, confidence: 1.0 })
            .collect();
        let kept: Vec<String> =
            without_implied(claims).iter().map(|claim| claim.clause.to_string()).collect();
        expected.assert_eq(&kept.join(", "));
    }

    #[test]
    fn weaker_claims_go() {
        check("x == 3, x >= 3, x <= 3, x != 0", expect!["this.x == 3"]);
        check("x == y + 1, x >= y + 1, x != y", expect!["this.x == this.y + 1"]);
        check("x <= y + -1, x != y", expect!["this.x < this.y"]);
        check("s >= 0, s <= 9", expect!["size(this.s) <= 9"]);
    }

    #[test]
    fn what_is_known_of_each_says_enough() {
        check("x <= 2, y >= 5, x <= y + -1, y != x", expect!["this.x <= 2, this.y >= 5"]);
        check("x == 2, y == 5, x == y + -3", expect!["this.x == 2, this.y == 5"]);
        check("x <= 2, y >= 5, x <= z", expect!["this.x <= 2, this.y >= 5, this.x <= this.z"]);
        check(
            "x >= -1, x <= s + -1, x >= s + -1",
            expect!["this.x >= -1, this.x <= size(this.s) - 1, this.x >= size(this.s) - 1"],
        );
    }

    #[test]
    fn one_stands_for_all_that_are_equal() {
        check(
            "s == s', x <= s + -1, x <= s' + -1, s' >= 3, s >= 3",
            expect!["size(this.s) == orig(size(this.s)), this.x <= size(this.s) - 1, size(this.s) >= 3"],
        );
        check("x == -1, x' == -1, x' <= s + -1, x <= s + -1", expect!["this.x == -1, orig(this.x) == -1"]);
        check(
            "a == b, b == c, a == c, a >= 1, b >= 1, c >= 1, c <= d",
            expect!["this.a == this.b, this.a == this.c, this.a >= 1"],
        );
    }

    #[test]
    fn chains_are_cut_but_not_across_a_call() {
        check("a <= b, b <= c, a <= c", expect!["this.a <= this.b, this.b <= this.c"]);
        check(
            "a <= b, b <= c + 1, a <= c",
            expect!["this.a <= this.b, this.b <= this.c + 1, this.a <= this.c"],
        );
        // Figure 1 has all three.
        check(
            "x == x' + 1, x <= s + -1, x' <= s + -2",
            expect![
                "this.x == orig(this.x) + 1, this.x <= size(this.s) - 1, orig(this.x) < size(this.s) - 1"
            ],
        );
    }
}
