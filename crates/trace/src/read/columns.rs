//! The columns of a log by their names, in CSV and in tables that other crates read.

use adit_suggest::nearest;

use super::Fields;
use super::excerpt::shorten;

/// Common names of columns, without case and punctuation, the best first.
const TRACE: [&str; 9] = [
    "case",
    "caseid",
    "caseconceptname",
    "casename",
    "trace",
    "traceid",
    "session",
    "sessionid",
    "tracename",
];
const EVENT: [&str; 9] = [
    "activity",
    "conceptname",
    "event",
    "eventname",
    "activityname",
    "task",
    "action",
    "method",
    "operation",
];
const TIME: [&str; 11] = [
    "sequence",
    "seq",
    "timestamp",
    "time",
    "timetimestamp",
    "completetimestamp",
    "starttimestamp",
    "starttime",
    "datetime",
    "date",
    "position",
];

/// The most columns that a message lists.
const SHOWN: usize = 20;

/// Positions of the columns that are used, among the names that were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The trace.
    pub trace: usize,
    /// The event.
    pub event: usize,
    /// The time or a sequence number.
    pub time: Option<usize>,
    /// The result of the call.
    pub returned: Option<usize>,
    /// The class of the exception that the call threw.
    pub threw: Option<usize>,
}

/// A log lacks a column that is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoColumn {
    /// Its purpose.
    pub wanted: &'static str,
    /// The columns that there are, the first of them.
    pub found: String,
    /// True if the user named a column, and false if it was searched under common names.
    pub named: bool,
    /// Advice, with the nearest name.
    pub hint: String,
}

impl Columns {
    /// Finds each column under the name that `fields` gives, else under its common names. A time is needed
    /// if `fields` names it or `timed` is set.
    pub fn find(names: &[&str], fields: &Fields, timed: bool) -> Result<Self, NoColumn> {
        let find = |wanted, flag: &str, given: &Option<String>, common: &[&str]| {
            let found = match given {
                Some(given) => names.iter().position(|name| name == given),
                None => known(names, common),
            };
            found.ok_or_else(|| missing(names, wanted, flag, given.as_deref(), common))
        };
        let time = match &fields.time {
            None if !timed => known(names, &TIME),
            given => Some(find("time", "--time", given, &TIME)?),
        };
        Ok(Self {
            trace: find("trace", "--case", &fields.trace, &TRACE)?,
            event: find("event", "--activity", &fields.event, &EVENT)?,
            time,
            returned: known(names, &["returned"]),
            threw: known(names, &["threw"]),
        })
    }

    /// Tells whether these are the names of columns of a log.
    pub(super) fn are_in(names: &[&str]) -> bool {
        known(names, &TRACE).is_some() && known(names, &EVENT).is_some()
    }
}

fn known(names: &[&str], common: &[&str]) -> Option<usize> {
    common.iter().find_map(|common| names.iter().position(|name| plain(name) == *common))
}

fn missing(
    names: &[&str],
    wanted: &'static str,
    flag: &str,
    given: Option<&str>,
    common: &[&str],
) -> NoColumn {
    let like = |wanted: &str| nearest(wanted, names.iter().copied());
    let near = match given {
        Some(given) => like(given),
        None => common.iter().find_map(|common| like(common)),
    };
    let advice = match (near, given) {
        (Some(near), _) => format!("did you mean `{near}`? "),
        (None, Some(given)) => format!("`{given}` is none of them; "),
        (None, None) => String::new(),
    };
    let mut found = names.iter().map(|name| format!("`{}`", shorten(name))).take(SHOWN).collect::<Vec<_>>();
    if names.len() > SHOWN {
        found.push(format!("and {} more", names.len() - SHOWN));
    }
    let hint = format!("{advice}choose a column with `{flag} NAME`");
    NoColumn { wanted, found: found.join(", "), named: given.is_some(), hint }
}

/// A name without case, punctuation and white space.
fn plain(name: &str) -> String {
    name.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_names_are_found_in_any_spelling_and_given_ones_exactly() {
        let names = ["Time Stamp", "case:concept:name", "Action", "threw", "seq"];
        let plain = Fields::default();
        let found = Columns::find(&names, &plain, false).unwrap();
        assert_eq!(found, Columns { trace: 1, event: 2, time: Some(4), returned: None, threw: Some(3) });
        let given = Fields { event: Some("threw".into()), time: Some("Time Stamp".into()), ..plain };
        let found = Columns::find(&names, &given, true).unwrap();
        assert_eq!((found.event, found.time), (3, Some(0)));
    }

    #[test]
    fn a_missing_column_is_told_with_near_misses() {
        let check = |names: &[&str], fields: Fields, timed, wanted, hint: &str| {
            let missing = Columns::find(names, &fields, timed).unwrap_err();
            assert_eq!((missing.wanted, missing.hint.as_str()), (wanted, hint));
        };
        let none = Fields::default();
        check(&["a", "event"], none.clone(), false, "trace", "choose a column with `--case NAME`");
        let near = "did you mean `traec_id`? choose a column with `--case NAME`";
        check(&["traec_id", "event"], none.clone(), false, "trace", near);
        let near = "did you mean `step`? choose a column with `--activity NAME`";
        check(&["case", "step"], Fields { event: Some("stap".into()), ..none.clone() }, false, "event", near);
        let far = "`x` is none of them; choose a column with `--activity NAME`";
        check(&["case", "step"], Fields { event: Some("x".into()), ..none.clone() }, false, "event", far);
        check(&["case", "event"], none, true, "time", "choose a column with `--time NAME`");
    }
}
