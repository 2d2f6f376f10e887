//! Flags of `adit fuzz`.

use std::path::PathBuf;

use clap::Args;

use super::count;
use crate::budget::{self, Budget};

/// Fuzz a server through its model: crashes, hangs, and answers that contradict the model
///
/// Starts the server anew for each session, in a folder of its own, and speaks to it over loopback as the
/// alphabet file says. A session walks to a state that few sessions were in, and goes on along the model and
/// beside it, with values of all roles and with changed bytes. Findings are told apart, made small, and
/// written with the messages that show them. Exits with 1 if there are findings.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit fuzz examples/ftp.model.json --alphabet ftp --budget 60s -- ~/ftpd {port}
  adit fuzz --replay adit-out/ftp-fuzz/findings/01-crash-PROT.json -- ~/ftpd {port}
  adit fuzz --without-model --alphabet ftp --budget 60s -- ~/ftpd {port}
                                                   the same without a model, to compare

Shipped alphabets: ftp, smtp, pop3, rtsp. In the server's command, {port} is a free port, {host} the address
and {dir} the folder of the session, which is also the current one.")]
pub(crate) struct FuzzFlags {
    /// Model of the server or of one of its clients
    #[arg(value_name = "MODEL", required_unless_present_any = ["without_model", "replay"], conflicts_with = "without_model")]
    pub(crate) model: Option<PathBuf>,
    /// Format of the model [default: by extension, else content]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<String>,
    /// Alphabet file, or the name of a shipped one
    #[arg(long, value_name = "FILE", required_unless_present = "replay")]
    pub(crate) alphabet: Option<String>,
    /// Sessions to run, or the time to take: `5000tests`, `10s`, `2m`
    #[arg(long, value_name = "BUDGET", default_value = "60s", value_parser = budget::parse, allow_hyphen_values = true)]
    pub(crate) budget: Budget,
    /// Seed of all choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Folder of the campaign, which a later run continues [default: adit-out/PROTOCOL-fuzz]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Start over if the folder holds a campaign
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Use no model: a state is the code of the last answer
    #[arg(long)]
    pub(crate) without_model: bool,
    /// Run without a sandbox if this kernel lacks one, or if the server needs more; only for servers that
    /// you trust
    #[arg(long)]
    pub(crate) unsafe_no_sandbox: bool,
    /// Ignore the edges that a server reports that was compiled for AFL
    #[arg(long)]
    pub(crate) no_edges: bool,
    /// Leave out labels that the alphabet marks as `unseen`
    #[arg(long)]
    pub(crate) only_seen: bool,
    /// Most messages on the way to a state
    #[arg(long, value_name = "N", default_value = "8", value_parser = count)]
    pub(crate) way: usize,
    /// Most messages after it
    #[arg(long, value_name = "N", default_value = "6", value_parser = count)]
    pub(crate) tries: usize,
    /// Sessions that must agree before a contradiction of the model is reported
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) confirmations: u32,
    /// Most sessions to make the messages of one finding fewer and simpler with; 0 leaves them as they are
    #[arg(long, value_name = "N", default_value_t = 120)]
    pub(crate) minimize: usize,
    /// Stop as soon as this many findings were made
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) until: Option<usize>,
    /// Run the messages of a finding again
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Print the answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Command of the server, after `--`
    #[arg(last = true, value_name = "SERVER", required_unless_present = "replay")]
    pub(crate) server: Vec<String>,
}
