//! The calls of each object, held until the end of the file, because objects never say that they are done.

use rustc_hash::FxHashMap;

use super::super::Summary;
use super::super::error::Halt;
use super::super::target::Target;
use super::values::class_of;
use crate::{Letter, State, Value};

/// The lives of all objects.
#[derive(Default)]
pub(super) struct Lives {
    /// The present life of each number.
    objects: FxHashMap<Box<str>, usize>,
    lives: Vec<Life>,
    /// Calls without an object.
    objectless: Vec<Slot>,
}

/// Everything known of one object.
struct Life {
    name: String,
    born: u64,
    calls: Vec<Slot>,
    /// The fields after the last call, unless another has begun.
    state: Option<State>,
}

/// A call in the life of an object.
pub(super) struct Slot {
    pub(super) begun: u64,
    pub(super) ended: Option<u64>,
    pub(super) letter: Option<Letter>,
}

impl Lives {
    /// A place in the life of an object for a call that began at `begun`. An object that was known before a
    /// call gave it as new is another one with the same number.
    pub(super) fn place(&mut self, object: &str, method: &str, begun: u64, now: u64) -> (usize, usize) {
        let name = || format!("{}@{object}", class_of(method));
        let known = self.objects.get(object).copied();
        let life = match known.filter(|&life| begun == now || self.lives[life].born > begun) {
            Some(life) => {
                // The outermost constructor knows best what the object is.
                if begun < now {
                    self.lives[life].name = name();
                }
                life
            }
            None => {
                // What happened to the number since then was done by the constructor to the new object.
                if let Some(old) = known {
                    let calls = self.lives[old].calls.iter_mut().rev();
                    calls.take_while(|slot| slot.begun > begun).for_each(|slot| slot.letter = None);
                }
                self.lives.push(Life { name: name(), born: begun, calls: Vec::new(), state: None });
                self.objects.insert(object.into(), self.lives.len() - 1);
                self.lives.len() - 1
            }
        };
        let calls = &mut self.lives[life].calls;
        calls.push(Slot { begun, ended: None, letter: None });
        (life, calls.len() - 1)
    }

    /// Puts a call into the place that was kept for it, or among those without an object.
    pub(super) fn fill(&mut self, place: Option<(usize, usize)>, slot: Slot) {
        match place {
            Some((life, place)) => self.lives[life].calls[place] = slot,
            None => self.objectless.push(slot),
        }
    }

    /// A call ended and left these fields.
    pub(super) fn set_state(&mut self, life: usize, state: &State) {
        self.lives[life].state = Some(state.clone());
    }

    /// A call that threw left this field.
    pub(super) fn left(&mut self, life: usize, field: &str, value: &Value) {
        self.lives[life].state.get_or_insert_default().insert(field.to_owned(), value.clone());
    }

    /// A call begins: gives the fields after the one before, which are not to be relied upon any more.
    pub(super) fn take_state(&mut self, life: usize) -> Option<State> {
        self.lives[life].state.take()
    }

    /// Hands over all traces, in the order in which the objects appeared.
    pub(super) fn hand_over(mut self, target: &mut impl Target, summary: &mut Summary) -> Result<(), Halt> {
        if self.lives.is_empty() && !self.objectless.is_empty() {
            let name = "program".to_owned();
            self.lives.push(Life { name, born: 0, calls: self.objectless, state: None });
        }
        self.lives.sort_by_key(|life| life.born);
        for mut life in self.lives {
            life.calls.sort_by_key(|slot| slot.begun);
            target.begin(Some(&life.name), 1)?;
            let mut events = 0;
            let mut busy_until = 0;
            for slot in life.calls {
                let Some(letter) = slot.letter.filter(|_| slot.begun >= busy_until) else { continue };
                busy_until = slot.ended.unwrap_or(busy_until);
                target.push(letter)?;
                events += 1;
            }
            summary.count(events, 1);
            target.end()?;
        }
        Ok(())
    }
}
