//! HotSpot in this process: creating it, and calling it through its function table.
//!
//! The table is used directly, because a script is a few hundred nanoseconds of Java and every check around a
//! call would show. What makes the calls sound is gathered here and in `play`: a thread's environment never
//! leaves its thread ([`Env`] is not `Send`), references live in the frame in which they were made, and every
//! reference that is passed to Java has been checked against the type that Java expects.

use std::ffi::{CString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use jni_sys::{
    JNI_OK, JNI_VERSION_1_8, JNIEnv, JavaVM, JavaVMInitArgs, JavaVMOption, jclass, jfieldID, jint, jobject,
    jstring, jvalue,
};

use crate::resolve::Kind;
use crate::wire::Put;

/// The stack of the thread that runs Java. On a process's first thread, Java overflows after about 500 nested
/// calls.
pub const STACK: usize = 64 << 20;

/// Options of the JVM.
#[derive(Clone, Debug)]
pub struct MachineOptions {
    /// Its library.
    pub libjvm: PathBuf,
    /// Folders and jars with classes.
    pub class_path: Vec<PathBuf>,
    /// Folder in which it may write.
    pub folder: PathBuf,
    /// The largest heap.
    pub heap_megabytes: u32,
    /// More flags, which come last and so have the last word.
    pub flags: Vec<String>,
}

/// The machine as the current thread sees it.
///
/// It holds a raw pointer, and so it stays on its thread, which is what JNI demands.
#[derive(Clone, Copy)]
pub struct Env(*mut JNIEnv);

/// Calls an entry of the function table: `jni!(env, FindClass, name)`. Only in an unsafe block.
#[macro_export]
#[doc(hidden)]
macro_rules! jni {
    ($env:expr, $entry:ident $(, $argument:expr)* $(,)?) => {{
        let env = $env.raw();
        ((**env).v1_6.$entry)(env $(, $argument)*)
    }};
}

impl Env {
    /// The environment that the machine hands to a callback, on the thread of which it stays.
    pub(crate) fn of(raw: *mut JNIEnv) -> Self {
        Self(raw)
    }

    /// The pointer that the entries of the function table want.
    pub fn raw(self) -> *mut JNIEnv {
        self.0
    }
}

/// A reference that outlives the frame in which it was made, and ends with its owner.
pub(crate) struct Global {
    env: Env,
    reference: jobject,
}

impl Global {
    /// Takes over a local reference; nothing if it is null or there is no memory.
    ///
    /// # Safety
    /// `local` is null or a live local reference of the thread of `env`, and is not used afterwards.
    pub(crate) unsafe fn of_local(env: Env, local: jobject) -> Option<Self> {
        if local.is_null() {
            return None;
        }
        // SAFETY: the caller vouches for the reference.
        unsafe {
            let reference = jni!(env, NewGlobalRef, local);
            jni!(env, DeleteLocalRef, local);
            (!reference.is_null()).then_some(Self { env, reference })
        }
    }

    /// Another reference to the same; nothing if there is no memory.
    pub(crate) fn again(other: &Self) -> Option<Self> {
        // SAFETY: the other reference is live.
        let reference = unsafe { jni!(other.env, NewGlobalRef, other.reference) };
        (!reference.is_null()).then_some(Self { env: other.env, reference })
    }

    /// The reference, good for as long as its owner lives.
    pub(crate) fn get(&self) -> jobject {
        self.reference
    }
}

impl Drop for Global {
    fn drop(&mut self) {
        // SAFETY: the reference was made by this object and is given back once; `Env` keeps it on its thread.
        unsafe { jni!(self.env, DeleteGlobalRef, self.reference) }
    }
}

/// Reads a field of an object as what it was declared to be. The unused bits of the result are zero.
///
/// # Safety
/// `object` is a live reference to an object that has the field, which is of this kind.
pub(crate) unsafe fn read_field(env: Env, object: jobject, kind: Kind, id: jfieldID) -> jvalue {
    let mut value = jvalue { j: 0 };
    // SAFETY: the caller vouches for object and field.
    unsafe {
        match kind {
            Kind::Bool => value.z = jni!(env, GetBooleanField, object, id),
            Kind::Byte => value.b = jni!(env, GetByteField, object, id),
            Kind::Char => value.c = jni!(env, GetCharField, object, id),
            Kind::Short => value.s = jni!(env, GetShortField, object, id),
            Kind::Int => value.i = jni!(env, GetIntField, object, id),
            Kind::Long => value.j = jni!(env, GetLongField, object, id),
            Kind::Float => value.f = jni!(env, GetFloatField, object, id),
            Kind::Double => value.d = jni!(env, GetDoubleField, object, id),
            Kind::Void | Kind::Reference => value.l = jni!(env, GetObjectField, object, id),
        }
    }
    value
}

/// Reads a static field as what it was declared to be.
///
/// # Safety
/// `class` is a live reference to a class that has the field, which is of this kind.
pub(crate) unsafe fn read_static_field(env: Env, class: jclass, kind: Kind, id: jfieldID) -> jvalue {
    // SAFETY: the caller vouches for class and field.
    unsafe {
        match kind {
            Kind::Bool => jvalue { z: jni!(env, GetStaticBooleanField, class, id) },
            Kind::Byte => jvalue { b: jni!(env, GetStaticByteField, class, id) },
            Kind::Char => jvalue { c: jni!(env, GetStaticCharField, class, id) },
            Kind::Short => jvalue { s: jni!(env, GetStaticShortField, class, id) },
            Kind::Int => jvalue { i: jni!(env, GetStaticIntField, class, id) },
            Kind::Long => jvalue { j: jni!(env, GetStaticLongField, class, id) },
            Kind::Float => jvalue { f: jni!(env, GetStaticFloatField, class, id) },
            Kind::Double => jvalue { d: jni!(env, GetStaticDoubleField, class, id) },
            Kind::Void | Kind::Reference => jvalue { l: jni!(env, GetStaticObjectField, class, id) },
        }
    }
}

type Create = unsafe extern "system" fn(*mut *mut JavaVM, *mut *mut c_void, *mut c_void) -> jint;

/// Creates the machine on the current thread, which should have a stack of [`STACK`] bytes.
///
/// A process can have one machine in its life; the second attempt fails.
pub fn create(options: &MachineOptions) -> Result<Env, String> {
    without_signal_stack();
    let mut texts = flags(options)?;
    let mut list: Vec<JavaVMOption> = texts
        .iter_mut()
        .map(|text| JavaVMOption { optionString: text.as_ptr().cast_mut(), extraInfo: std::ptr::null_mut() })
        .collect();
    let mut arguments = JavaVMInitArgs {
        version: JNI_VERSION_1_8,
        nOptions: list.len().try_into().map_err(|_| "too many options".to_owned())?,
        options: list.as_mut_ptr(),
        // Flags are for a range of releases, and a release may have dropped one that only saves time or
        // space.
        ignoreUnrecognized: true,
    };
    // SAFETY: loading a library runs its initializers. This one is the machine of a JDK that `find` has
    // accepted.
    let library = unsafe { libloading::Library::new(&options.libjvm) }.map_err(|error| error.to_string())?;
    // The machine cannot be unloaded.
    let library = std::mem::ManuallyDrop::new(library);
    // SAFETY: the function has had this signature since JNI 1.2.
    let create: libloading::Symbol<'_, Create> =
        unsafe { library.get(b"JNI_CreateJavaVM\0") }.map_err(|error| error.to_string())?;
    let (mut machine, mut env) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: both results are written by the call; the arguments and the texts they point to live until it
    // returns, and the machine keeps copies.
    let code = unsafe { create(&raw mut machine, &raw mut env, (&raw mut arguments).cast()) };
    if code != JNI_OK || env.is_null() {
        return Err(format!("JNI_CreateJavaVM answers {code} ({})", meaning(code)));
    }
    Ok(Env(env.cast()))
}

/// The machine's flags. Those that a release does not know are ignored.
fn flags(options: &MachineOptions) -> Result<Vec<CString>, String> {
    let class_path: Vec<&[u8]> = options.class_path.iter().map(|path| path.as_os_str().as_bytes()).collect();
    if class_path.iter().any(|path| path.contains(&b':')) {
        return Err("a path of the class path contains a colon, which separates paths".to_owned());
    }
    let folder = |option: &str, path: &Path| [option.as_bytes(), path.as_os_str().as_bytes()].concat();
    let mut flags: Vec<Vec<u8>> = vec![
        [b"-Djava.class.path=".as_slice(), &class_path.join(b":".as_slice())].concat(),
        folder("-Djava.io.tmpdir=", &options.folder),
        folder("-Duser.home=", &options.folder),
        folder("-XX:ErrorFile=", &options.folder.join("crash.log")),
        format!("-Xmx{}m", options.heap_megabytes).into(),
    ];
    flags.extend(
        [
            "-XX:+IgnoreUnrecognizedVMOptions",
            // The second compiler pays off only after seconds in the same method, and workers are replaced
            // often.
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseG1GC",
            "-Xms32m",
            "-XX:MaxMetaspaceSize=128m",
            "-XX:CompressedClassSpaceSize=64m",
            "-XX:ReservedCodeCacheSize=64m",
            "-XX:MaxDirectMemorySize=64m",
            // Files outside the box, doors for debuggers, reactions to signals: all of no use in a worker.
            "-XX:-UsePerfData",
            "-XX:+DisableAttachMechanism",
            "-XX:-CreateCoredumpOnCrash",
            "-Xrs",
            // A crash report goes to a box that is about to vanish, and writing it takes longer than a new
            // worker.
            "-XX:+SuppressFatalErrorMessage",
            "-Djava.awt.headless=true",
        ]
        .map(|flag| flag.as_bytes().to_vec()),
    );
    flags.extend(options.flags.iter().map(|flag| flag.as_bytes().to_vec()));
    flags
        .into_iter()
        .map(|flag| CString::new(flag).map_err(|_| "a path or a flag contains a zero byte".to_owned()))
        .collect()
}

/// The codes of the JNI specification, chapter 5.
fn meaning(code: jint) -> &'static str {
    match code {
        -2 => "the thread is not attached",
        -3 => "the version is not supported",
        -4 => "not enough memory",
        -5 => "there is already a JVM",
        -6 => "an option is not recognized",
        _ => "no reason given",
    }
}

/// Rust gives its threads a small stack for signal handlers. HotSpot's handler, which finds a Java stack
/// overflow by a fault and may run much code, must not run there.
fn without_signal_stack() {
    let off = libc::stack_t { ss_sp: std::ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
    // SAFETY: taking the signal stack away from the current thread is always allowed outside a signal
    // handler. The memory stays mapped until Rust unmaps it at the thread's end.
    unsafe { libc::sigaltstack(&raw const off, std::ptr::null_mut()) };
}

/// A text in the encoding of the class file format (JVM specification, section 4.4.7), which JNI wants for
/// names: zero takes two bytes, and what lies beyond the first plane is a pair of surrogates of three bytes
/// each.
pub(crate) fn name(text: &str) -> CString {
    let mut bytes = Vec::with_capacity(text.len());
    for unit in text.encode_utf16() {
        match unit {
            1..0x80 => bytes.push(unit as u8),
            0 | 0x80..0x800 => bytes.extend([0xc0 | (unit >> 6) as u8, 0x80 | (unit & 0x3f) as u8]),
            _ => bytes.extend([
                0xe0 | (unit >> 12) as u8,
                0x80 | (unit >> 6 & 0x3f) as u8,
                0x80 | (unit & 0x3f) as u8,
            ]),
        }
    }
    CString::new(bytes).expect("zero is encoded as two bytes that are not zero")
}

/// Writes the first `most` UTF-16 units of a string, as [`text`] gives them.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn put_text(
    env: Env,
    string: jstring,
    most: usize,
    units: &mut Vec<u16>,
    bytes: &mut Vec<u8>,
) {
    // SAFETY: as for `text`.
    if unsafe { copy_units(env, string, most, units) } || units.iter().any(|unit| *unit >= 0x80) {
        // SAFETY: as for `text`.
        return bytes.text(&unsafe { text(env, string, most, units) });
    }
    // Most strings are plain, and then a unit is a byte.
    bytes.number(units.len() as u64);
    bytes.extend(units.iter().map(|unit| *unit as u8));
}

/// Copies the first `most` units of a string, and says whether there are more.
///
/// # Safety
/// As for [`text`].
unsafe fn copy_units(env: Env, string: jstring, most: usize, units: &mut Vec<u16>) -> bool {
    // SAFETY: the caller vouches for the reference; the region lies in the string and the buffer is as long.
    unsafe {
        let length = jni!(env, GetStringLength, string);
        let taken = length.min(jint::try_from(most).unwrap_or(jint::MAX));
        units.clear();
        units.resize(taken.max(0) as usize, 0);
        jni!(env, GetStringRegion, string, 0, taken, units.as_mut_ptr());
        taken < length
    }
}

/// The first `most` UTF-16 units of a string; an ellipsis stands for the rest.
///
/// # Safety
/// `string` is a live reference of the current thread to a `java.lang.String`, and no exception is pending.
pub(crate) unsafe fn text(env: Env, string: jstring, most: usize, units: &mut Vec<u16>) -> String {
    // SAFETY: the caller vouches for the reference.
    let more = unsafe { copy_units(env, string, most, units) };
    let mut text = String::from_utf16_lossy(units);
    if more {
        text.push('…');
    }
    text
}

/// Takes the pending exception away, if there is one. The result is null if there is none.
///
/// # Safety
/// The current thread is the one of `env`.
pub(crate) unsafe fn take_exception(env: Env) -> jobject {
    // SAFETY: both calls are allowed with an exception pending.
    unsafe {
        let thrown = jni!(env, ExceptionOccurred);
        if !thrown.is_null() {
            jni!(env, ExceptionClear);
        }
        thrown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_encoded_as_in_class_files() {
        assert_eq!(name("aé€").as_bytes(), b"a\xc3\xa9\xe2\x82\xac");
        assert_eq!(name("\0").as_bytes(), b"\xc0\x80");
        assert_eq!(name("😀").as_bytes(), b"\xed\xa0\xbd\xed\xb8\x80");
    }

    #[test]
    fn a_class_path_that_cannot_be_told_is_refused() {
        let options = |path: &str| MachineOptions {
            libjvm: "libjvm.so".into(),
            class_path: vec![path.into()],
            folder: "/box".into(),
            heap_megabytes: 64,
            flags: vec!["-Xlast".to_owned()],
        };
        assert!(flags(&options("a:b")).is_err());
        assert!(flags(&options("a\0b")).is_err());
        let told = flags(&options("a b")).unwrap();
        assert!(told.iter().any(|flag| flag.as_bytes() == b"-Djava.class.path=a b"));
        assert_eq!(told.last().unwrap().as_bytes(), b"-Xlast");
    }

    #[test]
    fn a_library_that_is_no_machine_is_an_error() {
        let options = MachineOptions {
            libjvm: "/dev/null".into(),
            class_path: Vec::new(),
            folder: "/box".into(),
            heap_megabytes: 64,
            flags: vec!["-Xlast".to_owned()],
        };
        assert!(create(&options).is_err());
    }
}
