//! Sessions and campaigns against real servers on loopback, compiled from `subjects/servers` with `cc`.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, in its helpers too, and says when it could not run"
)]

mod adapter;
mod alphabets;
mod campaigns;
mod guides;
mod sessions;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use adit_fuzz::alphabet::{self, Alphabet};
use adit_fuzz::server::ServerCommand;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().and_then(Path::parent).unwrap()
}

/// A program of `subjects/servers`, or nothing if this machine has no C compiler.
fn compiled(name: &str) -> Option<PathBuf> {
    static FOLDER: OnceLock<Option<tempfile::TempDir>> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        for name in ["ftpd", "smtpd", "rtspd", "pop3d", "misbehaves"] {
            let source = root().join("subjects/servers").join(name).with_extension("c");
            let mut compiler = Command::new("cc");
            compiler.arg("-O1").arg("-o").arg(folder.path().join(name)).arg(source);
            match compiler.status() {
                Ok(status) => assert!(status.success(), "{name} does not compile"),
                Err(_) => return None,
            }
        }
        Some(folder)
    });
    if folder.is_none() {
        eprintln!("NOT RUN: there is no C compiler `cc`");
    }
    folder.as_ref().map(|folder| folder.path().join(name))
}

/// Starts a program of `subjects/servers` with these arguments after its port.
fn command(name: &str, arguments: &[&str]) -> Option<ServerCommand> {
    let program = compiled(name)?.display().to_string();
    let arguments = arguments.iter().map(|&argument| argument.to_owned());
    let words = [program, "{port}".to_owned()].into_iter().chain(arguments).collect();
    Some(ServerCommand { words, launcher: Vec::new(), edges: false, patience: 1 })
}

/// The shipped alphabet of a protocol.
fn shipped(protocol: &str) -> Alphabet {
    let file = format!("{protocol}.toml");
    let text = std::fs::read_to_string(root().join("adapters/alphabets").join(&file)).unwrap();
    alphabet::read(&file, text.as_bytes()).unwrap()
}

/// The shipped alphabet of FTP.
fn ftp() -> Alphabet {
    shipped("ftp")
}
