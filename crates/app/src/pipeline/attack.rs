//! Step 4: attack. A search looks for tests that refute the mined properties.

use std::ops::ControlFlow;

use adit_attack::branches::Branches;
use adit_attack::dice_tester::{Assault, Attacked, dice_tester};
use adit_attack::dynamosa::Settings;
use adit_logic::Fate;
use adit_trace::{Pace, Phase, Progress, Stop};
use miette::Report;

use super::claim::MinedProperties;
use super::{AttackedProperties, Probed, Round, Tester};
use crate::campaign::RetentionPolicy;
use crate::pace::ATTACKING;
use crate::under_test::AnyHost;

/// Most runs in which the test that refutes one property is made smaller.
const SHRINKING_RUNS: usize = 200;

/// Random tests that are run at a time; then the clock is checked.
const RANDOM_TESTS: usize = 500;

/// Result of an attack.
pub(super) struct AttackOutcome {
    pub(super) stop: Stop,
    /// It began at all.
    pub(super) attacked: bool,
    /// Sides of branches that it took, and how many there are; absent if unknown.
    pub(super) branches: Option<(usize, usize)>,
}

impl Round<'_> {
    /// Attacks the properties and settles their fates. `stop` is the reason why the step before ended.
    pub(super) fn attack(
        &mut self,
        properties: &mut MinedProperties<'_>,
        stop: Stop,
        probed: impl FnOnce() -> Probed,
    ) -> Result<AttackOutcome, Report> {
        match self.request.attack.tester {
            _ if stop == Stop::Interrupted => Ok(AttackOutcome { stop, attacked: false, branches: None }),
            Tester::Random => {
                let stop = self.attack_at_random()?;
                Ok(AttackOutcome { stop, attacked: true, branches: None })
            }
            Tester::Dice | Tester::Dynamosa => self.attack_by_search(properties, stop, probed()),
        }
    }

    /// Runs random tests until the budget is used up.
    fn attack_at_random(&mut self) -> Result<Stop, Report> {
        loop {
            let tests = self.pace.tests();
            if let ControlFlow::Break(stop) = self.pace.go_on(&Progress::new(Phase::Random, tests)) {
                return Ok(stop);
            }
            self.run_random(RANDOM_TESTS, 1, RetentionPolicy::Words)?;
        }
    }

    fn attack_by_search(
        &mut self,
        properties: &mut MinedProperties<'_>,
        stop: Stop,
        probed: Probed,
    ) -> Result<AttackOutcome, Report> {
        let (mut probed, branches) = match probed {
            Ok((host, branches)) => (Some(host), branches),
            Err(why) => {
                if let Some(why) = why {
                    self.progress.remark(&format!("note: which branches are taken is not known: {why}"));
                }
                (None, Branches::default())
            }
        };
        let aims_at_properties = self.request.attack.tester == Tester::Dice;
        self.pace.attack_until(if aims_at_properties { ATTACKING } else { 1.0 });
        let assault = self.assault(properties, branches);
        let attacked = self.search(&assault, probed.as_mut())?;
        let covered = probed.is_some().then_some(attacked.covered);
        // Its workers are not needed any more.
        drop(probed);
        self.pace.note(&progress_at_end(&attacked, covered));
        let first = self.tests.len();
        self.tests.add(&mut self.workers, &attacked.tests)?;
        if aims_at_properties {
            let position = |test: usize| self.tests.position(&attacked.tests[test]).unwrap_or(first);
            properties.fates = attacked.fates.iter().map(|fate| fate.map(position)).collect();
        }
        Ok(AttackOutcome {
            stop: attacked.stop.or(stop),
            attacked: attacked.generations > 0 || attacked.stop.is_done(),
            branches: covered.map(|covered| (covered, assault.branches.len())),
        })
    }

    fn assault(&self, properties: &MinedProperties<'_>, branches: Branches) -> Assault {
        let attack = &self.request.attack;
        let aims_at_properties = attack.tester == Tester::Dice;
        Assault {
            properties: if aims_at_properties { properties.all.clone() } else { Vec::new() },
            pure: self.pure.clone(),
            branches,
            calls: self.request.calls.calls,
            settings: Settings {
                // Without properties there is nothing to give up, and events that never happen must not end
                // the search.
                abandon_after: attack.search.abandon_after.filter(|_| aims_at_properties),
                ..attack.search.clone()
            },
            shrink: (SHRINKING_RUNS, self.pace.shrinking()),
        }
    }

    /// Runs the search, on the probed workers if there are any.
    fn search(&mut self, assault: &Assault, probed: Option<&mut AnyHost>) -> Result<Attacked, Report> {
        let attack = &self.request.attack;
        let judges_tester = attack.properties == AttackedProperties::All && attack.tester == Tester::Dynamosa;
        // To judge a search that knows no properties, all its tests count, not only those that it keeps.
        let policy = if judges_tester { RetentionPolicy::Words } else { self.request.model.miner.retention };
        let mut subject = match probed {
            Some(probed) => self.workers.keeping_on(probed, policy),
            None => self.workers.keeping(policy),
        };
        let (generator, reader) = (&mut *self.calls.generator, self.calls.reader);
        dice_tester(&mut subject, generator, reader, assault, &mut self.rng, &mut self.pace)
    }
}

/// Progress of an attack that has ended.
fn progress_at_end(attacked: &Attacked, covered: Option<usize>) -> Progress {
    let refuted = attacked.fates.iter().filter(|fate| fate.is_refuted()).count();
    let is_open =
        |fate: &&Fate<usize>| matches!(fate, Fate::NotAttacked | Fate::Survived { abandoned: false, .. });
    let open = attacked.fates.iter().filter(is_open).count();
    Progress {
        refuted: Some(refuted),
        open: Some(open),
        covered,
        ..Progress::new(Phase::Attack, attacked.run)
    }
}
