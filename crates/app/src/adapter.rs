//! Starting an adapter: this binary as its launcher in the sandbox, and what it describes as a subject.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use adit_adapter::{AdapterAuthor, AdapterHost, AdapterLimits, AuthorOptions, Described, Launch};
use adit_jvm::{HostError, Sandbox, doctor, launch};
use miette::Report;
use tempfile::TempDir;

use crate::errors::bad_input;
use crate::install_hints::on_path;
use crate::java::environment;
use crate::output::some_of;
use crate::request::CallRequest;
use crate::stderr::tell;
use crate::under_test::{AnyAuthor, AnyHost, UnderTest, World};

/// First argument of the launcher of an adapter, not meant for users.
pub(crate) const LAUNCHER: &str = "--adit-adapter";

/// The adapter for Python classes, which adit brings along.
const PYTHON: &str = include_str!("../../../adapters/python/adit_python.py");

/// Beginning of the names of environment variables that adapters see.
const PASSED: &str = "ADIT_ADAPTER_";

/// Other variables that adapters see: those by which programs of usual languages find themselves. No other,
/// as passwords live in environments.
const ALSO_PASSED: [&str; 10] = [
    "PATH",
    "HOME",
    "LD_LIBRARY_PATH",
    "PYENV_ROOT",
    "PYTHONPATH",
    "PYTHONHOME",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "JAVA_HOME",
    "NODE_PATH",
];

/// An adapter to start.
#[derive(Clone, Debug)]
pub(crate) struct AdapterRequest {
    /// The command, as it was typed.
    pub(crate) command: String,
    /// The adapter's name for the subject, as it was typed.
    pub(crate) subject: String,
    pub(crate) sandbox: Sandbox,
    /// Time for one sequence of calls.
    pub(crate) line_limit: Duration,
}

/// A running adapter, as commands know it.
pub(crate) struct AdapterWorld {
    pub(crate) command: String,
    pub(crate) described: Described,
    /// Kept, because dropping it removes the folder of the sandbox.
    _folders: Folders,
}

/// Folders of a running adapter, which are removed when this is dropped.
pub(crate) struct Folders {
    _sandbox: TempDir,
    /// Holds an adapter that adit brings along.
    _shipped: Option<TempDir>,
}

impl AdapterWorld {
    /// Language of rendered calls, as part of a sentence.
    pub(crate) fn language(&self) -> String {
        match &self.described.language {
            Some(language) if self.described.render => format!("in {}", capitalized(language)),
            _ => "as calls".to_owned(),
        }
    }

    /// Extension of files with rendered calls.
    pub(crate) fn extension(&self) -> &'static str {
        match self.described.language.as_deref() {
            Some("python") if self.described.render => "py",
            _ => "txt",
        }
    }

    /// Language and version of the subject.
    pub(crate) fn version(&self) -> String {
        let Described { language, version, .. } = &self.described;
        [language, version].into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")
    }
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// The launch of an adapter in its sandbox, and the folders that it needs, which must be kept.
pub(crate) fn launcher(request: &AdapterRequest) -> Result<(Launch, Folders), Report> {
    let (program, _) = environment::worker()?;
    check_sandbox(request.sandbox)?;
    let folder = new_folder()?;
    let (command, shipped) = match shipped(&request.command)? {
        Some((command, folder)) => (command, Some(folder)),
        None => (with_whole_paths(&request.command), None),
    };
    let mut arguments: Vec<OsString> = vec![LAUNCHER.into()];
    arguments.extend(launch::arguments(request.sandbox, folder.path().to_owned(), &command));
    let mut variables: Vec<(OsString, OsString)> = env::vars_os()
        .filter(|(name, _)| {
            let name = name.to_string_lossy();
            name.starts_with(PASSED) || ALSO_PASSED.contains(&&*name)
        })
        .collect();
    for (name, value) in [
        ("TMPDIR", folder.path().as_os_str().to_owned()),
        ("LANG", "C.UTF-8".into()),
        // What is hashed in another order each time would make the same seed give other models.
        ("PYTHONHASHSEED", "0".into()),
    ] {
        variables.push((name.into(), value));
    }
    let launch = Launch { command: request.command.clone(), program, arguments, environment: variables };
    Ok((launch, Folders { _sandbox: folder, _shipped: shipped }))
}

fn new_folder() -> Result<TempDir, Report> {
    tempfile::Builder::new().prefix("adit-adapter-").tempdir_in(environment::boxes()).map_err(|error| {
        bad_input(format!("cannot create a folder for the adapter: {error}"), "is the disk full?")
    })
}

/// The command of an adapter that adit brings along, written to a folder: `python`, with options if need be.
fn shipped(command: &str) -> Result<Option<(String, TempDir)>, Report> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let options = match words.as_slice() {
        ["python", options @ ..] if options.first().is_none_or(|first| first.starts_with("--")) => options,
        _ => return Ok(None),
    };
    if on_path("python3").is_none() {
        return Err(bad_input(
            "`--adapter python` needs the command `python3`, which is not in PATH",
            "install Python 3.8 or later",
        ));
    }
    let folder = new_folder()?;
    let file = folder.path().join("adit_python.py");
    std::fs::write(&file, PYTHON).map_err(|error| {
        bad_input(format!("{}: cannot be written: {error}", file.display()), "is the disk full?")
    })?;
    let file = crate::shell::quoted(&file.display().to_string());
    let options: Vec<String> = options.iter().map(|option| whole_path(option)).collect();
    let options = options.join(" ");
    Ok(Some((format!("exec python3 {file} {options}"), folder)))
}

/// Fails, or warns, if the kernel cannot enforce the sandbox.
fn check_sandbox(sandbox: Sandbox) -> Result<(), Report> {
    let (program, arguments) = environment::worker()?;
    let found = doctor::protection(&program, &arguments, &environment::boxes());
    let protection = found.map_err(environment::cannot_run)?;
    if protection.is_enough() {
        return Ok(());
    }
    match sandbox {
        Sandbox::Required => Err(environment::cannot_run(HostError::Unprotected(protection))),
        Sandbox::Unsafe => {
            environment::warn_unprotected(&protection);
            Ok(())
        }
    }
}

/// The command with relative paths below the current folder made absolute: the adapter starts elsewhere.
fn with_whole_paths(command: &str) -> String {
    // Other words may happen to be the names of files.
    let whole = |word: &str| if word.contains(['/', '.']) { whole_path(word) } else { word.to_owned() };
    command.split(' ').map(whole).collect::<Vec<_>>().join(" ")
}

/// A relative path that exists, made absolute; anything else, and what a shell may read otherwise, as it is.
fn whole_path(word: &str) -> String {
    let is_simple = word.chars().all(|c| c.is_alphanumeric() || "._-/+".contains(c));
    match env::current_dir() {
        Ok(here)
            if !word.is_empty() && is_simple && Path::new(word).is_relative() && here.join(word).exists() =>
        {
            crate::shell::quoted(&here.join(word).display().to_string())
        }
        _ => word.to_owned(),
    }
}

/// Starts an adapter, and prepares the calls that were asked for.
pub(crate) fn under_test(
    request: &AdapterRequest,
    calls: &CallRequest,
    quiet: bool,
) -> Result<UnderTest, Report> {
    let (launch, folders) = launcher(request)?;
    let limits = AdapterLimits::new(request.line_limit);
    let mut host =
        AdapterHost::start(&launch, &request.subject, limits, calls.workers).map_err(Report::new)?;
    let described = host.description().clone();
    if !quiet {
        described.notes.iter().for_each(|note| tell(&format!("note: {note}")));
    }
    choose_operations(&mut host, calls)?;
    let options = AuthorOptions {
        reuse: calls.generation.reuse,
        second_object: calls.generation.second_object,
        longest: calls.generation.longest,
    };
    let vocabulary = host.vocabulary().clone();
    let author = AdapterAuthor::new(&described, &vocabulary, options);
    let world = AdapterWorld { command: request.command.clone(), described, _folders: folders };
    Ok(UnderTest {
        vocabulary,
        author: AnyAuthor::Adapter(Box::new(author)),
        host: AnyHost::Adapter(Box::new(host)),
        world: World::Adapter(Box::new(world)),
    })
}

/// Keeps the operations that `--only` and `--without` choose.
fn choose_operations(host: &mut AdapterHost, calls: &CallRequest) -> Result<(), Report> {
    let known: BTreeSet<String> =
        host.vocabulary().methods.iter().map(|method| method.name.clone()).collect();
    let named = calls.only.iter().flatten().chain(&calls.without);
    if let Some(unknown) = named.into_iter().find(|name| !known.contains(*name)) {
        let names: Vec<&str> = known.iter().map(String::as_str).collect();
        return Err(bad_input(
            format!("{} has no operation `{unknown}`", host.vocabulary().class),
            format!("its operations are {}", some_of(&names, 30)),
        ));
    }
    let left = host.keep_operations(|name| {
        calls.only.as_ref().is_none_or(|only| only.contains(name)) && !calls.without.contains(name)
    });
    match left {
        0 => Err(bad_input("--only and --without leave no operation", "name fewer operations in --without")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_exist_become_whole() {
        let here = env::current_dir().unwrap();
        let main = here.join("src/main.rs").display().to_string();
        assert_eq!(with_whole_paths("python3 src/main.rs -x"), format!("python3 {main} -x"));
        for same in ["python3 src/none.rs", "echo 'src/main.rs'; x", "/bin/true", ""] {
            assert_eq!(with_whole_paths(same), same);
        }
    }

    #[test]
    fn only_the_plain_word_means_what_adit_brings_along() {
        for other in ["python adapter.py", "python3", "python3 --version", "./python", ""] {
            assert!(shipped(other).unwrap().is_none(), "{other}");
        }
        if on_path("python3").is_none() {
            return;
        }
        let (command, folder) = shipped("python --path src").unwrap().unwrap();
        assert!(command.starts_with("exec python3 ") && command.contains("--path /"), "{command}");
        assert_eq!(std::fs::read_to_string(folder.path().join("adit_python.py")).unwrap(), PYTHON);
    }
}
