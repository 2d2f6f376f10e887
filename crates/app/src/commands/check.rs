//! `adit check`: checks whether every word of a model satisfies a formula.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use adit_automata::Fsa;
use adit_logic::templates::{self, FormulaTemplate, built_in};
use adit_logic::{Checker, Formula, Language, Limit, Property, Template, Verdict, check, unknown_atoms};
use adit_mine::{Mined, MinedProperty, Purity, summarize};
use adit_trace::{Letter, overloads_of};
use miette::Report;
use serde_json::{Map, Value, json};

use super::traces;
use crate::errors::{Ending, bad_input, no_answer};
use crate::flags::CheckFlags;
use crate::input::{open, read_whole};
use crate::models;
use crate::output::{counted, print, print_json};
use crate::progress::Working;
use crate::stderr::tell;

/// Limit on a search: a hundred megabytes, far more than any published model needs.
const LIMIT: Limit = Limit(10_000_000);

/// Limit on the number of checked template instances.
const INSTANCES: usize = 1_000_000;

pub(super) fn run(flags: &CheckFlags, quiet: bool) -> Result<Ending, Report> {
    let formula = flags.formula.as_deref().map(Formula::parse).transpose()?;
    let model = models::read(&flags.model, flags.from.as_deref())?;
    let language = if flags.prefix_closed { Language::PrefixClosed } else { Language::Accepted };
    match formula {
        Some(formula) => check_formula(flags, &model, &formula, language, quiet),
        None => check_templates(flags, &model, language, quiet),
    }
}

fn check_formula(
    flags: &CheckFlags,
    model: &Fsa<String>,
    formula: &Formula,
    language: Language,
    quiet: bool,
) -> Result<Ending, Report> {
    traces::refuse_purity(&flags.purity)?;
    let formula = &with_overloads(formula, model)?;
    if !flags.allow_unknown {
        refuse_unknown(formula, model)?;
    }
    let working = Working::new("checking", quiet);
    let verdict = check(model, formula, language, LIMIT);
    drop(working);
    match verdict {
        Verdict::Holds => {
            if flags.json {
                print_json(&json!({"holds": true, "counterexample": null}))?;
            } else {
                print("holds\n")?;
            }
            Ok(Ending::Clean)
        }
        Verdict::Fails { counterexample } => {
            if flags.json {
                print_json(&json!({"holds": false, "counterexample": counterexample}))?;
            } else if counterexample.is_empty() {
                print("fails: the empty word\n")?;
            } else {
                print(&format!("fails: {}\n", counterexample.join(" ")))?;
            }
            Ok(Ending::Found)
        }
        Verdict::Unknown { .. } => Err(no_answer(
            "the model and the formula together are too large to check",
            "split the formula at its `&` and check the parts, or make the model smaller with `adit convert --minimize`",
        )),
    }
}

/// The formula with the labels of the model: `nextToken` stands for `nextToken(String)` if the model has no
/// other overload. Several are an error, because the formula cannot mean all of them.
fn with_overloads(formula: &Formula, model: &Fsa<String>) -> Result<Formula, Report> {
    let mut meant: BTreeMap<String, String> = BTreeMap::new();
    for atom in formula.atoms().into_iter().filter(|&atom| model.letter(atom).is_none()) {
        match overloads_of(atom, model.alphabet().iter().map(String::as_str))[..] {
            [] => {}
            [only] => drop(meant.insert(atom.clone(), only.to_owned())),
            ref several => {
                let quoted: Vec<String> = several.iter().map(|label| format!("\"{label}\"")).collect();
                return Err(bad_input(
                    format!("`{atom}` stands for {} events of the model", several.len()),
                    format!("write one of them in quotes: {}", quoted.join(", ")),
                ));
            }
        }
    }
    Ok(formula.map(|atom| meant.get(atom).unwrap_or(atom).clone()))
}

/// Fails if the formula has events that the model lacks.
fn refuse_unknown(formula: &Formula, model: &Fsa<String>) -> Result<(), Report> {
    let unknown = unknown_atoms(formula, model.alphabet());
    let Some((atom, near)) = unknown.first() else { return Ok(()) };
    let help = match near {
        Some(near) => {
            format!("did you mean `{near}`? otherwise add --allow-unknown to check the formula as it is")
        }
        None => {
            let shown: Vec<&str> = model.alphabet().iter().map(String::as_str).take(12).collect();
            let more = if model.alphabet().len() > shown.len() { " …" } else { "" };
            format!(
                "its events are {}{more}; add --allow-unknown to check the formula as it is",
                shown.join(", ")
            )
        }
    };
    Err(bad_input(format!("the model has no event `{atom}`"), help))
}

/// A template instance that holds.
struct Instance<'t> {
    template: &'t FormulaTemplate,
    events: Vec<String>,
}

/// Results for all instances of all templates. Failing instances, possibly a million, are only counted.
struct Outcome<'t> {
    checked: usize,
    undecided: usize,
    holding: Vec<Instance<'t>>,
}

fn check_templates(
    flags: &CheckFlags,
    model: &Fsa<String>,
    language: Language,
    quiet: bool,
) -> Result<Ending, Report> {
    traces::check_purity(&flags.purity, model.alphabet().iter().map(String::as_str))?;
    let purity = traces::purity(&flags.purity);
    let pure: BTreeSet<String> =
        model.alphabet().iter().filter(|label| purity.is_pure(label)).cloned().collect();
    let own = match &flags.templates {
        Some(Some(file)) => Some(read_templates(file)?),
        _ => None,
    };
    // A plain form of a purity-aware template is what that one becomes with --no-purity.
    let chosen: Vec<&FormulaTemplate> = match &own {
        Some(own) => own.iter().collect(),
        None => built_in().iter().filter(|template| !template.name.ends_with("-plain")).collect(),
    };
    let chosen = without_repeats(chosen);
    let count: usize = chosen.iter().map(|template| ways(template, model.alphabet().len())).sum();
    if count > INSTANCES {
        return Err(bad_input(
            format!("the templates have {count} instances; the limit is {INSTANCES}"),
            "write fewer templates, or templates with fewer placeholders, to a file and pass it with --templates FILE",
        ));
    }
    let working = Working::new("checking templates", quiet);
    let mut checker = Checker::new(model, language, LIMIT);
    let mut outcome = Outcome { checked: 0, undecided: 0, holding: Vec::new() };
    for template in chosen {
        for events in fillings(template, model.alphabet()) {
            let six = if own.is_none() { Template::from_short(&template.name) } else { None };
            let verdict = match (six, events.as_slice()) {
                // One automaton serves all instances of these six.
                (Some(template), [a, b]) => {
                    checker.check_property(&Property { template, a: a.clone(), b: b.clone() }, &pure)
                }
                _ => checker.check(&template.formula(&events, &pure)?),
            };
            outcome.checked += 1;
            match verdict {
                Verdict::Holds => outcome.holding.push(Instance { template, events }),
                Verdict::Fails { .. } => {}
                Verdict::Unknown { .. } => outcome.undecided += 1,
            }
        }
    }
    drop(working);
    if flags.json {
        print_json(&as_json(&outcome))?
    } else if flags.all || own.is_some() {
        print(&as_list(&outcome)?)?
    } else {
        print(&as_text(&outcome, model, &purity))?
    }
    if outcome.undecided > 0 && !quiet {
        tell(&format!(
            "note: {} undecided: the check takes too many steps",
            counted(outcome.undecided, "instance")
        ));
    }
    Ok(Ending::Clean)
}

fn read_templates(file: &Path) -> Result<Vec<FormulaTemplate>, Report> {
    let (name, bytes) = read_whole(open(file)?)?;
    Ok(templates::read(&name, &bytes)?)
}

/// Number of instances of a template, including those with equal events.
fn ways(template: &FormulaTemplate, letters: usize) -> usize {
    template
        .placeholders
        .iter()
        .try_fold(1usize, |ways, _| ways.checked_mul(letters))
        .unwrap_or(usize::MAX / 2)
}

/// All instances of a template with distinct events, and those with equal events where they have a meaning.
fn fillings(template: &FormulaTemplate, alphabet: &[String]) -> Vec<Vec<String>> {
    let mut ways: Vec<Vec<String>> = vec![Vec::new()];
    for _ in &template.placeholders {
        ways = ways
            .iter()
            .flat_map(|way| {
                alphabet.iter().map(|label| {
                    let mut longer = way.clone();
                    longer.push(label.clone());
                    longer
                })
            })
            .collect();
    }
    let same = template.sentence_same.is_some();
    ways.retain(|way| {
        let distinct = way.iter().collect::<BTreeSet<_>>().len();
        distinct == way.len() || (same && distinct == 1)
    });
    ways
}

/// Removes templates equivalent to an earlier one, such as two of TEMARI's that equal two of DICE's.
fn without_repeats(templates: Vec<&FormulaTemplate>) -> Vec<&FormulaTemplate> {
    let meaning =
        |template: &FormulaTemplate| template.formula(&template.placeholders, &BTreeSet::new()).ok();
    let mut kept: Vec<&FormulaTemplate> = Vec::new();
    for template in templates {
        let said = |earlier: &&FormulaTemplate| {
            earlier.placeholders.len() == template.placeholders.len()
                && earlier.formula(&template.placeholders, &BTreeSet::new()).ok() == meaning(template)
        };
        if !kept.iter().any(said) {
            kept.push(template);
        }
    }
    kept
}

fn as_json(outcome: &Outcome<'_>) -> Value {
    let holding = outcome.holding.iter().map(|instance| {
        let mut row = json!({"template": instance.template.name});
        if let [a, b] = instance.events.as_slice() {
            row["a"] = a.as_str().into();
            row["b"] = b.as_str().into();
        }
        let names = instance.template.placeholders.iter().cloned();
        row["events"] =
            names.zip(instance.events.iter().cloned().map(Value::from)).collect::<Map<_, _>>().into();
        row
    });
    json!({
        "checked": outcome.checked,
        "unknown": outcome.undecided,
        "properties": holding.collect::<Vec<_>>(),
    })
}

/// Lists every instance on a line.
fn as_list(outcome: &Outcome<'_>) -> Result<String, Report> {
    let mut text = String::new();
    for Instance { template, events } in &outcome.holding {
        let _ = writeln!(text, "{}({}): {}", template.name, events.join(", "), template.sentence(events)?);
    }
    let checked = counted(outcome.checked, "instance");
    let _ = writeln!(text, "\n{} of {checked} hold.", outcome.holding.len());
    Ok(text)
}

/// Groups the instances of the six templates into a few sentences, as `adit properties` does, and counts
/// those of other templates.
fn as_text(outcome: &Outcome<'_>, model: &Fsa<String>, purity: &Purity) -> String {
    let is_empty_accepted = model.accepts(&[]);
    // Sentences about traces need to know whether there are some without any event.
    let (traces, occurrences) = if is_empty_accepted { (2, 1) } else { (1, 1) };
    let letter = |label: &String| model.alphabet().iter().position(|one| one == label);
    let property = |instance: &Instance<'_>| {
        let [a, b] = instance.events.as_slice() else { return None };
        let template = Template::from_short(&instance.template.name)?;
        Some(Property { template, a: letter(a)? as Letter, b: letter(b)? as Letter })
    };
    let mut properties: Vec<Property<Letter>> = outcome.holding.iter().filter_map(property).collect();
    properties.sort();
    let others = outcome.holding.len() - properties.len();
    let certain = |property| MinedProperty { property, support: 1, chances: 1, confidence: 1.0 };
    let mined = Mined {
        traces,
        events: model.alphabet().len() as u64,
        alphabet: model.alphabet().to_vec(),
        occurrences: vec![occurrences; model.alphabet().len()],
        properties: properties.into_iter().map(certain).collect(),
    };
    let summary = summarize(&mined, purity);
    let mut text = String::new();
    summary.groups.iter().for_each(|group| _ = writeln!(text, "{}", group.sentence));
    let others = match others {
        0 => String::new(),
        others => format!("; {others} more of TEMARI's templates"),
    };
    let _ = writeln!(
        text,
        "\n{} of {} hold, in {}; {} of them follow from others{others}. List all with --all.",
        mined.properties.len(),
        counted(outcome.checked, "instance"),
        counted(summary.groups.len(), "sentence"),
        summary.dropped.len(),
    );
    text
}
