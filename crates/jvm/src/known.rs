//! Classes and methods of the JDK that the worker needs, looked up once.

use jni_sys::{jclass, jfieldID, jmethodID, jobject, jvalue};

use crate::jni;
use crate::resolve::Kind;
use crate::vm::{self, Env, Global};

/// The name of what cannot be asked for its name.
pub(crate) const UNNAMED: &str = "?";

/// Classes and methods of the JDK, one field each.
pub(crate) struct Known {
    pub(crate) object: Global,
    pub(crate) string: Global,
    pub(crate) class: Global,
    /// An array of objects, which is what an array becomes where any object will do.
    pub(crate) objects: Global,
    pub(crate) collection: Global,
    pub(crate) map: Global,
    pub(crate) builder: Global,
    pub(crate) buffer: Global,
    pub(crate) wrappers: Vec<Wrapper>,
    /// `Void.TYPE`, the class of nothing.
    pub(crate) void: Global,
    pub(crate) message: jmethodID,
    pub(crate) closeable: Global,
    pub(crate) close: jmethodID,
    /// Class of objects with threads of their own, which wait for work until they are sent home.
    pub(crate) executor: Global,
    pub(crate) shut_down: jmethodID,
    class_name: jmethodID,
    pub(crate) class_modifiers: jmethodID,
    pub(crate) class_loader: jmethodID,
    pub(crate) class_methods: jmethodID,
    pub(crate) class_resource: jmethodID,
    pub(crate) read_all: jmethodID,
    pub(crate) declared_fields: jmethodID,
    pub(crate) field_name: jmethodID,
    pub(crate) field_type: jmethodID,
    pub(crate) field_modifiers: jmethodID,
    pub(crate) method_name: jmethodID,
    pub(crate) method_modifiers: jmethodID,
    pub(crate) method_result: jmethodID,
    pub(crate) method_parameters: jmethodID,
    /// The class of all enums, and the name of a constant.
    pub(crate) enumeration: Global,
    pub(crate) constant_name: jmethodID,
    pub(crate) collection_size: jmethodID,
    pub(crate) map_size: jmethodID,
    pub(crate) builder_length: jmethodID,
    pub(crate) buffer_length: jmethodID,
    /// `Class.forName` with a loader, and without initializing the class.
    pub(crate) for_name: jmethodID,
    pub(crate) application_loader: Global,
    pub(crate) platform_loader: Global,
}

/// A class whose objects hold one primitive value.
pub(crate) struct Wrapper {
    pub(crate) kind: Kind,
    pub(crate) class: Global,
    /// The class object of the primitive type, `Integer.TYPE`.
    pub(crate) primitive: Global,
    name: &'static str,
    pub(crate) value: jfieldID,
    value_of: jmethodID,
}

/// The wrappers, with the name and the descriptor of what they hold.
const WRAPPERS: [(Kind, &str, &str, &str); 8] = [
    (Kind::Bool, "java/lang/Boolean", "boolean", "Z"),
    (Kind::Byte, "java/lang/Byte", "byte", "B"),
    (Kind::Char, "java/lang/Character", "char", "C"),
    (Kind::Short, "java/lang/Short", "short", "S"),
    (Kind::Int, "java/lang/Integer", "int", "I"),
    (Kind::Long, "java/lang/Long", "long", "J"),
    (Kind::Float, "java/lang/Float", "float", "F"),
    (Kind::Double, "java/lang/Double", "double", "D"),
];

impl Known {
    /// Looks them up. Returns `None` if the JDK lacks one.
    pub(crate) fn find(env: Env) -> Option<Self> {
        let class = |name: &str| find_class(env, name).ok();
        let method = |class: &Global, name: &str, descriptor: &str| {
            let (name, descriptor) = (vm::name(name), vm::name(descriptor));
            // SAFETY: the class is a live reference, and the names live until the call returns.
            let method = unsafe { jni!(env, GetMethodID, class.get(), name.as_ptr(), descriptor.as_ptr()) };
            (!method.is_null()).then_some(method)
        };
        let static_method = |class: &Global, name: &str, descriptor: &str| {
            let (name, descriptor) = (vm::name(name), vm::name(descriptor));
            // SAFETY: as above.
            let method =
                unsafe { jni!(env, GetStaticMethodID, class.get(), name.as_ptr(), descriptor.as_ptr()) };
            (!method.is_null()).then_some(method)
        };
        // The static field `TYPE` of a wrapper.
        let primitive = |class: &Global| {
            // SAFETY: the field was just found, and holds a class.
            unsafe {
                let id =
                    jni!(env, GetStaticFieldID, class.get(), c"TYPE".as_ptr(), c"Ljava/lang/Class;".as_ptr());
                if id.is_null() {
                    return None;
                }
                Global::of_local(env, jni!(env, GetStaticObjectField, class.get(), id))
            }
        };
        let loaders = class("java/lang/ClassLoader")?;
        let loader = |name: &str| {
            let method = static_method(&loaders, name, "()Ljava/lang/ClassLoader;")?;
            // SAFETY: the method was just found, takes nothing, and what it throws is taken away.
            unsafe {
                let loader = jni!(env, CallStaticObjectMethodA, loaders.get(), method, std::ptr::null());
                let thrown = vm::take_exception(env);
                if thrown.is_null() { Global::of_local(env, loader) } else { None }
            }
        };
        let wrappers = WRAPPERS
            .into_iter()
            .map(|(kind, internal, name, descriptor)| {
                let class = class(internal)?;
                let text = vm::name(descriptor);
                // SAFETY: the class is a live reference, and the names live until the call returns.
                let value = unsafe { jni!(env, GetFieldID, class.get(), c"value".as_ptr(), text.as_ptr()) };
                let value_of = static_method(&class, "valueOf", &format!("({descriptor})L{internal};"))?;
                let primitive = primitive(&class)?;
                (!value.is_null()).then_some(Wrapper { kind, primitive, name, value, value_of, class })
            })
            .collect::<Option<_>>()?;
        let (field, methods) = (class("java/lang/reflect/Field")?, class("java/lang/reflect/Method")?);
        let of_class = class("java/lang/Class")?;
        let closeable = class("java/lang/AutoCloseable")?;
        let executor = class("java/util/concurrent/ExecutorService")?;
        let enumeration = class("java/lang/Enum")?;
        let (collection, map) = (class("java/util/Collection")?, class("java/util/Map")?);
        let (builder, buffer) = (class("java/lang/StringBuilder")?, class("java/lang/StringBuffer")?);
        Some(Self {
            object: class("java/lang/Object")?,
            string: class("java/lang/String")?,
            objects: class("[Ljava/lang/Object;")?,
            wrappers,
            void: primitive(&class("java/lang/Void")?)?,
            close: method(&closeable, "close", "()V")?,
            closeable,
            shut_down: method(&executor, "shutdownNow", "()Ljava/util/List;")?,
            executor,
            message: method(&class("java/lang/Throwable")?, "getMessage", "()Ljava/lang/String;")?,
            class_name: method(&of_class, "getName", "()Ljava/lang/String;")?,
            class_modifiers: method(&of_class, "getModifiers", "()I")?,
            class_loader: method(&of_class, "getClassLoader", "()Ljava/lang/ClassLoader;")?,
            class_methods: method(&of_class, "getMethods", "()[Ljava/lang/reflect/Method;")?,
            class_resource: method(
                &of_class,
                "getResourceAsStream",
                "(Ljava/lang/String;)Ljava/io/InputStream;",
            )?,
            read_all: method(&class("java/io/InputStream")?, "readAllBytes", "()[B")?,
            declared_fields: method(&of_class, "getDeclaredFields", "()[Ljava/lang/reflect/Field;")?,
            field_name: method(&field, "getName", "()Ljava/lang/String;")?,
            field_type: method(&field, "getType", "()Ljava/lang/Class;")?,
            field_modifiers: method(&field, "getModifiers", "()I")?,
            method_name: method(&methods, "getName", "()Ljava/lang/String;")?,
            method_modifiers: method(&methods, "getModifiers", "()I")?,
            method_result: method(&methods, "getReturnType", "()Ljava/lang/Class;")?,
            method_parameters: method(&methods, "getParameterTypes", "()[Ljava/lang/Class;")?,
            constant_name: method(&enumeration, "name", "()Ljava/lang/String;")?,
            enumeration,
            collection_size: method(&collection, "size", "()I")?,
            map_size: method(&map, "size", "()I")?,
            builder_length: method(&builder, "length", "()I")?,
            buffer_length: method(&buffer, "length", "()I")?,
            for_name: static_method(
                &of_class,
                "forName",
                "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;",
            )?,
            application_loader: loader("getSystemClassLoader")?,
            platform_loader: loader("getPlatformClassLoader")?,
            class: of_class,
            collection,
            map,
            builder,
            buffer,
        })
    }

    /// The wrapper of a kind of primitive value.
    pub(crate) fn wrapper(&self, kind: Kind) -> Option<&Wrapper> {
        self.wrappers.iter().find(|wrapper| wrapper.kind == kind)
    }

    /// The class object of a primitive type, or of `void`, by its name.
    pub(crate) fn primitive(&self, name: &str) -> Option<jclass> {
        if name == "void" {
            return Some(self.void.get());
        }
        self.wrappers.iter().find(|wrapper| wrapper.name == name).map(|wrapper| wrapper.primitive.get())
    }

    /// The name of a class, with dots, as far as it is the same in every machine.
    ///
    /// # Safety
    /// `class` is a live reference to a class, and no exception is pending.
    pub(crate) unsafe fn name_of(&self, env: Env, class: jclass, units: &mut Vec<u16>) -> String {
        // SAFETY: the method was looked up on `Class`.
        let name = unsafe { self.text_of(env, class, self.class_name, units) };
        stable(&name).to_owned()
    }

    /// Calls a method without parameters that returns a string. Returns [`UNNAMED`] if it throws, for lack of
    /// memory.
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

    /// Returns true if a class belongs to the JDK: its loader is the boot loader, which is null, or the
    /// platform loader.
    ///
    /// # Safety
    /// As for [`Self::name_of`].
    pub(crate) unsafe fn is_of_the_jdk(&self, env: Env, class: jclass) -> bool {
        // SAFETY: the method was looked up on `Class`; the local reference is given back.
        unsafe {
            let loader = jni!(env, CallObjectMethodA, class, self.class_loader, std::ptr::null());
            let thrown = vm::take_exception(env);
            if !thrown.is_null() {
                jni!(env, DeleteLocalRef, thrown);
                return false;
            }
            let platform = jni!(env, IsSameObject, loader, self.platform_loader.get());
            let of_the_jdk = loader.is_null() || platform;
            jni!(env, DeleteLocalRef, loader);
            of_the_jdk
        }
    }
}

impl Wrapper {
    /// The value in its box, a local reference. The error is the exception, for lack of memory.
    pub(crate) fn wrap(&self, env: Env, value: jvalue) -> Result<jobject, jobject> {
        // SAFETY: the method takes one value of this kind; what it throws is taken away.
        unsafe {
            let wrapped =
                jni!(env, CallStaticObjectMethodA, self.class.get(), self.value_of, &raw const value);
            let thrown = vm::take_exception(env);
            if thrown.is_null() { Ok(wrapped) } else { Err(thrown) }
        }
    }

    /// The value in a box.
    ///
    /// # Safety
    /// `object` is a live reference to an object of this class.
    pub(crate) unsafe fn unwrap(&self, env: Env, object: jobject) -> jvalue {
        // SAFETY: the caller vouches for the object, and the field is read as what it was found as.
        unsafe { vm::read_field(env, object, self.kind, self.value) }
    }
}

/// A class by its name with slashes. The error is the exception, a local reference.
pub(crate) fn find_class(env: Env, name: &str) -> Result<Global, jobject> {
    let name = vm::name(name);
    // SAFETY: the name lives until the call returns; what it throws is taken away.
    unsafe {
        let class = jni!(env, FindClass, name.as_ptr());
        if class.is_null() {
            return Err(vm::take_exception(env));
        }
        Global::of_local(env, class).ok_or_else(|| crate::resolve::error(env, "no memory for another class"))
    }
}

/// The part of a class's name that is the same in every machine: classes that are made at run time are
/// counted, and hidden ones have an address.
fn stable(name: &str) -> &str {
    let visible = name.split('/').next().unwrap_or(name);
    let made = visible.contains("$$") || visible.contains("$Proxy") || visible.contains("AditGiven");
    if made { visible.trim_end_matches(|letter: char| letter.is_ascii_digit()) } else { visible }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_classes_that_are_made_at_run_time_are_cut() {
        for (name, expected) in [
            ("java.util.Map$1", "java.util.Map$1"),
            ("a.B$$Lambda$14/0x0000000800c03000", "a.B$$Lambda$"),
            ("a.B$$Lambda/0x00007f1b", "a.B$$Lambda"),
            ("jdk.proxy1.$Proxy12", "jdk.proxy1.$Proxy"),
            ("adit.given.AditGiven3", "adit.given.AditGiven"),
        ] {
            assert_eq!(stable(name), expected);
        }
    }
}
