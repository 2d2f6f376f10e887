//! `adit interface`: when each method of a class may be called, with guards, proved for every depth.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use adit_automata::Fsa;
use adit_automata::format::Format;
use adit_concolic::{InterpreterLimits, summarize};
use adit_learn::description::{Description, describe};
use adit_learn::guards;
use adit_learn::regions::Regions;
use adit_learn::symbolic::{Analysis, Work};
use adit_learn::x_psyco::{Execution, Interface, Matching, Options, Stop, x_psyco};
use adit_learn::{Kind, Method, Role, WordOutcome};
use adit_smt::{Counters, Frugal};
use miette::Report;
use serde_json::{Value, json};

use super::requests::class_request;
use crate::errors::{Ending, bad_input};
use crate::flags::{InterfaceFlags, interface as defaults};
use crate::install_hints::{self, Thing};
use crate::interrupt::Listening;
use crate::java::environment::JavaEnvironment;
use crate::java::project::ClassLocation;
use crate::models;
use crate::output::{Target, counted, create_folder, print, print_json, write_failed};
use crate::progress::Audience;
use crate::report::{boxes, terminal};
use crate::solver;
use crate::stderr::tell;
use page::Page;

mod contract;
mod page;
mod wrapper;

pub(super) fn run(flags: &InterfaceFlags, quiet: bool) -> Result<Ending, Report> {
    let start = Instant::now();
    let request = class_request(&flags.class)?;
    let location = ClassLocation::new(&request, Audience::unless(quiet))?;
    let environment = JavaEnvironment::new(&request, &location, &[])?;
    let patience = defaults::SOLVER_PATIENCE.min(flags.budget / 5);
    let bounded = solver::available(patience).until(Some(start + flags.budget));
    let has_solver = bounded.exists;
    let mut solver = Frugal::new(Regions::new(bounded));
    let class = environment.class.dotted_name();
    let listening = Listening::new();
    // What was learned must still be put into words.
    let learning = flags.budget.mul_f64(0.85);
    let mut keep_going = || start.elapsed() < learning && !listening.interrupted();
    let internal = &environment.class.name;
    let mut component = summarize(
        &environment.classes,
        internal,
        InterpreterLimits::USUAL,
        &mut solver,
        &mut keep_going,
    )
    .map_err(|error| {
        bad_input(
            format!("{class}: {error}"),
            "name a class with public constructors or static methods, and give its class path with -c",
        )
    })?;
    if !flags.object_methods {
        component.methods.retain(|method| !is_of_object(method));
    }
    let limits: Vec<String> = component.limits().into_iter().collect();
    let methods = component.methods.len();
    let mut analysis = Analysis::new(component.slice(), &mut solver);
    let mut interface = x_psyco(&mut analysis, options(flags), &mut keep_going);
    guards::minimize(&mut analysis, &mut interface.symbols);
    let description = describe(&mut analysis, &interface);
    let doubts: Vec<String> = analysis.doubts.iter().cloned().collect();
    let work = analysis.work;
    let certificate = interface.certificate.as_ref();
    let assumption = certificate
        .filter(|certificate| analysis.component.arena.as_bool(certificate.assumption) != Some(true))
        .map(|certificate| analysis.component.arena.show(certificate.assumption).to_string());
    let script = certificate.map(|certificate| certificate.to_smt_lib(&analysis.component.arena));
    let wrapper = wrapper::java(&environment, &mut analysis, &description);
    drop(analysis);
    let found = Found {
        class,
        methods,
        interface,
        description,
        assumption,
        limits,
        doubts,
        work,
        counters: solver.counters(),
        has_solver,
        elapsed: start.elapsed(),
    };
    if let Some(folder) = &flags.output {
        write(folder, &found, script.as_deref(), wrapper.as_ref(), quiet)?;
    }
    if flags.json {
        print_json(&found.as_json())?;
    } else {
        print(&found.as_text())?;
    }
    for note in found.notes().iter().filter(|_| !quiet) {
        tell(&format!("note: {note}"));
    }
    Ok(Ending::Clean)
}

/// True for methods that every object has. They hardly ever belong to a protocol, and comparing or printing
/// other objects is what the interpreter knows least about.
fn is_of_object(method: &Method) -> bool {
    let name = method.name.split('(').next().unwrap_or_default();
    method.role == Role::Instance
        && match (name, &method.parameters[..]) {
            ("hashCode" | "toString", []) => true,
            ("equals", [only]) => only.kind == Kind::Reference,
            _ => false,
        }
}

fn options(flags: &InterfaceFlags) -> Options {
    Options {
        partial_order: !flags.no_por,
        matching: if flags.no_matching { Matching::Off } else { Matching::Symbolic },
        execution: Execution::Hybrid,
        depth: Some(flags.depth.unwrap_or(defaults::DEFAULT_DEPTH)),
        symbols: defaults::MOST_SYMBOLS,
        nodes: defaults::MOST_SEQUENCES,
        certify: !flags.no_certificate,
    }
}

/// An interface with everything that is said about it.
struct Found {
    class: String,
    methods: usize,
    interface: Interface,
    description: Description,
    assumption: Option<String>,
    /// Reasons why paths of methods are unknown.
    limits: Vec<String>,
    /// Questions without an answer.
    doubts: Vec<String>,
    work: Work,
    counters: Counters,
    has_solver: bool,
    elapsed: Duration,
}

impl Found {
    fn stop(&self) -> &'static str {
        match self.interface.stop {
            // A proof that leaves outcomes open is no proof of the whole.
            Stop::Proved | Stop::Exhausted if !self.is_complete() => "unknown-outcomes",
            Stop::Proved => "proved",
            Stop::Exhausted => "exhausted",
            Stop::Depth => "depth",
            Stop::Budget => "budget",
            Stop::Symbols => "too-many-symbols",
            Stop::Nodes => "too-many-sequences",
            Stop::Doubt => "no-answer",
        }
    }

    /// True if nothing is left open: the interface is proved, and every outcome is known.
    fn is_complete(&self) -> bool {
        let lts = &self.interface.lts;
        self.interface.complete
            && !self.description.lacks_objects()
            && (0..lts.len()).all(|state| lts.outcome(state) != WordOutcome::Unknown)
    }

    /// Numbers of calls in a state whose outcome is unknown, and of all calls in states.
    fn unknown_calls(&self) -> (usize, usize) {
        let Description { moves, states, .. } = &self.description;
        let calls = |unknown: bool| -> usize {
            let kept =
                moves.iter().filter(|step| !unknown || states[step.to].outcome == WordOutcome::Unknown);
            kept.map(|step| (step.from, step.method)).collect::<BTreeSet<_>>().len()
        };
        (calls(true), calls(false))
    }

    fn as_json(&self) -> Value {
        let Self { interface, description, .. } = self;
        let alphabet: Vec<Value> = interface
            .symbols
            .iter()
            .map(|symbol| json!({"method": description.methods[symbol.method].name, "example": symbol.representative}))
            .collect();
        let transitions: Vec<Value> = description
            .moves
            .iter()
            .map(|step| {
                let outcome = match description.states[step.to].outcome {
                    WordOutcome::Ok => "ok",
                    WordOutcome::Error => "error",
                    WordOutcome::Unknown => "unknown",
                };
                json!({
                    "from": step.from,
                    "method": description.methods[step.method].name,
                    "guard": step.guard,
                    "to": step.to,
                    "outcome": outcome,
                    "why": step.why,
                })
            })
            .collect();
        let states: Vec<String> =
            (0..description.states.len()).map(|state| description.name(state)).collect();
        let contract: Vec<String> =
            description.contract().into_iter().map(|(_, sentence)| sentence).collect();
        json!({
            "class": self.class,
            "methods": self.methods,
            "symbols": interface.symbols.len(),
            "states": interface.lts.len(),
            "k_min": interface.k_min,
            "k_max": interface.k_max,
            "complete": self.is_complete(),
            "calls_with_unknown_outcome": self.unknown_calls().0,
            "certificate": interface.certificate.as_ref().map(|certificate| json!({
                "obligations": certificate.obligations.len(),
                "discharged": certificate.discharged(),
            })),
            "stop": self.stop(),
            "assumption": self.assumption,
            "unknown": self.limits.iter().chain(&interface.mixed).collect::<Vec<_>>(),
            "doubts": self.doubts,
            "state_names": states,
            "alphabet": alphabet,
            "transitions": transitions,
            "contract": contract,
            "contract_omits": description.caveat(),
            "solver": {
                "asked": self.counters.asked,
                "calls": self.counters.solver_calls,
                "without_answer": self.counters.unknown,
            },
            "calls": self.work.calls,
            "seconds": self.elapsed.as_secs_f64(),
        })
    }

    /// The verdict in one sentence.
    fn verdict(&self) -> String {
        let Self { interface, .. } = self;
        let size = format!(
            "{} of {} methods, {}",
            counted(interface.symbols.len(), "symbol"),
            self.methods,
            counted(interface.lts.len(), "state")
        );
        let proof = match (&interface.certificate, interface.complete, &self.assumption) {
            (Some(certificate), true, _) => format!(
                "exact for call sequences of every length ({} proved)",
                counted(certificate.obligations.len(), "obligation")
            ),
            (None, true, _) => {
                "exact for call sequences of every length (every state was explored)".to_owned()
            }
            (Some(certificate), false, Some(assumption)) if certificate.is_discharged() => format!(
                "exact up to {}, and at every length as long as `{assumption}`",
                counted(interface.k_max, "call")
            ),
            _ if !self.doubts.is_empty() => format!(
                "explored up to {}, where some questions had no answer",
                counted(interface.k_max, "call")
            ),
            _ => format!("exact up to {}, not known beyond", counted(interface.k_max, "call")),
        };
        let open = match self.unknown_calls() {
            (0, _) => String::new(),
            (unknown, all) => format!(
                "of {all} pairs of a state and a method, {unknown} have an unknown outcome for some arguments, and \
                 what follows is unknown; everything else is "
            ),
        };
        let lacking = if self.description.lacks_objects() {
            "; methods that need an object are not covered"
        } else {
            ""
        };
        format!("{}: {size}; {open}{proof}{lacking}", self.class)
    }

    fn as_text(&self) -> String {
        let model = self.description.to_model();
        let mut text = format!("{}\n\n", self.verdict());
        text += &drawn(&model);
        text += "\n";
        if let Some(caveat) = self.description.caveat() {
            text += &format!("{caveat}\n");
        }
        for (_, sentence) in self.description.contract() {
            text += &format!("{sentence}\n");
        }
        text
    }

    /// Remarks about what limits the answer.
    fn notes(&self) -> Vec<String> {
        // Reasons that no reachable state has are no limits of the answer.
        let reached = |reason: &&String| {
            !self.interface.complete || self.description.moves.iter().any(|step| step.why.contains(*reason))
        };
        let mut notes: Vec<String> = self
            .limits
            .iter()
            .filter(reached)
            .map(|reason| format!("some outcomes are unknown: a method {reason}"))
            .collect();
        notes.extend(self.interface.mixed.iter().cloned());
        if self.description.compares_lengths() {
            notes.push(
                "arrays and strings that are passed in are taken to have fewer than 65,536 elements"
                    .to_owned(),
            );
        }
        if self.description.lacks_objects() {
            notes.push("no public constructor is known to create an object".to_owned());
        }
        // A proof does not depend on questions that came before it.
        if !self.interface.complete {
            if self.has_solver {
                notes.extend(self.doubts.iter().map(|doubt| format!("no answer: {doubt}")));
            } else {
                notes.push(format!(
                    "there is no solver, so some questions have no answer; to install one: {}",
                    install_hints::install(Thing::Solver)
                ));
            }
        }
        match self.interface.stop {
            Stop::Budget => notes.push("the budget ended; allow more with --budget".to_owned()),
            Stop::Symbols => notes.push(
                "arguments are told apart without end; the interface is probably not a finite automaton"
                    .to_owned(),
            ),
            Stop::Depth if self.interface.certificate.is_some() => notes.push(
                "no finite set of conditions was found that describes the states, as with a counter without bound; \
                 nothing is claimed for longer sequences; explore further with --depth"
                    .to_owned(),
            ),
            _ => {}
        }
        notes
    }
}

/// The automaton for a terminal.
fn drawn(model: &Fsa<String>) -> String {
    let choice = adit_picture::Choice { pure: true, failures: false };
    match boxes::boxes(model, &Default::default(), choice) {
        Some(text) if !terminal::is_long(model) => text,
        _ => terminal::told(model, &[], terminal::room_beside([])),
    }
}

/// Writes the folder of results.
fn write(
    folder: &Path,
    found: &Found,
    script: Option<&str>,
    wrapper: Option<&(String, String)>,
    quiet: bool,
) -> Result<(), Report> {
    create_folder(folder)?;
    let put = |name: &str, text: &str| {
        Target::File(folder.join(name)).write(|out| out.write_all(text.as_bytes()).map_err(write_failed))
    };
    let model = found.description.to_model();
    for (name, format) in [("model.json", Format::Json), ("model.dot", Format::Dot)] {
        models::write(&model, &Target::File(folder.join(name)), format, &found.class, quiet)?;
    }
    put("interface.json", &format!("{:#}\n", found.as_json()))?;
    let notes = found.notes();
    let page = Page {
        verdict: &found.verdict(),
        description: &found.description,
        certificate: found.interface.certificate.as_ref(),
        assumption: found.assumption.as_deref(),
        notes: &notes,
    };
    put("report.html", &page.html())?;
    put("contract.md", &contract::markdown(&found.verdict(), &found.description, &notes))?;
    if let Some(script) = script {
        put("certificate.smt2", script)?;
    }
    if let Some((name, source)) = wrapper {
        put(&format!("{name}.java"), source)?;
    }
    Ok(())
}
