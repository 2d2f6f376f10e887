//! Examination of the machine for what workers need, as data; `adit doctor` prints it.

use std::ffi::OsString;
use std::path::Path;

use crate::error::HostError;
use crate::find::{self, Jdk, JdkError, Places};
use crate::host::probe;
use crate::sandbox::Protection;

/// Result of an examination.
#[derive(Debug)]
pub struct Findings {
    /// The JDK that would be used, or the reason that there is none.
    pub jdk: Result<Jdk, JdkError>,
    /// The protection that the sandbox gives here, or the reason that it is unknown.
    pub protection: Result<Protection, HostError>,
}

/// Starts a worker without a JVM to find out which restrictions the kernel supports.
pub fn protection(program: &Path, arguments: &[OsString], boxes: &Path) -> Result<Protection, HostError> {
    probe(program, arguments, boxes)
}

/// Looks for a JDK, and starts a worker without a JVM to find out which restrictions the kernel supports.
pub fn examine(places: &Places, program: &Path, arguments: &[OsString], boxes: &Path) -> Findings {
    Findings { jdk: find::find(places), protection: probe(program, arguments, boxes) }
}
