//! The typestates that adit ships: models of everyday JDK classes in `models/`, mined by adit itself.
//!
//! `evals models` makes the files; this list says which of them were reviewed and are part of the binary.

use adit_automata::Fsa;
use adit_verify::{Facts, MethodFacts, ReceiverScope};
use miette::Report;
use serde::{Deserialize, Serialize};

use crate::errors::InternalFault;

/// A typestate beside its model: what the model does not say, and where it comes from.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct TypestateFile {
    /// The class, with dots.
    pub(crate) class: String,
    /// The objects that it applies to.
    pub(crate) scope: ScopeName,
    /// The class has no subclasses.
    #[serde(rename = "final")]
    pub(crate) is_final: bool,
    /// The model was made through a subject that passes arguments that are always right.
    #[serde(default)]
    pub(crate) right_arguments: bool,
    /// Methods that return new objects.
    #[serde(default)]
    pub(crate) creators: Vec<String>,
    pub(crate) methods: Vec<MethodFile>,
    /// The commands and versions that made the model, for people.
    pub(crate) made: serde_json::Value,
    /// Precision and recall of the model against the class.
    pub(crate) validation: serde_json::Value,
    /// The rules in English.
    pub(crate) rules: Vec<String>,
}

/// Names of [`ReceiverScope`] in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ScopeName {
    /// See [`ReceiverScope::Exact`].
    Exact,
    /// See [`ReceiverScope::Contract`].
    Contract,
}

/// See [`MethodFacts`].
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct MethodFile {
    label: String,
    name: String,
    descriptor: String,
    #[serde(default)]
    fluent: bool,
    #[serde(default)]
    declares: Vec<String>,
}

impl TypestateFile {
    pub(crate) fn facts(&self) -> Facts {
        let methods = self.methods.iter().map(|method| MethodFacts {
            label: method.label.clone(),
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
            fluent: method.fluent,
            declares: method.declares.clone(),
        });
        Facts {
            methods: methods.collect(),
            creators: self.creators.clone(),
            is_final: self.is_final,
            right_arguments: self.right_arguments,
        }
    }

    pub(crate) fn scope(&self) -> ReceiverScope {
        match self.scope {
            ScopeName::Exact => ReceiverScope::Exact,
            ScopeName::Contract => ReceiverScope::Contract,
        }
    }
}

macro_rules! shipped {
    ($($class:literal),* $(,)?) => {
        &[$((
            include_str!(concat!("../../../models/", $class, "/model.json")),
            include_str!(concat!("../../../models/", $class, "/typestate.json")),
        )),*]
    };
}

/// The shipped models and typestates, as files.
const SHIPPED: &[(&str, &str)] = shipped![
    "java.io.BufferedInputStream",
    "java.io.BufferedReader",
    "java.io.BufferedWriter",
    "java.io.CharArrayReader",
    "java.io.FileOutputStream",
    "java.io.FileReader",
    "java.io.FileWriter",
    "java.io.InputStreamReader",
    "java.io.LineNumberReader",
    "java.io.OutputStreamWriter",
    "java.io.PushbackInputStream",
    "java.io.PushbackReader",
    "java.io.StringReader",
    "java.lang.Thread",
    "java.nio.ByteBuffer",
    "java.nio.CharBuffer",
    "java.security.KeyStore",
    "java.security.Signature",
    "java.util.ArrayDeque",
    "java.util.Enumeration",
    "java.util.Formatter",
    "java.util.Iterator",
    "java.util.LinkedList",
    "java.util.ListIterator",
    "java.util.Optional",
    "java.util.OptionalDouble",
    "java.util.OptionalInt",
    "java.util.OptionalLong",
    "java.util.PriorityQueue",
    "java.util.Scanner",
    "java.util.Stack",
    "java.util.StringTokenizer",
    "java.util.Timer",
    "java.util.TreeMap",
    "java.util.TreeSet",
    "java.util.Vector",
    "java.util.concurrent.ExecutorService",
    "java.util.concurrent.ScheduledExecutorService",
    "java.util.jar.JarFile",
    "java.util.jar.JarOutputStream",
    "java.util.regex.Matcher",
    "java.util.zip.GZIPInputStream",
    "java.util.zip.GZIPOutputStream",
    "java.util.zip.InflaterInputStream",
    "java.util.zip.ZipInputStream",
    "java.util.zip.ZipOutputStream",
    "javax.crypto.Cipher",
    "javax.crypto.Mac",
    "javax.net.ssl.KeyManagerFactory",
    "javax.net.ssl.TrustManagerFactory",
];

/// Reads the shipped typestates.
pub(crate) fn shipped() -> Result<Vec<(TypestateFile, Fsa<String>)>, Report> {
    SHIPPED
        .iter()
        .map(|(model, about)| {
            let about: TypestateFile = serde_json::from_str(about)
                .map_err(|error| Report::new(InternalFault(format!("a shipped typestate: {error}"))))?;
            let name = format!("the shipped model of {}", about.class);
            Ok((about, crate::models::from_bytes(model.as_bytes(), &name)?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Write as _;

    use adit_verify::Typestate;

    use super::*;
    use crate::models::SPELLING;

    /// The rules that a person has read.
    const REVIEWED: &str = include_str!("../../../models/rules.txt");

    #[test]
    fn the_rules_of_the_shipped_models_are_the_reviewed_ones() {
        let mut rules = String::new();
        for (about, model) in shipped().unwrap() {
            let class = about.class.replace('.', "/");
            let typestate = Typestate::new(&class, &model, &SPELLING, about.scope(), &about.facts()).unwrap();
            assert_eq!(typestate.rules(), about.rules, "{}", about.class);
            let _ = writeln!(rules, "{}", about.class);
            for rule in &about.rules {
                let _ = writeln!(rules, "    {rule}");
            }
        }
        assert_eq!(rules, REVIEWED);
    }

    #[test]
    fn every_model_in_the_folder_is_shipped() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
        let found: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.join("typestate.json").exists())
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        let shipped: BTreeSet<String> =
            shipped().unwrap().into_iter().map(|(about, _)| about.class).collect();
        assert_eq!(found, shipped);
    }
}
