//! `adit invariants`: claims about data, from traces with states.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use adit_mine::{ClassInvariants, Fold, InvariantMiner, InvariantQuery, ProgramPoint, Scope, ValueTypes};
use adit_trace::{CallSink, Label, Labels, ObservedCall};
use miette::Report;
use serde_json::{Value, json};

use super::partial::{self, Header, Unusable};
use super::requests::method_names;
use super::traces::{self, dry_run};
use crate::errors::{Ending, bad_input};
use crate::flags::{InvariantFormat, InvariantsFlags, TypeChoice};
use crate::output::{Target, write_failed};
use crate::stderr::tell;

mod daikon;
mod jml;
mod text;

pub(super) fn run(flags: &InvariantsFlags, quiet: bool) -> Result<Ending, Report> {
    if flags.traces.dry_run {
        return dry_run(&flags.traces);
    }
    let target = Target::new(flags.output.as_deref());
    target.check()?;
    let (miner, header) = if flags.merge { merged(flags)? } else { mined(flags, quiet)? };
    if flags.partial {
        let fold = serde_json::to_vec(&miner.to_fold())
            .map_err(|error| bad_input(format!("the counts cannot be written: {error}"), "report this"))?;
        partial::write(&target, &partial::INVARIANTS, &header, &fold)?;
        return Ok(Ending::Clean);
    }
    refuse_misspelled(&header, None)?;
    refuse_no_states(&miner)?;
    let query = InvariantQuery {
        labels: flags.traces.labels.into(),
        min_confidence: flags.min_confidence,
        min_support: flags.min_support,
        keep_implied: flags.all,
    };
    let classes = miner.invariants(&query)?;
    if !quiet && classes.iter().all(|class| class.points.iter().all(|point| point.invariants.is_empty())) {
        tell("no claim is justified: there are too few calls, or --min-confidence is too high");
    }
    let output = match (flags.json, flags.format) {
        (true, _) => format!("{:#}\n", as_json(&classes, miner.calls())),
        (_, InvariantFormat::Text) => text::print(&classes),
        (_, InvariantFormat::Daikon) => daikon::print(&classes),
        (_, InvariantFormat::Jml) => jml::print(&classes),
    };
    put(&target, &output)
}

fn put(target: &Target, text: &str) -> Result<Ending, Report> {
    target.write(|out| out.write_all(text.as_bytes()).map_err(write_failed))?;
    Ok(Ending::Clean)
}

/// Counts the calls of all traces.
fn mined(flags: &InvariantsFlags, quiet: bool) -> Result<(InvariantMiner, Header), Report> {
    let scope = scope(flags);
    let mut sink = Filtered {
        miner: InvariantMiner::new(scope),
        ignored: method_names(&flags.ignore).into_iter().collect(),
        met: BTreeSet::new(),
        methods: BTreeSet::new(),
        labels: flags.traces.labels.into(),
    };
    traces::calls(&flags.traces, flags.class.as_deref(), scope.elements, quiet, &mut sink)?;
    let types: Vec<&str> = [
        (scope.types.int, "int"),
        (scope.types.bool, "bool"),
        (scope.types.null, "null"),
        (scope.types.text, "text"),
        (scope.types.float, "float"),
    ]
    .iter()
    .filter_map(|(wanted, name)| wanted.then_some(*name))
    .collect();
    let mut header = Header::new([
        ("--class", flags.class.clone().unwrap_or_default()),
        ("--depth", if flags.no_filters { "any".to_owned() } else { scope.depth.to_string() }),
        ("--elements", if scope.elements { "on".to_owned() } else { String::new() }),
        (IGNORE, sink.ignored.iter().cloned().collect::<Vec<_>>().join(",")),
        ("--types", types.join(",")),
    ]);
    header.met = sink.met;
    let miner = sink.miner.finish()?;
    // Of a part of a log, only the whole tells what is missing.
    if !flags.partial {
        refuse_misspelled(&header, Some(&sink.methods))?;
    }
    Ok((miner, header))
}

const IGNORE: &str = "--ignore";

/// Fails if no call had a name that was to be ignored, which is a typo. `methods` are others, for a hint.
fn refuse_misspelled(header: &Header, methods: Option<&BTreeSet<String>>) -> Result<(), Report> {
    let ignored = header.flags.get(IGNORE).into_iter().flat_map(|names| names.split(','));
    let mut missing = ignored.filter(|name| !name.is_empty() && !header.met.contains(*name));
    let Some(name) = missing.next() else { return Ok(()) };
    let near = adit_suggest::nearest(name, methods.into_iter().flatten().map(String::as_str));
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "name methods of the traces, separated by commas".to_owned(),
    };
    Err(bad_input(format!("--ignore: no call of `{name}`"), help))
}

/// Fails if no call came with the fields of its object.
fn refuse_no_states(miner: &InvariantMiner) -> Result<(), Report> {
    if miner.has_states() {
        return Ok(());
    }
    Err(bad_input(
        "the traces have no states, so there are no fields to make claims about",
        "record them with `adit observe CLASS --states -o traces.jsonl`, or with Daikon's Chicory (.dtrace)",
    ))
}

/// The miner, without the methods that are left out.
struct Filtered {
    miner: InvariantMiner,
    ignored: BTreeSet<String>,
    /// Ignored names that occurred.
    met: BTreeSet<String>,
    /// Other methods, for a hint.
    methods: BTreeSet<String>,
    labels: Labels,
}

impl CallSink for Filtered {
    fn call(&mut self, call: &ObservedCall<'_>) -> ControlFlow<()> {
        if !self.ignored.is_empty() {
            let method = &call.event.method;
            let label = self.labels.of(call.event);
            let names = [method.as_str(), Label::call(method).name(), label.as_str()];
            if let Some(name) = self.ignored.iter().find(|ignored| names.contains(&ignored.as_str())) {
                if !self.met.contains(name) {
                    self.met.insert(name.clone());
                }
                return ControlFlow::Continue(());
            }
            if !self.methods.contains(method) {
                self.methods.insert(method.clone());
            }
        }
        self.miner.call(call)
    }
}

/// Adds up counts from files.
fn merged(flags: &InvariantsFlags) -> Result<(InvariantMiner, Header), Report> {
    let mut sum: Option<InvariantMiner> = None;
    let header = partial::read_all(&flags.traces.traces, &partial::INVARIANTS, |body, _| {
        let fold: Fold =
            serde_json::from_slice(body).map_err(|error| Unusable::Damaged(error.to_string()))?;
        let miner = InvariantMiner::from_fold(&fold).map_err(|error| Unusable::Damaged(error.to_string()))?;
        sum = Some(match sum.take() {
            Some(sum) => sum.merge(&miner).map_err(|error| Unusable::Limit(error.into()))?,
            None => miner,
        });
        Ok(())
    })?;
    Ok((sum.expect("there is at least one file"), header))
}

/// The filters that the flags leave in force.
fn scope(flags: &InvariantsFlags) -> Scope {
    if flags.no_filters {
        return Scope { depth: usize::MAX, types: ValueTypes::ALL, elements: true };
    }
    let has = |choice| flags.types.contains(&choice);
    Scope {
        depth: flags.depth.into(),
        types: ValueTypes {
            int: has(TypeChoice::Int),
            bool: has(TypeChoice::Bool),
            null: has(TypeChoice::Null),
            text: has(TypeChoice::Text),
            float: has(TypeChoice::Float),
        },
        elements: flags.elements,
    }
}

fn as_json(classes: &[ClassInvariants], calls: u64) -> Value {
    let points = classes.iter().flat_map(|class| {
        class.points.iter().map(|point| {
            let (label, moment) = match &point.point {
                ProgramPoint::Object => (None, "object"),
                ProgramPoint::Entry(label) => (Some(label), "entry"),
                ProgramPoint::Exit(label) => (Some(label), "exit"),
            };
            let invariants = point.invariants.iter().map(|claim| {
                json!({
                    "text": claim.clause.to_string(),
                    "support": claim.support,
                    "confidence": claim.confidence,
                })
            });
            json!({
                "point": point.point.name(class.class.as_deref()),
                "class": class.class,
                "label": label,
                "moment": moment,
                "samples": point.samples,
                "invariants": invariants.collect::<Vec<_>>(),
            })
        })
    });
    json!({ "calls": calls, "points": points.collect::<Vec<_>>() })
}
