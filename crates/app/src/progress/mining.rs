//! Progress of mining: a bar on a terminal, plain lines elsewhere, or one JSON object per line for tools.
//!
//! `docs/guide/campaigns.md` documents the names in the JSON lines. A `saved` or `refuted` line is written
//! only after the data is on disk.

use std::cell::RefCell;
use std::io::{self, IsTerminal};
use std::rc::Rc;
use std::time::{Duration, Instant};

use adit_store::{RoundId, SearchPoint};
use adit_trace::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::{BAR_AFTER, LINE_EVERY};
use crate::budget::Budget;
use crate::output::counted;
use crate::stderr::{show_bar, tell};
use crate::timeline::Timeline;

/// Audience of the progress output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    /// Nobody.
    Nobody,
    /// People: a bar or lines.
    People,
    /// Tools: JSON lines.
    Tools,
}

impl Audience {
    /// Audience of a command that has no JSON progress.
    pub(crate) fn unless(quiet: bool) -> Self {
        if quiet { Self::Nobody } else { Self::People }
    }

    /// Prints a remark, unless quiet.
    pub(crate) fn note(self, text: &str) {
        if self != Self::Nobody {
            self.warn(text);
        }
    }

    /// Prints a warning, even if quiet.
    pub(crate) fn warn(self, text: &str) {
        match self {
            Self::Nobody | Self::People => tell(text),
            Self::Tools => tell(&json!({ "event": "remark", "text": text }).to_string()),
        }
    }
}

/// Interval of the JSON lines.
const JSON_EVERY: Duration = Duration::from_millis(250);

/// Progress of one run of `mine`, shared by the search and the recorder.
#[derive(Clone)]
pub(crate) struct Mining(Rc<RefCell<Inner>>);

struct Inner {
    audience: Audience,
    budget: Budget,
    start: Instant,
    last: Instant,
    progress: Progress,
    timeline: Timeline,
    bar: Option<ProgressBar>,
}

impl Mining {
    pub(crate) fn new(budget: Budget, audience: Audience) -> Self {
        let start = Instant::now();
        let timeline = Timeline::new();
        let inner = Inner {
            audience,
            budget,
            start,
            last: start,
            progress: Progress::default(),
            timeline,
            bar: None,
        };
        Self(Rc::new(RefCell::new(inner)))
    }

    /// Seconds since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.0.borrow().start.elapsed()
    }

    /// Last reported position.
    pub(crate) fn last(&self) -> Progress {
        self.0.borrow().progress
    }

    /// Records the position of the search, and shows it if the interval has passed.
    pub(crate) fn show(&self, progress: Progress) {
        let mut inner = self.0.borrow_mut();
        let new_phase = inner.progress.phase != progress.phase;
        inner.progress = progress;
        let seconds = inner.start.elapsed().as_secs_f64();
        inner.timeline.add(seconds, progress);
        match inner.audience {
            Audience::Nobody => {}
            Audience::Tools => {
                if new_phase || inner.last.elapsed() >= JSON_EVERY {
                    inner.last = Instant::now();
                    tell(&inner.json().to_string());
                }
            }
            Audience::People => inner.show(),
        }
    }

    /// The course of the search in this round, as a few hundred points.
    pub(crate) fn course(&self, round: RoundId) -> Vec<SearchPoint> {
        self.0.borrow().timeline.points(round)
    }

    /// Returns true if [`Mining::event`] has an audience.
    pub(crate) fn is_for_tools(&self) -> bool {
        self.0.borrow().audience == Audience::Tools
    }

    /// Reports an event to tools.
    pub(crate) fn event(&self, event: impl FnOnce() -> Value) {
        if self.is_for_tools() {
            tell(&event().to_string());
        }
    }

    /// Prints a remark: a line for people, or a JSON object for tools.
    pub(crate) fn remark(&self, text: &str) {
        let audience = self.0.borrow().audience;
        audience.note(text);
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Some(bar) = self.0.borrow_mut().bar.take() {
            show_bar(None);
            bar.finish_and_clear();
        }
    }
}

impl Inner {
    fn show(&mut self) {
        if self.start.elapsed() < BAR_AFTER {
            return;
        }
        if !io::stderr().is_terminal() {
            if self.last.elapsed() >= LINE_EVERY {
                self.last = Instant::now();
                let left = self.seconds_left().map(|left| format!(", {left:.0} s left")).unwrap_or_default();
                tell(&format!("{}: {}{left}", self.progress.phase.name(), self.words()));
            }
            return;
        }
        let (length, position) = match self.budget {
            Budget::Tests(tests) => (tests, self.progress.tests),
            Budget::Time(time) => (time.as_millis() as u64, self.start.elapsed().as_millis() as u64),
        };
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{prefix:>8} {bar:16} {wide_msg}");
            let bar = ProgressBar::new(length).with_style(style.expect("the template is well formed"));
            show_bar(Some(bar.clone()));
            bar
        });
        bar.set_position(position.min(length));
        let bar = bar.clone();
        bar.set_prefix(self.progress.phase.name());
        let left = self.seconds_left().map(|left| format!(", {left:.0} s left")).unwrap_or_default();
        bar.set_message(format!("{}{left}", self.words()));
    }

    /// Describes the position of the search, without its phase.
    fn words(&self) -> String {
        let Progress { tests, states, refuted, open, .. } = self.progress;
        let mut text = format!("{} ({:.0} per second)", counted(tests, "test"), self.rate());
        if let Some(states) = states {
            text += &format!(", {}", counted(states, "state"));
        }
        if let Some((refuted, open)) = refuted.zip(open) {
            text += &format!(", {} refuted, {open} left", counted(refuted, "property"));
        }
        text
    }

    fn json(&self) -> Value {
        let Progress { phase, tests, states, refuted, open, covered, .. } = self.progress;
        json!({
            "event": "standing",
            "phase": phase.name(),
            "seconds": rounded(self.start.elapsed().as_secs_f64()),
            "tests": tests,
            "tests_per_second": self.rate().round(),
            "states": states,
            "refuted": refuted,
            "open": open,
            "covered": covered,
            "seconds_left": self.seconds_left().map(rounded),
        })
    }

    fn rate(&self) -> f64 {
        self.progress.tests as f64 / self.start.elapsed().as_secs_f64().max(0.001)
    }

    /// Estimates the remaining time from the budget and the speed so far.
    fn seconds_left(&self) -> Option<f64> {
        match self.budget {
            Budget::Time(time) => Some(time.saturating_sub(self.start.elapsed()).as_secs_f64()),
            Budget::Tests(tests) => {
                let left = tests.saturating_sub(self.progress.tests) as f64;
                (self.progress.tests > 0).then(|| left / self.rate().max(0.001))
            }
        }
    }
}

/// Rounds to thousandths.
pub(crate) fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}
