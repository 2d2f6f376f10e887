//! Standard error: messages for people, kept clear of the progress bar.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use indicatif::ProgressBar;

/// The progress bar on the screen.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Registers the bar on the screen, so messages can suspend it.
pub(crate) fn show_bar(bar: Option<ProgressBar>) {
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = bar;
}

/// Writes a message for people. It is lost if standard error is closed.
pub(crate) fn tell(text: &str) {
    // In one piece, because other processes may write there too.
    let line = format!("{text}\n");
    let write = || drop(io::stderr().write_all(line.as_bytes()));
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}
