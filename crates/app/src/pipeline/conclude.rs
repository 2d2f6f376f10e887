//! Step 6: conclude. The model is made if it was not explored, and compared with that of the last round;
//! tests are chosen that show it; every property gets its fate.

use std::collections::{BTreeMap, BTreeSet};

use adit_attack::EventReader;
use adit_automata::Fsa;
use adit_logic::Property;
use adit_trace::{Letter, Script};
use miette::Report;

use super::attack::AttackOutcome;
use super::claim::MinedProperties;
use super::miners::{Draft, Evidence, MinedModel};
use super::state_names::with_state_names;
use super::{Mined, Round, Tester, Trouble};
use crate::campaign::{Conclusion, JudgedProperty, RecordingCost, labeled};

impl Round<'_> {
    pub(super) fn conclude(
        mut self,
        draft: Draft,
        mut properties: MinedProperties<'_>,
        attack: AttackOutcome,
        open: &BTreeSet<Property<Letter>>,
    ) -> Result<(Mined, RecordingCost), Report> {
        self.add_missed_refutations(&mut properties)?;
        // A property that any word violates does not hold, whatever the attack says.
        let mut holding = properties.holding(&mut self.workers.recorder)?;
        // Nor is one reported that the model contradicts.
        holding.retain(|property| !open.contains(property));
        let supports = properties.supports();
        let evidence = Evidence { properties: self.surviving(&properties, &holding) };
        let MinedModel { candidate, unrealized, stop, mut more, .. } = draft.finish(&mut self, &evidence)?;
        let (mut chosen, tests, witnesses) = self.workers.recorder.choose_model(candidate)?;
        if !chosen.own {
            self.tests.add(&mut self.workers, &tests)?;
        }
        let witnesses = witnesses.renumbered(|test| self.tests.position(tests.get(test)?));
        let needed = self.workers.recorder.tests_for(&chosen.model, self.tests.tests())?;
        self.tests.add(&mut self.workers, &needed)?;
        // What was added to the model for words of earlier rounds may contradict a property.
        let contradicted = self.contradicted_among(&chosen.model, &holding);
        holding.retain(|property| !contradicted.contains(property));
        let labels = |word: &Vec<Letter>| labels(self.calls.reader, word);
        let rejected = self.rejected(&chosen.model).iter().map(labels).collect();
        let pure = self.labels(&self.pure);
        chosen.model = with_state_names(&chosen.model, &pure);
        let unrealized = unrealized.filter(|_| chosen.own);
        if !chosen.own || chosen.admitted > 0 {
            // They say nothing about another model.
            (more.fine, more.fine_walks, more.modes) = (None, None, None);
        }
        let mined = Mined {
            rejected,
            unrealized,
            branches: attack.branches,
            trouble: self.trouble(&supports),
            tests_run: self.pace.tests(),
            attacked: attack.attacked,
            hardly_watched: self.hardly_watched,
            agreed: self.workers.agreed(self.tests.tests())?,
            pure,
            more,
            conclusion: Conclusion {
                properties: self.judged(&properties, &holding, &supports),
                chosen,
                tests: self.tests.into_tests(),
                witnesses,
                stop: attack.stop.or(stop),
            },
        };
        let cost = self.workers.recorder.end(&mined.conclusion)?;
        Ok((mined, cost))
    }

    /// Refutes what any test of any round refuted, whether the attack noticed or not.
    fn add_missed_refutations(&mut self, properties: &mut MinedProperties<'_>) -> Result<(), Report> {
        let is_open = properties.is_open();
        let refuted = self.workers.recorder.refuted().iter();
        let missed: Vec<(Property<Letter>, Script)> = refuted
            .filter(|(property, _)| is_open(property))
            .map(|(property, refutation)| (property.clone(), refutation.script.clone()))
            .collect();
        drop(is_open);
        let scripts: Vec<Script> = missed.iter().map(|(_, script)| script.clone()).collect();
        self.tests.add(&mut self.workers, &scripts)?;
        let position = |script| self.tests.position(script).expect("it was added just now");
        properties.refute(missed.iter().map(|(property, script)| (property.clone(), position(script))));
        Ok(())
    }

    /// Properties that a miner can rely on.
    fn surviving(
        &self,
        properties: &MinedProperties<'_>,
        holding: &BTreeSet<Property<Letter>>,
    ) -> Vec<Property<Letter>> {
        match self.request.attack.tester {
            Tester::Dice => properties.all.iter().filter(|one| holding.contains(one)).cloned().collect(),
            Tester::Dynamosa | Tester::Random => holding.iter().cloned().collect(),
        }
    }

    /// Words of the user's tests that the model rejects, shortest first.
    pub(super) fn rejected(&self, model: &Fsa<String>) -> Vec<Vec<Letter>> {
        let is_rejected = |word: &&Vec<Letter>| !model.reads(&labels(self.calls.reader, word));
        let mut words: Vec<Vec<Letter>> = self.given.iter().filter(is_rejected).cloned().collect();
        words.sort_by(|one, other| one.len().cmp(&other.len()).then_with(|| one.cmp(other)));
        words.dedup();
        words
    }

    fn trouble(&self, supports: &BTreeMap<Letter, u64>) -> Trouble {
        let reader = self.calls.reader;
        let never_returned = { self.calls.generator.never_returned().into_iter() }
            .filter(|never| {
                !reader.letters_of(&never.callable).iter().any(|event| supports.contains_key(event))
            })
            .map(|never| (never.callable.event_name().to_owned(), never.times));
        Trouble {
            given_up: self.workers.given_up(),
            constructions_given_up: self.workers.constructions_given_up(),
            bad_ends: self.workers.bad_ends(),
            blocking: self.workers.blocking(),
            never_returned: never_returned.collect(),
        }
    }

    /// The properties that hold or were refuted, with their fates over all rounds.
    fn judged(
        &self,
        properties: &MinedProperties<'_>,
        holding: &BTreeSet<Property<Letter>>,
        supports: &BTreeMap<Letter, u64>,
    ) -> Vec<JudgedProperty> {
        let recorder = &self.workers.recorder;
        let judged = properties.all.iter().zip(&properties.fates);
        judged
            .filter(|(property, fate)| holding.contains(property) || fate.is_refuted())
            .map(|(property, &fate)| {
                let support = supports.get(&property.a).copied().unwrap_or(0);
                let found_after = recorder.refuted().get(property).and_then(|refutation| refutation.after);
                let property = labeled(self.calls.reader, property);
                let fate = recorder.earlier_fate(&property).map_or(fate, |earlier| fate.after(earlier));
                JudgedProperty { property, fate, support, found_after }
            })
            .collect()
    }
}

/// Labels of a word.
fn labels(reader: &EventReader, word: &[Letter]) -> Vec<String> {
    word.iter().map(|&letter| reader.alphabet().name(letter).to_owned()).collect()
}
