//! Ctrl-C: removes half-written files, and lets work that is worth keeping finish early instead of losing it.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use adit_trace::{Pace, Progress, Stop};

use crate::errors::INTERRUPTED as EXIT_CODE;
use crate::stderr::tell;

/// Temporary files being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Tells that a command checks [`interrupted`] and will end soon.
static LISTENING: AtomicBool = AtomicBool::new(false);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Time of the first interrupt.
static FIRST: Mutex<Option<Instant>> = Mutex::new(None);

/// Signals within this time count as one.
const ONE_WISH: Duration = Duration::from_secs(1);

/// Message for an immediate exit, if there is more to say than that nothing was changed.
static FAREWELL: Mutex<Option<String>> = Mutex::new(None);

/// Sets the message for an immediate exit.
pub(crate) fn farewell(text: String) {
    *FAREWELL.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
}

/// Installs the Ctrl-C handler for the whole process.
pub(crate) fn install() {
    // Without a handler Ctrl-C still ends the process, and only leaves a temporary file behind.
    let _ = ctrlc::set_handler(|| {
        if LISTENING.load(Ordering::SeqCst) {
            let mut first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
            match *first {
                None => {
                    *first = Some(Instant::now());
                    INTERRUPTED.store(true, Ordering::SeqCst);
                    tell("adit: stopping and saving the results; press Ctrl-C again to stop at once");
                    return;
                }
                // Some programs signal a process and then its group, which is one request, not two.
                Some(first) if first.elapsed() < ONE_WISH => return,
                Some(_) => {}
            }
        }
        for path in unfinished().iter() {
            let _ = fs::remove_file(path);
        }
        let farewell = FAREWELL.lock().unwrap_or_else(PoisonError::into_inner).take();
        tell(&format!("adit: {}", farewell.as_deref().unwrap_or("interrupted; nothing was changed")));
        std::process::exit(EXIT_CODE.into());
    });
}

/// Pace that ends with Ctrl-C. While it lives, the first Ctrl-C only asks to stop.
pub(crate) struct Listening(());

impl Listening {
    pub(crate) fn new() -> Self {
        LISTENING.store(true, Ordering::SeqCst);
        Self(())
    }

    /// Tells whether Ctrl-C was pressed.
    pub(crate) fn interrupted(&self) -> bool {
        interrupted()
    }
}

/// Goes on until Ctrl-C is pressed.
impl Pace for Listening {
    fn go_on(&mut self, _: &Progress) -> ControlFlow<Stop> {
        if self.interrupted() { ControlFlow::Break(Stop::Interrupted) } else { ControlFlow::Continue(()) }
    }
}

/// Returns true if Ctrl-C was pressed.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

impl Drop for Listening {
    fn drop(&mut self) {
        LISTENING.store(false, Ordering::SeqCst);
    }
}

/// Guard of a temporary file, which an interrupt removes.
pub(crate) struct Unfinished(PathBuf);

impl Unfinished {
    pub(crate) fn new(path: &Path) -> Self {
        unfinished().push(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        unfinished().retain(|path| *path != self.0);
    }
}

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}
