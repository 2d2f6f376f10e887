//! From a class to a model: watch it, claim, attack the claims, infer. The picture of docs/architecture.md as straight code.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::{Duration, Instant};

use adit_attack::assay::{AssayOptions, Assayed, Phase, assay};
use adit_attack::branches::Branches;
use adit_attack::dice_tester::{Assault, Attacked, Fate, Stop, dice_tester};
use adit_attack::dynamosa::Settings;
use adit_attack::purity::{Difference, PurityOptions, Verdict, purity};
use adit_attack::{Api, Ear, Generator};
use adit_automata::Fsa;
use adit_infer::{Constraints, dice_miner};
use adit_jvm::Host;
use adit_logic::{Property, Template};
use adit_mine::{PropertyMiner, Purity, Wanted};
use adit_trace::{Letter, Run, Script, Subject, WordSink, pure_by_name};
use miette::Report;
use rand::{Rng, RngExt};

use crate::budget::Budget;
use crate::campaign::{Allowance, Keep, Kept, Made, Settled};
use crate::interrupt::Listening;
use crate::progress::{Audience, Mining};
use crate::request::{AttackedProperties, Miner, Tester};
use crate::timeline::Standing;
use crate::witnesses::Witnesses;

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
    pub(crate) claims: AttackedProperties,
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
    /// Which of these shows which transition and which refusal, as far as that is known.
    pub(crate) witnesses: Witnesses,
    pub(crate) tests_run: u64,
    pub(crate) assayed: Option<Assayed>,
    /// The words of the user's tests that the model does not have, shortest first.
    pub(crate) rejected: Vec<Vec<String>>,
    /// Sides of branches taken, and how many there are; nothing if that is not known.
    pub(crate) branches: Option<(usize, usize)>,
    /// Where the model comes from, in a campaign of several rounds.
    pub(crate) settled: Settled,
    /// Methods that hang or end their worker, and were called no more, at least on some objects.
    pub(crate) given_up: BTreeSet<String>,
    /// How objects are made on which most calls hang, and of which no more were made.
    pub(crate) makings_given_up: BTreeSet<String>,
    /// Every call that hung or ended its worker, given up or not: the method, how its object was made, and how often.
    pub(crate) bad_ends: Vec<(String, String, u64)>,
    /// Whether the claims were attacked at all.
    pub(crate) attacked: bool,
    /// The budget ended before the class was watched as long as it should be.
    pub(crate) hardly_watched: bool,
    /// What of the tests came out alike in a second machine; only that can be asserted.
    pub(crate) agreed: Vec<Run>,
    /// Methods that were called, and how often, and never returned.
    pub(crate) never_returned: Vec<(String, u32)>,
    pub(crate) stop: &'static str,
}

/// A claim, and what became of it.
pub(crate) struct Judged {
    pub(crate) property: Property<String>,
    pub(crate) fate: Fate,
    /// How many different words it speaks about.
    pub(crate) support: u64,
    /// How many tests of this round ran until one refuted it, from the beginning.
    pub(crate) found_after: Option<u64>,
}

/// The budget, the clock and Ctrl-C.
pub(crate) struct Watch {
    listening: Listening,
    pub(crate) progress: Mining,
    start: Instant,
    /// How long it took until the first test could be run.
    begun: Duration,
    budget: Budget,
    /// What the class under test may still run, which is counted there.
    allowance: Rc<Allowance>,
    pub(crate) stop: Option<&'static str>,
}

impl Watch {
    pub(crate) fn new(budget: Budget, audience: Audience) -> Self {
        let (listening, progress) = (Listening::new(), Mining::new(budget, audience));
        let allowance = Rc::default();
        Self {
            listening,
            progress,
            start: Instant::now(),
            begun: Duration::ZERO,
            budget,
            allowance,
            stop: None,
        }
    }

    /// What may still be run.
    pub(crate) fn allowance(&self) -> Rc<Allowance> {
        self.allowance.clone()
    }

    /// Everything is ready; the shares of the budget are those of what is left of it.
    fn begin(&mut self) {
        self.begun = self.start.elapsed();
    }

    /// From now on, nothing is run beyond this share of the budget.
    fn allow(&self, share: f64) {
        match self.budget {
            // At least one, because nothing comes of none.
            Budget::Tests(tests) => self.allowance.most.set(Some(((tests as f64 * share) as u64).max(1))),
            Budget::Time(time) => {
                let used = self.begun + time.saturating_sub(self.begun).mul_f64(share);
                self.allowance.until.set(self.start.checked_add(used.min(time)));
            }
        }
    }

    /// Takes note of how the current step goes.
    fn note(&self, standing: Standing) {
        self.progress.show(Standing { tests: self.allowance.run.get(), ..standing });
    }

    /// Whether to go on with the current step, which may take this share of the budget.
    fn go_on(&mut self, share: f64, standing: Standing) -> ControlFlow<()> {
        self.note(standing);
        self.allow(share);
        let over = self.allowance.is_over();
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

/// The shares of the budget by which each step must be done. A class whose calls hang would spend all of it on being watched.
const WATCHING: f64 = 0.12;
const PURITY: f64 = 0.24;
const SURVEY: f64 = 0.3;
const CHOOSING: f64 = 0.36;

/// Trying may take this share of the budget; the rest is for attacking what is claimed about the result.
const TRYING: f64 = 0.8;

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
    host: &mut Kept<'_>,
    probed: impl FnOnce() -> Result<(Host, Branches), String>,
    generator: &mut Generator,
    api: &Api,
    ear: &Ear,
    plan: &Plan,
    rng: &mut impl Rng,
    watch: &mut Watch,
) -> Result<Mined, Report> {
    // Watch it.
    watch.begin();
    watch.allow(WATCHING);
    let mut shown = Shown::default();
    let known = begin(host, generator, watch)?;
    let scripts: Vec<Script> = (0..plan.initial)
        .map(|_| {
            let calls = rng.random_range(0..=plan.calls);
            generator.script(rng, calls)
        })
        .collect();
    let runs = host.run(&scripts)?;
    for (script, run) in scripts.iter().zip(&runs) {
        generator.observe(script, run);
    }
    let hardly_watched = watch.allowance.is_over();
    watch.note(Standing { phase: "watch", ..Standing::default() });
    watch.allow(PURITY);
    host.keep = if plan.miner == Miner::Assay { Keep::News } else { Keep::Refutations };
    let (mut pure, doubtful) = pure_letters(host, generator, api, ear, plan.miner, rng)?;
    let mut assayed = None;
    if plan.miner == Miner::Assay {
        let options = AssayOptions { known, doubtful, ..plan.assay.clone() };
        watch.allow(SURVEY);
        let found = assay(host, generator, ear, &pure, &options, rng, |standing| {
            let share = match standing.phase {
                Phase::Survey => SURVEY,
                Phase::Choose => CHOOSING,
                Phase::Explore | Phase::Accept | Phase::Refute => TRYING,
            };
            let (phase, states) = (standing.phase.name(), Some(standing.states));
            watch.go_on(share, Standing { phase, states, ..Standing::default() })
        })?;
        pure.clone_from(&found.pure);
        shown.keep(host, &found.witnesses())?;
        assayed = Some(found);
    }

    // Claim. What was seen on the way speaks too, and what earlier rounds saw.
    let names = |letters: &BTreeSet<Letter>| -> BTreeSet<String> {
        letters.iter().map(|&letter| ear.alphabet().name(letter).to_owned()).collect()
    };
    let pure_names = names(&pure);
    let purity = Purity::given(pure_names.iter().map(String::as_str));
    let wanted = |min_confidence| {
        let min_support = u64::from(plan.claims == AttackedProperties::Held);
        Wanted { templates: Template::ALL.to_vec(), min_support, min_confidence }
    };
    let least = if plan.claims == AttackedProperties::Held { 1.0 } else { 0.0 };
    let mut said = Said::new(ear, purity);
    let mut properties = said.properties(host, &wanted(least))?;
    properties.retain(|property| !host.refuted().contains_key(property));
    host.arm(&properties, &pure)?;

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
    let mut attacking = false;
    let mut branches = None;
    let mut fates = vec![Fate::NotAttacked; properties.len()];
    if watch.stop != Some("interrupted") {
        watch.stop = None;
        if plan.tester == Tester::Random {
            attacking = true;
            random(host, generator, plan, rng, watch)?;
        } else {
            let known = match probed() {
                Ok((own, branches)) => {
                    assault.branches = branches;
                    host.run_on(Some(own));
                    true
                }
                Err(why) => {
                    watch.progress.remark(&format!("note: which branches are taken is not known: {why}"));
                    false
                }
            };
            let share = if plan.tester == Tester::Dice { ATTACKING } else { 1.0 };
            watch.allow(share);
            attacking = !watch.allowance.is_over();
            if plan.claims == AttackedProperties::All && plan.tester == Tester::Dynamosa {
                // Whoever asks what a search without claims refutes means all its tests, not only those that it keeps.
                host.keep = Keep::Words;
            }
            let attacked = dice_tester(host, generator, ear, &assault, rng, |standing| {
                let covered = known.then_some(standing.covered);
                let (refuted, open) = (Some(standing.refuted), Some(standing.open));
                let now = Standing { phase: "attack", states, refuted, open, covered, ..Standing::default() };
                let going = watch.go_on(share, now);
                // What is left is for making tests smaller.
                watch.allow(1.0);
                going
            })?;
            host.run_on(None);
            branches = known.then_some((attacked.covered, assault.branches.len()));
            watch.note(ended(&attacked, states, known));
            let first = shown.tests.len();
            shown.keep(host, &attacked.tests)?;
            if plan.tester == Tester::Dice {
                // Tests are numbered among all that are kept.
                let place = |test: usize| shown.place(&attacked.tests[test]).unwrap_or(first);
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

    // What ever fell stays so, whoever found it and in whichever round.
    let mut places: BTreeMap<Property<Letter>, usize> =
        properties.iter().cloned().enumerate().map(|(at, property)| (property, at)).collect();
    let missed: Vec<(Property<Letter>, Script)> = host
        .refuted()
        .iter()
        .filter(|(claim, _)| places.get(claim).is_none_or(|&at| !matches!(fates[at], Fate::Refuted(_))))
        .map(|(claim, refutation)| (claim.clone(), refutation.script.clone()))
        .collect();
    let scripts: Vec<Script> = missed.iter().map(|(_, script)| script.clone()).collect();
    shown.keep(host, &scripts)?;
    for (claim, script) in missed {
        let fate = Fate::Refuted(shown.place(&script).expect("it was kept just now"));
        match places.get(&claim) {
            Some(&at) => fates[at] = fate,
            None => {
                places.insert(claim.clone(), properties.len());
                properties.push(claim);
                fates.push(fate);
            }
        }
    }

    // Infer. What any trace contradicts does not hold, whoever made the trace.
    let holding: BTreeSet<Property<Letter>> = said.properties(host, &wanted(1.0))?.into_iter().collect();
    let supports = said.supports();
    let model = match &assayed {
        Some(assayed) => assayed.model.clone(),
        None => {
            let surviving: Vec<Property<Letter>> = match plan.tester {
                Tester::Dice => properties.iter().filter(|one| holding.contains(one)).cloned().collect(),
                Tester::Dynamosa | Tester::Random => holding.iter().cloned().collect(),
            };
            let mut words: Vec<Vec<Letter>> = Vec::new();
            host.each_word(0, |word| words.push(word.to_vec()))?;
            dice_miner(&words, &surviving, &pure, plan.constraints)
                .map(|&letter| ear.alphabet().name(letter).to_owned())
        }
    };
    let mut settled = host.settle(Made::new(model, assayed.as_ref()))?;
    let witnesses = match (settled.tests.take(), &assayed) {
        (Some((tests, witnesses)), _) => {
            shown.keep(host, &tests)?;
            witnesses.renumbered(|test| shown.place(tests.get(test)?))
        }
        (None, Some(assayed)) => Witnesses::of(assayed, |script| shown.place(script)),
        (None, None) => Witnesses::default(),
    };
    let needed = host.tests_for(&settled.model, &shown.tests)?;
    shown.keep(host, &needed)?;
    let broken_off = assayed.as_ref().is_some_and(|assayed| !assayed.complete);
    let never_returned = generator
        .never_returned()
        .filter(|(callable, _)| !ear.letters_of(callable).iter().any(|letter| supports.contains_key(letter)))
        .map(|(callable, times)| (callable.event_name().to_owned(), times))
        .collect();
    let name = |letter: Letter| ear.alphabet().name(letter).to_owned();
    let judged = properties
        .iter()
        .zip(fates)
        .filter(|(property, fate)| holding.contains(property) || matches!(fate, Fate::Refuted(_)))
        .map(|(property, fate)| {
            let support = supports.get(&property.a).copied().unwrap_or(0);
            let found_after = host.refuted().get(property).and_then(|refutation| refutation.after);
            let property = Property { template: property.template, a: name(property.a), b: name(property.b) };
            let fate = match fate {
                Fate::Survived { attacked, abandoned } => {
                    let before = u32::try_from(host.attacked_before(&property)).unwrap_or(u32::MAX);
                    Fate::Survived { attacked: attacked.saturating_add(before), abandoned }
                }
                fate => fate,
            };
            Judged { property, fate, support, found_after }
        })
        .collect();
    let agreed = host.agreed(&shown.tests)?;
    Ok(Mined {
        rejected: rejected(&settled.model, &plan.given, ear),
        branches,
        model: named(&settled.model, &pure_names),
        properties: judged,
        pure: pure_names,
        tests: shown.tests,
        witnesses,
        tests_run: host.tests_run(),
        assayed,
        settled,
        given_up: host.given_up(),
        makings_given_up: host.makings_given_up(),
        bad_ends: host.bad_ends(),
        attacked: attacking,
        hardly_watched,
        agreed,
        never_returned,
        stop: watch.stop.unwrap_or(if broken_off { "budget" } else { "nothing left to try" }),
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
fn ended(attacked: &Attacked, states: Option<usize>, known: bool) -> Standing {
    let refuted = attacked.fates.iter().filter(|fate| matches!(fate, Fate::Refuted(_))).count();
    let is_open = |fate: &&Fate| matches!(fate, Fate::NotAttacked | Fate::Survived { abandoned: false, .. });
    let open = attacked.fates.iter().filter(is_open).count();
    Standing {
        phase: "attack",
        states,
        refuted: Some(refuted),
        open: Some(open),
        covered: known.then_some(attacked.covered),
        ..Standing::default()
    }
}

/// What all words that are kept say. Each is looked at once: when it is asked again, only those that are new.
struct Said<'e> {
    ear: &'e Ear,
    miner: PropertyMiner,
    /// For each letter, in how many words it happens and in which last.
    happens: Vec<(u64, u64)>,
    words: u64,
    /// The number of the last word.
    last: i64,
}

impl<'e> Said<'e> {
    fn new(ear: &'e Ear, purity: Purity) -> Self {
        let happens = vec![(0, 0); ear.alphabet().len()];
        Self { ear, miner: PropertyMiner::new(purity), happens, words: 0, last: 0 }
    }

    /// The properties that are wanted.
    fn properties(&mut self, host: &mut Kept<'_>, wanted: &Wanted) -> Result<Vec<Property<Letter>>, Report> {
        let alphabet = self.ear.alphabet();
        let Self { miner, happens, words, .. } = self;
        self.last = host.each_word(self.last, |word| {
            *words += 1;
            for &letter in word {
                let (count, last) = &mut happens[letter as usize];
                if std::mem::replace(last, *words) != *words {
                    *count += 1;
                }
            }
            miner.part(word, alphabet);
            miner.end(1);
        })?;
        let mined = self.miner.clone().finish()?.mined(wanted)?;
        let letter = |place: Letter| {
            alphabet.get(&mined.alphabet[place as usize]).expect("every mined label occurs in the words")
        };
        let properties = mined.properties.iter().map(|found| {
            let Property { template, a, b } = found.property;
            Property { template, a: letter(a), b: letter(b) }
        });
        Ok(properties.collect())
    }

    /// In how many words each event happens, of those that do.
    fn supports(&self) -> BTreeMap<Letter, u64> {
        let happening = (0..).zip(&self.happens).filter(|(_, (count, _))| *count > 0);
        happening.map(|(letter, (count, _))| (letter, *count)).collect()
    }
}

/// Tests that are shown beside the model, with what happens in them.
#[derive(Default)]
struct Shown {
    tests: Vec<(Script, Run)>,
    /// Where each is, by its text.
    places: HashMap<String, usize>,
}

impl Shown {
    /// Runs scripts that are worth keeping once more, now with all that there is to tell.
    fn keep(&mut self, host: &mut Kept<'_>, scripts: &[Script]) -> Result<(), Report> {
        let keep = std::mem::replace(&mut host.keep, Keep::Tests);
        let runs = host.run_again(scripts)?;
        host.keep = keep;
        for (script, run) in scripts.iter().zip(runs) {
            // A test that a claim points to is kept even if there was no time to run it once more.
            if let Entry::Vacant(place) = self.places.entry(script.to_json()) {
                place.insert(self.tests.len());
                self.tests.push((script.clone(), run));
            }
        }
        Ok(())
    }

    fn place(&self, script: &Script) -> Option<usize> {
        self.places.get(&script.to_json()).copied()
    }
}

/// Begins where earlier rounds ended: their tests are run again, their words are there. Says which tests these are.
fn begin(host: &mut Kept<'_>, generator: &mut Generator, watch: &mut Watch) -> Result<Vec<Script>, Report> {
    /// So many tests are run at a time, and then the clock is looked at.
    const PART: usize = 500;
    let known = host.tests_before();
    for part in known.chunks(PART) {
        let standing = Standing { phase: "begin", ..Standing::default() };
        // A budget that is used up here leaves the words, of which nothing is lost.
        if watch.go_on(1.0, standing).is_break() {
            break;
        }
        let runs = host.run(part)?;
        for (script, run) in part.iter().zip(&runs) {
            generator.observe(script, run);
        }
    }
    watch.allow(WATCHING);
    Ok(known)
}

/// Random tests until the budget is used up.
fn random(
    host: &mut Kept<'_>,
    generator: &mut Generator,
    plan: &Plan,
    rng: &mut impl Rng,
    watch: &mut Watch,
) -> Result<(), Report> {
    const ROUND: usize = 500;
    let keep = std::mem::replace(&mut host.keep, Keep::Words);
    let standing = Standing { phase: "random", ..Standing::default() };
    while watch.go_on(1.0, standing).is_continue() {
        let scripts: Vec<Script> = (0..ROUND)
            .map(|_| {
                let calls = rng.random_range(1..=plan.calls);
                generator.script(rng, calls)
            })
            .collect();
        for (script, done) in scripts.iter().zip(host.run(&scripts)?) {
            generator.observe(script, &done);
        }
    }
    host.keep = keep;
    Ok(())
}

/// The letters that never made a difference, by experiment, and those that make one inside only. A label that two methods share is
/// pure if both are.
fn pure_letters(
    host: &mut Kept<'_>,
    generator: &mut Generator,
    api: &Api,
    ear: &Ear,
    miner: Miner,
    rng: &mut impl Rng,
) -> Result<(BTreeSet<Letter>, BTreeSet<Letter>), Report> {
    let options = PurityOptions { tries: PURITY_TRIES, calls: 8 };
    let verdicts = purity(host, api, generator, options, rng)?;
    let (mut pure, mut doubtful, mut impure) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    impure.extend(api.starts.iter().flat_map(|start| ear.letters_of(&start.callable)).copied());
    for method in &api.methods {
        let harmless = match verdicts.get(&*method.callable) {
            Some(Verdict::Unrefuted { tries }) => *tries >= ENOUGH_TRIES,
            // Something inside changed that no call was seen to notice: a cache, or a setting that nothing reads, or an effect
            // that shows rarely. Trying finds that out; inference from traces cannot, and goes by the name as the paper does.
            Some(Verdict::Changes { what: Difference::Field { .. }, .. }) => {
                doubtful.extend(ear.letters_of(&method.callable));
                miner == Miner::Assay || pure_by_name(method.callable.event_name())
            }
            Some(Verdict::Changes { .. }) | None => false,
        };
        let side = if harmless { &mut pure } else { &mut impure };
        side.extend(ear.letters_of(&method.callable));
    }
    Ok((pure.difference(&impure).copied().collect(), doubtful))
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
