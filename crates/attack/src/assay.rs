//! Assay: a model of a class by trying, in very many situations, which events are possible.
//!
//! Enabledness is not guessed from traces but observed. A situation is a short script with its object. In each, every move (a
//! method with arguments from a pool) is tried; the events that come out are what the situation *enables*. Situations that
//! enable the same are one state, and a state leads to another by an event if one of its situations was seen to. This is the
//! abstraction of CONTRACTOR with preconditions replaced by experiment.
//!
//! 1. *Survey*: random scripts give moves, situations to try them in, and words that the model must accept.
//! 2. *Explore* from the constructors, in turn for each state and event, until nothing new is found.
//! 3. *Accept*: runs that the model rejects are explored along their way, and then what lies behind it.
//! 4. *Refute*: walks of the model that cannot be realized on the class show a state that is two: one half of its situations can
//!    lead by an event where the other cannot. It is split if that makes enough walks realizable, which keeps models small where
//!    a class counts: no finite model can.
//!
//! Paper: none; the idea of enabledness is that of `contractor`, of refuting by tests that of `dice`.
//! Cost: a situation takes as many scripts as there are moves, some ten for each method. Situations with equal fields are taken for
//! equal until two are caught enabling different things; then all are tried.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::rc::Rc;

use adit_automata::{Builder, Fsa, Modality};
use adit_trace::{Letter, Pace, Phase, Progress, Run, Script, Stop, Subject};
use rand::{Rng, RngExt};

use crate::careful::why_not_run;
use crate::moves::{self, Move, Situation};
use crate::survey::{Pool, pool, survey};
use crate::tries::{Tries, mark};
use crate::{Ear, Generator};

mod refute;
mod shown;

use self::refute::Refuted;
use self::shown::Thrown;
pub use self::shown::{Refusal, Shown};

/// How much is tried. The defaults suit classes of up to about fifty methods and a few seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct AssayOptions {
    /// Random scripts of the survey.
    pub survey: usize,
    /// The most calls of such a script.
    pub calls: usize,
    /// Moves for each method that are compared.
    pub candidates: usize,
    /// Moves for each method that are kept, and ways to make an object.
    pub moves: usize,
    /// How many situations behind each state and event are looked at.
    pub successors: usize,
    /// Walks by which the model is judged, and how long they are at most.
    pub walks: usize,
    /// The longest walk.
    pub walk_length: usize,
    /// How many situations are kept for each prefix of a walk.
    pub width: usize,
    /// The share of walks that a split must make realizable.
    pub gain: f64,
    /// The most states.
    pub states: usize,
    /// Of the events that are said to be pure, those that change something inside. They count as pure where trying confirms it.
    pub doubtful: BTreeSet<Letter>,
    /// Scripts that were found worth keeping before. They are run before the random ones, and the model accepts what they show.
    pub known: Vec<Script>,
}

impl Default for AssayOptions {
    fn default() -> Self {
        Self {
            survey: 3000,
            calls: 10,
            candidates: 24,
            moves: 8,
            successors: 8,
            walks: 300,
            walk_length: 12,
            width: 16,
            gain: 0.05,
            states: 60,
            doubtful: BTreeSet::new(),
            known: Vec::new(),
        }
    }
}

/// A model, and how it was come by.
#[derive(Clone, Debug)]
pub struct Assayed {
    /// Every state but the first is accepting: a client may stop at any time. A transition that is only maybe there is an
    /// event that was seen to be possible while there was no time to look where it leads. States say what they refuse.
    pub model: Fsa<String>,
    /// The events that change nothing that matters, of those that were said to be pure.
    pub pure: BTreeSet<Letter>,
    /// Scripts that were run.
    pub tests: u64,
    /// Situations in which all moves were tried.
    pub situations: usize,
    /// The share of the model's walks that could be realized, if it was measured.
    pub realized: Option<f64>,
    /// Shortest walks that could not be.
    pub unrealized: Vec<Vec<String>>,
    /// States that were split, said in words.
    pub splits: Vec<String>,
    /// Two situations with equal fields enabled different things, so that fields tell too little.
    pub shallow: bool,
    /// Random runs, and those of them that the final model rejects.
    pub random_runs: (u64, u64),
    /// How each transition of the model is known.
    pub shown: Vec<Shown>,
    /// What each state refuses.
    pub refusals: Vec<Refusal>,
    /// Reason why it ended. If it was not [`Stop::Done`], the model is what was known by then.
    pub stop: Stop,
}

impl Assayed {
    /// Scripts worth keeping as tests: those that show a transition or a refusal, each once.
    pub fn witnesses(&self) -> Vec<Script> {
        let mut scripts: Vec<Script> = Vec::new();
        let refused = self.refusals.iter().map(|refusal| &refusal.script);
        for script in self.shown.iter().map(|shown| &shown.script).chain(refused) {
            if !scripts.contains(script) {
                scripts.push(script.clone());
            }
        }
        scripts
    }
}

/// Makes a model of a class by trying. Events of `pure` have no side effect, as far
/// as is known, and do not lead to another state unless they are seen to. `pace` may stop it between batches; then the model is
/// what is known. In the phases of the survey and of choosing, it only ends these. A subject that does not run scripts stops
/// what they were for.
pub fn assay<S: Subject, R: Rng>(
    subject: &mut S,
    generator: &mut Generator,
    ear: &Ear,
    pure: &BTreeSet<Letter>,
    options: &AssayOptions,
    rng: &mut R,
    pace: &mut dyn Pace,
) -> Result<Assayed, S::Error> {
    let mut tries = Tries::new(subject, ear);
    // At the beginning of a phase the pace only takes note of it: a phase that has no time left ends after its first batch.
    let _ = pace.go_on(&Progress::new(Phase::Survey, 0));
    let surveyed = survey(&mut tries, generator, options, rng, pace)?;
    let _ = pace.go_on(&Progress::new(Phase::Choose, tries.run));
    let pool = pool(&mut tries, &surveyed, options, rng, pace)?;
    let _ = pace.go_on(&Progress::new(Phase::Explore, tries.run));
    let mut map = Map::new(pool, pure.clone(), options.clone());
    map.enter(&mut tries)?;
    let mut stop = map.explore(&mut tries, options.successors, pace)?;
    for (script, run) in &surveyed.runs {
        if !stop.is_done() {
            break;
        }
        stop = map.accept(&mut tries, script, run, pace)?;
    }
    if stop.is_done() {
        stop = map.explore(&mut tries, LATER, pace)?;
    }
    let mut random_runs = (0, 0);
    let mut judged = None;
    while stop.is_done() {
        // Random runs until a round brings nothing new, then walks; a split may make new runs rejected.
        let mut rejected = 0;
        let scripts: Vec<Script> = (0..options.survey / 3)
            .map(|_| {
                let calls = rng.random_range(1..=options.calls);
                generator.script(rng, calls)
            })
            .collect();
        let runs = tries.run(&scripts)?;
        let model = map.drawn(ear);
        for (script, run) in scripts.iter().zip(&runs) {
            generator.observe(script, run);
            let fine = ear.hear(script, run).iter().all(|heard| model.fsa.reads(&labels(ear, &heard.word)));
            if !run.was_run() {
                stop = why_not_run(pace, &map.progress(Phase::Accept, tries.run));
                break;
            }
            if !fine {
                rejected += 1;
                stop = map.accept(&mut tries, script, run, pace)?;
                if !stop.is_done() {
                    break;
                }
            }
        }
        random_runs = (scripts.len() as u64, rejected);
        if stop.is_done() {
            stop = map.explore(&mut tries, LATER, pace)?;
        }
        if !stop.is_done() {
            break;
        }
        if rejected * 200 > scripts.len() as u64 && map.is_growing() {
            continue;
        }
        match map.refute(&mut tries, rng, pace)? {
            Refuted::Split => judged = None,
            Refuted::Done { realized, unrealized } => {
                judged = Some((realized, unrealized));
                break;
            }
            Refuted::Stopped(reason) => stop = reason,
        }
    }
    let drawn = map.drawn(ear);
    let whole = if stop.is_done() { drawn.fsa.clone() } else { map.with_guesses(ear, &drawn) };
    let model = whole.simplify();
    let now = whole.counterparts(&model);
    let refusals = map.refusals(&drawn, &now, &model);
    let (realized, unrealized) = judged.unzip();
    Ok(Assayed {
        pure: map.harmless(),
        tests: tries.run,
        situations: map.places.len(),
        realized,
        unrealized: unrealized.unwrap_or_default(),
        splits: map.splits_in_words(ear),
        shallow: map.shallow,
        random_runs,
        shown: map.shown(ear, &drawn, &now, &model),
        model: shown::refusing(&model, &refusals),
        refusals,
        stop,
    })
}

/// Behind the events of states that were found late, so many situations are looked at: their kind is known by then, and what
/// matters is that no event leads nowhere.
const LATER: usize = 2;

fn labels(ear: &Ear, word: &[Letter]) -> Vec<String> {
    word.iter().map(|&letter| ear.alphabet().name(letter).to_owned()).collect()
}

/// What was found out: situations, what they enable, and where they lead.
struct Map {
    pool: Pool,
    pure: BTreeSet<Letter>,
    options: AssayOptions,
    places: Vec<Place>,
    /// How objects come to be: the event, and where it leads.
    entrances: Vec<Exit>,
    /// The places with these fields, the first of each.
    by_mark: BTreeMap<u64, usize>,
    /// Fields do not tell what is enabled.
    shallow: bool,
    /// The sets of events that were found enabled, in the order of their finding.
    enabled: BTreeMap<BTreeSet<Letter>, usize>,
    /// For each of these sets, what parts its situations.
    splits: BTreeMap<usize, Vec<Split>>,
    refused: BTreeSet<(usize, Split)>,
    /// How many exits with this event of this set were looked behind.
    looked: BTreeMap<(Option<usize>, Letter), usize>,
    thrown: Thrown,
    grew: bool,
    /// The model as it was drawn last, if nothing was found since.
    drawn: Option<Rc<Drawn>>,
}

/// A situation in which every move was tried.
struct Place {
    /// Which set of events it enables.
    base: usize,
    exits: Vec<Exit>,
}

/// An event that was possible, and what came after it.
#[derive(Clone)]
struct Exit {
    letter: Letter,
    situation: Situation,
    mark: u64,
    /// The place behind it, if it was looked at.
    to: Option<usize>,
}

/// A state is two states: those of its situations that can go by the event to one that enables the set, and the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Split {
    letter: Letter,
    to: usize,
}

/// A state of the model: what it enables, and on which side of each split it is.
type Class = (usize, Vec<bool>);

/// A model with the way back to what it was made of.
struct Drawn {
    fsa: Fsa<String>,
    states: Vec<Class>,
    /// For each transition, an exit that took it: its place and number, or the number of an entrance.
    taken: BTreeMap<(usize, Letter, usize), (Option<usize>, usize)>,
    /// And in how many situations it was.
    times: BTreeMap<(usize, Letter, usize), u64>,
}

impl Map {
    fn new(pool: Pool, pure: BTreeSet<Letter>, options: AssayOptions) -> Self {
        Self {
            pool,
            pure,
            options,
            places: Vec::new(),
            entrances: Vec::new(),
            by_mark: BTreeMap::new(),
            shallow: false,
            enabled: BTreeMap::new(),
            splits: BTreeMap::new(),
            refused: BTreeSet::new(),
            looked: BTreeMap::new(),
            thrown: Thrown::default(),
            grew: false,
            drawn: None,
        }
    }

    /// The model of all that is known, drawn again only if something was found since.
    fn drawn(&mut self, ear: &Ear) -> Rc<Drawn> {
        if let Some(drawn) = &self.drawn {
            return drawn.clone();
        }
        let drawn = Rc::new(self.model(ear));
        self.drawn = Some(drawn.clone());
        drawn
    }

    fn is_growing(&mut self) -> bool {
        std::mem::take(&mut self.grew)
    }

    /// Makes objects, where exploring begins.
    fn enter<S: Subject>(&mut self, tries: &mut Tries<'_, S>) -> Result<(), S::Error> {
        let made: Vec<Situation> = self.pool.starts.iter().map(Move::start).collect();
        for (situation, tried) in made.iter().zip(tries.last_calls(&made)?) {
            if let Some(tried) = tried {
                let (letter, mark) = (tried.letter, tried.mark);
                self.entrances.push(Exit { letter, situation: situation.clone(), mark, to: None });
            }
        }
        Ok(())
    }

    /// How far the search has come.
    fn progress(&self, phase: Phase, tests: u64) -> Progress {
        Progress { states: Some(self.enabled.len()), ..Progress::new(phase, tests) }
    }

    /// Looks behind the exits of all places, until behind every state and event enough was looked at.
    fn explore<S: Subject>(
        &mut self,
        tries: &mut Tries<'_, S>,
        successors: usize,
        pace: &mut dyn Pace,
    ) -> Result<Stop, S::Error> {
        loop {
            // At least the new objects are looked at, so that there is a model, however slow the class.
            if !self.places.is_empty()
                && let ControlFlow::Break(stop) = pace.go_on(&self.progress(Phase::Explore, tries.run))
            {
                return Ok(stop);
            }
            let next = self.next_exits(successors);
            if next.is_empty() {
                return Ok(Stop::Done);
            }
            if !self.look_behind(tries, &next)? {
                return Ok(why_not_run(pace, &self.progress(Phase::Explore, tries.run)));
            }
        }
    }

    /// Exits worth looking behind, fairly chosen.
    fn next_exits(&self, successors: usize) -> Vec<(Option<usize>, usize)> {
        const BATCH: usize = 24;
        let mut looked = self.looked.clone();
        let mut chosen = Vec::new();
        let mut marks: BTreeSet<(Option<usize>, Letter, u64)> = BTreeSet::new();
        let entrances = self.entrances.iter().enumerate().map(|(number, exit)| (None, number, exit));
        let exits = self.places.iter().enumerate().flat_map(|(place, from)| {
            from.exits.iter().enumerate().map(move |(number, exit)| (Some(place), number, exit))
        });
        let mut open: Vec<_> = entrances.chain(exits).filter(|(_, _, exit)| exit.to.is_none()).collect();
        open.sort_by_key(|(_, _, exit)| exit.situation.script.statements.len());
        // Fields that were never seen come first; then, a quarter as many, fields that were, to catch fields that tell too little.
        for fresh in [true, false] {
            for (place, number, exit) in &open {
                if chosen.len() >= BATCH || (!fresh && chosen.len() >= BATCH / 4 && !self.shallow) {
                    break;
                }
                let new = !self.by_mark.contains_key(&exit.mark);
                let base = place.map(|place| self.places[place].base);
                let count = looked.entry((base, exit.letter)).or_default();
                let most = if place.is_none() { 4 * successors } else { successors };
                if new == fresh && *count < most && marks.insert((base, exit.letter, exit.mark)) {
                    *count += 1;
                    chosen.push((*place, *number));
                }
            }
        }
        chosen
    }

    /// Tries all moves behind these exits. Tells whether there was time for all.
    fn look_behind<S: Subject>(
        &mut self,
        tries: &mut Tries<'_, S>,
        exits: &[(Option<usize>, usize)],
    ) -> Result<bool, S::Error> {
        let situations: Vec<(Situation, u64)> = exits
            .iter()
            .map(|&(place, number)| {
                let exit = self.exit(place, number);
                (exit.situation.clone(), exit.mark)
            })
            .collect();
        let first = self.places.len();
        let probed = self.probe(tries, situations)?;
        for (offset, &(place, number)) in exits.iter().take(probed).enumerate() {
            let base = place.map(|place| self.places[place].base);
            let letter = self.exit(place, number).letter;
            *self.looked.entry((base, letter)).or_default() += 1;
            let exits = match place {
                Some(place) => &mut self.places[place].exits,
                None => &mut self.entrances,
            };
            exits[number].to = Some(first + offset);
        }
        Ok(probed == exits.len())
    }

    fn exit(&self, place: Option<usize>, number: usize) -> &Exit {
        match place {
            Some(place) => &self.places[place].exits[number],
            None => &self.entrances[number],
        }
    }

    /// Tries all moves in new places, and says in how many: a place in which there was no time for all moves is none, because what
    /// was not tried would look impossible. Only the very first counts in any case, so that there is a model.
    fn probe<S: Subject>(
        &mut self,
        tries: &mut Tries<'_, S>,
        situations: Vec<(Situation, u64)>,
    ) -> Result<usize, S::Error> {
        let mut probed = 0;
        self.drawn = None;
        let moves: Vec<&Move> =
            self.pool.moves.iter().filter(|one| !tries.is_deadly(one.callable())).collect();
        let behind: Vec<Vec<Situation>> = situations
            .iter()
            .map(|(situation, _)| moves::all_behind(moves.iter().copied(), situation))
            .collect();
        let counts: Vec<usize> = behind.iter().map(Vec::len).collect();
        let behind: Vec<Situation> = behind.into_iter().flatten().collect();
        let mut tried = tries.outcomes(&behind)?.into_iter().zip(behind);
        for ((_, mark), count) in situations.into_iter().zip(counts) {
            let mut exits: Vec<Exit> = Vec::new();
            if tried.len() < count && !(self.places.is_empty() && tried.len() > 0) {
                break;
            }
            probed += 1;
            let mut thrown: Vec<(String, Situation)> = Vec::new();
            for (tried, behind) in tried.by_ref().take(count) {
                let tried = match tried {
                    Ok(tried) => tried,
                    Err(label) => {
                        thrown.extend(label.map(|label| (label, behind)));
                        continue;
                    }
                };
                let exit = Exit { letter: tried.letter, situation: behind, mark: tried.mark, to: None };
                let equal = |other: &Exit| other.letter == exit.letter && other.mark == exit.mark;
                if self.shallow || !exits.iter().any(equal) {
                    exits.push(exit);
                }
            }
            let enabled: BTreeSet<Letter> = exits.iter().map(|exit| exit.letter).collect();
            let (count, fresh) = (self.enabled.len(), !self.enabled.contains_key(&enabled));
            let base = *self.enabled.entry(enabled).or_insert(count);
            self.grew |= fresh;
            thrown.into_iter().for_each(|(label, behind)| self.thrown.note(base, label, behind));
            let place = self.places.len();
            let twin = *self.by_mark.entry(mark).or_insert(place);
            if twin != place && self.places[twin].base != base {
                self.shallow = true;
            }
            self.places.push(Place { base, exits });
        }
        Ok(probed)
    }

    /// Follows a run that happened, so that the model accepts it: each of its situations is looked at.
    fn accept<S: Subject>(
        &mut self,
        tries: &mut Tries<'_, S>,
        script: &Script,
        run: &Run,
        pace: &mut dyn Pace,
    ) -> Result<Stop, S::Error> {
        for heard in tries.ear.hear(script, run) {
            if let ControlFlow::Break(stop) = pace.go_on(&self.progress(Phase::Accept, tries.run)) {
                return Ok(stop);
            }
            let model = self.drawn(tries.ear);
            if model.fsa.reads(&labels(tries.ear, &heard.word)) {
                continue;
            }
            // What happened once by chance, such as a number that was the port of a server, is not what the class does.
            let again = tries.run(&[script.clone(), script.clone()])?;
            let same = |run: &Run| tries.ear.hear(script, run).iter().any(|other| other.word == heard.word);
            if !again.iter().all(same) {
                continue;
            }
            let way: Vec<(Situation, u64)> = heard
                .statements
                .iter()
                .map(|&at| {
                    let script = Script { statements: script.statements[..=at].to_vec() };
                    (Situation { script, object: heard.object }, mark(run.steps[at].fields.as_ref()))
                })
                .collect();
            let first = self.places.len();
            let probed = self.probe(tries, way.clone())?;
            if probed < way.len() {
                // Half a way leads nowhere.
                self.places.truncate(first);
                self.by_mark.retain(|_, place| *place < first);
                return Ok(why_not_run(pace, &self.progress(Phase::Accept, tries.run)));
            }
            for (index, (situation, mark)) in way.into_iter().enumerate() {
                let exit = Exit { letter: heard.word[index], situation, mark, to: Some(first + index) };
                match index.checked_sub(1) {
                    None => self.entrances.push(exit),
                    Some(before) => {
                        // What happened is possible, whatever the pool of moves says.
                        let place = &mut self.places[first + before];
                        place.exits.push(exit);
                        let enabled: BTreeSet<Letter> = place.exits.iter().map(|exit| exit.letter).collect();
                        let count = self.enabled.len();
                        let base = *self.enabled.entry(enabled).or_insert(count);
                        self.grew |= base == count;
                        self.places[first + before].base = base;
                    }
                }
            }
        }
        Ok(Stop::Done)
    }

    /// The place behind an exit, or one with the same fields if they tell enough.
    fn behind(&self, exit: &Exit) -> Option<usize> {
        exit.to.or_else(|| if self.shallow { None } else { self.by_mark.get(&exit.mark).copied() })
    }

    /// The state of a place; nothing while it is unknown where it can lead.
    fn class(&self, place: usize) -> Option<Class> {
        let Place { base, exits, .. } = &self.places[place];
        let side = |split: &Split| {
            let mut open = false;
            for exit in exits.iter().filter(|exit| exit.letter == split.letter) {
                match self.behind(exit) {
                    Some(behind) if self.places[behind].base == split.to => return Some(true),
                    Some(_) => {}
                    None => open = true,
                }
            }
            (!open).then_some(false)
        };
        let splits = self.splits.get(base).map_or(&[][..], Vec::as_slice);
        Some((*base, splits.iter().map(side).collect::<Option<_>>()?))
    }

    /// The events that are said to have no side effect, without those that were seen to change what is enabled.
    fn harmless(&self) -> BTreeSet<Letter> {
        let mut pure = self.pure.clone();
        for place in &self.places {
            for exit in &place.exits {
                if self.behind(exit).is_some_and(|behind| self.places[behind].base != place.base) {
                    pure.remove(&exit.letter);
                }
            }
        }
        pure
    }

    /// The model of all that is known.
    fn model(&self, ear: &Ear) -> Drawn {
        let classes: Vec<Option<Class>> = (0..self.places.len()).map(|place| self.class(place)).collect();
        let pure = self.harmless();
        let mut states: Vec<Class> = Vec::new();
        let mut numbers: BTreeMap<Class, usize> = BTreeMap::new();
        let mut builder = Builder::new();
        let initial = builder.state(false);
        builder.initial(initial);
        let mut taken: BTreeMap<(usize, Letter, usize), (Option<usize>, usize)> = BTreeMap::new();
        let mut times: BTreeMap<(usize, Letter, usize), u64> = BTreeMap::new();
        let mut number = |class: &Class, builder: &mut Builder<String>| {
            *numbers.entry(class.clone()).or_insert_with(|| {
                builder.state(true);
                states.push(class.clone());
                states.len()
            })
        };
        // Behind these events of these sets it was looked; that the set is the same there, `harmless` has seen to.
        let mut confirmed: BTreeSet<(usize, Letter)> = BTreeSet::new();
        for place in &self.places {
            let known = place.exits.iter().filter(|exit| self.behind(exit).is_some());
            confirmed.extend(known.map(|exit| (place.base, exit.letter)));
        }
        let entrances = self.entrances.iter().enumerate().map(|(index, exit)| (None, index, exit));
        let exits = self.places.iter().enumerate().flat_map(|(place, from)| {
            from.exits.iter().enumerate().map(move |(index, exit)| (Some(place), index, exit))
        });
        for (place, index, exit) in entrances.chain(exits) {
            let from = match place {
                None => 0,
                Some(place) => match &classes[place] {
                    Some(class) => number(class, &mut builder),
                    None => continue,
                },
            };
            let stays = |place: usize| {
                let base = self.places[place].base;
                let doubtful = self.options.doubtful.contains(&exit.letter);
                pure.contains(&exit.letter) && (!doubtful || confirmed.contains(&(base, exit.letter)))
            };
            let to = if place.is_some_and(stays) {
                from
            } else {
                match self.behind(exit).and_then(|behind| classes[behind].as_ref()) {
                    Some(class) => number(class, &mut builder),
                    None => continue,
                }
            };
            let shorter = |&(place, index): &(Option<usize>, usize)| {
                self.exit(place, index).situation.script.statements.len()
                    > exit.situation.script.statements.len()
            };
            let key = (from, exit.letter, to);
            *times.entry(key).or_default() += 1;
            if taken.get(&key).is_none_or(shorter) {
                taken.insert(key, (place, index));
            }
        }
        for &(from, letter, to) in taken.keys() {
            builder.edge(from, ear.alphabet().name(letter).to_owned(), to);
        }
        Drawn { fsa: builder.build(), states, taken, times }
    }

    /// The model, and for each event that was possible in a state and behind which it was never looked, a transition that is maybe
    /// there: to where the event leads most often from elsewhere, or else back to the state.
    fn with_guesses(&self, ear: &Ear, drawn: &Drawn) -> Fsa<String> {
        let mut leads: BTreeMap<Letter, BTreeMap<usize, usize>> = BTreeMap::new();
        for &(_, letter, to) in drawn.taken.keys() {
            *leads.entry(letter).or_default().entry(to).or_default() += 1;
        }
        let known: BTreeSet<(usize, Letter)> =
            drawn.taken.keys().map(|&(from, letter, _)| (from, letter)).collect();
        let numbers: BTreeMap<&Class, usize> = drawn.states.iter().zip(1..).collect();
        let mut builder = drawn.fsa.to_builder();
        let mut guessed = BTreeSet::new();
        for (place, of) in self.places.iter().enumerate() {
            let Some(&from) = self.class(place).as_ref().and_then(|class| numbers.get(class)) else {
                continue;
            };
            for exit in &of.exits {
                if !known.contains(&(from, exit.letter)) && guessed.insert((from, exit.letter)) {
                    let usual =
                        leads.get(&exit.letter).and_then(|to| to.iter().max_by_key(|(_, times)| **times));
                    let to = usual.map_or(from, |(&to, _)| to);
                    builder.modal_edge(
                        from,
                        ear.alphabet().name(exit.letter).to_owned(),
                        to,
                        Modality::Maybe,
                    );
                }
            }
        }
        builder.build()
    }
}
