//! From names to something that can be called: classes, method ids, and the types that a call must respect.

use std::rc::Rc;

use adit_trace::{CallKind, Callable};
use jni_sys::{jclass, jmethodID, jobject};

use crate::jni;
use crate::vm::{self, Env};

/// A callable that was looked up.
#[derive(Clone)]
pub(crate) struct Ready {
    /// A global reference.
    pub(crate) class: jclass,
    pub(crate) method: jmethodID,
    pub(crate) kind: CallKind,
    pub(crate) parameters: Rc<[Parameter]>,
    pub(crate) result: Kind,
}

pub(crate) struct Parameter {
    pub(crate) kind: Kind,
    /// The class of a reference, as a global reference; null for the rest.
    pub(crate) class: jclass,
    /// Whether a string may be passed.
    pub(crate) takes_text: bool,
}

/// The types of Java, as far as calling differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Void,
    Bool,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Reference,
}

impl Ready {
    /// Looks a callable up, which loads and initializes its class. The error is the exception, a local reference.
    pub(crate) fn find(env: Env, known: &Known, callable: &Callable) -> Result<Self, jobject> {
        let wrong = |what: &str| {
            throw(env, &format!("{}.{}{}: {what}", callable.class, callable.name, callable.descriptor))
        };
        let class = find_class(env, &callable.class.replace('.', "/"))?;
        let (parameters, result) =
            parse(&callable.descriptor).ok_or_else(|| wrong("the descriptor is malformed"))?;
        let parameters = parameters
            .into_iter()
            .map(|(kind, class)| {
                let Some(class) = class else {
                    return Ok(Parameter { kind, class: std::ptr::null_mut(), takes_text: false });
                };
                let class = find_class(env, &class)?;
                // SAFETY: both are global references to classes.
                let takes_text = unsafe { jni!(env, IsAssignableFrom, known.string, class) };
                Ok(Parameter { kind, class, takes_text })
            })
            .collect::<Result<_, jobject>>()?;
        let name = match callable.kind {
            CallKind::Constructor if result == Kind::Void => "<init>",
            CallKind::Constructor => return Err(wrong("a constructor has the result V")),
            _ if callable.name.starts_with('<') => return Err(wrong("this is no method")),
            _ => &callable.name,
        };
        let (name, descriptor) = (vm::name(name), vm::name(&callable.descriptor));
        // SAFETY: the class is a global reference, and the names are C strings that live until the call returns. On
        // failure it throws, and that is taken away.
        let method = unsafe {
            if callable.kind == CallKind::Static {
                jni!(env, GetStaticMethodID, class, name.as_ptr(), descriptor.as_ptr())
            } else {
                jni!(env, GetMethodID, class, name.as_ptr(), descriptor.as_ptr())
            }
        };
        if method.is_null() {
            // SAFETY: this is the thread of the environment.
            return Err(unsafe { vm::take_exception(env) });
        }
        Ok(Self { class, method, kind: callable.kind, parameters, result })
    }
}

/// A global reference to a class, by its name with slashes. The error is the exception, a local reference.
pub(crate) fn find_class(env: Env, name: &str) -> Result<jclass, jobject> {
    let name = vm::name(name);
    // SAFETY: the name lives until the call returns; what it throws is taken away; the local reference is given back.
    unsafe {
        let class = jni!(env, FindClass, name.as_ptr());
        if class.is_null() {
            return Err(vm::take_exception(env));
        }
        let global = jni!(env, NewGlobalRef, class);
        jni!(env, DeleteLocalRef, class);
        if global.is_null() { Err(throw(env, "no memory for another class")) } else { Ok(global) }
    }
}

/// A `NoSuchMethodError` with a message of ours, as if the machine had thrown it.
fn throw(env: Env, message: &str) -> jobject {
    let message = vm::name(message);
    // SAFETY: the name and the message are C strings that live long enough; whichever call fails leaves an exception,
    // and one is pending at the end in any case.
    unsafe {
        let class = jni!(env, FindClass, c"java/lang/NoSuchMethodError".as_ptr());
        if !class.is_null() {
            jni!(env, ThrowNew, class, message.as_ptr());
            let thrown = vm::take_exception(env);
            jni!(env, DeleteLocalRef, class);
            return thrown;
        }
        vm::take_exception(env)
    }
}

/// A type, with the name of its class if it is a reference.
type NamedKind = (Kind, Option<String>);

/// The types of a method descriptor (JVM specification, section 4.3.3), with the names of classes as JNI wants them.
fn parse(descriptor: &str) -> Option<(Vec<NamedKind>, Kind)> {
    let mut rest = descriptor.strip_prefix('(')?;
    let mut parameters = Vec::new();
    while !rest.starts_with(')') {
        let (kind, class, after) = field_type(rest)?;
        parameters.push((kind, class));
        rest = after;
    }
    let result = &rest[1..];
    // A long or a double counts twice towards the limit of section 4.3.3; the machine checks that.
    if result == "V" {
        return (parameters.len() <= 255).then_some((parameters, Kind::Void));
    }
    let (kind, _, after) = field_type(result)?;
    (after.is_empty() && parameters.len() <= 255).then_some((parameters, kind))
}

fn field_type(text: &str) -> Option<(Kind, Option<String>, &str)> {
    let kind = match text.chars().next()? {
        'Z' => Kind::Bool,
        'B' => Kind::Byte,
        'C' => Kind::Char,
        'S' => Kind::Short,
        'I' => Kind::Int,
        'J' => Kind::Long,
        'F' => Kind::Float,
        'D' => Kind::Double,
        'L' => {
            let (name, after) = text[1..].split_once(';')?;
            let fine = !name.is_empty() && !name.contains(['.', '[', '(', ')']);
            return fine.then(|| (Kind::Reference, Some(name.to_owned()), after));
        }
        '[' => {
            let inner = text.trim_start_matches('[');
            if text.len() - inner.len() > 255 {
                return None;
            }
            let (_, _, after) = field_type(inner)?;
            return Some((Kind::Reference, Some(text[..text.len() - after.len()].to_owned()), after));
        }
        _ => return None,
    };
    Some((kind, None, &text[1..]))
}

/// The name of what cannot be asked for its name.
pub(crate) const UNNAMED: &str = "?";

/// What is needed of the machine's own classes.
pub(crate) struct Known {
    pub(crate) string: jclass,
    pub(crate) message: jmethodID,
    class_name: jmethodID,
    pub(crate) declared_fields: jmethodID,
    pub(crate) field_name: jmethodID,
    pub(crate) field_type: jmethodID,
    pub(crate) field_modifiers: jmethodID,
}

impl Known {
    pub(crate) fn find(env: Env) -> Option<Self> {
        let class = |name: &str| find_class(env, name).ok();
        let method = |class: jclass, name: &str, descriptor: &str| {
            let (name, descriptor) = (vm::name(name), vm::name(descriptor));
            // SAFETY: the class is a global reference, and the names live until the call returns.
            let method = unsafe { jni!(env, GetMethodID, class, name.as_ptr(), descriptor.as_ptr()) };
            (!method.is_null()).then_some(method)
        };
        let field = class("java/lang/reflect/Field")?;
        let of_class = class("java/lang/Class")?;
        Some(Self {
            string: class("java/lang/String")?,
            message: method(class("java/lang/Throwable")?, "getMessage", "()Ljava/lang/String;")?,
            class_name: method(of_class, "getName", "()Ljava/lang/String;")?,
            declared_fields: method(of_class, "getDeclaredFields", "()[Ljava/lang/reflect/Field;")?,
            field_name: method(field, "getName", "()Ljava/lang/String;")?,
            field_type: method(field, "getType", "()Ljava/lang/Class;")?,
            field_modifiers: method(field, "getModifiers", "()I")?,
        })
    }

    /// The name of a class, with dots.
    ///
    /// # Safety
    /// `class` is a live reference to a class, and no exception is pending.
    pub(crate) unsafe fn name_of(&self, env: Env, class: jclass, units: &mut Vec<u16>) -> String {
        // SAFETY: the method was looked up on `Class`.
        unsafe { self.text_of(env, class, self.class_name, units) }
    }

    /// What a method without parameters that gives a string answers; [`UNNAMED`] if it throws, for lack of memory.
    ///
    /// # Safety
    /// `object` is a live reference on which `method` can be called, and no exception is pending.
    pub(crate) unsafe fn text_of(
        &self,
        env: Env,
        object: jobject,
        method: jmethodID,
        units: &mut Vec<u16>,
    ) -> String {
        // SAFETY: the caller vouches for object and method; both local references are given back.
        unsafe {
            let text = jni!(env, CallObjectMethodA, object, method, std::ptr::null());
            let thrown = vm::take_exception(env);
            if !thrown.is_null() || text.is_null() {
                jni!(env, DeleteLocalRef, thrown);
                return UNNAMED.to_owned();
            }
            let string = vm::text(env, text, usize::MAX, units);
            jni!(env, DeleteLocalRef, text);
            string
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(descriptor: &str, expected: Expect) {
        expected.assert_eq(&format!("{:?}", parse(descriptor)));
    }

    #[test]
    fn descriptors() {
        check("()V", expect!["Some(([], Void))"]);
        check("(IJ)Z", expect!["Some(([(Int, None), (Long, None)], Bool))"]);
        check(
            "([[ILjava/lang/String;D)[Ljava/lang/Object;",
            expect![[
                r#"Some(([(Reference, Some("[[I")), (Reference, Some("java/lang/String")), (Double, None)], Reference))"#
            ]],
        );
        check(
            "([Ljava/lang/String;)V",
            expect![[r#"Some(([(Reference, Some("[Ljava/lang/String;"))], Void))"#]],
        );
    }

    #[test]
    fn faulty_descriptors() {
        for faulty in [
            "",
            "(",
            "()",
            ")V",
            "(V)V",
            "()VV",
            "(L;)V",
            "(Ljava/lang/String)V",
            "(Ljava.lang.String;)V",
            "([)V",
            "(Q)V",
            "()é",
            "(é)V",
            "()Ljava/lang/String",
            "()[V",
        ] {
            assert_eq!(parse(faulty), None, "{faulty}");
        }
        assert_eq!(parse(&format!("({})V", "I".repeat(256))), None);
        assert_eq!(parse(&format!("({}I)V", "[".repeat(256))), None);
    }
}
