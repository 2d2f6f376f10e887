//! The searches on objects that are random automata: *random model in, same language out*.
//!
//! Where fields show the state, exploration comes to know all situations of a finite automaton, and promises
//! the language itself. Where nothing shows it, exploration looks behind a fixed number of situations for
//! each event of a state, and may miss what lies behind others; then it only promises to accept most of what
//! random runs do.
//!
//! Seeds are fixed: a search may miss something, and a test that fails once a month helps nobody.

use std::collections::BTreeSet;

use adit_attack::branches::Branches;
use adit_attack::dice_tester::{Assault, dice_tester};
use adit_attack::dynamosa::Settings;
use adit_attack::explore::{ExploreOptions, Explored, Laboratory, Prior, explore};
use adit_attack::purity::{PurityOptions, Verdict, purity};
use adit_attack::shrink::shrink;
use adit_attack::validate::{ValidateOptions, Validated, WalkOptions, validate};
use adit_attack::{EventReader, GuardedSubject, SurveyOptions};
use adit_automata::Fsa;
use adit_logic::{Checker, Fate, Language, Limit, Property, Template, Verdict as Truth};
use adit_trace::{Author, Letter, Phase, Progress, Script, Stop, Subject, Unlimited, edit};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::author::RandomAuthor;
use crate::automaton_world::{Automaton, World, automata};
use crate::options::splitting;

/// More states than a model of these automata can have when it is made deterministic.
const LIMIT: usize = 1 << 12;

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(10),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// An automaton as a subject, with what a search needs beside it.
struct Arena {
    world: World,
    reader: EventReader,
    author: RandomAuthor,
    rng: ChaCha8Rng,
}

impl Arena {
    fn new(automaton: &Automaton, shows_state: bool) -> Self {
        let vocabulary = automaton.vocabulary();
        Self {
            world: World { automaton: automaton.clone(), shows_state },
            reader: EventReader::new(&vocabulary),
            author: RandomAuthor::new(&vocabulary),
            rng: ChaCha8Rng::seed_from_u64(1),
        }
    }

    fn explored(&mut self) -> Explored {
        let options = ExploreOptions {
            survey: SurveyOptions { scripts: 300, calls: 8, candidates: 24, moves: 8 },
            successors: 8,
            splitting: splitting(10),
        };
        let Self { world, reader, author, rng } = self;
        let mut unlimited = Unlimited;
        let mut subject = GuardedSubject::new(world, &mut unlimited);
        let prior = Prior::default();
        let pace = &mut Unlimited;
        let mut laboratory = Laboratory { subject: &mut subject, author, reader, rng, pace };
        let explored = explore(&mut laboratory, prior, options).unwrap().explored(reader);
        assert_eq!(explored.stop, Stop::Done);
        explored
    }

    fn validated(&mut self, model: &Fsa<String>) -> Validated {
        let survey = SurveyOptions { scripts: 400, calls: 8, candidates: 24, moves: 8 };
        let walks = WalkOptions { count: 100, length: 6, width: 12 };
        let options = ValidateOptions { known: Vec::new(), survey, choosing: 2000, runs: 500, walks };
        let Self { world, reader, author, rng } = self;
        let validated = validate(world, author, reader, model, &options, rng, &mut Unlimited).unwrap();
        assert_eq!(validated.stop, Stop::Done);
        validated
    }

    /// The words of the objects of a script, as labels.
    fn words(&mut self, script: &Script) -> Vec<Vec<String>> {
        let runs = self.world.run(std::slice::from_ref(script)).unwrap();
        let label = |&letter: &Letter| self.reader.alphabet().name(letter).to_owned();
        let traces = self.reader.read(script, &runs[0]);
        traces.iter().map(|trace| trace.word.iter().map(label).collect()).collect()
    }
}

/// Tells that no two states that an object can be in enable the same events.
fn tells_states_apart(automaton: &Automaton) -> bool {
    let states = automaton.reachable();
    let sets: BTreeSet<_> = states.iter().map(|&(state, _)| automaton.enabled(state)).collect();
    sets.len() == states.len()
}

fn text(model: &Fsa<String>) -> String {
    let edges = model.all_edges();
    edges.map(|edge| format!("{} {} {}\n", edge.from, edge.label, edge.to)).collect()
}

proptest! {
    #![proptest_config(cases(48))]

    /// The model has the language of the automaton, also where states enable the same events.
    #[test]
    fn exploration_gives_the_language_back(automaton in automata(6)) {
        let explored = Arena::new(&automaton, true).explored();
        let (model, truth) = (&explored.model, automaton.model());
        let difference = model.separating_word(&truth, LIMIT).unwrap();
        prop_assert_eq!(difference, None, "{}", text(model));
        let difference = truth.separating_word(model, LIMIT).unwrap();
        prop_assert_eq!(difference, None, "{}", text(model));
        if tells_states_apart(&automaton) {
            prop_assert!(model.len() > automaton.reachable().len(), "{}", text(model));
        }
    }

    /// In each state, the model refuses the methods that the automaton refuses there, and no others.
    #[test]
    fn exploration_finds_what_is_refused(
        automaton in automata(6).prop_filter("states that enable the same", tells_states_apart),
    ) {
        let explored = Arena::new(&automaton, true).explored();
        for (state, word) in automaton.reachable() {
            let now = explored.model.after(&word);
            prop_assert!(!now.is_empty(), "{:?}", word);
            let refused: BTreeSet<String> =
                automaton.refused(state).iter().map(|name| format!("{name}!Refused")).collect();
            for now in now {
                let found: BTreeSet<String> = explored.model.refusals(now).iter().cloned().collect();
                prop_assert_eq!(&found, &refused, "after {:?}", word);
            }
        }
    }

    /// Of an automaton whose states nothing shows, the model accepts most of what random runs do.
    #[test]
    fn exploration_without_fields_reads_most_runs(automaton in automata(6)) {
        let mut arena = Arena::new(&automaton, false);
        let model = arena.explored().model;
        let scripts: Vec<Script> = (0..300).map(|_| arena.author.script(&mut arena.rng, 8)).collect();
        let words: Vec<_> = scripts.iter().flat_map(|script| arena.words(script)).collect();
        let read = words.iter().filter(|word| model.reads(word)).count();
        prop_assert!(10 * read >= 9 * words.len(), "{} of {}\n{}", read, words.len(), text(&model));
    }

    /// Every walk of the true model can be realized, and it reads every run.
    #[test]
    fn the_true_model_is_right(automaton in automata(5), shows_state in any::<bool>()) {
        let validated = Arena::new(&automaton, shows_state).validated(&automaton.model());
        prop_assert_eq!(validated.precision.share(), Some(1.0), "{:?}", validated.unrealized);
        prop_assert_eq!(validated.recall.share(), Some(1.0), "{:?}", validated.rejected);
        prop_assert_eq!(validated.undecided.all(), 0);
    }

    /// A transition too many costs precision, one too few costs recall. It leaves the first state of the
    /// object, so that walks and runs meet it.
    #[test]
    fn a_wrong_model_is_found_wrong(automaton in automata(5), shows_state in any::<bool>()) {
        let mut elsewhere = automaton.reachable().into_iter().flat_map(|(state, _)| automaton.enabled(state));
        // Of a call that never returns nothing is known, so a walk with it would be undecided, not wrong.
        if let Some(letter) = elsewhere.find(|&letter| automaton.states[0][letter].is_none()) {
            let mut wrong = automaton.clone();
            wrong.states[0][letter] = Some(0);
            let validated = Arena::new(&automaton, shows_state).validated(&wrong.model());
            let share = validated.precision.share();
            prop_assert!(share.is_some_and(|share| share < 1.0), "{:?}", validated);
        }
        if let Some(&letter) = automaton.enabled(0).first() {
            let mut wrong = automaton.clone();
            wrong.states[0][letter] = None;
            let validated = Arena::new(&automaton, shows_state).validated(&wrong.model());
            prop_assert!(validated.recall.share().is_some_and(|share| share < 1.0), "{:?}", validated);
        }
    }

    /// With the states in view, a method is found to change something exactly if it leads from one state to
    /// another.
    #[test]
    fn purity_is_staying_in_the_state(automaton in automata(4)) {
        let Arena { mut world, mut author, mut rng, .. } = Arena::new(&automaton, true);
        let options = PurityOptions { tries: 150, calls: 8 };
        let vocabulary = automaton.vocabulary();
        let purities =
            purity(&mut world, &vocabulary, &mut author, options, &mut rng, &mut Unlimited).unwrap();
        // A call that leads elsewhere is noticed if some call behaves differently there, or is refused there
        // and here.
        let differs = |one: usize, other: usize| {
            let calls = automaton.methods.iter().flat_map(|method| [(method, false), (method, true)]);
            let mut steps = calls.map(|(method, odd)| [one, other].map(|state| automaton.step(state, method, odd)));
            one != other && steps.any(|[one, other]| one != other || one.is_none())
        };
        for method in &automaton.methods {
            let leads = |state: usize| {
                let targets = [false, true].map(|odd| automaton.step(state, method, odd));
                targets.into_iter().flatten().any(|(_, target)| differs(state, target))
            };
            let moves = automaton.reachable().iter().any(|&(state, _)| leads(state));
            let verdict = purities.verdicts.iter().find(|(callable, _)| callable.name == method.name);
            let changes = verdict.is_some_and(|(_, verdict)| matches!(verdict, Verdict::Changes { .. }));
            prop_assert_eq!(changes, moves, "{}", method.name);
        }
    }

    /// Of a random script whose first object ends with a certain word, only that word is left, call by call.
    #[test]
    fn shrinking_leaves_what_is_needed(automaton in automata(4), seed in any::<u64>()) {
        let mut arena = Arena::new(&automaton, true);
        let script = arena.author.script(&mut ChaCha8Rng::seed_from_u64(seed), 12);
        let last = |words: &[Vec<String>]| words.iter().map(|word| word.last().cloned()).collect::<Vec<_>>();
        let wanted = last(&arena.words(&script))[0].clone();
        let mut does = |script: &Script| last(&arena.words(script)).contains(&wanted);
        let progress = Progress::new(Phase::Shrink, 0);
        let still = |scripts: &[Script]| Ok::<_, ()>(scripts.iter().map(&mut does).collect());
        let shrunk = shrink(&script, 10_000, progress, &mut Unlimited, still).unwrap();
        prop_assert_eq!(shrunk.stop, Stop::Done);
        prop_assert!(does(&shrunk.script));
        for at in 0..shrunk.script.statements.len() {
            prop_assert!(!does(&edit::remove(&shrunk.script, at)), "{:?}", shrunk.script);
        }
    }
}

proptest! {
    #![proptest_config(cases(16))]

    /// A property that a short word of the automaton violates is refuted, by a script that shows it; one that
    /// holds survives. A model checker tells which is which.
    #[test]
    fn properties_are_refuted_exactly_if_they_are_wrong(automaton in automata(3)) {
        let mut arena = Arena::new(&automaton, true);
        let letters = arena.reader.alphabet().len() as Letter;
        // As in a campaign, what the first random runs refute is not attacked: it would keep the rest
        // waiting.
        let first: Vec<Script> = (0..60).map(|_| arena.author.script(&mut arena.rng, 6)).collect();
        let first: BTreeSet<Vec<String>> = first.iter().flat_map(|script| arena.words(script)).collect();
        let pairs = (0..letters).flat_map(|a| (0..letters).map(move |b| (a, b)));
        let all = pairs.flat_map(|(a, b)| Template::ALL.map(|template| Property { template, a, b }));
        let spelled = |property: &Property<Letter>| {
            let label = |letter| arena.reader.alphabet().name(letter).to_owned();
            Property { template: property.template, a: label(property.a), b: label(property.b) }
        };
        let open = |property: &Property<Letter>| first.iter().all(|word| holds(&only(word), &spelled(property)));
        let properties: Vec<Property<Letter>> = all.filter(open).collect();
        let labels: Vec<Property<String>> = properties.iter().map(spelled).collect();
        let assault = Assault {
            properties: properties.clone(),
            pure: BTreeSet::new(),
            branches: Branches::default(),
            calls: 8,
            settings: Settings { abandon_after: Some(60), reset_after: None, ..Settings::PAPER },
            shrink: (0, 0),
        };
        let Arena { world, reader, author, rng } = &mut arena;
        let mut unlimited = Unlimited;
        let mut subject = GuardedSubject::new(world, &mut unlimited);
        let attacked = dice_tester(&mut subject, author, reader, &assault, rng, &mut Unlimited).unwrap();
        let model = automaton.model();
        for (property, fate) in labels.iter().zip(&attacked.fates) {
            match (truth(&model, property), fate) {
                (Truth::Holds, Fate::Refuted(_)) => prop_assert!(false, "{:?} holds", property),
                (_, Fate::Refuted(test)) => {
                    let words = arena.words(&attacked.tests[*test]);
                    prop_assert!(words.iter().any(|word| !holds(&only(word), property)), "{:?}", property);
                }
                // Longer counterexamples may be missed.
                (Truth::Fails { counterexample }, _) if counterexample.len() <= 5 => {
                    prop_assert!(false, "{:?} is violated by {:?}: {:?}", property, counterexample, fate);
                }
                _ => {}
            }
        }
    }
}

fn truth(model: &Fsa<String>, property: &Property<String>) -> Truth<String> {
    Checker::new(model, Language::Accepted, Limit(1 << 20)).check_property(property, &BTreeSet::new())
}

fn holds(model: &Fsa<String>, property: &Property<String>) -> bool {
    truth(model, property) == Truth::Holds
}

/// A model that accepts one word.
fn only(word: &[String]) -> Fsa<String> {
    let mut builder = adit_automata::Builder::new();
    builder.state(word.is_empty());
    builder.initial(0);
    for (at, label) in word.iter().enumerate() {
        let next = builder.state(at + 1 == word.len());
        builder.edge(at, label.clone(), next);
    }
    builder.build()
}

/// A machine that opens when `a` was called ten times in a row: any other call begins from the start, and
/// moves on in a circle that does not matter. Random scripts are too short, and there are too many situations
/// for looking behind all of them.
#[test]
fn what_a_call_does_after_many_times_is_found_by_repeating_it() {
    const TIMES: usize = 10;
    const CIRCLE: usize = 300;
    let at = |times: usize, place: usize| times * CIRCLE + place % CIRCLE;
    let never = usize::MAX;
    let mut targets = Vec::new();
    for times in 0..=TIMES {
        for place in 0..CIRCLE {
            let (again, open) =
                if times < TIMES { (at(times + 1, place), never) } else { (never, at(0, place)) };
            targets.push(vec![again, at(0, place + 1), open]);
        }
    }
    let automaton = Automaton::new(3, 0, &targets);
    let explored = Arena::new(&automaton, true).explored();
    let mut word = vec!["a".to_owned(); TIMES];
    word.insert(0, crate::automaton_world::CLASS.to_owned());
    word.push("c".to_owned());
    assert!(explored.model.reads(&word), "{}", explored.model.len());
}
