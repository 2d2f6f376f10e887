//! Errors of the binary itself, the display of every error, and exit codes.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use adit_java::ApiError;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, Report, SourceCode};
use thiserror::Error;

use crate::interrupt::interrupted;

/// Exit code of a bug in adit.
const FAULT: u8 = 3;

/// Exit code if there is no answer: no object could be constructed, a budget was too small, or a model too
/// large.
const NO_ANSWER: u8 = 4;

/// Exit code after Ctrl-C or a request to end, as shells report it, whether or not something was kept.
pub(crate) const INTERRUPTED: u8 = 130;

/// Result of a command that did its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Nothing is wrong.
    Clean,
    /// The command found what it looks for: a formula that fails, two models that differ.
    Found,
}

/// The input or the command line is wrong. `help` says how to fix it.
#[derive(Debug, Error, Diagnostic)]
#[error("{message}")]
pub(crate) struct BadInput {
    message: String,
    #[help]
    help: Option<String>,
}

/// A bug in adit.
#[derive(Debug, Error, Diagnostic)]
#[error("{0}")]
#[diagnostic(help("this is a bug in adit, not in your input; please report it with the command you ran"))]
pub(crate) struct InternalFault(pub(crate) String);

/// A limit was reached before there was an answer, which is neither yes nor no.
#[derive(Debug, Error, Diagnostic)]
#[error("no answer: {message}")]
pub(crate) struct NoAnswer {
    message: String,
    #[help]
    help: String,
}

/// The reader of standard output closed it, as `head` does, so there is nobody to tell.
#[derive(Debug, Error, Diagnostic)]
#[error("standard output was closed")]
pub(crate) struct ReaderGone;

/// Returns an error about the input, with a hint.
pub(crate) fn bad_input(message: impl fmt::Display, help: impl fmt::Display) -> Report {
    Report::new(BadInput { message: message.to_string(), help: Some(help.to_string()) })
}

/// Returns an error about a limit, with a hint how to stay below it.
pub(crate) fn no_answer(message: impl fmt::Display, help: impl fmt::Display) -> Report {
    Report::new(NoAnswer { message: message.to_string(), help: help.to_string() })
}

/// Prints the error, if there is one, and returns the exit code.
pub(crate) fn exit_code(result: Result<Ending, Report>) -> ExitCode {
    let report = match result {
        // What was found is kept, but who pressed Ctrl-C, or a script around adit, must not take it for all.
        Ok(_) if interrupted() => return ExitCode::from(INTERRUPTED),
        Ok(Ending::Clean) => return ExitCode::SUCCESS,
        Ok(Ending::Found) => return ExitCode::from(1),
        Err(report) => report,
    };
    if report.downcast_ref::<ReaderGone>().is_some() {
        return ExitCode::SUCCESS;
    }
    let terminal = io::stderr().is_terminal();
    let mut text = String::new();
    if handler(terminal).render_report(&mut text, &WithoutCode(report.as_ref())).is_err() {
        text = report.to_string();
    }
    // An error that cannot be shown still has its exit code.
    let _ = writeln!(io::stderr(), "{}", text.trim_end());
    ExitCode::from(if report.downcast_ref::<InternalFault>().is_some() {
        FAULT
    } else if !is_no_answer(&report) {
        2
    } else if interrupted() {
        INTERRUPTED
    } else {
        NO_ANSWER
    })
}

fn is_no_answer(report: &Report) -> bool {
    report.is::<NoAnswer>() || matches!(report.downcast_ref(), Some(ApiError::NoStart { .. }))
}

/// An error without its code, such as `store::full`, which distinguishes errors for programs and says nothing
/// to users.
#[derive(Debug)]
struct WithoutCode<'a>(&'a (dyn Diagnostic + 'static));

impl fmt::Display for WithoutCode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.0, f)
    }
}

impl std::error::Error for WithoutCode<'_> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

impl Diagnostic for WithoutCode<'_> {
    fn severity(&self) -> Option<miette::Severity> {
        self.0.severity()
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.0.help()
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.0.source_code()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.0.labels()
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        self.0.related()
    }

    fn diagnostic_source(&self) -> Option<&dyn Diagnostic> {
        self.0.diagnostic_source()
    }
}

/// Colors and drawing characters for people; plain text that keeps a message on one line for everything else.
fn handler(terminal: bool) -> GraphicalReportHandler {
    let mut theme = match terminal {
        true if std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) => {
            GraphicalTheme::unicode_nocolor()
        }
        true => GraphicalTheme::unicode(),
        false => GraphicalTheme::none(),
    };
    theme.characters.error = "error:".to_owned();
    GraphicalReportHandler::new_themed(theme)
        .with_links(false)
        .with_wrap_lines(terminal)
        .with_break_words(false)
}

/// Turns a panic anywhere, in any thread, into a plain message and exit code 3.
pub(crate) fn install_panic_message() {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let what =
            payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
        let what = what.unwrap_or("no message");
        let place = panic
            .location()
            .map(|place| format!(" at {}:{}", place.file(), place.line()))
            .unwrap_or_default();
        let _ = writeln!(
            io::stderr(),
            "adit: internal error{place}: {what}\n  This is a bug in adit, not in your input; please report it with the command you ran."
        );
        std::process::exit(FAULT.into());
    }));
}
