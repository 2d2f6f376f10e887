//! Options that the tests of exploration share.

use adit_attack::explore::SplitOptions;

/// Splits for tests: few walks of this length.
pub(crate) fn splitting(walk_length: usize) -> SplitOptions {
    SplitOptions {
        walks: 100,
        walk_length,
        width: 16,
        gain: 0.05,
        relative_gain: 0.4,
        least_gain: 0.012,
        enough: 0.996,
        good: 0.98,
        readable: 15,
        states: 60,
    }
}
