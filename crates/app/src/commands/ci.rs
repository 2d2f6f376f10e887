//! `adit ci`: mines the classes that a file names, and compares them with the models kept beside the code.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use miette::Report;
use serde::Deserialize;
use serde_json::{Value, json};

use super::difference::Difference;
use crate::errors::{Ending, bad_input, no_answer};
use crate::flags::CiFlags;
use crate::input::{open, read_whole};
use crate::models::{self, MODEL};
use crate::output::{Target, create_folder, print, print_json, write_failed};
use crate::results;
use crate::stderr::tell;

/// Content of `adit.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    #[serde(default = "default_models")]
    models: PathBuf,
    #[serde(default = "default_budget")]
    budget: String,
    #[serde(default)]
    seed: u64,
    #[serde(rename = "class")]
    classes: Vec<NamedClass>,
}

/// A class to mine.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedClass {
    name: String,
    #[serde(default)]
    classpath: Vec<String>,
    #[serde(default)]
    flags: Vec<String>,
}

fn default_models() -> PathBuf {
    PathBuf::from("models")
}

/// A number of tests, because the time of a machine would be part of the models.
fn default_budget() -> String {
    "30000tests".to_owned()
}

pub(super) fn run(flags: &CiFlags, quiet: bool) -> Result<Ending, Report> {
    let config = config(&flags.config)?;
    let root =
        flags.config.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let kept = root.join(&config.models);
    if flags.update {
        create_folder(&kept)?;
    }
    let file_of = |class: &NamedClass| kept.join(format!("{}.json", class.name));
    // Before anything is mined, which takes time.
    if let Some(class) = config.classes.iter().find(|class| !flags.update && !file_of(class).exists()) {
        return Err(bad_input(
            format!("there is no model of {} to compare with: {}", class.name, file_of(class).display()),
            "make it with `adit ci --update`, and commit it",
        ));
    }
    let (mut text, mut answers) = (String::new(), Vec::new());
    let (mut news, mut differs) = (false, false);
    for class in &config.classes {
        let folder = flags.output.join(&class.name);
        mine(&config, class, &folder, root, quiet)?;
        let (mined, file) = (folder.join(MODEL), file_of(class));
        if flags.update {
            let (_, bytes) = read_whole(open(&mined)?)?;
            Target::File(file.clone()).write(|out| out.write_all(&bytes).map_err(write_failed))?;
            if !quiet {
                tell(&format!("{}: written to {}", class.name, file.display()));
            }
            answers.push(json!({ "class": class.name, "written": file }));
            continue;
        }
        let [now, before] = [&mined, &file].map(|path| models::read(path, None));
        let (now, before) = (now?, before?);
        let found = Difference::between(&now, &before).map_err(|_| {
            no_answer(
                format!("the models of {} are too large to compare", class.name),
                "mine fewer methods: flags = [\"--only\", \"a,b\"] in adit.toml",
            )
        })?;
        let found = found.with_removed(&before, &results::offered(&folder)?);
        news |= found.is_news();
        differs |= found != Difference::default();
        text += &found.markdown(&class.name);
        text.push('\n');
        answers.push(answer(&class.name, &found));
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    if let Some(file) = flags.markdown.as_deref().filter(|_| !flags.update) {
        Target::new(Some(file)).write(|out| out.write_all(text.as_bytes()).map_err(write_failed))?;
    }
    if flags.json {
        print_json(&json!({ "classes": answers, "news": news }))?;
    } else if !flags.update && (differs || flags.markdown.is_none()) {
        // What a reviewer should see belongs into the log of a build, too, whether or not the build fails.
        print(&text)?;
    }
    if news && !quiet {
        tell("if the change is wanted: `adit ci --update`, and commit the models");
    }
    Ok(if news { Ending::Found } else { Ending::Clean })
}

fn answer(class: &str, found: &Difference) -> Value {
    let mut answer = found.as_json();
    answer["class"] = class.into();
    answer
}

fn config(path: &Path) -> Result<Config, Report> {
    let text = fs::read_to_string(path).map_err(|error| {
        bad_input(
            format!("cannot read {}: {error}", path.display()),
            "write the classes to mine there; `adit ci --help` shows the form",
        )
    })?;
    let config: Config = toml::from_str(&text).map_err(|error| {
        bad_input(
            format!("{}: {}", path.display(), error.to_string().trim_end()),
            "`adit ci --help` shows the form",
        )
    })?;
    if config.classes.is_empty() {
        return Err(bad_input(
            format!("{} names no class", path.display()),
            "add a table [[class]] with a name; `adit ci --help` shows the form",
        ));
    }
    Ok(config)
}

/// Mines a class from nothing, with a process of its own: what it prints is what `adit mine` prints.
fn mine(config: &Config, class: &NamedClass, folder: &Path, root: &Path, quiet: bool) -> Result<(), Report> {
    if !quiet {
        tell(&format!("mining {}", class.name));
    }
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| {
            bad_input(
                format!("cannot remove the campaign in {}: {error}", folder.display()),
                "name another folder with -o",
            )
        })?;
    }
    if let Some(parent) = folder.parent() {
        create_folder(parent)?;
    }
    let program = std::env::current_exe().map_err(|error| {
        bad_input(format!("cannot find the program itself: {error}"), "start adit by its full path")
    })?;
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let mut command = Command::new(program);
    command.current_dir(root).arg("mine").arg(&class.name).arg("-o").arg(&folder);
    command.args(["--budget", &config.budget, "--seed", &config.seed.to_string(), "--quiet"]);
    for entry in &class.classpath {
        command.args(["-c", entry]);
    }
    command.args(&class.flags).stdin(Stdio::null()).stdout(Stdio::null());
    let status = command.status().map_err(|error| {
        bad_input(format!("cannot start `adit mine`: {error}"), "start adit by its full path")
    })?;
    match status.code() {
        Some(0) => Ok(()),
        Some(4) => Err(no_answer(
            format!("there is no model of {}, as told above", class.name),
            "a larger budget in adit.toml, or --fixtures among its flags, may help",
        )),
        _ => Err(bad_input(
            format!("`adit mine {}` failed, as told above", class.name),
            format!("run it alone: `adit mine {}`", class.name),
        )),
    }
}
