//! From the arguments of a script to what the machine takes: numbers of the right width, strings, boxes,
//! arrays, functions.
//!
//! JNI does not check what it is given, and a reference of a wrong type would be undefined behavior in Java.
//! So nothing leaves here that does not have the type which was asked for: neither an argument, nor an
//! element of an array, nor what a function gives.

use std::rc::Rc;

use jni_sys::{jobject, jvalue};

use crate::function::Function;
use crate::jni;
use crate::known::Known;
use crate::resolve::{Element, Kind, Types, Wanted};
use crate::results::tag;
use crate::scripts::{DEEPEST, Passed, take_argument};
use crate::vm::{self, Env};
use crate::wire::{Garbled, Take};

/// Result of a statement, for later statements.
#[derive(Clone, Copy)]
pub(crate) enum Slot {
    Nothing,
    Null,
    /// An object, and the first statement that gave it.
    Object(jobject, usize),
    Primitive(Kind, jvalue),
}

/// Reason that a statement ends before its call.
pub(crate) enum Stop {
    Tag(u8),
    /// Something was thrown, for lack of memory.
    Thrown(jobject),
    /// Something is missing.
    Unresolved(jobject),
    Garbled,
}

impl From<Garbled> for Stop {
    fn from(_: Garbled) -> Self {
        Self::Garbled
    }
}

const WRONG: Stop = Stop::Tag(tag::WRONG_TYPE);
const NULL: jvalue = jvalue { l: std::ptr::null_mut() };

/// Makes arguments.
pub(crate) struct Arguments {
    env: Env,
    pub(crate) types: Types,
    /// Element type of arrays without a type.
    any: Rc<Wanted>,
    units: Vec<u16>,
    /// The local references that were made for the current call.
    made: Vec<jobject>,
}

impl Arguments {
    pub(crate) fn new(env: Env, known: &Known) -> Option<Self> {
        let any = Rc::new(Wanted::object(env, known)?);
        Some(Self { env, types: Types::new(env), any, units: Vec::new(), made: Vec::new() })
    }

    /// Gives back what was made for a call that is over.
    pub(crate) fn give_back(&mut self) {
        self.give_back_to(0);
    }

    fn give_back_to(&mut self, count: usize) {
        for made in self.made.drain(count..) {
            // SAFETY: each is a local reference of the current frame that was made here and is in no slot.
            unsafe { jni!(self.env, DeleteLocalRef, made) }
        }
    }

    /// The value of an argument, for a parameter that wants such a thing.
    pub(crate) fn convert(
        &mut self,
        known: &Known,
        slots: &[Slot],
        wanted: &Wanted,
        passed: Passed<'_>,
        depth: usize,
    ) -> Result<jvalue, Stop> {
        if depth > DEEPEST {
            return Err(Stop::Garbled);
        }
        if wanted.kind != Kind::Reference {
            return match passed {
                Passed::Earlier(index) => self.earlier_primitive(known, slots, wanted.kind, index),
                _ => narrow(wanted.kind, passed).ok_or(WRONG),
            };
        }
        match passed {
            Passed::Null => Ok(NULL),
            Passed::Bool(_) | Passed::Int(_) | Passed::Float(_) => {
                let kind = box_for(wanted, passed).ok_or(WRONG)?;
                let value = narrow(kind, passed).ok_or(WRONG)?;
                self.boxed(known, kind, value)
            }
            Passed::Text(text) if wanted.takes_text => self.text(text),
            Passed::Class(name) if wanted.takes_class => {
                let class = self.types.class_object(known, name).map_err(Stop::Unresolved)?;
                Ok(jvalue { l: class })
            }
            Passed::Earlier(index) => match slots.get(index) {
                None | Some(Slot::Nothing) => Err(Stop::Tag(tag::NO_ARGUMENT)),
                Some(Slot::Null) => Ok(NULL),
                Some(Slot::Object(object, _)) if self.fits(*object, wanted) => Ok(jvalue { l: *object }),
                Some(Slot::Primitive(kind, value)) if wanted.boxes(*kind) => self.boxed(known, *kind, *value),
                Some(_) => Err(WRONG),
            },
            Passed::Array(count, elements) => {
                self.array(known, slots, wanted, count, &mut Take(elements), depth)
            }
            Passed::Function(result) => self.function(known, slots, wanted, result, depth),
            Passed::Text(_) | Passed::Class(_) => Err(WRONG),
        }
    }

    /// Returns true if an object may be passed.
    fn fits(&self, object: jobject, wanted: &Wanted) -> bool {
        // SAFETY: the object is a live reference that is not null, the class a global one.
        wanted
            .class
            .as_ref()
            .is_some_and(|class| unsafe { jni!(self.env, IsInstanceOf, object, class.get()) })
    }

    /// An earlier value where a primitive is wanted: taken out of its box, and made wider, as Java does.
    fn earlier_primitive(
        &self,
        known: &Known,
        slots: &[Slot],
        wanted: Kind,
        index: usize,
    ) -> Result<jvalue, Stop> {
        let (kind, value) = match slots.get(index) {
            None | Some(Slot::Nothing) => return Err(Stop::Tag(tag::NO_ARGUMENT)),
            Some(Slot::Null) => return Err(WRONG),
            Some(Slot::Primitive(kind, value)) => (*kind, *value),
            Some(Slot::Object(object, _)) => {
                let is = |class| {
                    // SAFETY: the object is a live reference that is not null, the class a global one.
                    unsafe { jni!(self.env, IsInstanceOf, *object, class) }
                };
                let wrapper = known.wrappers.iter().find(|wrapper| is(wrapper.class.get()));
                let wrapper = wrapper.ok_or(WRONG)?;
                // SAFETY: the object is of this wrapper, as was just checked.
                (wrapper.kind, unsafe { wrapper.unwrap(self.env, *object) })
            }
        };
        widen(kind, value, wanted).ok_or(WRONG)
    }

    fn boxed(&mut self, known: &Known, kind: Kind, value: jvalue) -> Result<jvalue, Stop> {
        let wrapper = known.wrapper(kind).ok_or(WRONG)?;
        let object = wrapper.wrap(self.env, value).map_err(Stop::Thrown)?;
        self.made.push(object);
        Ok(jvalue { l: object })
    }

    fn text(&mut self, text: &str) -> Result<jvalue, Stop> {
        self.units.clear();
        self.units.extend(text.encode_utf16());
        let length = self.units.len().try_into().map_err(|_| WRONG)?;
        // SAFETY: the units live until the call returns. On failure it throws, and that is taken away.
        let string = unsafe { jni!(self.env, NewString, self.units.as_ptr(), length) };
        self.keep(string)
    }

    /// Takes note of a new local reference; null means that there was no memory for the object.
    fn keep(&mut self, made: jobject) -> Result<jvalue, Stop> {
        if made.is_null() {
            // SAFETY: this is the thread of the environment.
            return Err(Stop::Thrown(unsafe { vm::take_exception(self.env) }));
        }
        self.made.push(made);
        Ok(jvalue { l: made })
    }

    fn array(
        &mut self,
        known: &Known,
        slots: &[Slot],
        wanted: &Wanted,
        count: usize,
        elements: &mut Take<'_>,
        depth: usize,
    ) -> Result<jvalue, Stop> {
        let length: i32 = count.try_into().map_err(|_| WRONG)?;
        let element = match &wanted.element {
            Element::None => return Err(WRONG),
            Element::Object => self.any.clone(),
            Element::Typed(element) => element.clone(),
        };
        let Some(class) = &element.class else {
            let mut values = Vec::with_capacity(count);
            for _ in 0..count {
                let passed = take_argument(elements)?;
                values.push(self.convert(known, slots, &element, passed, depth + 1)?);
            }
            return self.primitive_array(element.kind, &values);
        };
        // SAFETY: the class is a live reference, and the elements are null at first.
        let array = unsafe { jni!(self.env, NewObjectArray, length, class.get(), std::ptr::null_mut()) };
        self.keep(array)?;
        for index in 0..length {
            let (made, passed) = (self.made.len(), take_argument(elements)?);
            let value = self.convert(known, slots, &element, passed, depth + 1)?;
            // SAFETY: the value is null or an instance of the element's class, as `convert` has checked, and
            // the index is below the length, so that nothing is thrown.
            unsafe { jni!(self.env, SetObjectArrayElement, array, index, value.l) };
            // The array holds them now.
            self.give_back_to(made);
        }
        Ok(jvalue { l: array })
    }

    fn primitive_array(&mut self, kind: Kind, values: &[jvalue]) -> Result<jvalue, Stop> {
        let (env, length) = (self.env, i32::try_from(values.len()).map_err(|_| WRONG)?);
        // One arm for each type: the table has two entries for each.
        macro_rules! typed {
            ($new:ident, $set:ident, $field:ident) => {{
                let plain: Vec<_> = values.iter().map(|value| value.$field).collect();
                let array = jni!(env, $new, length);
                if !array.is_null() {
                    jni!(env, $set, array, 0, length, plain.as_ptr());
                }
                array
            }};
        }
        // SAFETY: the values were made with the field that the kind names; the buffer is as long as the
        // array.
        let array = unsafe {
            match kind {
                Kind::Bool => typed!(NewBooleanArray, SetBooleanArrayRegion, z),
                Kind::Byte => typed!(NewByteArray, SetByteArrayRegion, b),
                Kind::Char => typed!(NewCharArray, SetCharArrayRegion, c),
                Kind::Short => typed!(NewShortArray, SetShortArrayRegion, s),
                Kind::Int => typed!(NewIntArray, SetIntArrayRegion, i),
                Kind::Long => typed!(NewLongArray, SetLongArrayRegion, j),
                Kind::Float => typed!(NewFloatArray, SetFloatArrayRegion, f),
                Kind::Double => typed!(NewDoubleArray, SetDoubleArrayRegion, d),
                Kind::Void | Kind::Reference => return Err(WRONG),
            }
        };
        self.keep(array)
    }

    fn function(
        &mut self,
        known: &Known,
        slots: &[Slot],
        wanted: &Wanted,
        result: &[u8],
        depth: usize,
    ) -> Result<jvalue, Stop> {
        let env = self.env;
        let class = wanted.class.as_ref().ok_or(WRONG)?;
        if wanted.function.get().is_none() {
            let function = Function::define(env, known, &mut self.types, class.get());
            // Nobody else can have set it meanwhile.
            let _ = wanted.function.set(function);
        }
        let function = wanted.function.get().and_then(Option::as_ref).ok_or(WRONG)?;
        let value = match &function.result {
            Some((result_wanted, _)) => {
                let passed = take_argument(&mut Take(result))?;
                self.convert(known, slots, result_wanted, passed, depth + 1)?
            }
            // Where nothing is asked for, whatever is given is left aside.
            None => NULL,
        };
        // SAFETY: the class is one of ours, whose objects need no constructor.
        let object = unsafe { jni!(env, AllocObject, function.class.get()) };
        self.keep(object)?;
        if let Some((wanted, field)) = &function.result {
            // SAFETY: the field was looked up in this class with this type, and `convert` gave a value of the
            // type.
            unsafe {
                match wanted.kind {
                    Kind::Bool => jni!(env, SetBooleanField, object, *field, value.z),
                    Kind::Byte => jni!(env, SetByteField, object, *field, value.b),
                    Kind::Char => jni!(env, SetCharField, object, *field, value.c),
                    Kind::Short => jni!(env, SetShortField, object, *field, value.s),
                    Kind::Int => jni!(env, SetIntField, object, *field, value.i),
                    Kind::Long => jni!(env, SetLongField, object, *field, value.j),
                    Kind::Float => jni!(env, SetFloatField, object, *field, value.f),
                    Kind::Double => jni!(env, SetDoubleField, object, *field, value.d),
                    Kind::Reference => jni!(env, SetObjectField, object, *field, value.l),
                    Kind::Void => {}
                }
            }
        }
        Ok(jvalue { l: object })
    }
}

/// The kind of box for a number or a boolean: the one that was asked for, else the natural one if it fits.
fn box_for(wanted: &Wanted, passed: Passed<'_>) -> Option<Kind> {
    if wanted.wraps.is_some() {
        return wanted.wraps;
    }
    let natural = match passed {
        Passed::Bool(_) => Kind::Bool,
        Passed::Int(value) if i32::try_from(value).is_ok() => Kind::Int,
        Passed::Int(_) => Kind::Long,
        Passed::Float(_) => Kind::Double,
        _ => return None,
    };
    wanted.boxes(natural).then_some(natural)
}

/// A number or a boolean of a kind. The low bits are what a narrow type takes.
fn narrow(kind: Kind, passed: Passed<'_>) -> Option<jvalue> {
    Some(match (kind, passed) {
        (Kind::Bool, Passed::Bool(value)) => jvalue { z: value },
        (Kind::Byte, Passed::Int(value)) => jvalue { b: value as i8 },
        (Kind::Char, Passed::Int(value)) => jvalue { c: value as u16 },
        (Kind::Short, Passed::Int(value)) => jvalue { s: value as i16 },
        (Kind::Int, Passed::Int(value)) => jvalue { i: value as i32 },
        (Kind::Long, Passed::Int(value)) => jvalue { j: value },
        (Kind::Float, Passed::Float(value)) => jvalue { f: value as f32 },
        (Kind::Double, Passed::Float(value)) => jvalue { d: value },
        _ => return None,
    })
}

/// The conversions that Java makes without being told (Java language specification, section 5.1.2).
fn widen(from: Kind, value: jvalue, to: Kind) -> Option<jvalue> {
    if from == to {
        return Some(value);
    }
    // SAFETY: the value was made with the field that its kind names.
    let whole: i64 = unsafe {
        match from {
            Kind::Float if to == Kind::Double => return Some(jvalue { d: value.f.into() }),
            Kind::Byte => value.b.into(),
            Kind::Short => value.s.into(),
            Kind::Char => value.c.into(),
            Kind::Int => value.i.into(),
            Kind::Long => value.j,
            Kind::Void | Kind::Bool | Kind::Float | Kind::Double | Kind::Reference => return None,
        }
    };
    Some(match (from, to) {
        (_, Kind::Float) => jvalue { f: whole as f32 },
        (_, Kind::Double) => jvalue { d: whole as f64 },
        (Kind::Byte, Kind::Short) => jvalue { s: whole as i16 },
        (Kind::Byte | Kind::Short | Kind::Char, Kind::Int) => jvalue { i: whole as i32 },
        (_, Kind::Long) => jvalue { j: whole },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: [Kind; 7] =
        [Kind::Byte, Kind::Short, Kind::Char, Kind::Int, Kind::Long, Kind::Float, Kind::Double];

    #[test]
    fn values_become_wider_as_in_java() {
        let mut table = String::new();
        for from in NUMBERS {
            let value = narrow(from, Passed::Int(-1)).or(narrow(from, Passed::Float(-1.0))).unwrap();
            let to = NUMBERS.into_iter().filter(|to| widen(from, value, *to).is_some());
            table += &format!("{from:?}: {:?}\n", to.collect::<Vec<_>>());
        }
        expect_test::expect![[r#"
            Byte: [Byte, Short, Int, Long, Float, Double]
            Short: [Short, Int, Long, Float, Double]
            Char: [Char, Int, Long, Float, Double]
            Int: [Int, Long, Float, Double]
            Long: [Long, Float, Double]
            Float: [Float, Double]
            Double: [Double]
        "#]]
        .assert_eq(&table);
        let wide = |from, passed, to| widen(from, narrow(from, passed).unwrap(), to).unwrap();
        // SAFETY: each field is that of the kind which was asked for.
        unsafe {
            assert_eq!(wide(Kind::Byte, Passed::Int(255), Kind::Long).j, -1);
            assert_eq!(wide(Kind::Char, Passed::Int(-1), Kind::Int).i, 65_535);
            assert_eq!(wide(Kind::Int, Passed::Int(-3), Kind::Double).d, -3.0);
            assert_eq!(wide(Kind::Long, Passed::Int(1 << 60), Kind::Float).f, 2f32.powi(60));
            assert_eq!(wide(Kind::Float, Passed::Float(0.5), Kind::Double).d, 0.5);
        }
        assert!(widen(Kind::Bool, jvalue { z: true }, Kind::Int).is_none());
    }
}
