//! Places of calls in the client's code, for people: the line of each call, and the stack of each that
//! throws.
//!
//! A place is a method and an offset in its code. Each method is described once, with its table of lines, so
//! that a place in a record takes a few bytes and no text.

use std::collections::HashMap;
use std::sync::Mutex;

use jni_sys::{jint, jlong, jmethodID};

use super::{CallRecorder, locked};
use crate::agent::{Frame, Tools};
use crate::jni;
use crate::record::stream::frame;
use crate::vm::Env;
use crate::wire::Put;

/// Number of frames of a stack that are told; runners of tests lie deeper.
const DEPTH: usize = 64;

/// A place in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The id of the method.
    pub(super) method: usize,
    pub(super) location: jlong,
}

/// The numbers of the methods that were described.
#[derive(Default)]
pub(super) struct Places(Mutex<HashMap<usize, u64>>);

impl CallRecorder {
    /// Adds the place of a call and, if it threw, the stack below the wrapped method.
    pub(super) fn put_places(
        &self,
        tools: Tools,
        env: Env,
        from: Option<Place>,
        threw: bool,
        outcome: &mut Vec<u8>,
    ) {
        if !self.plan.places {
            return;
        }
        let mut stack = Vec::new();
        if threw {
            let mut frames = [Frame::EMPTY; DEPTH];
            // The witness's own method comes first.
            let count = tools.stack(1, &mut frames).unwrap_or(0);
            stack.extend(
                frames[..count].iter().map(|frame| self.numbered(tools, env, frame.method, frame.location)),
            );
        }
        let from = from.map(|place| self.numbered(tools, env, place.method as jmethodID, place.location));
        put(from, &stack, outcome);
    }

    /// Adds the place of a call whose frames are gone, as far as it was told before.
    pub(super) fn put_site(&self, from: Option<Place>, outcome: &mut Vec<u8>) {
        if self.plan.places {
            let known = locked(&self.places.0);
            let from = from.and_then(|place| Some((*known.get(&place.method)?, place.location)));
            put(from, &[], outcome);
        }
    }

    /// The number of a method, which is described if it is new, and the location.
    fn numbered(&self, tools: Tools, env: Env, method: jmethodID, location: jlong) -> (u64, jlong) {
        if let Some(known) = locked(&self.places.0).get(&(method as usize)) {
            return (*known, location);
        }
        // The machine is asked while nothing is locked.
        let (class, file) = match tools.method_class(method) {
            Ok(class) => {
                let described = (
                    tools.class_name(class).unwrap_or_default(),
                    tools.source_file(class).unwrap_or_default(),
                );
                // SAFETY: the reference was just made.
                unsafe { jni!(env, DeleteLocalRef, class) };
                described
            }
            Err(_) => Default::default(),
        };
        let name = tools.method_name(method).map(|(name, _)| name).unwrap_or_default();
        let lines = tools.lines(method).unwrap_or_default();
        let mut known = locked(&self.places.0);
        let fresh = known.len() as u64 + 1;
        let number = *known.entry(method as usize).or_insert(fresh);
        if number == fresh {
            // Numbers must reach the records in their order.
            self.records.write(|bytes| {
                bytes.byte(frame::METHOD);
                bytes.text(&class);
                bytes.text(&name);
                bytes.text(&file);
                bytes.number(lines.len() as u64);
                for (start, line) in &lines {
                    bytes.number(u64::try_from(*start).unwrap_or(0));
                    bytes.number(u64::try_from(jint::max(*line, 0)).unwrap_or(0));
                }
            });
        }
        (number, location)
    }
}

fn put(from: Option<(u64, jlong)>, stack: &[(u64, jlong)], bytes: &mut Vec<u8>) {
    put_place(from.unwrap_or((0, -1)), bytes);
    bytes.number(stack.len() as u64);
    stack.iter().for_each(|place| put_place(*place, bytes));
}

fn put_place((method, location): (u64, jlong), bytes: &mut Vec<u8>) {
    bytes.number(method);
    // A native method has no place, which is a negative one.
    bytes.number(u64::try_from(location.saturating_add(1)).unwrap_or(0));
}
