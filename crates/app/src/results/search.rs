//! `search.json`: the progress of the search over time, for all rounds of a campaign.

use adit_store::{Campaign, SearchPoint, StoreError};
use adit_trace::Stop;
use serde::{Deserialize, Serialize};

use super::ResultFile;
use crate::timeline::Thinned;

/// Maximum number of points of a whole campaign.
const MAX_POINTS: usize = 400;

/// The searches of all rounds of a campaign one after the other, without the time between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SearchHistory {
    /// In chronological order. Seconds, tests and refuted properties count from the beginning of the
    /// campaign.
    pub(crate) points: Vec<SearchPoint>,
    pub(crate) rounds: Vec<RoundStart>,
}

impl ResultFile for SearchHistory {
    const NAME: &'static str = "search.json";
}

/// Point at which a round begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RoundStart {
    pub(crate) round: i64,
    pub(crate) seconds: f64,
    pub(crate) tests: u64,
    /// Reason why the round ended; absent if it is running or was killed.
    pub(crate) stop: Option<Stop>,
}

impl SearchHistory {
    /// Reads the history of a stored campaign.
    pub(crate) fn of(campaign: &Campaign) -> Result<Self, StoreError> {
        let mut rounds: Vec<RoundStart> = Vec::new();
        let mut thinned = Thinned::new(MAX_POINTS);
        let (mut seconds, mut tests) = (0.0_f64, 0_u64);
        let mut refuted_before = 0;
        let mut points = campaign.search().peekable();
        for round in campaign.rounds()? {
            let begin = (seconds, tests);
            let stop = round.end.as_ref().map(|end| end.stop);
            rounds.push(RoundStart { round: round.id.0, seconds, tests, stop });
            (seconds, tests) = (begin.0 + round.seconds.max(0.0), begin.1.saturating_add(round.tests));
            let (mut phase, mut refuted) = (None, 0);
            // An error is taken too, and ends the reading.
            while let Some(point) =
                points.next_if(|point| point.as_ref().map_or(true, |point| point.round <= round.id))
            {
                let mut point = point?;
                point.seconds += begin.0;
                point.tests = point.tests.saturating_add(begin.1);
                if let Some(count) = &mut point.refuted {
                    refuted = *count;
                    *count += refuted_before;
                }
                seconds = seconds.max(point.seconds);
                tests = tests.max(point.tests);
                let begins = phase.as_ref() != Some(&point.phase);
                phase = Some(point.phase.clone());
                thinned.add(point, begins);
            }
            refuted_before += refuted;
        }
        Ok(Self { points: thinned.all().cloned().collect(), rounds })
    }
}

#[cfg(test)]
mod tests {
    use adit_store::{About, Held, NewRound, RoundEnd, Writer};
    use adit_trace::{Limit, Phase, Progress};
    use expect_test::expect;
    use serde_json::json;

    use super::*;
    use crate::timeline::stored;

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
        assert_eq!(SearchHistory::of(&writer).unwrap(), SearchHistory::default());
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
        let history = SearchHistory::of(&writer).unwrap();
        assert_eq!(
            serde_json::from_value::<SearchHistory>(serde_json::to_value(&history).unwrap()).unwrap(),
            history
        );
        let mut text = String::new();
        for begin in &history.rounds {
            text += &format!(
                "round {} at {} s, {} tests: {:?}\n",
                begin.round,
                begin.seconds,
                begin.tests,
                begin.stop.map(Stop::name)
            );
        }
        for point in &history.points {
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
