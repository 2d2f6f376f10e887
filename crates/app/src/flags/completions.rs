//! Flags of `adit completions`.

use clap::Args;
use clap_complete::Shell;

/// Print what lets a shell complete adit's commands and flags
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit completions bash > ~/.local/share/bash-completion/completions/adit
  adit completions zsh > ~/.zfunc/_adit                       with ~/.zfunc in fpath
  adit completions fish > ~/.config/fish/completions/adit.fish")]
pub(crate) struct CompletionsFlags {
    /// For which shell
    #[arg(value_name = "SHELL", value_enum)]
    pub(crate) shell: Shell,
}
