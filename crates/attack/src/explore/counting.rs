//! Counting: splits that tell one element from two, two from three, and so on for ever.
//!
//! Where a class counts, a state divided by what leads out of it can be divided again by what leads to one of
//! its halves, and the half of a half again. Walks of limited length soon come upon no further difference, so
//! whether such splits seem to end, and after how many, would depend on which walks were drawn. The first
//! division is worth a state: it says that something is counted. The others only stay if they end because
//! nothing is left to count: all situations of each part then agree on whether a call leads out of it.
//!
//! Paper: none; see [`explore`](crate::explore).
//! Cost: looks once at every successor of the situations that were divided.

use std::collections::{BTreeMap, BTreeSet};

use adit_trace::Letter;

use super::draft::{ClassId, Classes, Split, sides};
use super::exploration::{Exploration, SituationId};

impl Exploration {
    /// Tells whether a split divides a half of another one by what leads to a half of that one.
    pub(super) fn is_link(&self, split: &Split) -> bool {
        is_link_behind(self.splits.all().len(), split)
    }

    /// Tells whether one of the splits from this number on counts, and there is more to count.
    pub(super) fn counts_on(&self, first: usize) -> bool {
        let splits = self.splits.all();
        let classes = self.coarse_classes(splits);
        (first..splits.len()).filter(|&number| is_link_behind(number, &splits[number])).any(|number| {
            // Classes that the halves were divided into.
            let mut parts: BTreeSet<ClassId> = sides(number).into();
            for (later, split) in splits.iter().enumerate().skip(number + 1) {
                if parts.contains(&split.of) {
                    parts.extend(sides(later));
                }
            }
            self.is_divided(&classes, &parts, splits[number].letter)
        })
    }

    /// Tells whether some situations of one of these classes can stay in it by an event that leads all others
    /// out.
    fn is_divided(&self, classes: &Classes, among: &BTreeSet<ClassId>, letter: Letter) -> bool {
        let mut answers: BTreeMap<ClassId, BTreeSet<bool>> = BTreeMap::new();
        for (id, _) in self.probed_situations() {
            let Some(class) = classes.of(id).filter(|class| among.contains(class)) else { continue };
            answers.entry(class).or_default().extend(self.can_stay(classes, id, class, letter));
        }
        answers.values().any(|answers| answers.len() > 1)
    }

    /// Tells whether a situation can stay in its class by an event, if it can take that and is known to.
    fn can_stay(&self, classes: &Classes, id: SituationId, class: ClassId, letter: Letter) -> Option<bool> {
        let mut is_known = true;
        let mut leads = false;
        for (_, successor) in self.successors_of(id).filter(|(_, one)| one.letter == letter) {
            match self.behind(successor).and_then(|behind| classes.of(behind)) {
                Some(to) if to == class => return Some(true),
                Some(_) => leads = true,
                None => is_known = false,
            }
        }
        (is_known && leads).then_some(false)
    }
}

/// Tells whether a split divides a half of one of the first so many splits by what leads to a half of it.
fn is_link_behind(count: usize, split: &Split) -> bool {
    (0..count).map(sides).any(|halves| halves.contains(&split.of) && halves.contains(&split.to))
}

#[cfg(test)]
mod tests {
    use adit_trace::Script;

    use super::*;
    use crate::explore::exploration::{ProbedSituation, Successor};
    use crate::explore::testing::nothing_explored;
    use crate::moves::Situation;
    use crate::probe::StateHash;

    const PUSH: Letter = 0;
    const POP: Letter = 1;

    /// Stacks with room for so many elements, of every size.
    fn stacks(room: usize) -> Exploration {
        let mut made = nothing_explored();
        let situation = Situation { script: Script { statements: Vec::new() }, object: 0 };
        for size in 0..=room {
            let to = |letter, size: usize| {
                let state = StateHash::combine([size as u64].into_iter());
                let probed = Some(SituationId(size));
                Successor { letter, situation: situation.clone(), state, probed, like: None }
            };
            let mut successors: Vec<Successor> =
                (size < room).then(|| to(PUSH, size + 1)).into_iter().collect();
            successors.extend((size > 0).then(|| to(POP, size - 1)));
            let enabled = made.enabled_set(&successors);
            made.met.extend([PUSH, POP]);
            made.situations.push(ProbedSituation {
                situation: situation.clone(),
                state: StateHash::combine([size as u64].into_iter()),
                enabled,
                successors,
                thrown: BTreeMap::new(),
                untried: BTreeSet::new(),
            });
        }
        made
    }

    /// The split of stacks that are neither empty nor full by whether they are so after `pop`, and that of
    /// the larger ones.
    fn counted(made: &mut Exploration) -> [Split; 2] {
        let between = made.situation(SituationId(1)).enabled.class();
        let first = Split { of: between, letter: POP, to: between };
        let [larger, _] = sides(0);
        [first, Split { of: larger, letter: POP, to: larger }]
    }

    #[test]
    fn a_half_divided_by_what_leads_to_it_is_a_link() {
        let mut made = stacks(5);
        let [first, second] = counted(&mut made);
        assert!(!made.is_link(&first));
        made.splits.make(first);
        assert!(made.is_link(&second));
    }

    #[test]
    fn what_can_be_divided_again_counts_on() {
        let ends = |room| {
            let mut made = stacks(room);
            let [first, second] = counted(&mut made);
            made.splits.make_all(&[first, second]);
            !made.counts_on(0)
        };
        assert!(!ends(7), "a stack of three elements leads out of its part, and one of four does not");
        assert!(ends(4), "one stack of three elements has room for another");
    }
}
