//! Results of an earlier run, for classes that have not changed since.
//!
//! A result is used again if the class has the same bytes, every class that it was followed into has the same
//! bytes, and nobody overrides or declares other methods than before. Models and the version of adit are part
//! of the key of the whole file.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use adit_bytecode::Class;
use adit_verify::{ClassReport, Skipped, Stopped};
use miette::Report;
use serde_json::{Map, Value, json};

use super::forms;
use crate::errors::bad_input;
use crate::output::{Target, write_failed};

/// Results by class, read from a file and written back at the end.
pub(super) struct Cache {
    file: Option<PathBuf>,
    key: String,
    old: Map<String, Value>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    hashes: BTreeMap<String, String>,
    /// Hash of all classes, their supertypes and their methods.
    hierarchy: String,
    signatures: BTreeMap<String, u64>,
    new: Map<String, Value>,
}

impl Cache {
    /// Opens the file; one of another version, or of other models, counts as empty.
    pub(super) fn open(file: Option<&Path>, models: [u64; 2], with_unchecked: bool) -> Result<Cache, Report> {
        let grade = if with_unchecked { " unchecked" } else { "" };
        let key = format!("adit {} {}{grade}", env!("CARGO_PKG_VERSION"), shown(models));
        let mut old = Map::new();
        if let Some(path) = file {
            match fs::read(path) {
                Ok(bytes) => {
                    let value: Value = serde_json::from_slice(&bytes).map_err(|error| {
                        bad_input(
                            format!("{}: not a cache of adit verify: {error}", path.display()),
                            "delete it, or name another file",
                        )
                    })?;
                    if value["key"] == key.as_str()
                        && let Value::Object(classes) = &value["classes"]
                    {
                        old.clone_from(classes);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    return Err(bad_input(
                        format!("{} cannot be read: {error}", path.display()),
                        "name another file",
                    ));
                }
            }
        }
        Ok(Cache { file: file.map(Path::to_owned), key, old, state: Mutex::new(State::default()) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a class of this run.
    pub(super) fn add(&self, outline: &Class, bytes: [u64; 2]) {
        if self.file.is_none() {
            return;
        }
        let mut hasher = fixed_hasher();
        (&outline.superclass, &outline.interfaces, outline.flags).hash(&mut hasher);
        for method in &outline.methods {
            (&method.name, &method.descriptor, method.flags).hash(&mut hasher);
        }
        let mut state = self.state();
        state.signatures.insert(outline.name.to_string(), hasher.finish());
        state.hashes.insert(outline.name.to_string(), shown(bytes));
    }

    /// All classes of this run are noted.
    pub(super) fn complete(&self) {
        let mut state = self.state();
        let mut hasher = fixed_hasher();
        state.signatures.hash(&mut hasher);
        state.hierarchy = format!("{:016x}", hasher.finish());
    }

    /// The result of an earlier run, if it still holds.
    pub(super) fn find(&self, name: &str) -> Option<ClassReport> {
        let known = self.old.get(name)?;
        let mut state = self.state();
        if known["hash"].as_str()? != state.hashes.get(name)? {
            return None;
        }
        let used = known["used"].as_object()?;
        if !used.is_empty() && known["hierarchy"] != state.hierarchy.as_str() {
            return None;
        }
        if used.iter().any(|(class, hash)| state.hashes.get(class).map(String::as_str) != hash.as_str()) {
            return None;
        }
        let report = ClassReport {
            findings: known["findings"].as_array()?.iter().map(forms::from_json).collect::<Option<_>>()?,
            skipped: known["skipped"].as_array()?.iter().map(skipped).collect::<Option<_>>()?,
            methods: usize::try_from(known["methods"].as_u64()?).ok()?,
            used: used.keys().map(|class| class.as_str().into()).collect(),
        };
        state.new.insert(name.to_owned(), known.clone());
        Some(report)
    }

    /// Keeps a result.
    pub(super) fn store(&self, name: &str, report: &ClassReport) {
        if self.file.is_none() {
            return;
        }
        let mut state = self.state();
        let used: Map<String, Value> = report
            .used
            .iter()
            .filter_map(|class| Some((class.to_string(), state.hashes.get(&**class)?.as_str().into())))
            .collect();
        let entry = json!({
            "hash": state.hashes.get(name),
            "hierarchy": state.hierarchy,
            "used": used,
            "methods": report.methods,
            "findings": report.findings.iter().map(forms::json).collect::<Vec<_>>(),
            "skipped": report
                .skipped
                .iter()
                .map(|one| json!([one.class, one.method, one.reason.reason()]))
                .collect::<Vec<_>>(),
        });
        state.new.insert(name.to_owned(), entry);
    }

    /// Writes the results of this run.
    pub(super) fn save(&self) -> Result<(), Report> {
        let Some(file) = &self.file else { return Ok(()) };
        let state = self.state();
        let sorted: BTreeMap<&String, &Value> = state.new.iter().collect();
        let value = json!({"key": self.key, "classes": sorted});
        Target::new(Some(file))
            .write(|out| serde_json::to_writer(out, &value).map_err(|e| write_failed(e.into())))
    }
}

fn skipped(value: &Value) -> Option<Skipped> {
    let reason = value[2].as_str()?;
    let reasons = [Stopped::TooLarge, Stopped::TooComplex, Stopped::Damaged];
    Some(Skipped {
        class: value[0].as_str()?.to_owned(),
        method: value[1].as_str()?.to_owned(),
        reason: reasons.into_iter().find(|known| known.reason() == reason)?,
    })
}

/// A hash of 128 bits that is the same on every machine and in every run.
pub(super) fn hash(bytes: &[u8]) -> [u64; 2] {
    [0u64, 0x9e37_79b9_7f4a_7c15].map(|seed| {
        let mut hasher = fixed_hasher();
        seed.hash(&mut hasher);
        bytes.hash(&mut hasher);
        hasher.finish()
    })
}

/// SipHash with fixed keys.
#[expect(deprecated, reason = "the only hasher of the standard library whose keys do not change")]
fn fixed_hasher() -> std::hash::SipHasher {
    std::hash::SipHasher::new_with_keys(0x6164_6974, 0x7665_7269)
}

fn shown([one, two]: [u64; 2]) -> String {
    format!("{one:016x}{two:016x}")
}
