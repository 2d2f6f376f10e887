//! Step 5: agree. The model and the properties are made to say the same.
//!
//! Wherever a surviving property and the model contradict each other, the shortest such word is tried on the
//! class. If it happens, the property is refuted; if not, a state of the model is split. Tests whose words
//! the model rejects are explored, and words of the user's tests are searched for. This goes on until
//! nothing changes. If what is then still contradicted can be cut from the model without making it larger,
//! it is cut: no observation has it. Otherwise nobody knows which of the two is right, and the property is
//! not reported.
//!
//! Paper: none; that properties refine models is the idea of `dice`, that models generate tests that of
//! `explore`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use adit_attack::EventReader;
use adit_attack::explore::modes::factored;
use adit_attack::validate::WalkOptions;
use adit_automata::{Follower, Fsa, State};
use adit_logic::{Checker, Language, Limit, Property, Restricted, Verdict, restrict};
use adit_trace::{Letter, Phase, Progress};
use miette::Report;

use super::Round;
use super::claim::MinedProperties;
use super::miners::{Draft, MinedModel, explore::made};
use crate::campaign::{ModelCandidate, labeled};
use crate::output::counted;
use crate::witnesses::{Refuses, Takes, Witnesses};

/// Turns in a row that may try words and tests; what is then left is settled without more of them.
const TURNS: usize = 6;

/// Rounds that must find nothing new before the model counts as stable, and the same while a method has never
/// returned.
const STABLE_ROUNDS: usize = 6;
const SEARCHING_ROUNDS: usize = 12;

/// Their tests must also be one in so many of all, unless there were very many rounds. The more tests it took
/// to find the last thing, the more it may take to find the next.
const STABLE_SHARE: u64 = 3;
const VERY_STABLE_ROUNDS: usize = 60;

/// Most words that are tried in one turn.
const WORDS: usize = 48;

/// Most tests that are followed in one turn.
const TESTS: usize = 60;

/// Time that checking may take when the budget is used up: there may be a hundred thousand properties.
const GRACE: Duration = Duration::from_millis(500);

/// The same for the check of everything that is reported.
const LAST_GRACE: Duration = Duration::from_millis(1500);

/// Size up to which a model may be checked.
const CHECKING: Limit = Limit(50_000_000);

/// States of a restricted model before it is simplified.
const RESTRICTED_STATES: usize = 400;

/// Walks by which the model is measured, as `adit validate` measures it.
const WALKS: WalkOptions = WalkOptions { count: 300, length: 10, width: 12 };

/// A surviving property that the model violates, and the shortest word that does.
type Contradiction = (Property<Letter>, Vec<Letter>);

impl Round<'_> {
    /// Makes model and properties agree, and measures the model. Returns the properties on which they do not.
    pub(super) fn agree(
        &mut self,
        draft: &mut Draft,
        properties: &mut MinedProperties<'_>,
    ) -> Result<BTreeSet<Property<Letter>>, Report> {
        let Some(mined) = draft.explored() else { return Ok(BTreeSet::new()) };
        self.pace.explore_until_the_end();
        let mut tried: BTreeSet<Vec<Letter>> = BTreeSet::new();
        if let Some(mut explorer) = mined.explorer.take() {
            let (mut turns, mut stable) = (0, 0);
            let mut changed = self.pace.tests();
            while self.pace.over().is_none() && !self.is_stable(stable, changed) {
                let model = explorer.explored(self.calls.reader).model;
                let tests = self.workers.recorder.tests_rejected_by(&model, TESTS)?;
                let mut words = self.contradictions(&model, properties)?;
                words.extend(self.rejected(&model).into_iter().take(WORDS));
                words.retain(|word| tried.insert(word.clone()));
                if (tests.is_empty() && words.is_empty()) || turns >= TURNS {
                    let found = self.in_laboratory(|laboratory| explorer.deepen(laboratory))?;
                    if found {
                        (turns, stable, changed) = (0, 0, self.pace.tests());
                    } else {
                        stable += 1;
                    }
                    continue;
                }
                turns += 1;
                let found = self.in_laboratory(|laboratory| {
                    explorer.follow(laboratory, &tests)?;
                    explorer.attempt(laboratory, &words)
                })?;
                if self.pace.over().is_some() {
                    // There was no time for all of them.
                    tried.retain(|word| !words.contains(word));
                }
                let found: Vec<_> = found.into_iter().flatten().collect();
                self.in_laboratory(|laboratory| explorer.follow(laboratory, &found))?;
                self.pace.note(&Progress::new(Phase::Refute, 0));
            }
            *mined = made(explorer, self.calls.reader).0;
            mined.more.stable_rounds = stable;
        }
        self.tests.add(&mut self.workers, &mined.candidate.tests)?;
        let (states, transitions) = (mined.candidate.model.len(), mined.candidate.model.transitions());
        let open = self.settle(&mut mined.candidate, properties, &tried)?;
        if !open.is_empty() {
            self.progress.remark(&format!(
                "note: not reported: {} that the model contradicts, and no test showed which is right",
                counted(open.len(), "property")
            ));
        }
        let model = &mined.candidate.model;
        if (states, transitions) != (model.len(), model.transitions()) {
            // What was cut may still be in the finer one.
            mined.more.fine = None;
        }
        mined.more.modes = factored(model);
        self.measure(mined)?;
        Ok(open)
    }

    /// Tells whether so many rounds without a change, since so many tests had been run, are enough. While a
    /// method has never returned, there is something to look for.
    fn is_stable(&self, rounds: usize, changed: u64) -> bool {
        let searching = !self.calls.generator.never_returned().is_empty();
        let tests = self.pace.tests();
        rounds >= if searching { SEARCHING_ROUNDS } else { STABLE_ROUNDS }
            && (rounds >= VERY_STABLE_ROUNDS || (tests - changed) * STABLE_SHARE >= tests)
    }

    /// The shortest words by which the model contradicts surviving properties, at most [`WORDS`].
    fn contradictions(
        &mut self,
        model: &Fsa<String>,
        properties: &mut MinedProperties<'_>,
    ) -> Result<Vec<Vec<Letter>>, Report> {
        let mut words: BTreeSet<(usize, Vec<Letter>)> = BTreeSet::new();
        for (_, word) in self.contradicted(model, properties)? {
            words.insert((word.len(), word));
            if words.len() > WORDS {
                words.pop_last();
            }
        }
        Ok(words.into_iter().map(|(_, word)| word).collect())
    }

    /// Surviving properties that the model violates, each with the shortest word that does, as far as there
    /// is time to ask.
    fn contradicted(
        &mut self,
        model: &Fsa<String>,
        properties: &mut MinedProperties<'_>,
    ) -> Result<Vec<Contradiction>, Report> {
        let holding = properties.holding(&mut self.workers.recorder)?;
        let mut checks = self.checks(model);
        let is_open = properties.is_open();
        let (mut contradicted, begun) = (Vec::new(), Instant::now());
        for property in holding.into_iter().filter(|property| is_open(property)) {
            if self.pace.over().is_some() && begun.elapsed() > GRACE {
                break;
            }
            if let Some(word) = checks.violation(&property) {
                contradicted.push((property, word));
            }
        }
        Ok(contradicted)
    }

    /// Those of the properties that the model violates, or that there was no time to check.
    pub(super) fn contradicted_among(
        &self,
        model: &Fsa<String>,
        properties: &BTreeSet<Property<Letter>>,
    ) -> BTreeSet<Property<Letter>> {
        let (mut checks, begun) = (self.checks(model), Instant::now());
        let mut is_in_doubt = |property: &&Property<Letter>| {
            let has_time = self.pace.over().is_none() || begun.elapsed() <= LAST_GRACE;
            !has_time || checks.violation(property).is_some()
        };
        properties.iter().filter(|property| is_in_doubt(property)).cloned().collect()
    }

    /// Checks properties on a model.
    fn checks<'m>(&'m self, model: &'m Fsa<String>) -> Checks<'m> {
        let checker = Checker::new(model, Language::PrefixClosed, CHECKING);
        Checks { checker, pure: self.labels(&self.pure), reader: self.calls.reader }
    }

    /// Cuts from the model what contradicts surviving properties and could not be made to happen, and returns
    /// those properties for which that would make it larger, or for which there was no time.
    fn settle(
        &mut self,
        candidate: &mut ModelCandidate,
        properties: &mut MinedProperties<'_>,
        tried: &BTreeSet<Vec<Letter>>,
    ) -> Result<BTreeSet<Property<Letter>>, Report> {
        let mut open = BTreeSet::new();
        let pure = self.labels(&self.pure);
        let begun = Instant::now();
        // A model that is cut allows less, so none of the others comes to be contradicted.
        let mut is_cut = false;
        for (property, word) in self.contradicted(&candidate.model, properties)? {
            // Another check of a large model takes a while.
            if self.pace.over().is_some() && begun.elapsed() > GRACE {
                open.insert(property);
                continue;
            }
            let word = if is_cut { self.checks(&candidate.model).violation(&property) } else { Some(word) };
            let Some(word) = word else { continue };
            // What was never tried may well happen.
            if !tried.contains(&word) {
                open.insert(property);
                continue;
            }
            let labeled = [labeled(self.calls.reader, &property)];
            let restricted = restrict(&candidate.model, &labeled, &pure, RESTRICTED_STATES);
            let simple = restricted.as_ref().map(|restricted| restricted.model.simplify());
            match restricted.zip(simple) {
                Some((restricted, simple))
                    if simple.len() <= candidate.model.len() && !self.loses_words(&simple)? =>
                {
                    self.adopt(candidate, &restricted, simple);
                    is_cut = true;
                }
                _ => drop(open.insert(property)),
            }
        }
        Ok(open)
    }

    /// Tells whether a model rejects a word of the campaign.
    fn loses_words(&mut self, model: &Fsa<String>) -> Result<bool, Report> {
        Ok(!self.workers.recorder.tests_rejected_by(model, 1)?.is_empty())
    }

    /// Puts a restricted model, simplified, in the place of the original, with its evidence: a test shows a
    /// transition of the copy that it takes.
    fn adopt(
        &self,
        candidate: &mut ModelCandidate,
        Restricted { model, origins }: &Restricted<String>,
        simple: Fsa<String>,
    ) {
        let counterparts = model.counterparts(&simple);
        let mut origin: BTreeMap<State, State> = BTreeMap::new();
        for (state, &to) in counterparts.iter().enumerate() {
            if let Some(to) = to {
                origin.entry(to).or_insert(origins[state]);
            }
        }
        let mut takes = Vec::new();
        let mut follower = Follower::new(&simple);
        let letters = simple.letters(self.calls.reader.alphabet().names());
        let edges: Vec<_> = simple.all_edges().map(|edge| (edge.from, edge.label.clone(), edge.to)).collect();
        for take in &candidate.witnesses.takes {
            let Some((script, run)) = self.tests.of(&candidate.tests[take.test]) else { continue };
            for heard in self.calls.reader.read(script, run) {
                follower.follow(heard.word.iter().map(|&letter| letters[letter as usize]));
                for traversed in follower.traversed() {
                    let (from, event, to) = &edges[traversed.transition];
                    let same = origin.get(from) == Some(&take.from) && origin.get(to) == Some(&take.to);
                    if same && *event == take.event {
                        takes.push(Takes { from: *from, to: *to, ..take.clone() });
                    }
                }
            }
        }
        takes.sort_by(|one, other| {
            (one.from, &one.event, one.to, one.test).cmp(&(other.from, &other.event, other.to, other.test))
        });
        takes.dedup_by(|one, other| (one.from, &one.event, one.to) == (other.from, &other.event, other.to));
        let refuses = candidate.witnesses.refuses.iter().flat_map(|refuses| {
            let copies = origin.iter().filter(|(_, of)| **of == refuses.state);
            copies.map(|(&state, _)| Refuses { state, ..refuses.clone() }).collect::<Vec<_>>()
        });
        candidate.witnesses = Witnesses { refuses: refuses.collect(), takes };
        candidate.model = simple;
    }

    /// Measures the model by walks, and then the finer one.
    fn measure(&mut self, mined: &mut MinedModel) -> Result<(), Report> {
        let Some(mut explorer) = mined.explorer.take() else { return Ok(()) };
        let model = &mined.candidate.model;
        let measured = self.in_laboratory(|laboratory| explorer.measure(laboratory, model, WALKS))?;
        if measured.walks.all > 0 {
            mined.candidate.realized = measured.walks.share();
            mined.candidate.walks = Some(measured.walks);
            mined.unrealized = Some(measured.unrealized);
        }
        if let Some(fine) = &mined.more.fine
            && self.pace.over().is_none()
        {
            let measured =
                self.in_laboratory(|laboratory| explorer.measure(laboratory, &fine.model, WALKS))?;
            mined.more.fine_walks = (measured.walks.all > 0).then_some(measured.walks);
        }
        Ok(())
    }
}

/// Checks of properties on one model.
struct Checks<'a> {
    checker: Checker<'a, String>,
    pure: BTreeSet<String>,
    reader: &'a EventReader,
}

impl Checks<'_> {
    /// The shortest word of the model that violates the property.
    fn violation(&mut self, property: &Property<Letter>) -> Option<Vec<Letter>> {
        match self.checker.check_property(&labeled(self.reader, property), &self.pure) {
            Verdict::Fails { counterexample } => {
                Some(counterexample.iter().filter_map(|label| self.reader.alphabet().get(label)).collect())
            }
            _ => None,
        }
    }
}
