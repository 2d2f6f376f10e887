//! Explorations for tests.

use super::exploration::Exploration;
use super::{ExploreOptions, Prior, SplitOptions};
use crate::survey::{Pool, SurveyOptions};
use crate::ties::Ties;

/// An exploration without situations.
pub(super) fn nothing_explored() -> Exploration {
    let splitting = SplitOptions {
        walks: 1,
        walk_length: 1,
        width: 1,
        gain: 1.0,
        relative_gain: 1.0,
        least_gain: 1.0,
        enough: 1.0,
        good: 1.0,
        readable: 1,
        states: 1,
    };
    let survey = SurveyOptions { scripts: 1, calls: 1, candidates: 1, moves: 1 };
    let options = ExploreOptions { survey, successors: 1, splitting };
    let pool = Pool { starts: Vec::new(), moves: Vec::new(), ties: Ties::default() };
    Exploration::new(pool, Vec::new(), Prior::default(), options)
}
