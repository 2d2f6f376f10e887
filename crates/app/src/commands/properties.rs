//! `adit properties`: temporal properties of traces.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use adit_logic::{Formula, Template, nearest_label};
use adit_mine::{
    FormulaQuery, Mined, MinedFormula, PropertyCounts, PropertyMiner, Purity, Wanted, mine_formula,
    sentences, summarize,
};
use adit_trace::Words;
use miette::Report;
use serde_json::{Map, Value, json};

use super::partial::{self, Header, Unusable};
use super::requests::{cores, method_names};
use super::traces::{self, dry_run};
use crate::errors::{Ending, bad_input};
use crate::flags::{PropertiesFlags, PurityFlags};
use crate::output::{Target, counted, print, print_json};
use crate::stderr::tell;

/// Limit on the instances of a formula, which take seconds on a typical log.
const INSTANCES: u64 = 10_000_000;

pub(super) fn run(flags: &PropertiesFlags, quiet: bool) -> Result<Ending, Report> {
    if flags.traces.dry_run {
        return dry_run(&flags.traces);
    }
    if let Some(formula) = &flags.formula {
        return run_formula(flags, formula, quiet);
    }
    let wanted = Wanted {
        templates: templates(&flags.templates)?,
        min_support: flags.min_support,
        min_confidence: flags.min_confidence,
    };
    let target = Target::new(flags.output.as_deref());
    target.check()?;
    let (counts, header) = if flags.merge { merged(flags)? } else { counted_traces(flags, quiet)? };
    if flags.partial {
        partial::write(&target, &partial::PROPERTIES, &header, &counts.to_bytes())?;
        return Ok(Ending::Clean);
    }
    let (purity, typed) = purity_of(&header);
    let mined = counts.mined(&wanted)?;
    traces::check_purity(&typed, mined.alphabet.iter().map(String::as_str))?;
    if flags.json {
        print_json(&as_json(&mined))?;
    } else if flags.all {
        print(&as_list(&mined, &purity))?;
    } else {
        print(&as_text(&mined, &purity))?;
    }
    Ok(Ending::Clean)
}

/// Counts the traces of all files.
fn counted_traces(flags: &PropertiesFlags, quiet: bool) -> Result<(PropertyCounts, Header), Report> {
    let purity = traces::purity(&flags.purity);
    let threads = flags.threads.map_or_else(cores, usize::from);
    let miners = (0..threads).map(|_| PropertyMiner::new(purity.clone()));
    let mut counts: Option<PropertyCounts> = None;
    for miner in traces::feed_parallel(&flags.traces, quiet, miners)? {
        let part = miner.finish()?;
        counts = Some(match counts {
            Some(counts) => counts.merge(&part)?,
            None => part,
        });
    }
    let pure = flags.purity.pure.as_ref().map(|typed| {
        let names: BTreeSet<String> = method_names(typed).into_iter().collect();
        names.into_iter().collect::<Vec<_>>().join(",")
    });
    let header = Header::new([
        ("--labels", flags.traces.labels.name()),
        (PURE, pure.unwrap_or_default()),
        (NO_PURITY, if flags.purity.no_purity { "on".to_owned() } else { String::new() }),
    ]);
    Ok((counts.expect("there is at least one thread"), header))
}

const PURE: &str = "--pure";
const NO_PURITY: &str = "--no-purity";

/// Adds up partial answers.
fn merged(flags: &PropertiesFlags) -> Result<(PropertyCounts, Header), Report> {
    let mut sum: Option<PropertyCounts> = None;
    let header = partial::read_all(&flags.traces.traces, &partial::PROPERTIES, |body, _| {
        let part = PropertyCounts::from_bytes(body).map_err(|error| Unusable::Damaged(error.to_string()))?;
        sum = Some(match sum.take() {
            Some(sum) => sum.merge(&part).map_err(|error| Unusable::Limit(error.into()))?,
            None => part,
        });
        Ok(())
    })?;
    Ok((sum.expect("there is at least one file"), header))
}

/// The events without side effects that the counts of this header were made with, and as they were typed.
fn purity_of(header: &Header) -> (Purity, PurityFlags) {
    let value = |flag: &str| header.flags.get(flag).filter(|value| !value.is_empty());
    let pure = value(PURE).map(|names| names.split(',').map(str::to_owned).collect());
    let typed = PurityFlags { pure, no_purity: value(NO_PURITY).is_some() };
    (traces::purity(&typed), typed)
}

/// Returns the templates with these abbreviations; all six if none is named.
fn templates(names: &[String]) -> Result<Vec<Template>, Report> {
    if names.is_empty() {
        return Ok(Template::ALL.to_vec());
    }
    let known = Template::ALL.map(Template::short);
    let mut templates = BTreeSet::new();
    for name in names {
        let template = Template::from_short(name).ok_or_else(|| {
            let near = adit_suggest::nearest(name, known)
                .map(|near| format!("did you mean {near}? "))
                .unwrap_or_default();
            bad_input(
                format!("--template: unknown template `{name}`"),
                format!("{near}the templates are {}", known.join(", ")),
            )
        })?;
        templates.insert(template);
    }
    Ok(templates.into_iter().collect())
}

fn as_json(mined: &Mined) -> Value {
    let properties = mined.properties.iter().map(|found| {
        let property = mined.named(&found.property);
        json!({
            "template": property.template.short(),
            "a": property.a,
            "b": property.b,
            "support": found.support,
            "confidence": found.confidence,
        })
    });
    json!({
        "traces": mined.traces,
        "events": mined.events,
        "alphabet": mined.alphabet,
        "properties": properties.collect::<Vec<_>>(),
    })
}

/// Lists every property on a line.
fn as_list(mined: &Mined, purity: &Purity) -> String {
    let mut text = header(mined.traces, mined.events, mined.alphabet.len(), "times");
    for (found, sentence) in mined.properties.iter().zip(sentences(mined, purity)) {
        let property = mined.named(&found.property);
        let held = held(found.support, found.chances);
        let _ = writeln!(text, "{held:>9}  {property}: {sentence}");
    }
    text
}

/// Groups all properties into a few sentences.
fn as_text(mined: &Mined, purity: &Purity) -> String {
    let summary = summarize(mined, purity);
    if summary.groups.is_empty() {
        return format!(
            "{}nothing held\n",
            header(mined.traces, mined.events, mined.alphabet.len(), "support")
        );
    }
    let mut text = header(mined.traces, mined.events, mined.alphabet.len(), "support");
    for group in &summary.groups {
        let _ = writeln!(text, "{:>9}  {}", group.support, group.sentence);
    }
    let _ = writeln!(
        text,
        "\n{} in {}; {} of them follow from others. List all with --all.",
        counted(mined.properties.len(), "property"),
        counted(summary.groups.len(), "sentence"),
        summary.dropped.len(),
    );
    text
}

fn header(traces: u64, events: u64, kinds: usize, column: &str) -> String {
    let (traces, events) = (counted(traces, "trace"), counted(events, "event"));
    let kinds = counted(kinds, "kind");
    format!("{traces}, {events} of {kinds}\n\n{column:>9}  what held\n")
}

/// Formats how often a property held, and of how many chances if it did not always hold.
fn held(support: u64, chances: u64) -> String {
    if support == chances { support.to_string() } else { format!("{support}/{chances}") }
}

/// Mines a formula of the user's own.
fn run_formula(flags: &PropertiesFlags, text: &str, quiet: bool) -> Result<Ending, Report> {
    let formula = Formula::parse(text)?;
    traces::refuse_purity(&flags.purity)?;
    let words = traces::words(&flags.traces, quiet)?;
    let query = FormulaQuery {
        placeholders: placeholders(flags, &formula, &words, quiet)?,
        formula,
        repeat: flags.allow_equal,
        min_support: flags.min_support,
        min_confidence: flags.min_confidence,
        max_instances: INSTANCES,
    };
    let mined = mine_formula(&words, &query)?;
    if flags.json {
        print_json(&formula_json(&words, &mined))?;
    } else {
        let mut text = header(words.traces(), words.events(), words.alphabet.len(), "times");
        for found in &mined.instances {
            let held = held(found.support, found.chances);
            let _ = writeln!(text, "{held:>9}  {}", mined.instantiate(found));
        }
        let tried = counted(mined.tried, "instance");
        let _ = writeln!(text, "\n{} of {tried} of the formula held.", mined.instances.len());
        print(&text)?;
    }
    Ok(Ending::Clean)
}

/// Returns the placeholders of the formula: the names that the user listed, else those that are not events.
fn placeholders(
    flags: &PropertiesFlags,
    formula: &Formula,
    words: &Words,
    quiet: bool,
) -> Result<BTreeSet<String>, Report> {
    let is_event = |name: &str| words.alphabet.get(name).is_some();
    if let Some(names) = &flags.placeholders {
        if let Some(name) = names.iter().find(|name| !formula.atoms().contains(name)) {
            return Err(bad_input(
                format!("--placeholders: `{name}` does not occur in the formula"),
                "list only names in the formula, separated by commas",
            ));
        }
        let atoms: BTreeSet<&String> = formula.atoms().into_iter().collect();
        for atom in atoms {
            if !names.contains(atom) && !is_event(atom) {
                let near = nearest_label(atom, words.alphabet.names())
                    .map(|near| format!("did you mean `{near}`? "));
                return Err(bad_input(
                    format!("--formula: unknown event `{atom}`"),
                    format!("{}otherwise list it in --placeholders", near.unwrap_or_default()),
                ));
            }
        }
        return Ok(names.iter().cloned().collect());
    }
    let names: BTreeSet<String> =
        formula.atoms().into_iter().filter(|atom| !is_event(atom)).cloned().collect();
    for name in names.iter().filter(|name| !quiet && name.chars().count() > 2) {
        if let Some(near) = nearest_label(name, words.alphabet.names()) {
            tell(&format!("note: `{name}` matches any event; did you mean the event `{near}`?"));
        }
    }
    Ok(names)
}

fn formula_json(words: &Words, mined: &MinedFormula) -> Value {
    let mut alphabet: Vec<&str> = words.alphabet.names().collect();
    alphabet.sort_unstable();
    let properties = mined.instances.iter().map(|found| {
        let labels = mined.placeholders.iter().cloned().zip(found.labels.iter().cloned().map(Value::from));
        json!({
            "template": mined.formula.to_string(),
            "a": found.labels.first(),
            "b": found.labels.get(1),
            "events": labels.collect::<Map<_, _>>(),
            "formula": mined.instantiate(found).to_string(),
            "support": found.support,
            "confidence": found.confidence,
        })
    });
    json!({
        "traces": words.traces(),
        "events": words.events(),
        "alphabet": alphabet,
        "properties": properties.collect::<Vec<_>>(),
    })
}
