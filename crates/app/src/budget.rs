//! Budgets and times as users write them: `10s`, `2m`, `5000tests`.

use std::fmt;
use std::time::Duration;

use crate::output::counted;

/// Amount of work that may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Budget {
    /// A number of tests.
    Tests(u64),
    /// A span of time.
    Time(Duration),
}

/// Writes the form that is parsed, which campaigns and results store.
impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tests(tests) => write!(f, "{tests}tests"),
            Self::Time(time) => write!(f, "{}s", time.as_secs_f64()),
        }
    }
}

impl Budget {
    /// The budget in words: `10 s`, `5000 tests`.
    pub(crate) fn in_words(self) -> String {
        match self {
            Self::Tests(tests) => counted(tests, "test"),
            Self::Time(time) => format!("{} s", time.as_secs_f64()),
        }
    }

    /// A budget to try when this one was too small, as users write it.
    pub(crate) fn longer(self) -> String {
        const MINUTE: u64 = 60;
        match self {
            Self::Tests(tests) => format!("{}tests", tests.saturating_mul(10).min(MOST)),
            Self::Time(time) => match time.as_secs() {
                0..MINUTE => "1m".to_owned(),
                seconds => format!("{}m", ((seconds / MINUTE + 1) * 5).min(DAY / MINUTE)),
            },
        }
    }
}

/// A day of tests at a hundred thousand a second.
const MOST: u64 = 10_000_000_000;

/// Short enough to be added to any clock, in seconds.
const DAY: u64 = 86_400;

/// Parses a number of tests or a time.
pub(crate) fn parse(text: &str) -> Result<Budget, String> {
    let tests = text.strip_suffix("tests").or_else(|| text.strip_suffix("test"));
    match tests {
        Some(number) => match number.trim().replace('_', "").parse() {
            Ok(tests @ 1..=MOST) => Ok(Budget::Tests(tests)),
            _ => Err(format!("write a number of tests from 1 to {MOST}, such as `5000tests`")),
        },
        None => parse_time(text).map(Budget::Time).map_err(|problem| match problem.as_str() {
            NO_UNIT => "add a unit: `10s`, `2m` or `5000tests`".to_owned(),
            _ => format!("{problem}, or a number of tests such as `5000tests`"),
        }),
    }
}

const NO_UNIT: &str = "add a unit: `500ms`, `10s`, `2m` or `1h`";

/// Parses a time: `500ms`, `1.5s`, `2m` or `1h`.
pub(crate) fn parse_time(text: &str) -> Result<Duration, String> {
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
        Ok(seconds) if (0.001..=DAY as f64).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        Ok(_) => Err("write a time from 1ms to 24h".to_owned()),
        Err(_) => Err("write a time such as `500ms`, `10s` or `2m`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_tests_or_times() {
        assert_eq!(parse("5000tests"), Ok(Budget::Tests(5000)));
        assert_eq!(parse("1test"), Ok(Budget::Tests(1)));
        assert_eq!(parse("10_000tests"), Ok(Budget::Tests(10_000)));
        assert_eq!(parse("1.5s"), Ok(Budget::Time(Duration::from_millis(1500))));
        assert_eq!(parse("2m"), Ok(Budget::Time(Duration::from_secs(120))));
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
            assert!(parse(nonsense).is_err(), "{nonsense}: {:?}", parse(nonsense));
        }
        let longer = |text: &str| parse(text).unwrap().longer();
        assert_eq!(["10s", "1m", "90s", "300tests"].map(longer), ["1m", "10m", "10m", "3000tests"]);
        assert!(
            ["10s", "1m", "300tests", "24h", "10_000_000_000tests"]
                .map(longer)
                .iter()
                .all(|text| parse(text).is_ok())
        );
        assert_eq!(parse("1.5s").unwrap().in_words(), "1.5 s");
        assert_eq!(parse("10"), Err("add a unit: `10s`, `2m` or `5000tests`".to_owned()));
    }
}
