//! From a class to a model: watch it, claim, attack the claims, infer. The picture of docs/architecture.md as straight code.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;

use adit_attack::branches::Branches;
use adit_attack::dice_tester::{Assault, Attacked, dice_tester};
use adit_attack::dynamosa::Settings;
use adit_attack::explore::{ExploreOptions, Explored, Prior, explore};
use adit_attack::purity::{Difference, PurityOptions, Verdict, purity};
use adit_attack::{Api, Ear, Generator, Guarded};
use adit_automata::Fsa;
use adit_infer::{Constraints, dice_miner};
use adit_jvm::Host;
use adit_logic::{Fate, Property, Template};
use adit_mine::{PropertyMiner, Purity, Wanted};
use adit_trace::{Label, Letter, Pace, Phase, Progress, Run, Script, Stop, Subject, WordSink, pure_by_name};
use miette::Report;
use rand::{Rng, RngExt};

use crate::campaign::{Keep, Kept, Made, Settled};
use crate::pace::{ATTACKING, RoundPace};
use crate::progress::Mining;
use crate::request::{AttackedProperties, Miner, Tester};
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
    pub(crate) explore: ExploreOptions,
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
    pub(crate) explored: Option<Explored>,
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
    /// Reason why the round ended.
    pub(crate) stop: Stop,
}

/// A claim, and what became of it.
pub(crate) struct Judged {
    pub(crate) property: Property<String>,
    pub(crate) fate: Fate<usize>,
    /// How many different words it speaks about.
    pub(crate) support: u64,
    /// How many tests of this round ran until one refuted it, from the beginning.
    pub(crate) found_after: Option<u64>,
}

/// For each method, so many pairs of runs with and without a call of it tell whether it changes anything.
const PURITY_TRIES: usize = 60;

/// Fewer say nothing.
const ENOUGH_TRIES: usize = 8;

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
    pace: &mut RoundPace,
    progress: &Mining,
) -> Result<Mined, Report> {
    // Watch it.
    pace.begin();
    let mut shown = Shown::default();
    let known = begin(host, generator, pace)?;
    // At least the first scripts are run, however small the budget.
    let _ = pace.go_on(&Progress::new(Phase::Watch, 0));
    let scripts: Vec<Script> = (0..plan.initial)
        .map(|_| {
            let calls = rng.random_range(0..=plan.calls);
            generator.script(rng, calls)
        })
        .collect();
    let runs = host.run(&scripts)?;
    host.guard().warn(generator);
    for (script, run) in scripts.iter().zip(&runs) {
        generator.observe(script, run);
    }
    let hardly_watched = matches!(pace.over(), Some(Stop::Budget(_)));
    pace.note(&Progress::new(Phase::Watch, 0));
    host.keep = if plan.miner == Miner::Explore { Keep::News } else { Keep::Refutations };
    let (mut pure, doubtful) = pure_letters(host, generator, api, ear, plan.miner, rng, pace)?;
    let mut explored = None;
    if plan.miner == Miner::Explore {
        let prior = Prior { pure: pure.clone(), doubtful, scripts: known };
        let found = explore(host, generator, ear, prior, plan.explore.clone(), rng, pace)?;
        pace.explored(found.model.len());
        pure.clone_from(&found.pure);
        shown.keep(host, &found.tests())?;
        explored = Some(found);
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
    let mut assault = Assault {
        properties: if plan.tester == Tester::Dice { properties.clone() } else { Vec::new() },
        pure: pure.clone(),
        branches: Branches::default(),
        calls: plan.calls,
        settings: plan.settings.clone(),
        shrink: (SHRINKING, pace.shrinking()),
    };
    let mut attacking = false;
    let mut branches = None;
    let mut fates = vec![Fate::NotAttacked; properties.len()];
    let mut stop = explored.as_ref().map_or(Stop::Done, |explored| explored.stop);
    if stop != Stop::Interrupted {
        if plan.tester == Tester::Random {
            attacking = true;
            stop = random(host, generator, plan, rng, pace)?;
        } else {
            let known = match probed() {
                Ok((own, branches)) => {
                    assault.branches = branches;
                    host.run_on(Some(own));
                    true
                }
                Err(why) => {
                    progress.remark(&format!("note: which branches are taken is not known: {why}"));
                    false
                }
            };
            pace.attack_until(if plan.tester == Tester::Dice { ATTACKING } else { 1.0 });
            if plan.claims == AttackedProperties::All && plan.tester == Tester::Dynamosa {
                // Whoever asks what a search without claims refutes means all its tests, not only those that it keeps.
                host.keep = Keep::Words;
            }
            let attacked = dice_tester(host, generator, ear, &assault, rng, pace)?;
            attacking = attacked.generations > 0 || attacked.stop.is_done();
            stop = attacked.stop.or(stop);
            host.run_on(None);
            branches = known.then_some((attacked.covered, assault.branches.len()));
            pace.note(&ended(&attacked, known));
            let first = shown.tests.len();
            shown.keep(host, &attacked.tests)?;
            if plan.tester == Tester::Dice {
                // Tests are numbered among all that are kept.
                let place = |test: usize| shown.place(&attacked.tests[test]).unwrap_or(first);
                fates = attacked.fates.iter().map(|fate| fate.map(place)).collect();
            }
        }
    }

    // What ever fell stays so, whoever found it and in whichever round.
    let mut places: BTreeMap<Property<Letter>, usize> =
        properties.iter().cloned().enumerate().map(|(at, property)| (property, at)).collect();
    let missed: Vec<(Property<Letter>, Script)> = host
        .refuted()
        .iter()
        .filter(|(claim, _)| places.get(claim).is_none_or(|&at| !fates[at].is_refuted()))
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
    let model = match &explored {
        Some(explored) => explored.model.clone(),
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
    let mut settled = host.settle(Made::new(model, explored.as_ref()))?;
    let witnesses = match (settled.tests.take(), &explored) {
        (Some((tests, witnesses)), _) => {
            shown.keep(host, &tests)?;
            witnesses.renumbered(|test| shown.place(tests.get(test)?))
        }
        (None, Some(explored)) => Witnesses::of(explored, |script| shown.place(script)),
        (None, None) => Witnesses::default(),
    };
    let needed = host.tests_for(&settled.model, &shown.tests)?;
    shown.keep(host, &needed)?;
    let never_returned = generator
        .never_returned()
        .filter(|(callable, _)| !ear.letters_of(callable).iter().any(|letter| supports.contains_key(letter)))
        .map(|(callable, times)| (callable.event_name().to_owned(), times))
        .collect();
    let name = |letter: Letter| ear.alphabet().name(letter).to_owned();
    let judged = properties
        .iter()
        .zip(fates)
        .filter(|(property, fate)| holding.contains(property) || fate.is_refuted())
        .map(|(property, fate)| {
            let support = supports.get(&property.a).copied().unwrap_or(0);
            let found_after = host.refuted().get(property).and_then(|refutation| refutation.after);
            let property = Property { template: property.template, a: name(property.a), b: name(property.b) };
            let fate = host.fate_before(&property).map_or(fate, |earlier| fate.after(earlier));
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
        explored,
        settled,
        given_up: host.given_up(),
        makings_given_up: host.makings_given_up(),
        bad_ends: host.bad_ends(),
        attacked: attacking,
        hardly_watched,
        agreed,
        never_returned,
        stop,
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
fn ended(attacked: &Attacked, known: bool) -> Progress {
    let refuted = attacked.fates.iter().filter(|fate| fate.is_refuted()).count();
    let is_open =
        |fate: &&Fate<usize>| matches!(fate, Fate::NotAttacked | Fate::Survived { abandoned: false, .. });
    let open = attacked.fates.iter().filter(is_open).count();
    Progress {
        refuted: Some(refuted),
        open: Some(open),
        covered: known.then_some(attacked.covered),
        ..Progress::new(Phase::Attack, attacked.run)
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
fn begin(host: &mut Kept<'_>, generator: &mut Generator, pace: &mut dyn Pace) -> Result<Vec<Script>, Report> {
    /// So many tests are run at a time, and then the clock is looked at.
    const PART: usize = 500;
    let known = host.tests_before();
    for part in known.chunks(PART) {
        // A budget that is used up here leaves the words, of which nothing is lost.
        if pace.go_on(&Progress::new(Phase::Replay, 0)).is_break() {
            break;
        }
        let runs = host.run(part)?;
        host.guard().warn(generator);
        for (script, run) in part.iter().zip(&runs) {
            generator.observe(script, run);
        }
    }
    Ok(known)
}

/// Random tests until the budget is used up.
fn random(
    host: &mut Kept<'_>,
    generator: &mut Generator,
    plan: &Plan,
    rng: &mut impl Rng,
    pace: &mut dyn Pace,
) -> Result<Stop, Report> {
    const ROUND: usize = 500;
    let keep = std::mem::replace(&mut host.keep, Keep::Words);
    let stop = loop {
        if let ControlFlow::Break(stop) = pace.go_on(&Progress::new(Phase::Random, host.tests_run())) {
            break stop;
        }
        let scripts: Vec<Script> = (0..ROUND)
            .map(|_| {
                let calls = rng.random_range(1..=plan.calls);
                generator.script(rng, calls)
            })
            .collect();
        let runs = host.run(&scripts)?;
        host.guard().warn(generator);
        for (script, done) in scripts.iter().zip(runs) {
            generator.observe(script, &done);
        }
    };
    host.keep = keep;
    Ok(stop)
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
    pace: &mut dyn Pace,
) -> Result<(BTreeSet<Letter>, BTreeSet<Letter>), Report> {
    let options = PurityOptions { tries: PURITY_TRIES, calls: 8 };
    let verdicts = purity(host, api, generator, options, rng, pace)?.verdicts;
    let (mut pure, mut doubtful, mut impure) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    impure.extend(api.starts.iter().flat_map(|start| ear.letters_of(&start.callable)).copied());
    for method in &api.methods {
        let harmless = match verdicts.get(&*method.callable) {
            Some(Verdict::Unrefuted { tries }) => *tries >= ENOUGH_TRIES,
            // Something inside changed that no call was seen to notice: a cache, or a setting that nothing reads, or an effect
            // that shows rarely. Trying finds that out; inference from traces cannot, and goes by the name as the paper does.
            Some(Verdict::Changes { what: Difference::Field { .. }, .. }) => {
                doubtful.extend(ear.letters_of(&method.callable));
                miner == Miner::Explore || pure_by_name(method.callable.event_name())
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
            // A question has no side effect whatever the answer, and a state that knows the answer gives only one.
            let knows = |label: &Label<'_>| {
                label.opposite().is_some_and(|other| {
                    let other = other.to_string();
                    let question = pure.contains(&other) || model.letter(&other).is_none();
                    question && !model.edges(state).any(|edge| *edge.label == other)
                })
            };
            let known = loops.iter().map(|label| Label::parse(label)).filter(knows);
            let (yes, no): (Vec<Label<'_>>, Vec<Label<'_>>) =
                known.partition(|label| label.answer() == Some(true));
            let holds = yes.iter().map(|label| label.method().to_owned());
            holds.chain(no.iter().map(|label| format!("not {}", label.method()))).collect()
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
