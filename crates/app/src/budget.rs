//! Budgets and times as users write them: `10s`, `2m`, `5000tests`.

use std::fmt;
use std::time::Duration;

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

/// Parses a number of tests or a time.
pub(crate) fn parse(text: &str) -> Result<Budget, String> {
    /// A day of tests at a hundred thousand a second.
    const MOST: u64 = 10_000_000_000;
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
    /// Short enough to be added to any clock.
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
        assert_eq!(parse("10"), Err("add a unit: `10s`, `2m` or `5000tests`".to_owned()));
    }
}
