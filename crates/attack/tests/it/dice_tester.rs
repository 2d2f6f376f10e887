//! The search for counterexamples, on stacks.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::ops::ControlFlow;

use adit_attack::branches::{BranchSide, Branches};
use adit_attack::dice_tester::{Assault, Attacked, dice_tester};
use adit_attack::dynamosa::Settings;
use adit_attack::{EventReader, GuardedSubject};
use adit_logic::{Fate, Property, Template};
use adit_trace::{
    Letter, Limit, Pace, Passed, Phase, Progress, Run, Script, StepResult, Stop, Subject, Unlimited,
};
use expect_test::{Expect, expect};
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::author::RandomAuthor;
use crate::stack_world::{StackWorld, tools};

/// Stops an attack after so many generations, and leaves time to make tests smaller.
struct Generations {
    left: u32,
    /// The most branches that were covered.
    covered: Option<usize>,
}

impl Generations {
    fn new(left: u32) -> Self {
        Self { left, covered: None }
    }
}

impl Pace for Generations {
    fn go_on(&mut self, progress: &Progress) -> ControlFlow<Stop> {
        self.covered = self.covered.max(progress.covered);
        match (progress.phase, self.left.checked_sub(1)) {
            (Phase::Attack, None) => return ControlFlow::Break(Stop::Budget(Limit::Tests)),
            (Phase::Attack, Some(left)) => self.left = left,
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// The stack, spoiled.
#[derive(Default)]
struct Spoiled {
    stack: StackWorld,
    /// Calls of this method throw.
    broken: Option<&'static str>,
    /// Every run leaves a file open.
    leaks: bool,
    /// Runs say which branches they took: a push that succeeds, one that does not, and behind the first the
    /// third in one test.
    probed: bool,
    /// All that was run.
    ran: Vec<Script>,
}

impl Subject for Spoiled {
    type Error = Infallible;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Infallible> {
        let mut runs = self.stack.run(batch)?;
        self.ran.extend_from_slice(batch);
        for (script, run) in batch.iter().zip(&mut runs) {
            run.leaked = self.leaks;
            if self.probed {
                let pushes = script.statements.iter().zip(&run.steps);
                let pushes = pushes.filter(|(statement, _)| statement.callable.name == "push");
                let threw = |step: &StepResult| matches!(step, StepResult::Threw { .. });
                let (failed, done): (Vec<_>, Vec<_>) = pushes.partition(|(_, step)| threw(&step.result));
                let sides = [!done.is_empty(), !failed.is_empty(), done.len() > 2];
                let bits = sides.iter().rev().fold(0, |bits, &side| bits << 1 | u8::from(side));
                run.passed = Some(Passed([bits].into()));
            }
            for (statement, step) in script.statements.iter().zip(&mut run.steps) {
                if Some(&*statement.callable.name) == self.broken {
                    step.result = StepResult::threw("Broken");
                }
            }
        }
        Ok(runs)
    }
}

struct Arena {
    reader: EventReader,
    author: RandomAuthor,
}

impl Arena {
    fn new() -> Self {
        let (reader, author) = tools(None);
        Self { reader, author }
    }

    fn letter(&self, label: &str) -> Letter {
        self.reader.alphabet().get(label).unwrap_or_else(|| panic!("{label} is no event of the stack"))
    }

    /// Reads `NF push pop`.
    fn property(&self, text: &str) -> Property<Letter> {
        let [template, a, b] = *text.split(' ').collect::<Vec<_>>() else { panic!("{text}") };
        let template = Template::from_short(template).unwrap();
        Property { template, a: self.letter(a), b: self.letter(b) }
    }

    fn pure(&self) -> BTreeSet<Letter> {
        ["isEmpty:TRUE", "isEmpty:FALSE", "same:TRUE", "same:FALSE", "now"]
            .iter()
            .map(|label| self.letter(label))
            .collect()
    }

    fn attack(
        &self,
        subject: &mut Spoiled,
        properties: &[Property<Letter>],
        settings: Settings,
        seed: u64,
        generations: u32,
    ) -> Attacked {
        let (properties, branches) = (properties.to_vec(), Branches::default());
        let assault = Assault { properties, pure: self.pure(), branches, calls: 8, settings, shrink: (0, 0) };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut unlimited, pace) = (Unlimited, &mut Generations::new(generations));
        let mut subject = GuardedSubject::new(subject, &mut unlimited);
        dice_tester(&mut subject, &mut self.author.clone(), &self.reader, &assault, &mut rng, pace).unwrap()
    }

    /// Returns true if an object of the test breaks the property, by the definition.
    fn refutes(&self, test: &Script, property: &Property<Letter>) -> bool {
        let runs = StackWorld::default().run(std::slice::from_ref(test)).unwrap();
        self.reader.read(test, &runs[0]).iter().any(|heard| broken(&heard.word, property, &self.pure()))
    }
}

/// Meaning of the six templates, written straight from their definitions.
fn broken(word: &[Letter], property: &Property<Letter>, pure: &BTreeSet<Letter>) -> bool {
    let Property { template, a, b } = *property;
    let near = |events: Vec<Letter>| {
        let end = events.iter().position(|event| !pure.contains(event)).map_or(events.len(), |at| at + 1);
        events[..end].contains(&b)
    };
    (0..word.len()).filter(|&at| word[at] == a).any(|at| {
        let (before, behind) = (&word[..at], &word[at + 1..]);
        match template {
            Template::AlwaysFollowed => !behind.contains(&b),
            Template::NeverFollowed => behind.contains(&b),
            Template::AlwaysPreceded => !before.contains(&b),
            Template::AlwaysImmediatelyFollowed => !near(behind.to_vec()),
            Template::NeverImmediatelyFollowed => near(behind.to_vec()),
            Template::AlwaysImmediatelyPreceded => !near(before.iter().rev().copied().collect()),
        }
    })
}

/// Gives nothing up before the budget ends the search, so that witnesses have time to become short.
fn patient() -> Settings {
    Settings { abandon_after: Some(1000), reset_after: None, ..Settings::PAPER }
}

/// The fate of each property, with the calls of the test that refutes it.
fn told(texts: &[&str], attacked: &Attacked) -> String {
    let fate = |fate: &Fate<usize>| match fate {
        Fate::Refuted(test) => {
            let test: Vec<&str> =
                attacked.tests[*test].statements.iter().map(|one| one.callable.event_name()).collect();
            format!("refuted by {}", test.join(" "))
        }
        Fate::Survived { attacked, abandoned: true } => format!("given up after {attacked} generations"),
        Fate::Survived { attacked, abandoned: false } => format!("survived {attacked} generations"),
        Fate::NotAttacked => "not attacked".to_owned(),
    };
    texts.iter().zip(&attacked.fates).map(|(text, it)| format!("{text}: {}\n", fate(it))).collect()
}

fn check(subject: &mut Spoiled, texts: &[&str], settings: Settings, generations: u32, expected: Expect) {
    let arena = Arena::new();
    let properties: Vec<_> = texts.iter().map(|text| arena.property(text)).collect();
    let attacked = arena.attack(subject, &properties, settings, 1, generations);
    expected.assert_eq(&told(texts, &attacked));
}

#[test]
fn what_is_wrong_is_refuted_by_a_short_test() {
    check(
        &mut Spoiled::default(),
        &[
            "NF push pop",
            "AF push pop",
            "AP push isEmpty:TRUE",
            "NIF push push",
            "AIF push pop",
            "AIP pop push",
            "NF pop isEmpty:FALSE",
        ],
        patient(),
        150,
        expect![[r#"
            NF push pop: refuted by Stack now push pop
            AF push pop: refuted by Stack push
            AP push isEmpty:TRUE: refuted by Stack push
            NIF push push: refuted by Stack push push
            AIF push pop: refuted by Stack push
            AIP pop push: refuted by Stack now push size pop push
            NF pop isEmpty:FALSE: refuted by Stack push now push pop isEmpty isEmpty
        "#]],
    );
}

#[test]
fn what_is_true_survives() {
    check(
        &mut Spoiled::default(),
        &[
            "AP pop push",
            "NIF isEmpty:TRUE pop",
            "NIF isEmpty:TRUE isEmpty:FALSE",
            "NIF push isEmpty:TRUE",
            "NF push Stack",
        ],
        patient(),
        60,
        expect![[r#"
            AP pop push: survived 60 generations
            NIF isEmpty:TRUE pop: survived 60 generations
            NIF isEmpty:TRUE isEmpty:FALSE: survived 60 generations
            NIF push isEmpty:TRUE: survived 60 generations
            NF push Stack: survived 60 generations
        "#]],
    );
}

#[test]
fn what_withstands_is_given_up_and_then_nothing_is_left() {
    let texts = ["AP pop push", "NIF isEmpty:TRUE pop", "NF push pop"];
    let arena = Arena::new();
    let properties: Vec<_> = texts.iter().map(|text| arena.property(text)).collect();
    let settings = Settings { abandon_after: Some(15), reset_after: Some(4), ..Settings::PAPER };
    let attacked = arena.attack(&mut Spoiled::default(), &properties, settings, 3, 1000);
    assert_eq!(attacked.stop, Stop::Done);
    assert!(attacked.generations < 60, "{}", attacked.generations);
    assert_eq!(attacked.run, u64::from(attacked.generations) * 50);
    // Nothing is refuted after the first generations, so that every fifth one starts anew.
    assert!(attacked.resets >= 2, "{}", attacked.resets);
    expect![[r#"
        AP pop push: given up after 15 generations
        NIF isEmpty:TRUE pop: given up after 15 generations
        NF push pop: refuted by Stack push pop
    "#]]
    .assert_eq(&told(&texts, &attacked));
}

#[test]
fn nothing_is_aimed_at_that_waits_for_the_impossible() {
    // Nobody pops, so that properties about what follows or precedes a pop wait for ever; those about a push
    // do not.
    check(
        &mut Spoiled { broken: Some("pop"), ..Spoiled::default() },
        &["AP pop push", "NF pop push", "NIF pop pop", "AP push pop", "AF push pop", "NF push pop"],
        Settings { abandon_after: Some(20), ..Settings::PAPER },
        1000,
        expect![[r#"
            AP pop push: not attacked
            NF pop push: not attacked
            NIF pop pop: not attacked
            AP push pop: refuted by Stack push
            AF push pop: refuted by Stack push
            NF push pop: given up after 20 generations
        "#]],
    );
}

#[test]
fn whoever_leaves_files_open_refutes_nothing() {
    check(
        &mut Spoiled { leaks: true, ..Spoiled::default() },
        &["NF push pop", "AF push pop"],
        Settings { abandon_after: Some(5), ..Settings::PAPER },
        1000,
        expect![[r#"
            NF push pop: not attacked
            AF push pop: not attacked
        "#]],
    );
}

#[test]
fn branches_are_goals_too() {
    let arena = Arena::new();
    let side = |branch: std::ops::Range<usize>, opened_by: &[usize]| BranchSide {
        branch,
        opened_by: opened_by.to_vec(),
    };
    let branches = Branches::new(&[side(0..2, &[]), side(0..2, &[]), side(2..3, &[0])]);
    let assault = Assault {
        properties: vec![arena.property("AP pop push")],
        pure: arena.pure(),
        branches,
        calls: 8,
        settings: patient(),
        shrink: (0, 0),
    };
    let mut subject = Spoiled { probed: true, ..Spoiled::default() };
    let (mut rng, mut pace) = (ChaCha8Rng::seed_from_u64(1), Generations::new(60));
    let author = &arena.author;
    let mut unlimited = Unlimited;
    let mut subject = GuardedSubject::new(&mut subject, &mut unlimited);
    let attacked =
        dice_tester(&mut subject, &mut author.clone(), &arena.reader, &assault, &mut rng, &mut pace).unwrap();
    assert_eq!((attacked.covered, pace.covered), (3, Some(3)));
    let kept = Spoiled { probed: true, ..Spoiled::default() }.run(&attacked.tests).unwrap();
    for side in 0..3 {
        assert!(kept.iter().any(|run| run.passed.as_ref().unwrap().has(side)), "{side}");
    }
    // Without probes in the class, the same goals are never reached, and nothing else changes.
    let (mut plain, mut unlimited) = (Spoiled::default(), Unlimited);
    let mut plain = GuardedSubject::new(&mut plain, &mut unlimited);
    let pace = &mut Generations::new(5);
    let without =
        dice_tester(&mut plain, &mut author.clone(), &arena.reader, &assault, &mut rng, pace).unwrap();
    assert_eq!(without.covered, 0);
}

#[test]
fn witnesses_are_made_smaller() {
    let arena = Arena::new();
    let texts = ["NF push pop", "AIP pop push", "NF pop isEmpty:FALSE", "NIF push push", "AP pop push"];
    let properties: Vec<_> = texts.iter().map(|text| arena.property(text)).collect();
    let attack = |shrink| {
        let assault = Assault {
            properties: properties.clone(),
            pure: arena.pure(),
            branches: Branches::default(),
            calls: 8,
            settings: patient(),
            shrink,
        };
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let (mut subject, mut unlimited) = (Spoiled::default(), Unlimited);
        let attacked = dice_tester(
            &mut GuardedSubject::new(&mut subject, &mut unlimited),
            &mut arena.author.clone(),
            &arena.reader,
            &assault,
            &mut rng,
            &mut Generations::new(3),
        );
        let attacked = attacked.unwrap();
        assert_eq!(attacked.run, subject.ran.len() as u64);
        attacked
    };
    let (long, short) = (attack((0, 0)), attack((200, 2000)));
    assert_eq!(long.found_after, short.found_after);
    let mut smaller = 0;
    for ((property, long_fate), short_fate) in properties.iter().zip(&long.fates).zip(&short.fates) {
        let (Fate::Refuted(long_test), Fate::Refuted(short_test)) = (long_fate, short_fate) else {
            assert_eq!(long_fate, short_fate);
            continue;
        };
        let (long_test, short_test) = (&long.tests[*long_test], &short.tests[*short_test]);
        assert!(arena.refutes(short_test, property), "{property:?}");
        assert!(short_test.statements.len() <= long_test.statements.len());
        smaller += usize::from(short_test.statements.len() < long_test.statements.len());
    }
    assert!(smaller > 0, "three generations leave something to make smaller");
    assert!(short.run > long.run && short.run <= long.run + 1000);
}

#[test]
fn no_budget_no_tests() {
    let arena = Arena::new();
    let properties = [arena.property("NF push pop")];
    let attacked = arena.attack(&mut Spoiled::default(), &properties, patient(), 1, 0);
    assert_eq!((attacked.run, attacked.generations, attacked.stop), (0, 0, Stop::Budget(Limit::Tests)));
    assert_eq!((attacked.fates, attacked.tests.len()), (vec![Fate::NotAttacked], 0));
}

#[test]
fn the_same_seed_gives_the_same_attack() {
    let arena = Arena::new();
    let texts = ["NF push pop", "AP pop push", "AIF size push"];
    let properties: Vec<_> = texts.iter().map(|text| arena.property(text)).collect();
    let attack = |seed| {
        let attacked = arena.attack(&mut Spoiled::default(), &properties, Settings::PAPER, seed, 20);
        (attacked.tests, attacked.fates, attacked.run)
    };
    assert_eq!(attack(5), attack(5));
    assert_ne!(attack(5).0, attack(6).0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Every property that is said to be refuted is, by the shortest of the tests that were run and refute
    /// it; and none refutes a property that is said to stand.
    #[test]
    fn fates_agree_with_the_definition(seed in any::<u64>(), chosen in prop::collection::vec((0_usize..6, 0_u32..9, 0_u32..9), 1..30)) {
        let arena = Arena::new();
        let letters = arena.reader.alphabet().len() as u32;
        let properties: Vec<Property<Letter>> = chosen
            .iter()
            .map(|&(template, a, b)| Property { template: Template::ALL[template], a: a % letters, b: b % letters })
            .collect();
        let mut subject = Spoiled::default();
        let attacked = arena.attack(&mut subject, &properties, Settings::PAPER, seed, 15);
        prop_assert_eq!(attacked.fates.len(), properties.len());
        prop_assert_eq!(attacked.run, subject.ran.len() as u64);
        for ((property, fate), found_after) in properties.iter().zip(&attacked.fates).zip(&attacked.found_after) {
            let first = subject.ran.iter().position(|test| arena.refutes(test, property));
            prop_assert_eq!(*found_after, first.map(|at| at as u64 + 1));
            let refuting = subject.ran.iter().filter(|test| arena.refutes(test, property));
            let shortest = refuting.map(|test| test.statements.len()).min();
            let named = match fate {
                Fate::Refuted(test) => Some(attacked.tests[*test].clone()),
                _ => None,
            };
            prop_assert!(named.iter().all(|test| arena.refutes(test, property)));
            prop_assert_eq!(named.map(|test| test.statements.len()), shortest);
        }
    }
}
