//! The finer model: where a class counts, no finite model is exact, and each state more makes a model a
//! little truer and longer to read.
//!
//! Splits that are worth too little for the model that is read first are not forgotten. The model with them
//! has the same situations in smaller classes, so the other one is its quotient: it says nothing that the
//! other does not allow.

use std::collections::BTreeMap;

use adit_automata::{Fsa, State};

use super::draft::{ClassId, DraftModel, Split};
use super::exploration::Exploration;
use crate::EventReader;

/// A model with more states than the one that is read first.
#[derive(Clone, Debug)]
pub struct FineModel {
    /// The model. Like the other, it may have a place for what was not explored.
    pub model: Fsa<String>,
    /// For each of its states the one of the other model that it is a part of. A state that the other model
    /// left out, because a larger one does all that it does, is part of none.
    pub part_of: Vec<Option<State>>,
    /// Share of its walks that could be realized, when it was split.
    pub realized: f64,
}

/// Splits of the finer model.
pub(super) struct Finer {
    /// All of them, those of the other model first.
    splits: Vec<Split>,
    /// Number of those that the other model has.
    base: usize,
    realized: f64,
}

impl Exploration {
    /// Keeps the splits that there are now for the finer model. The first `base` of them are those of the
    /// other.
    pub(super) fn keep_finer(&mut self, base: usize, realized: f64) {
        let splits = self.splits.all().to_vec();
        self.finer = (splits.len() > base).then_some(Finer { splits, base, realized });
    }

    /// The finer model, where `draft` is the other one and `counterparts` are the states that it ended with.
    pub(super) fn fine(
        &self,
        reader: &EventReader,
        draft: &DraftModel,
        counterparts: &[Option<State>],
    ) -> Option<FineModel> {
        let Finer { splits, base, realized } = self.finer.as_ref()?;
        // Splits are numbered one after the other, so they mean nothing after others.
        if draft.classes.are_exact || splits[..*base] != *self.splits.all() {
            return None;
        }
        let fine = self.new_draft(reader, self.coarse_classes(splits));
        let mut larger: BTreeMap<ClassId, ClassId> = BTreeMap::new();
        for (id, _) in self.probed_situations() {
            if let (Some(part), Some(whole)) = (fine.classes.of(id), draft.classes.of(id)) {
                larger.insert(part, whole);
            }
        }
        let numbers: BTreeMap<ClassId, State> = draft.states.iter().copied().zip(1..).collect();
        let whole = |state: State| match fine.class(state) {
            None => counterparts[0],
            Some(class) => counterparts[*numbers.get(larger.get(&class)?)?],
        };
        let mut part_of: Vec<Option<State>> = fine.fsa.states().map(whole).collect();
        let same: Vec<Option<State>> = fine.fsa.states().map(Some).collect();
        let model = self.with_unexplored(reader, &fine, &same, &fine.fsa);
        part_of.resize(model.len(), None);
        (fine.states.len() > draft.states.len()).then_some(FineModel { model, part_of, realized: *realized })
    }
}
