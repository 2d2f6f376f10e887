//! Which calls were made from outside of their object, decided while the file is read.
//!
//! A call that begins while an older one of the same object is open is made by that one, and is no event.
//! But the older one may have thrown, which a trace shows only by its missing end; and a constructor does
//! not tell its object until it ends. So a call that ends inside others waits for them: it is dropped when
//! the other call of its object ends, and handed over when the constructor turns out to have made another
//! object, or at the end of the file.
//!
//! Memory: what is open, and what waits for it. What waits for a call that never ends is handed over when
//! there is too much of it.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::Event;

/// The most calls that may wait. A call that makes more calls of its own object than this is taken to have
/// thrown.
const MOST_WAITING: usize = 1 << 16;

/// Open calls and those that wait for them.
#[derive(Default)]
pub(super) struct Nesting {
    /// The times when the open calls of each object began, oldest first.
    busy: FxHashMap<Box<str>, Vec<u64>>,
    /// The times when the open constructors began.
    making: BTreeSet<u64>,
    /// Calls that have ended inside others, by object.
    held: FxHashMap<Box<str>, Vec<Ended>>,
    waiting: usize,
}

/// A call that has ended.
pub(super) struct Ended {
    pub(super) begun: u64,
    /// The method with its class and its parameter types.
    pub(super) method: Box<str>,
    pub(super) event: Event,
}

impl Nesting {
    /// A call begins.
    pub(super) fn begin(&mut self, begun: u64, object: Option<&str>, constructor: bool) {
        match object {
            Some(object) => match self.busy.get_mut(object) {
                Some(open) => open.push(begun),
                None => {
                    self.busy.insert(object.into(), vec![begun]);
                }
            },
            None if constructor => {
                self.making.insert(begun);
            }
            None => {}
        }
    }

    /// A call ends, and its object is known, or empty if there is none. Gives the calls that are now known
    /// to be events.
    pub(super) fn end(&mut self, object: &str, ended: Ended) -> Vec<Ended> {
        let oldest = self.making.first().copied();
        let made = self.making.remove(&ended.begun);
        if let Some(open) = self.busy.get_mut(object) {
            open.retain(|&begun| begun != ended.begun);
            if open.is_empty() {
                self.busy.remove(object);
            }
        }
        // A function without an object is nobody's call, and has none inside that were its own.
        if object.is_empty() {
            return Vec::new();
        }
        if let Some(held) = self.held.get_mut(object) {
            let before = held.len();
            held.retain(|inner| inner.begun < ended.begun);
            self.waiting -= before - held.len();
        }
        let mut ready = Vec::new();
        // What waited for the oldest constructor need not wait for this one any more.
        if made && oldest == Some(ended.begun) && self.waiting > 0 {
            let (busy, making) = (&self.busy, &self.making);
            for (of, held) in &mut self.held {
                ready.extend(held.extract_if(.., |inner| !is_inside(busy, making, of, inner.begun)));
            }
            self.held.retain(|_, held| !held.is_empty());
            self.waiting -= ready.len();
        }
        if is_inside(&self.busy, &self.making, object, ended.begun) {
            self.waiting += 1;
            match self.held.get_mut(object) {
                Some(held) => held.push(ended),
                None => {
                    self.held.insert(object.into(), vec![ended]);
                }
            }
            if self.waiting > MOST_WAITING {
                self.making.clear();
                self.busy.clear();
                ready.extend(self.finish());
            }
        } else {
            ready.push(ended);
        }
        ready.sort_by_key(|ended| ended.begun);
        ready
    }

    /// The file ends, or too much waits: what calls wait for does not end any more.
    pub(super) fn finish(&mut self) -> Vec<Ended> {
        let mut rest: Vec<Ended> = self.held.drain().flat_map(|(_, held)| held).collect();
        rest.sort_by_key(|ended| ended.begun);
        self.waiting = 0;
        rest
    }
}

/// Tells whether a call that began at `begun` may have been made by an older one that is still open: one of
/// the same object, or a constructor.
fn is_inside(busy: &FxHashMap<Box<str>, Vec<u64>>, making: &BTreeSet<u64>, object: &str, begun: u64) -> bool {
    let older = |first: Option<&u64>| first.is_some_and(|&first| first < begun);
    older(making.first()) || older(busy.get(object).and_then(|open| open.first()))
}
