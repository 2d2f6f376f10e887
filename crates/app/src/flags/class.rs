//! Flags of every command that runs a Java class.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

const CLASS: &str = "The class and what it needs";
const RUNNING: &str = "Running it";

/// Which class, where it is, and how it is run.
#[derive(Debug, Args)]
pub(crate) struct ClassFlags {
    /// The class, with its package: `java.util.StringTokenizer`
    #[arg(value_name = "CLASS")]
    pub(crate) class: String,
    /// Folders and jars with classes, separated by colons; `dir/*` means all jars in `dir`; may be repeated [default: inside a
    /// Maven or Gradle project, what its build made and its dependencies]
    #[arg(long, short = 'c', value_name = "CP", help_heading = CLASS)]
    pub(crate) classpath: Vec<OsString>,
    /// Do not look for a Maven or Gradle project around the current folder; ADIT_NO_PROJECT=1 means the same
    #[arg(long, help_heading = CLASS)]
    pub(crate) no_project: bool,
    /// The folder of the JDK to run it with [default: JAVA_HOME, the `java` of PATH, the newest in the usual places]
    #[arg(long, value_name = "DIR", help_heading = CLASS)]
    pub(crate) jdk: Option<PathBuf>,
    /// Call what is not public too, and take classes that are not
    #[arg(long, help_heading = CLASS)]
    pub(crate) non_public: bool,
    /// Run the class although this kernel cannot keep it from harming you. Only for classes that you trust
    #[arg(long, help_heading = RUNNING)]
    pub(crate) unsafe_no_sandbox: bool,
}

/// How calls are made up, and for how long.
#[derive(Debug, Args)]
pub(crate) struct GenerateFlags {
    /// A Java file whose public static methods without parameters supply values that are hard to make up; may be repeated
    #[arg(long, value_name = "FILE.java", help_heading = CLASS)]
    pub(crate) fixtures: Vec<PathBuf>,
    /// Call only these methods, separated by commas: `remove` is all of that name, `'remove(int)'` is one
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = CLASS)]
    pub(crate) only: Option<Vec<String>>,
    /// Do not call these methods, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = CLASS)]
    pub(crate) without: Vec<String>,
    /// Call `equals`, `hashCode` and `toString` too
    #[arg(long, help_heading = CLASS)]
    pub(crate) object_methods: bool,
    /// How long to go on: `10s`, `2m` or `5000tests` [default: 1000tests for observe, 10s for mine and validate]
    #[arg(long, value_name = "AMOUNT", value_parser = budget, allow_hyphen_values = true, help_heading = RUNNING)]
    pub(crate) budget: Option<Budget>,
    /// How many calls are made on the objects of one test
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = calls, allow_negative_numbers = true, help_heading = RUNNING)]
    pub(crate) calls: usize,
    /// Seed of all choices; with a budget in tests, the same seed gives the same bytes
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = RUNNING)]
    pub(crate) seed: u64,
    /// Load the class anew for each test, so that its static fields start anew. Much slower
    #[arg(long, help_heading = RUNNING)]
    pub(crate) fresh_statics: bool,
    /// Processes that run tests at the same time [default: as many as the machine has cores, at most 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64), allow_negative_numbers = true, help_heading = RUNNING)]
    pub(crate) workers: Option<u16>,
    /// The longest that one test may take, such as `500ms` or `2s`
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = time, allow_hyphen_values = true, help_heading = RUNNING)]
    pub(crate) script_limit: Duration,
}

/// How much work may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Budget {
    /// So many tests.
    Tests(u64),
    /// So long.
    Time(Duration),
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tests(tests) => write!(f, "{tests}tests"),
            Self::Time(time) => write!(f, "{}s", time.as_secs_f64()),
        }
    }
}

/// A budget: a number of tests, or a time.
fn budget(text: &str) -> Result<Budget, String> {
    /// A day of tests at a hundred thousand a second.
    const MOST: u64 = 10_000_000_000;
    let tests = text.strip_suffix("tests").or_else(|| text.strip_suffix("test"));
    match tests {
        Some(number) => match number.trim().replace('_', "").parse() {
            Ok(tests @ 1..=MOST) => Ok(Budget::Tests(tests)),
            _ => Err(format!("write a number of tests from 1 to {MOST}, such as `5000tests`")),
        },
        None => time(text).map(Budget::Time).map_err(|problem| match problem.as_str() {
            NO_UNIT => "say of what: `10s`, `2m` or `5000tests`".to_owned(),
            _ => format!("{problem}, or a number of tests such as `5000tests`"),
        }),
    }
}

const NO_UNIT: &str = "say in which unit: `500ms`, `10s`, `2m` or `1h`";

/// A time: `500ms`, `1.5s`, `2m` or `1h`.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    /// Longer than anybody waits, and short enough to be added to any clock.
    const DAY: f64 = 86_400.0;
    let number = text.trim_end_matches(|c: char| c.is_alphabetic());
    let factor = match &text[number.len()..] {
        "ms" => 0.001,
        "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "" if number.parse::<f64>().is_ok() => return Err(NO_UNIT.to_owned()),
        _ => return Err("write a time such as `500ms`, `10s` or `2m`".to_owned()),
    };
    match number.trim().parse::<f64>().map(|number| number * factor) {
        Ok(seconds) if (0.001..=DAY).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        Ok(_) => Err("write a time from 1ms to 24h".to_owned()),
        Err(_) => Err("write a time such as `500ms`, `10s` or `2m`".to_owned()),
    }
}

/// A number of calls. Each takes memory in the answer of a worker.
fn calls(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(calls @ 1..=1000) => Ok(calls),
        _ => Err("write a number from 1 to 1000".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_tests_or_times() {
        assert_eq!(budget("5000tests"), Ok(Budget::Tests(5000)));
        assert_eq!(budget("1test"), Ok(Budget::Tests(1)));
        assert_eq!(budget("10_000tests"), Ok(Budget::Tests(10_000)));
        assert_eq!(budget("1.5s"), Ok(Budget::Time(Duration::from_millis(1500))));
        assert_eq!(budget("2m"), Ok(Budget::Time(Duration::from_secs(120))));
        for nonsense in [
            "",
            "s",
            "10",
            "-1s",
            "0tests",
            "0s",
            "tests",
            "1e99s",
            "NaNs",
            "infs",
            "10 parsecs",
            "25h",
            "٣s",
        ] {
            assert!(budget(nonsense).is_err(), "{nonsense}: {:?}", budget(nonsense));
        }
        assert_eq!(budget("10"), Err("say of what: `10s`, `2m` or `5000tests`".to_owned()));
    }
}
