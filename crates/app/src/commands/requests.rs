//! Flags that several commands share, in the terms of the program.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

use adit_automata::{Fsa, TooLarge};
use adit_bytecode::Class;
use adit_bytecode::overloads::Overloads;
use adit_java::GeneratorOptions;
use adit_jvm::Sandbox;
use miette::Report;

use crate::adapter::AdapterRequest;
use crate::errors::{bad_input, no_answer};
use crate::flags::{AdapterFlags, ClassFlags, GenerateFlags, ReductionFlags};
use crate::models::STATES;
use crate::request::{CallRequest, ClassRequest};
use crate::shell;

/// The class that was named, and where to find it.
pub(super) fn class_request(flags: &ClassFlags) -> Result<ClassRequest, Report> {
    let name = class_name(&flags.class)?;
    let class_path = class_path(&flags.classpath);
    refuse_sources(&name, &class_path)?;
    Ok(ClassRequest {
        name,
        class_path,
        find_project: !flags.no_project && flags.classpath.is_empty(),
        jdk: flags.jdk.clone(),
        non_public: flags.non_public,
        sandbox: sandbox(flags),
        adapter: None,
    })
}

fn sandbox(flags: &ClassFlags) -> Sandbox {
    if flags.unsafe_no_sandbox { Sandbox::Unsafe } else { Sandbox::Required }
}

/// The class that was named, or the subject of the adapter that was named.
pub(super) fn subject_request(
    class: &ClassFlags,
    adapter: &AdapterFlags,
    generate: &GenerateFlags,
) -> Result<ClassRequest, Report> {
    let Some(command) = &adapter.adapter else { return class_request(class) };
    refuse_java_flags(class, generate)?;
    if command.trim().is_empty() {
        return Err(bad_input(
            "--adapter has no command",
            "write the command that starts the adapter: --adapter 'python3 adapter.py'",
        ));
    }
    Ok(ClassRequest {
        name: class.class.clone(),
        class_path: Vec::new(),
        find_project: false,
        jdk: None,
        non_public: false,
        sandbox: sandbox(class),
        adapter: Some(AdapterRequest {
            command: command.clone(),
            subject: class.class.clone(),
            sandbox: sandbox(class),
            line_limit: generate.script_limit,
        }),
    })
}

/// Rejects flags about Java classes, which have no effect on an adapter.
fn refuse_java_flags(class: &ClassFlags, generate: &GenerateFlags) -> Result<(), Report> {
    let idle = [
        (!class.classpath.is_empty(), "--classpath"),
        (class.jdk.is_some(), "--jdk"),
        (class.non_public, "--non-public"),
        (!generate.fixtures.is_empty(), "--fixtures"),
        (generate.object_methods, "--object-methods"),
        (generate.labels.is_some(), "--labels"),
        (generate.fresh_statics, "--fresh-statics"),
    ];
    match idle.into_iter().find(|(given, _)| *given) {
        Some((_, flag)) => Err(bad_input(
            format!("{flag} has no effect with --adapter"),
            "remove it; the adapter decides what can be called, and with which values",
        )),
        None => Ok(()),
    }
}

/// Name of the folder of a class in `adit-out`: the same however a nested class was typed.
pub(super) fn folder_name(class: &str) -> String {
    class.replace('$', ".")
}

/// The class that a user means: with dots, also if it was typed as `java/util/Stack` or `Stack.class`.
fn class_name(typed: &str) -> Result<String, Report> {
    let file = Path::new(typed);
    if file.extension().is_some_and(|extension| extension == "class" || extension == "java") && file.is_file()
    {
        return Err(file_instead_of_class(file));
    }
    let plain = typed.strip_suffix(".class").or(typed.strip_suffix(".java")).unwrap_or(typed);
    Ok(plain.trim_matches('/').replace('/', "."))
}

/// The error about the file of a class where the name of a class is wanted.
fn file_instead_of_class(file: &Path) -> Report {
    let message = format!("{} is a file; adit wants the name of a class", file.display());
    let class =
        fs::read(file).ok().and_then(|bytes| Some(Class::parse_outline(&bytes, "").ok()?.dotted_name()));
    let Some(class) = class else {
        return bad_input(
            message,
            "name the class with its package, and where its compiled classes are with -c",
        );
    };
    let folder = file.ancestors().nth(class.split('.').count()).unwrap_or(Path::new(""));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let folder = shell::quoted(&folder.display().to_string());
    bad_input(message, format!("it is the class {}: write `{0} -c {folder}`", shell::quoted(&class)))
}

/// Fails if the class path holds the source of a class and not the class: a common mistake, and no jar could
/// hold the class either.
fn refuse_sources(class: &str, class_path: &[PathBuf]) -> Result<(), Report> {
    let inside = |root: &Path, extension: &str| {
        let path = class.replace('.', "/");
        root.join(format!("{path}.{extension}"))
    };
    for entry in class_path {
        refuse_too_deep(class, entry)?;
    }
    if class_path.is_empty()
        || class_path.iter().any(|entry| !entry.is_dir() || inside(entry, "class").exists())
    {
        return Ok(());
    }
    for entry in class_path {
        if let Some(built) = ["target/classes", "build/classes/java/main", "out/production", "bin", "classes"]
            .map(|folder| entry.join(folder))
            .into_iter()
            .find(|folder| inside(folder, "class").exists())
        {
            return Err(bad_input(
                format!("{} does not hold the class {class}, but {} does", entry.display(), built.display()),
                format!("use -c {}", shell::quoted(&built.display().to_string())),
            ));
        }
        let source = inside(entry, "java");
        if source.exists() {
            return Err(bad_input(
                format!("{} is source code; -c wants compiled classes", source.display()),
                "compile it and name the folder of its classes, such as -c target/classes",
            ));
        }
    }
    Ok(())
}

/// Fails if an entry of the class path is the file of a class, or a folder inside of its package: Java looks
/// for a class below the folder in which its package begins.
fn refuse_too_deep(class: &str, entry: &Path) -> Result<(), Report> {
    let outline = |file: &Path| Class::parse_outline(&fs::read(file).ok()?, "").ok();
    let root = |file: &Path, name: &str| {
        let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        let depth = name.split('.').count();
        // As short as it was typed, if that is long enough.
        let typed = file.ancestors().nth(depth).filter(|folder| !folder.as_os_str().is_empty());
        let folder =
            typed.map_or_else(|| whole.ancestors().nth(depth).map(Path::to_owned), |one| Some(one.into()));
        shell::quoted(&folder.unwrap_or_else(|| PathBuf::from(".")).display().to_string())
    };
    if entry.is_file() && entry.extension().is_some_and(|extension| extension == "class") {
        let help = match outline(entry).map(|class| class.dotted_name()) {
            Some(name) => format!("it is the class {}: use -c {}", shell::quoted(&name), root(entry, &name)),
            None => "name the folder in which the package of the class begins".to_owned(),
        };
        return Err(bad_input(
            format!("{} is a class file; -c wants folders and jars", entry.display()),
            help,
        ));
    }
    let simple = class.rsplit('.').next().unwrap_or(class);
    let file = entry.join(format!("{simple}.class"));
    let Some(name) = outline(&file).map(|class| class.dotted_name()) else { return Ok(()) };
    if name.contains('.') && (name == class || simple == class) {
        return Err(bad_input(
            format!("{} is inside of the package of {name}", entry.display()),
            format!("name the class {}, and use -c {}", shell::quoted(&name), root(&file, &name)),
        ));
    }
    Ok(())
}

/// The calls that were asked for. `generation` is the command's own.
pub(super) fn call_request(flags: &GenerateFlags, generation: GeneratorOptions) -> CallRequest {
    CallRequest {
        fixtures: flags.fixtures.clone(),
        only: flags.only.as_deref().map(method_names),
        without: method_names(&flags.without),
        object_methods: flags.object_methods,
        overloads: flags.labels.unwrap_or(Overloads::Apart),
        calls: flags.calls,
        seed: flags.seed,
        fresh_statics: flags.fresh_statics,
        workers: flags.workers.map_or_else(cores, usize::from),
        waiting_workers: flags.workers.map_or_else(|| (WAITING * cores()).min(MOST_WAITING), usize::from),
        script_limit: flags.script_limit,
        generation,
    }
}

/// Returns the model unchanged, determinized, or minimized.
pub(super) fn reduce<L: Ord + Clone>(model: Fsa<L>, flags: &ReductionFlags) -> Result<Fsa<L>, Report> {
    let reduced = match flags {
        ReductionFlags { minimize: true, .. } => model.minimize(STATES),
        ReductionFlags { determinize: true, .. } => model.determinize(STATES),
        _ => return Ok(model),
    };
    reduced.map_err(|TooLarge(states)| {
        no_answer(
            format!("the deterministic model has more than {states} states"),
            "remove --determinize and --minimize, or generalize more",
        )
    })
}

/// The entries of a class path, those of repeated flags in order.
pub(super) fn class_path(typed: &[OsString]) -> Vec<PathBuf> {
    let split = typed.iter().flat_map(|path| env::split_paths(path).collect::<Vec<_>>());
    // Two colons in a row come from scripts that join empty parts. Java would search the current folder,
    // which nobody meant.
    split.filter(|entry| !entry.as_os_str().is_empty()).collect()
}

/// Method names. A comma separates them, and also the types of `add(int,Object)`, which are put together
/// again.
pub(super) fn method_names(typed: &[String]) -> BTreeSet<String> {
    let mut names: Vec<String> = Vec::new();
    for part in typed {
        match names.last_mut().filter(|last| last.contains('(') && !last.contains(')')) {
            Some(last) => {
                last.push(',');
                last.push_str(part);
            }
            None => names.push(part.clone()),
        }
    }
    // A comma at the end separates nothing.
    names.into_iter().filter(|name| !name.trim().is_empty()).collect()
}

/// Workers for each core while tests mostly wait, and how many there are at most: each takes some memory.
const WAITING: usize = 4;
const MOST_WAITING: usize = 16;

/// Number of cores, at most eight: more workers or threads would wait for the process that feeds them.
pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get).min(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameter_types_stay_with_their_method() {
        let typed = ["size", "add(int", "Object)", "get"].map(str::to_owned);
        let names: Vec<String> = method_names(&typed).into_iter().collect();
        assert_eq!(names, ["add(int,Object)", "get", "size"]);
        let typed = ["get", ""].map(str::to_owned);
        assert_eq!(method_names(&typed), BTreeSet::from(["get".to_owned()]));
    }

    #[test]
    fn a_class_has_one_name() {
        for typed in ["a.b.Stack", "a/b/Stack", "a.b.Stack.class", "a/b/Stack.class", "a/b/Stack.java"] {
            assert_eq!(class_name(typed).unwrap(), "a.b.Stack", "{typed}");
        }
        assert_eq!(folder_name("a.Map$Entry"), folder_name("a.Map.Entry"));
    }

    #[test]
    fn empty_entries_of_a_class_path_are_dropped() {
        let typed = ["a::b".into(), "".into(), "c.jar".into()];
        assert_eq!(class_path(&typed), ["a", "b", "c.jar"].map(PathBuf::from));
    }
}
