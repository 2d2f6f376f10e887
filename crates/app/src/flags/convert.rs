//! Flags of `adit convert`.

use std::path::{Path, PathBuf};

use adit_automata::format::Format as ModelFormat;
use clap::Args;

use super::{ReadFlags, ReductionFlags};

/// Convert a model or traces to another format
///
/// The file extensions choose the formats, or --from and --to; output that ends in .gz is compressed. adit
/// lists what the new format cannot represent on standard error. Traces keep names, events, outcomes,
/// arguments and states, but not times.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  adit convert examples/tokenizer.dot tokenizer.json
  adit convert examples/tokenizer.dot - --to mermaid
  adit convert examples/tokenizer.model.json tokenizer.svg
  adit convert examples/tokenizer.model.json tokenizer.png
  adit convert examples/stack.jsonl stack.xes.gz

Models: {}
Traces: {}, parquet, arrow, and {} for reading
Pictures of models: svg, png",
    ModelFormat::names().collect::<Vec<_>>().join(", "),
    super::traces::written_formats(),
    super::traces::formats_for_reading(),
))]
pub(crate) struct ConvertFlags {
    /// File to read; `-` for standard input
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// File to write; `-` for standard output
    #[arg(value_name = "OUT", required_unless_present = "output_flag")]
    output: Option<PathBuf>,
    /// File to write, in the form of other commands
    #[arg(short, long = "output", id = "output_flag", value_name = "FILE", conflicts_with = "output")]
    output_flag: Option<PathBuf>,
    /// Format of IN
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<String>,
    /// Format of OUT
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    #[command(flatten)]
    pub(crate) reduction: ReductionFlags,
    #[command(flatten)]
    pub(crate) read: ReadFlags,
    /// Print the place of the output, and what it cannot hold, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl ConvertFlags {
    /// Returns the file to write.
    pub(crate) fn output(&self) -> &Path {
        let named = self.output.as_deref().or(self.output_flag.as_deref());
        named.expect("one of the two is required")
    }
}
