//! What was found on this machine that workers need, as data; the command that prints it lives elsewhere.

use std::ffi::OsString;
use std::path::Path;

use crate::error::HostError;
use crate::find::{self, Jdk, JdkError, Places};
use crate::host::probe;
use crate::sandbox::Protection;

/// What was found.
#[derive(Debug)]
pub struct Findings {
    /// The JDK that would be used, or why there is none.
    pub jdk: Result<Jdk, JdkError>,
    /// How well workers are shut in here, or why that could not be found out.
    pub protection: Result<Protection, HostError>,
}

/// Looks for a JDK, and starts a worker without a machine to see what the kernel grants it.
pub fn examine(places: &Places, program: &Path, arguments: &[OsString], boxes: &Path) -> Findings {
    Findings { jdk: find::find(places), protection: probe(program, arguments, boxes) }
}

impl Findings {
    /// Whether hostile classes can be run safely here.
    pub fn is_well(&self) -> bool {
        self.jdk.is_ok() && self.protection.as_ref().is_ok_and(Protection::is_enough)
    }
}
