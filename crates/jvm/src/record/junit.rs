//! Running tests through the JUnit of the user's class path, called from Rust.
//!
//! JUnit tells what happens to a listener. Ours is a class whose methods are native: its bytes are written
//! here, and the methods are functions of this file. JUnit 5's launcher is taken when it is there, since it
//! runs older tests as well; else JUnit 4, which runs those of JUnit 3.

use std::ffi::{CString, c_void};
use std::sync::{Mutex, OnceLock, PoisonError};

use adit_bytecode::emit::bodiless_class;
use jni_sys::{JNIEnv, JNINativeMethod, jclass, jint, jobject, jobjectArray, jvalue};

use crate::jni;
use crate::known::find_class;
use crate::record::stream::{RecordWriter, frame};
use crate::vm::{self, Env};
use crate::wire::Put;

/// Number of kept UTF-16 units of the message of a failed test.
const MESSAGE: usize = 2000;

const LAUNCHER: &str = "org/junit/platform/launcher/core/LauncherFactory";
const CORE: &str = "org/junit/runner/JUnitCore";
const LISTENER: &str = "adit/TestListener";

static WRITER: OnceLock<&'static RecordWriter> = OnceLock::new();

/// The failure of the JUnit 4 test that is running: the end of a test does not say how it ended.
static FAILURE: Mutex<Option<(u8, String)>> = Mutex::new(None);

/// Runs test classes, named with dots, and writes to the records how each test ended.
pub(crate) fn run(env: Env, classes: &[String], records: &'static RecordWriter) -> Result<(), String> {
    let _ = WRITER.set(records);
    let java = Java(env);
    if java.has(LAUNCHER) {
        java.run_platform(classes)
    } else if java.has(CORE) {
        java.run_core(classes)
    } else {
        Err("JUnit is not on the class path: neither JUnit 5 (junit-platform-launcher.jar, with an engine such as \
             junit-jupiter-engine.jar) nor JUnit 4 (junit4.jar, with hamcrest-core.jar)"
            .to_owned())
    }
}

/// An exception as text, whose reference is used up.
pub(crate) fn describe(env: Env, thrown: jobject) -> String {
    let java = Java(env);
    java.call(thrown, "toString", "()Ljava/lang/String;", &[])
        .ok()
        .and_then(|text| java.text(text, MESSAGE))
        .unwrap_or_else(|| "an exception without a description".to_owned())
}

/// An array of strings.
pub(crate) fn strings(env: Env, items: &[String]) -> Option<jobjectArray> {
    let java = Java(env);
    let class = find_class(env, "java/lang/String").ok()?;
    let list = java.array(class.get(), items.len())?;
    for (index, item) in items.iter().enumerate() {
        let text = java.string(item)?;
        // SAFETY: the array has so many places for strings.
        unsafe {
            jni!(env, SetObjectArrayElement, list, index as jint, text);
            jni!(env, DeleteLocalRef, text);
        }
    }
    Some(list)
}

/// The machine, for calls that happen a few times for each test: everything is looked up by name.
#[derive(Clone, Copy)]
struct Java(Env);

// SAFETY, for all of these: methods are looked up on the class of the object that they are called on, with
// the descriptor that says what they take and give; the callers below pass what these descriptors ask for,
// except where the user's class path holds something else under JUnit's names, whose methods have the same
// descriptors or are not found. Every exception is taken away. Local references live until the native method,
// or the task, ends.
impl Java {
    fn has(self, class: &str) -> bool {
        find_class(self.0, class).is_ok()
    }

    fn string(self, text: &str) -> Option<jobject> {
        let units: Vec<u16> = text.encode_utf16().collect();
        // SAFETY: the units live until the call returns.
        let string = unsafe { jni!(self.0, NewString, units.as_ptr(), units.len() as jint) };
        self.unless_thrown(string).ok().filter(|string| !string.is_null())
    }

    fn text(self, string: jobject, most: usize) -> Option<String> {
        if string.is_null() {
            return None;
        }
        // SAFETY: the callers pass what a method whose result is a string has given.
        Some(unsafe { vm::text(self.0, string, most, &mut Vec::new()) })
    }

    fn array(self, class: jclass, length: usize) -> Option<jobjectArray> {
        // SAFETY: the class is a global reference.
        let array = unsafe { jni!(self.0, NewObjectArray, length as jint, class, std::ptr::null_mut()) };
        self.unless_thrown(array).ok().filter(|array| !array.is_null())
    }

    /// Returns the value, or the pending exception, which is cleared, as an error.
    fn unless_thrown<T>(self, given: T) -> Result<T, jobject> {
        // SAFETY: this is the thread of the environment.
        let thrown = unsafe { vm::take_exception(self.0) };
        if thrown.is_null() { Ok(given) } else { Err(thrown) }
    }

    /// Calls a method that gives an object or nothing.
    fn call(
        self,
        object: jobject,
        name: &str,
        descriptor: &str,
        args: &[jvalue],
    ) -> Result<jobject, jobject> {
        let (name, signature) = (vm::name(name), vm::name(descriptor));
        // SAFETY: see above.
        unsafe {
            let class = jni!(self.0, GetObjectClass, object);
            let method = jni!(self.0, GetMethodID, class, name.as_ptr(), signature.as_ptr());
            jni!(self.0, DeleteLocalRef, class);
            self.unless_thrown(())?;
            if descriptor.ends_with(")V") {
                jni!(self.0, CallVoidMethodA, object, method, args.as_ptr());
                return self.unless_thrown(std::ptr::null_mut());
            }
            if descriptor.ends_with(")Z") {
                // A boolean is told by whether there is an object, any object.
                let yes = jni!(self.0, CallBooleanMethodA, object, method, args.as_ptr());
                return self.unless_thrown(if yes { object } else { std::ptr::null_mut() });
            }
            let given = jni!(self.0, CallObjectMethodA, object, method, args.as_ptr());
            self.unless_thrown(given)
        }
    }

    fn call_static(
        self,
        class: &str,
        name: &str,
        descriptor: &str,
        args: &[jvalue],
    ) -> Result<jobject, jobject> {
        let class = find_class(self.0, class)?;
        let class = class.get();
        let (name, signature) = (vm::name(name), vm::name(descriptor));
        // SAFETY: see above.
        unsafe {
            let method = jni!(self.0, GetStaticMethodID, class, name.as_ptr(), signature.as_ptr());
            self.unless_thrown(())?;
            let given = jni!(self.0, CallStaticObjectMethodA, class, method, args.as_ptr());
            self.unless_thrown(given)
        }
    }

    fn run_platform(self, classes: &[String]) -> Result<(), String> {
        const PLATFORM: &str = "org/junit/platform";
        let broken = |thrown| format!("JUnit 5 does not run: {}", describe(self.0, thrown));
        let start = || -> Result<(), jobject> {
            let selector = find_class(self.0, &format!("{PLATFORM}/engine/DiscoverySelector"))?;
            let selectors = self.array(selector.get(), classes.len()).ok_or(std::ptr::null_mut())?;
            for (index, class) in classes.iter().enumerate() {
                let name = self.string(class).ok_or(std::ptr::null_mut())?;
                let one = self.call_static(
                    &format!("{PLATFORM}/engine/discovery/DiscoverySelectors"),
                    "selectClass",
                    &format!("(Ljava/lang/String;)L{PLATFORM}/engine/discovery/ClassSelector;"),
                    &[jvalue { l: name }],
                )?;
                // SAFETY: the array has so many places for selectors.
                unsafe { jni!(self.0, SetObjectArrayElement, selectors, index as jint, one) };
                self.unless_thrown(())?;
                // SAFETY: both references were made in this loop.
                unsafe {
                    jni!(self.0, DeleteLocalRef, one);
                    jni!(self.0, DeleteLocalRef, name);
                }
            }
            let builder = format!("L{PLATFORM}/launcher/core/LauncherDiscoveryRequestBuilder;");
            let request =
                self.call_static(builder.trim_matches(['L', ';']), "request", &format!("(){builder}"), &[])?;
            let with_selectors = format!("([L{PLATFORM}/engine/DiscoverySelector;){builder}");
            let request = self.call(request, "selectors", &with_selectors, &[jvalue { l: selectors }])?;
            let request = self.call(
                request,
                "build",
                &format!("()L{PLATFORM}/launcher/LauncherDiscoveryRequest;"),
                &[],
            )?;
            let launcher =
                self.call_static(LAUNCHER, "create", &format!("()L{PLATFORM}/launcher/Launcher;"), &[])?;
            let interface = format!("{PLATFORM}/launcher/TestExecutionListener");
            let identifier = format!("L{PLATFORM}/launcher/TestIdentifier;");
            let listener = self.listener(
                "java/lang/Object",
                &[&interface],
                &[
                    ("executionStarted", &format!("({identifier})V"), platform_started as *const c_void),
                    (
                        "executionSkipped",
                        &format!("({identifier}Ljava/lang/String;)V"),
                        platform_skipped as *const c_void,
                    ),
                    (
                        "executionFinished",
                        &format!("({identifier}L{PLATFORM}/engine/TestExecutionResult;)V"),
                        platform_finished as *const c_void,
                    ),
                ],
            )?;
            let listener_class = find_class(self.0, &interface)?;
            let listeners = self.array(listener_class.get(), 1).ok_or(std::ptr::null_mut())?;
            // SAFETY: the array has one place for such a listener.
            unsafe { jni!(self.0, SetObjectArrayElement, listeners, 0, listener) };
            self.unless_thrown(())?;
            let execute = format!("(L{PLATFORM}/launcher/LauncherDiscoveryRequest;[L{interface};)V");
            self.call(launcher, "execute", &execute, &[jvalue { l: request }, jvalue { l: listeners }])?;
            Ok(())
        };
        start().map_err(broken)
    }

    fn run_core(self, classes: &[String]) -> Result<(), String> {
        let broken = |thrown| format!("JUnit 4 does not run: {}", describe(self.0, thrown));
        let class = find_class(self.0, "java/lang/Class").map_err(broken)?;
        let list = self.array(class.get(), classes.len()).ok_or("no memory for the list of tests")?;
        for (index, name) in classes.iter().enumerate() {
            // A class that cannot be loaded is no reason not to run the others.
            match find_class(self.0, &name.replace('.', "/")) {
                // SAFETY: the array has so many places for classes.
                Ok(test) => unsafe { jni!(self.0, SetObjectArrayElement, list, index as jint, test.get()) },
                Err(thrown) => return Err(format!("{name}: {}", describe(self.0, thrown))),
            }
        }
        let run = || -> Result<(), jobject> {
            let class = find_class(self.0, CORE)?;
            let core = class.get();
            // SAFETY: the constructor without parameters is looked up on the class.
            let core = unsafe {
                let constructor = jni!(self.0, GetMethodID, core, c"<init>".as_ptr(), c"()V".as_ptr());
                self.unless_thrown(())?;
                jni!(self.0, NewObjectA, core, constructor, std::ptr::null())
            };
            let core = self.unless_thrown(core)?;
            let description = "(Lorg/junit/runner/Description;)V";
            let failure = "(Lorg/junit/runner/notification/Failure;)V";
            let superclass = "org/junit/runner/notification/RunListener";
            let listener = self.listener(
                superclass,
                &[],
                &[
                    ("testStarted", description, core_started as *const c_void),
                    ("testFinished", description, core_finished as *const c_void),
                    ("testIgnored", description, core_ignored as *const c_void),
                    ("testFailure", failure, core_failed as *const c_void),
                    ("testAssumptionFailure", failure, core_assumed as *const c_void),
                ],
            )?;
            self.call(core, "addListener", &format!("(L{superclass};)V"), &[jvalue { l: listener }])?;
            self.call(core, "run", "([Ljava/lang/Class;)Lorg/junit/runner/Result;", &[jvalue { l: list }])?;
            Ok(())
        };
        run().map_err(broken)
    }

    /// An object of a new class whose methods are functions of ours.
    fn listener(
        self,
        superclass: &str,
        interfaces: &[&str],
        methods: &[(&str, &str, *const c_void)],
    ) -> Result<jobject, jobject> {
        let members: Vec<_> =
            methods.iter().map(|(name, descriptor, _)| (0x0101, *name, *descriptor)).collect();
        let bytes = bodiless_class(LISTENER, superclass, interfaces, &[], &members);
        let loader = self.call_static(
            "java/lang/ClassLoader",
            "getSystemClassLoader",
            "()Ljava/lang/ClassLoader;",
            &[],
        )?;
        let texts: Vec<(CString, CString)> =
            methods.iter().map(|(name, descriptor, _)| (vm::name(name), vm::name(descriptor))).collect();
        let natives: Vec<JNINativeMethod> = methods
            .iter()
            .zip(&texts)
            .map(|((_, _, function), (name, descriptor))| JNINativeMethod {
                name: name.as_ptr().cast_mut(),
                signature: descriptor.as_ptr().cast_mut(),
                fnPtr: function.cast_mut(),
            })
            .collect();
        let name = vm::name(LISTENER);
        // SAFETY: bytes and names live until the calls return; each function has the type that its descriptor
        // says. The object needs no constructor: it has no fields, and neither have the superclasses that are
        // given here.
        unsafe {
            let class =
                jni!(self.0, DefineClass, name.as_ptr(), loader, bytes.as_ptr().cast(), bytes.len() as jint);
            let class = self.unless_thrown(class)?;
            jni!(self.0, RegisterNatives, class, natives.as_ptr(), natives.len() as jint);
            self.unless_thrown(())?;
            let object = jni!(self.0, AllocObject, class);
            self.unless_thrown(object)
        }
    }

    /// Returns the name, and true for a test, false for a group of tests.
    fn identify(self, identifier: jobject) -> Option<(bool, String)> {
        let is_test = self.call(identifier, "isTest", "()Z", &[]).ok()?;
        let id = self.call(identifier, "getUniqueId", "()Ljava/lang/String;", &[]).ok()?;
        Some((!is_test.is_null(), readable(&self.text(id, usize::MAX)?)))
    }

    /// The name of a JUnit 4 test.
    fn display_name(self, description: jobject) -> Option<String> {
        let name = self.call(description, "getDisplayName", "()Ljava/lang/String;", &[]).ok()?;
        Some(turned(&self.text(name, usize::MAX)?))
    }
}

/// The name of a test from JUnit 5's id for it: `[engine:junit-jupiter]/[class:a.ATest]/[method:works()]`.
fn readable(id: &str) -> String {
    let mut name = String::new();
    for segment in id.trim_start_matches('[').trim_end_matches(']').split("]/[") {
        let (kind, value) = segment.split_once(':').unwrap_or(("", segment));
        match kind {
            "engine" => {}
            "class" | "runner" => name = value.to_owned(),
            "nested-class" => name = format!("{name}${value}"),
            "test-template-invocation" | "dynamic-test" | "dynamic-container" => {
                name = format!("{name}[{value}]")
            }
            // The vintage engine writes the class behind the method.
            "test" if value.ends_with(&format!("({name})")) => {
                name = format!("{name}.{}", &value[..value.len() - name.len() - 2]);
            }
            _ if name.is_empty() => name = value.to_owned(),
            _ => name = format!("{name}.{value}"),
        }
    }
    name
}

/// JUnit 4 writes `works(a.ATest)`.
fn turned(display: &str) -> String {
    match display.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) {
        Some((method, class)) => format!("{class}.{method}"),
        None => display.to_owned(),
    }
}

fn started(name: &str) {
    if let Some(records) = WRITER.get() {
        records.write(|bytes| {
            bytes.byte(frame::TEST_STARTED);
            bytes.text(name);
        });
    }
}

/// Tells the end of a test: passed, failed with a message, skipped.
fn ended(name: &str, outcome: u8, message: &str) {
    if let Some(records) = WRITER.get() {
        records.write(|bytes| {
            bytes.byte(frame::TEST_ENDED);
            bytes.text(name);
            bytes.byte(outcome);
            if outcome == 1 {
                bytes.text(message);
            }
        });
    }
}

const PASSED: u8 = 0;
const FAILED: u8 = 1;
const SKIPPED: u8 = 2;

/// Runs a method of the listener. A panic ends the method and nothing else.
fn guarded(act: impl FnOnce() -> Option<()>) {
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(act));
}

unsafe extern "system" fn platform_started(env: *mut JNIEnv, _this: jobject, identifier: jobject) {
    guarded(|| {
        let (is_test, name) = Java(Env::of(env)).identify(identifier)?;
        if is_test {
            started(&name);
        }
        Some(())
    });
}

unsafe extern "system" fn platform_skipped(
    env: *mut JNIEnv,
    _this: jobject,
    identifier: jobject,
    _why: jobject,
) {
    guarded(|| {
        let (_, name) = Java(Env::of(env)).identify(identifier)?;
        ended(&name, SKIPPED, "");
        Some(())
    });
}

unsafe extern "system" fn platform_finished(
    env: *mut JNIEnv,
    _this: jobject,
    identifier: jobject,
    result: jobject,
) {
    guarded(|| {
        let env = Env::of(env);
        let java = Java(env);
        let (is_test, name) = java.identify(identifier)?;
        let status = "()Lorg/junit/platform/engine/TestExecutionResult$Status;";
        let status = java.call(result, "getStatus", status, &[]).ok()?;
        let status = java.call(status, "name", "()Ljava/lang/String;", &[]).ok()?;
        let outcome = match java.text(status, MESSAGE)?.as_str() {
            "SUCCESSFUL" => PASSED,
            "ABORTED" => SKIPPED,
            _ => FAILED,
        };
        // A group fails when what was to be done before all its tests failed.
        if !is_test && outcome != FAILED {
            return Some(());
        }
        let why = java.call(result, "getThrowable", "()Ljava/util/Optional;", &[]).ok()?;
        let null = [jvalue { l: std::ptr::null_mut() }];
        let why = java.call(why, "orElse", "(Ljava/lang/Object;)Ljava/lang/Object;", &null).ok()?;
        let message = if why.is_null() { String::new() } else { describe(env, why) };
        ended(&name, outcome, &message);
        Some(())
    });
}

unsafe extern "system" fn core_started(env: *mut JNIEnv, _this: jobject, description: jobject) {
    guarded(|| {
        *FAILURE.lock().unwrap_or_else(PoisonError::into_inner) = None;
        started(&Java(Env::of(env)).display_name(description)?);
        Some(())
    });
}

unsafe extern "system" fn core_finished(env: *mut JNIEnv, _this: jobject, description: jobject) {
    guarded(|| {
        let failure = FAILURE.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (outcome, message) = failure.unwrap_or((PASSED, String::new()));
        ended(&Java(Env::of(env)).display_name(description)?, outcome, &message);
        Some(())
    });
}

unsafe extern "system" fn core_ignored(env: *mut JNIEnv, _this: jobject, description: jobject) {
    guarded(|| {
        ended(&Java(Env::of(env)).display_name(description)?, SKIPPED, "");
        Some(())
    });
}

unsafe extern "system" fn core_failed(env: *mut JNIEnv, _this: jobject, failure: jobject) {
    guarded(|| core_failure(Env::of(env), failure, FAILED));
}

unsafe extern "system" fn core_assumed(env: *mut JNIEnv, _this: jobject, failure: jobject) {
    guarded(|| core_failure(Env::of(env), failure, SKIPPED));
}

fn core_failure(env: Env, failure: jobject, outcome: u8) -> Option<()> {
    let java = Java(env);
    let thrown = java.call(failure, "getException", "()Ljava/lang/Throwable;", &[]).ok()?;
    let message = if thrown.is_null() { String::new() } else { describe(env, thrown) };
    let description = java.call(failure, "getDescription", "()Lorg/junit/runner/Description;", &[]).ok()?;
    if java.call(description, "isTest", "()Z", &[]).ok()?.is_null() {
        // What belongs to the class fails outside of any test, which then has no end of its own.
        ended(&java.display_name(description)?, outcome, &message);
    } else {
        *FAILURE.lock().unwrap_or_else(PoisonError::into_inner) = Some((outcome, message));
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_become_names() {
        for (id, name) in [
            ("[engine:junit-jupiter]/[class:a.ATest]/[method:works()]", "a.ATest.works()"),
            ("[engine:junit-jupiter]/[class:a.ATest]/[nested-class:In]/[method:m()]", "a.ATest$In.m()"),
            (
                "[engine:junit-jupiter]/[class:A]/[test-template:m(int)]/[test-template-invocation:#2]",
                "A.m(int)[#2]",
            ),
            ("[engine:junit-vintage]/[runner:a.BTest]/[test:works(a.BTest)]", "a.BTest.works"),
            ("", ""),
            ("[", ""),
        ] {
            assert_eq!(readable(id), name, "{id}");
        }
        assert_eq!(turned("works(a.ATest)"), "a.ATest.works");
        assert_eq!(turned("works"), "works");
    }
}
