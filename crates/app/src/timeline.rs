//! How a search went, over time: a few hundred points, however long it took and however many rounds there were.

use adit_store::{Campaign, RoundId, SearchPoint, StoreError};
use adit_trace::Progress;
use serde_json::{Value, json};

/// The most points of a round that are kept. A plot needs no more.
const MOST: usize = 200;

/// The most points of a whole campaign that are told.
const MOST_OF_ALL: usize = 400;

/// The course of one round, while it runs.
#[derive(Debug)]
pub(crate) struct Timeline(Thinned<(f64, Progress)>);

impl Timeline {
    pub(crate) fn new() -> Self {
        Self(Thinned::new(MOST))
    }

    /// Takes note of the state of the search, so many seconds after its beginning.
    pub(crate) fn add(&mut self, seconds: f64, progress: Progress) {
        let begins = self.0.points.last().is_none_or(|(_, last)| last.phase != progress.phase);
        self.0.add((seconds, progress), begins);
    }

    /// All points as they are stored, the last one among them.
    pub(crate) fn points(&self, round: RoundId) -> Vec<SearchPoint> {
        let point = |(seconds, progress): &(f64, Progress)| stored(round, *seconds, progress);
        self.0.all().map(point).collect()
    }
}

/// A moment of a search as it is stored.
pub(crate) fn stored(round: RoundId, seconds: f64, progress: &Progress) -> SearchPoint {
    let count = |number: Option<usize>| number.map(|number| number as u64);
    SearchPoint {
        round,
        phase: progress.phase.name().to_owned(),
        seconds,
        tests: progress.tests,
        states: count(progress.states),
        refuted: count(progress.refuted),
        open: count(progress.open),
        covered: count(progress.covered),
    }
}

/// The course of a campaign: the searches of all its rounds after each other, as if there were no time between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Course {
    /// In the order of time. Seconds, tests and refuted claims count from the beginning of the campaign.
    pub(crate) points: Vec<SearchPoint>,
    pub(crate) rounds: Vec<Begin>,
}

/// Where a round begins in a course.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Begin {
    pub(crate) round: i64,
    pub(crate) seconds: f64,
    pub(crate) tests: u64,
    /// Why it ended; nothing if it was killed or runs.
    pub(crate) stop: Option<String>,
}

impl Course {
    /// The course of a campaign that is stored.
    pub(crate) fn of(campaign: &Campaign) -> Result<Self, StoreError> {
        let rounds = campaign.rounds()?;
        let mut begins: Vec<Begin> = Vec::new();
        let mut thinned = Thinned::new(MOST_OF_ALL);
        let (mut seconds, mut tests) = (0.0_f64, 0_u64);
        // What earlier rounds refuted, and what this one did so far.
        let mut refuted = (0, 0);
        let mut points = campaign.search().peekable();
        for round in rounds {
            begins.push(Begin {
                round: round.id.0,
                seconds,
                tests,
                stop: round.end.as_ref().map(|end| end.stop.name().to_owned()),
            });
            let begin = (seconds, tests);
            (seconds, tests) = (begin.0 + round.seconds.max(0.0), begin.1.saturating_add(round.tests));
            let mut phase = None;
            // An error is taken too, and ends the reading.
            while let Some(point) =
                points.next_if(|point| point.as_ref().map_or(true, |point| point.round <= round.id))
            {
                let mut point = point?;
                point.seconds += begin.0;
                point.tests = point.tests.saturating_add(begin.1);
                if let Some(count) = &mut point.refuted {
                    refuted.1 = *count;
                    *count += refuted.0;
                }
                seconds = seconds.max(point.seconds);
                tests = tests.max(point.tests);
                let begins = phase.as_ref() != Some(&point.phase);
                phase = Some(point.phase.clone());
                thinned.add(point, begins);
            }
            refuted = (refuted.0 + refuted.1, 0);
        }
        Ok(Self { points: thinned.all().cloned().collect(), rounds: begins })
    }

    /// What `search.json` says; what it lacks is zero or unknown.
    pub(crate) fn from_json(value: &Value) -> Self {
        let list = |name: &str| value[name].as_array().cloned().unwrap_or_default();
        let seconds =
            |value: &Value| value["seconds"].as_f64().filter(|seconds| seconds.is_finite()).unwrap_or(0.0);
        let point = |value: &Value| SearchPoint {
            round: RoundId(value["round"].as_i64().unwrap_or(1)),
            phase: value["phase"].as_str().unwrap_or_default().to_owned(),
            seconds: seconds(value),
            tests: value["tests"].as_u64().unwrap_or(0),
            states: value["states"].as_u64(),
            refuted: value["refuted"].as_u64(),
            open: value["open"].as_u64(),
            covered: value["covered"].as_u64(),
        };
        let begin = |value: &Value| Begin {
            round: value["round"].as_i64().unwrap_or(1),
            seconds: seconds(value),
            tests: value["tests"].as_u64().unwrap_or(0),
            stop: value["stop"].as_str().map(str::to_owned),
        };
        Self {
            points: list("points").iter().map(point).collect(),
            rounds: list("rounds").iter().map(begin).collect(),
        }
    }

    pub(crate) fn as_json(&self) -> Value {
        let point = |point: &SearchPoint| {
            let SearchPoint { round, phase, seconds, tests, states, refuted, open, covered } = point;
            json!({
                "round": round.0,
                "phase": phase,
                "seconds": seconds,
                "tests": tests,
                "states": states,
                "refuted": refuted,
                "open": open,
                "covered": covered,
            })
        };
        let begin = |begin: &Begin| json!({ "round": begin.round, "seconds": begin.seconds, "tests": begin.tests, "stop": begin.stop });
        json!({
            "points": self.points.iter().map(point).collect::<Vec<_>>(),
            "rounds": self.rounds.iter().map(begin).collect::<Vec<_>>(),
        })
    }
}

/// So many of what is told, evenly spread, and always the last.
#[derive(Debug)]
struct Thinned<P> {
    points: Vec<P>,
    most: usize,
    /// One in so many is kept.
    stride: usize,
    skipped: usize,
    last: Option<P>,
}

impl<P: Clone> Thinned<P> {
    fn new(most: usize) -> Self {
        Self { points: Vec::new(), most, stride: 1, skipped: 0, last: None }
    }

    /// Takes a point. The first of something new is kept for the time being.
    fn add(&mut self, point: P, begins: bool) {
        self.skipped += 1;
        if self.skipped < self.stride && !begins {
            self.last = Some(point);
            return;
        }
        (self.skipped, self.last) = (0, None);
        self.points.push(point);
        if self.points.len() >= self.most {
            // The newest has an even place, and stays as the last.
            self.last = self.points.last().cloned();
            let mut place = 0;
            self.points.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.stride *= 2;
        }
    }

    fn all(&self) -> impl Iterator<Item = &P> {
        self.points.iter().chain(&self.last)
    }
}

#[cfg(test)]
mod tests {
    use adit_store::{About, Held, NewRound, RoundEnd, Writer};
    use adit_trace::{Limit, Phase, Stop};
    use expect_test::expect;

    use super::*;

    fn told(count: u64) -> Vec<u64> {
        let mut timeline = Timeline::new();
        for tests in 0..count {
            timeline.add(0.0, Progress::new(Phase::Attack, tests));
        }
        timeline.points(RoundId(1)).iter().map(|point| point.tests).collect()
    }

    #[test]
    fn a_short_search_is_told_in_full() {
        assert_eq!(told(5), [0, 1, 2, 3, 4]);
        assert_eq!(told(0), [0_u64; 0]);
    }

    #[test]
    fn a_long_search_is_told_evenly_with_its_end() {
        for count in [199, 200, 201, 1000, 123_456] {
            let points = told(count);
            assert!((99..=200).contains(&points.len()), "{count}: {}", points.len());
            assert_eq!((points[0], points[points.len() - 1]), (0, count - 1));
            assert!(points.is_sorted());
            let widest = points.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
            assert!(widest <= count / 99 * 2 + 2, "{count}: {widest}");
        }
    }

    #[test]
    fn rounds_follow_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let about = About {
            class: "Stack".to_owned(),
            class_digest: String::new(),
            parameters: json!({}),
            seed: 0,
            tool: String::new(),
            created: 0,
        };
        let mut writer = Writer::open(Held::new(folder.path()).unwrap(), &about).unwrap();
        assert_eq!(Course::of(&writer).unwrap(), Course::default());
        for round in 1..=3 {
            let new = NewRound { seed: 0, effort: json!({}), tool: String::new(), started: 0 };
            let id = writer.begin(&new).unwrap();
            let progress = |phase, tests, refuted| Progress { refuted, ..Progress::new(phase, tests) };
            let points = [
                stored(id, 0.5, &progress(Phase::Explore, 10, None)),
                stored(id, 2.0, &progress(Phase::Attack, 30, Some(4))),
            ];
            writer
                .batch(|batch| {
                    if round == 2 {
                        // Killed after its first point.
                        return batch.point(&points[0]);
                    }
                    batch.point(&points[1])?;
                    batch.course(id, &points)?;
                    batch.so_far(id, 40, 2.5)?;
                    batch.end(id, &RoundEnd { ended: 1, stop: Stop::Budget(Limit::Time) })
                })
                .unwrap();
        }
        let course = Course::of(&writer).unwrap();
        assert_eq!(Course::from_json(&course.as_json()), course);
        let mut text = String::new();
        for begin in &course.rounds {
            text += &format!(
                "round {} at {} s, {} tests: {:?}\n",
                begin.round, begin.seconds, begin.tests, begin.stop
            );
        }
        for point in &course.points {
            text +=
                &format!("{} {} s {} tests {:?}\n", point.phase, point.seconds, point.tests, point.refuted);
        }
        expect![[r#"
            round 1 at 0 s, 0 tests: Some("time")
            round 2 at 2.5 s, 40 tests: None
            round 3 at 3 s, 50 tests: Some("time")
            explore 0.5 s 10 tests None
            attack 2 s 30 tests Some(4)
            explore 3 s 50 tests None
            explore 3.5 s 60 tests None
            attack 5 s 80 tests Some(8)
        "#]]
        .assert_eq(&text);
    }
}
