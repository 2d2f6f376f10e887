//! The seam between the searches and what they search: something that runs scripts.

use std::time::Instant;

use crate::{Run, Script};

/// Something that runs scripts: a virtual machine in a worker process, a wrapper around another subject, or a
/// model in a test.
///
/// [`limit`](Self::limit) and [`renew`](Self::renew) do nothing by default, which suits a subject whose
/// scripts always end soon and share nothing. A wrapper hands both on.
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
