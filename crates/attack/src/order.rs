//! Does the order of two calls matter to the object? Both orders are run, and compared.
//!
//! From every situation that a survey found, with the arguments that it found, one script makes the first
//! call and then the second, and another script exchanges them. A user of the object can tell the orders
//! apart by an exception, by an answer, or by what later calls do. A field that differs and that no later
//! call shows is the weakest sign, because it may be a cache. If a first call with a plain answer leaves the
//! same object in both orders when it is made once more, it is one, and the call only looks.
//!
//! | finding | the orders differ in | order is |
//! |---|---|---|
//! | [`SecondFails`](Finding::SecondFails) | the second call throws if it comes first | needed |
//! | [`FirstFails`](Finding::FirstFails) | the first call throws if it comes last | needed |
//! | [`SecondAnswers`](Finding::SecondAnswers) | the answer of the second call | matters |
//! | [`FirstAnswers`](Finding::FirstAnswers) | the answer of a first call that changes the object | matters |
//! | [`LaterAnswers`](Finding::LaterAnswers) | the outcome of a later call | matters |
//! | [`Fields`](Finding::Fields) | what the object leads to, and nothing that later calls show | matters |
//! | [`Looks`](Finding::Looks) | the answer of the first call, which only looks at the object | free |
//! | [`Same`](Finding::Same) | nothing | free |
//! | [`Opposite`](Finding::Opposite) | a call that throws in the demanded order and not in the other | free |
//! | [`Spoils`](Finding::Spoils) | the second call, which is no use any more after the first | free |
//!
//! A first call whose answer tells whether the second one throws is its test, as `hasNext` is of `next`. No
//! difference shows that, because exchanging the two changes only what the caller knows, so it is counted
//! apart (`order/guards.rs`).
//!
//! A difference counts only if both scripts show it again, and not if two runs of one script differ in it, as
//! clocks, random numbers and identities do (`order/noise.rs`). Situations in which the demanded order
//! throws in both orders show little: [`Same`](Finding::Same) is their finding, and they are counted apart.
//!
//! Paper: none. TEMARI [temari, section V-B] finds that weak oracles of tests cause most errors; here the
//! object itself is the oracle.
//! Cost: the survey once, and for each pair two scripts for each experiment, and as many again for each
//! difference.

use std::sync::Arc;

use adit_trace::{
    Author, Callable, Depth, End, Pace, Phase, Progress, Run, Script, Snapshot, Step, StepResult, Stop,
    Subject, Unlimited, Value, ValueKind,
};
use rand::{Rng, RngExt};

use crate::EventReader;
use crate::guard::{Guarded, GuardedSubject};
use crate::moves::{Move, Situation};
use crate::probe::Prober;
use crate::survey::{SurveyOptions, Surveyed, survey};

use self::choice::Choice;
use self::noise::{Noise, Unsteady};

mod choice;
mod guards;
mod noise;
mod spoils;

/// Effort of the experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderOptions {
    /// Random scripts that give situations and calls with arguments.
    pub survey: SurveyOptions,
    /// Experiments for each pair in which the calls return.
    pub experiments: usize,
    /// Most experiments for each pair, those included in which both orders throw.
    pub most: usize,
    /// Differences of fields for each pair that later calls examine.
    pub examined: usize,
    /// Continuations that examine one difference.
    pub continuations: usize,
    /// Calls of a continuation.
    pub calls_after: usize,
}

/// Calls that one of the two events stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// The callables: several if overloads share a name.
    pub callables: Vec<Arc<Callable>>,
    /// The answer that the event has, if its label says so.
    pub answer: Option<bool>,
}

/// A question: must the first event come before the second?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderQuestion {
    /// The event that is demanded first.
    pub first: Side,
    /// The event that is demanded second.
    pub second: Side,
}

/// The result of one experiment.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// The second call throws if it comes first.
    SecondFails(StepResult),
    /// The first call throws if it comes last.
    FirstFails(StepResult),
    /// The second call answers differently if it comes first.
    SecondAnswers {
        /// Its answer in the demanded order.
        in_order: StepResult,
        /// Its answer in the other order.
        exchanged: StepResult,
    },
    /// The first call answers differently if it comes last, and it changes the object.
    FirstAnswers {
        /// Its answer in the demanded order.
        in_order: StepResult,
        /// Its answer in the other order.
        exchanged: StepResult,
    },
    /// A later call, the last statement of the scripts, ends differently.
    LaterAnswers {
        /// Its outcome after the demanded order.
        in_order: StepResult,
        /// Its outcome after the other order.
        exchanged: StepResult,
    },
    /// A field, or what it leads to, differs in the end, and no later call showed it.
    Fields {
        /// The first such field.
        name: String,
    },
    /// Only the answer of the first call differs, and that call changes nothing.
    Looks,
    /// Nothing differs.
    Same,
    /// The demanded order throws where the other one does not.
    Opposite(StepResult),
    /// The second call answers the same for ever once the first was made, and differently without it.
    Spoils(StepResult),
}

/// Answer to a question, from weakest to strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// No experiment could be made.
    Unknown,
    /// The order makes no difference to the second call and to what comes after.
    Free,
    /// Both orders work, with different results.
    Matters,
    /// One of the calls fails in the other order.
    Needed,
}

/// Two scripts that differ in the order of two calls.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderWitness {
    /// The script with the demanded order.
    pub in_order: Script,
    /// The script with the calls exchanged.
    pub exchanged: Script,
    /// Statements of `in_order` that are the first and the second call.
    pub calls: (usize, usize),
    /// The difference.
    pub finding: Finding,
}

/// All experiments about one question.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderEvidence {
    /// The answer.
    pub need: Need,
    /// The strongest difference, or if there is none an experiment without a difference.
    pub witness: Option<OrderWitness>,
    /// Numbers of experiments by their findings.
    pub tally: Tally,
    /// The answer of the first call with which the second one throws, if the first is its test.
    pub refusal: Option<bool>,
}

/// Numbers of experiments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// In which the order was needed.
    pub needed: u32,
    /// In which an answer differed.
    pub matters: u32,
    /// In which only fields differed.
    pub fields: u32,
    /// In which nothing differed but the answer of a first call that only looks.
    pub free: u32,
    /// In which both orders threw alike.
    pub both_threw: u32,
    /// In which only the other order worked.
    pub opposite: u32,
    /// In which the second call differed because the first one spoils it.
    pub spoils: u32,
    /// In which the second call threw as the answer of the first one said.
    pub guards: u32,
}

/// Answers to all questions.
#[derive(Clone, Debug)]
pub struct Orders {
    /// The answers, in the order of the questions.
    pub evidence: Vec<OrderEvidence>,
    /// Scripts that were run.
    pub tests: u64,
    /// Reason why no more was tried.
    pub stop: Stop,
}

/// In one of so many experiments, the second call gets the values of the first: what `put("a")` does,
/// `get("b")` does not tell.
const SAME_VALUES: usize = 3;

/// Times that a difference which only one experiment shows is looked at again.
const ALONE: usize = 3;

/// Runs both orders of every pair in many situations. Scripts in `known` are situations too.
#[expect(clippy::too_many_arguments, reason = "a search needs its subject, its author and its limits")]
pub fn order<S: Subject, R: Rng>(
    subject: &mut S,
    author: &mut impl Author,
    reader: &EventReader,
    questions: &[OrderQuestion],
    known: &[Script],
    options: &OrderOptions,
    rng: &mut R,
    pace: &mut dyn Pace,
) -> Result<Orders, S::Error> {
    let mut guarded = GuardedSubject::new(subject, pace);
    guarded.phase = Phase::Survey;
    let mut unlimited = Unlimited;
    let mut prober = Prober::new(&mut guarded, reader, &mut unlimited);
    let surveyed = survey(&mut prober, author, &options.survey, known, rng)?;
    // What ended the survey need not end the experiments: their time is counted apart.
    prober.subject.begin(Phase::Walks);
    prober.subject.look(Depth::Reachable);
    let unknown =
        OrderEvidence { need: Need::Unknown, witness: None, tally: Tally::default(), refusal: None };
    let mut evidence = vec![unknown; questions.len()];
    // Some experiments for every pair before many for one: the budget may end.
    let first = OrderOptions { experiments: options.experiments / 3, most: options.most / 3, ..*options };
    let rest = OrderOptions {
        experiments: options.experiments - first.experiments,
        most: options.most - first.most,
        ..*options
    };
    'rounds: for (from, options) in [(0, first), (first.most, rest)] {
        for (number, (question, known)) in questions.iter().zip(&mut evidence).enumerate() {
            if known.need > Need::Free {
                continue;
            }
            if number > 0 && prober.ask(&Progress::new(Phase::Walks, 0)).is_err() {
                break 'rounds;
            }
            known.join(examine(&mut prober, &surveyed, question, from, &options, rng)?);
        }
    }
    prober.subject.look(Depth::Fields);
    let guard = guarded.guard();
    Ok(Orders { evidence, tests: guard.tests, stop: guard.stopped.unwrap_or(Stop::Done) })
}

/// One experiment: both orders from one situation.
#[derive(Clone)]
struct Exchange {
    in_order: Situation,
    exchanged: Situation,
    first: Move,
    second: Move,
    /// Statements of the first and the second call in `in_order`, and in `exchanged`.
    calls: [usize; 2],
    moved: [usize; 2],
}

impl Exchange {
    fn new(situation: &Situation, first: &Move, second: &Move) -> Self {
        let after_first = first.behind(situation);
        let in_order = second.behind(&after_first);
        let after_second = second.behind(situation);
        let exchanged = first.behind(&after_second);
        let last = |one: &Situation| one.script.statements.len() - 1;
        Self {
            calls: [last(&after_first), last(&in_order)],
            moved: [last(&exchanged), last(&after_second)],
            in_order,
            exchanged,
            first: first.clone(),
            second: second.clone(),
        }
    }

    /// The same with calls after both.
    fn continued(&self, moves: &[&Move]) -> Self {
        let mut longer = self.clone();
        for one in moves {
            longer.in_order = one.behind(&longer.in_order);
            longer.exchanged = one.behind(&longer.exchanged);
        }
        longer
    }

    /// Both scripts. The other order ends with the second call once more, which tells whether it always
    /// returns the same object.
    fn scripts(&self) -> [Script; 2] {
        [self.in_order.script.clone(), self.second.behind(&self.exchanged).script]
    }

    fn witness(self, finding: Finding) -> OrderWitness {
        let Self { in_order, exchanged, calls: [first, second], .. } = self;
        let (in_order, exchanged) = (in_order.script, exchanged.script);
        OrderWitness { in_order, exchanged, calls: (first, second), finding }
    }
}

/// Makes experiments on one pair, numbered from `from`.
fn examine<S: Guarded>(
    prober: &mut Prober<'_, S>,
    surveyed: &Surveyed,
    question: &OrderQuestion,
    from: usize,
    options: &OrderOptions,
    rng: &mut impl Rng,
) -> Result<OrderEvidence, S::Error> {
    let of = |side: &Side| -> Vec<&Move> {
        let callable = |one: &&Move| side.callables.contains(one.callable());
        surveyed.candidates.iter().filter(callable).filter(|one| !one.passes(&prober.heavy)).collect()
    };
    let (first, second) = (of(&question.first), of(&question.second));
    let mut evidence =
        OrderEvidence { need: Need::Unknown, witness: None, tally: Tally::default(), refusal: None };
    if first.is_empty() || second.is_empty() || surveyed.situations.is_empty() {
        return Ok(evidence);
    }
    let choice = Choice::new(surveyed);
    // Experiments without a difference in which both calls change the object.
    let mut silent = Vec::new();
    let mut different = Vec::new();
    let mut guard = guards::Guard::default();
    // Moves that returned once, in either role: later experiments are made with them.
    let mut able: [Vec<&Move>; 2] = [Vec::new(), Vec::new()];
    let (mut tried, mut returned) = (0, 0);
    while returned < options.experiments && tried < options.most && (tried == 0 || different.is_empty()) {
        let [a, b] = [(&able[0], &first), (&able[1], &second)].map(|(able, all)| match able.is_empty() {
            true => all.clone(),
            false => able.clone(),
        });
        let batch: Vec<(usize, &Move, &Move)> = (from + tried..from + tried + options.experiments)
            .map(|number| {
                let place = choice.situation(number, rng);
                let [a, b] = [&a, &b].map(|moves| moves[rng.random_range(0..moves.len())]);
                (place, a, b)
            })
            .collect();
        let exchange = |(number, (place, a, b)): (usize, &(usize, &Move, &Move))| {
            let situation = &surveyed.situations[*place];
            match number % SAME_VALUES {
                0 => Exchange::new(situation, a, &b.with_values_of(a)),
                _ => Exchange::new(situation, a, b),
            }
        };
        let exchanges: Vec<Exchange> = (from + tried..).zip(&batch).map(exchange).collect();
        tried += batch.len();
        let judged = judge_all(prober, &exchanges, question)?;
        for ((exchange, judged), (place, a, b)) in exchanges.into_iter().zip(judged).zip(batch) {
            guard.see(&surveyed.situations[place], judged.told);
            let Some(judged) = judged.judged else { continue };
            if judged.both_threw {
                evidence.tally.both_threw += 1;
                continue;
            }
            returned += 1;
            for (able, one) in able.iter_mut().zip([a, b]) {
                if !able.iter().any(|known| std::ptr::eq(*known, one)) {
                    able.push(one);
                }
            }
            match judged.finding {
                Finding::Same | Finding::Looks => {
                    evidence.tally.free += 1;
                    if judged.both_change && silent.len() < options.examined {
                        silent.push(exchange.clone());
                    }
                    evidence.witness.get_or_insert_with(|| exchange.witness(Finding::Same));
                }
                finding => different.push((exchange, finding)),
            }
        }
    }
    (evidence.tally.guards, evidence.refusal) = guard.answer();
    let mut different = confirmed(prober, different, question)?;
    // One difference among many experiments may be a clock that stood still in two runs and not in others.
    for _ in 0..ALONE {
        if different.len() == 1 && returned > 1 {
            different = confirmed(prober, different, question)?;
        }
    }
    let of_second =
        |finding: &Finding| matches!(finding, Finding::SecondFails(_) | Finding::SecondAnswers { .. });
    if different.iter().any(|(_, finding)| of_second(finding))
        && let Some(answer) = spoils::answer(prober, surveyed, question, [&first, &second], rng)?
    {
        let spoiled = different.iter_mut().filter(|(_, finding)| of_second(finding));
        spoiled.for_each(|(_, finding)| *finding = Finding::Spoils(answer.clone()));
    }
    // Differences that may be no more than a cache, and those of them that are.
    let (mut examined, mut caches) = (0, 0);
    for (exchange, finding) in different {
        let may_be_cache = matches!(finding, Finding::Fields { .. } | Finding::FirstAnswers { .. });
        if !may_be_cache {
            evidence.count(exchange, finding);
            continue;
        }
        if examined < options.examined {
            examined += 1;
            if let Some((longer, finding)) = later(prober, surveyed, &exchange, question, options, rng)? {
                evidence.count(longer, finding);
                continue;
            }
            caches += usize::from(only_looks(prober, &exchange)?);
        }
        // Where all that were examined are caches, the others are too.
        let is_cache = examined > 0 && caches == examined;
        evidence.count(exchange, if is_cache { Finding::Looks } else { finding });
    }
    // The digest of a list does not tell in which order its elements are, and later calls do.
    let silent = if evidence.tally.need() > Need::Free { Vec::new() } else { silent };
    for exchange in &silent {
        if let Some((longer, finding)) = later(prober, surveyed, exchange, question, options, rng)? {
            evidence.tally.free -= 1;
            evidence.count(longer, finding);
            break;
        }
    }
    evidence.need = evidence.tally.need();
    Ok(evidence)
}

impl OrderEvidence {
    /// Adds other experiments on the same pair.
    fn join(&mut self, other: Self) {
        self.tally = self.tally.plus(other.tally);
        let is_stronger = |known: &OrderWitness, new: &OrderWitness| known.finding.precedes(&new.finding);
        self.witness = match (self.witness.take(), other.witness) {
            (Some(known), Some(new)) => Some(if is_stronger(&known, &new) { new } else { known }),
            (known, new) => known.or(new),
        };
        self.refusal = self.refusal.or(other.refusal);
        self.need = self.tally.need();
    }

    fn count(&mut self, exchange: Exchange, finding: Finding) {
        *match finding.need() {
            Need::Needed => &mut self.tally.needed,
            _ if matches!(finding, Finding::Opposite(_)) => &mut self.tally.opposite,
            _ if matches!(finding, Finding::Spoils(_)) => &mut self.tally.spoils,
            _ if matches!(finding, Finding::Fields { .. }) => &mut self.tally.fields,
            Need::Matters => &mut self.tally.matters,
            Need::Free | Need::Unknown => &mut self.tally.free,
        } += 1;
        // The first of the strongest, which is one of the shortest.
        if self.witness.as_ref().is_none_or(|known| known.finding.precedes(&finding)) {
            self.witness = Some(exchange.witness(finding));
        }
    }
}

impl Finding {
    /// Tells whether another finding shows more.
    fn precedes(&self, other: &Self) -> bool {
        let strength = |finding: &Self| (finding.need(), !matches!(finding, Self::Fields { .. }));
        strength(self) < strength(other)
            || matches!(
                (self, other),
                (Self::Same, Self::Opposite(_) | Self::Spoils(_)) | (Self::Opposite(_), Self::Spoils(_))
            )
    }

    /// Tells whether both are the same kind of difference, in the same field if it is one of fields.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Fields { name: one }, Self::Fields { name: other }) => one == other,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    /// The answer of one experiment.
    pub fn need(&self) -> Need {
        match self {
            Self::SecondFails(_) | Self::FirstFails(_) => Need::Needed,
            Self::SecondAnswers { .. }
            | Self::FirstAnswers { .. }
            | Self::LaterAnswers { .. }
            | Self::Fields { .. } => Need::Matters,
            Self::Looks | Self::Same | Self::Opposite(_) | Self::Spoils(_) => Need::Free,
        }
    }
}

impl Tally {
    /// The experiments of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            needed: self.needed + other.needed,
            matters: self.matters + other.matters,
            fields: self.fields + other.fields,
            free: self.free + other.free,
            both_threw: self.both_threw + other.both_threw,
            opposite: self.opposite + other.opposite,
            spoils: self.spoils + other.spoils,
            guards: self.guards + other.guards,
        }
    }

    /// The answer of all experiments: one that shows a need is enough.
    pub fn need(&self) -> Need {
        if self.needed + self.guards > 0 {
            Need::Needed
        } else if self.matters + self.fields > 0 {
            Need::Matters
        } else if self.free + self.both_threw + self.opposite + self.spoils > 0 {
            Need::Free
        } else {
            Need::Unknown
        }
    }
}

/// Judges differences again, without what differs from run to run: both scripts are run twice more, in turn,
/// so that a clock which shows one time in both runs of a script shows it in the other script, too.
/// Differences that do not show in both pairs of runs are dropped.
fn confirmed<S: Guarded>(
    prober: &mut Prober<'_, S>,
    different: Vec<(Exchange, Finding)>,
    question: &OrderQuestion,
) -> Result<Vec<(Exchange, Finding)>, S::Error> {
    let twice = |(exchange, _): &(Exchange, Finding)| [exchange.scripts(), exchange.scripts()];
    let scripts: Vec<Script> = different.iter().flat_map(twice).flatten().collect();
    let runs = prober.run(&scripts)?;
    let mut same = Vec::new();
    for ((exchange, _), runs) in different.into_iter().zip(runs.chunks(4)) {
        let [one, other, one_again, other_again] = runs else { continue };
        let noise = Noise::between([one, one_again], [other, other_again]);
        let judged = [(one, other), (one_again, other_again)]
            .map(|(one, other)| judge(&exchange, one, other, question, &noise));
        if let [Some(first), Some(second)] = judged
            && first.finding.is_like(&second.finding)
        {
            same.push((exchange, first.finding));
        }
    }
    Ok(same)
}

/// Searches for a call after both orders that shows the difference.
fn later<S: Guarded>(
    prober: &mut Prober<'_, S>,
    surveyed: &Surveyed,
    exchange: &Exchange,
    question: &OrderQuestion,
    options: &OrderOptions,
    rng: &mut impl Rng,
) -> Result<Option<(Exchange, Finding)>, S::Error> {
    let able: Vec<&Move> = surveyed.candidates.iter().filter(|one| prober.is_worth(one)).collect();
    if able.is_empty() {
        return Ok(None);
    }
    let mut found = Vec::new();
    let longer: Vec<Exchange> = (0..options.continuations)
        .map(|_| {
            let moves: Vec<&Move> =
                (0..options.calls_after).map(|_| able[rng.random_range(0..able.len())]).collect();
            exchange.continued(&moves)
        })
        .collect();
    let judged = judge_all(prober, &longer, question)?;
    for (longer, judged) in longer.into_iter().zip(judged) {
        let judged = judged.judged;
        if let Some(Judged { finding: finding @ Finding::LaterAnswers { .. }, shown, .. }) = judged {
            // Nothing after the call that shows it is needed.
            let after = longer.in_order.script.statements.len() - shown;
            let mut shorter = longer;
            for situation in [&mut shorter.in_order, &mut shorter.exchanged] {
                let length = situation.script.statements.len();
                situation.script.statements.truncate(length + 1 - after);
            }
            found.push((shorter, finding));
        }
    }
    found.sort_by_key(|(exchange, _)| exchange.in_order.script.statements.len());
    found.truncate(2);
    let shown = |(_, finding): &(Exchange, Finding)| matches!(finding, Finding::LaterAnswers { .. });
    Ok(confirmed(prober, found, question)?.into_iter().find(shown))
}

/// Tells whether the first call does no more than look, though it leaves a trace in the object: it answers
/// with a plain value, and made once more after both calls it leaves the same object in both orders. A number
/// that is computed when it is asked for and kept until the next change is such a trace.
fn only_looks<S: Guarded>(prober: &mut Prober<'_, S>, exchange: &Exchange) -> Result<bool, S::Error> {
    if matches!(exchange.first.callable().answer, ValueKind::Nothing | ValueKind::Object) {
        return Ok(false);
    }
    let looks_again = exchange.first.behind(&exchange.in_order);
    let runs = prober.run(&[looks_again.script, exchange.exchanged.script.clone()])?;
    let ends = runs.iter().map(|run| Some(run).filter(|run| run.end == End::Complete)?.steps.last());
    let [Some(one), Some(other)] = ends.collect::<Vec<Option<&Step>>>()[..] else { return Ok(false) };
    let fields = one.fields.as_ref().zip(other.fields.as_ref());
    let same_end = fields.is_some_and(|(one, other)| differences(one, other).next().is_none());
    Ok(same_end && same_answer(one, other))
}

/// One experiment after it was run.
struct Tried {
    /// Its judgment, if both orders could be run.
    judged: Option<Judged>,
    /// The answer of the first call in the demanded order, if it is a boolean, and whether the second one
    /// threw.
    told: Option<(bool, bool)>,
}

/// Judgment of one experiment.
struct Judged {
    finding: Finding,
    both_threw: bool,
    /// Both calls change the object.
    both_change: bool,
    /// The statement of the demanded order that shows a later difference.
    shown: usize,
}

fn judge_all<S: Guarded>(
    prober: &mut Prober<'_, S>,
    exchanges: &[Exchange],
    question: &OrderQuestion,
) -> Result<Vec<Tried>, S::Error> {
    let scripts: Vec<Script> = exchanges.iter().flat_map(Exchange::scripts).collect();
    let runs = prober.run(&scripts)?;
    Ok(exchanges
        .iter()
        .zip(runs.chunks(2))
        .map(|(exchange, runs)| match runs {
            [in_order, exchanged] => {
                let judged = judge(exchange, in_order, exchanged, question, &Noise::default());
                Tried { judged, told: guards::told(exchange, in_order) }
            }
            _ => Tried { judged: None, told: None },
        })
        .collect())
}

fn judge(
    exchange: &Exchange,
    in_order: &Run,
    exchanged: &Run,
    question: &OrderQuestion,
    noise: &Noise,
) -> Option<Judged> {
    if in_order.end != End::Complete || exchanged.end != End::Complete {
        return None;
    }
    let [first, second] = exchange.calls.map(|at| in_order.steps.get(at));
    let [first_moved, second_moved] = exchange.moved.map(|at| exchanged.steps.get(at));
    let (first, second, first_moved, second_moved) = (first?, second?, first_moved?, second_moved?);
    let judged = |finding, both_threw| Some(Judged { finding, both_threw, both_change: false, shown: 0 });
    let made = |step: &Step| {
        let result = &step.result;
        matches!(result, StepResult::Returned(_) | StepResult::Object { .. } | StepResult::Threw { .. })
    };
    if ![first, second, first_moved, second_moved].into_iter().all(made) {
        return None;
    }
    let [first_noise, second_noise] = [0, 1].map(|call| noise.of(exchange.calls[call], exchange.moved[call]));
    if first_noise == Unsteady::Ends || second_noise == Unsteady::Ends {
        return None;
    }
    match (threw(first), threw(second)) {
        (true, _) | (_, true) => {
            // Where the demanded order fails, it shows at most that the other one does not.
            let works = !threw(first_moved) && !threw(second_moved);
            let alike = first_noise.hides(first, first_moved) && second_noise.hides(second, second_moved);
            let failed = if threw(first) { first } else { second };
            return match (works, alike) {
                (true, _) => judged(Finding::Opposite(failed.result.clone()), false),
                (_, true) => judged(Finding::Same, true),
                _ => None,
            };
        }
        (false, false) => {}
    }
    if !fits(&question.first, first) || !fits(&question.second, second) {
        return None;
    }
    if threw(second_moved) {
        return judged(Finding::SecondFails(second_moved.result.clone()), false);
    }
    if threw(first_moved) {
        return judged(Finding::FirstFails(first_moved.result.clone()), false);
    }
    let answers = |a: &Step, b: &Step| (a.result.clone(), b.result.clone());
    // A getter that returns the same object whenever it is called answers with the object, not with what is
    // in it.
    let is_view = matches!(
        (&second_moved.result, exchanged.steps.last().map(|step| &step.result)),
        (StepResult::Object { first: once, .. }, Some(StepResult::Object { first: again, .. }))
            if once == again
    );
    let same_first = first_noise.hides(first, first_moved);
    let second_noise = if is_view { second_noise.max(Unsteady::Inside) } else { second_noise };
    if !second_noise.hides(second, second_moved) {
        let (in_order, exchanged) = answers(second, second_moved);
        return judged(Finding::SecondAnswers { in_order, exchanged }, false);
    }
    // In both orders, because a first call that changes nothing any more has changed it before.
    let changes = |situation: &Situation, run: &Run, at: usize| {
        let after = run.steps[at].fields.as_ref();
        before(situation, run, at)
            .zip(after)
            .is_some_and(|(before, after)| differences(before, after).next().is_some())
    };
    let first_changes = changes(&exchange.in_order, in_order, exchange.calls[0])
        || changes(&exchange.exchanged, exchanged, exchange.moved[0]);
    let start = exchange.calls[1] + 1;
    for (at, (one, other)) in in_order.steps.iter().zip(&exchanged.steps).enumerate().skip(start) {
        if !noise.of(at, at).max(Unsteady::Inside).hides(one, other) {
            let (in_order, exchanged) = answers(one, other);
            let finding = Finding::LaterAnswers { in_order, exchanged };
            return Some(Judged { finding, both_threw: false, both_change: true, shown: at });
        }
    }
    if first_changes && !same_first {
        let (in_order, exchanged) = answers(first, first_moved);
        return judged(Finding::FirstAnswers { in_order, exchanged }, false);
    }
    // The state right after both calls: later calls may have removed the difference.
    let ends = second.fields.as_ref().zip(first_moved.fields.as_ref());
    if let Some(name) = ends.and_then(|(one, other)| differences(one, other).find(|name| !noise.has(name))) {
        return judged(Finding::Fields { name }, false);
    }
    let looks = !same_first;
    let second_changes = changes(&exchange.in_order, in_order, exchange.calls[1])
        || changes(&exchange.exchanged, exchanged, exchange.moved[1]);
    let finding = if looks { Finding::Looks } else { Finding::Same };
    Some(Judged { finding, both_threw: false, both_change: first_changes && second_changes, shown: 0 })
}

/// The last snapshot of the object before statement `at`.
fn before<'r>(situation: &Situation, run: &'r Run, at: usize) -> Option<&'r Snapshot> {
    let Situation { script, object } = situation;
    let concerns = |place: &usize| place == object || script.statements[*place].receiver == Some(*object);
    (0..at).rev().filter(concerns).find_map(|place| run.steps[place].fields.as_ref())
}

fn threw(step: &Step) -> bool {
    matches!(step.result, StepResult::Threw { .. })
}

/// Tells whether a call that returned is the event that is asked about.
fn fits(side: &Side, step: &Step) -> bool {
    side.answer.is_none_or(|wanted| step.result == StepResult::Returned(Value::Bool(wanted)))
}

/// Equality of answers, and of what is inside of objects that were returned.
fn same_answer(one: &Step, other: &Step) -> bool {
    same_outcome(one, other)
        && one.answer.map(|digest| digest.exact) == other.answer.map(|digest| digest.exact)
}

/// Equality of outcomes, apart from the identity of objects and the messages of exceptions.
fn same_outcome(one: &Step, other: &Step) -> bool {
    match (&one.result, &other.result) {
        (StepResult::Returned(Value::Float(a)), StepResult::Returned(Value::Float(b))) => {
            a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
        }
        (StepResult::Returned(a), StepResult::Returned(b)) => a == b,
        (StepResult::Object { class: a, .. }, StepResult::Object { class: b, .. })
        | (StepResult::Threw { class: a, .. }, StepResult::Threw { class: b, .. })
        | (StepResult::Unresolved { class: a, .. }, StepResult::Unresolved { class: b, .. }) => a == b,
        (StepResult::Skipped(a), StepResult::Skipped(b)) => a == b,
        _ => false,
    }
}

/// The fields that differ, by their values or by what they lead to.
fn differences<'s>(one: &'s Snapshot, other: &'s Snapshot) -> impl Iterator<Item = String> + use<'s> {
    let same = |a: &Value, b: &Value| match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    };
    let digest = |snapshot: &Snapshot, at: usize| {
        snapshot.digests().and_then(|digests| digests.get(at)).map(|digest| digest.exact)
    };
    one.names()
        .iter()
        .zip(one.values().zip(other.values()))
        .enumerate()
        .filter(move |&(at, (_, (a, b)))| !same(a, b) || digest(one, at) != digest(other, at))
        .map(|(_, (name, _))| name.clone())
}
