//! Functions as arguments: a class is generated for the requested interface, whose one method returns the
//! value of its one field.
//!
//! The class has no constructor, because its objects are made without one; straight code needs no frames. It
//! is defined once for each interface, in the interface's own loader, or in that of the application where the
//! loader is the machine's. An interface that is not public is only seen from its own package, so that its
//! class goes there.

use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use adit_bytecode::{Signature, Type};
use jni_sys::{jclass, jfieldID, jobject};

use crate::jni;
use crate::known::Known;
use crate::resolve::{Types, Wanted};
use crate::vm::{self, Env, Global};

const PUBLIC: i32 = 0x0001;
const PROTECTED: i32 = 0x0004;
pub(crate) const INTERFACE: i32 = 0x0200;
const ABSTRACT: i32 = 0x0400;

/// The name of the field.
const FIELD: &str = "given";

/// Factory of functions for one interface.
pub(crate) struct Function {
    pub(crate) class: Global,
    /// Type of the method's result and the field with its value; `None` for `void`.
    pub(crate) result: Option<(Rc<Wanted>, jfieldID)>,
}

/// An abstract method, as the class that is written must have it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Method {
    name: String,
    descriptor: String,
}

impl Function {
    /// Writes and defines a class; nothing if the class that is asked for is no functional interface, or is
    /// out of reach.
    pub(crate) fn define(env: Env, known: &Known, types: &mut Types, interface: jclass) -> Option<Self> {
        // SAFETY: the frame is popped below; what leaves it is global.
        unsafe {
            if jni!(env, PushLocalFrame, 32) != 0 {
                jni!(env, ExceptionClear);
                return None;
            }
            let defined = Self::define_in_frame(env, known, types, interface);
            // A refusal, to define the class for example, is an answer.
            jni!(env, ExceptionClear);
            jni!(env, PopLocalFrame, std::ptr::null_mut());
            defined
        }
    }

    /// # Safety
    /// `interface` is a live reference to a class, no exception is pending, and the caller has pushed a
    /// frame.
    unsafe fn define_in_frame(env: Env, known: &Known, types: &mut Types, interface: jclass) -> Option<Self> {
        let mut units = Vec::new();
        // SAFETY: the methods were looked up on the classes that they are called on; an exception ends it.
        unsafe {
            let modifiers = jni!(env, CallIntMethodA, interface, known.class_modifiers, std::ptr::null());
            if jni!(env, ExceptionCheck) || modifiers & INTERFACE == 0 {
                return None;
            }
            let (methods, result_class) = abstract_methods(env, known, interface, &mut units)?;
            let (first, rest) = methods.split_first()?;
            let result = Signature::parse(&first.descriptor)?.result;
            let (own, name, package) = home(env, known, types, interface, modifiers, &mut units)?;
            // The names of all classes of a worker differ, because two interfaces may share a package.
            static NUMBER: AtomicU64 = AtomicU64::new(0);
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let own_name = format!("{package}AditGiven{number}");
            let bytes = write(&own_name, &name, first, rest)?;
            let class = define(env, own, &own_name, &bytes)?;
            let result = match result {
                None => None,
                Some(result) => {
                    let wanted = types.wanted(known, &result).ok()?;
                    // The interface may see another class under this name than scripts do.
                    if let Some(class) = &wanted.class
                        && !jni!(env, IsSameObject, class.get(), result_class)
                    {
                        return None;
                    }
                    let (name, descriptor) = (vm::name(FIELD), vm::name(&result.descriptor()));
                    let field = jni!(env, GetFieldID, class.get(), name.as_ptr(), descriptor.as_ptr());
                    if field.is_null() {
                        return None;
                    }
                    Some((wanted, field))
                }
            };
            Some(Self { class, result })
        }
    }
}

/// The loader in which a class below this one is defined, the internal name of this one, and the package of
/// that one with a slash at its end; nothing if there can be none.
///
/// # Safety
/// `above` is a live reference to a class, and no exception is pending.
pub(crate) unsafe fn home(
    env: Env,
    known: &Known,
    types: &Types,
    above: jclass,
    modifiers: i32,
    units: &mut Vec<u16>,
) -> Option<(jobject, String, String)> {
    // SAFETY: the method was looked up on the class that it is called on; an exception ends it.
    let mut own = unsafe {
        let own = jni!(env, CallObjectMethodA, above, known.class_loader, std::ptr::null());
        if jni!(env, ExceptionCheck) {
            return None;
        }
        own
    };
    // SAFETY: as above.
    let name = unsafe { known.name_of(env, above, units) }.replace('.', "/");
    // The class file of a protected interface says that it is public.
    let package = if modifiers & (PUBLIC | PROTECTED) != 0 {
        "adit/given/".to_owned()
    } else if own.is_null() {
        return None;
    } else {
        name.rsplit_once('/').map_or(String::new(), |(package, _)| format!("{package}/"))
    };
    if own.is_null() {
        own = if types.loader.is_null() { known.application_loader.get() } else { types.loader };
    }
    Some((own, name, package))
}

/// Defines a class.
///
/// # Safety
/// `loader` is a live reference to a loader, and no exception is pending.
pub(crate) unsafe fn define(env: Env, loader: jobject, name: &str, bytes: &[u8]) -> Option<Global> {
    let name = vm::name(name);
    let length = bytes.len().try_into().ok()?;
    // SAFETY: the bytes live until the call returns. The machine checks them.
    unsafe {
        let class = jni!(env, DefineClass, name.as_ptr(), loader, bytes.as_ptr().cast(), length);
        Global::of_local(env, class)
    }
}

/// The abstract methods of a functional interface, and the class of the first one's result; nothing if it is
/// none.
///
/// An interface that gives an inherited method narrower types has two of the same name, and is functional
/// nonetheless. The first of the result has the narrowest result, which suits all others.
///
/// # Safety
/// `interface` is a live reference to an interface, and no exception is pending.
unsafe fn abstract_methods(
    env: Env,
    known: &Known,
    interface: jclass,
    units: &mut Vec<u16>,
) -> Option<(Vec<Method>, jclass)> {
    let mut found: Vec<(Method, jclass)> = Vec::new();
    // SAFETY: the methods were looked up on the classes that they are called on; indices stay below the
    // lengths. Local references are given back by the caller's frame, and inside the loop where there may be
    // many.
    unsafe {
        let list = jni!(env, CallObjectMethodA, interface, known.class_methods, std::ptr::null());
        if jni!(env, ExceptionCheck) || list.is_null() {
            return None;
        }
        for index in 0..jni!(env, GetArrayLength, list) {
            let method = jni!(env, GetObjectArrayElement, list, index);
            let modifiers = jni!(env, CallIntMethodA, method, known.method_modifiers, std::ptr::null());
            if jni!(env, ExceptionCheck) {
                return None;
            }
            if modifiers & ABSTRACT != 0 {
                let name = known.text_of(env, method, known.method_name, units);
                let result = jni!(env, CallObjectMethodA, method, known.method_result, std::ptr::null());
                if jni!(env, ExceptionCheck) {
                    return None;
                }
                let parameters =
                    jni!(env, CallObjectMethodA, method, known.method_parameters, std::ptr::null());
                if jni!(env, ExceptionCheck) || result.is_null() || parameters.is_null() {
                    return None;
                }
                let mut descriptor = "(".to_owned();
                for index in 0..jni!(env, GetArrayLength, parameters) {
                    let parameter = jni!(env, GetObjectArrayElement, parameters, index);
                    descriptor += &descriptor_of(&known.name_of(env, parameter, units));
                    jni!(env, DeleteLocalRef, parameter);
                }
                jni!(env, DeleteLocalRef, parameters);
                descriptor.push(')');
                let is_of_object = matches!(
                    (name.as_str(), descriptor.as_str()),
                    ("equals", "(Ljava/lang/Object;)") | ("hashCode" | "toString", "()")
                );
                descriptor += &descriptor_of(&known.name_of(env, result, units));
                let method = Method { name, descriptor };
                if is_of_object || found.iter().any(|(other, _)| *other == method) {
                    jni!(env, DeleteLocalRef, result);
                } else if found.len() == 8 {
                    // Nobody narrows a method so often, and the frame is full.
                    return None;
                } else {
                    found.push((method, result));
                }
            }
            jni!(env, DeleteLocalRef, method);
        }
        let narrowest = found.iter().position(|(_, result)| {
            found.iter().all(|(_, other)| jni!(env, IsAssignableFrom, *result, *other))
        })?;
        found.swap(0, narrowest);
    }
    let shape =
        |method: &Method| Some((method.name.clone(), Signature::parse(&method.descriptor)?.parameters.len()));
    let (first, result) = (shape(&found[0].0)?, found[0].1);
    let methods = found.into_iter().map(|(method, _)| (shape(&method)? == first).then_some(method));
    Some((methods.collect::<Option<_>>()?, result))
}

/// The descriptor of a type by the name that `Class.getName` gives.
fn descriptor_of(name: &str) -> String {
    match name {
        "void" => "V".to_owned(),
        "boolean" => "Z".to_owned(),
        "byte" => "B".to_owned(),
        "char" => "C".to_owned(),
        "short" => "S".to_owned(),
        "int" => "I".to_owned(),
        "long" => "J".to_owned(),
        "float" => "F".to_owned(),
        "double" => "D".to_owned(),
        _ if name.starts_with('[') => name.replace('.', "/"),
        _ => format!("L{};", name.replace('.', "/")),
    }
}

/// The class file (JVM specification, chapter 4): the interface's methods, each of which gives what is in the
/// field. The field has the type of the first method's result.
fn write(name: &str, interface: &str, first: &Method, rest: &[Method]) -> Option<Vec<u8>> {
    let mut pool = Pool { count: 1, bytes: Vec::new() };
    let class = pool.class(name)?;
    let superclass = pool.class("java/lang/Object")?;
    let interface = pool.class(interface)?;
    let code = pool.text("Code")?;
    let signature = Signature::parse(&first.descriptor)?;
    let mut fields = Vec::new();
    let mut body = Vec::new();
    if let Some(result) = &signature.result {
        let (field, descriptor) = (pool.text(FIELD)?, pool.text(&result.descriptor())?);
        // No flags, no attributes.
        fields.extend([0, 0]);
        fields.extend(field.to_be_bytes());
        fields.extend(descriptor.to_be_bytes());
        fields.extend([0, 0]);
        let pair = pool.pair(12, field, Some(descriptor))?;
        let reference = pool.pair(9, class, Some(pair))?;
        // aload_0, getfield.
        body.extend([0x2a, 0xb4]);
        body.extend(reference.to_be_bytes());
    }
    body.push(match &signature.result {
        None => 0xb1,
        Some(Type::Long) => 0xad,
        Some(Type::Float) => 0xae,
        Some(Type::Double) => 0xaf,
        Some(Type::Class(_) | Type::Array(_)) => 0xb0,
        Some(_) => 0xac,
    });
    let mut methods = Vec::new();
    for method in std::iter::once(first).chain(rest) {
        let slots = u16::try_from(1 + Signature::parse(&method.descriptor)?.slots()).ok()?;
        // Public.
        methods.extend([0, 1]);
        methods.extend(pool.text(&method.name)?.to_be_bytes());
        methods.extend(pool.text(&method.descriptor)?.to_be_bytes());
        methods.extend([0, 1]);
        methods.extend(code.to_be_bytes());
        methods.extend((12 + body.len() as u32).to_be_bytes());
        // A long on the stack takes two slots.
        methods.extend([0, 2]);
        methods.extend(slots.to_be_bytes());
        methods.extend((body.len() as u32).to_be_bytes());
        methods.extend(&body);
        methods.extend([0, 0, 0, 0]);
    }
    // Version 52 is Java 8, which every machine here accepts.
    let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52];
    bytes.extend(pool.count.to_be_bytes());
    bytes.extend(&pool.bytes);
    // Final, super, synthetic.
    bytes.extend([0x10, 0x30]);
    bytes.extend(class.to_be_bytes());
    bytes.extend(superclass.to_be_bytes());
    bytes.extend([0, 1]);
    bytes.extend(interface.to_be_bytes());
    bytes.extend([0, u8::from(!fields.is_empty())]);
    bytes.extend(&fields);
    bytes.extend([0, u8::try_from(1 + rest.len()).ok()?]);
    bytes.extend(&methods);
    bytes.extend([0, 0]);
    Some(bytes)
}

/// A constant pool that is being written.
struct Pool {
    count: u16,
    bytes: Vec<u8>,
}

impl Pool {
    fn next(&mut self) -> Option<u16> {
        let index = self.count;
        self.count = index.checked_add(1)?;
        Some(index)
    }

    fn text(&mut self, text: &str) -> Option<u16> {
        let encoded = vm::name(text);
        let length = u16::try_from(encoded.as_bytes().len()).ok()?;
        self.bytes.push(1);
        self.bytes.extend(length.to_be_bytes());
        self.bytes.extend(encoded.as_bytes());
        self.next()
    }

    fn class(&mut self, name: &str) -> Option<u16> {
        let name = self.text(name)?;
        self.pair(7, name, None)
    }

    fn pair(&mut self, tag: u8, first: u16, second: Option<u16>) -> Option<u16> {
        self.bytes.push(tag);
        self.bytes.extend(first.to_be_bytes());
        self.bytes.extend(second.map(u16::to_be_bytes).into_iter().flatten());
        self.next()
    }
}

#[cfg(test)]
mod tests {
    use adit_bytecode::Class;

    use super::*;

    fn method(name: &str, descriptor: &str) -> Method {
        Method { name: name.to_owned(), descriptor: descriptor.to_owned() }
    }

    #[test]
    fn what_is_written_can_be_read() {
        let first = method("compare", "(Ljava/lang/Object;J)Ljava/lang/String;");
        let rest = [method("compare", "(Ljava/lang/Object;I)Ljava/lang/Object;")];
        let bytes = write("p/Given", "p/Interface", &first, &rest).unwrap();
        let class = Class::parse(&bytes, "written").unwrap();
        assert_eq!((&*class.name, &*class.interfaces[0]), ("p/Given", "p/Interface"));
        assert_eq!(&*class.fields[0].descriptor, "Ljava/lang/String;");
        assert_eq!(class.methods.len(), 2);
        assert!(class.method("compare", &rest[0].descriptor).unwrap().code.is_some());
        for (descriptor, fields) in [("()V", 0), ("(D)D", 1), ("()Z", 1), ("([I)[I", 1)] {
            let bytes = write("Given", "Interface", &method("m", descriptor), &[]).unwrap();
            assert_eq!(Class::parse(&bytes, "written").unwrap().fields.len(), fields, "{descriptor}");
        }
        assert_eq!(write("Given", "Interface", &method("m", "()Q"), &[]), None);
        assert_eq!(write(&"x".repeat(70_000), "Interface", &method("m", "()V"), &[]), None);
    }

    #[test]
    fn names_become_descriptors() {
        assert_eq!(descriptor_of("int"), "I");
        assert_eq!(descriptor_of("java.util.Map$Entry"), "Ljava/util/Map$Entry;");
        assert_eq!(descriptor_of("[Ljava.lang.String;"), "[Ljava/lang/String;");
        assert_eq!(descriptor_of("[[I"), "[[I");
    }
}
