//! Enriching a typestate: mutants of a suite are run until every method was called in every state.
//!
//! The first phase runs the mutations of TAUTOKO's Algorithm 1 (`adit_infer::mutations`). The second goes on
//! where the paper stops: states that a mutant found are extended in turn, by several interventions at once,
//! and methods with parameters are added with arguments that the suite passed before, or with made-up ones
//! (`enrichment/ways.rs`, `enrichment/generated.rs`). A call of the suite is also replaced by another method
//! that takes its arguments: only there may an argument fit that no test has at any other place.
//! A state is remembered with a *recipe*: the test, the interventions and the call that lead there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use adit_bytecode::{Signature, Type};
use adit_infer::{BehaviorCall, BehaviorModel, Mutation, ObjectHistory, mutations};
use adit_jvm::HostError;
use adit_jvm::record::TaskEnd;
use adit_jvm::record::intervene::{
    Action, BenchLife, BenchRun, Experiment, Intervention, Mark, NoteKind, Origin, Replacement, Site,
    TestBench,
};
use adit_trace::{Event, Labels, Outcome, Pace, Value};

use crate::budget::Budget;

mod generated;
mod ways;

pub(crate) use generated::{GeneratedCall, generated_calls};
use ways::{Way, WayKind};

/// Most interventions of one mutant. Longer recipes repeat what shorter ones reach.
const MOST_INTERVENTIONS: usize = 6;

/// Number of recipes that are kept for a state, and tried for a call in it.
const RECIPES: usize = 3;

/// Number of calls of the suite that a method replaces.
const REPLACED: usize = 4;

/// Of the generated ways to call a method, those that are tried in every state. The others are for methods
/// that have never returned, and are each tried in a few states, with one recipe.
const USUAL_WAYS: usize = 4;
const STATES_OF_FURTHER_WAYS: u32 = 8;

/// A mutant with generated arguments that takes longer is not worth running in other states.
const COSTLY: Duration = Duration::from_secs(1);

/// Exceptions that blame an argument rather than the state. If the argument was made up, they say nothing.
const BLAMES_ARGUMENTS: [&str; 9] = [
    "java.lang.NullPointerException",
    "java.lang.IllegalArgumentException",
    "java.lang.NumberFormatException",
    "java.lang.IndexOutOfBoundsException",
    "java.lang.ArrayIndexOutOfBoundsException",
    "java.lang.StringIndexOutOfBoundsException",
    "java.lang.ClassCastException",
    "java.lang.NegativeArraySizeException",
    "java.lang.UnsupportedOperationException",
];

/// Origin of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TransitionOrigin {
    Suite,
    AddedCall,
    SuppressedCall,
}

impl TransitionOrigin {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Suite => "suite",
            Self::AddedCall => "added call",
            Self::SuppressedCall => "suppressed call",
        }
    }
}

/// A method to call.
#[derive(Clone, Debug)]
pub(crate) struct Callee {
    /// Name of its events.
    pub(crate) event: String,
    /// Place in the bench's list.
    pub(crate) number: usize,
    pub(crate) parameters: Vec<Type>,
    pub(crate) result: Option<Type>,
    /// Arguments that a generator wrote.
    pub(crate) generated: Vec<GeneratedCall>,
}

impl Callee {
    /// Its name without parameters.
    fn name(&self) -> &str {
        self.event.split('(').next().unwrap_or(&self.event)
    }
}

/// Findings so far. States have the same numbers in all models.
pub(crate) struct Enrichment {
    /// Calls of the suite and all calls, labeled by their methods.
    pub(crate) initial: BehaviorModel,
    pub(crate) model: BehaviorModel,
    /// The same with boolean results: `isEmpty:TRUE`.
    pub(crate) initial_outcomes: BehaviorModel,
    pub(crate) outcomes: BehaviorModel,
    /// Origins of the calls of `outcomes`.
    pub(crate) origins: BTreeMap<BehaviorCall, TransitionOrigin>,
    /// For each call of `outcomes`, the run in which it was first seen.
    pub(crate) witnesses: BTreeMap<BehaviorCall, CallWitness>,
    /// Results of running the suite as it is.
    pub(crate) suite: BenchRun,
    pub(crate) mutants: u64,
    /// Mutants that ran into the time limit, or ended their JVM.
    pub(crate) hung: u64,
    pub(crate) died: u64,
    /// Methods that could be called in no way, with the reason.
    pub(crate) not_called: BTreeMap<String, String>,
    /// Time for the mutants.
    pub(crate) elapsed: Duration,
    /// True if the time was over, or Ctrl-C was pressed, before everything was tried.
    pub(crate) is_cut: bool,
}

/// The run in which a call was first seen.
#[derive(Clone, Debug)]
pub(crate) struct CallWitness {
    /// The events of the object before it, with their exceptions.
    pub(crate) word: Vec<String>,
    experiment: Experiment,
    made_up: Vec<MadeUpCall>,
}

/// An intervention that adds a call with made-up arguments, and their source.
type MadeUpCall = (usize, WayKind);

/// The calls of mutants, looked for in a second run of each mutant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recheck {
    /// Number of calls that were looked for.
    pub(crate) calls: usize,
    /// Those that did not happen again.
    pub(crate) unconfirmed: Vec<BehaviorCall>,
}

/// The way to a state: after the call at `site`, in the run of `test` with these interventions.
#[derive(Clone, Debug)]
struct Recipe {
    test: String,
    interventions: Vec<Intervention>,
    /// Those of them that add a call with made-up arguments.
    made_up: Vec<MadeUpCall>,
    site: Site,
    /// Place of the call among the events of the suite, if it is one of the suite's own.
    sequence: Option<u64>,
}

/// The search.
pub(crate) struct Enricher<'a> {
    bench: &'a mut TestBench,
    callees: Vec<Callee>,
    found: Enrichment,
    recipes: BTreeMap<usize, Vec<Recipe>>,
    /// Methods that returned once with made-up arguments of this source, so that what they throw with them
    /// elsewhere is due to the state.
    proven: BTreeSet<(String, WayKind)>,
    /// States whose calls have not been tried.
    open: VecDeque<usize>,
    /// Calls that were tried: the method, the state, the recipe for it, and the way to call the method.
    tried: BTreeSet<(usize, usize, usize, WayKind)>,
    /// Generated arguments that take long to make, or hang: the method, and their source.
    costly: BTreeSet<(usize, WayKind)>,
    /// For each further way to call a method, the number of states in which it was tried.
    further: BTreeMap<(usize, WayKind), u32>,
    /// The end of the time for mutants, if there is one.
    until: Option<Instant>,
    /// The most mutants, if their number is limited.
    most: Option<u64>,
}

impl<'a> Enricher<'a> {
    /// Runs the suite. The answer has no calls if no test used the class. `enumerated` are fields that hold
    /// one of a few constants.
    pub(crate) fn start(
        bench: &'a mut TestBench,
        callees: Vec<Callee>,
        enumerated: BTreeSet<String>,
        pace: &mut dyn Pace,
    ) -> Result<Self, HostError> {
        let suite = bench.run(&Experiment::default(), pace)?;
        let found = Enrichment {
            initial: BehaviorModel::new(),
            model: BehaviorModel::with_enumerated(enumerated.clone()),
            initial_outcomes: BehaviorModel::new(),
            outcomes: BehaviorModel::with_enumerated(enumerated),
            origins: BTreeMap::new(),
            witnesses: BTreeMap::new(),
            suite,
            mutants: 0,
            hung: 0,
            died: 0,
            not_called: BTreeMap::new(),
            elapsed: Duration::ZERO,
            is_cut: false,
        };
        let mut enricher = Self {
            bench,
            callees,
            found,
            recipes: BTreeMap::new(),
            proven: BTreeSet::new(),
            open: VecDeque::new(),
            tried: BTreeSet::new(),
            costly: BTreeSet::new(),
            further: BTreeMap::new(),
            until: None,
            most: None,
        };
        let lives = enricher.found.suite.lives.clone();
        for life in &lives {
            enricher.learn(life, &Experiment::default(), &[], TransitionOrigin::Suite);
        }
        enricher.found.initial = enricher.found.model.clone();
        enricher.found.initial_outcomes = enricher.found.outcomes.clone();
        Ok(enricher)
    }

    /// Limits the time of a mutant.
    pub(crate) fn limited(self, limit: Duration) -> Self {
        self.bench.set_limit(limit);
        self
    }

    /// Behavior that the suite shows.
    pub(crate) fn found(&self) -> &Enrichment {
        &self.found
    }

    /// Runs mutants until nothing new appears, the budget is spent or `pace` wants to stop.
    pub(crate) fn enrich(
        mut self,
        paper_only: bool,
        recheck: bool,
        budget: Budget,
        pace: &mut dyn Pace,
        progress: &mut dyn FnMut(&Enrichment),
    ) -> Result<(Enrichment, Option<Recheck>), HostError> {
        let begin = Instant::now();
        match budget {
            Budget::Time(time) => self.until = Some(begin + time),
            Budget::Tests(tests) => self.most = Some(tests),
        }
        self.follow_the_paper(pace, progress)?;
        if !paper_only {
            self.explore(pace, progress)?;
        }
        self.found.elapsed = begin.elapsed();
        let again = if recheck { Some(self.recheck(pace)?) } else { None };
        Ok((self.found, again))
    }

    /// Runs every mutant again that first showed a call, the last one first, and looks for its calls. Stops
    /// early only if `pace` wants to.
    fn recheck(&mut self, pace: &mut dyn Pace) -> Result<Recheck, HostError> {
        let mut mutants: Vec<(CallWitness, Vec<BehaviorCall>)> = Vec::new();
        for (call, witness) in &self.found.witnesses {
            let is_same =
                |(known, _): &&mut (CallWitness, Vec<BehaviorCall>)| known.experiment == witness.experiment;
            match mutants.iter_mut().find(is_same) {
                Some((_, calls)) => calls.push(call.clone()),
                None => mutants.push((witness.clone(), vec![call.clone()])),
            }
        }
        let mut again = Recheck::default();
        for (CallWitness { experiment, made_up, .. }, calls) in mutants.into_iter().rev() {
            let progress = adit_trace::Progress::new(adit_trace::Phase::Record, self.found.mutants);
            if pace.go_on(&progress).is_break() {
                break;
            }
            let mut seen = BTreeSet::new();
            for mut life in self.bench.run(&experiment, pace)?.lives {
                for made_up in &made_up {
                    self.judge_made_up(&mut life, *made_up);
                }
                // States are numbered by the model; a state that is new here confirms nothing.
                seen.extend(self.found.outcomes.clone().add(&life.life.events, &outcome_label));
            }
            again.calls += calls.len();
            again.unconfirmed.extend(calls.into_iter().filter(|call| !seen.contains(call)));
        }
        Ok(again)
    }

    fn follow_the_paper(
        &mut self,
        pace: &mut dyn Pace,
        progress: &mut dyn FnMut(&Enrichment),
    ) -> Result<(), HostError> {
        let mut suite = Vec::new();
        for life in self.found.suite.lives.clone() {
            // Added again, the events give the same calls.
            let calls = self.found.model.add(&life.life.events, &label);
            let is_plain =
                (0..).zip(&life.marks).all(|(place, mark)| mark.origin == Origin::Own { ordinal: place });
            // Where calls were nested, numbers and places differ, and a path cannot be told.
            if is_plain && !life.test.is_empty() {
                suite.push(ObjectHistory { test: life.test, object: life.object, calls });
            }
        }
        let methods: BTreeMap<String, bool> =
            self.callees.iter().map(|callee| (callee.event.clone(), !callee.parameters.is_empty())).collect();
        for mutation in mutations(&suite, &methods) {
            let experiment = match mutation {
                Mutation::Add { wanted, after } => {
                    let Some(callee) = self.callees.iter().find(|callee| callee.event == wanted.method)
                    else {
                        continue;
                    };
                    let call = call_at(&suite, &after.test, after.object, after.ordinal);
                    let at = site(&after.test, after.object, after.ordinal as u64, call);
                    let action = Action::Add {
                        method: callee.number,
                        arguments: Vec::new(),
                        captures: Vec::new(),
                        made: Vec::new(),
                    };
                    let interventions = vec![Intervention { at, action }];
                    Experiment { tests: vec![after.test], interventions, only: None, touches: false }
                }
                Mutation::Suppress { calls, then, .. } => {
                    let suppress = |place: &adit_infer::CallPlace| {
                        let call = call_at(&suite, &place.test, place.object, place.ordinal);
                        let at = site(&place.test, place.object, place.ordinal as u64, call);
                        let instead = self.value_of(&place.test, place.object, place.ordinal as u64);
                        Intervention { at, action: Action::Suppress { instead } }
                    };
                    let interventions = calls.iter().map(suppress).collect();
                    Experiment { tests: vec![then.test], interventions, only: None, touches: false }
                }
            };
            if self.is_over(pace) {
                return Ok(());
            }
            self.run(&experiment, &[], pace)?;
            progress(&self.found);
        }
        Ok(())
    }

    /// Replaces calls of the suite by methods that the suite never calls, with the same arguments, until the
    /// method returns.
    fn replace(
        &mut self,
        pace: &mut dyn Pace,
        progress: &mut dyn FnMut(&Enrichment),
    ) -> Result<(), HostError> {
        let lives = self.found.suite.lives.clone();
        for callee in self.callees.clone() {
            if callee.parameters.is_empty() || ways::is_called(&callee, &lives) {
                continue;
            }
            let mut replaced = 0;
            for life in lives.iter().filter(|life| !life.test.is_empty()) {
                for (place, (event, mark)) in life.life.events.iter().zip(&life.marks).enumerate() {
                    let Origin::Own { ordinal } = mark.origin else { continue };
                    // A suppressed call has no result.
                    let mut sources = ways::sources(life, place, &self.callees);
                    sources.retain(|source| source.capture.argument.is_some());
                    let Some(way) = ways::lent(&callee, &sources).into_iter().next() else { continue };
                    if replaced == REPLACED || self.proven.contains(&(callee.event.clone(), way.kind)) {
                        break;
                    }
                    replaced += 1;
                    if self.is_over(pace) {
                        return Ok(());
                    }
                    let at = site(&life.test, life.object, ordinal, &event.method);
                    let instead = self.value_of(&life.test, life.object, ordinal);
                    let Way { kind, arguments, captures, made } = way;
                    let add = Action::Add { method: callee.number, arguments, captures, made };
                    let interventions = vec![
                        Intervention { at: at.clone(), action: Action::Suppress { instead } },
                        Intervention { at, action: add },
                    ];
                    let experiment = Experiment {
                        tests: vec![life.test.clone()],
                        interventions,
                        only: None,
                        touches: false,
                    };
                    self.run(&experiment, &[(1, kind)], pace)?;
                    progress(&self.found);
                }
            }
        }
        Ok(())
    }

    /// Calls every method in every state, also in new ones, until nothing new appears. Generated arguments
    /// come last, because some take long to make.
    fn explore(
        &mut self,
        pace: &mut dyn Pace,
        progress: &mut dyn FnMut(&Enrichment),
    ) -> Result<(), HostError> {
        self.replace(pace, progress)?;
        for with_generated in [false, true] {
            self.open = self.recipes.keys().copied().collect();
            while let Some(state) = self.open.pop_front() {
                for callee in self.callees.clone() {
                    self.call_in(state, &callee, with_generated, pace, progress)?;
                }
                if self.found.is_cut {
                    return Ok(());
                }
            }
        }
        let called: BTreeSet<String> = self.found.model.calls().map(|call| call.label.clone()).collect();
        self.found.not_called.retain(|event, _| !called.contains(event));
        Ok(())
    }

    /// Calls a method in a state, in all ways that were not tried yet.
    fn call_in(
        &mut self,
        state: usize,
        callee: &Callee,
        with_generated: bool,
        pace: &mut dyn Pace,
        progress: &mut dyn FnMut(&Enrichment),
    ) -> Result<(), HostError> {
        for (number, recipe) in self.recipes.get(&state).cloned().unwrap_or_default().into_iter().enumerate()
        {
            // A call that threw is tried on another way too: the fields may not tell everything.
            if self.returned(state, &callee.event) {
                return Ok(());
            }
            if recipe.interventions.len() >= MOST_INTERVENTIONS {
                continue;
            }
            let mut ways = ways::ways(callee, &self.callees, &self.found.suite.lives, &recipe);
            // What has worked elsewhere tells most about this state.
            ways.sort_by_key(|way| {
                way.kind.is_made_up() && !self.proven.contains(&(callee.event.clone(), way.kind))
            });
            let is_generated = |way: &Way| matches!(way.kind, WayKind::Generated(_));
            for way in ways.into_iter().filter(|way| with_generated || !is_generated(way)) {
                let is_generated = is_generated(&way);
                let Way { kind, arguments, captures, made } = way;
                if self.costly.contains(&(callee.number, kind))
                    || !self.may_try(callee, kind, number)
                    || !self.tried.insert((callee.number, state, number, kind))
                {
                    continue;
                }
                if self.is_over(pace) {
                    return Ok(());
                }
                let action = Action::Add { method: callee.number, arguments, captures, made };
                let mut made_up = recipe.made_up.clone();
                made_up.extend(kind.is_made_up().then_some((recipe.interventions.len(), kind)));
                let mut interventions = recipe.interventions.clone();
                interventions.push(Intervention { at: recipe.site.clone(), action });
                let experiment = Experiment {
                    tests: vec![recipe.test.clone()],
                    interventions,
                    only: None,
                    touches: false,
                };
                let (bad, begun) = (self.found.hung + self.found.died, Instant::now());
                self.run(&experiment, &made_up, pace)?;
                let is_costly = self.found.hung + self.found.died > bad || begun.elapsed() > COSTLY;
                if is_generated && is_costly {
                    self.costly.insert((callee.number, kind));
                }
                progress(&self.found);
                if self.was_called(state, &callee.event) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Tells whether a way is worth trying with the recipe of this number, and counts further ways.
    fn may_try(&mut self, callee: &Callee, kind: WayKind, recipe: usize) -> bool {
        if !matches!(kind, WayKind::Generated(USUAL_WAYS..))
            || self.proven.contains(&(callee.event.clone(), kind))
        {
            return true;
        }
        let is_proven = self.proven.iter().any(|(method, _)| *method == callee.event);
        if is_proven || recipe > 0 {
            return false;
        }
        let states = self.further.entry((callee.number, kind)).or_default();
        *states += 1;
        *states <= STATES_OF_FURTHER_WAYS
    }

    fn is_over(&mut self, pace: &mut dyn Pace) -> bool {
        let progress = adit_trace::Progress::new(adit_trace::Phase::Record, self.found.mutants);
        let is_spent = self.until.is_some_and(|until| Instant::now() >= until)
            || self.most.is_some_and(|most| self.found.mutants >= most);
        self.found.is_cut |= is_spent || pace.go_on(&progress).is_break();
        self.found.is_cut
    }

    fn was_called(&self, state: usize, event: &str) -> bool {
        self.found.model.calls().any(|call| call.from == Some(state) && call.label == event)
    }

    fn returned(&self, state: usize, event: &str) -> bool {
        let is_it = |call: &BehaviorCall| call.from == Some(state) && call.label == event;
        self.found.model.calls().any(|call| is_it(call) && call.threw.is_none())
    }

    /// Runs a mutant and learns from what its objects did. How its tests end does not matter.
    fn run(
        &mut self,
        experiment: &Experiment,
        made_up: &[MadeUpCall],
        pace: &mut dyn Pace,
    ) -> Result<(), HostError> {
        let run = self.bench.run(experiment, pace)?;
        self.found.mutants += 1;
        match run.end {
            TaskEnd::TimedOut => self.found.hung += 1,
            TaskEnd::Exited { .. } | TaskEnd::Died { .. } => self.found.died += 1,
            TaskEnd::Finished | TaskEnd::Stopped(_) => {}
        }
        for note in &run.notes {
            if let (NoteKind::Failed { why }, Action::Add { method, .. }) =
                (&note.kind, &experiment.interventions[note.intervention].action)
                && let Some(callee) = self.callees.iter().find(|callee| callee.number == *method)
            {
                self.found.not_called.insert(callee.event.clone(), why.clone());
            }
        }
        let suppresses =
            experiment.interventions.iter().any(|of| matches!(of.action, Action::Suppress { .. }));
        let origin = if suppresses { TransitionOrigin::SuppressedCall } else { TransitionOrigin::AddedCall };
        for mut life in run.lives {
            for made_up in made_up {
                self.judge_made_up(&mut life, *made_up);
            }
            self.learn(&life, experiment, made_up, origin);
        }
        Ok(())
    }

    /// Forgets what a call with made-up arguments threw, unless the same call returned in another state and
    /// the exception is not one that blames arguments. What follows is forgotten with it: a call that fails
    /// may leave traces that no field shows.
    fn judge_made_up(&mut self, life: &mut BenchLife, (intervention, kind): MadeUpCall) {
        let is_it = |mark: &Mark| mark.origin == Origin::Added { intervention };
        let Some(place) = life.marks.iter().position(is_it) else { return };
        let event = &life.life.events[place];
        let proof = (event.method.clone(), kind);
        let is_no_evidence = match &event.outcome {
            Outcome::Threw(class) => {
                !self.proven.contains(&proof) || BLAMES_ARGUMENTS.contains(&class.as_str())
            }
            _ => false,
        };
        if is_no_evidence {
            life.life.events.truncate(place);
            life.marks.truncate(place);
        } else if matches!(event.outcome, Outcome::Returned(_)) && self.proven.insert(proof.clone()) {
            // What it threw before was forgotten, and is worth another try.
            let is_it = |callee: &&Callee| callee.event == proof.0;
            let again: BTreeSet<usize> =
                self.callees.iter().filter(is_it).map(|callee| callee.number).collect();
            self.tried.retain(|(callee, _, _, of)| *of != kind || !again.contains(callee));
            self.open.extend(self.recipes.keys());
        }
    }

    /// Adds the events of an object, and recipes for the states that they lead to.
    fn learn(
        &mut self,
        life: &BenchLife,
        experiment: &Experiment,
        made_up: &[MadeUpCall],
        origin: TransitionOrigin,
    ) {
        self.found.model.add(&life.life.events, &label);
        let calls = self.found.outcomes.add(&life.life.events, &outcome_label);
        for (place, ((call, mark), event)) in
            calls.into_iter().zip(&life.marks).zip(&life.life.events).enumerate()
        {
            let to = call.to;
            self.found.witnesses.entry(call.clone()).or_insert_with(|| CallWitness {
                word: life.life.events[..place].iter().map(|event| Labels::Exception.of(event)).collect(),
                experiment: experiment.clone(),
                made_up: made_up.to_vec(),
            });
            self.found.origins.entry(call).or_insert(origin);
            if life.test.is_empty() {
                continue;
            }
            let (site, sequence) = match mark.origin {
                Origin::Own { ordinal } => {
                    let is_suite = experiment.interventions.is_empty();
                    (site(&life.test, life.object, ordinal, &event.method), is_suite.then_some(mark.sequence))
                }
                Origin::Added { intervention } => (experiment.interventions[intervention].at.clone(), None),
                Origin::Delayed { .. } => continue,
            };
            let recipes = self.recipes.entry(to).or_default();
            if recipes.is_empty() {
                self.open.push_back(to);
            }
            // Several ways into a state, of different tests where possible, because one may be blocked.
            let is_other =
                recipes.iter().all(|known| known.test != life.test || known.site.method != site.method);
            if recipes.len() < RECIPES && is_other {
                recipes.push(Recipe {
                    test: life.test.clone(),
                    interventions: experiment.interventions.clone(),
                    made_up: made_up.to_vec(),
                    site,
                    sequence,
                });
            }
        }
    }

    /// Value that a call of the suite returned, for when it is suppressed.
    fn value_of(&self, test: &str, object: u64, ordinal: u64) -> Replacement {
        let event =
            self.found.suite.lives.iter().find(|life| life.test == test && life.object == object).and_then(
                |life| {
                    let place = life.marks.iter().position(|mark| mark.origin == Origin::Own { ordinal })?;
                    life.life.events.get(place)
                },
            );
        match event.map(|event| &event.outcome) {
            Some(Outcome::Returned(value @ (Value::Bool(_) | Value::Int(_) | Value::Float(_)))) => {
                Replacement::Value(value.clone())
            }
            Some(Outcome::Returned(Value::Text(_))) => Replacement::Receiver,
            _ => Replacement::Default,
        }
    }
}

/// The label of an event: the method, overloads apart.
fn label(event: &Event) -> String {
    event.method.clone()
}

/// The label of an event with its boolean result.
fn outcome_label(event: &Event) -> String {
    Labels::Outcome.of(event)
}

fn call_at<'a>(suite: &'a [ObjectHistory], test: &str, object: u64, ordinal: usize) -> &'a str {
    suite
        .iter()
        .find(|history| history.test == test && history.object == object)
        .and_then(|history| history.calls.get(ordinal))
        .map_or("", |call| call.label.as_str())
}

fn site(test: &str, object: u64, ordinal: u64, method: &str) -> Site {
    Site {
        test: Some(test.to_owned()),
        object: Some(object),
        ordinal: Some(ordinal),
        method: method.to_owned(),
    }
}

/// The types of the parameters and of the result of a descriptor.
pub(crate) fn types(descriptor: &str) -> (Vec<Type>, Option<Type>) {
    Signature::parse(descriptor).map(|signature| (signature.parameters, signature.result)).unwrap_or_default()
}
