//! Exploration: a model of a class by observing, in very many situations, which events are possible.
//!
//! Enabledness is not guessed from traces but observed. A situation is a short script with its object. In
//! each, every move (a method with arguments from a pool) is tried; the events that come out are what the
//! situation *enables*. Situations that enable the same events are one state, and a state leads to another by
//! an event if one of its situations was seen to. This is the abstraction of CONTRACTOR with preconditions
//! replaced by experiment.
//!
//! 1. *Survey*: random scripts give moves, situations to try them in, and words that the model must accept.
//! 2. *Explore* from the constructors, in turn for each state and event, until nothing new is found.
//! 3. *Accept*: runs that the model rejects are explored along their way, and then what lies behind it.
//! 4. *Refute*: walks of the model that cannot be realized on the class reveal a state that should be two:
//!    half of its situations lead by an event where the others cannot. It is split if that makes enough walks
//!    realizable, which keeps models small where a class counts: no finite model can.
//!
//! Paper: none; the idea of enabledness is that of `contractor`, of refuting by tests that of `dice`.
//! Cost: a situation takes as many scripts as there are moves, some ten for each method. Situations with
//! equal fields are taken for equal until two are caught enabling different events; then all are probed.

use std::collections::BTreeSet;

use adit_automata::{Fsa, Modality};
use adit_trace::{Author, Depth, Letter, Pace, Phase, Script, Stop};
use rand::{Rng, RngExt};

use crate::EventReader;
use crate::guard::Guarded;
use crate::probe::{Halt, Prober};
use crate::survey::{SurveyOptions, Surveyed, pool, survey};
use crate::validate::{Reproduced, WalkOptions, measure};

mod absorbing;
mod accept;
mod asking;
mod counting;
mod draft;
mod exploration;
mod fields;
mod fine;
mod glance;
mod graph;
mod looking;
pub mod modes;
mod new_moves;
mod rare_targets;
mod refute;
mod repeating;
mod stuck;
#[cfg(test)]
mod testing;
mod trial;
mod untried;
mod witness;

use self::exploration::Exploration;
pub use self::fine::FineModel;
use self::refute::Judgment;
pub use self::witness::{Refusal, TransitionWitness};

/// Effort of an exploration.
#[derive(Clone, Debug, PartialEq)]
pub struct ExploreOptions {
    /// Random scripts that give the moves.
    pub survey: SurveyOptions,
    /// Number of situations that are probed behind each enabled set and event.
    pub successors: usize,
    /// Conditions for splitting a state.
    pub splitting: SplitOptions,
}

/// Walks that judge a model, and when they split a state.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitOptions {
    /// Number of walks by which the model is judged.
    pub walks: usize,
    /// Length of the longest walk.
    pub walk_length: usize,
    /// Number of situations that are kept for each prefix of a walk.
    pub width: usize,
    /// Share of walks that a split must make realizable. Above 1, nothing is split.
    pub gain: f64,
    /// Share of the unrealized walks that a split may make realizable instead, if it is at least
    /// [`least_gain`](Self::least_gain) of all walks.
    pub relative_gain: f64,
    /// See [`relative_gain`](Self::relative_gain).
    pub least_gain: f64,
    /// Share of realized walks from which on a model is left as it is, unless a split gains much or all walks
    /// can be realized in the end. What counts is never exact, and each state more is one more to read.
    pub enough: f64,
    /// Share of realized walks up to which any split helps that makes a part of the others realizable, as
    /// long as the model has no more than [`readable`](Self::readable) states.
    pub good: f64,
    /// See [`good`](Self::good).
    pub readable: usize,
    /// Number of states beyond which nothing is split.
    pub states: usize,
}

impl SplitOptions {
    /// Tells whether a split is worth a state: before it, this share of walks could be realized, and with it
    /// that share.
    fn is_worth(&self, before: f64, after: f64) -> bool {
        let gain = after - before;
        let is_relative = gain >= self.least_gain && gain >= self.relative_gain * (1.0 - before);
        gain >= self.gain || (is_relative && before < self.enough)
    }
}

/// Knowledge that an exploration begins with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prior {
    /// Events without a side effect, as far as is known. They stay in their state unless they are seen to
    /// leave it.
    pub pure: BTreeSet<Letter>,
    /// Pure events that change something inside. They count as pure only where probing confirms it.
    pub doubtful: BTreeSet<Letter>,
    /// Scripts of earlier rounds. They run before the random ones, and the model accepts their words.
    pub scripts: Vec<Script>,
}

impl Prior {
    /// Tells whether an event changes nothing, not even fields, as far as is known.
    fn is_inert(&self, letter: Letter) -> bool {
        self.pure.contains(&letter) && !self.doubtful.contains(&letter)
    }
}

/// Model of a class, and how it was obtained.
#[derive(Clone, Debug)]
pub struct Explored {
    /// Every state but the first is accepting: a client may stop at any time. A transition of modality
    /// *maybe* is an event that was possible while there was no time to see where it leads; it goes to the
    /// place for what was not explored. States name what they refuse.
    pub model: Fsa<String>,
    /// Those of the pure events that never left their state.
    pub pure: BTreeSet<Letter>,
    /// Scripts that were run.
    pub tests: u64,
    /// Situations in which all moves were tried.
    pub situations: usize,
    /// Share of the model's walks that could be realized, if it was measured.
    pub realized: Option<f64>,
    /// Shortest walks that could not be realized.
    pub unrealized: Vec<Vec<String>>,
    /// A script for each transition of the model.
    pub witnesses: Vec<TransitionWitness>,
    /// Methods that states refuse.
    pub refusals: Vec<Refusal>,
    /// A model with more states, if the class counts and more states say more about it.
    pub fine: Option<FineModel>,
    /// Reason why it ended. Unless it is [`Stop::Done`], the model is what was known by then.
    pub stop: Stop,
}

impl Explored {
    /// Tells whether less is left to explore here, and nothing is missing that the other one has.
    fn says_more_than(&self, other: &Self) -> bool {
        let has = |label: &String| self.model.alphabet().contains(label);
        self.not_explored() < other.not_explored()
            && self.model.len() + 1 >= other.model.len()
            && other.model.alphabet().iter().all(has)
    }

    /// Number of transitions of which it is not known where they lead.
    fn not_explored(&self) -> usize {
        self.model.all_edges().filter(|edge| edge.modality == Modality::Maybe).count()
    }

    /// Scripts worth keeping as tests: those that witness a transition or a refusal, each once.
    pub fn tests(&self) -> Vec<Script> {
        let mut scripts: Vec<Script> = Vec::new();
        let refused = self.refusals.iter().map(|refusal| &refusal.script);
        for script in self.witnesses.iter().map(|witness| &witness.script).chain(refused) {
            if !scripts.contains(script) {
                scripts.push(script.clone());
            }
        }
        scripts
    }
}

/// Number of situations that are probed behind each event of a state that was found late. Its kind is known
/// by then, and what matters is that no event leads nowhere.
const LATE_SUCCESSORS: usize = 2;

/// Number of situations that are probed at first behind all events of a state together. Where there are many
/// events, most of what lies behind a second and a third situation is known, and the model should be judged
/// before the time is up. More are probed when nothing else is left to do.
const FIRST_SUCCESSORS: usize = 120;

/// Random runs are repeated while the model rejects more than one in so many of them, and while new states
/// appear.
const REJECTED_RARELY: u64 = 200;

/// An exploration that can go on.
pub struct Explorer {
    exploration: Exploration,
    surveyed: Surveyed,
    /// Number of enabled sets when random runs were last found to need repeating.
    sets_before: usize,
    /// Judgment of the final model.
    judgment: Option<Judgment>,
    /// The last model behind which nothing was left to explore.
    settled: Option<Settled>,
    /// Scripts that were run.
    tests: u64,
    stop: Stop,
}

/// A model that was complete, as far as was known then.
struct Settled {
    explored: Explored,
    /// Number of times that all situations had been seen anew.
    looks: usize,
}

/// The means of an exploration: who runs scripts, who writes them, and who reads their runs.
pub struct Laboratory<'a, S, A, R> {
    /// Runs scripts.
    pub subject: &'a mut S,
    /// Writes random scripts.
    pub author: &'a mut A,
    /// Reads runs as words.
    pub reader: &'a EventReader,
    /// Random numbers.
    pub rng: &'a mut R,
    /// May stop the exploration between batches; then the model is what is known. During the survey and the
    /// choice of moves, it only ends these phases.
    pub pace: &'a mut dyn Pace,
}

/// Explores a class and builds its model. A subject that does not run scripts ends the phase that they were
/// for.
pub fn explore<S: Guarded, A: Author, R: Rng>(
    laboratory: &mut Laboratory<'_, S, A, R>,
    prior: Prior,
    options: ExploreOptions,
) -> Result<Explorer, S::Error> {
    let Laboratory { subject, author, reader, rng, pace } = laboratory;
    let mut prober = Prober::new(*subject, reader, *pace);
    prober.announce(Phase::Survey);
    let surveyed = survey(&mut prober, *author, &options.survey, &prior.scripts, *rng)?;
    prober.announce(Phase::Choose);
    let pool = pool(&mut prober, &surveyed, &options.survey, *rng)?;
    prober.announce(Phase::Explore);
    let tests = prober.tests;
    let exploration = Exploration::new(pool, surveyed.starts.clone(), prior, options);
    let (judgment, settled, stop) = (None, None, Stop::Done);
    let mut explorer = Explorer { exploration, surveyed, sets_before: 0, judgment, settled, tests, stop };
    explorer.go_on(laboratory, Step::Explore)?;
    Ok(explorer)
}

impl Explorer {
    /// Follows scripts with words that the model may reject, then goes on like the exploration before.
    pub fn follow<S: Guarded, A: Author, R: Rng>(
        &mut self,
        laboratory: &mut Laboratory<'_, S, A, R>,
        scripts: &[Script],
    ) -> Result<(), S::Error> {
        let runs = self.in_laboratory(laboratory, |_, prober, _, _| {
            prober.announce(Phase::Accept);
            prober.run(scripts).map_err(Halt::Failed)
        })?;
        let runs = scripts.iter().cloned().zip(runs.unwrap_or_default());
        self.surveyed.runs = runs.filter(|(_, run)| run.was_run()).collect();
        self.go_on(laboratory, Step::AcceptSurvey)
    }

    /// Tries to make these words happen, and returns a script for each that happened. By those that did not,
    /// states are split, so that the model allows fewer of them.
    pub fn attempt<S: Guarded, A: Author, R: Rng>(
        &mut self,
        laboratory: &mut Laboratory<'_, S, A, R>,
        words: &[Vec<Letter>],
    ) -> Result<Vec<Option<Script>>, S::Error> {
        let found = self.in_laboratory(laboratory, |explorer, prober, _, rng| {
            explorer.exploration.attempt(prober, words, &explorer.surveyed, rng)
        })?;
        Ok(found.unwrap_or_else(|| vec![None; words.len()]))
    }

    /// Looks for what was missed: tries new random calls in every state, follows new random scripts, and
    /// judges the model again. Tells whether it found anything.
    pub fn deepen<S: Guarded, A: Author, R: Rng>(
        &mut self,
        laboratory: &mut Laboratory<'_, S, A, R>,
    ) -> Result<bool, S::Error> {
        let before = self.exploration.draft(laboratory.reader);
        let tried = self.in_laboratory(laboratory, |explorer, prober, author, rng| {
            explorer.exploration.try_new_moves(prober, author, &explorer.surveyed, rng)?;
            explorer.exploration.repeat_calls(prober)?;
            let successors = explorer.exploration.options.successors;
            explorer.exploration.explore(prober, successors)
        })?;
        if tried.is_none() {
            return Ok(false);
        }
        self.go_on(laboratory, Step::AcceptRandom)?;
        let after = self.exploration.draft(laboratory.reader);
        Ok(before.states.len() != after.states.len() || before.transitions.len() != after.transitions.len())
    }

    /// Measures a model as [`validate`](crate::validate) does.
    pub fn measure<S: Guarded, A: Author, R: Rng>(
        &mut self,
        laboratory: &mut Laboratory<'_, S, A, R>,
        model: &Fsa<String>,
        effort: WalkOptions,
    ) -> Result<Reproduced, S::Error> {
        let stop = self.stop;
        let measured = self.in_laboratory(laboratory, |explorer, prober, author, rng| {
            let (surveyed, pool) = (&explorer.surveyed, &explorer.exploration.pool);
            let ways = |prober: &mut Prober<'_, S>, words: &[Vec<Letter>]| {
                explorer.exploration.known_ways(prober, words)
            };
            measure(prober, author, model, (surveyed, pool), &ways, effort, rng).map_err(Halt::Failed)
        })?;
        // The end of measuring says nothing about the exploration.
        self.stop = stop;
        Ok(measured.unwrap_or_default())
    }

    /// Takes steps until nothing is left to try or the caller stops it.
    fn go_on<S: Guarded, A: Author, R: Rng>(
        &mut self,
        laboratory: &mut Laboratory<'_, S, A, R>,
        first: Step,
    ) -> Result<(), S::Error> {
        let done = self.in_laboratory(laboratory, |explorer, prober, author, rng| {
            let mut step = first;
            while let Some(next) = explorer.take(step, prober, author, rng)? {
                step = next;
            }
            Ok(())
        })?;
        if done.is_some() {
            self.stop = Stop::Done;
        }
        if let Some(judgment) = self.exploration.without_refining() {
            self.judgment = Some(judgment);
        }
        Ok(())
    }

    /// Does something with a prober that looks as deep as situations are compared, and counts its tests.
    /// Returns nothing if the caller stopped it.
    fn in_laboratory<S: Guarded, A: Author, R: Rng, T>(
        &mut self,
        Laboratory { subject, author, reader, rng, pace }: &mut Laboratory<'_, S, A, R>,
        act: impl FnOnce(&mut Self, &mut Prober<'_, S>, &mut A, &mut R) -> Result<T, Halt<S::Error>>,
    ) -> Result<Option<T>, S::Error> {
        let mut prober = Prober::new(*subject, reader, *pace);
        self.exploration.focus(&mut prober);
        let done = act(self, &mut prober, *author, *rng);
        prober.subject.look(Depth::Fields);
        self.tests += prober.tests;
        match done {
            Ok(done) => Ok(Some(done)),
            Err(Halt::Stop(stop)) => {
                self.stop = stop;
                Ok(None)
            }
            Err(Halt::Failed(error)) => Err(error),
        }
    }

    /// Takes a step and returns the next, or nothing when the exploration is done.
    fn take<S: Guarded>(
        &mut self,
        step: Step,
        prober: &mut Prober<'_, S>,
        author: &mut impl Author,
        rng: &mut impl Rng,
    ) -> Result<Option<Step>, Halt<S::Error>> {
        let exploration = &mut self.exploration;
        match step {
            Step::Explore => {
                exploration.create_objects(prober)?;
                let letters = prober.reader.alphabet().names().len().max(1);
                let successors = (FIRST_SUCCESSORS / letters).max(LATE_SUCCESSORS);
                exploration.explore(prober, successors.min(exploration.options.successors))?;
                Ok(Some(Step::AcceptSurvey))
            }
            Step::AcceptSurvey => {
                for (script, run) in &self.surveyed.runs {
                    exploration.accept(prober, script, run)?;
                }
                exploration.explore(prober, LATE_SUCCESSORS)?;
                exploration.repeat_calls(prober)?;
                exploration.explore(prober, LATE_SUCCESSORS)?;
                Ok(Some(Step::AcceptRandom))
            }
            Step::AcceptRandom => {
                let enough = self.accept_random(prober, author, rng)?;
                Ok(Some(if enough { Step::Refute } else { Step::AcceptRandom }))
            }
            Step::Refute => {
                self.judgment = exploration.refute(prober, &*author, rng)?;
                // A split may make the model reject new runs.
                Ok(self.judgment.is_none().then_some(Step::AcceptRandom))
            }
        }
    }

    /// Runs random scripts, follows those that the model rejects, and tells whether that is enough.
    fn accept_random<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        author: &mut impl Author,
        rng: &mut impl Rng,
    ) -> Result<bool, Halt<S::Error>> {
        let exploration = &mut self.exploration;
        let options = &exploration.options.survey;
        let scripts: Vec<Script> = (0..options.scripts / 3)
            .map(|_| {
                let calls = rng.random_range(1..=options.calls);
                author.script(rng, calls)
            })
            .collect();
        let runs = prober.run(&scripts).map_err(Halt::Failed)?;
        prober.warn(author);
        exploration.learn_ties(prober, scripts.iter().zip(&runs))?;
        let draft = exploration.draft(prober.reader);
        let mut rejected = 0;
        for (script, run) in scripts.iter().zip(&runs) {
            author.observe(script, run);
            if !run.was_run() {
                return Err(prober.why_not_run(&exploration.progress(Phase::Accept)).into());
            }
            let words = prober.reader.read(script, run);
            if !words.iter().all(|heard| draft.fsa.reads(&labels(prober.reader, &heard.word))) {
                rejected += 1;
                exploration.accept(prober, script, run)?;
            }
        }
        exploration.explore(prober, LATE_SUCCESSORS)?;
        if rejected * REJECTED_RARELY <= scripts.len() as u64 {
            return Ok(true);
        }
        let before = std::mem::replace(&mut self.sets_before, exploration.enabled_sets());
        Ok(exploration.enabled_sets() <= before)
    }

    /// The model of everything that is known.
    ///
    /// Where situations were seen anew, because they must be compared by more than before, all that lies
    /// behind them is explored again. If the time ended before that did, the model from before says more.
    pub fn explored(&mut self, reader: &EventReader) -> Explored {
        let looks = self.exploration.looks;
        if !self.stop.is_done() {
            self.exploration.choose_fields_at_last();
        }
        let explored = self.explored_now(reader);
        if self.stop.is_done() {
            self.settled = Some(Settled { explored: explored.clone(), looks });
            return explored;
        }
        let says_more =
            |settled: &&Settled| settled.looks < looks && settled.explored.says_more_than(&explored);
        match self.settled.as_ref().filter(says_more) {
            Some(Settled { explored, .. }) => {
                Explored { tests: self.tests, stop: self.stop, ..explored.clone() }
            }
            None => explored,
        }
    }

    fn explored_now(&mut self, reader: &EventReader) -> Explored {
        let Self { exploration, judgment, .. } = self;
        let draft = exploration.draft(reader);
        let (model, counterparts) = exploration.simplified(reader, &draft);
        let witnesses = exploration.witnesses(reader, &draft, &counterparts, &model);
        let model = exploration.with_unexplored(reader, &draft, &counterparts, &model);
        let fine = exploration.fine(reader, &draft, &counterparts);
        let refusals = exploration.refusals(&draft, &counterparts, &model);
        let (realized, unrealized) =
            judgment.as_ref().map(|one| (one.realized, one.unrealized.clone())).unzip();
        Explored {
            pure: exploration.harmless(),
            tests: self.tests,
            situations: exploration.situations(),
            realized,
            unrealized: unrealized.unwrap_or_default(),
            witnesses,
            model: witness::with_refusals(&model, &refusals),
            refusals,
            fine,
            stop: self.stop,
        }
    }
}

/// Steps of an exploration, after the survey.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Probe new objects, and what lies behind every enabled set and event.
    Explore,
    /// Follow the runs of the survey that the model rejects.
    AcceptSurvey,
    /// Follow new random runs that the model rejects.
    AcceptRandom,
    /// Judge the model by its walks, and split a state.
    Refute,
}

/// Labels of a word.
fn labels(reader: &EventReader, word: &[Letter]) -> Vec<String> {
    word.iter().map(|&letter| reader.alphabet().name(letter).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use adit_trace::Limit;

    use super::testing::{probed_safes, used_safe, with_safes};
    use super::*;

    /// The time ended when everything had to be explored again: what was known before is not lost.
    #[test]
    fn a_second_look_that_did_not_end_costs_no_model() {
        with_safes(|prober| {
            let mut exploration = probed_safes(prober, &[used_safe(&[])]);
            exploration.explore(prober, 4).unwrap();
            let surveyed = Surveyed {
                runs: Vec::new(),
                candidates: Vec::new(),
                starts: Vec::new(),
                situations: Vec::new(),
            };
            let (sets_before, judgment, settled, tests, stop) = (0, None, None, 0, Stop::Done);
            let mut explorer =
                Explorer { exploration, surveyed, sets_before, judgment, settled, tests, stop };
            let complete = explorer.explored(prober.reader);
            assert_eq!(complete.not_explored(), 0);
            explorer.exploration = probed_safes(prober, &[used_safe(&[])]);
            explorer.stop = Stop::Budget(Limit::Time);
            assert!(explorer.explored(prober.reader).not_explored() > 0, "nothing was seen anew");
            explorer.exploration.looks += 1;
            let kept = explorer.explored(prober.reader);
            assert_eq!((kept.not_explored(), kept.stop), (0, explorer.stop));
            assert_eq!(kept.model, complete.model);
        });
    }
}
