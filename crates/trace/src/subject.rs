//! The seam between the searches and what they search: something that runs scripts.

use std::time::Instant;

use crate::{Run, Script};

/// Something that runs scripts: a virtual machine in a worker process, a wrapper around another subject, or a
/// model in a test.
///
/// [`limit`](Self::limit), [`look`](Self::look) and [`renew`](Self::renew) do nothing by default, which suits
/// a subject whose scripts always end soon, share nothing and hide nothing. A wrapper hands all of them on.
pub trait Subject {
    /// Failure of the subject itself. Failures of single scripts are reported in their [`Run`].
    type Error;

    /// Runs every script and answers in the same order, one run for each.
    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Self::Error>;

    /// Sets the limits for all batches from now on. Scripts that they exclude end as
    /// [`End::NotRun`](crate::End::NotRun).
    fn limit(&mut self, limits: RunLimits) {
        let _ = limits;
    }

    /// Makes the next scripts run with fresh hidden state: in new machines, where hash codes and iteration
    /// orders differ.
    fn renew(&mut self) {}

    /// Sets how deep snapshots look for all batches from now on. A subject that cannot look deeper than the
    /// fields ignores it, and its snapshots have no [digests](crate::Snapshot::digests).
    fn look(&mut self, depth: Depth) {
        let _ = depth;
    }
}

/// Depth of the snapshots of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// The fields of the object itself, which is cheapest.
    #[default]
    Fields,
    /// The same, and digests of what the fields lead to after the last call of each script.
    ReachableAtEnd,
    /// The same after every call.
    Reachable,
}

/// Limits on running scripts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunLimits {
    /// Moment after which nothing is run. A script that is running then is stopped and counts as not run.
    pub deadline: Option<Instant>,
    /// Number of hangs and crashes in one batch after which the rest of it is not run. Each costs as much as
    /// thousands of scripts, so the caller may want to learn from the first before it goes on.
    pub bad_ends: Option<usize>,
}

impl RunLimits {
    /// No limit but a deadline.
    pub fn until(deadline: Option<Instant>) -> Self {
        Self { deadline, bad_ends: None }
    }
}
