//! The sandbox around a fuzzed server: sessions run in another process of adit, beside the server.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use adit_adapter::Launch;
use adit_fuzz::alphabet::Alphabet;
use adit_fuzz::runner::{Confined, Direct, SessionRunner};
use adit_fuzz::server::ServerCommand;
use adit_jvm::Sandbox;
use miette::Report;

use crate::adapter::{self, AdapterRequest, Folders};
use crate::java::environment;
use crate::shell::quoted;

/// The launch of the process in the sandbox, if there is to be one.
pub(super) struct Sandboxed(Option<(Launch, Folders)>);

impl Sandboxed {
    /// Prepares the sandbox for a server, unless the user does without.
    pub(super) fn new(alphabet: &str, command: &ServerCommand, without: bool) -> Result<Self, Report> {
        if without {
            return Ok(Self(None));
        }
        let (program, _) = environment::worker()?;
        let alphabet = match Path::new(alphabet).exists() {
            true => std::path::absolute(alphabet).map_or(alphabet.into(), |path| path.display().to_string()),
            false => alphabet.to_owned(),
        };
        let program = program.display().to_string();
        let mut words = vec!["exec", &program, "serve", "--sessions", "--alphabet", &alphabet];
        words.extend(command.edges.then_some("--edges"));
        words.push("--");
        words.extend(command.words.iter().map(String::as_str));
        let line: Vec<String> = words.into_iter().map(quoted).collect();
        let request = AdapterRequest {
            command: line.join(" "),
            subject: String::new(),
            sandbox: Sandbox::Required,
            line_limit: Duration::MAX,
        };
        adapter::launcher(&request).map(|launch| Self(Some(launch)))
    }

    /// Runs sessions of the server.
    pub(super) fn runner<'a>(
        &'a self,
        command: &'a ServerCommand,
        alphabet: &'a Alphabet,
    ) -> Box<dyn SessionRunner + 'a> {
        match &self.0 {
            Some((launch, _)) => Box::new(Confined::new(alphabet, || start(launch))),
            None => Box::new(Direct { command, alphabet }),
        }
    }
}

fn start(launch: &Launch) -> io::Result<Child> {
    Command::new(&launch.program)
        .args(&launch.arguments)
        .env_clear()
        .envs(launch.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        // An interrupt at the terminal is for adit, which then ends the process.
        .process_group(0)
        .spawn()
}
