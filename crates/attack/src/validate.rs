//! Validation: precision and recall of a model, measured by running the class itself.
//!
//! *Precision* is the share of the model's random walks that some choice of arguments makes one object do. A
//! walk is a word: it chooses among the labels that can come next, not among transitions.
//! *Recall* is the share of random lives of real objects, each up to its first exception, that the model
//! reads. Both need no truth written by hand, so any class that can be run can be measured.
//!
//! A walk counts as unrealized when three whole searches did not find how to do it: one with a pool of moves,
//! one with all moves of the survey, one for other values. That is no proof. A narrow search before them
//! finds most of those that can be realized. A walk that was not searched to its end, or that needs a
//! method that could not be called or was given up, is *undecided*: it is counted apart and in no rate.
//!
//! Paper: `krka`, section 4.2.1, for measuring by walks; `wilson27` for the intervals.
//! Deviation: the class itself is in the place of the true model. The papers' walks choose among transitions,
//! which for a model with an event that leads to several states says more about the model than about its
//! language. The intervals take walks and lives for independent, which lives of one script are only nearly.
//! Cost: the survey, then for each walk at most its length times `width` times the moves of one method.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::{Builder, Fsa, Reader};
use adit_trace::{Author, Letter, Pace, Phase, Progress, Script, Stop, Subject, Unlimited};
use rand::{Rng, RngExt};

use crate::EventReader;
use crate::guard::{Guarded, GuardedSubject};
use crate::moves::{Move, Situation};
use crate::novelty::{Census, Novelty};
use crate::other_values::ValueSearch;
use crate::probe::{Halt, Prober};
use crate::realize::{Beam, Realized, realize};
use crate::survey::{Pool, SurveyOptions, Surveyed, pool_of, survey};

/// Number of the shortest failures that are kept.
const SHOWN: usize = 10;

/// Effort of a validation.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidateOptions {
    /// Scripts whose values are known to work, such as those of the search that made the model. What is said
    /// to be realized happened, whoever chose the values.
    pub known: Vec<Script>,
    /// Random scripts that give the moves.
    pub survey: SurveyOptions,
    /// Approximate number of probes by which moves are chosen.
    pub choosing: usize,
    /// Random scripts whose objects the model is to read.
    pub runs: usize,
    /// Walks of the model.
    pub walks: WalkOptions,
}

/// Walks of a model that are tried on the class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkOptions {
    /// Number of walks.
    pub count: usize,
    /// Length of the longest walk.
    pub length: usize,
    /// Number of situations that are kept for each prefix of a walk; four times as many in the second search.
    pub width: usize,
}

/// Walks of a model that were reproduced on the class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reproduced {
    /// Walks that were realized, of those that were decided.
    pub walks: Rate,
    /// The shortest beginnings of walks whose last event could not be realized, shortest first.
    pub unrealized: Vec<Vec<String>>,
    /// Walks that are in no rate.
    pub undecided: Undecided,
}

/// Result of a validation.
#[derive(Clone, Debug, PartialEq)]
pub struct Validated {
    /// Walks that were realized, of those that were decided.
    pub precision: Rate,
    /// Lives that the model reads.
    pub recall: Rate,
    /// The shortest beginnings of walks whose last event could not be realized, shortest first.
    pub unrealized: Vec<Vec<String>>,
    /// The shortest beginnings of lives whose last event the model rejects, shortest first.
    pub rejected: Vec<Rejected>,
    /// Walks that are in no rate.
    pub undecided: Undecided,
    /// Events of the class that happened and that the model does not have.
    pub missing: Vec<String>,
    /// Chance that the next life shows a new event.
    pub events: Novelty,
    /// Chance that the next life shows a new pair of consecutive events.
    pub pairs: Novelty,
    /// Methods that were no longer called because they hang or kill the machine.
    pub given_up: Vec<String>,
    /// Scripts that were run.
    pub tests: u64,
    /// Reason why it ended.
    pub stop: Stop,
}

/// The beginning of a life that the model rejects.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejected {
    /// Its events. The model reads all but the last.
    pub word: Vec<String>,
    /// A script that makes it happen.
    pub script: Script,
}

/// Walks that were not decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Undecided {
    /// The caller stopped before they were searched.
    pub budget: u64,
    /// They need a method that could not be called at all, or was given up.
    pub untried: u64,
    /// They were realized once and not again: the class is not deterministic.
    pub unsteady: u64,
}

impl Undecided {
    /// All of them.
    pub fn all(&self) -> u64 {
        self.budget + self.untried + self.unsteady
    }
}

/// A share, as two counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// Cases that are as they should be.
    pub good: u64,
    /// All cases that were decided.
    pub all: u64,
}

impl Rate {
    /// The share, if there are any cases.
    pub fn share(&self) -> Option<f64> {
        (self.all > 0).then(|| self.good as f64 / self.all as f64)
    }

    /// Interval that contains the true share with 95 % confidence: Wilson's score interval, which is
    /// meaningful even when all or none of the cases are good.
    pub fn interval(&self) -> Option<(f64, f64)> {
        /// The normal distribution has 95 % of its mass within so many standard deviations.
        const Z: f64 = 1.959_963_985;
        let share = self.share()?;
        let n = self.all as f64;
        let scale = 1.0 + Z * Z / n;
        let middle = (share + Z * Z / (2.0 * n)) / scale;
        let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt() / scale;
        // Rounding must not exclude what was measured.
        Some(((middle - half).clamp(0.0, share), (middle + half).clamp(share, 1.0)))
    }

    fn count(&mut self, good: bool) {
        self.all += 1;
        self.good += u64::from(good);
    }
}

/// The labels of the model that the class does not have. Walks that need one count as unrealized.
pub fn unknown_labels<'m>(model: &'m Fsa<String>, reader: &EventReader) -> Vec<&'m str> {
    model
        .alphabet()
        .iter()
        .map(String::as_str)
        .filter(|label| reader.alphabet().get(label).is_none())
        .collect()
}

/// The model without the transitions of the labels that the class does not have.
pub fn without_unknown(model: &Fsa<String>, reader: &EventReader) -> Fsa<String> {
    with_labels(model, |label| reader.alphabet().get(label).is_some())
}

/// The model with the transitions of these labels only. States keep their numbers.
pub(crate) fn with_labels(model: &Fsa<String>, is_kept: impl Fn(&str) -> bool) -> Fsa<String> {
    let mut builder = Builder::new();
    for state in model.states() {
        builder.state(model.is_accepting(state));
    }
    model.initial().iter().for_each(|&state| builder.initial(state));
    for edge in model.all_edges().filter(|edge| is_kept(edge.label)) {
        builder.edge(edge.from, edge.label.clone(), edge.to);
    }
    builder.build()
}

/// Measures a model against the class. `pace` may stop it between portions of scripts, and may limit each
/// phase, so that one that is slow leaves time for the others.
pub fn validate<S: Subject, R: Rng>(
    subject: &mut S,
    author: &mut impl Author,
    reader: &EventReader,
    model: &Fsa<String>,
    options: &ValidateOptions,
    rng: &mut R,
    pace: &mut dyn Pace,
) -> Result<Validated, S::Error> {
    let mut guarded = GuardedSubject::new(subject, pace);
    guarded.begin(Phase::Survey);
    // The guarded subject asks the caller, in the middle of batches too, so the prober need not.
    let mut unlimited = Unlimited;
    let mut prober = Prober::new(&mut guarded, reader, &mut unlimited);
    // First, because what the author learns from it is not to change while runs are counted.
    let surveyed = survey(&mut prober, author, &options.survey, &options.known, rng)?;
    prober.subject.begin(Phase::Runs);
    let lives = read_lives(&mut prober, author, model, options, rng)?;
    prober.subject.begin(Phase::Choose);
    let pool = pool_of(&mut prober, &surveyed, &options.survey, options.choosing, rng)?;
    prober.subject.begin(Phase::Walks);
    prober.ties = pool.ties.clone();
    let Reproduced { walks: precision, unrealized, undecided } =
        measure(&mut prober, author, model, (&surveyed, &pool), &no_way_is_known, options.walks, rng)?;
    let missing = lives.heard.iter().map(|&letter| reader.alphabet().name(letter));
    let missing = missing.filter(|&label| model.letter(label).is_none()).map(str::to_owned).collect();
    let guard = guarded.guard();
    let given_up: BTreeSet<String> = guard.given_up().iter().map(|one| one.event_name().to_owned()).collect();
    Ok(Validated {
        precision,
        recall: lives.recall,
        unrealized,
        rejected: lives.rejected.into_values().take(SHOWN).collect(),
        undecided,
        missing,
        events: lives.events.novelty(),
        pairs: lives.pairs.novelty(),
        given_up: given_up.into_iter().collect(),
        tests: guard.tests,
        stop: guard.stopped.unwrap_or(Stop::Done),
    })
}

/// Searches the words of walks where much is known: for each word a script that makes it happen, if it found
/// one.
pub(crate) type KnownWays<'k, S> =
    dyn Fn(&mut Prober<'_, S>, &[Vec<Letter>]) -> Ways<<S as Subject>::Error> + 'k;

/// Result of such a search.
type Ways<E> = Result<Vec<Option<Script>>, Halt<E>>;

/// Draws walks of the model and tries them on the class. What `ways` finds was made to happen, and needs no
/// search.
pub(crate) fn measure<S: Guarded>(
    prober: &mut Prober<'_, S>,
    author: &impl Author,
    model: &Fsa<String>,
    (surveyed, pool): (&Surveyed, &Pool),
    ways: &KnownWays<'_, S>,
    options: WalkOptions,
    rng: &mut impl Rng,
) -> Result<Reproduced, S::Error> {
    let walks: Vec<Walk> = walks(model, prober.reader, options, rng);
    let verdicts = judge_all(prober, author, &walks, (surveyed, pool), ways, options.width, rng)?;
    let mut reproduced = Reproduced::default();
    reproduced.undecided.budget = (walks.len() - verdicts.len()) as u64;
    let mut short: BTreeSet<(usize, Vec<String>)> = BTreeSet::new();
    for (walk, verdict) in walks.iter().zip(&verdicts) {
        match verdict {
            WalkVerdict::Untried => reproduced.undecided.untried += 1,
            WalkVerdict::Unsteady => reproduced.undecided.unsteady += 1,
            WalkVerdict::Realized => reproduced.walks.count(true),
            WalkVerdict::Unrealized { at } => {
                reproduced.walks.count(false);
                let word = &walk.labels[..=*at];
                short.insert((
                    word.len(),
                    word.iter().map(|&label| model.alphabet()[label as usize].clone()).collect(),
                ));
            }
        }
    }
    reproduced.unrealized = short.into_iter().take(SHOWN).map(|(_, word)| word).collect();
    Ok(reproduced)
}

/// Lives of random scripts, and how many of them the model reads.
struct Lives {
    recall: Rate,
    /// By length and word, the shortest first.
    rejected: BTreeMap<(usize, Vec<Letter>), Rejected>,
    heard: BTreeSet<Letter>,
    events: Census<Letter>,
    pairs: Census<(Letter, Letter)>,
}

fn read_lives<S: Guarded>(
    prober: &mut Prober<'_, S>,
    author: &mut impl Author,
    model: &Fsa<String>,
    options: &ValidateOptions,
    rng: &mut impl Rng,
) -> Result<Lives, S::Error> {
    const PORTION: usize = 1000;
    let reader = prober.reader;
    let letters = model.letters(reader.alphabet().names());
    let mut model = Reader::indexed(model);
    let mut lives = Lives {
        recall: Rate::default(),
        rejected: BTreeMap::new(),
        heard: BTreeSet::new(),
        events: Census::new(),
        pairs: Census::new(),
    };
    let mut left = options.runs;
    while left > 0 && prober.subject.guard().stopped.is_none() {
        let now = left.min(PORTION);
        left -= now;
        let scripts: Vec<Script> = (0..now)
            .map(|_| {
                let calls = rng.random_range(1..=options.survey.calls.max(1));
                author.script(rng, calls)
            })
            .collect();
        let runs = prober.run(&scripts)?;
        for (script, run) in scripts.iter().zip(&runs) {
            for heard in reader.read(script, run).into_iter().filter(|heard| !heard.word.is_empty()) {
                lives.heard.extend(&heard.word);
                lives.events.add(heard.word.iter().copied());
                lives.pairs.add(heard.word.windows(2).map(|pair| (pair[0], pair[1])));
                let at = model.read(heard.word.iter().map(|&letter| letters[letter as usize]));
                let whole = at == heard.word.len();
                lives.recall.count(whole);
                if whole {
                    continue;
                }
                let word = heard.word[..=at].to_vec();
                let script = || Script { statements: script.statements[..=heard.statements[at]].to_vec() };
                let rejected =
                    lives.rejected.entry((word.len(), word)).or_insert_with_key(|(_, word)| Rejected {
                        word: word.iter().map(|&letter| reader.alphabet().name(letter).to_owned()).collect(),
                        script: script(),
                    });
                if rejected.script.statements.len() > heard.statements[at] + 1 {
                    rejected.script = script();
                }
            }
        }
        // Only the shortest are shown, and a model that rejects everything should not fill the memory.
        while lives.rejected.len() > SHOWN {
            lives.rejected.pop_last();
        }
    }
    Ok(lives)
}

/// A walk of the model.
struct Walk {
    labels: Vec<u32>,
    /// The same as letters, up to the first label that the class does not have.
    word: Vec<Letter>,
}

/// Walks of the model that say something: one without an event is drawn again.
fn walks(model: &Fsa<String>, reader: &EventReader, options: WalkOptions, rng: &mut impl Rng) -> Vec<Walk> {
    /// Of a state with a transition, at most every other walk ends at once.
    const REDRAWN: usize = 64;
    let letters: Vec<Option<Letter>> =
        model.alphabet().iter().map(|label| reader.alphabet().get(label)).collect();
    let draw = || {
        let mut drawn = (0..REDRAWN).map(|_| model.random_word(options.length, rng));
        let labels = drawn.find(|labels| !labels.is_empty())?;
        let word = labels.iter().map_while(|&label| letters[label as usize]).collect();
        Some(Walk { labels, word })
    };
    std::iter::repeat_with(draw).take(options.count).map_while(|walk| walk).collect()
}

/// Verdict about a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WalkVerdict {
    Realized,
    Unrealized { at: usize },
    Untried,
    Unsteady,
}

/// One way to search.
struct Search<'a> {
    starts: &'a [Move],
    moves: &'a [Move],
    width: usize,
    known: Realized,
    /// Search for values that nobody knows yet, if it is worth its time.
    values: Option<ValueSearch>,
}

/// The verdict about each walk, as far as it was decided before the caller stopped.
///
/// Walks go in portions. All of a portion that was stopped stay undecided, whatever is known of some of them,
/// because those that are known soonest are not like the others.
fn judge_all<S: Guarded>(
    prober: &mut Prober<'_, S>,
    author: &impl Author,
    walks: &[Walk],
    (surveyed, pool): (&Surveyed, &Pool),
    ways: &KnownWays<'_, S>,
    width: usize,
    rng: &mut impl Rng,
) -> Result<Vec<WalkVerdict>, S::Error> {
    const PORTION: usize = 10;
    const WIDER: usize = 4;
    /// Times that values are changed before a walk is given up.
    const VALUE_ROUNDS: usize = 24;
    /// Scripts with other values that are tried for all walks together.
    const MOST_VALUES: usize = 60_000;
    /// Walks that are looked up at a time in what is known: several portions.
    const KNOWN: usize = 10 * PORTION;
    /// Situations that are kept for each prefix at first: most walks can be realized in many ways.
    const FIRST: usize = 2;
    let Pool { starts, moves, .. } = pool;
    let search = |width: usize| Search { starts, moves, width, known: Realized::default(), values: None };
    let Surveyed { starts, candidates, .. } = surveyed;
    let wide = width.saturating_mul(WIDER);
    let values = Some(ValueSearch::new(VALUE_ROUNDS, MOST_VALUES));
    let wide = Search { starts, moves: candidates, width: wide, known: Realized::default(), values };
    let mut searches = [search(FIRST.min(width)), search(width), wide];
    let mut verdicts = Vec::with_capacity(walks.len());
    let mut found: Vec<WalkVerdict> = Vec::new();
    'portions: for portion in walks.chunks(PORTION) {
        if found.len() <= verdicts.len() {
            let next: Vec<&Walk> = walks[verdicts.len()..].iter().take(KNOWN).collect();
            let Some(more) = known(prober, &next, ways)? else { break };
            found.extend(more);
        }
        let mut decided = found[verdicts.len()..][..portion.len()].to_vec();
        for search in &mut searches {
            let failed: Vec<usize> = (0..portion.len())
                .filter(|&walk| matches!(decided[walk], WalkVerdict::Unrealized { .. }))
                .collect();
            let again: Vec<&Walk> = failed.iter().map(|&walk| &portion[walk]).collect();
            let Some(wider) = search.judge(prober, author, &again, surveyed, rng)? else { break 'portions };
            for (walk, verdict) in failed.into_iter().zip(wider) {
                // A search that got less far than the one before took other turns, and tells nothing more.
                decided[walk] = match (decided[walk], verdict) {
                    (WalkVerdict::Unrealized { at: first }, WalkVerdict::Unrealized { at }) => {
                        WalkVerdict::Unrealized { at: first.max(at) }
                    }
                    (_, verdict) => verdict,
                };
            }
        }
        if prober.subject.guard().stopped.is_some() {
            break;
        }
        verdicts.extend(decided);
    }
    Ok(verdicts)
}

/// Verdicts about walks by what is known already: a word is realized, or is to be searched for. Nothing if
/// the caller stopped meanwhile.
fn known<S: Guarded>(
    prober: &mut Prober<'_, S>,
    walks: &[&Walk],
    ways: &KnownWays<'_, S>,
) -> Result<Option<Vec<WalkVerdict>>, S::Error> {
    let words: Vec<Vec<Letter>> = walks.iter().map(|walk| walk.word.clone()).collect();
    let found = match prober.ask(&Progress::new(Phase::Walks, 0)).map_err(Halt::from) {
        Ok(()) => ways(prober, &words),
        Err(halt) => Err(halt),
    };
    match found {
        Ok(found) => {
            let verdict = |(walk, found): (&&Walk, Option<Script>)| match found {
                Some(_) if walk.word.len() == walk.labels.len() => WalkVerdict::Realized,
                _ => WalkVerdict::Unrealized { at: 0 },
            };
            Ok(Some(walks.iter().zip(found).map(verdict).collect()))
        }
        Err(Halt::Stop(_)) => Ok(None),
        Err(Halt::Failed(error)) => Err(error),
    }
}

/// Where nothing is known, every walk is searched for.
fn no_way_is_known<S: Guarded>(_: &mut Prober<'_, S>, words: &[Vec<Letter>]) -> Ways<S::Error> {
    Ok(vec![None; words.len()])
}

impl Search<'_> {
    /// Verdicts about these walks; nothing if the caller stopped meanwhile. They mean nothing if the subject
    /// did.
    fn judge<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        author: &impl Author,
        walks: &[&Walk],
        surveyed: &Surveyed,
        rng: &mut impl Rng,
    ) -> Result<Option<Vec<WalkVerdict>>, S::Error> {
        /// Longer prefixes are rarely shared, and their situations take memory.
        const SHARED: usize = 4;
        let words: Vec<Vec<Letter>> = walks.iter().map(|walk| walk.word.clone()).collect();
        let Self { starts, moves, width, known, values } = self;
        // Nothing is known of kinds here: a model is not to be judged by what made it.
        let beam = Beam { starts, moves, width: *width, kind: &|_| None::<()> };
        let progress = Progress::new(Phase::Walks, 0);
        let searched = realize(prober, &words, &beam, known, &progress).and_then(|()| match values {
            Some(values) => values.extend(prober, author, &words, (&beam, known), rng, &progress).map(drop),
            None => Ok(()),
        });
        match searched {
            Ok(()) => {}
            Err(Halt::Stop(_)) => return Ok(None),
            Err(Halt::Failed(error)) => return Err(error),
        }
        let mut verdicts = Vec::new();
        for walk in walks {
            let reach = known.reach(&walk.word);
            verdicts.push(if reach < walk.word.len() {
                let tried = was_tried(prober, surveyed, walk.word[reach], reach == 0);
                if tried { WalkVerdict::Unrealized { at: reach } } else { WalkVerdict::Untried }
            } else if !happens(prober, known, &walk.word)? {
                WalkVerdict::Unsteady
            } else if reach < walk.labels.len() {
                WalkVerdict::Unrealized { at: reach }
            } else {
                WalkVerdict::Realized
            });
        }
        known.prefixes.retain(|prefix, found| prefix.len() <= SHARED || found.situations.is_empty());
        Ok(Some(verdicts))
    }
}

/// Tells whether an event was given its chance: a call that may give it was made, and is still made.
///
/// An object is made by its first event and no other, so that an event of the wrong kind needs no trying.
fn was_tried<S: Guarded>(prober: &Prober<'_, S>, surveyed: &Surveyed, letter: Letter, first: bool) -> bool {
    if !prober.reader.gives(letter, first) {
        return true;
    }
    let calls = if first { &surveyed.starts } else { &surveyed.candidates };
    let given_up = prober.subject.guard().given_up();
    calls.iter().map(Move::callable).any(|callable| {
        prober.reader.letters_of(callable).contains(&letter)
            && !given_up.contains(callable)
            && (first || !prober.is_given_up(callable))
    })
}

/// Tells whether one of the scripts that were found makes exactly these events happen, from the first to the
/// last.
///
/// The search looks at the last call only, and trusts that the others do again what they did. Not all classes
/// do.
fn happens<S: Guarded>(
    prober: &mut Prober<'_, S>,
    known: &Realized,
    word: &[Letter],
) -> Result<bool, S::Error> {
    let Some(prefix) = known.prefixes.get(word) else { return Ok(word.is_empty()) };
    for (Situation { script, object }, _) in &prefix.situations {
        let runs = prober.run(std::slice::from_ref(script))?;
        let heard = runs.first().map(|run| prober.reader.read(script, run)).unwrap_or_default();
        if heard.iter().any(|heard| heard.object == *object && heard.word == word) {
            return Ok(true);
        }
    }
    Ok(false)
}
