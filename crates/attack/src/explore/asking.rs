//! Asking: values that are in an object, and that only the object can name.
//!
//! An event counts as enabled if some value of the pool shows it. Where the content of an object came from
//! elsewhere, from a function or a collection that was made as a whole, no pool has it: a list then seems to
//! contain nothing, and how many states a model has would depend on the pool. So calls that lack an event
//! are given what the object answers, alone or behind what it was asked, and a twin of the object, which was
//! made and used by copies of the same calls: no collection holds all that a list holds but one like it.
//!
//! An answer that is an object can only be passed by asking in the same script. A question without effect is
//! put to the object itself, any other to a twin.
//!
//! Paper: none; see [`explore`](crate::explore).
//! Cost: nothing where no event is lacking; at most [`MOST_ASKED`] scripts in any other situation, and few
//! once it is known which answers never help.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use adit_trace::edit::named;
use adit_trace::{Argument, Callable, Letter};

use super::exploration::Exploration;
use crate::guard::Guarded;
use crate::moves::{self, Move, Situation};
use crate::probe::{Answer, Observed, Probed, Prober, StateHash};

/// Scripts for one situation.
const MOST_ASKED: usize = 60;

/// Answers of each kind that are passed in one situation.
const ANSWERS: usize = 3;

/// Times that an answer of a method is passed to another in vain before it is no longer tried.
const PATIENCE: u32 = 12;

/// Experience with passing answers of one method to another for an event that was lacking: how often it was
/// tried, and how often it showed that event.
#[derive(Default)]
pub(super) struct Experience(BTreeMap<(Passing, Letter), (u32, u32)>);

/// A method that answers, or one that makes a twin, and a method that is given the result.
type Passing = (Arc<Callable>, Arc<Callable>);

impl Experience {
    /// Tells whether passing never shows any of these events.
    fn is_hopeless(&self, passing: &Passing, lacking: &[Letter]) -> bool {
        let is_hopeless = |&letter: &Letter| {
            let known = self.0.get(&(passing.clone(), letter));
            known.is_some_and(|&(tried, helped)| helped == 0 && tried >= PATIENCE)
        };
        lacking.iter().all(is_hopeless)
    }

    /// Number of times that answers of a method helped.
    fn helped(&self, answering: &Arc<Callable>) -> u32 {
        let same = self.0.iter().filter(|(((by, _), _), _)| by == answering);
        same.map(|(_, (_, helped))| helped).sum()
    }
}

/// A call that is given an answer.
pub(super) struct Asked {
    passing: Passing,
    /// Events of the call that were lacking.
    lacking: Rc<[Letter]>,
    pub(super) situation: Situation,
}

impl Asked {
    /// The method that is given the answer.
    pub(super) fn callable(&self) -> &Arc<Callable> {
        &self.passing.1
    }
}

/// An answer, the method and the event that gave it, and the situation after asking.
struct Given<'a> {
    by: &'a Arc<Callable>,
    letter: Letter,
    answer: &'a Answer,
    asked: &'a Situation,
}

impl Exploration {
    /// Calls for the events that are lacking among the outcomes of all moves in a situation with this state.
    pub(super) fn asking<S: Guarded>(
        &self,
        prober: &Prober<'_, S>,
        (situation, state): (&Situation, StateHash),
        outcomes: &[(Probed, Situation)],
    ) -> Vec<Asked> {
        let shown: BTreeSet<Letter> = outcomes.iter().filter_map(|(one, _)| letter(one)).collect();
        let mut met = BTreeSet::new();
        let lacks = |letter: &&Letter| !shown.contains(letter) && self.met.contains(letter);
        let lacking = self.pool.moves.iter().filter_map(|one| {
            let callable = one.callable();
            let events: Rc<[Letter]> =
                prober.reader.letters_of(callable).iter().filter(lacks).copied().collect();
            // What only takes what the object returned is possible only once it was asked.
            let is_asked = !callable.parameters.is_empty()
                && !self.pool.ties.is_tied(callable)
                && !events.is_empty()
                && !prober.is_given_up(callable);
            is_asked.then_some((one, events))
        });
        let lacking: Vec<(&Move, Rc<[Letter]>)> =
            lacking.filter(|(one, _)| met.insert((one.callable(), one.passes_array()))).collect();
        if lacking.is_empty() {
            return Vec::new();
        }
        let mut asked = Vec::new();
        let mut pass = |by: &Arc<Callable>, behind: &dyn Fn(&Move) -> Vec<Situation>| {
            for (one, events) in &lacking {
                let passing = (by.clone(), one.callable().clone());
                if !self.experience.is_hopeless(&passing, events) {
                    let with =
                        |situation| Asked { passing: passing.clone(), lacking: events.clone(), situation };
                    asked.extend(behind(one).into_iter().map(with));
                }
            }
        };
        let making = &situation.script.statements[situation.object].callable;
        pass(making, &|one| moves::behind_given_twin(one, situation));
        for Given { by, letter, answer, asked: after } in self.answers(situation, state, outcomes) {
            let question = after.script.statements.last().map_or(&[][..], |call| &call.args);
            let plain = if question.iter().all(is_plain) { question } else { &[] };
            pass(by, &|one| match answer {
                Answer::Nothing => Vec::new(),
                Answer::Int(number) => {
                    let numbers = [*number, number.saturating_sub(1)].map(Argument::Int);
                    let given = |number| moves::behind_given(one, situation, number, plain);
                    numbers.iter().flat_map(given).collect()
                }
                Answer::Text(text) => {
                    moves::behind_given(one, situation, &Argument::Text(text.clone()), plain)
                }
                Answer::Object if self.prior.is_inert(letter) => {
                    let answer = Argument::Earlier(after.script.statements.len() - 1);
                    moves::behind_given(one, after, &answer, question)
                }
                Answer::Object => moves::behind_asking_twin(one, situation, after),
            });
        }
        asked.truncate(MOST_ASKED);
        asked
    }

    /// Answers to calls that left the object as it was, and that the script does not mention. Those come
    /// first that helped before.
    fn answers<'a>(
        &self,
        situation: &Situation,
        own: StateHash,
        outcomes: &'a [(Probed, Situation)],
    ) -> Vec<Given<'a>> {
        let mut all: Vec<Given<'a>> = Vec::new();
        for (outcome, asked) in outcomes {
            let Probed::Returned(Observed { letter, state, answer, .. }) = outcome else { continue };
            let value = match answer {
                Answer::Nothing => continue,
                Answer::Int(number) => Some(Argument::Int(*number)),
                Answer::Text(text) => Some(Argument::Text(text.clone())),
                Answer::Object => None,
            };
            let is_known = value.is_some_and(|value| moves::mentions(&situation.script, &value));
            let Some(call) = asked.script.statements.last() else { continue };
            let by = &call.callable;
            let is_same =
                |one: &Given<'_>| one.answer == answer && (*answer != Answer::Object || one.by == by);
            if *state == own && !is_known && !all.iter().any(is_same) {
                all.push(Given { by, letter: *letter, answer, asked });
            }
        }
        // A question without parameters comes first of those that helped as often.
        all.sort_by_key(|one| (std::cmp::Reverse(self.experience.helped(one.by)), one.by.parameters.len()));
        let mut counts = [0; 3];
        all.retain(|one| {
            let kind = match one.answer {
                Answer::Int(_) => 0,
                Answer::Text(_) => 1,
                Answer::Object | Answer::Nothing => 2,
            };
            counts[kind] += 1;
            counts[kind] <= ANSWERS
        });
        all
    }

    /// Learns which answers help, and which calls take nothing else. If there are new ones of these, all
    /// situations are seen again.
    pub(super) fn learn_answers<'a>(
        &mut self,
        shown: &BTreeSet<Letter>,
        asked: impl Iterator<Item = (&'a Asked, &'a Probed)>,
    ) {
        for (Asked { passing, lacking, situation }, outcome) in asked {
            let helps = letter(outcome).is_some_and(|letter| !shown.contains(&letter));
            for &event in &**lacking {
                let (tried, helped) = self.experience.0.entry((passing.clone(), event)).or_default();
                *tried += 1;
                *helped += u32::from(letter(outcome) == Some(event));
            }
            if helps && self.pool.ties.tie(&situation.script, situation.object) {
                self.outdate_situations();
            }
        }
    }
}

/// Tells whether an argument means the same in every script.
fn is_plain(argument: &Argument) -> bool {
    let mut is_plain = true;
    named(argument, &mut |_| is_plain = false);
    is_plain
}

/// The event of a call that returned.
pub(super) fn letter(outcome: &Probed) -> Option<Letter> {
    match outcome {
        Probed::Returned(observed) => Some(observed.letter),
        Probed::Threw(_) | Probed::Nothing | Probed::Untried => None,
    }
}
