//! Servers as the command line names them: alphabet files, shipped or not, and commands to start a server.

use std::path::{Path, PathBuf};

use adit_fuzz::alphabet::{self, Alphabet};
use adit_fuzz::server::ServerCommand;
use adit_suggest::nearest;
use miette::Report;

use crate::errors::bad_input;
use crate::input::{open, read_whole};
use crate::install_hints::on_path;

/// Alphabets that the binary includes, by name.
const SHIPPED: [(&str, &str); 4] = [
    ("ftp", include_str!("../../../adapters/alphabets/ftp.toml")),
    ("smtp", include_str!("../../../adapters/alphabets/smtp.toml")),
    ("pop3", include_str!("../../../adapters/alphabets/pop3.toml")),
    ("rtsp", include_str!("../../../adapters/alphabets/rtsp.toml")),
];

/// Reads an alphabet file, or a shipped one, and returns its text too.
pub(crate) fn alphabet(named: &str) -> Result<(Alphabet, String), Report> {
    let path = Path::new(named);
    let shipped = SHIPPED.iter().find(|(name, _)| *name == named);
    if let (Some((name, text)), false) = (shipped, path.exists()) {
        let alphabet = alphabet::read(&format!("{name}.toml"), text.as_bytes())?;
        return Ok((alphabet, (*text).to_owned()));
    }
    if !path.exists() && !named.contains(['/', '.']) {
        let names = SHIPPED.map(|(name, _)| name);
        let help = match nearest(named, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the shipped alphabets are {}; or name a file", names.join(", ")),
        };
        return Err(bad_input(format!("there is no alphabet `{named}`"), help));
    }
    let (name, bytes) = read_whole(open(path)?)?;
    let alphabet = alphabet::read(&name, &bytes)?;
    Ok((alphabet, String::from_utf8_lossy(&bytes).into_owned()))
}

/// The command of a server, which runs in another folder: paths that exist here are made absolute.
///
/// A program that is instrumented for AFL reports its edges if `afl-showmap` is there.
pub(crate) fn command(words: &[String], with_edges: bool) -> ServerCommand {
    let here = std::env::current_dir().unwrap_or_default();
    let absolute = |word: &String| {
        let path = Path::new(word);
        let is_path = path.is_relative() && word.contains('/') || is_file_argument(word, words);
        let joined: PathBuf = here.join(path);
        if is_path && joined.exists() { joined.to_string_lossy().into_owned() } else { word.clone() }
    };
    let words: Vec<String> = words.iter().map(absolute).collect();
    let edges = with_edges
        && words.first().is_some_and(|program| is_instrumented(Path::new(program)))
        && on_path("afl-showmap").is_some();
    ServerCommand { words, launcher: Vec::new(), edges, patience: 1 }
}

/// Tells whether a word without a slash names a file of the current folder: an argument may, the program not.
fn is_file_argument(word: &str, words: &[String]) -> bool {
    !word.starts_with('-')
        && words.first().is_some_and(|program| program != word)
        && Path::new(word).is_file()
}

/// Tells whether a program was compiled for AFL: its runtime asks for this variable.
fn is_instrumented(program: &Path) -> bool {
    const VARIABLE: &[u8] = b"__AFL_SHM_ID";
    let bytes = std::fs::read(program).unwrap_or_default();
    bytes.windows(VARIABLE.len()).any(|window| window == VARIABLE)
}
