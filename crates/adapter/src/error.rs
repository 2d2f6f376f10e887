//! Failures of an adapter. Each names the adapter's command and its last exchange.

use std::fmt;
use std::io;

use miette::Diagnostic;
use thiserror::Error;

/// Failure of an adapter that ends the work. A call that hangs or kills the process is no such failure: it is
/// reported in its [`Answered`](crate::Answered).
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum AdapterError {
    /// The process could not be started.
    #[error("cannot start the adapter `{command}`: {source}")]
    #[diagnostic(
        code(adapter::start),
        help("check the limits on processes and open files (`ulimit -a`) and the free disk space")
    )]
    Start {
        /// The command as the user typed it.
        command: String,
        /// Message of the operating system.
        source: io::Error,
    },
    /// The process ended before it described its subject.
    #[error("the adapter `{command}` {how} before it described `{subject}`{exchange}")]
    #[diagnostic(
        code(adapter::died_early),
        help("run the command by hand: it must wait for lines on standard input (see docs/adapters.md)")
    )]
    DiedEarly {
        /// The command as the user typed it.
        command: String,
        /// Name of the subject.
        subject: String,
        /// End of the process.
        how: String,
        /// Last lines of both sides.
        exchange: Box<Exchange>,
    },
    /// The process did not describe its subject in time.
    #[error("the adapter `{command}` did not describe `{subject}` within {seconds} s{exchange}")]
    #[diagnostic(
        code(adapter::slow_start),
        help("does it read lines from standard input, answer `describe`, and flush its output?")
    )]
    SlowStart {
        /// The command as the user typed it.
        command: String,
        /// Name of the subject.
        subject: String,
        /// The limit.
        seconds: u64,
        /// Last lines of both sides.
        exchange: Box<Exchange>,
    },
    /// The adapter says that it cannot drive this subject.
    #[error("the adapter cannot drive `{subject}`: {message}")]
    #[diagnostic(code(adapter::refused))]
    Refused {
        /// Name of the subject.
        subject: String,
        /// Message of the adapter.
        message: String,
        /// Advice of the adapter.
        #[help]
        help: Option<String>,
    },
    /// The description is wrong.
    #[error("the adapter `{command}` describes `{subject}` wrongly: {what}")]
    #[diagnostic(code(adapter::description), help("docs/adapters.md lists the fields of a description"))]
    Description {
        /// The command as the user typed it.
        command: String,
        /// Name of the subject.
        subject: String,
        /// The first mistake.
        what: String,
    },
    /// The adapter wrote something that is no answer to what it was asked.
    #[error("the adapter `{command}` does not follow the protocol: {what}{exchange}")]
    #[diagnostic(
        code(adapter::protocol),
        help(
            "each line gets one line with the same `id` and as many answers, and nothing else may be written \
             to standard output (see docs/adapters.md)"
        )
    )]
    Protocol {
        /// The command as the user typed it.
        command: String,
        /// The mistake.
        what: String,
        /// Last lines of both sides.
        exchange: Box<Exchange>,
    },
    /// Processes die before they answer anything.
    #[error("the adapter `{command}` was started {tries} times in a row without one answer; it {fault}")]
    #[diagnostic(
        code(adapter::unstable),
        help("a single call must not keep the adapter from answering the next sequence after a new start")
    )]
    Unstable {
        /// The command as the user typed it.
        command: String,
        /// Number of processes.
        tries: u32,
        /// End of the last one.
        fault: Box<Fault>,
    },
}

/// End of a process that hung or died.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its end, as in “exited with code 3”.
    pub how: String,
    /// Last lines of both sides.
    pub exchange: Exchange,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.how, self.exchange)
    }
}

/// Last lines between adit and an adapter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// Last line that adit sent and that was not answered, or the last one if all were.
    pub sent: Option<String>,
    /// Last line that the adapter wrote.
    pub received: Option<String>,
    /// End of what it wrote to standard error.
    pub stderr: String,
}

/// Most characters of a line that are shown.
const SHOWN: usize = 300;

/// Most lines of standard error that are shown: the end of a traceback.
const STDERR_LINES: usize = 8;

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |line: &Option<String>| line.as_deref().map_or("nothing".to_owned(), shortened);
        write!(f, "\n  last line to it:   {}", line(&self.sent))?;
        write!(f, "\n  last line from it: {}", line(&self.received))?;
        let lines: Vec<&str> = self.stderr.lines().filter(|line| !line.trim().is_empty()).collect();
        if !lines.is_empty() {
            f.write_str("\n  its standard error:")?;
        }
        for line in &lines[lines.len().saturating_sub(STDERR_LINES)..] {
            write!(f, "\n    {}", shortened(line))?;
        }
        Ok(())
    }
}

/// The beginning of a line, with control characters made visible.
fn shortened(line: &str) -> String {
    let mut shown: String = line.chars().take(SHOWN).flat_map(visible).collect();
    if line.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// A character that cannot disturb a terminal.
fn visible(character: char) -> Vec<char> {
    if character.is_control() { character.escape_default().collect() } else { vec![character] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_shows_no_more_than_fits() {
        let exchange = Exchange {
            sent: Some("a".repeat(1000)),
            received: Some("\u{1b}[31mred".to_owned()),
            stderr: (0..20).map(|line| format!("line {line}\n\n")).collect(),
        };
        let text = exchange.to_string();
        assert!(text.contains(&format!("{}…\n", "a".repeat(SHOWN))), "{text}");
        assert!(text.contains("\\u{1b}[31mred"), "{text}");
        assert!(
            !text.contains("line 11\n") && text.contains("line 12\n") && text.ends_with("line 19"),
            "{text}"
        );
        assert!(Exchange::default().to_string().contains("last line from it: nothing"));
    }
}
