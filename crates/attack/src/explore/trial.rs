//! Trials: walks of a draft, and how far each could be made to happen.
//!
//! Most walks are followed through what is known. Of the others, a sample is searched for, those that fail
//! more widely, and at last with other values. Each of these steps takes more tests for a walk than all
//! before it, so a few walks are tried first, and where it helps none of them, it is not taken for the
//! others.
//!
//! Paper: none; see [`explore`](crate::explore).
//! Cost: most judgments of a class with a hundred events take 20,000 to 40,000 tests.

use std::collections::BTreeSet;

use adit_automata::State;
use adit_trace::{Author, Letter, Phase};
use rand::{Rng, RngExt};

use super::draft::{ClassId, DraftModel};
use super::exploration::{Exploration, SituationId};
use super::graph::{Follower, Graph, Level, Way};
use super::refute::Judgment;
use super::{LATE_SUCCESSORS, SplitOptions, labels};
use crate::EventReader;
use crate::guard::Guarded;
use crate::moves::{Move, Situation};
use crate::other_values::ValueSearch;
use crate::probe::{Halt, Prober, StateHash};
use crate::realize::{Beam, Realized, realize};

/// Number of walks that are shown as unrealized.
const SHOWN: usize = 5;

/// Walks that are drawn for each that may be searched for. Where situations are known by their fields, most
/// walks take no test, and a share of few would make it a matter of chance whether a state is split.
pub(super) const FOLLOWED_PER_WALK: usize = 6;

/// One in so many walks is searched for.
const FEWER_SEARCHED: usize = 3;

/// Situations that are kept for each prefix of a walk when it is first searched for.
const FIRST_WIDTH: usize = 3;

/// Walks that are searched for more thoroughly when they were not realized, and of these once more. They
/// stand for the others: where many walks fail, all of them would take more tests than everything else.
const THOROUGH: usize = 24;
const VERY_THOROUGH: usize = 8;

/// Walks that are searched for first of these. If none of them can be realized, the others are not searched
/// for.
const SAMPLE: usize = 6;

/// Walks for which other values are searched after one judgment, and as many after a search in vain. They
/// stand for the others, too.
const MOST_VALUED: usize = 10;
const FEWEST_VALUED: usize = 4;

/// Walks that are searched for once more with the values that were found.
const MOST_AGAIN: usize = 60;

/// Objects whose making the pool lacks, and that are explored after one judgment.
const MOST_OBJECTS: usize = 2;

/// One in so many tests may search for other values, and in any case so many tests.
const VALUES_SHARE: usize = 3;
const FEW_VALUES: usize = 4000;

/// Walks of a draft, and how far each could be realized.
pub(super) struct Trial {
    tried: Vec<TriedWalk>,
    /// Number of walks that were not searched for as far as others were, and could have been realized like
    /// these.
    like_others: f64,
}

/// A walk of a draft, with the classes that it goes through.
#[derive(Clone)]
pub(super) struct Walk {
    pub(super) word: Vec<Letter>,
    pub(super) classes: Vec<ClassId>,
}

/// A walk, and the situations that realize its beginnings.
pub(super) struct TriedWalk {
    pub(super) walk: Walk,
    /// Number of walks that it stands for.
    weight: f64,
    /// If it could not be realized, a wider search would not have realized it either, as far as is known.
    is_sure: bool,
    /// Number of its events that happened.
    reach: usize,
    /// For each event the situations after it, as far as there are any. A walk that was followed to its end
    /// does not say.
    pub(super) reached: Vec<Vec<Reached>>,
}

/// A situation that realizes the beginning of a walk.
pub(super) enum Reached {
    Probed(SituationId),
    New(Situation, StateHash),
}

impl TriedWalk {
    /// A walk that was followed to its end through what is known.
    fn known(word: Vec<Letter>) -> Self {
        let (reach, walk) = (word.len(), Walk { word, classes: Vec::new() });
        Self { walk, weight: 1.0, is_sure: true, reach, reached: Vec::new() }
    }

    /// A walk that was followed through what is known until it could not go on.
    fn followed(walk: Walk, way: &Way, graph: &Graph) -> Self {
        let situations =
            |nodes: &Level| nodes.iter().map(|&node| Reached::Probed(graph.situation(node))).collect();
        let reached = way.levels.iter().map(situations).collect();
        Self { walk, weight: 1.0, is_sure: true, reach: way.levels.len(), reached }
    }

    /// A walk that was searched for.
    pub(super) fn searched(walk: Walk, weight: f64, is_sure: bool, realized: &Realized) -> Self {
        let reach = realized.reach(&walk.word);
        let situations = |length: usize| {
            let prefix = realized.prefixes.get(&walk.word[..length]).into_iter();
            let found = prefix.flat_map(|prefix| &prefix.situations);
            found.map(|(situation, observed)| Reached::New(situation.clone(), observed.state)).collect()
        };
        Self { reached: (1..=reach).map(situations).collect(), reach, weight, is_sure, walk }
    }

    fn is_realized(&self) -> bool {
        self.reach == self.walk.word.len()
    }

    /// The word up to the first event that did not happen.
    pub(super) fn as_far_as_it_fails(&self) -> &[Letter] {
        let word = &self.walk.word;
        &word[..word.len().min(self.reach + 1)]
    }
}

impl Trial {
    fn failed(&self) -> impl Iterator<Item = &TriedWalk> {
        self.tried.iter().filter(|tried| !tried.is_realized())
    }

    /// Number of walks.
    fn all(&self) -> f64 {
        self.tried.iter().map(|tried| tried.weight).sum::<f64>() + self.like_others
    }

    /// Share of the walks that could be realized.
    pub(super) fn share(&self) -> f64 {
        let failed: f64 = self.failed().map(|tried| tried.weight).sum();
        if failed > 0.0 { 1.0 - failed / self.all() } else { 1.0 }
    }

    /// Walks that could not be realized, as surely as can be told.
    pub(super) fn surely_failed(&self) -> impl Iterator<Item = &TriedWalk> {
        self.failed().filter(|tried| tried.is_sure)
    }

    /// Share of the walks that a model with fewer words realizes, if it `reads` all that can be realized: of
    /// those that cannot, it has only some.
    pub(super) fn share_without(&self, reads: impl Fn(&[Letter]) -> bool) -> f64 {
        let weight = |tried: &TriedWalk| tried.weight;
        let all: f64 = self.surely_failed().map(weight).sum();
        let kept: f64 =
            self.surely_failed().filter(|tried| reads(tried.as_far_as_it_fails())).map(weight).sum();
        let share = if all > 0.0 { kept / all } else { 1.0 };
        let failed = 1.0 - self.share();
        1.0 - share * failed / (1.0 - (1.0 - share) * failed).max(f64::MIN_POSITIVE)
    }

    /// The shortest beginnings of walks that could not be realized.
    pub(super) fn judgment(&self, reader: &EventReader) -> Judgment {
        let mut short: BTreeSet<(usize, Vec<String>)> = BTreeSet::new();
        for TriedWalk { walk, reach, .. } in self.failed() {
            let length = reach + 1;
            short.insert((length, labels(reader, &walk.word[..length])));
        }
        let unrealized = short.into_iter().take(SHOWN).map(|(_, word)| word).collect();
        Judgment { realized: self.share(), unrealized }
    }
}

impl Exploration {
    /// Takes note of the states that a search came upon.
    pub(super) fn see_all(&mut self, realized: &Realized) {
        for (_, observed) in realized.prefixes.values().flat_map(|prefix| &prefix.situations) {
            self.fields.see(observed);
        }
    }

    /// Draws walks of the model and tries to realize them. What is learned by searching values may change the
    /// model; then walks of the new one are drawn.
    pub(super) fn try_walks<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        author: &impl Author,
        rng: &mut impl Rng,
    ) -> Result<Trial, Halt<S::Error>> {
        let (trial, learned) = self.try_walks_once(prober, author, false, rng)?;
        if !learned {
            return Ok(trial);
        }
        self.explore(prober, LATE_SUCCESSORS)?;
        self.confirm_transitions(prober)?;
        // A third judgment would cost more than what is learned by now is worth.
        Ok(self.try_walks_once(prober, author, true, rng)?.0)
    }

    /// The same, and tells whether something was learned. Unless this is the last trial, another one is made
    /// if there was.
    fn try_walks_once<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        author: &impl Author,
        is_last: bool,
        rng: &mut impl Rng,
    ) -> Result<(Trial, bool), Halt<S::Error>> {
        let SplitOptions { walks, walk_length, width, .. } = self.options.splitting;
        let draft = self.draft(prober.reader);
        let graph = self.graph();
        let (mut tried, mut open) = (Vec::new(), Vec::new());
        let words: Vec<Vec<Letter>> =
            random_words(&draft, prober.reader, (FOLLOWED_PER_WALK * walks, walk_length), rng);
        let mut walk = |word: &[Letter]| {
            read(&draft, prober.reader, word, rng).expect("the word was drawn from the draft")
        };
        let mut follower = Follower::new(&graph);
        for word in words {
            let way = follower.follow(&word);
            // Where fields mislead, too little is known of the way for telling where a walk went wrong.
            if self.is_told_by_fields() && way.levels.len() == word.len() {
                tried.push(TriedWalk::known(word));
            } else if self.is_told_by_fields() && way.is_certain {
                tried.push(TriedWalk::followed(walk(&word), &way, &graph));
            } else {
                open.push(word);
            }
        }
        // Of those that take tests, the first stand for the others.
        let most = (walks / FEWER_SEARCHED).max(1);
        let weight = open.len() as f64 / open.len().min(most).max(1) as f64;
        open.truncate(most);
        let mut open: Vec<(Walk, f64)> = open.iter().map(|word| (walk(word), weight)).collect();
        let kind = |state| self.likely_class(&draft, state);
        let (mut realized, progress) = (Realized::default(), self.progress(Phase::Refute));
        // Most walks can be realized in many ways. Few fail, so these can be searched more thoroughly: a
        // split because of a bad search would be a wrong state.
        let (first_width, widest) = (FIRST_WIDTH.min(width), 4 * width);
        let (mut like_others, mut sure) = (0.0, BTreeSet::new());
        for (width, most) in [(first_width, walks), (width, THOROUGH), (widest, VERY_THOROUGH)] {
            let failed = open.iter().filter(|(walk, _)| !realized.is_whole(&walk.word));
            let words: Vec<Vec<Letter>> = failed.take(most).map(|(walk, _)| walk.word.clone()).collect();
            // At last, objects may also be made as none was before.
            let starts = if width == widest { &self.starts_of_survey } else { &self.pool.starts };
            let beam = Beam { starts, moves: &self.pool.moves, width, kind: &kind };
            // What does not help the first does not help the others.
            let (first, rest) =
                words.split_at(if width == first_width { words.len() } else { words.len().min(SAMPLE) });
            let mut searched = 0;
            for words in [first, rest] {
                if searched > 0 && !first.iter().any(|word| realized.is_whole(word)) {
                    break;
                }
                searched += words.len();
                let mut found = Realized::default();
                realize(prober, words, &beam, &mut found, &progress)?;
                // A search may take other turns, and lose what the one before had found.
                let is_known = |prefix: &[Letter]| realized.prefixes.contains_key(prefix);
                found.prefixes.retain(|prefix, one| !one.situations.is_empty() || !is_known(prefix));
                realized.prefixes.extend(found.prefixes);
            }
            let found = words[..searched].iter().filter(|word| realized.is_whole(word)).count();
            // Those that a wider search did not help, and if it helped none, those that are like them.
            if width != first_width && found > 0 {
                sure = words[..searched].iter().cloned().collect();
            } else if width != first_width && sure.is_empty() {
                sure = open.iter().map(|(walk, _)| walk.word.clone()).collect();
            }
            let is_failed = |(walk, _): &(Walk, f64)| {
                !realized.is_whole(&walk.word) && !words[..searched].contains(&walk.word)
            };
            like_others += discount(
                open.iter_mut().filter(|one| is_failed(one)).map(|(_, weight)| weight),
                found,
                searched,
            );
        }
        self.see_all(&realized);
        tried.extend(open.into_iter().map(|(walk, weight)| {
            let is_sure = sure.contains(&walk.word);
            TriedWalk::searched(walk, weight, is_sure, &realized)
        }));
        let objects: Vec<Situation> = (tried.iter())
            .filter_map(|one| Some(realized.prefixes.get(&one.walk.word)?.situations.first()?.0.clone()))
            .filter(|one| self.is_made_anew(one))
            .take(MOST_OBJECTS)
            .collect();
        let mut trial = Trial { tried, like_others };
        let mut learned = self.try_other_values(prober, author, &mut trial, is_last, rng)?;
        for situation in objects {
            self.pool.starts.extend(Move::cut_out(&situation.script, situation.object, situation.object));
            learned |= self.follow_situation(prober, &situation)?;
        }
        Ok((trial, learned))
    }

    /// Tells whether an object was made in a way that the pool lacks.
    fn is_made_anew(&self, Situation { script, object }: &Situation) -> bool {
        Move::cut_out(script, *object, *object).is_some_and(|start| !self.pool.starts.contains(&start))
    }

    /// Explores the way to a situation. Tells whether it could.
    fn follow_situation<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        situation: &Situation,
    ) -> Result<bool, Halt<S::Error>> {
        let runs = prober.run(std::slice::from_ref(&situation.script)).map_err(Halt::Failed)?;
        for run in &runs {
            if !run.was_run() {
                return Err(prober.why_not_run(&self.progress(Phase::Refute)).into());
            }
            self.follow_new_way(prober, situation, run)?;
        }
        Ok(!runs.is_empty())
    }

    /// Searches other values for the walks that could not be realized. Where it finds some, the way is
    /// explored. Tells whether it found any. Walks of the last trial are then searched for once more.
    fn try_other_values<S: Guarded>(
        &mut self,
        prober: &mut Prober<'_, S>,
        author: &impl Author,
        trial: &mut Trial,
        is_last: bool,
        rng: &mut impl Rng,
    ) -> Result<bool, Halt<S::Error>> {
        const WIDTH: usize = 8;
        self.values.most = self.tried / VALUES_SHARE + FEW_VALUES;
        if !self.values.has_room() {
            return Ok(false);
        }
        let is_open = |one: &TriedWalk| {
            one.is_sure && !one.is_realized() && !self.values.is_hopeless(one.as_far_as_it_fails())
        };
        let most = if self.values_helped { MOST_VALUED } else { FEWEST_VALUED };
        let failed: BTreeSet<Vec<Letter>> = trial
            .tried
            .iter()
            .filter(|one| is_open(one))
            .map(|one| one.as_far_as_it_fails().to_vec())
            .take(most)
            .collect();
        let failed: Vec<Vec<Letter>> = failed.into_iter().collect();
        if failed.is_empty() {
            return Ok(false);
        }
        let draft = self.draft(prober.reader);
        let (starts, moves) = (self.pool.starts.clone(), self.pool.moves.clone());
        let mut values = std::mem::replace(&mut self.values, ValueSearch::new(0, 0));
        let found = {
            let kind = |state| self.likely_class(&draft, state);
            let beam = Beam { starts: &starts, moves: &moves, width: WIDTH, kind: &kind };
            let progress = self.progress(Phase::Refute);
            let mut realized = Realized::default();
            let found = realize(prober, &failed, &beam, &mut realized, &progress).and_then(|()| {
                values.extend(prober, author, &failed, (&beam, &mut realized), rng, &progress)
            });
            let open = trial.tried.iter().filter(|one| !one.is_realized()).take(MOST_AGAIN);
            let words: Vec<Vec<Letter>> = open.map(|one| one.walk.word.clone()).collect();
            found.and_then(|found| {
                if is_last && !found.is_empty() {
                    realize(prober, &words, &beam, &mut realized, &progress)?;
                    for one in trial.tried.iter_mut().filter(|one| !one.is_realized()) {
                        if realized.reach(&one.walk.word) > one.reach {
                            *one = TriedWalk::searched(one.walk.clone(), one.weight, one.is_sure, &realized);
                        }
                    }
                }
                Ok(found)
            })
        };
        self.values = values;
        let found = found?;
        let learned = !found.is_empty();
        self.values_helped = learned;
        for situation in &found {
            self.follow_situation(prober, situation)?;
        }
        Ok(learned)
    }
}

/// Takes from the weights of walks what could be realized if they were like those that were searched for: so
/// many of so many. Returns what was taken in all.
fn discount<'w>(weights: impl Iterator<Item = &'w mut f64>, found: usize, searched: usize) -> f64 {
    let share = if searched > 0 { found as f64 / searched as f64 } else { 0.0 };
    let take = |weight: &mut f64| {
        let taken = *weight * share;
        *weight -= taken;
        taken
    };
    weights.map(take).sum()
}

/// A random walk of the draft with this word, if there is one.
pub(super) fn read(
    draft: &DraftModel,
    reader: &EventReader,
    word: &[Letter],
    rng: &mut impl Rng,
) -> Option<Walk> {
    let fsa = &draft.fsa;
    let letters: Vec<u32> =
        word.iter().map(|&letter| fsa.letter(reader.alphabet().name(letter))).collect::<Option<_>>()?;
    // The states that each prefix can lead to, from which the way is then found backwards.
    let mut levels: Vec<Vec<State>> = vec![fsa.initial().to_vec()];
    for &letter in &letters {
        let steps = levels.last()?.iter().flat_map(|&state| fsa.steps_with(state, letter));
        let next: BTreeSet<State> = steps.map(|step| step.to as State).collect();
        levels.push(next.into_iter().collect());
    }
    let mut at = *pick(levels.last()?, rng)?;
    let mut classes = Vec::new();
    for (level, &letter) in levels.iter().zip(&letters).rev() {
        classes.push(draft.class(at)?);
        let leads = |&state: &State| fsa.steps_with(state, letter).iter().any(|step| step.to as State == at);
        let before: Vec<State> = level.iter().copied().filter(leads).collect();
        at = *pick(&before, rng)?;
    }
    classes.reverse();
    Some(Walk { word: word.to_vec(), classes })
}

/// One of these, each as likely as the others.
fn pick<'a, T>(some: &'a [T], rng: &mut impl Rng) -> Option<&'a T> {
    (!some.is_empty()).then(|| &some[rng.random_range(0..some.len())])
}

/// So many random words of a draft, as long as they can be up to a length. How many transitions carry a label
/// does not decide how often it is tried.
pub(super) fn random_words(
    draft: &DraftModel,
    reader: &EventReader,
    (count, longest): (usize, usize),
    rng: &mut impl Rng,
) -> Vec<Vec<Letter>> {
    let letter =
        |label: &String| reader.alphabet().get(label).expect("the labels of a draft are those of its reader");
    let letters: Vec<Letter> = draft.fsa.alphabet().iter().map(letter).collect();
    let mut word = || draft.fsa.long_random_word(longest, rng);
    (0..count).map(|_| word().into_iter().map(|one| letters[one as usize]).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A walk of so many events, of which so many happened.
    fn tried(word: &[Letter], reach: usize, weight: f64, is_sure: bool) -> TriedWalk {
        let walk = Walk { word: word.to_vec(), classes: Vec::new() };
        let reached = (0..reach).map(|_| Vec::new()).collect();
        TriedWalk { walk, weight, is_sure, reach, reached }
    }

    #[test]
    fn what_a_few_searches_find_is_expected_of_the_others() {
        let mut weights = [4.0, 2.0];
        assert_eq!(discount(weights.iter_mut(), 1, 4), 1.5);
        assert_eq!(weights, [3.0, 1.5]);
        assert_eq!(discount(weights.iter_mut(), 0, 0), 0.0);
    }

    #[test]
    fn walks_that_others_stand_for_count() {
        let walks = vec![tried(&[0, 1], 2, 6.0, true), tried(&[0, 2], 1, 2.0, true)];
        let trial = Trial { tried: walks, like_others: 2.0 };
        assert_eq!(trial.share(), 0.8);
    }

    #[test]
    fn a_split_is_judged_by_the_words_that_surely_fail() {
        let walks = vec![
            tried(&[0], 1, 60.0, true),
            tried(&[0, 1, 9], 1, 10.0, true),
            tried(&[0, 2], 1, 10.0, true),
            // Nobody searched for it as widely as for the others.
            tried(&[0, 3], 1, 20.0, false),
        ];
        let trial = Trial { tried: walks, like_others: 0.0 };
        assert_eq!(trial.share(), 0.6);
        // Of 40 walks that fail, 20 are no longer walks.
        let share = trial.share_without(|word| word != [0, 1]);
        assert!((share - 60.0 / 80.0).abs() < 1e-9, "{share}");
        assert_eq!(trial.share_without(|_| true), 0.6);
        assert_eq!(trial.share_without(|_| false), 1.0);
    }
}
