//! Flags of `adit convert`.

use std::path::PathBuf;

use clap::Args;

use super::ReadFlags;

/// Convert a model or traces to another format
///
/// Formats are told by extension, or by --from and --to; a name that ends in .gz is compressed. What the new format cannot
/// carry is listed on standard error. Of traces, names, events, outcomes, arguments and states are kept, times are not.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit convert examples/tokenizer.dot tokenizer.json
  adit convert examples/tokenizer.dot - --to mermaid
  adit convert examples/tokenizer.model.json tokenizer.svg
  adit convert examples/tokenizer.model.json tokenizer.png
  adit convert examples/stack.jsonl stack.xes.gz

Models: json, dot, fsm, aut, hoa, promela, mermaid, javamop, fsp
Traces: lines, texada, csv, jsonl, abbadingo, xes, dtrace (Daikon), and regex for reading
Pictures of models: svg, png")]
pub(crate) struct ConvertFlags {
    /// What to read; `-` is standard input
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// What to write; `-` is standard output
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Format of IN
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<String>,
    /// Format of OUT
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Make a model deterministic
    #[arg(long)]
    pub(crate) determinize: bool,
    /// Make a model deterministic and as small as possible
    #[arg(long)]
    pub(crate) minimize: bool,
    #[command(flatten)]
    pub(crate) read: ReadFlags,
}
