//! DynaMOSA: evolves tests toward many goals at once, aiming only at goals that can be reached now.
//!
//! Paper: `dynamosa`, as [dice, Algorithm 1] describes it, with the three changes of [dice, section 3.3]:
//! goals wait for goals of any kind, not only for branches; a goal that was aimed at for too long is
//! abandoned; a population that finds nothing new for too long is thrown away.
//! Deviation: goals that become targets because of a test are compared with that same test at once, and tests
//! are compared with goals that wait or were abandoned too, so that nothing that happens by accident is lost.
//! Within a front, shorter tests come first; there is no crowding distance.
//! Cost: a generation compares each of `2m` tests with each target, and pairs of tests while fronts are made:
//! `O(m² t)` at worst for `t` targets, and much less in practice, because two tests that each win somewhere
//! are told apart early.
//!
//! The search knows nothing about scripts or properties: a [`Problem`] makes tests, runs them, and measures
//! how far a test is from a goal.

use std::collections::BTreeSet;

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

/// A search problem: makes tests, runs them, and measures how far from a goal each is.
pub trait Problem {
    /// A test.
    type Test: Clone;
    /// Observations of a test.
    type Seen;
    /// Failure to run any test.
    type Error;

    /// Makes a new test.
    fn random(&mut self, rng: &mut impl Rng) -> Self::Test;
    /// Changes a test a little: each of its `n` statements with probability `1/n`.
    fn mutate(&mut self, test: &Self::Test, rng: &mut impl Rng) -> Self::Test;
    /// Joins the beginning of each test with the end of the other.
    fn cross(&mut self, one: &Self::Test, other: &Self::Test, rng: &mut impl Rng) -> [Self::Test; 2];
    /// Runs tests and answers in their order.
    fn run(&mut self, tests: &[Self::Test]) -> Result<Vec<Self::Seen>, Self::Error>;
    /// Length of a test; of two equally good ones the shorter wins.
    fn length(&self, test: &Self::Test) -> usize;
    /// Distance from the goal with this number: zero when it is reached, at most one.
    fn cost(&self, goal: usize, seen: &Self::Seen) -> f64;
}

/// Parameters of the search.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Number of tests that survive a generation.
    pub population: usize,
    /// Probability that two parents are crossed.
    pub crossover: f64,
    /// Number of tests that compete to become a parent.
    pub tournament: usize,
    /// Number of generations for which a goal is aimed at.
    pub abandon_after: Option<u32>,
    /// Number of generations without a new counterexample after which the population is replaced.
    pub reset_after: Option<u32>,
}

impl Settings {
    /// The numbers of [dice, section 4].
    pub const PAPER: Self = Self {
        population: 50,
        crossover: 0.75,
        tournament: 10,
        abandon_after: Some(100),
        reset_after: Some(100),
    };
}

/// A goal as the search sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Goal {
    /// Numbers of the goals that must be reached before this one is aimed at.
    pub needs: Vec<usize>,
    /// Goals of which at least one must be reached as well, if there are any.
    pub opened_by: Vec<usize>,
    /// Reaching it refutes a property. While such goals are reached, the population is not replaced.
    pub counterexample: bool,
}

/// The four states in the life of a goal ([dice, Figure 4]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// A goal that it needs has not been reached.
    Waiting,
    /// It is aimed at, for so many generations.
    Targeted(u32),
    /// A test reaches it.
    Covered,
    /// It was aimed at for too long.
    Abandoned,
}

/// Result of a generation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Generation {
    /// Tests that were run.
    pub tests: usize,
    /// Goals reached for the first time, each with the number of the test that did it.
    pub covered: Vec<(usize, usize)>,
    /// Goals given up.
    pub abandoned: usize,
    /// The population was replaced.
    pub reset: bool,
}

/// A search, advanced one generation at a time.
pub struct Search<P: Problem> {
    settings: Settings,
    goals: Vec<Goal>,
    status: Vec<Status>,
    /// The shortest test that reaches each goal.
    archive: Vec<Option<P::Test>>,
    population: Vec<Individual<P>>,
    fruitless: u32,
}

struct Individual<P: Problem> {
    test: P::Test,
    seen: P::Seen,
    length: usize,
    /// The front it was in when it survived.
    rank: usize,
}

impl<P: Problem> Search<P> {
    /// Begins a search for tests that reach `goals`.
    pub fn new(goals: Vec<Goal>, settings: Settings) -> Self {
        let status = vec![Status::Waiting; goals.len()];
        let archive = goals.iter().map(|_| None).collect();
        let mut search = Self { settings, goals, status, archive, population: Vec::new(), fruitless: 0 };
        search.wake();
        search
    }

    /// Status of each goal.
    pub fn status(&self) -> &[Status] {
        &self.status
    }

    /// The shortest test that reaches the goal with this number.
    pub fn witness(&self, goal: usize) -> Option<&P::Test> {
        self.archive.get(goal)?.as_ref()
    }

    /// Tells whether there is nothing to aim at: every goal is reached, given up, or waits for one that was
    /// given up.
    pub fn is_over(&self) -> bool {
        !self.status.iter().any(|status| matches!(status, Status::Targeted(_)))
    }

    /// Makes and runs the next generation, the first if there is none.
    pub fn generation(&mut self, problem: &mut P, rng: &mut impl Rng) -> Result<Generation, P::Error> {
        let mut generation = Generation::default();
        let reset = self.settings.reset_after.is_some_and(|most| self.fruitless >= most);
        if reset {
            self.population.clear();
            self.fruitless = 0;
            generation.reset = true;
        }
        let tests = if self.population.is_empty() {
            (0..self.settings.population).map(|_| problem.random(rng)).collect()
        } else {
            self.offspring(problem, rng)
        };
        let seen = problem.run(&tests)?;
        generation.tests = tests.len();
        let mut everyone = std::mem::take(&mut self.population);
        for (place, (test, seen)) in tests.into_iter().zip(seen).enumerate() {
            let individual = Individual { length: problem.length(&test), test, seen, rank: 0 };
            generation
                .covered
                .extend(self.archive(problem, &individual).into_iter().map(|goal| (goal, place)));
            everyone.push(individual);
        }
        self.fruitless += 1;
        if generation.covered.iter().any(|&(goal, _)| self.goals[goal].counterexample) {
            self.fruitless = 0;
        }
        generation.abandoned = self.age();
        self.population = self.survivors(problem, everyone);
        Ok(generation)
    }

    /// Makes children of parents, by chance crossed or not; all are mutated.
    fn offspring(&self, problem: &mut P, rng: &mut impl Rng) -> Vec<P::Test> {
        let mut children = Vec::with_capacity(self.settings.population + 1);
        while children.len() < self.settings.population {
            let (one, other) = (self.parent(rng), self.parent(rng));
            if rng.random_bool(self.settings.crossover) {
                for child in problem.cross(&one.test, &other.test, rng) {
                    children.push(problem.mutate(&child, rng));
                }
            } else {
                children.push(problem.mutate(&one.test, rng));
                children.push(problem.mutate(&other.test, rng));
            }
        }
        children.truncate(self.settings.population);
        children
    }

    /// The winner of a tournament: the best front wins, then the shorter test.
    fn parent(&self, rng: &mut impl Rng) -> &Individual<P> {
        (0..self.settings.tournament.max(1))
            .filter_map(|_| self.population.choose(rng))
            .min_by_key(|individual| (individual.rank, individual.length))
            .expect("offspring is made of a population that is not empty")
    }

    /// Compares a test with all goals, keeps it for those that it reaches, and returns those that were not
    /// reached before.
    fn archive(&mut self, problem: &P, individual: &Individual<P>) -> Vec<usize> {
        let mut covered = Vec::new();
        for goal in 0..self.goals.len() {
            let shorter =
                self.archive[goal].as_ref().is_none_or(|witness| problem.length(witness) > individual.length);
            if shorter && problem.cost(goal, &individual.seen) == 0.0 {
                self.archive[goal] = Some(individual.test.clone());
                if self.status[goal] != Status::Covered {
                    self.status[goal] = Status::Covered;
                    covered.push(goal);
                }
            }
        }
        if !covered.is_empty() {
            self.wake();
        }
        covered
    }

    /// Aims at goals that have all they need.
    fn wake(&mut self) {
        for goal in 0..self.goals.len() {
            let Goal { needs, opened_by, .. } = &self.goals[goal];
            let reached = |goal: &usize| self.status[*goal] == Status::Covered;
            let open = needs.iter().all(reached) && (opened_by.is_empty() || opened_by.iter().any(reached));
            if self.status[goal] == Status::Waiting && open {
                self.status[goal] = Status::Targeted(0);
            }
        }
    }

    /// Ages all targets, and gives up those that are too old.
    fn age(&mut self) -> usize {
        let mut abandoned = 0;
        for status in &mut self.status {
            if let Status::Targeted(age) = status {
                *age += 1;
                if self.settings.abandon_after.is_some_and(|most| *age > most) {
                    *status = Status::Abandoned;
                    abandoned += 1;
                }
            }
        }
        abandoned
    }

    /// The tests that make up the next population, best fronts first.
    fn survivors(&self, problem: &P, everyone: Vec<Individual<P>>) -> Vec<Individual<P>> {
        let targets: Vec<usize> =
            (0..self.goals.len()).filter(|&goal| matches!(self.status[goal], Status::Targeted(_))).collect();
        let costs: Vec<Vec<f64>> = everyone
            .iter()
            .map(|individual| targets.iter().map(|&goal| problem.cost(goal, &individual.seen)).collect())
            .collect();
        let lengths: Vec<usize> = everyone.iter().map(|individual| individual.length).collect();
        let ranks = rank(&costs, &lengths, self.settings.population);
        let mut ranked: Vec<Individual<P>> = everyone
            .into_iter()
            .zip(ranks)
            .map(|(individual, rank)| Individual { rank, ..individual })
            .collect();
        // The sort is stable, so that older tests win among equals.
        ranked.sort_by_key(|individual| (individual.rank, individual.length));
        ranked.truncate(self.settings.population);
        ranked
    }
}

/// Ranks tests by fronts. The first front holds the best test for each goal (the shortest of several), each
/// later one the tests that no remaining test dominates, until `enough` tests have a front; the rest share
/// the last.
fn rank(costs: &[Vec<f64>], lengths: &[usize], enough: usize) -> Vec<usize> {
    const UNRANKED: usize = usize::MAX;
    let mut ranks = vec![UNRANKED; costs.len()];
    let goals = costs.first().map_or(0, Vec::len);
    let preferred: BTreeSet<usize> = (0..goals)
        .filter_map(|goal| {
            (0..costs.len())
                .min_by(|&a, &b| costs[a][goal].total_cmp(&costs[b][goal]).then(lengths[a].cmp(&lengths[b])))
        })
        .collect();
    preferred.iter().for_each(|&test| ranks[test] = 0);
    let (mut ranked, mut front) = (preferred.len(), 1);
    while ranked < enough.min(costs.len()) {
        let remaining: Vec<usize> = (0..costs.len()).filter(|&test| ranks[test] == UNRANKED).collect();
        let undominated: Vec<usize> = remaining
            .iter()
            .copied()
            .filter(|&test| !remaining.iter().any(|&other| dominates(&costs[other], &costs[test])))
            .collect();
        ranked += undominated.len();
        undominated.into_iter().for_each(|test| ranks[test] = front);
        front += 1;
    }
    ranks.into_iter().map(|rank| rank.min(front)).collect()
}

/// Tells whether the first test is nowhere worse and somewhere better.
fn dominates(one: &[f64], other: &[f64]) -> bool {
    let mut better = false;
    for (a, b) in one.iter().zip(other) {
        if a > b {
            return false;
        }
        better |= a < b;
    }
    better
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use expect_test::expect;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;

    /// Tests are bytes; goal `n` wants the byte `n` at place `n`, and needs goal `n - 1`. So only a search
    /// that climbs from goal to goal gets anywhere, because nothing is known of a goal before its place is
    /// right.
    struct Stairs {
        steps: u8,
    }

    impl Problem for Stairs {
        type Test = Vec<u8>;
        type Seen = Vec<u8>;
        type Error = Infallible;

        fn random(&mut self, rng: &mut impl Rng) -> Vec<u8> {
            (0..self.steps).map(|_| rng.random()).collect()
        }

        fn mutate(&mut self, test: &Vec<u8>, rng: &mut impl Rng) -> Vec<u8> {
            let chance = 1.0 / test.len() as f64;
            test.iter().map(|&byte| if rng.random_bool(chance) { rng.random() } else { byte }).collect()
        }

        fn cross(&mut self, one: &Vec<u8>, other: &Vec<u8>, rng: &mut impl Rng) -> [Vec<u8>; 2] {
            let at = rng.random_range(0..one.len());
            [[&one[..at], &other[at..]].concat(), [&other[..at], &one[at..]].concat()]
        }

        fn run(&mut self, tests: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Infallible> {
            Ok(tests.to_vec())
        }

        fn length(&self, test: &Vec<u8>) -> usize {
            test.len()
        }

        fn cost(&self, goal: usize, seen: &Vec<u8>) -> f64 {
            let off = seen[..=goal].iter().enumerate().map(|(at, &byte)| (f64::from(byte) - at as f64).abs());
            off.sum::<f64>() / 256.0 / self.steps as f64
        }
    }

    fn stairs(steps: u8) -> Vec<Goal> {
        (0..usize::from(steps))
            .map(|goal| Goal {
                needs: goal.checked_sub(1).into_iter().collect(),
                counterexample: true,
                ..Goal::default()
            })
            .collect()
    }

    fn climb(settings: Settings, seed: u64) -> (usize, Vec<Status>) {
        let mut problem = Stairs { steps: 6 };
        let mut search = Search::new(stairs(6), settings);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut generations = 0;
        while !search.is_over() && generations < 400 {
            search.generation(&mut problem, &mut rng).unwrap();
            generations += 1;
        }
        (generations, search.status().to_vec())
    }

    #[test]
    fn it_climbs_from_goal_to_goal() {
        let patient = Settings { abandon_after: None, reset_after: None, ..Settings::PAPER };
        let (generations, status) = climb(patient, 1);
        assert!(status.iter().all(|status| *status == Status::Covered), "{status:?}");
        // Guessing six bytes takes 2^48 tests.
        assert!(generations * 50 < 20_000, "{generations}");
    }

    #[test]
    fn the_same_seed_gives_the_same_search() {
        assert_eq!(climb(Settings::PAPER, 7), climb(Settings::PAPER, 7));
    }

    /// Nothing is ever reached.
    struct Unreachable;
    impl Problem for Unreachable {
        type Test = ();
        type Seen = ();
        type Error = Infallible;
        fn random(&mut self, _: &mut impl Rng) {}
        fn mutate(&mut self, (): &(), _: &mut impl Rng) {}
        fn cross(&mut self, (): &(), (): &(), _: &mut impl Rng) -> [(); 2] {
            [(), ()]
        }
        fn run(&mut self, tests: &[()]) -> Result<Vec<()>, Infallible> {
            Ok(tests.to_vec())
        }
        fn length(&self, (): &()) -> usize {
            1
        }
        fn cost(&self, _: usize, (): &()) -> f64 {
            0.5
        }
    }

    #[test]
    fn what_cannot_be_reached_is_abandoned_and_what_waits_for_it_never_aimed_at() {
        let goals = vec![Goal::default(), Goal { needs: vec![0], counterexample: true, ..Goal::default() }];
        let settings = Settings { abandon_after: Some(3), reset_after: Some(2), ..Settings::PAPER };
        let mut search = Search::new(goals, settings);
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut told = String::new();
        while !search.is_over() {
            let progress = search.generation(&mut Unreachable, &mut rng).unwrap();
            told += &format!("{} {} {}\n", progress.tests, progress.abandoned, progress.reset);
        }
        expect![[r#"
            50 0 false
            50 0 false
            50 0 true
            50 1 false
        "#]]
        .assert_eq(&told);
        assert_eq!(search.status(), [Status::Abandoned, Status::Waiting]);
    }

    #[test]
    fn a_goal_is_opened_by_any_of_several() {
        // Place 1 is right by luck or never; place 0 opens the third goal as well.
        let goals = vec![
            Goal::default(),
            Goal { needs: vec![3], ..Goal::default() },
            Goal { opened_by: vec![1, 0], ..Goal::default() },
            Goal { opened_by: vec![1], ..Goal::default() },
        ];
        let mut search = Search::<Stairs>::new(goals, Settings::PAPER);
        assert_eq!(search.status()[1..], [Status::Waiting; 3]);
        let stairs = Stairs { steps: 4 };
        let lucky = Individual { length: 4, test: vec![0, 9, 9, 9], seen: vec![0, 9, 9, 9], rank: 0 };
        assert_eq!(search.archive(&stairs, &lucky), [0]);
        assert_eq!(search.status(), [Status::Covered, Status::Waiting, Status::Targeted(0), Status::Waiting]);
    }

    /// Goals that are never given up grow older nonetheless.
    #[test]
    fn patience_counts_generations() {
        let patient = Settings { abandon_after: None, ..Settings::PAPER };
        let mut search =
            Search::new(vec![Goal::default(), Goal { needs: vec![0], ..Goal::default() }], patient);
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        for _ in 0..3 {
            search.generation(&mut Unreachable, &mut rng).unwrap();
        }
        assert_eq!(search.status(), [Status::Targeted(3), Status::Waiting]);
    }

    /// [dice, Figure 7]: five tests, three goals. The first reaches goal 2, the second is the best for goal
    /// 1.
    #[test]
    fn fronts_of_the_paper_s_example() {
        let costs =
            [[0.66, 0.0, 0.33], [0.33, 0.66, 0.33], [0.66, 0.33, 0.33], [0.66, 0.66, 0.66], [1.0, 1.0, 1.0]];
        let costs: Vec<Vec<f64>> = costs.iter().map(|row| row.to_vec()).collect();
        assert_eq!(rank(&costs, &[3, 3, 4, 3, 3], 5), [0, 0, 1, 2, 3]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        /// Fronts as their definition has them, computed by peeling.
        #[test]
        fn fronts_agree_with_their_definition(
            costs in prop::collection::vec(prop::collection::vec(0_u8..4, 3), 1..12),
        ) {
            let costs: Vec<Vec<f64>> =
                costs.iter().map(|row| row.iter().map(|&cost| f64::from(cost)).collect()).collect();
            let lengths: Vec<usize> = (0..costs.len()).collect();
            let ranks = rank(&costs, &lengths, costs.len());
            for (test, row) in costs.iter().enumerate() {
                let best = |goal: usize| {
                    let least = costs.iter().map(|row| row[goal]).fold(f64::INFINITY, f64::min);
                    row[goal] == least && costs[..test].iter().all(|row| row[goal] > least)
                };
                prop_assert_eq!(ranks[test] == 0, (0..3).any(best));
                if ranks[test] > 1 {
                    // Somebody in the front before it dominates it, and nobody in its own front does.
                    prop_assert!((0..costs.len()).any(|other| ranks[other] + 1 == ranks[test] && dominates(&costs[other], row)));
                }
                prop_assert!(!(0..costs.len()).any(|other| ranks[test] > 0 && ranks[other] == ranks[test] && dominates(&costs[other], row)));
            }
        }
    }
}
