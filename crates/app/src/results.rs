//! Results of a run, as the JSON files in its folder: one struct per file, written and read by the same code.

use std::collections::BTreeSet;
use std::path::Path;

use miette::Report;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::errors::bad_input;
use crate::input::{open, read_whole};
use crate::output::{Target, write_failed};

pub(crate) mod every_class;
pub(crate) mod explored_first;
mod findings;
mod invariants;
mod names;
pub(crate) mod not_made;
mod properties;
pub(crate) mod run;
mod search;
mod tested_orders;
mod tests;
pub(crate) mod validation;

pub(crate) use findings::{Change, Finding, FindingKind, Findings};
pub(crate) use invariants::Invariants;
pub(crate) use names::{GivenName, Names};
pub(crate) use properties::{Properties, PropertyResult, Witness};
pub(crate) use run::Run;
pub(crate) use search::SearchHistory;
pub(crate) use tested_orders::TestedOrders;
pub(crate) use tests::{TestResult, Tests};
pub(crate) use validation::Validation;

/// Version of all these files. They are written together and refer to each other, so they share one.
///
/// Version 1 had no number, counted properties that were never attacked among the surviving ones, and did not
/// describe tests completely.
const VERSION: u32 = 2;

/// All results in a folder. What is absent was not written yet, or is of another origin than a mined class.
#[derive(Default)]
pub(crate) struct Results {
    pub(crate) run: Option<Run>,
    pub(crate) properties: Option<Properties>,
    pub(crate) tests: Option<Tests>,
    pub(crate) search: Option<SearchHistory>,
    pub(crate) findings: Option<Findings>,
    /// Never written by `adit mine`: users save the output of `adit validate --json`.
    pub(crate) validation: Option<Validation>,
    /// Only after `adit mine --test-spec`.
    pub(crate) tested_orders: Option<TestedOrders>,
}

impl Results {
    /// Reads all results of a folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, Report> {
        Ok(Self {
            run: read(folder)?,
            properties: read(folder)?,
            tests: read(folder)?,
            search: read(folder)?,
            findings: read(folder)?,
            validation: read(folder)?,
            tested_orders: read(folder)?,
        })
    }
}

/// The content of one file.
pub(crate) trait ResultFile: Serialize + DeserializeOwned {
    /// Name of the file in its folder.
    const NAME: &'static str;
    /// Command that writes the file again.
    const REMEDY: &'static str =
        "run the same `adit mine` command again: it continues the campaign and writes all files again";
}

/// Content with the number of its version in front.
#[derive(Serialize)]
struct Versioned<'a, T> {
    version: u32,
    #[serde(flatten)]
    content: &'a T,
}

/// The part of a file that every version has, except the first.
#[derive(Deserialize)]
struct Header {
    #[serde(default = "first_version")]
    version: u32,
}

fn first_version() -> u32 {
    1
}

/// Returns the versioned JSON of a result.
pub(crate) fn json(content: &impl Serialize) -> Value {
    serde_json::to_value(Versioned { version: VERSION, content }).expect("keys of results are texts")
}

/// Writes a file into its folder.
pub(crate) fn write<T: ResultFile>(folder: &Path, content: &T) -> Result<(), Report> {
    let target = Target::File(folder.join(T::NAME));
    target.write(|out| writeln!(out, "{:#}", json(content)).map_err(write_failed))
}

/// Reads the signatures of all that the class of a campaign's folder offers to call; nothing if the folder
/// does not say.
pub(crate) fn offered(folder: &Path) -> Result<BTreeSet<String>, Report> {
    Ok(read::<Run>(folder)?.map(|run| run.summary.methods).unwrap_or_default())
}

/// Reads a file of a folder, if it is there.
pub(crate) fn read<T: ResultFile>(folder: &Path) -> Result<Option<T>, Report> {
    let path = folder.join(T::NAME);
    if !path.exists() {
        return Ok(None);
    }
    let (name, bytes) = read_whole(open(&path)?)?;
    parse::<T>(&name, &bytes).map(Some)
}

/// Parses a file called `name`; refuses another version.
fn parse<T: ResultFile>(name: &str, bytes: &[u8]) -> Result<T, Report> {
    let malformed = |error: serde_json::Error| {
        bad_input(
            format!("{name}:{}:{}: not a result file of adit: {error}", error.line(), error.column()),
            "was the file edited or cut off? move it away, and adit uses what else is in the folder",
        )
    };
    let Header { version } = serde_json::from_slice(bytes).map_err(malformed)?;
    if version != VERSION {
        let help = if version < VERSION {
            format!("an older adit wrote it: {}", T::REMEDY)
        } else {
            "a newer adit wrote it: use that version".to_owned()
        };
        return Err(bad_input(
            format!("{name} has version {version}, and this adit reads version {VERSION}"),
            help,
        ));
    }
    serde_json::from_slice(bytes).map_err(malformed)
}

#[cfg(test)]
mod version_tests {
    use super::*;

    fn refused(text: &str) -> String {
        parse::<Properties>("properties.json", text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn another_version_is_refused() {
        assert_eq!(
            refused(r#"{"pure": [], "properties": []}"#),
            "properties.json has version 1, and this adit reads version 2"
        );
        assert_eq!(
            refused(r#"{"version": 3, "anything": 1}"#),
            "properties.json has version 3, and this adit reads version 2"
        );
        assert!(refused(r#"{"version": 2, "pure": 7}"#).starts_with("properties.json:1:"));
        assert!(refused("7").starts_with("properties.json:1:"));
    }
}
