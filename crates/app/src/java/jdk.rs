//! The JDK that commands run classes with.

use std::env;
use std::path::{Path, PathBuf};

use adit_jvm::find::{self, Places, USUAL};
use adit_jvm::{Jdk, JdkError};
use miette::Report;

use crate::errors::bad_input;
use crate::install_hints::{self, Thing};

/// Folders that hold JDKs side by side, in place of the usual ones. For machines that keep them elsewhere.
const OWN_PLACES: &str = "ADIT_JDKS";

/// Places where this machine may have a JDK, according to its environment.
pub(crate) fn places() -> Places {
    let usual = match env::var_os(OWN_PLACES) {
        Some(own) => env::split_paths(&own).filter(|folder| !folder.as_os_str().is_empty()).collect(),
        None => USUAL.map(PathBuf::from).to_vec(),
    };
    Places { java_home: env::var_os("JAVA_HOME").map(PathBuf::from), path: env::var_os("PATH"), usual }
}

/// Finds the JDK in the folder that was typed, else in the places of the environment.
pub(crate) fn find(typed: Option<&Path>) -> Result<Jdk, Report> {
    if let Some(home) = typed {
        return find::inspect(home).map_err(|unsuitable| {
            bad_input(
                format!("--jdk cannot be used: {unsuitable}"),
                "name the folder of a JDK 17 or later, which contains `bin`, `lib` and `release`; \
                 `adit doctor` lists those on this machine",
            )
        });
    }
    find::find(&places()).map_err(|error| match error {
        JdkError::None { .. } => bad_input(
            error,
            format!(
                "install one: {}; or name one with --jdk or JAVA_HOME; see `adit doctor`",
                install_hints::install(Thing::Jdk)
            ),
        ),
        error => Report::new(error),
    })
}
