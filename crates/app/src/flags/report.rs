//! Flags of `adit report`.

use std::path::PathBuf;

use clap::Args;

/// Make a page that explains a model: the picture, the evidence, the properties and the tests
///
/// The page is one file that needs nothing else and loads nothing: open it in a browser, or send it to somebody. With a second
/// model or folder, both are shown side by side with what only one of them allows.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit report adit-out/java.util.StringTokenizer      writes report.html into that folder
  adit report examples/tokenizer.model.json -o model.html
  adit report examples/tokenizer.model.json examples/tokenizer.dot -o changes.html

A folder holds model.json and, as far as they are there, properties.json, traces.jsonl, tests/*.java, search.json,
run.json and validate.json (what `adit validate --json` printed). Exits with 1 when two models differ.")]
pub(crate) struct ReportFlags {
    /// The folder that `adit mine` wrote, or a model
    #[arg(value_name = "DIR")]
    pub(crate) one: PathBuf,
    /// Another folder or model to compare it with
    #[arg(value_name = "OTHER")]
    pub(crate) two: Option<PathBuf>,
    /// Where to write the page; `-` is standard output [default: report.html in DIR, or here for a model]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
