//! Flags of `adit report`.

use std::path::PathBuf;

use clap::Args;

/// Write a page that explains a model: picture, evidence, properties and tests
///
/// The page is a single HTML file that loads nothing from elsewhere. With a second model or folder, it shows
/// both side by side, with what only one of them allows, and the exit code is 1 if they differ.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit report adit-out/java.util.StringTokenizer      writes report.html to that folder
  adit report adit-out                                writes an index of all models in it
  adit report examples/tokenizer.model.json -o model.html
  adit report examples/tokenizer.model.json examples/tokenizer.dot -o changes.html

The folder holds model.json or campaign.db. If they exist, the page also uses properties.json,
traces.jsonl, tests/*.java, tests.json, findings.json, model_detail.json, search.json, run.json and
validate.json (the output of `adit validate --json`).")]
pub(crate) struct ReportFlags {
    /// Folder that `adit mine` wrote, or a model
    #[arg(value_name = "DIR")]
    pub(crate) one: PathBuf,
    /// Second folder or model to compare with
    #[arg(value_name = "OTHER")]
    pub(crate) two: Option<PathBuf>,
    /// Open the page with the finer model, if there is one
    #[arg(long)]
    pub(crate) detail: bool,
    /// File for the page; `-` for standard output [default: report.html in DIR, or here for a model]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print the place of the page, and the differences of two models, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
