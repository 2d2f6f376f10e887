//! DICE-Miner: mined properties decide which prefixes may share a state and which states may be merged.
//!
//! Paper: `dice`, section 3.5, Algorithms 3–5.
//! Deviation: the text's errors are mended and its gaps filled, each where it matters; `docs/decisions` gives
//! the list with the measurements. In short: the acceptor tracks all states that a nondeterministic prefix
//! can have led to; a self-loop is checked in both roles; properties between side-effect-free events count
//! only when they forbid both orders; merging goes breadth first into the oldest block that takes a state;
//! only NF and NIF are consulted, the other four templates changing nothing measurable; a state is final when
//! some trace ends there.
//! Cost: the acceptor `O(events · states a prefix can have led to · alphabet / 64)`; merging
//! `O(states · blocks of one enabled set · alphabet² / 64)`.

mod acceptor;
mod rules;

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::{Fsa, State, merge_while};
use adit_logic::Property;

use acceptor::Acceptor;
use rules::{Rows, Rules, Side, overlap};

/// The constraints on the paper's first step that are in force. Both, to be faithful.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constraints {
    /// Constraint A: events without side effects are self-loops.
    pub pure_as_loops: bool,
    /// Constraint B: a prefix that would break a property where it stands gets states of its own.
    pub compatible_states: bool,
}

/// Infers an automaton from `words` that obeys `properties` wherever the words themselves do.
///
/// `pure` are the events without side effects. Every word is accepted by the result; the order of `words` can
/// matter, as it does in the paper.
pub fn dice_miner<L: Ord + Clone, W: AsRef<[L]>>(
    words: &[W],
    properties: &[Property<L>],
    pure: &BTreeSet<L>,
    constraints: Constraints,
) -> Fsa<L> {
    let labels: BTreeSet<&L> = words.iter().flat_map(W::as_ref).collect();
    let alphabet: Vec<L> = labels.into_iter().cloned().collect();
    let is_pure: Vec<bool> = alphabet.iter().map(|label| pure.contains(label)).collect();
    // Without constraint A no event commutes with another, so every property counts as it stands.
    let commuting = if constraints.pure_as_loops { pure } else { &BTreeSet::new() };
    let rules = Rules::new(properties, commuting, &alphabet);

    let mut acceptor = Acceptor::new(&rules, &is_pure, constraints);
    let mut letters_of = Vec::new();
    for word in words {
        letters_of.clear();
        letters_of.extend(word.as_ref().iter().map(|label| {
            alphabet.binary_search(label).expect("the alphabet was collected from the words") as u32
        }));
        acceptor.add(&letters_of);
    }

    let enabled = enabled_sets(&acceptor, &rules, &is_pure);
    let classes = merge_compatible(&acceptor, &rules, &enabled);
    acceptor.to_fsa().quotient(&classes).map(|&letter| alphabet[letter as usize].clone())
}

/// For each state, the number of its set of enabled events [dice, section 3.5.2]: those that no property
/// disables.
///
/// An event is disabled after what came before (NF), after what came last (NIF), and, without a side effect,
/// before what can come next (NIF): calling it would have changed nothing.
fn enabled_sets(acceptor: &Acceptor<'_>, rules: &Rules, is_pure: &[bool]) -> Vec<usize> {
    let mut numbers: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
    (0..acceptor.len())
        .map(|state| {
            let disabled = |event: usize| {
                overlap(rules.never_before.row(event), acceptor.prefix.row(state))
                    || overlap(rules.never_last.row(event), acceptor.incoming.row(state))
                    || is_pure[event] && overlap(rules.never_next.row(event), acceptor.outgoing.row(state))
            };
            let disabled: Vec<bool> = (0..is_pure.len()).map(disabled).collect();
            let fresh = numbers.len();
            *numbers.entry(disabled).or_insert(fresh)
        })
        .collect()
}

/// Merges states with the same enabled set, breadth first, each into the oldest block that takes it without
/// breaking a property. When no merge breaks one, that is the quotient by enabled sets.
fn merge_compatible(acceptor: &Acceptor<'_>, rules: &Rules, enabled: &[usize]) -> Vec<usize> {
    struct Memory<'a> {
        blocks: Blocks<'a>,
        opened_by: Vec<State>,
    }
    let mut memory = Memory { blocks: Blocks::new(acceptor, rules), opened_by: Vec::new() };
    merge_while(
        &acceptor.breadth_first(),
        |state| enabled[state],
        &mut memory,
        |memory, block, state| memory.blocks.join(memory.opened_by[block], state),
        |memory, state| memory.opened_by.push(state),
    )
}

/// The quotient as it grows: which letters can come last, next, ever before and ever after each block.
///
/// A merge adds only words that pass through the merged block, so comparing what lies before one part with
/// what lies after the other finds every new violation, cycles included.
struct Blocks<'a> {
    acceptor: &'a Acceptor<'a>,
    rules: &'a Rules,
    block: Vec<State>,
    members: Vec<Vec<State>>,
    last: Rows,
    next: Rows,
    /// The letters that must not come next, because of those that can come last.
    banned_next: Rows,
    before: Rows,
    after: Rows,
    /// The letters that must not come after, because of those that can come before.
    banned_later: Rows,
}

impl<'a> Blocks<'a> {
    fn new(acceptor: &'a Acceptor<'a>, rules: &'a Rules) -> Self {
        Self {
            acceptor,
            rules,
            block: (0..acceptor.len()).collect(),
            members: (0..acceptor.len()).map(|state| vec![state]).collect(),
            banned_next: rules.banned_next(&acceptor.incoming),
            banned_later: rules.banned_later(&acceptor.prefix),
            last: acceptor.incoming.clone(),
            next: acceptor.outgoing.clone(),
            before: acceptor.prefix.clone(),
            after: acceptor.below.clone(),
        }
    }

    /// Merges the single state `state` into `block`, named by its first state, unless that breaks a property.
    fn join(&mut self, block: State, state: State) -> bool {
        let near = |state| Side {
            before: self.last.row(state),
            after: self.next.row(state),
            banned: self.banned_next.row(state),
        };
        let far = |state| Side {
            before: self.before.row(state),
            after: self.after.row(state),
            banned: self.banned_later.row(state),
        };
        let breaks =
            self.rules.break_next(near(block), near(state)) || self.rules.break_later(far(block), far(state));
        if breaks {
            return false;
        }
        self.block[state] = block;
        self.members[block].push(state);
        for rows in [&mut self.last, &mut self.next, &mut self.banned_next] {
            rows.union_row(block, state);
        }
        self.spread(block, state, Direction::Down);
        self.spread(block, state, Direction::Up);
        true
    }

    /// Tells the neighbors of `block`, which `state` has just joined: the letters that can come before a
    /// block can come before all that it leads to, and those that can come after it, after all that leads to
    /// it.
    ///
    /// Sets only grow, so each edge is looked at once per letter at most, and a block's other members only
    /// when the block itself learned something.
    fn spread(&mut self, block: State, state: State, direction: Direction) {
        let mut stack = Vec::new();
        if self.give(state, block, direction) {
            stack.push(block);
        }
        self.pass_on(block, state, direction, &mut stack);
        while let Some(from) = stack.pop() {
            for member in 0..self.members[from].len() {
                self.pass_on(from, self.members[from][member], direction, &mut stack);
            }
        }
    }

    /// Tells the neighbors of one member what its block knows, and notes the blocks that did not know it.
    fn pass_on(&mut self, from: State, member: State, direction: Direction, stack: &mut Vec<State>) {
        let acceptor = self.acceptor;
        let mut tell = |neighbor: State| {
            let to = self.block[neighbor];
            if self.give(from, to, direction) {
                stack.push(to);
            }
        };
        match direction {
            Direction::Down => acceptor.children(member).for_each(&mut tell),
            Direction::Up => acceptor.parent(member).into_iter().for_each(&mut tell),
        }
    }

    /// Adds what is known of `from` to what is known of `to`, and says whether any of it is new.
    fn give(&mut self, from: State, to: State, direction: Direction) -> bool {
        match direction {
            // What follows from the letters before is the same function of a larger set.
            Direction::Down => {
                self.before.union_row(to, from) && {
                    self.banned_later.union_row(to, from);
                    true
                }
            }
            Direction::Up => self.after.union_row(to, from),
        }
    }
}

/// The direction along the tree in which knowledge spreads.
#[derive(Clone, Copy)]
enum Direction {
    Down,
    Up,
}

#[cfg(test)]
mod naive;

#[cfg(test)]
mod tests {
    use adit_logic::Template;
    use proptest::prelude::*;

    use super::*;

    const FAITHFUL: Constraints = Constraints { pure_as_loops: true, compatible_states: true };

    fn traces() -> impl Strategy<Value = Vec<Vec<u8>>> {
        prop::collection::vec(prop::collection::vec(0u8..5, 0..6), 1..8)
    }

    /// Properties that hold, so that they are consistent with the words, thinned out at random.
    fn some_properties(words: &[Vec<u8>], pure: &BTreeSet<u8>, keep: &[bool]) -> Vec<Property<u8>> {
        let mut found = Vec::new();
        for (a, b) in (0u8..5).flat_map(|a| (0u8..5).map(move |b| (a, b))) {
            let later =
                |word: &Vec<u8>| (0..word.len()).any(|at| word[at] == a && word[at + 1..].contains(&b));
            let next = |word: &Vec<u8>| {
                (0..word.len()).any(|at| {
                    let rest = &word[at + 1..];
                    let until =
                        rest.iter().position(|event| !pure.contains(event)).map_or(rest.len(), |end| end + 1);
                    word[at] == a && rest[..until].contains(&b)
                })
            };
            if !words.iter().any(later) && keep[usize::from(a * 5 + b)] {
                found.push(Property { template: Template::NeverFollowed, a, b });
            }
            if !words.iter().any(next) && keep[usize::from(25 + a * 5 + b)] {
                found.push(Property { template: Template::NeverImmediatelyFollowed, a, b });
            }
        }
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn the_naive_twin_agrees(
            words in traces(),
            pure in prop::collection::btree_set(0u8..5, 0..4),
            keep in prop::collection::vec(prop::bool::weighted(0.8), 50),
        ) {
            let properties = some_properties(&words, &pure, &keep);
            let twin = naive::naive(&words, &properties, &pure);
            prop_assume!(twin.is_some(), "a trace cannot be accepted without breaking a property");
            prop_assert_eq!(Some(dice_miner(&words, &properties, &pure, FAITHFUL)), twin);
        }
    }
}
