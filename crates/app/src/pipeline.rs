//! From a class to a model: watch it, claim, attack the claims, infer. The picture of docs/architecture.md as straight code.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use adit_attack::assay::{AssayOptions, Assayed, Phase, assay};
use adit_attack::branches::Branches;
use adit_attack::dice_tester::{Assault, Attacked, Fate, Stop, dice_tester};
use adit_attack::dynamosa::Settings;
use adit_attack::purity::{Difference, PurityOptions, Verdict, purity};
use adit_attack::{Api, Ear, Generator};
use adit_automata::Fsa;
use adit_infer::{Constraints, dice_miner};
use adit_jvm::{Host, HostError};
use adit_logic::{Property, Template};
use adit_mine::{Purity, Wanted, properties_of};
use adit_trace::{Letter, Run, Script, Subject, WordSink, Words, pure_by_name};
use miette::Report;
use rand::{Rng, RngExt};

use crate::flags::{Budget, Claims, Miner, Tester};
use crate::interrupt::Listening;
use crate::machine;
use crate::output::tell;
use crate::progress::Counting;
use crate::timeline::{Point, Timeline};

/// What is wanted of a pipeline.
pub(crate) struct Plan {
    pub(crate) miner: Miner,
    pub(crate) tester: Tester,
    /// Random tests at the beginning.
    pub(crate) initial: usize,
    /// The most calls of a new test.
    pub(crate) calls: usize,
    pub(crate) settings: Settings,
    pub(crate) assay: AssayOptions,
    pub(crate) claims: Claims,
    pub(crate) constraints: Constraints,
    /// Words that are known to be possible: those of the user's tests.
    pub(crate) given: Vec<Vec<Letter>>,
}

/// What came out.
pub(crate) struct Mined {
    pub(crate) model: Fsa<String>,
    pub(crate) properties: Vec<Judged>,
    /// The labels of events without a side effect.
    pub(crate) pure: BTreeSet<String>,
    /// Tests worth keeping, with what happened: they take the model's transitions or refute claims.
    pub(crate) tests: Vec<(Script, Run)>,
    pub(crate) tests_run: u64,
    pub(crate) assayed: Option<Assayed>,
    /// The words of the user's tests that the model does not have, shortest first.
    pub(crate) rejected: Vec<Vec<String>>,
    /// Sides of branches taken, and how many there are; nothing if that is not known.
    pub(crate) branches: Option<(usize, usize)>,
    pub(crate) stop: &'static str,
}

/// A claim, and what became of it.
pub(crate) struct Judged {
    pub(crate) property: Property<String>,
    pub(crate) fate: Fate,
    /// The number of the test that refuted it first, counted from the beginning.
    pub(crate) found_after: Option<u64>,
}

/// The budget, the clock and Ctrl-C.
pub(crate) struct Watch {
    listening: Listening,
    pub(crate) counting: Counting,
    start: Instant,
    budget: Budget,
    tests: u64,
    pub(crate) timeline: Timeline,
    pub(crate) stop: Option<&'static str>,
}

impl Watch {
    pub(crate) fn new(budget: Budget, quiet: bool) -> Self {
        let (listening, counting) = (Listening::new(), Counting::new(quiet));
        let timeline = Timeline::new();
        Self { listening, counting, start: Instant::now(), budget, tests: 0, timeline, stop: None }
    }

    /// Takes note of how the current step goes, after so many tests of it.
    fn note(&mut self, step: u64, point: Point) {
        let (seconds, tests) = (self.elapsed().as_secs_f64(), self.tests + step);
        self.timeline.add(Point { seconds, tests, ..point });
    }

    /// Whether to go on after so many tests of the current step, which may take this share of the budget.
    fn go_on(&mut self, step: u64, share: f64, text: impl FnOnce() -> String) -> ControlFlow<()> {
        self.counting.show(text);
        let over = match self.budget {
            Budget::Tests(tests) => (self.tests + step) as f64 >= tests as f64 * share,
            Budget::Time(time) => self.start.elapsed() >= time.mul_f64(share),
        };
        self.stop = match (self.listening.interrupted(), over) {
            (true, _) => Some("interrupted"),
            (false, true) => Some("budget"),
            (false, false) => return ControlFlow::Continue(()),
        };
        ControlFlow::Break(())
    }

    /// In how many runs all tests that refute claims may be made smaller.
    fn shrinking(&self) -> usize {
        match self.budget {
            Budget::Tests(tests) => (tests as f64 * (1.0 - ATTACKING)) as usize,
            // As many as even a slow class runs in a part of a second.
            Budget::Time(_) => 3000,
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

/// Trying may take this share of the budget; the rest is for attacking what is claimed about the result.
const TRYING: f64 = 0.8;

/// Of that, the survey may take so much.
const SURVEY: f64 = 0.3;

/// For each method, so many pairs of runs with and without a call of it tell whether it changes anything.
const PURITY_TRIES: usize = 60;

/// Fewer say nothing.
const ENOUGH_TRIES: usize = 8;

/// Attacking may go on until this share of the budget is used up; the rest is for making the tests that refute claims smaller.
const ATTACKING: f64 = 0.97;

/// In at most so many runs the test that refutes a claim is made smaller.
const SHRINKING: usize = 200;

/// Mines a class. `probed` gives workers that say which branches of the class are taken, or why there are none.
#[expect(clippy::too_many_arguments, reason = "the class, the machine, the wishes, chance and time")]
pub(crate) fn mine(
    host: &mut Host,
    probed: impl FnOnce() -> Result<(Host, Branches), String>,
    generator: &mut Generator,
    api: &Api,
    ear: &Ear,
    plan: &Plan,
    rng: &mut impl Rng,
    watch: &mut Watch,
) -> Result<Mined, Report> {
    // Watch it.
    let mut seen = Seen { words: Words::new(), tests: Vec::new(), ear };
    let scripts: Vec<Script> = (0..plan.initial)
        .map(|_| {
            let calls = rng.random_range(0..=plan.calls);
            generator.script(rng, calls)
        })
        .collect();
    let runs = host.run(&scripts).map_err(machine::cannot_run)?;
    for (script, run) in scripts.iter().zip(&runs) {
        generator.observe(script, run);
        seen.add(script, run);
    }
    for word in &plan.given {
        seen.words.part(word, ear.alphabet());
        seen.words.end(1);
    }
    watch.tests += scripts.len() as u64;
    watch.note(0, Point { phase: "watch".to_owned(), ..Point::default() });
    let mut pure = pure_letters(host, generator, api, ear, plan.miner, rng)?;
    let mut assayed = None;
    if plan.miner == Miner::Assay {
        let found = assay(host, generator, ear, &pure, &plan.assay, rng, |standing| {
            let phase = format!("{:?}", standing.phase).to_lowercase();
            watch.note(standing.tests, Point { phase, states: Some(standing.states), ..Point::default() });
            let share = if standing.phase == Phase::Survey { SURVEY } else { TRYING };
            watch.go_on(standing.tests, share, || {
                format!("{:?}: {} tests, {} states", standing.phase, standing.tests, standing.states)
                    .to_lowercase()
            })
        });
        let found = found.map_err(machine::cannot_run)?;
        watch.tests += found.tests;
        pure.clone_from(&found.pure);
        seen.keep(host, &found.witnesses)?;
        assayed = Some(found);
    }

    // Claim.
    let names = |letters: &BTreeSet<Letter>| -> BTreeSet<String> {
        letters.iter().map(|&letter| ear.alphabet().name(letter).to_owned()).collect()
    };
    let pure_names = names(&pure);
    let purity = Purity::given(pure_names.iter().map(String::as_str));
    let wanted = |min_confidence| {
        let min_support = u64::from(plan.claims == Claims::Held);
        Wanted { templates: Template::ALL.to_vec(), min_support, min_confidence }
    };
    let least = if plan.claims == Claims::Held { 1.0 } else { 0.0 };
    let properties = properties_of(&seen.words, &purity, &wanted(least))?;

    // Attack.
    let states = assayed.as_ref().map(|assayed| assayed.model.len());
    let mut assault = Assault {
        properties: if plan.tester == Tester::Dice { properties.clone() } else { Vec::new() },
        pure: pure.clone(),
        branches: Branches::default(),
        calls: plan.calls,
        settings: plan.settings.clone(),
        shrink: (SHRINKING, watch.shrinking()),
    };
    let (mut branches, mut found_after) = (None, vec![None; properties.len()]);
    let mut fates = vec![Fate::NotAttacked; properties.len()];
    if watch.stop != Some("interrupted") {
        watch.stop = None;
        if plan.tester == Tester::Random {
            random(host, generator, &mut seen, plan, rng, watch)?;
        } else {
            let mut own = match probed() {
                Ok((own, branches)) => {
                    assault.branches = branches;
                    Some(own)
                }
                Err(why) => {
                    tell(&format!("note: which branches are taken is not known: {why}"));
                    None
                }
            };
            let known = own.is_some();
            let share = if plan.tester == Tester::Dice { ATTACKING } else { 1.0 };
            let arena = own.as_mut().unwrap_or(host);
            // Whoever asks what a search without claims refutes means all its tests, not only those that it keeps.
            let all = plan.claims == Claims::All && plan.tester == Tester::Dynamosa;
            let mut arena = Overheard { host: arena, seen: all.then_some(&mut seen) };
            let attacked = dice_tester(&mut arena, generator, ear, &assault, rng, |standing| {
                let covered = known.then_some(standing.covered);
                let (refuted, open) = (Some(standing.refuted), Some(standing.open));
                let phase = "attack".to_owned();
                watch.note(standing.run, Point { phase, states, refuted, open, covered, ..Point::default() });
                watch.go_on(standing.run, share, || {
                    format!(
                        "attack: {} tests, {} claims refuted, {} left",
                        standing.run, standing.refuted, standing.open
                    )
                })
            });
            let attacked = attacked.map_err(machine::cannot_run)?;
            branches = known.then_some((attacked.covered, assault.branches.len()));
            if plan.tester == Tester::Dice {
                let counted = |after: &Option<u64>| after.map(|after| after + watch.tests);
                found_after = attacked.found_after.iter().map(counted).collect();
            }
            watch.note(attacked.run, ended(&attacked, states, known));
            watch.tests += attacked.run;
            let first = seen.tests.len();
            seen.keep(host, &attacked.tests)?;
            if plan.tester == Tester::Dice {
                // Tests are numbered among all that are kept.
                let place = |test: usize| seen.place(&attacked.tests[test]).unwrap_or(first);
                fates = attacked
                    .fates
                    .iter()
                    .map(|fate| match fate {
                        Fate::Refuted(test) => Fate::Refuted(place(*test)),
                        other => other.clone(),
                    })
                    .collect();
            }
            if attacked.stop == Stop::NothingLeft {
                watch.stop = None;
            }
        }
    }

    // Infer. What any trace contradicts does not hold, whoever made the trace.
    let holding: BTreeSet<Property<Letter>> =
        properties_of(&seen.words, &purity, &wanted(1.0))?.into_iter().collect();
    let model = match &assayed {
        Some(assayed) => assayed.model.clone(),
        None => {
            let surviving: Vec<Property<Letter>> = match plan.tester {
                Tester::Dice => properties.iter().filter(|one| holding.contains(one)).cloned().collect(),
                Tester::Dynamosa | Tester::Random => holding.iter().cloned().collect(),
            };
            let words: Vec<Vec<Letter>> = seen.words.words.iter().map(|word| word.letters.clone()).collect();
            dice_miner(&words, &surviving, &pure, plan.constraints)
                .map(|&letter| ear.alphabet().name(letter).to_owned())
        }
    };
    let name = |letter: Letter| ear.alphabet().name(letter).to_owned();
    let judged = properties
        .iter()
        .zip(fates.into_iter().zip(found_after))
        .filter(|(property, (fate, _))| holding.contains(property) || matches!(fate, Fate::Refuted(_)))
        .map(|(property, (fate, found_after))| Judged {
            property: Property { template: property.template, a: name(property.a), b: name(property.b) },
            fate,
            found_after,
        })
        .collect();
    Ok(Mined {
        rejected: rejected(&model, &plan.given, ear),
        branches,
        model: named(&model, &pure_names),
        properties: judged,
        pure: pure_names,
        tests: seen.tests,
        tests_run: watch.tests,
        assayed,
        stop: watch.stop.unwrap_or("nothing left to try"),
    })
}

/// The words that the model does not have, shortest first.
fn rejected(model: &Fsa<String>, given: &[Vec<Letter>], ear: &Ear) -> Vec<Vec<String>> {
    let named =
        |word: &Vec<Letter>| word.iter().map(|&letter| ear.alphabet().name(letter).to_owned()).collect();
    let mut words: Vec<Vec<String>> =
        given.iter().map(named).filter(|word: &Vec<String>| !model.reads(word)).collect();
    words.sort_by(|one, other| one.len().cmp(&other.len()).then_with(|| one.cmp(other)));
    words.dedup();
    words
}

/// How an attack stood when it ended.
fn ended(attacked: &Attacked, states: Option<usize>, known: bool) -> Point {
    let refuted = attacked.fates.iter().filter(|fate| matches!(fate, Fate::Refuted(_))).count();
    let is_open = |fate: &&Fate| matches!(fate, Fate::NotAttacked | Fate::Survived { abandoned: false, .. });
    let open = attacked.fates.iter().filter(is_open).count();
    Point {
        phase: "attack".to_owned(),
        states,
        refuted: Some(refuted),
        open: Some(open),
        covered: known.then_some(attacked.covered),
        ..Point::default()
    }
}

/// A host whose runs are all taken into account.
struct Overheard<'h, 's, 'e> {
    host: &'h mut Host,
    seen: Option<&'s mut Seen<'e>>,
}

impl Subject for Overheard<'_, '_, '_> {
    type Error = HostError;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, HostError> {
        let runs = self.host.run(batch)?;
        if let Some(seen) = &mut self.seen {
            batch.iter().zip(&runs).for_each(|(script, run)| seen.add(script, run));
        }
        Ok(runs)
    }
}

/// What was seen so far.
struct Seen<'e> {
    words: Words,
    tests: Vec<(Script, Run)>,
    ear: &'e Ear,
}

impl Seen<'_> {
    fn add(&mut self, script: &Script, run: &Run) {
        if run.leaked {
            return;
        }
        for heard in self.ear.hear(script, run) {
            if !heard.word.is_empty() {
                self.words.part(&heard.word, self.ear.alphabet());
                self.words.end(1);
            }
        }
    }

    /// Runs scripts that are worth keeping once more, now with all that there is to tell.
    fn keep(&mut self, host: &mut Host, scripts: &[Script]) -> Result<(), Report> {
        let runs = host.run(scripts).map_err(|error: HostError| machine::cannot_run(error))?;
        for (script, run) in scripts.iter().zip(runs) {
            self.add(script, &run);
            if self.place(script).is_none() {
                self.tests.push((script.clone(), run));
            }
        }
        Ok(())
    }

    fn place(&self, script: &Script) -> Option<usize> {
        self.tests.iter().position(|(known, _)| known == script)
    }
}

/// Random tests until the budget is used up.
fn random(
    host: &mut Host,
    generator: &mut Generator,
    seen: &mut Seen<'_>,
    plan: &Plan,
    rng: &mut impl Rng,
    watch: &mut Watch,
) -> Result<(), Report> {
    const ROUND: usize = 500;
    let mut run = 0;
    while watch.go_on(run, 1.0, || format!("random: {run} tests")).is_continue() {
        let scripts: Vec<Script> = (0..ROUND)
            .map(|_| {
                let calls = rng.random_range(1..=plan.calls);
                generator.script(rng, calls)
            })
            .collect();
        for (script, done) in scripts.iter().zip(host.run(&scripts).map_err(machine::cannot_run)?) {
            generator.observe(script, &done);
            seen.add(script, &done);
        }
        run += ROUND as u64;
    }
    watch.tests += run;
    Ok(())
}

/// The letters that never made a difference, by experiment. A label that two methods share is pure if both are.
fn pure_letters(
    host: &mut Host,
    generator: &mut Generator,
    api: &Api,
    ear: &Ear,
    miner: Miner,
    rng: &mut impl Rng,
) -> Result<BTreeSet<Letter>, Report> {
    let options = PurityOptions { tries: PURITY_TRIES, calls: 8 };
    let verdicts = purity(host, api, generator, options, rng).map_err(machine::cannot_run)?;
    let (mut pure, mut impure) = (BTreeSet::new(), BTreeSet::new());
    impure.extend(api.starts.iter().flat_map(|start| ear.letters_of(&start.callable)).copied());
    for method in &api.methods {
        let harmless = match verdicts.get(&*method.callable) {
            Some(Verdict::Unrefuted { tries }) => *tries >= ENOUGH_TRIES,
            // Something inside changed that no call was seen to notice: a cache, or a setting that nothing reads, or an effect
            // that shows rarely. Trying finds that out; inference from traces cannot, and goes by the name as the paper does.
            Some(Verdict::Changes { what: Difference::Field { .. }, .. }) => {
                miner == Miner::Assay || pure_by_name(method.callable.event_name())
            }
            Some(Verdict::Changes { .. }) | None => false,
        };
        let side = if harmless { &mut pure } else { &mut impure };
        side.extend(ear.letters_of(&method.callable));
    }
    Ok(pure.difference(&impure).copied().collect())
}

/// The model with its states named by the side-effect-free answers that tell them apart: `isEmpty`, `not isEmpty`.
fn named(model: &Fsa<String>, pure: &BTreeSet<String>) -> Fsa<String> {
    let facts: Vec<Vec<String>> = model
        .states()
        .map(|state| {
            let loops: BTreeSet<&str> = model
                .edges(state)
                .filter(|edge| edge.to == state && pure.contains(edge.label))
                .map(|edge| edge.label.as_str())
                .collect();
            let answers =
                loops.iter().filter_map(|label| label.strip_suffix(":TRUE").map(|name| (name, true)));
            let denials =
                loops.iter().filter_map(|label| label.strip_suffix(":FALSE").map(|name| (name, false)));
            // A question is what has no side effect whatever the answer, and a state that knows the answer gives one only.
            let only = |&(name, yes): &(&str, bool)| {
                let other = format!("{name}:{}", if yes { "FALSE" } else { "TRUE" });
                let question = pure.contains(&other) || model.letter(&other).is_none();
                question && !model.edges(state).any(|edge| *edge.label == other)
            };
            let all = answers.chain(denials).filter(only);
            all.map(|(name, yes)| if yes { name.to_owned() } else { format!("not {name}") }).collect()
        })
        .collect();
    let mut builder = model.to_builder();
    for (state, mine) in facts.iter().enumerate() {
        let telling: Vec<&str> = mine
            .iter()
            .filter(|fact| facts.iter().any(|others| !others.is_empty() && !others.contains(fact)))
            .map(String::as_str)
            .collect();
        if !telling.is_empty() {
            builder.name(state, telling.join(", "));
        }
        builder.predicates(state, mine.clone());
    }
    builder.build()
}
