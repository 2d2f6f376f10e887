//! Typestates of several kinds for the same classes: shipped, initial, closed, and enriched ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use adit_automata::format::{Call, CallEnd, Format, Spelling, read};
use adit_bytecode::{Class, Instruction, MemberRef};
use adit_verify::{Facts, MethodFacts, ReceiverScope, Typestate, Verifier};
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use serde::Deserialize;
use serde_json::{Value, json};

/// A kind of model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// From the client's tests.
    Initial,
    /// From the client's tests, where a call without a transition is taken to be forbidden.
    Closed,
    /// From a folder: test suites, enriched.
    Enriched,
    /// From a folder: `adit mine` on the class itself.
    Explored,
    /// Those that adit ships.
    Shipped,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Initial => "initial",
            Kind::Closed => "closed",
            Kind::Enriched => "enriched",
            Kind::Explored => "explored",
            Kind::Shipped => "shipped",
        }
    }
}

/// The part of `typestate.json` that the verifier needs.
#[derive(Clone, Deserialize)]
struct About {
    class: String,
    scope: String,
    #[serde(rename = "final")]
    is_final: bool,
    #[serde(default)]
    right_arguments: bool,
    creators: Vec<String>,
    methods: Vec<Method>,
}

#[derive(Clone, Deserialize)]
struct Method {
    label: String,
    name: String,
    descriptor: String,
    fluent: bool,
    declares: Vec<String>,
}

impl About {
    fn internal(&self) -> String {
        self.class.replace('.', "/")
    }

    fn scope(&self) -> ReceiverScope {
        if self.scope == "contract" { ReceiverScope::Contract } else { ReceiverScope::Exact }
    }

    fn facts(&self, with_methods: bool) -> Facts {
        let methods = self.methods.iter().map(|method| MethodFacts {
            label: method.label.clone(),
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
            fluent: method.fluent,
            declares: method.declares.clone(),
        });
        Facts {
            methods: if with_methods { methods.collect() } else { Vec::new() },
            creators: self.creators.clone(),
            is_final: self.is_final,
            right_arguments: self.right_arguments && with_methods,
        }
    }
}

/// The shipped models.
pub(super) struct Models {
    all: BTreeMap<String, (About, String)>,
}

/// Interfaces through which clients use a class with a model.
const THROUGH: [(&str, &str); 3] = [
    ("java/util/Deque", "java/util/ArrayDeque"),
    ("java/util/Queue", "java/util/PriorityQueue"),
    ("java/util/concurrent/locks/Lock", "java/util/concurrent/locks/ReentrantLock"),
];

/// Modeled types that are interfaces.
const INTERFACES: [&str; 9] = [
    "java/util/Enumeration",
    "java/util/Iterator",
    "java/util/ListIterator",
    "java/util/concurrent/ExecutorService",
    "java/util/concurrent/ScheduledExecutorService",
    "java/util/stream/DoubleStream",
    "java/util/stream/IntStream",
    "java/util/stream/LongStream",
    "java/util/stream/Stream",
];

/// Returns true if clients use the class through this interface.
pub(super) fn is_through(interface: &str, class: &str) -> bool {
    THROUGH.contains(&(interface, class))
}

impl Models {
    /// Returns true if objects are followed that are used through this class.
    pub(super) fn is_followed(&self, class: &str) -> bool {
        self.all.contains_key(class) || THROUGH.iter().any(|(interface, _)| *interface == class)
    }

    /// Names of the classes.
    pub(super) fn classes(&self) -> Vec<&str> {
        self.all.values().map(|(about, _)| about.class.as_str()).collect()
    }

    /// The methods without parameters that a client can call through this class.
    pub(super) fn plain_methods(&self, class: &str) -> Vec<MemberRef> {
        let through = THROUGH.iter().find(|(interface, _)| *interface == class);
        let modeled = through.map_or(class, |(_, modeled)| modeled);
        let Some((about, _)) = self.all.get(modeled) else { return Vec::new() };
        let in_interface = through.is_some() || INTERFACES.contains(&class);
        about
            .methods
            .iter()
            .filter(|method| method.descriptor.starts_with("()"))
            // Methods of a queue that another class has may be missing in the interface.
            .filter(|method| through.is_none() || QUEUE.contains(&method.name.as_str()))
            .map(|method| MemberRef {
                class: class.into(),
                name: method.name.as_str().into(),
                descriptor: method.descriptor.as_str().into(),
                in_interface,
            })
            .collect()
    }
}

/// Methods that all interfaces of [`THROUGH`] for collections have.
const QUEUE: [&str; 3] = ["remove", "element", "unlock"];

/// Reads the shipped models.
pub(super) fn shipped(folder: &Path) -> Result<Models> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).into_diagnostic()? {
        let path = entry.into_diagnostic()?.path();
        let Ok(about) = fs::read_to_string(path.join("typestate.json")) else { continue };
        let about: About = serde_json::from_str(&about).into_diagnostic()?;
        let model = fs::read_to_string(path.join("model.json")).into_diagnostic()?;
        all.insert(about.internal(), (about, model));
    }
    Ok(Models { all })
}

/// The kinds of models to measure.
pub(super) struct Wanted<'f> {
    pub(super) enriched: Option<&'f Path>,
    pub(super) explored: Option<&'f Path>,
    /// Names of kinds; empty for all.
    pub(super) kinds: &'f [String],
}

impl Wanted<'_> {
    fn wants(&self, kind: Kind) -> bool {
        self.kinds.is_empty() || self.kinds.iter().any(|name| name == kind.name())
    }
}

/// A verifier with the shipped models.
pub(crate) fn shipped_verifier(folder: &Path) -> Result<Verifier> {
    let models = shipped(folder)?;
    let mut typestates = Vec::new();
    for (class, (about, model)) in &models.all {
        let model = read(model.as_bytes(), class, Some(Format::Json)).into_diagnostic()?;
        let made = Typestate::new(class, &model, &SPELLING, about.scope(), &about.facts(true));
        typestates.push(made.map_err(|error| miette!("the model of {class}: {error:?}"))?);
    }
    Ok(Verifier::new(typestates))
}

/// Verifiers with models of every kind, for one client.
pub(super) fn columns(
    adit: &Path,
    client: &str,
    base: &Path,
    work: &Path,
    shipped: &Models,
    wanted: &Wanted<'_>,
) -> Result<Vec<(Kind, Verifier)>> {
    let from_tests = wanted.wants(Kind::Initial) || wanted.wants(Kind::Closed);
    let observed = if from_tests { observe(adit, client, base, work, shipped)? } else { BTreeMap::new() };
    let mut found = Vec::new();
    let mut column = |kind: Kind, models: &BTreeMap<String, String>, with_methods: bool| {
        if !wanted.wants(kind) {
            return;
        }
        let typestates = models.iter().filter_map(|(class, model)| {
            let (about, _) = shipped.all.get(class)?;
            let model = read(model.as_bytes(), class, Some(Format::Json)).ok()?;
            // A model that refuses nothing finds nothing.
            Typestate::new(class, &model, &SPELLING, about.scope(), &about.facts(with_methods)).ok()
        });
        found.push((kind, Verifier::new(typestates.collect()).with_unchecked()));
    };
    let initial = observed.iter().map(|(class, model)| (class.clone(), with_refusals(model, false)));
    column(Kind::Initial, &initial.collect(), false);
    let closed = observed.iter().map(|(class, model)| (class.clone(), with_refusals(model, true)));
    column(Kind::Closed, &closed.collect(), false);
    let folders = [(Kind::Enriched, wanted.enriched), (Kind::Explored, wanted.explored)];
    for (kind, folder) in folders.into_iter().filter_map(|(kind, folder)| Some((kind, folder?))) {
        let mut models = BTreeMap::new();
        for (class, (about, _)) in &shipped.all {
            if let Ok(model) = fs::read_to_string(folder.join(&about.class).join("model.json")) {
                models.insert(class.clone(), model);
            }
        }
        column(kind, &models, false);
    }
    let all = shipped.all.iter().map(|(class, (_, model))| (class.clone(), model.clone())).collect();
    column(Kind::Shipped, &all, true);
    Ok(found)
}

/// Models of the classes that a client uses, from its tests alone.
fn observe(
    adit: &Path,
    client: &str,
    base: &Path,
    work: &Path,
    shipped: &Models,
) -> Result<BTreeMap<String, Value>> {
    let bytes = fs::read(base.join(format!("{client}.class"))).into_diagnostic()?;
    let class = Class::parse(&bytes, client).into_diagnostic()?;
    let mut used: BTreeSet<Arc<str>> = BTreeSet::new();
    for code in class.methods.iter().filter_map(|method| method.code.as_ref()) {
        for (_, instruction) in &code.instructions {
            if let Instruction::Invoke(_, member) = instruction
                && shipped.all.contains_key(&*member.class)
            {
                used.insert(member.class.clone());
            }
        }
    }
    let mut models = BTreeMap::new();
    for class in used {
        let name = class.replace('/', ".");
        let traces = work.join(format!("{client}-{name}.jsonl"));
        let model = work.join(format!("{client}-{name}.json"));
        let recorded = Command::new(adit)
            .args(["observe", &name, "--no-project", "-q", "-c"])
            .arg(base)
            .args(["--main", &format!("{client}Test"), "-o"])
            .arg(&traces)
            .output()
            .into_diagnostic()?;
        // Interfaces and classes that cannot be recorded have no initial model.
        if !recorded.status.success() {
            continue;
        }
        let inferred = Command::new(adit)
            .args(["infer", "--algorithm", "k-tail", "-q", "-o"])
            .args([&model, &traces])
            .output()
            .into_diagnostic()
            .wrap_err("adit infer")?;
        if let (true, Ok(text)) = (inferred.status.success(), fs::read_to_string(&model)) {
            models.insert(class.to_string(), serde_json::from_str(&text).into_diagnostic()?);
        }
    }
    Ok(models)
}

/// The model as text, where transitions that throw are refusals. With `closed`, so is every other call that a
/// state lacks.
fn with_refusals(model: &Value, closed: bool) -> String {
    let mut model = model.clone();
    let method_of = |label: &str| label.split([':', '!']).next().unwrap_or(label).to_owned();
    let edges: Vec<(u64, String)> = model["edges"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|edge| Some((edge["from"].as_u64()?, edge["event"].as_str()?.to_owned())))
        .collect();
    let initial: BTreeSet<u64> =
        model["initial"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    let methods: BTreeSet<String> =
        edges.iter().filter(|(from, _)| !initial.contains(from)).map(|(_, label)| method_of(label)).collect();
    for state in model["states"].as_array_mut().into_iter().flatten() {
        let Some(id) = state["id"].as_u64() else { continue };
        if initial.contains(&id) {
            continue;
        }
        let here: Vec<&String> =
            edges.iter().filter(|(from, _)| *from == id).map(|(_, label)| label).collect();
        let mut refuses: Vec<String> =
            here.iter().filter(|label| label.contains('!')).map(|label| (*label).clone()).collect();
        if closed {
            let missing =
                methods.iter().filter(|method| !here.iter().any(|label| method_of(label) == **method));
            refuses.extend(missing.map(|method| format!("{method}!IllegalStateException")));
        }
        state["refuses"] = json!(refuses);
    }
    if let Some(edges) = model["edges"].as_array_mut() {
        edges.retain(|edge| edge["event"].as_str().is_none_or(|label| !label.contains('!')));
    }
    model.to_string()
}

/// Labels as adit writes them.
const SPELLING: Spelling = Spelling {
    call: |label| {
        let (label, end) = match label.split_once('!') {
            Some((label, class)) => (label, CallEnd::Threw(class)),
            None => match (label.strip_suffix(":TRUE"), label.strip_suffix(":FALSE")) {
                (Some(label), _) => (label, CallEnd::Returned(true)),
                (_, Some(label)) => (label, CallEnd::Returned(false)),
                _ => (label, CallEnd::Any),
            },
        };
        let (method, parameters) = match label.strip_suffix(')').and_then(|label| label.split_once('(')) {
            Some((method, parameters)) => (method, Some(parameters)),
            None => (label, None),
        };
        Some(Call { method, parameters, end })
    },
    ..Spelling::PLAIN
};
