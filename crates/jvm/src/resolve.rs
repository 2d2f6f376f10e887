//! From names to something that can be called: classes, method ids, and the types that a call must respect.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use adit_bytecode::{Signature, Stub, Type};
use adit_trace::CallKind;
use jni_sys::{jclass, jfieldID, jmethodID, jobject, jvalue};

use crate::function::Function;
use crate::jni;
use crate::known::{Known, find_class};
use crate::scripts::Member;
use crate::stub;
use crate::vm::{self, Env, Global};

/// A callable that was looked up.
pub(crate) struct Ready {
    pub(crate) class: Global,
    pub(crate) target: Target,
    pub(crate) kind: CallKind,
    pub(crate) parameters: Vec<Rc<Wanted>>,
    pub(crate) result: Kind,
}

/// A resolved method or field.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    Method(jmethodID),
    Field(jfieldID),
}

/// Required type of a parameter, an element of an array or the result of a function.
pub(crate) struct Wanted {
    pub(crate) kind: Kind,
    /// The class of a reference.
    pub(crate) class: Option<Global>,
    /// True if a string may be passed, and the object of a class.
    pub(crate) takes_text: bool,
    pub(crate) takes_class: bool,
    /// The kind of value that it holds, if the class is a wrapper.
    pub(crate) wraps: Option<Kind>,
    /// The kinds of values whose wrappers may be passed, as bits.
    boxes: u16,
    pub(crate) element: Element,
    /// Factory of functions, if it is a functional interface; resolved on first use.
    pub(crate) function: OnceCell<Option<Function>>,
}

/// Required type of the elements of a passed array.
pub(crate) enum Element {
    /// No array can be passed.
    None,
    /// Any object.
    Object,
    Typed(Rc<Wanted>),
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

/// The types that were asked for, and the loader to ask.
pub(crate) struct Types {
    env: Env,
    /// The loader of the classes of one script, a local reference; null for that of the machine.
    pub(crate) loader: jobject,
    by_descriptor: HashMap<String, Rc<Wanted>>,
    by_name: HashMap<String, Global>,
}

impl Ready {
    /// Looks a callable up, which loads and initializes its class. The error is the exception, a local
    /// reference.
    pub(crate) fn find(
        env: Env,
        known: &Known,
        types: &mut Types,
        callable: &Member,
    ) -> Result<Self, jobject> {
        let wrong = |what: &str| {
            error(env, &format!("{}.{}{}: {what}", callable.class, callable.name, callable.descriptor))
        };
        let malformed = || wrong("the descriptor is malformed");
        let mut class = types.find(known, &callable.class, true)?;
        let stub = Stub::parse(&callable.descriptor).filter(|_| callable.kind == CallKind::Constructor);
        let descriptor = stub.as_ref().map_or_else(|| callable.descriptor.clone(), Stub::descriptor);
        let (mut parameters, result);
        if callable.kind == CallKind::Constant {
            parameters = Vec::new();
            result = Some(Type::parse(&callable.descriptor).ok_or_else(malformed)?);
        } else {
            let signature = Signature::parse(&descriptor).ok_or_else(malformed)?;
            parameters = Vec::with_capacity(signature.parameters.len());
            for parameter in &signature.parameters {
                if !is_proper(parameter) {
                    return Err(malformed());
                }
                parameters.push(types.wanted(known, parameter)?);
            }
            result = signature.result;
        }
        if result.as_ref().is_some_and(|result| !is_proper(result)) {
            return Err(malformed());
        }
        let result = result.as_ref().map_or(Kind::Void, Kind::of);
        let name = match callable.kind {
            CallKind::Constructor if result == Kind::Void => "<init>",
            CallKind::Constructor => return Err(wrong("a constructor has the result V")),
            _ if callable.name.starts_with('<') => return Err(wrong("this is no method")),
            _ => &callable.name,
        };
        if let Some(stub) = stub {
            class = stub::define(env, known, types, &class, &stub)?;
        }
        let (name, descriptor) = (vm::name(name), vm::name(&descriptor));
        let (name, descriptor) = (name.as_ptr(), descriptor.as_ptr());
        // SAFETY: the class is a live reference, and the names are C strings that live until the call
        // returns. On failure it throws, and that is taken away.
        let target = unsafe {
            let target = match callable.kind {
                CallKind::Function => {
                    Target::Method(jni!(env, GetStaticMethodID, class.get(), name, descriptor))
                }
                CallKind::Constant => {
                    Target::Field(jni!(env, GetStaticFieldID, class.get(), name, descriptor))
                }
                CallKind::Constructor | CallKind::Method => {
                    Target::Method(jni!(env, GetMethodID, class.get(), name, descriptor))
                }
            };
            if target.is_null() {
                return Err(vm::take_exception(env));
            }
            target
        };
        Ok(Self { class, target, kind: callable.kind, parameters, result })
    }
}

impl Target {
    fn is_null(self) -> bool {
        match self {
            Self::Method(method) => method.is_null(),
            Self::Field(field) => field.is_null(),
        }
    }
}

impl Types {
    pub(crate) fn new(env: Env) -> Self {
        let (by_descriptor, by_name) = (HashMap::new(), HashMap::new());
        Self { env, loader: std::ptr::null_mut(), by_descriptor, by_name }
    }

    /// Lets go of all that was found, because it belongs to a loader that is given up.
    pub(crate) fn forget(&mut self) {
        self.by_descriptor.clear();
        self.by_name.clear();
        self.loader = std::ptr::null_mut();
    }

    /// Number of cached classes.
    pub(crate) fn count(&self) -> usize {
        self.by_descriptor.len() + self.by_name.len()
    }

    /// A class by its name, with dots or slashes. The error is the exception, a local reference.
    pub(crate) fn find(&self, known: &Known, name: &str, initialize: bool) -> Result<Global, jobject> {
        if self.loader.is_null() && initialize {
            return find_class(self.env, &name.replace('.', "/"));
        }
        let env = self.env;
        let units: Vec<u16> = name.replace('/', ".").encode_utf16().collect();
        let Ok(length) = units.len().try_into() else { return Err(error(env, "the name is too long")) };
        // SAFETY: the arguments are those of `Class.forName`; local references are given back; what is thrown
        // is taken away.
        unsafe {
            let text = jni!(env, NewString, units.as_ptr(), length);
            if text.is_null() {
                return Err(vm::take_exception(env));
            }
            let loader = if self.loader.is_null() { known.application_loader.get() } else { self.loader };
            let arguments = [jvalue { l: text }, jvalue { z: initialize }, jvalue { l: loader }];
            let class =
                jni!(env, CallStaticObjectMethodA, known.class.get(), known.for_name, arguments.as_ptr());
            let thrown = vm::take_exception(env);
            jni!(env, DeleteLocalRef, text);
            if !thrown.is_null() {
                return Err(thrown);
            }
            Global::of_local(env, class).ok_or_else(|| error(env, "no memory for another class"))
        }
    }

    /// The object of a class by its name with dots, which is not initialized. The error is the exception.
    pub(crate) fn class_object(&mut self, known: &Known, name: &str) -> Result<jclass, jobject> {
        if let Some(primitive) = known.primitive(name) {
            return Ok(primitive);
        }
        if let Some(found) = self.by_name.get(name) {
            return Ok(found.get());
        }
        let class = self.find(known, name, false)?;
        let found = class.get();
        self.by_name.insert(name.to_owned(), class);
        Ok(found)
    }

    /// Resolves a type. The error is the exception, a local reference.
    pub(crate) fn wanted(&mut self, known: &Known, wanted: &Type) -> Result<Rc<Wanted>, jobject> {
        let descriptor = wanted.descriptor();
        if let Some(found) = self.by_descriptor.get(&descriptor) {
            return Ok(found.clone());
        }
        let made = Rc::new(match wanted {
            Type::Class(name) => {
                let class = self.find(known, name, true)?;
                Wanted::reference(self.env, known, class, None)
            }
            Type::Array(element) => {
                let element = self.wanted(known, element)?;
                let class = self.find(known, &descriptor, true)?;
                Wanted::reference(self.env, known, class, Some(element))
            }
            _ => Wanted::primitive(Kind::of(wanted)),
        });
        self.by_descriptor.insert(descriptor, made.clone());
        Ok(made)
    }
}

impl Wanted {
    fn primitive(kind: Kind) -> Self {
        Self {
            kind,
            class: None,
            takes_text: false,
            takes_class: false,
            wraps: None,
            boxes: 0,
            element: Element::None,
            function: OnceCell::from(None),
        }
    }

    fn reference(env: Env, known: &Known, class: Global, element: Option<Rc<Self>>) -> Self {
        // SAFETY: all are live references to classes.
        let takes = |given: &Global| unsafe { jni!(env, IsAssignableFrom, given.get(), class.get()) };
        // SAFETY: as above.
        let is = |given: &Global| unsafe { jni!(env, IsSameObject, given.get(), class.get()) };
        let (takes_text, takes_class) = (takes(&known.string), takes(&known.class));
        let wraps = known.wrappers.iter().find(|wrapper| is(&wrapper.class)).map(|wrapper| wrapper.kind);
        let boxes = known.wrappers.iter().filter(|wrapper| takes(&wrapper.class));
        let boxes = boxes.fold(0, |bits, wrapper| bits | 1 << wrapper.kind as u16);
        let element = match element {
            Some(element) => Element::Typed(element),
            None if takes(&known.objects) => Element::Object,
            None => Element::None,
        };
        let function = OnceCell::new();
        Self {
            kind: Kind::Reference,
            class: Some(class),
            takes_text,
            takes_class,
            wraps,
            boxes,
            element,
            function,
        }
    }

    /// Any object at all, which is what the elements of an array are that nobody gave a type.
    pub(crate) fn object(env: Env, known: &Known) -> Option<Self> {
        Some(Self::reference(env, known, Global::again(&known.object)?, None))
    }

    /// Returns true if a value of this kind may be passed boxed.
    pub(crate) fn boxes(&self, kind: Kind) -> bool {
        self.boxes >> kind as u16 & 1 == 1
    }
}

impl Kind {
    /// Kind of a type in calls.
    pub(crate) fn of(wanted: &Type) -> Self {
        match wanted {
            Type::Boolean => Self::Bool,
            Type::Byte => Self::Byte,
            Type::Char => Self::Char,
            Type::Short => Self::Short,
            Type::Int => Self::Int,
            Type::Long => Self::Long,
            Type::Float => Self::Float,
            Type::Double => Self::Double,
            Type::Class(_) | Type::Array(_) => Self::Reference,
        }
    }
}

/// Returns true if the name in a type is a legal class name (JVM specification, section 4.2.2).
fn is_proper(wanted: &Type) -> bool {
    match wanted {
        Type::Class(name) => !name.contains(['.', '[', '(', ')']),
        Type::Array(element) => is_proper(element),
        _ => true,
    }
}

/// A `NoSuchMethodError` with a message of ours, as if the machine had thrown it.
pub(crate) fn error(env: Env, message: &str) -> jobject {
    let message = vm::name(message);
    // SAFETY: the name and the message are C strings that live long enough; whichever call fails leaves an
    // exception, and one is pending at the end in any case.
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
