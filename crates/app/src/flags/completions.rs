//! Flags of `adit completions`.

use clap::Args;
use clap_complete::Shell;

/// Print a shell completion script
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit completions bash > ~/.local/share/bash-completion/completions/adit
  adit completions zsh > ~/.zfunc/_adit                       with ~/.zfunc in fpath
  adit completions fish > ~/.config/fish/completions/adit.fish")]
pub(crate) struct CompletionsFlags {
    /// Shell to complete in
    #[arg(value_name = "SHELL", value_enum)]
    pub(crate) shell: Shell,
    /// Print the script as a text in JSON
    #[arg(long)]
    pub(crate) json: bool,
}
