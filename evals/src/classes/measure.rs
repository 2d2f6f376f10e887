//! Mines and validates one class.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use adit_logic::{Checker, Language, Limit, Property, Template, Verdict};
use adit_trace::Label;
use miette::{IntoDiagnostic, Result, WrapErr};
use serde_json::Value;

use super::list::Entry;
use super::{Contradiction, Model, Row, Validation};
use crate::dice::answer;
use crate::mined_model::MinedModel;

/// Cells of a check; there are hundreds of checks for a class.
const CHECK: Limit = Limit(1_000_000);

/// Pairs of subsets that comparing two models may visit. Large nondeterministic models have no bound.
const COMPARE: usize = 200_000;

/// Contradictions that a row shows.
const SHOWN: usize = 1000;

/// Settings of a measurement.
pub(super) struct Measuring {
    pub(super) adit: PathBuf,
    pub(super) budget: String,
    pub(super) seeds: u64,
    pub(super) class_path: Option<String>,
    pub(super) jars: PathBuf,
    /// A folder for campaigns.
    pub(super) work: PathBuf,
}

impl Measuring {
    /// The row of a class. Whatever fails is part of it.
    pub(super) fn row(&self, entry: &Entry, program: &str) -> Row {
        let mut row = Row {
            class: entry.class.clone(),
            half: entry.half,
            adit: program.to_owned(),
            budget: self.budget.clone(),
            seeds: self.seeds,
            model: None,
            validation: None,
            problem: None,
            not_run: false,
        };
        let class_path = match self.class_path(entry) {
            Ok(class_path) => class_path,
            Err(missing) => {
                eprintln!("NOT RUN: {}: {} is missing", entry.class, missing.display());
                row.problem = Some(format!("NOT RUN: {} is missing", missing.display()));
                row.not_run = true;
                return row;
            }
        };
        match self.model(entry, &class_path) {
            Ok((model, path)) => {
                row.model = Some(model);
                match self.validation(entry, &class_path, &path) {
                    Ok(validation) => row.validation = Some(validation),
                    Err(error) => row.problem = Some(format!("{error:?}")),
                }
            }
            Err(error) => row.problem = Some(format!("{error:?}")),
        }
        row
    }

    /// The flag for the class path, if one is needed; the first jar that is missing is an error.
    fn class_path(&self, entry: &Entry) -> Result<Vec<String>, PathBuf> {
        let mut parts: Vec<String> = self.class_path.iter().cloned().collect();
        for jar in &entry.jars {
            let path = self.jars.join(jar);
            if !path.is_file() {
                return Err(path);
            }
            parts.push(path.display().to_string());
        }
        Ok(if parts.is_empty() { Vec::new() } else { vec!["-c".to_owned(), parts.join(":")] })
    }

    /// Mines a class with every seed, and returns its model with the file of the first.
    fn model(&self, entry: &Entry, class_path: &[String]) -> Result<(Model, PathBuf)> {
        let (said, folder) = self.mine(entry, class_path, 0)?;
        let path = folder.join("model.json");
        let mined = MinedModel::read(&path)?;
        let count = |name: &str| said[name].as_array().map_or(0, Vec::len);
        let methods: BTreeSet<&str> =
            mined.fsa.alphabet().iter().map(|label| Label::parse(label).method()).collect();
        let mut model = Model {
            methods: methods.len(),
            never_returned: count("never_returned"),
            never_tried: count("never_tried"),
            states: mined.states,
            transitions: mined.transitions,
            guesses: mined.guesses,
            not_explored: mined.not_explored,
            trust: share(&said["realized"])
                .or_else(|| share(&said["walks"]))
                .or_else(|| share(&said["trust"])),
            seconds: said["seconds"].as_f64().unwrap_or(f64::NAN),
            survived: 0,
            not_attacked: 0,
            contradictions: Vec::new(),
            contradictions_not_attacked: 0,
            undecided: 0,
            states_by_seed: vec![Some(mined.states)],
            same_language: Vec::new(),
        };
        contradictions(&folder.join("properties.json"), &mined, &mut model)?;
        for seed in 1..self.seeds {
            let other = self
                .mine(entry, class_path, seed)
                .and_then(|(_, folder)| MinedModel::read(&folder.join("model.json")));
            model.states_by_seed.push(other.as_ref().ok().map(|other| other.states));
            let same = other.ok().and_then(|other| mined.fsa.same_language(&other.fsa, COMPARE).ok());
            model.same_language.push(same);
        }
        Ok((model, path))
    }

    fn mine(&self, entry: &Entry, class_path: &[String], seed: u64) -> Result<(Value, PathBuf)> {
        let folder = self.work.join(format!("{}-{seed}", entry.class));
        let mut command = Command::new(&self.adit);
        command.args(["mine", &entry.class, "--no-project", "--fresh", "--json", "--budget", &self.budget]);
        command.args(["--seed", &seed.to_string()]).args(class_path).arg("-o").arg(&folder);
        Ok((answer(&mut command)?, folder))
    }

    fn validation(&self, entry: &Entry, class_path: &[String], model: &Path) -> Result<Validation> {
        let mut command = Command::new(&self.adit);
        command.arg("validate").arg(model).args([&entry.class, "--no-project", "--json"]);
        let said = answer(command.args(["--budget", &self.budget, "--seed", "0"]).args(class_path))?;
        let undecided = said["undecided"].as_object().into_iter().flat_map(serde_json::Map::values);
        Ok(Validation {
            precision: said["precision"].as_f64(),
            precision_interval: interval(&said["walks"]["interval"]),
            recall: said["recall"].as_f64(),
            recall_interval: interval(&said["objects"]["interval"]),
            undecided: undecided.filter_map(Value::as_u64).sum(),
            seconds: said["seconds"].as_f64().unwrap_or(f64::NAN),
        })
    }
}

/// A share: a number, or so many good ones of all.
fn share(said: &Value) -> Option<f64> {
    said.as_f64()
        .or_else(|| Some(said["good"].as_f64()? / said["of"].as_f64()?))
        .filter(|share| share.is_finite())
}

fn interval(said: &Value) -> Option<[f64; 2]> {
    Some([said[0].as_f64()?, said[1].as_f64()?])
}

/// Checks every property that was not refuted on the model beside it.
fn contradictions(path: &Path, mined: &MinedModel, model: &mut Model) -> Result<()> {
    let text =
        fs::read(path).into_diagnostic().wrap_err_with(|| format!("cannot read {}", path.display()))?;
    let said: Value = serde_json::from_slice(&text).into_diagnostic()?;
    let texts = |list: &Value| {
        list.as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect::<BTreeSet<_>>()
    };
    let pure = texts(&said["pure"]);
    let mut checker = Checker::new(&mined.fsa, Language::PrefixClosed, CHECK);
    for one in said["properties"].as_array().into_iter().flatten() {
        let text = |name: &str| one[name].as_str().map(str::to_owned);
        let template = text("template").as_deref().and_then(Template::from_short);
        let (Some(template), Some(a), Some(b)) = (template, text("a"), text("b")) else { continue };
        // Older versions say `falsified` and `not attacked`.
        let fate = text("fate").unwrap_or_default();
        if matches!(fate.as_str(), "refuted" | "falsified") {
            continue;
        }
        let attacked = !fate.starts_with("not");
        *if attacked { &mut model.survived } else { &mut model.not_attacked } += 1;
        let shown = format!("{}({a}, {b})", template.short());
        match checker.check_property(&Property { template, a, b }, &pure) {
            Verdict::Holds => {}
            Verdict::Unknown { .. } => model.undecided += 1,
            Verdict::Fails { .. } if !attacked => model.contradictions_not_attacked += 1,
            Verdict::Fails { counterexample } => {
                if model.contradictions.len() < SHOWN {
                    model.contradictions.push(Contradiction { property: shown, word: counterexample });
                }
            }
        }
    }
    Ok(())
}
