//! Enriching a typestate: mutants of a suite are run until every method was called in every state.
//!
//! The first phase runs the mutations of TAUTOKO's Algorithm 1 (`adit_infer::mutations`). The second goes on
//! where the paper stops: states that a mutant found are extended in turn, by several interventions at once,
//! and methods with parameters are added with arguments that the suite passed before, or with made-up ones
//! (`enrichment/generated.rs`).
//! A state is remembered with a *recipe*: the test, the interventions and the call that lead there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use adit_bytecode::{Signature, Type};
use adit_infer::{BehaviorCall, BehaviorModel, Mutation, ObjectHistory, mutations};
use adit_jvm::HostError;
use adit_jvm::record::TaskEnd;
use adit_jvm::record::intervene::{
    Action, BenchLife, BenchRun, Capture, Experiment, Intervention, Mark, NoteKind, Origin, Replacement,
    Site, TestBench,
};
use adit_trace::{Argument, Event, Labels, Outcome, Pace, Statement, Value};

use crate::budget::Budget;

mod generated;

pub(crate) use generated::{GeneratedCall, generated_calls};

/// Most interventions of one mutant. Longer recipes repeat what shorter ones reach.
const MOST_INTERVENTIONS: usize = 6;

/// Number of recipes that are kept for a state, and tried for a call in it.
const RECIPES: usize = 3;

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
    /// Arguments that a generator wrote.
    pub(crate) generated: Vec<GeneratedCall>,
}

/// A way to call a method.
struct Way {
    arguments: Vec<Argument>,
    captures: Vec<Capture>,
    made: Vec<Statement>,
    /// The suite does not pass these arguments.
    is_made_up: bool,
    /// Place among the generated ones, if it is one of them.
    generated: Option<usize>,
}

/// Findings so far.
pub(crate) struct Enrichment {
    pub(crate) initial: BehaviorModel,
    pub(crate) model: BehaviorModel,
    pub(crate) origins: BTreeMap<BehaviorCall, TransitionOrigin>,
    /// For each call, the run in which it was first seen.
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
    made_up: Vec<usize>,
}

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
    made_up: Vec<usize>,
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
    /// Methods that returned once with made-up arguments, so that what they throw later is due to the state.
    proven: BTreeSet<String>,
    /// States whose calls have not been tried.
    open: VecDeque<usize>,
    /// Calls that were tried: the method, the state, the recipe for it, and the way to call the method.
    tried: BTreeSet<(usize, usize, usize, usize)>,
    /// Generated arguments that take long to make, or hang: the method, and their place.
    costly: BTreeSet<(usize, usize)>,
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
            model: BehaviorModel::with_enumerated(enumerated),
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
            until: None,
            most: None,
        };
        let lives = enricher.found.suite.lives.clone();
        for life in &lives {
            enricher.learn(life, &Experiment::default(), &[], TransitionOrigin::Suite);
        }
        enricher.found.initial = enricher.found.model.clone();
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
                for intervention in &made_up {
                    self.judge_made_up(&mut life, *intervention);
                }
                // States are numbered by the model; a state that is new here confirms nothing.
                seen.extend(self.found.model.clone().add(&life.life.events, &label));
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
                    Experiment { tests: vec![after.test], interventions, only: None }
                }
                Mutation::Suppress { calls, then, .. } => {
                    let suppress = |place: &adit_infer::CallPlace| {
                        let call = call_at(&suite, &place.test, place.object, place.ordinal);
                        let at = site(&place.test, place.object, place.ordinal as u64, call);
                        let instead = self.value_of(&place.test, place.object, place.ordinal as u64);
                        Intervention { at, action: Action::Suppress { instead } }
                    };
                    let interventions = calls.iter().map(suppress).collect();
                    Experiment { tests: vec![then.test], interventions, only: None }
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

    /// Calls every method in every state, also in new ones, until nothing new appears. Generated arguments
    /// come last, because some take long to make.
    fn explore(
        &mut self,
        pace: &mut dyn Pace,
        progress: &mut dyn FnMut(&Enrichment),
    ) -> Result<(), HostError> {
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
            let ways = self.arguments(callee, &recipe);
            let wanted =
                ways.into_iter().enumerate().filter(|(_, way)| with_generated || way.generated.is_none());
            for (place, Way { arguments, captures, made, is_made_up, generated }) in wanted {
                let is_costly = generated.is_some_and(|way| self.costly.contains(&(callee.number, way)));
                if is_costly || !self.tried.insert((callee.number, state, number, place)) {
                    continue;
                }
                if self.is_over(pace) {
                    return Ok(());
                }
                let action = Action::Add { method: callee.number, arguments, captures, made };
                let mut made_up = recipe.made_up.clone();
                made_up.extend(is_made_up.then_some(recipe.interventions.len()));
                let mut interventions = recipe.interventions.clone();
                interventions.push(Intervention { at: recipe.site.clone(), action });
                let experiment = Experiment { tests: vec![recipe.test.clone()], interventions, only: None };
                let (bad, begun) = (self.found.hung + self.found.died, Instant::now());
                self.run(&experiment, &made_up, pace)?;
                let is_costly = self.found.hung + self.found.died > bad || begun.elapsed() > COSTLY;
                self.costly.extend(generated.filter(|_| is_costly).map(|way| (callee.number, way)));
                progress(&self.found);
                if self.was_called(state, &callee.event) {
                    break;
                }
            }
        }
        Ok(())
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
        made_up: &[usize],
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
            for intervention in made_up {
                self.judge_made_up(&mut life, *intervention);
            }
            self.learn(&life, experiment, made_up, origin);
        }
        Ok(())
    }

    /// Forgets what a call with made-up arguments threw, unless the same call returned in another state and
    /// the exception is not one that blames arguments.
    fn judge_made_up(&mut self, life: &mut BenchLife, intervention: usize) {
        let is_it = |mark: &Mark| mark.origin == Origin::Added { intervention };
        let Some(place) = life.marks.iter().position(is_it) else { return };
        let event = &life.life.events[place];
        let method = event.method.clone();
        let returned = matches!(event.outcome, Outcome::Returned(_));
        let is_no_evidence = match &event.outcome {
            Outcome::Threw(class) => {
                !self.proven.contains(&method) || BLAMES_ARGUMENTS.contains(&class.as_str())
            }
            _ => false,
        };
        if is_no_evidence {
            forget(life, place);
        } else if returned && self.proven.insert(method.clone()) {
            let proven = method;
            // What it threw before was forgotten, and is worth another try.
            let again: BTreeSet<usize> = self
                .callees
                .iter()
                .filter(|callee| callee.event == proven)
                .map(|callee| callee.number)
                .collect();
            self.tried.retain(|(callee, ..)| !again.contains(callee));
            self.open.extend(self.recipes.keys());
        }
    }

    /// Adds the events of an object, and recipes for the states that they lead to.
    fn learn(
        &mut self,
        life: &BenchLife,
        experiment: &Experiment,
        made_up: &[usize],
        origin: TransitionOrigin,
    ) {
        let calls = self.found.model.add(&life.life.events, &label);
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

    /// Ways to call a method: with values that the same test passed to it before, with plain values that any
    /// test passed, and with made-up and generated ones, which come last and are marked.
    fn arguments(&self, callee: &Callee, recipe: &Recipe) -> Vec<Way> {
        let count = callee.parameters.len();
        let way = |arguments, captures| Way {
            arguments,
            captures,
            made: Vec::new(),
            is_made_up: false,
            generated: None,
        };
        if count == 0 {
            return vec![way(Vec::new(), Vec::new())];
        }
        let mut ways = Vec::new();
        let lives = &self.found.suite.lives;
        let earlier = lives.iter().filter(|life| life.test == recipe.test).find_map(|life| {
            life.life.events.iter().zip(&life.marks).find_map(|(event, mark)| match mark.origin {
                Origin::Own { ordinal }
                    if event.method == callee.event
                        && !matches!(event.outcome, Outcome::Threw(_))
                        && recipe.sequence.is_none_or(|sequence| mark.sequence <= sequence) =>
                {
                    Some((life.object, ordinal))
                }
                _ => None,
            })
        });
        if let Some((object, ordinal)) = earlier {
            let capture = |argument| Capture { object, ordinal, argument: Some(argument) };
            ways.push(way((0..count).map(Argument::Earlier).collect(), (0..count).map(capture).collect()));
        }
        let passed = lives.iter().flat_map(|life| &life.life.events).find_map(|event| {
            (event.method == callee.event
                && event.args.len() == count
                && !matches!(event.outcome, Outcome::Threw(_)))
            .then(|| {
                let values = event.args.iter().zip(&callee.parameters);
                values.map(|(value, of)| plain(value, of)).collect::<Option<Vec<_>>>()
            })
            .flatten()
        });
        ways.extend(passed.map(|arguments| way(arguments, Vec::new())));
        let made_up = made_up_arguments(&callee.parameters);
        ways.extend(made_up.map(|arguments| Way { is_made_up: true, ..way(arguments, Vec::new()) }));
        ways.extend(callee.generated.iter().enumerate().map(|(place, GeneratedCall { arguments, made })| {
            Way {
                made: made.clone(),
                is_made_up: true,
                generated: Some(place),
                ..way(arguments.clone(), Vec::new())
            }
        }));
        ways
    }
}

/// The label of an event: the method, overloads apart.
fn label(event: &Event) -> String {
    event.method.clone()
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

/// Removes an event that threw, and what follows if the call changed its object.
fn forget(life: &mut BenchLife, place: usize) {
    let event = &life.life.events[place];
    let before = place.checked_sub(1).and_then(|last| life.life.events[last].state.as_ref());
    if event.state.as_ref() == before {
        life.life.events.remove(place);
        life.marks.remove(place);
    } else {
        life.life.events.truncate(place);
        life.marks.truncate(place);
    }
}

/// A recorded value as an argument, if it is plain data of the parameter's type.
fn plain(value: &Value, of: &Type) -> Option<Argument> {
    Some(match (value, of) {
        (Value::Bool(value), Type::Boolean) => Argument::Bool(*value),
        (Value::Int(value), Type::Byte | Type::Short | Type::Char | Type::Int | Type::Long) => {
            Argument::Int(*value)
        }
        (Value::Float(value), Type::Float | Type::Double) => Argument::Float(*value),
        (Value::Text(text), Type::Class(class)) if &**class == "java/lang/String" => {
            Argument::Text(text.clone())
        }
        _ => return None,
    })
}

/// Harmless values of all types, if there are any. Two numbers behind an array are a range of it.
fn made_up_arguments(parameters: &[Type]) -> Option<Vec<Argument>> {
    let mut arguments: Vec<Argument> = parameters.iter().map(made_up).collect::<Option<_>>()?;
    for place in 2..parameters.len() {
        if let [Type::Array(_), Type::Int, Type::Int] = &parameters[place - 2..=place] {
            arguments[place - 1] = Argument::Int(0);
        }
    }
    Some(arguments)
}

/// A harmless value of a type. Null is none: it is refused for its own sake.
fn made_up(of: &Type) -> Option<Argument> {
    Some(match of {
        Type::Boolean => Argument::Bool(true),
        Type::Byte | Type::Short | Type::Char | Type::Int | Type::Long => Argument::Int(1),
        Type::Float | Type::Double => Argument::Float(1.0),
        Type::Array(element) => Argument::Array(vec![made_up(element)?]),
        Type::Class(class) => match &**class {
            "java/lang/String" | "java/lang/CharSequence" | "java/lang/Object" => {
                Argument::Text("a".to_owned())
            }
            _ => return None,
        },
    })
}

/// The parameter types of a descriptor.
pub(crate) fn parameters(descriptor: &str) -> Vec<Type> {
    Signature::parse(descriptor).map(|signature| signature.parameters).unwrap_or_default()
}
