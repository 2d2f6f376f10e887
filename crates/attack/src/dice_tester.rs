//! DICE-Tester: searches for tests that refute mined properties, so that only true ones survive.
//!
//! Paper: [dice, section 3.3]. Each property is a goal, reached by a test one of whose objects refutes it.
//! Each event is a goal too, and so is each side of each branch, where runs report which were taken. The
//! search is [`dynamosa`](crate::dynamosa); goals wait for events as the properties themselves suggest.
//! Deviation: a goal waits for all events that the four rules name, with AP and AIP read as in section 3.2.
//! Branches are those of [`branches`](crate::branches). A property is also refuted by a test that was aimed
//! elsewhere, or after it was given up.
//! Cost: running the tests, and a [`Profile`] for each word; a goal is compared by a look-up.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use adit_logic::{Fate, Property, Template};
use adit_trace::{Author, Letter, Pace, Passed, Phase, Progress, Script, Stop};
use rand::Rng;

use crate::EventReader;
use crate::ObjectTrace;
use crate::branches::Branches;
use crate::dynamosa::{Goal, Problem, Search, Settings, Status};
use crate::fitness::Profile;
use crate::guard::Guarded;
use crate::shrink::shrink;

/// Target and effort of an attack.
#[derive(Clone, Debug)]
pub struct Assault {
    /// Properties to refute, in the letters of the reader.
    pub properties: Vec<Property<Letter>>,
    /// Letters without a side effect.
    pub pure: BTreeSet<Letter>,
    /// Branches of the class, if runs report which were taken.
    pub branches: Branches,
    /// Most calls of a new test.
    pub calls: usize,
    /// Parameters of the search.
    pub settings: Settings,
    /// Most runs for making one refuting test smaller, and for all of them together.
    pub shrink: (usize, usize),
}

/// The result of an attack.
#[derive(Clone, Debug)]
pub struct Attacked {
    /// Fates of the properties, in their order; a witness is a position in `tests`.
    pub fates: Vec<Fate<usize>>,
    /// For each refuted property, the number of the test that refuted it first, counted from one in the order
    /// of running.
    pub found_after: Vec<Option<u64>>,
    /// Number of branches that were taken.
    pub covered: usize,
    /// Tests that reached a goal, the shortest for each, without repetition. Those that refute a property are
    /// made smaller still.
    pub tests: Vec<Script>,
    /// Tests that were run.
    pub run: u64,
    /// Generations.
    pub generations: u32,
    /// Number of times that the population was replaced.
    pub resets: u32,
    /// Reason why it ended. When it is [`Stop::Done`], every property is refuted or given up.
    pub stop: Stop,
}

/// Attacks properties of a class until nothing is left to aim at or `pace` stops it.
pub fn dice_tester<S: Guarded, R: Rng>(
    subject: &mut S,
    author: &mut impl Author,
    reader: &EventReader,
    assault: &Assault,
    rng: &mut R,
    pace: &mut dyn Pace,
) -> Result<Attacked, S::Error> {
    let letters = reader.alphabet().len();
    let property_goals = letters..letters + assault.properties.len();
    let mut problem = Attack { subject, author, reader, assault, letters };
    let mut search = Search::new(goals(letters, assault), assault.settings.clone());
    let mut attacked = Attacked {
        fates: Vec::new(),
        found_after: vec![None; assault.properties.len()],
        covered: 0,
        tests: Vec::new(),
        run: 0,
        generations: 0,
        resets: 0,
        stop: Stop::Done,
    };
    let mut refuted = 0;
    let mut progress = Progress::new(Phase::Attack, 0);
    while !search.is_over() {
        let open = search.status()[property_goals.clone()]
            .iter()
            .filter(|status| matches!(status, Status::Targeted(_) | Status::Waiting))
            .count();
        progress = Progress {
            tests: attacked.run,
            refuted: Some(refuted),
            open: Some(open),
            covered: (!assault.branches.is_empty()).then_some(attacked.covered),
            ..progress
        };
        if let ControlFlow::Break(stop) = pace.go_on(&progress) {
            attacked.stop = stop;
            break;
        }
        let generation = search.generation(&mut problem, rng)?;
        for (goal, test) in generation.covered {
            if goal >= property_goals.end {
                attacked.covered += 1;
            } else if goal >= letters {
                refuted += 1;
                attacked.found_after[goal - letters] = Some(attacked.run + test as u64 + 1);
            }
        }
        attacked.run += generation.tests as u64;
        attacked.generations += 1;
        attacked.resets += u32::from(generation.reset);
    }
    let mut shrinking = assault.shrink.1;
    for goal in 0..property_goals.end + assault.branches.len() {
        let mut witness = search.witness(goal).cloned();
        if let Some(test) = witness.as_mut().filter(|_| property_goals.contains(&goal)) {
            let most = assault.shrink.0.min(shrinking);
            let before = attacked.run;
            let progress = Progress { phase: Phase::Shrink, tests: before, ..progress };
            let shrunk = shrink(test, most, progress, pace, |tests| {
                attacked.run += tests.len() as u64;
                let seen = problem.run(tests)?;
                Ok(seen.iter().map(|seen| problem.cost(goal, seen) == 0.0).collect())
            })?;
            *test = shrunk.script;
            shrinking -= (attacked.run - before) as usize;
        }
        let witness = witness.map(|test| {
            attacked.tests.iter().position(|known| *known == test).unwrap_or_else(|| {
                attacked.tests.push(test);
                attacked.tests.len() - 1
            })
        });
        if property_goals.contains(&goal) {
            attacked.fates.push(match (search.status()[goal], witness) {
                (_, Some(test)) => Fate::Refuted(test),
                (Status::Waiting | Status::Covered | Status::Targeted(0), None) => Fate::NotAttacked,
                (Status::Targeted(attacked), None) => {
                    Fate::Survived { attacked: attacked.into(), abandoned: false }
                }
                (Status::Abandoned, None) => {
                    let attacked = assault.settings.abandon_after.unwrap_or(0).into();
                    Fate::Survived { attacked, abandoned: true }
                }
            });
        }
    }
    Ok(attacked)
}

/// Goals of an attack: first the events, then the properties, then the branches, with the goals that each
/// waits for.
///
/// The four rules, with `b` before `a` in AP and AIP: an event waits for the events that must precede it;
/// refuting NF, NIF, AF or AIF waits for `a`; refuting AP or AIP waits for `a` too, without which there is
/// nothing to refute.
fn goals(letters: usize, Assault { properties, branches, .. }: &Assault) -> Vec<Goal> {
    let mut goals = vec![Goal::default(); letters];
    for Property { template, a, b } in properties {
        if *template == Template::AlwaysPreceded && a != b {
            goals[*a as usize].needs.push(*b as usize);
        }
    }
    goals.extend(properties.iter().map(|property| Goal {
        needs: vec![property.a as usize],
        counterexample: true,
        ..Goal::default()
    }));
    goals.extend(branches.goals(goals.len()));
    goals
}

struct Attack<'a, S, A> {
    subject: &'a mut S,
    author: &'a mut A,
    reader: &'a EventReader,
    assault: &'a Assault,
    letters: usize,
}

/// Observations of a test.
struct Seen {
    /// Profile of each object.
    profiles: Vec<Profile>,
    /// Branches that were taken, if that is known.
    passed: Option<Passed>,
}

impl<S: Guarded, A: Author> Problem for Attack<'_, S, A> {
    type Test = Script;
    type Seen = Seen;
    type Error = S::Error;

    fn random(&mut self, rng: &mut impl Rng) -> Script {
        let calls = rand::RngExt::random_range(rng, 1..=self.assault.calls.max(1));
        self.author.script(rng, calls)
    }

    fn mutate(&mut self, test: &Script, rng: &mut impl Rng) -> Script {
        self.author.mutate(test, rng)
    }

    fn cross(&mut self, one: &Script, other: &Script, rng: &mut impl Rng) -> [Script; 2] {
        [self.author.cross(one, other, rng), self.author.cross(other, one, rng)]
    }

    fn run(&mut self, tests: &[Script]) -> Result<Vec<Seen>, S::Error> {
        let runs = self.subject.run(tests)?;
        self.subject.guard().warn(self.author);
        Ok(tests
            .iter()
            .zip(runs)
            .map(|(test, run)| {
                self.author.observe(test, &run);
                // Whoever leaves a file open has not used the class as it should be used.
                if run.leaked {
                    return Seen { profiles: Vec::new(), passed: None };
                }
                let heard = self.reader.read(test, &run);
                let profiles = heard
                    .iter()
                    .map(|ObjectTrace { word, .. }| Profile::of(word, &self.assault.pure))
                    .collect();
                Seen { profiles, passed: run.passed }
            })
            .collect())
    }

    fn length(&self, test: &Script) -> usize {
        test.statements.len()
    }

    /// The best of the objects counts.
    fn cost(&self, goal: usize, seen: &Seen) -> f64 {
        if let Some(side) = goal.checked_sub(self.letters + self.assault.properties.len()) {
            return seen.passed.as_ref().map_or(1.0, |passed| self.assault.branches.cost(side, passed));
        }
        let cost = |profile: &Profile| match goal.checked_sub(self.letters) {
            None => f64::from(!profile.has(goal as Letter)),
            Some(property) => profile.cost(&self.assault.properties[property]),
        };
        seen.profiles.iter().map(cost).fold(1.0, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// Letters of the examples: `a`, `b` and `c`.
    fn check(properties: &[&str], expected: Expect) {
        let letter = |text: &str| Letter::from(text.as_bytes()[0] - b'a');
        let properties: Vec<Property<Letter>> = properties
            .iter()
            .map(|text| {
                let parts: Vec<&str> = text.split(' ').collect();
                let template = Template::from_short(parts[0]).unwrap();
                Property { template, a: letter(parts[1]), b: letter(parts[2]) }
            })
            .collect();
        let assault = Assault {
            properties,
            pure: BTreeSet::new(),
            branches: Branches::default(),
            calls: 1,
            settings: Settings {
                population: 1,
                crossover: 0.0,
                tournament: 1,
                abandon_after: None,
                reset_after: None,
            },
            shrink: (0, 0),
        };
        let told: String = goals(3, &assault)
            .iter()
            .enumerate()
            .map(|(goal, Goal { needs, counterexample, .. })| match goal.checked_sub(3) {
                None => {
                    format!("event {} needs {needs:?}, refutes: {counterexample}\n", ["a", "b", "c"][goal])
                }
                Some(at) => {
                    format!(
                        "{:?} needs {needs:?}, refutes: {counterexample}\n",
                        assault.properties[at].template
                    )
                }
            })
            .collect();
        expected.assert_eq(&told);
    }

    #[test]
    fn an_event_waits_for_those_that_precede_it() {
        check(
            &["AP a b", "AP a c", "AP b c", "AIP c b", "AP c c"],
            expect![[r#"
            event a needs [1, 2], refutes: false
            event b needs [2], refutes: false
            event c needs [], refutes: false
            AlwaysPreceded needs [0], refutes: true
            AlwaysPreceded needs [0], refutes: true
            AlwaysPreceded needs [1], refutes: true
            AlwaysImmediatelyPreceded needs [2], refutes: true
            AlwaysPreceded needs [2], refutes: true
        "#]],
        );
    }

    #[test]
    fn a_property_waits_for_the_event_that_it_is_about() {
        check(
            &["AF a b", "NF b a", "AIF c b", "NIF c c", "AIP b c"],
            expect![[r#"
            event a needs [], refutes: false
            event b needs [], refutes: false
            event c needs [], refutes: false
            AlwaysFollowed needs [0], refutes: true
            NeverFollowed needs [1], refutes: true
            AlwaysImmediatelyFollowed needs [2], refutes: true
            NeverImmediatelyFollowed needs [2], refutes: true
            AlwaysImmediatelyPreceded needs [1], refutes: true
        "#]],
        );
    }
}
