//! How a search went, over time: a few hundred points, however long it took.

use serde_json::{Value, json};

use crate::progress::Standing;

/// The state of a search at one moment.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// Since the beginning.
    seconds: f64,
    standing: Standing,
}

/// The most points that are kept. A plot needs no more.
const MOST: usize = 200;

/// The points that are kept, evenly spread over those that were told.
#[derive(Debug)]
pub(crate) struct Timeline {
    points: Vec<Point>,
    /// One in so many is kept.
    stride: usize,
    skipped: usize,
    last: Option<Point>,
}

impl Timeline {
    pub(crate) fn new() -> Self {
        Self { points: Vec::new(), stride: 1, skipped: 0, last: None }
    }

    /// Takes note of the state of the search. The first point of a phase is kept for the time being.
    pub(crate) fn add(&mut self, seconds: f64, standing: Standing) {
        let point = Point { seconds, standing };
        self.skipped += 1;
        let begins = self.points.last().is_none_or(|last| last.standing.phase != standing.phase);
        if self.skipped < self.stride && !begins {
            self.last = Some(point);
            return;
        }
        (self.skipped, self.last) = (0, None);
        self.points.push(point);
        if self.points.len() >= MOST {
            let mut place = 0;
            self.points.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.stride *= 2;
            // The newest had an even place.
            self.last = Some(point);
        }
    }

    /// All points, the last one among them.
    pub(crate) fn as_json(&self) -> Value {
        let points = self.points.iter().chain(&self.last).map(|Point { seconds, standing }| {
            let Standing { phase, tests, states, refuted, open, covered } = standing;
            json!({
                "phase": phase,
                "seconds": seconds,
                "tests": tests,
                "states": states,
                "refuted": refuted,
                "open": open,
                "covered": covered,
            })
        });
        json!({ "points": points.collect::<Vec<_>>() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(count: u64) -> Vec<u64> {
        let mut timeline = Timeline::new();
        for tests in 0..count {
            timeline.add(0.0, Standing { phase: "attack", tests, ..Standing::default() });
        }
        let json = timeline.as_json();
        json["points"].as_array().unwrap().iter().map(|point| point["tests"].as_u64().unwrap()).collect()
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
}
