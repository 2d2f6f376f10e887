//! `adit name`: names of the user's own for the states of a model.

use std::fs;
use std::path::{Path, PathBuf};

use adit_automata::format::Format;
use adit_automata::{Fsa, State};
use adit_picture::StateNames;
use adit_store::Held;
use miette::Report;
use serde_json::{Value, json};

use super::states::state_of;
use crate::errors::{Ending, bad_input};
use crate::flags::NameFlags;
use crate::input::open;
use crate::models::{self, MODEL, UnknownFormat};
use crate::output::{Target, print, print_json, write_failed};
use crate::report;
use crate::results::{self, GivenName, Names, ResultFile};
use crate::stderr::tell;

/// Longest name, in characters; boxes show no more.
const LONGEST: usize = 60;

pub(super) fn run(flags: &NameFlags, quiet: bool) -> Result<Ending, Report> {
    let place = Place::of(&flags.model)?;
    let (mut model, title) = models::read_titled(open(&place.file)?, None, UnknownFormat::ConvertIt)?;
    if let Some(typed) = &flags.state {
        let state = state_of(&model, typed)?;
        let name = match (&flags.name, flags.clear) {
            (Some(name), _) => Some(checked(name)?),
            (None, true) => None,
            (None, false) => {
                return Err(bad_input(
                    format!("no name for state {state}"),
                    format!(
                        "write it behind the state: `adit name {} {state} NAME`; --clear removes one",
                        flags.model.display()
                    ),
                ));
            }
        };
        let title = title.unwrap_or_else(|| models::title_of(&flags.model));
        model = place.rename(&model, state, name, &title, quiet)?;
    }
    if flags.json {
        print_json(&as_json(&model))?;
    } else if flags.state.is_none() {
        print(&listed(&model))?;
    }
    Ok(Ending::Clean)
}

/// The name as it will be shown.
fn checked(name: &str) -> Result<&str, Report> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > LONGEST || name.chars().any(char::is_control) {
        return Err(bad_input(
            "not a name for a state",
            format!("write 1 to {LONGEST} characters on one line, such as 'shipped'"),
        ));
    }
    Ok(name)
}

/// Files that hold a name.
struct Place {
    /// The file of the model.
    file: PathBuf,
    /// The folder of a campaign, if the model is in one.
    folder: Option<PathBuf>,
}

impl Place {
    fn of(path: &Path) -> Result<Self, Report> {
        let file = models::file_of(path)?;
        let is_campaign = |folder: &&Path| file.ends_with(MODEL) && folder.join("run.json").exists();
        let folder = file.parent().filter(is_campaign).map(Path::to_owned);
        if let Some(folder) = folder.as_deref().filter(|folder| Held::by_another(folder).is_some()) {
            return Err(bad_input(
                format!("the campaign in {} is still running", folder.display()),
                "wait until its round ends, then name its states",
            ));
        }
        Ok(Self { file, folder })
    }

    /// Names a state, or gives it back its old name, in all files.
    fn rename(
        &self,
        model: &Fsa<String>,
        state: State,
        name: Option<&str>,
        title: &str,
        quiet: bool,
    ) -> Result<Fsa<String>, Report> {
        let mut names: Names = match &self.folder {
            Some(folder) => results::read(folder)?.unwrap_or_default(),
            None => Names::default(),
        };
        let now = model.name(state);
        let given = names.names.iter().position(|one| Some(one.name.as_str()) == now);
        let earlier = given.map(|at| names.names.remove(at));
        let before = earlier.map_or(now.map(str::to_owned), |earlier| earlier.before);
        let mut builder = model.to_builder();
        builder.name(state, name.map_or_else(|| before.clone().unwrap_or_default(), str::to_owned));
        let renamed = builder.build();
        if let Some(name) = name {
            names.names.retain(|one| one.name != name);
            names.names.push(GivenName { before, ..GivenName::new(name, model, state) });
        }
        models::write(&renamed, &Target::File(self.file.clone()), self.format()?, title, true)?;
        if let Some(folder) = &self.folder {
            results::write(folder, &names)?;
            let dot = folder.join("model.dot");
            models::write(&renamed, &Target::File(dot), Format::Dot, title, true)?;
            rename_in_tests(
                folder,
                &StateNames::of(model).name(state),
                &StateNames::of(&renamed).name(state),
            )?;
            let page = report::load(folder)?;
            report::put(&Target::File(folder.join(report::NAME)), &report::html(&page))?;
        }
        if !quiet {
            let kept = match &self.folder {
                Some(folder) => format!("; later rounds keep it ({})", folder.join(Names::NAME).display()),
                None => String::new(),
            };
            let kept = if name.is_some() { kept } else { String::new() };
            tell(&format!("state {state} is now `{}`{kept}", renamed.name(state).unwrap_or_default()));
        }
        Ok(renamed)
    }

    fn format(&self) -> Result<Format, Report> {
        let format = Format::from_extension(&self.file.to_string_lossy());
        format.filter(|format| matches!(format, Format::Json | Format::Dot)).ok_or_else(|| {
            bad_input(
                format!("{} cannot hold names of states", self.file.display()),
                format!("convert it first: `adit convert {} model.json`", self.file.display()),
            )
        })
    }
}

/// Replaces the name of a state in the comments of the generated tests.
fn rename_in_tests(folder: &Path, old: &str, new: &str) -> Result<(), Report> {
    let renamed = |text: &str| -> String {
        let line = |line: &str| match line.trim_start().starts_with("//") {
            true => line.replace(old, new),
            false => line.to_owned(),
        };
        text.split_inclusive('\n').map(line).collect()
    };
    if let Some(mut tests) = results::read::<results::Tests>(folder)? {
        tests.tests.iter_mut().for_each(|test| test.source = renamed(&test.source));
        results::write(folder, &tests)?;
    }
    let files = fs::read_dir(folder.join("tests")).into_iter().flatten().flatten();
    for path in files.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|it| it == "java"))
    {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let now = renamed(&text);
        if now != text {
            Target::File(path).write(|out| out.write_all(now.as_bytes()).map_err(write_failed))?;
        }
    }
    Ok(())
}

fn as_json(model: &Fsa<String>) -> Value {
    let state = |state: State| json!({ "state": state, "name": model.name(state) });
    json!({ "states": model.explored_states().map(state).collect::<Vec<_>>() })
}

fn listed(model: &Fsa<String>) -> String {
    let names = StateNames::of(model);
    let start = |state: State| if model.initial().contains(&state) { "start " } else { "" };
    model.explored_states().map(|state| format!("{}{}\n", start(state), names.name(state))).collect()
}
