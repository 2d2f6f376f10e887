//! Flags that several commands share, in the terms of the program.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;

use adit_automata::{Fsa, TooLarge};
use adit_bytecode::overloads::Overloads;
use adit_java::GeneratorOptions;
use adit_jvm::Sandbox;
use miette::Report;

use crate::errors::no_answer;
use crate::flags::{ClassFlags, GenerateFlags, ReductionFlags};
use crate::models::STATES;
use crate::request::{CallRequest, ClassRequest};

/// The class that was named, and where to find it.
pub(super) fn class_request(flags: &ClassFlags) -> ClassRequest {
    ClassRequest {
        name: flags.class.clone(),
        class_path: class_path(&flags.classpath),
        find_project: !flags.no_project && flags.classpath.is_empty(),
        jdk: flags.jdk.clone(),
        non_public: flags.non_public,
        sandbox: if flags.unsafe_no_sandbox { Sandbox::Unsafe } else { Sandbox::Required },
    }
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
fn class_path(typed: &[OsString]) -> Vec<PathBuf> {
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
    names.into_iter().collect()
}

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
    }

    #[test]
    fn empty_entries_of_a_class_path_are_dropped() {
        let typed = ["a::b".into(), "".into(), "c.jar".into()];
        assert_eq!(class_path(&typed), ["a", "b", "c.jar"].map(PathBuf::from));
    }
}
