//! Flags of `adit serve`.

use clap::Args;

/// Serve a TCP server as an adapter, for `mine`, `observe`, `validate` and `learn`
///
/// Speaks the adapter protocol on standard input and output: each label of the alphabet file is an operation,
/// and a reset starts the server anew. An answer of the class `error` counts as an exception `Refused`; the
/// code of the answer is the output that `adit learn` sees.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit serve --alphabet ftp -- ~/ftpd {port}      to see what it says
  adit learn ftp --adapter 'adit serve --alphabet ftp -- ~/ftpd {port}' -o ftp.json
  adit mine ftp --adapter 'adit serve --alphabet ftp --labels USER,PASS,QUIT -- ~/ftpd {port}'")]
pub(crate) struct ServeFlags {
    /// Alphabet file, or the name of a shipped one: ftp, smtp, pop3, rtsp
    #[arg(long, value_name = "FILE")]
    pub(crate) alphabet: String,
    /// Offer these labels only
    #[arg(long, value_name = "LABELS", value_delimiter = ',')]
    pub(crate) labels: Vec<String>,
    /// Offer all valid values of each field, not only the first
    #[arg(long)]
    pub(crate) all_values: bool,
    /// Run whole sessions for `adit fuzz`, which starts this in the sandbox
    #[arg(long, hide = true)]
    pub(crate) sessions: bool,
    /// Report edges, with --sessions
    #[arg(long, hide = true)]
    pub(crate) edges: bool,
    /// Command of the server, after `--`
    #[arg(last = true, value_name = "SERVER", required = true)]
    pub(crate) server: Vec<String>,
}
