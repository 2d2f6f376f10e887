//! The report: a model, the evidence for it and its provenance, as one self-contained HTML file.
//!
//! `page.rs` is the content, `load.rs` loads it from a folder, `evidence.rs` finds the traces and tests that
//! took each transition, `properties.rs` summarizes properties, `html.rs` writes the file with the pictures
//! of `adit-picture`, `versus.rs` does so for two models side by side, `terminal.rs` tells it without a
//! browser (`boxes.rs` draws it there), and `protocol.rs` says in sentences what a model refuses.

use std::path::Path;

use adit_automata::Fsa;
use adit_store::Campaign;
use miette::Report;

use crate::output::{Target, write_failed};
use crate::results::Results;

pub(crate) mod boxes;
pub(crate) mod evidence;
mod html;
pub(crate) mod index;
mod load;
pub(crate) mod page;
mod properties;
pub(crate) mod protocol;
mod provenance;
pub(crate) mod terminal;
mod trust;
mod versus;

pub(crate) use html::html;
use load::replay_campaign;
pub(crate) use load::{load, load_detail, load_model};
use page::Page;
pub(crate) use versus::{Versus, versus};

/// Name of the page in its folder.
pub(crate) const NAME: &str = "report.html";

/// Remark about a folder that has only one model.
pub(crate) const NO_DETAIL: &str = "note: there is no finer model, so this is the only one";

/// Writes the page of a round that has just ended into its folder.
pub(crate) fn write(
    folder: &Path,
    title: &str,
    model: Fsa<String>,
    detail: Option<Fsa<String>>,
    results: Results,
    campaign: &Campaign,
) -> Result<RejectedTraces, Report> {
    let page =
        Page::new(title.to_owned(), model, detail, results, |replay| replay_campaign(campaign, replay))?;
    put(&Target::File(folder.join(NAME)), &html(&page))?;
    Ok(RejectedTraces { rejected: page.evidence.outside, all: page.evidence.traces })
}

/// Recorded traces that a model rejects, among all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RejectedTraces {
    pub(crate) rejected: u64,
    pub(crate) all: u64,
}

/// Writes a text or the bytes of a picture.
pub(crate) fn put(target: &Target, content: &(impl AsRef<[u8]> + ?Sized)) -> Result<(), Report> {
    target.write(|out| out.write_all(content.as_ref()).map_err(write_failed))
}
