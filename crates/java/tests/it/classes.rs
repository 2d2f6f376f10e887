//! The small classes, whose sources lie in `tests/java`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use adit_bytecode::overloads::Overloads;
use adit_bytecode::{ClassPath, Folder, NoCache};
use adit_java::{Api, ApiError, ApiOptions, Generator, GeneratorOptions, Supply, prepare};
use adit_trace::{Argument, Statement};

/// The small classes; those that give fixtures only when they are asked for, because anything on the class
/// path may be used to make values.
pub(crate) fn small(fixtures: bool) -> ClassPath {
    ClassPath::new(vec![Box::new(Folder::in_memory("small", small_files(fixtures)))])
}

/// The files of the small classes.
pub(crate) fn small_files(fixtures: bool) -> BTreeMap<String, Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/classes/small");
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| fixtures || !path.ends_with("Gifts.class"))
        .map(|path| {
            (format!("small/{}", path.file_name().unwrap().to_str().unwrap()), fs::read(path).unwrap())
        })
        .collect()
}

pub(crate) fn options() -> ApiOptions {
    ApiOptions {
        non_public: false,
        object_methods: false,
        only: None,
        without: BTreeSet::new(),
        fixtures: Vec::new(),
        overloads: Overloads::Merged,
    }
}

pub(crate) fn prepared(class: &str, options: &ApiOptions) -> Result<(Api, Supply), ApiError> {
    prepare(&small(!options.fixtures.is_empty()), None, class, options, &NoCache)
}

pub(crate) fn generator(class: &str) -> (Api, Generator) {
    let (api, supply) = prepared(class, &options()).unwrap();
    let generator = Generator::new(&api, supply, generator_options());
    (api, generator)
}

pub(crate) fn generator_options() -> GeneratorOptions {
    GeneratorOptions { reuse: 0.3, second_object: 0.3, longest: 40 }
}

/// A statement in one line: `#1.add(5)`.
pub(crate) fn show(statement: &Statement) -> String {
    let callable = &statement.callable;
    let args: Vec<String> = statement.args.iter().map(show_argument).collect();
    let simple = callable.owner.rsplit('.').next().unwrap();
    match (callable.kind, statement.receiver) {
        (adit_trace::CallKind::Constant, _) => format!("{simple}.{}", callable.name),
        (adit_trace::CallKind::Constructor, _) => format!("new {simple}({})", args.join(", ")),
        (_, Some(receiver)) => format!("#{receiver}.{}({})", callable.name, args.join(", ")),
        (_, None) => format!("{simple}.{}({})", callable.name, args.join(", ")),
    }
}

pub(crate) fn show_argument(argument: &Argument) -> String {
    match argument {
        Argument::Null => "null".to_owned(),
        Argument::Bool(value) => value.to_string(),
        Argument::Int(value) => value.to_string(),
        Argument::Float(value) => format!("{value:?}"),
        Argument::Text(value) => format!("{value:?}"),
        Argument::Earlier(at) => format!("#{at}"),
        Argument::Array(elements) => {
            format!("[{}]", elements.iter().map(show_argument).collect::<Vec<_>>().join(", "))
        }
        Argument::Function(result) => format!("() -> {}", show_argument(result)),
        Argument::Class(name) => format!("{name}.class"),
    }
}
