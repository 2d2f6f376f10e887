//! The inputs of `adit verify`: which of them are models, and the typestates that they make.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use adit_automata::Fsa;
use adit_automata::format::Format;
use adit_bytecode::{Class, ClassPath, Flags};
use adit_verify::{Facts, MOST_STATES, ReceiverScope, Typestate, TypestateError, facts_of};
use miette::Report;
use serde_json::{Value, json};

use super::Paths;
use crate::errors::bad_input;
use crate::flags::verify::VerifyFlags;
use crate::input::{missing, open};
use crate::models::{self, MODEL, SPELLING, UnknownFormat};
use crate::output::{counted, some_of, without_gz};
use crate::shipped::{self, TypestateFile};
use crate::stderr::tell;

/// Tells models and code apart.
pub(super) fn classify(paths: &[PathBuf], only_models: bool) -> Result<(Paths, Paths), Report> {
    let (mut models, mut code) = (Vec::new(), Vec::new());
    for path in paths {
        let is_pattern = path.file_name().is_some_and(|name| name == "*");
        if !is_pattern && !path.exists() {
            return Err(missing(path));
        }
        let name = path.to_string_lossy();
        let is_mined = path.is_dir() && path.join(MODEL).exists();
        if is_mined || (path.is_file() && Format::from_extension(without_gz(&name)).is_some()) {
            models.push(path.clone());
        } else if path.extension().is_some_and(|extension| extension == "class" || extension == "java") {
            return Err(bad_input(
                format!("{name} is a single file"),
                "name the folder that holds the compiled classes, or a jar",
            ));
        } else {
            code.push(path.clone());
        }
    }
    if code.is_empty() && !only_models {
        return Err(bad_input(
            "only models are named, and no code",
            "add jars or folders of classes to verify: `adit verify MODEL target/classes`",
        ));
    }
    Ok((models, code))
}

/// The typestates to verify with, each with a hash of what it was made from.
pub(super) fn typestates(
    flags: &VerifyFlags,
    model_paths: &[PathBuf],
    class_paths: &[PathBuf],
    quiet: bool,
) -> Result<Vec<(Typestate, [u64; 2])>, Report> {
    let mut found = Vec::new();
    if model_paths.is_empty() || flags.shipped {
        for (about, model) in shipped::shipped()? {
            let typestate = shipped_typestate(&about, &model)?;
            found.push((typestate, hash_of(&model, &about)));
        }
    }
    if model_paths.is_empty() {
        return Ok(found);
    }
    // Without a JDK, methods of its classes are recognized by their names alone.
    let jdk = match (&flags.jdk, crate::java::jdk::find(flags.jdk.as_deref())) {
        (Some(_), Err(error)) => return Err(error),
        (_, found) => found.ok(),
    };
    let classes = adit_jvm::classes::open(jdk.as_ref(), class_paths)?;
    for path in model_paths {
        let made = user_model(path, flags.class.as_deref(), flags.right_arguments, &classes)?;
        if !made.class_found && !quiet {
            let (name, shown) = (made.typestate.dotted_class(), path.display());
            tell(&format!(
                "note: {name}, the class of {shown}, was not found; its methods are told apart by names: add \
                 its folder of classes or its jar to the command"
            ));
        }
        found.push((made.typestate, made.hash));
    }
    Ok(found)
}

/// The typestate of a shipped model.
pub(in crate::commands) fn shipped_typestate(
    about: &TypestateFile,
    model: &Fsa<String>,
) -> Result<Typestate, Report> {
    let class = about.class.replace('.', "/");
    Typestate::new(&class, model, &SPELLING, about.scope(), &about.facts())
        .map_err(|error| unusable(&format!("the shipped model of {}", about.class), &error))
}

/// A model of the user, prepared.
pub(in crate::commands) struct UserModel {
    pub(in crate::commands) typestate: Typestate,
    /// The class path has the class.
    pub(in crate::commands) class_found: bool,
    facts: Facts,
    scope: ReceiverScope,
    hash: [u64; 2],
}

/// The named models as typestates.
pub(super) fn describe(
    flags: &VerifyFlags,
    model_paths: &[PathBuf],
    class_paths: &[PathBuf],
) -> Result<Value, Report> {
    if model_paths.is_empty() {
        return Err(bad_input("no model is named", "name a model, or a folder of `adit mine`"));
    }
    let jdk = crate::java::jdk::find(flags.jdk.as_deref())?;
    let classes = adit_jvm::classes::open(Some(&jdk), class_paths)?;
    let mut described = Vec::new();
    for path in model_paths {
        let UserModel { typestate, facts, scope, .. } =
            user_model(path, flags.class.as_deref(), flags.right_arguments, &classes)?;
        let methods: Vec<Value> = facts
            .methods
            .iter()
            .map(|method| {
                json!({
                    "label": method.label,
                    "name": method.name,
                    "descriptor": method.descriptor,
                    "fluent": method.fluent,
                    "declares": method.declares,
                })
            })
            .collect();
        described.push(json!({
            "class": typestate.dotted_class(),
            "scope": if scope == ReceiverScope::Exact { "exact" } else { "contract" },
            "final": facts.is_final,
            "methods": methods,
            "rules": typestate.rules(),
            "java": jdk.version,
        }));
    }
    Ok(json!({"typestates": described}))
}

/// The class that a model is of: the given one, or the one that the model says.
pub(in crate::commands) fn class_of_model(path: &Path, class: Option<&str>) -> Result<String, Report> {
    Ok(named_model(path, class)?.1)
}

fn named_model(path: &Path, class: Option<&str>) -> Result<(Fsa<String>, String), Report> {
    let file = models::file_of(path)?;
    let (model, title) = models::read_titled(open(&file)?, None, UnknownFormat::ConvertIt)?;
    let name = class.map(str::to_owned).or(title).ok_or_else(|| {
        bad_input(
            format!("{} does not say which class it is a model of", path.display()),
            "name the class with --class",
        )
    })?;
    Ok((model, name))
}

/// Reads a model of the user, and prepares it with what the class path says about its class.
pub(in crate::commands) fn user_model(
    path: &Path,
    class: Option<&str>,
    right_arguments: bool,
    classes: &ClassPath,
) -> Result<UserModel, Report> {
    let (model, name) = named_model(path, class)?;
    let shown = path.display().to_string();
    let (internal, above) = match classes.class(&name) {
        Ok(class) => (class.name.to_string(), with_supertypes(classes, class)),
        Err(_) => (name.replace('.', "/"), Vec::new()),
    };
    let methods = facts_of(&model, &SPELLING, &above).map_err(|methods| {
        bad_input(
            format!(
                "{shown} is a model of another version of {name}: the class has no {}",
                some_of(&methods, 3)
            ),
            format!("mine it again: `adit mine {name} -c CLASSPATH`"),
        )
    })?;
    let (flags_of, is_abstract) = match above.first() {
        Some(class) => (class.flags, class.flags.has(Flags::ABSTRACT) || class.is_interface()),
        None => (Flags(0), false),
    };
    let facts =
        Facts { methods, creators: Vec::new(), is_final: flags_of.has(Flags::FINAL), right_arguments };
    let scope = if is_abstract { ReceiverScope::Contract } else { ReceiverScope::Exact };
    let typestate = Typestate::new(&internal, &model, &SPELLING, scope, &facts)
        .map_err(|error| unusable(&shown, &error))?;
    let described = format!("{facts:?}{scope:?}");
    let hash = hash_of(&model, &described);
    let class_found = !above.is_empty();
    Ok(UserModel { typestate, class_found, facts, scope, hash })
}

/// The class and everything above it, nearest first, as far as the class path has it.
fn with_supertypes(classes: &ClassPath, class: Class) -> Vec<Arc<Class>> {
    /// A damaged class path may have circles.
    const MOST: usize = 200;
    let mut found = vec![Arc::new(class)];
    let mut at = 0;
    while at < found.len() && found.len() < MOST {
        let above: Vec<Arc<str>> =
            found[at].superclass.iter().chain(&found[at].interfaces).cloned().collect();
        for name in above {
            if !found.iter().any(|known| known.name == name)
                && let Ok(Some(class)) = classes.read(&name)
            {
                found.push(Arc::new(class));
            }
        }
        at += 1;
    }
    found
}

fn unusable(what: &str, error: &TypestateError) -> Report {
    match error {
        TypestateError::TooManyStates(states) => bad_input(
            format!("{what} has {}; a typestate has at most {MOST_STATES}", counted(*states, "state")),
            "mine it with fewer methods (--only), or make it smaller with `adit convert --minimize`",
        ),
        TypestateError::NothingRefused => bad_input(
            format!("{what} refuses no call in any state, so that nothing can be checked with it"),
            "models that `adit mine` makes by exploration say what each state refuses",
        ),
        TypestateError::NoConstructor => bad_input(
            format!("{what} has no transition from an initial state that constructs an object"),
            "the first event of a model of a class is its constructor",
        ),
        error => bad_input(format!("{what} cannot be used: {error:?}"), "mine it again"),
    }
}

/// Identifies a typestate, for the cache.
fn hash_of(model: &Fsa<String>, about: &impl std::fmt::Debug) -> [u64; 2] {
    super::cache::hash(format!("{model:?}{about:?}").as_bytes())
}

/// Identifies all typestates together.
pub(super) fn fingerprint(typestates: &[(Typestate, [u64; 2])]) -> [u64; 2] {
    let mut bytes = Vec::new();
    for (_, [one, two]) in typestates {
        bytes.extend(one.to_be_bytes());
        bytes.extend(two.to_be_bytes());
    }
    super::cache::hash(&bytes)
}
