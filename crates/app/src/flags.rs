//! The flags of every command, their defaults and their help texts.
//!
//! Nothing here is interpreted; `commands` says what flags mean.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::output::print;

mod check;
mod ci;
mod class;
mod compare;
mod completions;
mod convert;
mod doctor;
pub(crate) mod enrich;
mod explain;
mod fuzz;
pub(crate) mod infer;
pub(crate) mod interface;
mod invariants;
pub(crate) mod learn;
mod man;
pub(crate) mod mine;
mod monitor;
mod name;
pub(crate) mod observe;
mod properties;
mod reduction;
mod report;
mod serve;
mod show;
mod status;
pub(crate) mod test_spec;
mod traces;
pub(crate) mod validate;
pub(crate) mod verify;

pub(crate) use check::CheckFlags;
pub(crate) use ci::CiFlags;
pub(crate) use class::{AdapterFlags, ClassFlags, GenerateFlags};
pub(crate) use compare::CompareFlags;
pub(crate) use completions::CompletionsFlags;
pub(crate) use convert::ConvertFlags;
pub(crate) use doctor::DoctorFlags;
pub(crate) use enrich::EnrichFlags;
pub(crate) use explain::ExplainFlags;
pub(crate) use fuzz::FuzzFlags;
pub(crate) use infer::{Algorithm, AlgorithmFlags, InferFlags};
pub(crate) use interface::InterfaceFlags;
pub(crate) use invariants::{InvariantFormat, InvariantsFlags, TypeChoice};
pub(crate) use learn::LearnFlags;
pub(crate) use man::ManFlags;
pub(crate) use mine::{MineFlags, ProgressForm};
pub(crate) use monitor::MonitorFlags;
pub(crate) use name::NameFlags;
pub(crate) use observe::ObserveFlags;
pub(crate) use properties::PropertiesFlags;
pub(crate) use reduction::ReductionFlags;
pub(crate) use report::ReportFlags;
pub(crate) use serve::ServeFlags;
pub(crate) use show::ShowFlags;
pub(crate) use status::StatusFlags;
pub(crate) use test_spec::TestSpecFlags;
pub(crate) use traces::{LabelChoice, PurityFlags, ReadFlags, TraceFlags};
pub(crate) use validate::ValidateFlags;
pub(crate) use verify::VerifyFlags;

/// Find rules about call order in Java classes and logs, and draw them as a state machine
#[derive(Debug, Parser)]
#[command(name = "adit", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print nothing to standard error unless something is wrong
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  adit mine java.util.StringTokenizer                    a model of a Java class
  adit properties examples/tokenizer.traces              temporal properties, in plain English
  adit invariants examples/stack.dtrace                  what fields, arguments and results satisfy
  adit infer examples/tokenizer.traces -o model.dot      an automaton that accepts the traces
  adit check model.dot --formula 'G !(nextToken & X StringTokenizer)'
                                                         whether every word satisfies a formula
  adit compare model.dot examples/tokenizer.dot          precision and recall against another model
  adit validate model.dot java.util.StringTokenizer      precision and recall against the class itself
  adit test-spec model.json --class com.acme.Stack --tests target/test-classes
                                                         whether the program needs the order
  adit verify app.jar                                    calls in Java code that throw, by typestates
  adit monitor box.json -c app.jar --tests test-classes  the same, while your tests run
  adit convert model.dot model.json                      another format, or a picture: model.svg
  adit show model.dot                                    the model, drawn in the terminal
  adit report adit-out/java.util.StringTokenizer         a page that explains a model and its evidence
  adit name adit-out/java.util.StringTokenizer 2 'used up'
                                                         a name of your own for a state
  adit observe java.util.StringTokenizer -o traces.jsonl
                                                         traces of a Java class
  adit enrich com.acme.Box --tests target/test-classes   a typestate, from tests and their mutants
  adit interface com.acme.Stream -c target/classes       when each method may be called, with guards, proved
  adit learn Door --adapter 'python3 examples/door_adapter.py'
                                                         a state machine of any program, by asking it
  adit ci                                                what changed since the models were committed
  adit fuzz ftp.model.json --alphabet ftp -- ~/ftpd {port}
                                                         crashes, hangs and contradictions of a server
  adit doctor                                            what running Java needs, and what is missing

Run a command with --help for its flags and more examples.
Exit code: 0 success; 1 success, and it found a violation or a difference; 2 bad input;
3 a fault in adit; 4 no answer (no object could be constructed, budget too small, models too large);
130 interrupted by Ctrl-C, and what was found is kept.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Mine(MineFlags),
    Status(StatusFlags),
    Observe(ObserveFlags),
    Enrich(EnrichFlags),
    Properties(PropertiesFlags),
    Invariants(InvariantsFlags),
    Infer(InferFlags),
    Interface(InterfaceFlags),
    Learn(LearnFlags),
    Check(CheckFlags),
    Compare(CompareFlags),
    Validate(ValidateFlags),
    TestSpec(TestSpecFlags),
    Verify(VerifyFlags),
    Monitor(MonitorFlags),
    Fuzz(FuzzFlags),
    Serve(ServeFlags),
    Convert(ConvertFlags),
    Show(ShowFlags),
    Explain(ExplainFlags),
    Name(NameFlags),
    Report(ReportFlags),
    Ci(CiFlags),
    Doctor(DoctorFlags),
    Completions(CompletionsFlags),
    Man(ManFlags),
}

/// Parses the command line. Returns an exit code if help was shown or a flag was wrong.
pub(crate) fn parse() -> Result<Cli, ExitCode> {
    let mut command = Cli::command();
    if std::env::args_os().len() <= 1 {
        // Typing the name alone is a request for help, not an error.
        return Err(match print(&command.render_help().to_string()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => crate::errors::exit_code(Err(error)),
        });
    }
    command
        .try_get_matches_from_mut(with_class_path_flag(std::env::args_os()))
        .and_then(|matches| Cli::from_arg_matches(&matches))
        .map_err(|error| {
            // `head` may close standard output; nobody is left to read an error message.
            let _ = error.print();
            match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
                _ => ExitCode::from(2),
            }
        })
}

/// Takes `-cp`, which Java engineers type without thinking, for `-c`. What follows `--` belongs to another
/// program.
fn with_class_path_flag(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut is_ours = true;
    let own = |argument: OsString| {
        is_ours &= argument != "--";
        if is_ours && (argument == "-cp" || argument == "-classpath") { "-c".into() } else { argument }
    };
    arguments.map(own).collect()
}

/// Parses a size in bytes, such as `4096`, `64K`, `16M` or `2G`.
fn size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: usize = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        unit => return Err(format!("unknown unit `{unit}`; write bytes, or a number with K, M or G")),
    };
    let number: usize =
        digits.parse().map_err(|_| "write a number of bytes such as 4096, 64K or 16M".to_owned())?;
    number.checked_mul(factor).filter(|size| *size > 0).ok_or_else(|| "this size cannot be used".to_owned())
}

/// Parses a column delimiter, also by name because a tab is hard to type.
fn delimiter(text: &str) -> Result<u8, String> {
    match text {
        "," | "comma" => Ok(b','),
        ";" | "semicolon" => Ok(b';'),
        "\t" | "\\t" | "tab" => Ok(b'\t'),
        _ => Err("write `,`, `;` or `tab`".to_owned()),
    }
}

/// Parses a number of repetitions, bounded so that the work ends.
fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=1_000_000) => Ok(count),
        _ => Err("write a number from 1 to 1000000".to_owned()),
    }
}

/// Parses a length of words. Counting words takes time quadratic in their length.
fn length(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(length @ 1..=10_000) => Ok(length),
        _ => Err("write a number from 1 to 10000".to_owned()),
    }
}

/// Parses a fraction between 0 and 1.
fn fraction(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("write a number between 0 and 1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_path_flag_of_java_is_understood() {
        let typed =
            ["adit", "mine", "a.Foo", "-cp", "classes", "--", "java", "-cp", "lib"].map(OsString::from);
        let taken = with_class_path_flag(typed.into_iter());
        assert_eq!(taken, ["adit", "mine", "a.Foo", "-c", "classes", "--", "java", "-cp", "lib"]);
    }

    #[test]
    fn the_flags_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("4096"), Ok(4096));
        assert_eq!(size("16M"), Ok(16 << 20));
        assert_eq!(size("2kib"), Ok(2048));
        assert!(size("16X").is_err());
        assert!(size("M").is_err());
        assert!(size("0").is_err());
        assert!(size("99999999999999G").is_err());
        assert!(size("٣M").is_err());
    }

    #[test]
    fn fractions_stay_between_zero_and_one() {
        assert_eq!(fraction("0.9"), Ok(0.9));
        assert!(fraction("90").is_err());
        assert!(fraction("NaN").is_err());
    }
}
