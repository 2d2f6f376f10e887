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
        let halves = (0..self.splits.all().len()).map(sides);
        halves.into_iter().any(|halves| halves.contains(&split.of) && halves.contains(&split.to))
    }

    /// Tells whether one of the splits from this number on counts, and there is more to count.
    pub(super) fn counts_on(&self, first: usize) -> bool {
        let splits = self.splits.all();
        let halves: Vec<[ClassId; 2]> = (0..splits.len()).map(sides).collect();
        let is_link = |number: usize| {
            let Split { of, to, .. } = &splits[number];
            halves[..number].iter().any(|halves| halves.contains(of) && halves.contains(to))
        };
        let classes = self.coarse_classes(splits);
        (first..splits.len()).filter(|&number| is_link(number)).any(|number| {
            // Classes that the halves were divided into.
            let mut parts: BTreeSet<ClassId> = halves[number].into();
            for later in number + 1..splits.len() {
                if parts.contains(&splits[later].of) {
                    parts.extend(halves[later]);
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
