//! Flags of `adit ci`.

use std::path::PathBuf;

use clap::Args;

/// Mine the classes named in adit.toml and compare them with the models kept beside the code
///
/// Exits with 1 if a class allows a call that its model does not, or refuses one that its model allows. A
/// call that this run did not see is reported and is no failure. With --update, writes the new models
/// instead.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adit ci
  adit ci --update
  adit ci --markdown difference.md

adit.toml:
  models = \"models\"                  folder of the models to commit
  budget = \"30000tests\"              a number of tests gives the same bytes on every machine

  [[class]]
  name = \"com.acme.Order\"
  classpath = [\"target/classes\"]     as -c; not needed in a Maven or Gradle project
  flags = [\"--only\", \"add,pay,ship\"] further flags of `adit mine`")]
pub(crate) struct CiFlags {
    /// File that names the classes
    #[arg(long, value_name = "FILE", default_value = "adit.toml")]
    pub(crate) config: PathBuf,
    /// Write the new models to the folder instead of comparing with them
    #[arg(long)]
    pub(crate) update: bool,
    /// Write the differences to this file as Markdown; `-` for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
    /// Folder of the campaigns; they start over in every run
    #[arg(short, long, value_name = "DIR", default_value = "adit-out/ci")]
    pub(crate) output: PathBuf,
    /// Print the differences as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
