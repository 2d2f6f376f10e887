//! Mined properties that follow from others and need not be read.
//!
//! Paper: `dice`, section 3.2, for what the templates mean; the implications are ours.
//! Cost: a few searches in a sorted list for each property; for AF and AP also a walk along two sorted lists.
//!
//! | property | follows from | provided that |
//! |---|---|---|
//! | AF(a, b) | AIF(a, b) | |
//! | AP(a, b) | AIP(a, b) | |
//! | NIF(a, b) | NF(a, b) | |
//! | NIF(a, b) | AIF(a, c) | b and c have side effects, b ≠ c |
//! | AF(a, b) | AF(a, c), AF(c, b) | certain |
//! | AP(a, b) | AP(a, c), AP(c, b) | certain |
//! | NF(a, b) | NF(a, c), AF(b, c) | certain |
//! | NF(a, b) | AP(a, c), NF(c, b) | certain |
//! | NIF(a, b) | AIP(b, c) | certain; a and c have side effects, a ≠ c |
//!
//! *Certain* means that no chance was lost, by the premises nor by the conclusion. The first four are true of
//! each occurrence of `a` by itself, so they may be used below certainty too when premise and conclusion were
//! broken equally often: then they were broken by the same occurrences.
//!
//! Every chain of implications ends at properties that stay. AIF and AIP always stay. Certain AF properties
//! of labels that occur are a strict order, because the last `a` has a `b` after it, which is no longer
//! followed by `a`; AP likewise with the first. Each step from a conclusion to a premise shortens an interval
//! of these orders, or moves an end of NF along one of them, or goes from NIF to NF and from plain to
//! immediate; never back.

use adit_logic::Property;
use adit_logic::Template::{
    self, AlwaysFollowed, AlwaysImmediatelyFollowed, AlwaysImmediatelyPreceded, AlwaysPreceded,
    NeverFollowed, NeverImmediatelyFollowed,
};
use adit_trace::Letter;

use crate::{Mined, MinedProperty, Purity};

/// The mined properties, made searchable.
pub(crate) struct Rules<'a> {
    properties: &'a [MinedProperty],
    /// The letters without side effects.
    pub(crate) pure: Vec<bool>,
    follows: Relation,
    precedes: Relation,
    /// For each `a`, the impure `c` of AIF(a, c).
    next: Vec<Vec<Letter>>,
    /// For each `a`, the impure `c` of certain AIP(a, c).
    previous: Vec<Vec<Letter>>,
}

/// The certain properties of AF or AP, by either end.
struct Relation {
    from: Vec<Vec<Letter>>,
    to: Vec<Vec<Letter>>,
}

impl Relation {
    fn between(&self, a: Letter, b: Letter) -> Option<Letter> {
        common(&self.from[a as usize], &self.to[b as usize])
    }
}

impl<'a> Rules<'a> {
    pub(crate) fn new(mined: &'a Mined, purity: &Purity) -> Self {
        let letters = mined.alphabet.len();
        let none = || vec![Vec::new(); letters];
        let mut rules = Self {
            properties: &mined.properties,
            pure: mined.alphabet.iter().map(|label| purity.is_pure(label)).collect(),
            follows: Relation { from: none(), to: none() },
            precedes: Relation { from: none(), to: none() },
            next: none(),
            previous: none(),
        };
        for rule in &mined.properties {
            let Property { template, a, b } = rule.property;
            let impure = !rules.pure[b as usize];
            match template {
                AlwaysFollowed | AlwaysPreceded if is_certain(rule) => {
                    let relation =
                        if template == AlwaysFollowed { &mut rules.follows } else { &mut rules.precedes };
                    relation.from[a as usize].push(b);
                    relation.to[b as usize].push(a);
                }
                AlwaysImmediatelyFollowed if impure => rules.next[a as usize].push(b),
                AlwaysImmediatelyPreceded if impure && is_certain(rule) => rules.previous[a as usize].push(b),
                _ => {}
            }
        }
        rules
    }

    /// The place of the property in the list.
    pub(crate) fn find(&self, template: Template, a: Letter, b: Letter) -> Option<usize> {
        let sought = Property { template, a, b };
        self.properties.binary_search_by(|rule| rule.property.cmp(&sought)).ok()
    }

    /// The place of the property in the list, if it was never broken.
    pub(crate) fn find_certain(&self, template: Template, a: Letter, b: Letter) -> Option<usize> {
        self.find(template, a, b).filter(|&at| is_certain(&self.properties[at]))
    }

    /// Properties from which the one at `at` follows, if there are any.
    pub(crate) fn because(&self, at: usize) -> Option<Vec<usize>> {
        let rule = &self.properties[at];
        let Property { template, a, b } = rule.property;
        let certain = is_certain(rule);
        let equal = |template, b| {
            let premise = self.find(template, a, b)?;
            (self.properties[premise].support == rule.support).then(|| vec![premise])
        };
        let both = |one: Option<usize>, two: Option<usize>| Some(vec![one?, two?]);
        match template {
            AlwaysImmediatelyFollowed | AlwaysImmediatelyPreceded => None,
            AlwaysFollowed | AlwaysPreceded => {
                let (immediate, relation) = match template {
                    AlwaysFollowed => (AlwaysImmediatelyFollowed, &self.follows),
                    _ => (AlwaysImmediatelyPreceded, &self.precedes),
                };
                equal(immediate, b).or_else(|| {
                    let c = relation.between(a, b).filter(|_| certain)?;
                    both(self.find(template, a, c), self.find(template, c, b))
                })
            }
            NeverFollowed if certain => {
                let later = self.follows.from[b as usize].iter().find_map(|&c| {
                    both(self.find_certain(NeverFollowed, a, c), self.find(AlwaysFollowed, b, c))
                });
                later.or_else(|| {
                    self.precedes.from[a as usize].iter().find_map(|&c| {
                        both(self.find(AlwaysPreceded, a, c), self.find_certain(NeverFollowed, c, b))
                    })
                })
            }
            NeverFollowed => None,
            NeverImmediatelyFollowed => equal(NeverFollowed, b)
                .or_else(|| {
                    let others = self.next[a as usize].iter().filter(|&&c| c != b && !self.pure[b as usize]);
                    others.copied().find_map(|c| equal(AlwaysImmediatelyFollowed, c))
                })
                .or_else(|| {
                    let others = self.previous[b as usize].iter();
                    let c = *others.filter(|_| certain && !self.pure[a as usize]).find(|&&c| c != a)?;
                    Some(vec![self.find(AlwaysImmediatelyPreceded, b, c)?])
                }),
        }
    }
}

/// Returns whether a property was never broken.
pub(crate) fn is_certain(rule: &MinedProperty) -> bool {
    rule.support == rule.chances
}

/// The first letter that is in both of two sorted lists.
fn common(mut one: &[Letter], mut two: &[Letter]) -> Option<Letter> {
    while let (Some((&first, one_rest)), Some((&second, two_rest))) = (one.split_first(), two.split_first()) {
        match first.cmp(&second) {
            std::cmp::Ordering::Less => one = one_rest,
            std::cmp::Ordering::Equal => return Some(first),
            std::cmp::Ordering::Greater => two = two_rest,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use adit_logic::formula_of;

    use super::*;

    /// All words of at most `length` letters.
    fn words(letters: u32, length: u32) -> Vec<Vec<Letter>> {
        let mut words = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..length {
            let until = words.len();
            for at in from..until {
                for letter in 0..letters {
                    let mut word: Vec<Letter> = words[at].clone();
                    word.push(letter);
                    words.push(word);
                }
            }
            from = until;
        }
        words
    }

    /// Each line of the table, on every word of up to five letters of four, for every choice of pure letters.
    /// The numbers 0, 1 and 2 stand for `a`, `b` and `c`, which may be equal.
    #[test]
    fn every_implication_holds_on_every_short_word() {
        type Pair = (Template, usize, usize);
        type Line = (Pair, &'static [Pair], fn(&dyn Fn(usize) -> bool, [Letter; 3]) -> bool);
        let always: fn(&dyn Fn(usize) -> bool, [Letter; 3]) -> bool = |_, _| true;
        let table: [Line; 9] = [
            ((AlwaysFollowed, 0, 1), &[(AlwaysImmediatelyFollowed, 0, 1)], always),
            ((AlwaysPreceded, 0, 1), &[(AlwaysImmediatelyPreceded, 0, 1)], always),
            ((NeverImmediatelyFollowed, 0, 1), &[(NeverFollowed, 0, 1)], always),
            ((NeverImmediatelyFollowed, 0, 1), &[(AlwaysImmediatelyFollowed, 0, 2)], |impure, letters| {
                impure(1) && impure(2) && letters[1] != letters[2]
            }),
            ((AlwaysFollowed, 0, 1), &[(AlwaysFollowed, 0, 2), (AlwaysFollowed, 2, 1)], always),
            ((AlwaysPreceded, 0, 1), &[(AlwaysPreceded, 0, 2), (AlwaysPreceded, 2, 1)], always),
            ((NeverFollowed, 0, 1), &[(NeverFollowed, 0, 2), (AlwaysFollowed, 1, 2)], always),
            ((NeverFollowed, 0, 1), &[(AlwaysPreceded, 0, 2), (NeverFollowed, 2, 1)], always),
            ((NeverImmediatelyFollowed, 0, 1), &[(AlwaysImmediatelyPreceded, 1, 2)], |impure, letters| {
                impure(0) && impure(2) && letters[0] != letters[2]
            }),
        ];
        let words = words(4, 5);
        let choices = (0..27).map(|n| [n % 3, n / 3 % 3, n / 9]);
        // Which label is which number does not matter, so it is enough that each first appears after all
        // smaller ones.
        for letters in choices.filter(|l| l[0] == 0 && l[1] <= 1 && l[2] <= l[1] + 1) {
            for purity in 0..16u32 {
                let pure: BTreeSet<Letter> = (0..4).filter(|letter| purity >> letter & 1 == 1).collect();
                let formula = |&(template, one, two): &Pair| {
                    formula_of(&Property { template, a: letters[one], b: letters[two] }, &pure)
                };
                for (number, (conclusion, premises, provided)) in table.iter().enumerate() {
                    if !provided(&|which| !pure.contains(&letters[which]), letters) {
                        continue;
                    }
                    let premises: Vec<_> = premises.iter().map(formula).collect();
                    let conclusion = formula(conclusion);
                    for word in words.iter().filter(|word| premises.iter().all(|premise| premise.holds(word)))
                    {
                        assert!(
                            conclusion.holds(word),
                            "line {number}, {letters:?}, pure {pure:?}: {word:?}"
                        );
                    }
                }
            }
        }
    }
}
