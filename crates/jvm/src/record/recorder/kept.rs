//! Values that interventions keep beyond a call, and values that they make.

use adit_trace::CallKind;
use jni_sys::{jobject, jvalue};

use crate::argument::{Arguments, Slot, Stop};
use crate::jni;
use crate::known::Known;
use crate::play::call_ready;
use crate::record::junit::describe;
use crate::resolve::{Kind, Ready, Target};
use crate::results::tag;
use crate::scripts::{Member, take_argument};
use crate::vm::{self, Env};
use crate::wire::Take;

/// A value that outlives its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    Null,
    /// A global reference.
    Object(usize),
    Primitive(Kind, u64),
}

/// A call that makes a value.
pub(super) struct MakerStatement {
    pub(super) member: Member,
    pub(super) receiver: Option<usize>,
    pub(super) arguments: (usize, Vec<u8>),
}

/// Makes the arguments of an added call.
pub(super) struct ValueMaker<'a> {
    pub(super) env: Env,
    pub(super) known: &'a Known,
    pub(super) arguments: Arguments,
    pub(super) slots: Vec<Slot>,
}

impl ValueMaker<'_> {
    /// A method that can be called.
    pub(super) fn find(&mut self, member: &Member) -> Result<(Ready, jni_sys::jmethodID), String> {
        let ready = self.find_any(member)?;
        match ready.target {
            Target::Method(id) => Ok((ready, id)),
            Target::Field(_) => Err("it is a field".to_owned()),
        }
    }

    fn find_any(&mut self, member: &Member) -> Result<Ready, String> {
        Ready::find(self.env, self.known, &mut self.arguments.types, member)
            .map_err(|thrown| describe(self.env, thrown))
    }

    pub(super) fn convert_all(
        &mut self,
        ready: &Ready,
        count: usize,
        bytes: &[u8],
    ) -> Result<Vec<jvalue>, String> {
        if count != ready.parameters.len() {
            return Err(format!("it has {} parameters, not {count}", ready.parameters.len()));
        }
        let mut take = Take(bytes);
        let mut values = Vec::with_capacity(count);
        for wanted in &ready.parameters {
            let passed = take_argument(&mut take).map_err(|_| "the arguments are malformed")?;
            let value = self.arguments.convert(self.known, &self.slots, wanted, passed, 0);
            values.push(value.map_err(|stop| match stop {
                Stop::Thrown(thrown) | Stop::Unresolved(thrown) => describe(self.env, thrown),
                Stop::Tag(tag::NO_ARGUMENT) => "a value to pass does not exist".to_owned(),
                _ => "a value to pass has the wrong type".to_owned(),
            })?);
        }
        Ok(values)
    }

    pub(super) fn make(&mut self, statement: &MakerStatement) -> Result<Slot, String> {
        let ready = self.find_any(&statement.member)?;
        let (count, bytes) = &statement.arguments;
        let values = self.convert_all(&ready, *count, bytes)?;
        let mut target = std::ptr::null_mut();
        if ready.kind == CallKind::Method {
            match statement.receiver.and_then(|receiver| self.slots.get(receiver)) {
                // SAFETY: the object is a live reference, the class a global one.
                Some(Slot::Object(object, _))
                    if unsafe { jni!(self.env, IsInstanceOf, *object, ready.class.get()) } =>
                {
                    target = *object;
                }
                _ => return Err("a value to pass could not be made: there is no receiver".to_owned()),
            }
        }
        let (env, class) = (self.env, ready.class.get());
        let value = match ready.target {
            // SAFETY: receiver and arguments were checked above.
            Target::Method(id) => unsafe { call_ready(env, &ready, id, target, &values) },
            // SAFETY: the field was looked up in this class with this type.
            Target::Field(field) => unsafe { vm::read_static_field(env, class, ready.result, field) },
        };
        // SAFETY: this is the thread of the environment.
        let thrown = unsafe { vm::take_exception(env) };
        if !thrown.is_null() {
            return Err(format!("a value to pass could not be made: {}", describe(self.env, thrown)));
        }
        Ok(match (ready.kind, ready.result) {
            (CallKind::Constructor, _) | (_, Kind::Reference) => {
                // SAFETY: what a constructor or a method with such a result gives is a reference.
                let object = unsafe { value.l };
                if object.is_null() { Slot::Null } else { Slot::Object(object, 0) }
            }
            (_, Kind::Void) => Slot::Nothing,
            (_, kind) => Slot::Primitive(kind, value),
        })
    }
}

/// Keeps a value beyond its call.
pub(super) fn keep(env: Env, kind: Kind, value: jvalue) -> Kept {
    // SAFETY: the value was made with the field that its kind names; a reference is live.
    unsafe {
        match kind {
            Kind::Void => Kept::Null,
            Kind::Reference if value.l.is_null() => Kept::Null,
            Kind::Reference => Kept::Object(jni!(env, NewGlobalRef, value.l) as usize),
            Kind::Bool => Kept::Primitive(kind, value.z.into()),
            Kind::Byte => Kept::Primitive(kind, value.b as u64),
            Kind::Char => Kept::Primitive(kind, value.c.into()),
            Kind::Short => Kept::Primitive(kind, value.s as u64),
            Kind::Int => Kept::Primitive(kind, value.i as u64),
            Kind::Long => Kept::Primitive(kind, value.j as u64),
            Kind::Float => Kept::Primitive(kind, value.f.to_bits().into()),
            Kind::Double => Kept::Primitive(kind, value.d.to_bits()),
        }
    }
}

pub(super) fn again(env: Env, kept: Kept) -> Kept {
    match kept {
        // SAFETY: a live global reference.
        Kept::Object(reference) => {
            Kept::Object(unsafe { jni!(env, NewGlobalRef, reference as jobject) } as usize)
        }
        kept => kept,
    }
}

pub(super) fn value_of(kept: Kept) -> jvalue {
    match kept {
        Kept::Null => jvalue { l: std::ptr::null_mut() },
        Kept::Object(reference) => jvalue { l: reference as jobject },
        Kept::Primitive(kind, bits) => match kind {
            Kind::Bool => jvalue { z: bits != 0 },
            Kind::Byte => jvalue { b: bits as i8 },
            Kind::Char => jvalue { c: bits as u16 },
            Kind::Short => jvalue { s: bits as i16 },
            Kind::Int => jvalue { i: bits as i32 },
            Kind::Float => jvalue { f: f32::from_bits(bits as u32) },
            Kind::Double => jvalue { d: f64::from_bits(bits) },
            _ => jvalue { j: bits as i64 },
        },
    }
}

pub(super) fn slot_of(kept: Kept) -> Slot {
    match kept {
        Kept::Null => Slot::Null,
        Kept::Object(reference) => Slot::Object(reference as jobject, 0),
        Kept::Primitive(kind, _) => Slot::Primitive(kind, value_of(kept)),
    }
}

pub(super) fn give_back(env: Env, kept: impl Iterator<Item = Kept>) {
    for kept in kept {
        if let Kept::Object(reference) = kept {
            // SAFETY: a global reference of ours that is not used afterwards.
            unsafe { jni!(env, DeleteGlobalRef, reference as jobject) }
        }
    }
}
