//! Progress of reading and of other work: a bar on a terminal, occasional plain lines elsewhere, nothing for
//! short work.

use std::io::{self, IsTerminal, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressStyle};

use crate::stderr::{show_bar, tell};

mod mining;

pub(crate) use mining::{Audience, Mining, rounded};

/// Work shorter than this shows no bar.
const BAR_AFTER: Duration = Duration::from_millis(400);
/// Interval of lines without a terminal, so logs of long runs stay short.
const LINE_EVERY: Duration = Duration::from_secs(2);

/// Counter of bytes read from any number of files, one after another.
#[derive(Clone)]
pub(crate) struct Progress(Option<Arc<Shared>>);

struct Shared {
    total: Option<u64>,
    done: AtomicU64,
    start: Instant,
    shown: Mutex<Shown>,
}

/// Content of the screen.
struct Shown {
    bar: Option<ProgressBar>,
    last_line: Instant,
}

impl Progress {
    /// Starts at zero, of `total` bytes if known.
    pub(crate) fn new(total: Option<u64>, quiet: bool) -> Self {
        if quiet {
            return Self(None);
        }
        let start = Instant::now();
        let shown = Mutex::new(Shown { bar: None, last_line: start });
        Self(Some(Arc::new(Shared { total, done: AtomicU64::new(0), start, shown })))
    }

    /// Wraps a stream so that its bytes are counted.
    pub(crate) fn watch<R: Read>(&self, reader: R) -> Watched<R> {
        Watched { reader, progress: self.clone() }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        let Some(shared) = &self.0 else { return };
        let mut shown = shared.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = shown.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Shared {
    fn advance(&self, bytes: u64) {
        let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.start.elapsed() < BAR_AFTER {
            return;
        }
        // A thread that is showing progress now shows it for this one too.
        let Ok(mut shown) = self.shown.try_lock() else { return };
        if io::stderr().is_terminal() {
            shown.bar.get_or_insert_with(|| new_bar(self.total)).set_position(done);
        } else if shown.last_line.elapsed() >= LINE_EVERY {
            shown.last_line = Instant::now();
            let of = self.total.map(|total| format!(" of {}", HumanBytes(total))).unwrap_or_default();
            tell(&format!("read {}{of} in {} s", HumanBytes(done), self.start.elapsed().as_secs()));
        }
    }
}

fn new_bar(total: Option<u64>) -> ProgressBar {
    let (bar, template) = match total {
        Some(total) => (ProgressBar::new(total), "{wide_bar} {bytes} of {total_bytes}, {eta} left"),
        None => (ProgressBar::no_length(), "{spinner} read {bytes} in {elapsed}"),
    };
    bar.with_style(ProgressStyle::with_template(template).expect("the templates above are well formed"))
}

/// Indicator of work of unknown length, shown until it is dropped.
pub(crate) struct Working(Option<(Sender<()>, JoinHandle<()>)>);

impl Working {
    /// Starts the indicator for `what`.
    pub(crate) fn new(what: &'static str, quiet: bool) -> Self {
        if quiet {
            return Self(None);
        }
        let (stop, stopped) = channel();
        let thread = std::thread::spawn(move || {
            let start = Instant::now();
            let mut bar: Option<ProgressBar> = None;
            // The sender is only ever dropped, so anything but a timeout means that the work is done.
            while stopped.recv_timeout(LINE_EVERY) == Err(RecvTimeoutError::Timeout) {
                if io::stderr().is_terminal() {
                    let bar = bar.get_or_insert_with(|| {
                        let style = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}");
                        ProgressBar::no_length()
                            .with_style(style.expect("the template is well formed"))
                            .with_message(what)
                    });
                    bar.tick();
                } else {
                    tell(&format!("{what}, {} s so far", start.elapsed().as_secs()));
                }
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        });
        Self(Some((stop, thread)))
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.0.take() {
            drop(stop);
            // Only showing can have failed, and there is nothing more to show.
            let _ = thread.join();
        }
    }
}

/// Progress of work that counts its own steps.
pub(crate) struct Counting {
    quiet: bool,
    start: Instant,
    last: Instant,
    bar: Option<ProgressBar>,
}

impl Counting {
    pub(crate) fn new(quiet: bool) -> Self {
        let start = Instant::now();
        Self { quiet, start, last: start, bar: None }
    }

    /// Start time.
    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Shows `text` if the interval has passed.
    pub(crate) fn show(&mut self, text: impl FnOnce() -> String) {
        if self.quiet || self.start.elapsed() < BAR_AFTER {
            return;
        }
        if io::stderr().is_terminal() {
            let bar = self.bar.get_or_insert_with(|| {
                let style = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}");
                let bar = ProgressBar::no_length().with_style(style.expect("the template is well formed"));
                show_bar(Some(bar.clone()));
                bar
            });
            bar.set_message(text());
            bar.tick();
        } else if self.last.elapsed() >= LINE_EVERY {
            self.last = Instant::now();
            tell(&text());
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            show_bar(None);
            bar.finish_and_clear();
        }
    }
}

/// A reader whose bytes are counted.
pub(crate) struct Watched<R> {
    reader: R,
    progress: Progress,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        if let Some(shared) = &self.progress.0 {
            shared.advance(read as u64);
        }
        Ok(read)
    }
}
