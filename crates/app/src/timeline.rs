//! Progress of a search over time: a few hundred points, however long it took.

use adit_store::{RoundId, SearchPoint};
use adit_trace::Progress;

/// Maximum number of points of a round. A plot needs no more.
const MAX_POINTS: usize = 200;

/// Progress of the round that is running.
#[derive(Debug)]
pub(crate) struct Timeline(Thinned<(f64, Progress)>);

impl Timeline {
    pub(crate) fn new() -> Self {
        Self(Thinned::new(MAX_POINTS))
    }

    /// Adds the state of the search, this many seconds after it began.
    pub(crate) fn add(&mut self, seconds: f64, progress: Progress) {
        let begins = self.0.points.last().is_none_or(|(_, last)| last.phase != progress.phase);
        self.0.add((seconds, progress), begins);
    }

    /// Returns all points in the form of the store, including the last one.
    pub(crate) fn points(&self, round: RoundId) -> Vec<SearchPoint> {
        let point = |(seconds, progress): &(f64, Progress)| stored(round, *seconds, progress);
        self.0.all().map(point).collect()
    }
}

/// Returns a point in the form of the store.
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

/// An evenly spread sample of a sequence that always contains its last element.
#[derive(Debug)]
pub(crate) struct Thinned<P> {
    points: Vec<P>,
    most: usize,
    /// One point out of this many is kept.
    stride: usize,
    skipped: usize,
    last: Option<P>,
}

impl<P: Clone> Thinned<P> {
    pub(crate) fn new(most: usize) -> Self {
        Self { points: Vec::new(), most, stride: 1, skipped: 0, last: None }
    }

    /// Adds a point. One that begins something new is kept until the next thinning.
    pub(crate) fn add(&mut self, point: P, begins: bool) {
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

    pub(crate) fn all(&self) -> impl Iterator<Item = &P> {
        self.points.iter().chain(&self.last)
    }
}

#[cfg(test)]
mod tests {
    use adit_trace::Phase;

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
}
