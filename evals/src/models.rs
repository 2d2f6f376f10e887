//! Rebuilds `models/`: typestates of everyday JDK classes, each mined and validated by adit itself.
//!
//! `models/recipes.json` says how each is made. A recipe either names the class with the methods to call, or
//! a subject: a small class in `models/subjects` that owns an object of the class and passes calls on, for
//! interfaces and for objects that only other objects create. Labels of a subject are renamed to the methods
//! that they stand for.
//!
//! A person decides what is shipped: the list in `crates/app/src/shipped.rs` names the reviewed models, and a
//! test fails if the rules of a shipped model are not the reviewed ones in `models/rules.txt`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use clap::Args;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Program;

/// Flags of `evals models`.
#[derive(Args)]
pub(crate) struct Flags {
    #[command(flatten)]
    program: Program,
    /// The folder with `recipes.json` and `subjects`, where the models are written.
    #[arg(long, default_value = "models")]
    models: PathBuf,
    /// Only these classes.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
}

/// The making of one typestate.
#[derive(Deserialize)]
struct Recipe {
    class: String,
    /// The class in `models/subjects` that is mined in its place.
    subject: Option<String>,
    /// The methods to call.
    #[serde(default)]
    only: Vec<String>,
    /// Labels of the subject and the methods that they stand for.
    #[serde(default)]
    rename: BTreeMap<String, String>,
    /// Methods that return a new object.
    #[serde(default)]
    creators: Vec<String>,
    /// `contract` if it holds of every object that is used through the class.
    scope: Option<String>,
    #[serde(default = "default_budget")]
    budget: String,
}

fn default_budget() -> String {
    "15000tests".to_owned()
}

const SEED: &str = "1";

pub(crate) fn run(flags: Flags) -> Result<()> {
    let adit = flags.program.path()?;
    let text = fs::read_to_string(flags.models.join("recipes.json")).into_diagnostic()?;
    let recipes: Vec<Recipe> = serde_json::from_str(&text).into_diagnostic()?;
    let work = tempfile::tempdir().into_diagnostic()?;
    compile(&flags.models.join("subjects"), work.path())?;
    println!(
        "{:<42} {:>6} {:>6} {:>9} {:>7} {:>6}",
        "class", "states", "trans.", "precision", "recall", "rules"
    );
    for recipe in recipes {
        if !flags.only.is_empty() && !flags.only.contains(&recipe.class) {
            continue;
        }
        match make(&adit, &recipe, work.path(), &flags.models) {
            Ok(line) => println!("{line}"),
            Err(error) => println!("{:<42} not made: {error}", recipe.class),
        }
    }
    Ok(())
}

/// Compiles the subjects.
fn compile(sources: &Path, into: &Path) -> Result<()> {
    let mut files: Vec<PathBuf> = fs::read_dir(sources)
        .into_diagnostic()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| file.extension().is_some_and(|extension| extension == "java"))
        .collect();
    files.sort();
    let output = Command::new("javac").arg("-d").arg(into).args(files).output().into_diagnostic()?;
    succeeded(&output, "javac").map(|_| ())
}

/// Mines, validates and describes one class, and returns its row.
fn make(adit: &Path, recipe: &Recipe, work: &Path, models: &Path) -> Result<String> {
    let mined_class = recipe.subject.as_deref().unwrap_or(&recipe.class);
    let folder = work.join(format!("mined-{}", recipe.class));
    let mut arguments: Vec<String> = vec![mined_class.to_owned(), "--no-project".to_owned()];
    if recipe.subject.is_some() {
        arguments.extend(["-c".to_owned(), work.display().to_string()]);
    }
    if !recipe.only.is_empty() {
        arguments.extend(["--only".to_owned(), recipe.only.join(",")]);
    }
    arguments.extend(["--seed".to_owned(), SEED.to_owned(), "--budget".to_owned(), recipe.budget.clone()]);
    let mined = Command::new(adit).arg("mine").args(&arguments).arg("-o").arg(&folder).output();
    succeeded(&mined.into_diagnostic()?, "adit mine")?;
    let model_file = folder.join("model.json");
    let validated =
        Command::new(adit).arg("validate").arg(&model_file).args(&arguments).arg("--json").output();
    let validated = succeeded(&validated.into_diagnostic()?, "adit validate")?;
    let validated: Value = serde_json::from_str(&validated).into_diagnostic()?;
    let model: Value =
        serde_json::from_str(&fs::read_to_string(&model_file).into_diagnostic()?).into_diagnostic()?;
    let model = renamed(model, recipe);
    let target = models.join(&recipe.class);
    fs::create_dir_all(&target).into_diagnostic()?;
    let written = target.join("model.json");
    fs::write(&written, shown_model(&model)).into_diagnostic()?;
    // A subject passes arguments that are always right.
    let right: &[&str] = if recipe.subject.is_some() { &["--right-arguments"] } else { &[] };
    let described = Command::new(adit)
        .args(["verify", "--describe", "--class", &recipe.class])
        .args(right)
        .arg(&written)
        .output()
        .into_diagnostic()?;
    let described =
        succeeded(&described, "adit verify --describe").inspect_err(|_| drop(fs::remove_dir_all(&target)))?;
    let described: Value = serde_json::from_str(&described).into_diagnostic()?;
    let described = &described["typestates"][0];
    let version = Command::new(adit).arg("--version").output().into_diagnostic()?;
    let shown: Vec<String> =
        arguments.iter().map(|one| one.replace(&work.display().to_string(), "SUBJECTS")).collect();
    let typestate = json!({
        "class": recipe.class,
        "scope": recipe.scope.as_deref().unwrap_or("exact"),
        "final": described["final"],
        "right_arguments": recipe.subject.is_some(),
        "creators": recipe.creators,
        "methods": described["methods"],
        "made": {
            "command": format!("adit mine {}", shown.join(" ")),
            "adit": succeeded(&version, "adit --version")?.trim(),
            "java": described["java"],
            "labels": recipe.rename,
        },
        "validation": {
            "precision": validated["precision"],
            "recall": validated["recall"],
            "walks": validated["walks"],
            "runs": validated["runs"],
        },
        "rules": described["rules"],
    });
    fs::write(target.join("typestate.json"), format!("{typestate:#}\n")).into_diagnostic()?;
    let count = |name: &str| model[name].as_array().map_or(0, Vec::len);
    let figure = |name: &str| validated[name].as_f64().map_or("-".to_owned(), |value| format!("{value:.3}"));
    let rejected = validated["rejected"].as_array().map_or(0, Vec::len);
    Ok(format!(
        "{:<42} {:>6} {:>6} {:>9} {:>7} {:>6}{}",
        recipe.class,
        count("states"),
        count("edges"),
        figure("precision"),
        figure("recall"),
        described["rules"].as_array().map_or(0, Vec::len),
        if rejected > 0 { "  rejects real runs" } else { "" }
    ))
}

/// The model with the labels of the class, without what verification does not need.
fn renamed(mut model: Value, recipe: &Recipe) -> Value {
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    for method in &recipe.only {
        // The label of the only overload that was called has no parameter types.
        if let Some((name, _)) = method.split_once('(') {
            names.insert(name, method);
        }
    }
    names.extend(recipe.rename.iter().map(|(old, new)| (old.as_str(), new.as_str())));
    let rename = |label: &mut Value| {
        let Some(text) = label.as_str() else { return };
        let end = text.find([':', '!']).unwrap_or(text.len());
        if let Some(new) = names.get(&text[..end]) {
            *label = format!("{new}{}", &text[end..]).into();
        }
    };
    model["title"] = recipe.class.as_str().into();
    for label in model["alphabet"].as_array_mut().into_iter().flatten() {
        rename(label);
    }
    for edge in model["edges"].as_array_mut().into_iter().flatten() {
        rename(&mut edge["event"]);
    }
    for state in model["states"].as_array_mut().into_iter().flatten() {
        if let Some(state) = state.as_object_mut() {
            state.remove("predicates");
        }
        for label in state["refuses"].as_array_mut().into_iter().flatten() {
            rename(label);
        }
        if state["refuses"].is_null()
            && let Some(state) = state.as_object_mut()
        {
            state.remove("refuses");
        }
    }
    model
}

/// The model with a state, transition or label on a line, as adit writes it.
fn shown_model(model: &Value) -> String {
    let list = |name: &str| {
        let lines: Vec<String> =
            model[name].as_array().into_iter().flatten().map(|item| format!("    {item}")).collect();
        format!("[\n{}\n  ]", lines.join(",\n"))
    };
    format!(
        "{{\n  \"format\": \"adit-model\",\n  \"version\": {},\n  \"title\": {},\n  \"alphabet\": {},\n  \
         \"initial\": {},\n  \"states\": {},\n  \"edges\": {}\n}}\n",
        model["version"],
        model["title"],
        list("alphabet"),
        model["initial"],
        list("states"),
        list("edges")
    )
}

/// The standard output of a command that did its work; its exit code may say that it found something.
fn succeeded(output: &Output, what: &str) -> Result<String> {
    if output.status.code().is_none_or(|code| code > 1) {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(miette!("{what}: {}", message.lines().next().unwrap_or("failed")));
    }
    String::from_utf8(output.stdout.clone()).into_diagnostic().wrap_err(what.to_owned())
}
