//! The effects of a call: the locations that it read and wrote.

use std::collections::BTreeSet;
use std::sync::Arc;

/// Locations that a call read and wrote, on whatever object, each once and as the subject names them:
/// `java.util.ArrayList.size`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Locations read at least once.
    pub reads: BTreeSet<Arc<str>>,
    /// Locations written at least once.
    pub writes: BTreeSet<Arc<str>>,
}
