//! Files of findings: what was found, and the messages that show it.

use std::fs;
use std::path::{Path, PathBuf};

use adit_fuzz::campaign::Campaign;
use adit_fuzz::findings::ServerFinding;
use miette::Report;
use serde::{Deserialize, Serialize};

use crate::errors::{InternalFault, bad_input};
use crate::output::create_folder;

/// Version of the files.
const VERSION: u32 = 1;

/// A finding as a file.
#[derive(Serialize, Deserialize)]
pub(super) struct ScriptFile {
    version: u32,
    /// Command of the server, as it was typed.
    pub(super) server: Vec<String>,
    /// The finding with its messages.
    pub(super) finding: ServerFinding,
}

/// Writes all findings of a campaign, and returns their files.
pub(super) fn write_all(
    folder: &Path,
    campaign: &Campaign<'_>,
    server: &[String],
) -> Result<Vec<PathBuf>, Report> {
    for old in in_folder(folder) {
        // It is written again below, or belongs to a campaign that was started over.
        let _ = fs::remove_file(old);
    }
    let findings = folder.join("findings");
    if !campaign.findings().is_empty() {
        create_folder(&findings)?;
    }
    let mut files = Vec::new();
    for (at, finding) in campaign.findings().iter().enumerate() {
        let name = format!("{:02}-{}-{}.json", at + 1, finding.key.kind.name(), finding.key.label);
        let file = findings.join(name);
        let content = ScriptFile { version: VERSION, server: server.to_vec(), finding: finding.clone() };
        let text = serde_json::to_string_pretty(&content)
            .map_err(|error| InternalFault(format!("a finding cannot be written: {error}")))?;
        fs::write(&file, text + "\n").map_err(|error| {
            bad_input(format!("{}: cannot write: {error}", file.display()), "choose another folder with -o")
        })?;
        files.push(file);
    }
    Ok(files)
}

/// The files of findings in the folder of a campaign.
pub(super) fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder.join("findings")) else { return Vec::new() };
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    files.filter(|file| file.extension().is_some_and(|extension| extension == "json")).collect()
}

/// Reads the file of a finding.
pub(super) fn read(file: &Path) -> Result<ScriptFile, Report> {
    let text = fs::read_to_string(file).map_err(|error| {
        bad_input(
            format!("{}: cannot read: {error}", file.display()),
            "name a file in the `findings` of a campaign",
        )
    })?;
    let content: ScriptFile = serde_json::from_str(&text).map_err(|error| {
        bad_input(
            format!("{}: this is no finding of `adit fuzz`: {error}", file.display()),
            "name a file in the `findings` of a campaign",
        )
    })?;
    if content.version != VERSION {
        return Err(bad_input(
            format!(
                "{}: its version is {}, and adit knows version {VERSION}",
                file.display(),
                content.version
            ),
            "use the adit that wrote it",
        ));
    }
    Ok(content)
}
