//! Results of scripts, as bytes in shared memory.
//!
//! Names are sent once: classes and lists of fields before their first use, and numbers afterwards.

use std::sync::Arc;

use adit_trace::{Digest, Effects, Passed, Skip, Snapshot, Step, StepResult, Value};

use crate::wire::{Garbled, Take};

/// Class of the error that reports a lack of memory.
const OUT_OF_MEMORY: &str = "java.lang.OutOfMemoryError";

/// The tags of steps in the results. `STATE` is added to a tag when fields follow, and `SAME` when they are
/// as they were.
pub(crate) mod tag {
    pub(crate) const COMPLETE: u8 = 0;
    pub(crate) const VOID: u8 = 1;
    pub(crate) const NULL: u8 = 2;
    pub(crate) const FALSE: u8 = 3;
    pub(crate) const TRUE: u8 = 4;
    pub(crate) const INT: u8 = 5;
    pub(crate) const FLOAT: u8 = 6;
    pub(crate) const TEXT: u8 = 7;
    pub(crate) const OBJECT: u8 = 8;
    pub(crate) const THREW: u8 = 9;
    pub(crate) const UNRESOLVED: u8 = 10;
    pub(crate) const NO_RECEIVER: u8 = 11;
    pub(crate) const NO_ARGUMENT: u8 = 12;
    pub(crate) const WRONG_TYPE: u8 = 13;
    pub(crate) const OVERSIZED: u8 = 14;
    pub(crate) const LEAKED: u8 = 15;
    /// Digest of the object that the step before returned. No step has this tag.
    pub(crate) const ANSWER: u8 = 0x10;
    /// The next call blocked, or waited with a time limit for too long, and was ended. No step has all flags.
    pub(crate) const BLOCKED: u8 = 0xff;
    pub(crate) const WAITED: u8 = 0xfe;
    /// Digests follow the fields.
    pub(crate) const DEEP: u8 = 0x10;
    pub(crate) const SAME: u8 = 0x20;
    pub(crate) const STATE: u8 = 0x40;
    /// The fields that were touched follow.
    pub(crate) const TOUCHED: u8 = 0x80;
}

/// Reads results. It remembers the names that one worker has sent.
#[derive(Default)]
pub(crate) struct Decoder {
    classes: Vec<Arc<str>>,
    touched: Vec<Arc<str>>,
    /// The names of fields, and the values with which the last object of such a class began.
    fields: Vec<Beginning>,
    /// The last snapshot of each object of the run, by the statement that first gave it.
    last: Vec<Option<Snapshot>>,
    changes: Vec<(usize, Value)>,
    /// Number of bytes with the probes that a run hit.
    probes: usize,
}

/// Names of fields, and the values that they had when an object was first seen.
type Beginning = (Arc<[String]>, Arc<[Value]>);

/// Progress of decoding a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// To its end.
    Complete {
        /// It left a descriptor open.
        leaked: bool,
        /// The probes that it passed, if there are any.
        passed: Option<Passed>,
    },
    /// Up to the point where the worker stopped, because the answer became too large.
    Oversized,
    /// Up to a call that blocked and was ended.
    Blocked,
    /// Up to a call that waited with a time limit, for too long, and was ended.
    Waited,
    /// Up to the end of the results.
    Partial,
}

impl Decoder {
    /// For a worker that says with so many bytes which probes a run passed.
    pub(crate) fn new(probes: usize) -> Self {
        Self { probes, ..Self::default() }
    }

    /// Reads the next run, which should have so many steps.
    pub(crate) fn run(&mut self, take: &mut Take<'_>, count: usize) -> Result<(Vec<Step>, Extent), Garbled> {
        // What does not fit into the bytes that are left cannot come.
        let mut steps = Vec::with_capacity(count.min(take.0.len()));
        self.last.clear();
        while !take.is_empty() {
            match take.byte()? {
                end @ (tag::COMPLETE | tag::LEAKED) => {
                    let bits = take.bytes(self.probes)?;
                    let passed = (!bits.is_empty()).then(|| Passed(bits.into()));
                    return Ok((steps, Extent::Complete { leaked: end == tag::LEAKED, passed }));
                }
                tag::OVERSIZED => return Ok((steps, Extent::Oversized)),
                tag::BLOCKED => return Ok((steps, Extent::Blocked)),
                tag::WAITED => return Ok((steps, Extent::Waited)),
                tag::ANSWER => {
                    let answer = digests(1, take)?.pop();
                    steps.last_mut().ok_or(Garbled)?.answer = answer;
                }
                tag => {
                    let result = self.result(
                        tag & !(tag::DEEP | tag::STATE | tag::SAME | tag::TOUCHED),
                        steps.len(),
                        take,
                    )?;
                    let mut fields = match tag & (tag::STATE | tag::SAME) {
                        0 => None,
                        tag::STATE => Some(self.snapshot(steps.len(), take)?),
                        tag::SAME => Some(self.last.get(take.size()?).and_then(Clone::clone).ok_or(Garbled)?),
                        _ => return Err(Garbled),
                    };
                    if tag & tag::DEEP != 0 {
                        let shallow = fields.ok_or(Garbled)?;
                        fields = Some(shallow.with_digests(digests(shallow.len(), take)?));
                    }
                    let effects =
                        if tag & tag::TOUCHED == 0 { None } else { Some(Box::new(self.effects(take)?)) };
                    steps.push(Step { result, fields, effects, answer: None });
                }
            }
        }
        Ok((steps, Extent::Partial))
    }

    fn result(&mut self, tag: u8, at: usize, take: &mut Take<'_>) -> Result<StepResult, Garbled> {
        Ok(match tag {
            tag::OBJECT => {
                let class = self.class(take)?;
                let first = take.size()?;
                if first > at {
                    return Err(Garbled);
                }
                StepResult::Object { class, first }
            }
            tag::THREW | tag::UNRESOLVED => {
                let class = self.class(take)?;
                let message = take.optional_text()?.map(str::to_owned);
                if tag == tag::THREW {
                    let exhausted = &*class == OUT_OF_MEMORY;
                    StepResult::Threw { class, message, exhausted }
                } else {
                    StepResult::Unresolved { class, message }
                }
            }
            tag::NO_RECEIVER => StepResult::Skipped(Skip::NoReceiver),
            tag::NO_ARGUMENT => StepResult::Skipped(Skip::NoArgument),
            tag::WRONG_TYPE => StepResult::Skipped(Skip::WrongType),
            _ => StepResult::Returned(value(tag, take)?),
        })
    }

    /// A class: number zero is one that has no number, and the next free number is one that gets it now.
    fn class(&mut self, take: &mut Take<'_>) -> Result<Arc<str>, Garbled> {
        let number = take.size()?;
        if let Some(known) = number.checked_sub(1).and_then(|index| self.classes.get(index)) {
            return Ok(known.clone());
        }
        let name: Arc<str> = take.text()?.into();
        if number == self.classes.len() + 1 {
            self.classes.push(name.clone());
        } else if number != 0 {
            return Err(Garbled);
        }
        Ok(name)
    }

    /// The fields of an object: all of them the first time, and then those that changed.
    fn snapshot(&mut self, at: usize, take: &mut Take<'_>) -> Result<Snapshot, Garbled> {
        let owner = take.size()?;
        if owner > at {
            return Err(Garbled);
        }
        if self.last.len() <= owner {
            self.last.resize(owner + 1, None);
        }
        let snapshot = match self.last[owner].take() {
            Some(last) => self.changed(&last, take)?,
            None => self.whole(take)?,
        };
        self.last[owner] = Some(snapshot.clone());
        Ok(snapshot)
    }

    fn whole(&mut self, take: &mut Take<'_>) -> Result<Snapshot, Garbled> {
        let number = take.size()?;
        let known = number.checked_sub(1).filter(|index| *index < self.fields.len());
        let names = match known {
            Some(index) => self.fields[index].0.clone(),
            None => (0..take.count()?).map(|_| Ok(take.text()?.to_owned())).collect::<Result<_, _>>()?,
        };
        // Objects of a class often begin alike. Then the last beginning is shared, and nothing is built.
        let mut last = known.map(|index| self.fields[index].1.clone());
        let mut values = Vec::new();
        for index in 0..names.len() {
            let view = self.field(take)?;
            if last.as_ref().and_then(|last| last.get(index)).is_some_and(|last| view.is(last)) {
                continue;
            }
            if let Some(last) = last.take() {
                values.reserve_exact(names.len());
                values.extend(last.iter().take(index).cloned());
            }
            values.push(view.into_value());
        }
        let values: Arc<[Value]> = last.unwrap_or_else(|| values.into());
        match known {
            Some(index) => self.fields[index].1 = values.clone(),
            None if number == self.fields.len() + 1 => {
                self.fields.push((names.clone(), values.clone()));
            }
            None if number != 0 => return Err(Garbled),
            None => {}
        }
        Ok(Snapshot::new(names, values))
    }

    /// A bit for each field says whether it changed, lowest bit first; then come the new values.
    fn changed(&mut self, last: &Snapshot, take: &mut Take<'_>) -> Result<Snapshot, Garbled> {
        let bits = take.bytes(last.len().div_ceil(8))?;
        let mut changes = std::mem::take(&mut self.changes);
        changes.clear();
        for place in (0..last.len()).filter(|place| bits[place / 8] >> (place % 8) & 1 == 1) {
            changes.push((place, self.field(take)?.into_value()));
        }
        let snapshot = last.with(changes.drain(..));
        self.changes = changes;
        Ok(snapshot)
    }

    /// The names of the fields that were read, and of those that were written.
    fn effects(&mut self, take: &mut Take<'_>) -> Result<Effects, Garbled> {
        let mut effects = Effects::default();
        for names in [&mut effects.reads, &mut effects.writes] {
            for _ in 0..take.count()? {
                let number = take.size()?;
                if number == self.touched.len() + 1 {
                    self.touched.push(take.text()?.into());
                }
                let name = number.checked_sub(1).and_then(|index| self.touched.get(index));
                names.insert(name.ok_or(Garbled)?.clone());
            }
        }
        Ok(effects)
    }

    fn field<'a>(&mut self, take: &mut Take<'a>) -> Result<View<'a>, Garbled> {
        Ok(match take.byte()? {
            tag::OBJECT => View::Class(self.class(take)?),
            tag::TEXT => View::Text(take.text()?),
            tag => View::Other(value(tag, take)?),
        })
    }
}

/// The value of a field that was not built yet, because it may be known.
enum View<'a> {
    Class(Arc<str>),
    Text(&'a str),
    /// One that holds no memory.
    Other(Value),
}

impl View<'_> {
    fn is(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Class(class), Value::Text(text)) => **class == **text,
            (Self::Text(own), Value::Text(text)) => own == text,
            // Zero equals minus zero, and is another value.
            (Self::Other(Value::Float(own)), Value::Float(value)) => own.to_bits() == value.to_bits(),
            (Self::Other(own), value) => own == value,
            _ => false,
        }
    }

    fn into_value(self) -> Value {
        match self {
            Self::Class(class) => Value::Text(class.to_string()),
            Self::Text(text) => Value::Text(text.to_owned()),
            Self::Other(value) => value,
        }
    }
}

/// So many digests, of sixteen bytes each.
fn digests(count: usize, take: &mut Take<'_>) -> Result<Vec<Digest>, Garbled> {
    let bytes = take.bytes(count.checked_mul(16).ok_or(Garbled)?)?;
    let number = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).map_err(|_| Garbled);
    let digest = |bytes: &[u8]| Ok(Digest { exact: number(&bytes[..8])?, coarse: number(&bytes[8..])? });
    bytes.chunks_exact(16).map(digest).collect()
}

pub(crate) fn value(tag: u8, take: &mut Take<'_>) -> Result<Value, Garbled> {
    Ok(match tag {
        tag::VOID => Value::Void,
        tag::NULL => Value::Null,
        tag::FALSE => Value::Bool(false),
        tag::TRUE => Value::Bool(true),
        tag::INT => Value::Int(take.signed()?),
        tag::FLOAT => Value::Float(take.float()?),
        tag::TEXT => Value::Text(take.text()?.to_owned()),
        _ => return Err(Garbled),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn probes_come_at_the_end_of_a_run() {
        let mut decoder = Decoder::new(2);
        let bytes = [tag::VOID, tag::LEAKED, 0b101, 0, tag::COMPLETE, 0, 1, tag::COMPLETE, 0];
        let mut take = Take(&bytes);
        let mut next = |steps| decoder.run(&mut take, steps).map(|(_, extent)| extent);
        let complete =
            |leaked, bits: [u8; 2]| Ok(Extent::Complete { leaked, passed: Some(Passed(bits.into())) });
        assert_eq!(next(1), complete(true, [0b101, 0]));
        assert_eq!(next(0), complete(false, [0, 1]));
        assert_eq!(next(0), Err(Garbled), "a byte is missing");
    }

    #[test]
    fn the_digest_of_an_answer_follows_its_step() {
        let answer = [[tag::ANSWER].as_slice(), &7_u64.to_le_bytes(), &9_u64.to_le_bytes()].concat();
        let bytes = [&[tag::NULL], &answer[..], &[tag::VOID, tag::COMPLETE]].concat();
        let (steps, _) = Decoder::default().run(&mut Take(&bytes), 2).unwrap();
        let digests: Vec<_> = steps.iter().map(|step| step.answer.map(|digest| digest.exact)).collect();
        assert_eq!(digests, [Some(7), None]);
        assert_eq!(Decoder::default().run(&mut Take(&answer), 1), Err(Garbled), "an answer to nothing");
    }

    #[test]
    fn digests_follow_the_fields() {
        let mut decoder = Decoder::default();
        let digest = |exact: u64| [exact.to_le_bytes(), 9_u64.to_le_bytes()].concat();
        // An object with one field, which is 5, and a call that changes nothing but what is behind it.
        let first = [tag::VOID | tag::STATE | tag::DEEP, 0, 1, 1, 1, b'f', tag::INT, 10];
        let mut bytes =
            [&first[..], &digest(1), &[tag::VOID | tag::SAME | tag::DEEP, 0], &digest(2)].concat();
        bytes.extend([tag::VOID | tag::SAME, 0]);
        let (steps, _) = decoder.run(&mut Take(&bytes), 3).unwrap();
        let deep: Vec<_> = steps
            .iter()
            .map(|step| step.fields.as_ref().unwrap().digests().map(|all| all[0].exact))
            .collect();
        assert_eq!(deep, [Some(1), Some(2), None]);
        assert!(steps.iter().all(|step| step.fields == steps[0].fields));
        let cut = [tag::VOID | tag::DEEP, 0];
        assert_eq!(decoder.run(&mut Take(&cut), 1), Err(Garbled), "digests of nothing");
        bytes.truncate(first.len() + 3);
        assert_eq!(decoder.run(&mut Take(&bytes), 1), Err(Garbled), "a digest that was cut off");
    }

    #[test]
    fn names_come_once_and_numbers_in_order() {
        let mut decoder = Decoder::default();
        let bytes = [tag::OBJECT, 1, 1, b'C', 0, tag::OBJECT, 1, 0, tag::THREW, 2, 1, b'E', 0, tag::COMPLETE];
        let (steps, extent) = decoder.run(&mut Take(&bytes), 3).unwrap();
        let object = StepResult::Object { class: "C".into(), first: 0 };
        let threw = StepResult::threw("E");
        let results: Vec<_> = steps.into_iter().map(|step| step.result).collect();
        assert_eq!(
            (results, extent),
            (vec![object.clone(), object, threw], Extent::Complete { leaked: false, passed: None })
        );
        let unknown = [tag::OBJECT, 9, 1, b'C', 0];
        assert!(decoder.run(&mut Take(&unknown), 1).is_err(), "number 9 comes before 3");
        let future = [tag::OBJECT, 1, 7];
        assert!(decoder.run(&mut Take(&future), 1).is_err(), "the object comes from a later statement");
    }

    #[test]
    fn only_changes_of_fields_are_sent() {
        let mut decoder = Decoder::default();
        let (full, same) = (tag::VOID | tag::STATE, tag::VOID | tag::SAME);
        let bytes = [
            full,
            0,
            1,
            2,
            1,
            b'a',
            1,
            b'b',
            tag::INT,
            2,
            tag::TEXT,
            1,
            b'x', // all of them, with their names
            same,
            0, //
            full,
            0,
            0b01,
            tag::INT,
            4, // only the first
            full,
            3,
            1,
            tag::NULL,
            tag::TRUE, // another object, whose names are known
            tag::LEAKED,
        ];
        let (steps, extent) = decoder.run(&mut Take(&bytes), 4).unwrap();
        let text = Value::Text("x".to_owned());
        let seen: Vec<_> = steps.iter().map(|step| step.fields.clone().unwrap()).collect();
        assert_eq!(
            seen.iter().map(|seen| seen.values().cloned().collect()).collect::<Vec<Vec<_>>>(),
            [
                vec![Value::Int(1), text.clone()],
                vec![Value::Int(1), text.clone()],
                vec![Value::Int(2), text],
                vec![Value::Null, Value::Bool(true)]
            ]
        );
        assert!(seen[0].is(&seen[1]), "what did not change is shared");
        assert_eq!(extent, Extent::Complete { leaked: true, passed: None });
        for faulty in [&[same, 0][..], &[full, 1], &[tag::VOID | tag::STATE | tag::SAME, 0, 1]] {
            assert!(decoder.run(&mut Take(faulty), 1).is_err(), "{faulty:?}");
        }
        let other = [full, 0, 1, tag::NULL, tag::NULL, tag::COMPLETE, same, 0];
        let mut take = Take(&other);
        decoder.run(&mut take, 1).unwrap();
        assert!(decoder.run(&mut take, 1).is_err(), "objects are of one run");
    }

    proptest! {
        /// Decoding terminates on whatever a worker with overwritten memory leaves behind.
        #[test]
        fn no_bytes_are_too_strange(bytes: Vec<u8>) {
            let (mut decoder, mut take) = (Decoder::default(), Take(&bytes));
            while !take.is_empty() && decoder.run(&mut take, usize::MAX).is_ok() {}
        }

        /// The same, with bytes that look like steps.
        #[test]
        fn no_steps_are_too_strange(bytes in prop::collection::vec(0u8..0x70, 0..60)) {
            let (mut decoder, mut take) = (Decoder::default(), Take(&bytes));
            while !take.is_empty() && decoder.run(&mut take, 10).is_ok() {}
        }
    }
}
