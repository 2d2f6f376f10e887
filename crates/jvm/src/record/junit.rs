//! Running tests through the JUnit of the user's class path, called from Rust.
//!
//! JUnit tells what happens to a listener. Ours is a class whose methods are native: its bytes are written
//! here, and the methods are functions of this file. JUnit 5's launcher is taken when it is there, since it
//! runs older tests as well; else JUnit 4, which runs those of JUnit 3.

use std::ffi::{CString, c_void};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use adit_bytecode::emit::bodiless_class;
use jni_sys::{JNIEnv, JNINativeMethod, jclass, jint, jobject, jobjectArray, jvalue};

use crate::jni;
use crate::known::find_class;
use crate::record::recorder::interventions;
use crate::record::stream::{RecordWriter, frame};
use crate::record::test_names::{readable, turned};
use crate::vm::{self, Env, Global};
use crate::wire::Put;

/// Number of kept UTF-16 units of the message of a failed test.
const MESSAGE: usize = 2000;

/// Number of kept frames of the exception of a failed test.
const FRAMES: jint = 12;

const LAUNCHER: &str = "org/junit/platform/launcher/core/LauncherFactory";
const CORE: &str = "org/junit/runner/JUnitCore";
const LISTENER: &str = "adit/TestListener";

static WRITER: OnceLock<&'static RecordWriter> = OnceLock::new();

/// The failure of the JUnit 4 test that is running: the end of a test does not say how it ended.
static FAILURE: Mutex<Option<(u8, Failure)>> = Mutex::new(None);

/// Runs test classes, named with dots, and writes to the records how each test ended.
pub(crate) fn run(env: Env, classes: &[String], records: &'static RecordWriter) -> Result<(), String> {
    run_chosen(env, std::ptr::null_mut(), &Chosen::new(&[], classes), records)
}

/// Runs tests with the JUnit that a loader knows, or the application's if it is null. Test classes come from
/// the context of the current thread.
fn run_chosen(
    env: Env,
    junit: jobject,
    chosen: &[Chosen],
    records: &'static RecordWriter,
) -> Result<(), String> {
    let _ = WRITER.set(records);
    let java = Java(env, junit);
    if java.has(LAUNCHER) {
        java.run_platform(chosen)
    } else if java.has(CORE) {
        java.run_core(chosen)
    } else {
        Err("JUnit is not on the class path: neither JUnit 5 (junit-platform-launcher.jar, with an engine such as \
             junit-jupiter-engine.jar) nor JUnit 4 (junit4.jar, with hamcrest-core.jar)"
            .to_owned())
    }
}

/// A test class, or one test of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Chosen {
    class: String,
    /// The method as JUnit 4 names it, and its parameter types as JUnit 5 writes them.
    method: Option<(String, String)>,
}

impl Chosen {
    /// The tests with these names, or all of these classes if there are no names.
    fn new(tests: &[String], classes: &[String]) -> Vec<Chosen> {
        if tests.is_empty() {
            return classes.iter().map(|class| Chosen { class: class.clone(), method: None }).collect();
        }
        let mut all: Vec<Chosen> = Vec::new();
        for test in tests {
            let chosen = Chosen::parse(test, classes);
            if !all.contains(&chosen) {
                all.push(chosen);
            }
        }
        all
    }

    fn parse(test: &str, classes: &[String]) -> Chosen {
        let whole = |class: &str| Chosen { class: class.to_owned(), method: None };
        // A repetition is chosen with all others of its test.
        let plain = test.split_once('[').map_or(test, |(before, _)| before);
        let (head, parameters) = plain.split_once('(').unwrap_or((plain, ""));
        if classes.iter().any(|class| class == head) {
            return whole(head);
        }
        match head.rsplit_once('.') {
            Some((class, method)) => {
                let parameters = parameters.trim_end_matches(')').to_owned();
                Chosen { class: class.to_owned(), method: Some((method.to_owned(), parameters)) }
            }
            None => whole(head),
        }
    }
}

/// Loads JUnit once, and the project's classes anew for each run.
pub(crate) struct FreshTests {
    junit: Global,
    entries: Vec<PathBuf>,
}

impl FreshTests {
    pub(crate) fn new(env: Env, kept: &[PathBuf], entries: &[PathBuf]) -> Result<Self, String> {
        let java = Java(env, std::ptr::null_mut());
        let broken = |thrown| format!("cannot load JUnit: {}", describe(env, thrown));
        let platform = java
            .call_static("java/lang/ClassLoader", "getPlatformClassLoader", "()Ljava/lang/ClassLoader;", &[])
            .map_err(broken)?;
        let junit = java.loader(kept, platform).map_err(broken)?;
        // SAFETY: a local reference that is not used afterwards.
        let junit = unsafe { Global::of_local(env, junit) }.ok_or("no memory for a loader")?;
        Ok(Self { junit, entries: entries.to_vec() })
    }

    /// A new loader of the project's classes, which becomes the context of the current thread.
    pub(crate) fn loader(&self, env: Env) -> Result<Global, String> {
        let java = Java(env, std::ptr::null_mut());
        let broken = |thrown| format!("cannot make a class loader: {}", describe(env, thrown));
        let loader = java.loader(&self.entries, self.junit.get()).map_err(broken)?;
        let thread = java
            .call_static("java/lang/Thread", "currentThread", "()Ljava/lang/Thread;", &[])
            .map_err(broken)?;
        let context = [jvalue { l: loader }];
        java.call(thread, "setContextClassLoader", "(Ljava/lang/ClassLoader;)V", &context).map_err(broken)?;
        // SAFETY: both are local references that are not used afterwards.
        unsafe {
            jni!(env, DeleteLocalRef, thread);
            Global::of_local(env, loader).ok_or_else(|| "no memory for a loader".to_owned())
        }
    }

    /// Closes the files of a loader that is no longer needed.
    pub(crate) fn close(&self, env: Env, loader: &Global) {
        if let Err(thrown) = Java(env, std::ptr::null_mut()).call(loader.get(), "close", "()V", &[]) {
            // SAFETY: a local reference that is not used afterwards.
            unsafe { jni!(env, DeleteLocalRef, thrown) };
        }
    }
}

/// Runs some tests, by names as results have them, or all of some classes.
pub(crate) fn run_some(
    env: Env,
    fresh: Option<&FreshTests>,
    tests: &[String],
    classes: &[String],
    records: &'static RecordWriter,
) -> Result<(), String> {
    let junit = fresh.map_or(std::ptr::null_mut(), |fresh| fresh.junit.get());
    run_chosen(env, junit, &Chosen::new(tests, classes), records)
}

/// An exception as text, whose reference is used up.
pub(crate) fn describe(env: Env, thrown: jobject) -> String {
    let java = Java(env, std::ptr::null_mut());
    java.call(thrown, "toString", "()Ljava/lang/String;", &[])
        .ok()
        .and_then(|text| java.text(text, MESSAGE))
        .unwrap_or_else(|| "an exception without a description".to_owned())
}

/// Causes that are named.
const CAUSES: usize = 5;

/// The same, with the exceptions that caused it: JUnit wraps the class that is missing several times.
fn describe_with_causes(env: Env, thrown: jobject) -> String {
    let java = Java(env, std::ptr::null_mut());
    let mut text = describe(env, thrown);
    let mut now = thrown;
    for _ in 0..CAUSES {
        match java.call(now, "getCause", "()Ljava/lang/Throwable;", &[]) {
            Ok(cause) if !cause.is_null() => now = cause,
            _ => break,
        }
        let cause = describe(env, now);
        if !text.ends_with(&cause) {
            text = format!("{text}, because of {cause}");
        }
    }
    text
}

/// An array of strings.
pub(crate) fn strings(env: Env, items: &[String]) -> Option<jobjectArray> {
    let java = Java(env, std::ptr::null_mut());
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

/// The machine, for calls that happen a few times for each test: everything is looked up by name. Classes are
/// looked up by the loader, or by the application's if it is null.
#[derive(Clone, Copy)]
struct Java(Env, jobject);

// SAFETY, for all of these: methods are looked up on the class of the object that they are called on, with
// the descriptor that says what they take and give; the callers below pass what these descriptors ask for,
// except where the user's class path holds something else under JUnit's names, whose methods have the same
// descriptors or are not found. Every exception is taken away. Local references live until the native method,
// or the task, ends.
impl Java {
    fn has(self, class: &str) -> bool {
        self.class(class).is_ok()
    }

    /// A class by its name with slashes.
    fn class(self, name: &str) -> Result<Global, jobject> {
        if self.1.is_null() { find_class(self.0, name) } else { self.class_of(name, self.1) }
    }

    /// A class of a loader. It is initialized.
    fn class_of(self, name: &str, loader: jobject) -> Result<Global, jobject> {
        let text = self.string(&name.replace('/', ".")).ok_or(std::ptr::null_mut())?;
        let descriptor = "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;";
        let arguments = [jvalue { l: text }, jvalue { z: true }, jvalue { l: loader }];
        let java = Java(self.0, std::ptr::null_mut());
        let class = java.call_static("java/lang/Class", "forName", descriptor, &arguments)?;
        // SAFETY: local references that are not used afterwards.
        unsafe {
            jni!(self.0, DeleteLocalRef, text);
            Global::of_local(self.0, class).ok_or(std::ptr::null_mut())
        }
    }

    /// A loader of class path entries.
    fn loader(self, entries: &[PathBuf], parent: jobject) -> Result<jobject, jobject> {
        let none = std::ptr::null_mut;
        let url = self.class("java/net/URL")?;
        let urls = self.array(url.get(), entries.len()).ok_or(none())?;
        for (index, entry) in entries.iter().enumerate() {
            let text = self.string(entry.to_str().ok_or(none())?).ok_or(none())?;
            let file = self.new_object("java/io/File", "(Ljava/lang/String;)V", &[jvalue { l: text }])?;
            let uri = self.call(file, "toURI", "()Ljava/net/URI;", &[])?;
            let url = self.call(uri, "toURL", "()Ljava/net/URL;", &[])?;
            // SAFETY: the array has so many places for these; the references were made in this loop.
            unsafe {
                jni!(self.0, SetObjectArrayElement, urls, index as jint, url);
                [text, file, uri, url].into_iter().for_each(|used| jni!(self.0, DeleteLocalRef, used));
            }
        }
        let arguments = [jvalue { l: urls }, jvalue { l: parent }];
        let descriptor = "([Ljava/net/URL;Ljava/lang/ClassLoader;)V";
        let loader = self.new_object("java/net/URLClassLoader", descriptor, &arguments)?;
        // SAFETY: a local reference that is not used afterwards.
        unsafe { jni!(self.0, DeleteLocalRef, urls) };
        Ok(loader)
    }

    fn new_object(self, class: &str, descriptor: &str, args: &[jvalue]) -> Result<jobject, jobject> {
        let class = self.class(class)?;
        let descriptor = vm::name(descriptor);
        // SAFETY: see above.
        unsafe {
            let constructor = jni!(self.0, GetMethodID, class.get(), c"<init>".as_ptr(), descriptor.as_ptr());
            self.unless_thrown(())?;
            let made = jni!(self.0, NewObjectA, class.get(), constructor, args.as_ptr());
            self.unless_thrown(made)
        }
    }

    /// The context of the current thread, a local reference.
    fn context(self) -> Result<jobject, jobject> {
        let java = Java(self.0, std::ptr::null_mut());
        let thread = java.call_static("java/lang/Thread", "currentThread", "()Ljava/lang/Thread;", &[])?;
        java.call(thread, "getContextClassLoader", "()Ljava/lang/ClassLoader;", &[])
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
        let class = self.class(class)?;
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

    fn run_platform(self, chosen: &[Chosen]) -> Result<(), String> {
        const PLATFORM: &str = "org/junit/platform";
        let broken = |thrown| format!("JUnit 5 does not run: {}", describe_with_causes(self.0, thrown));
        let start = || -> Result<(), jobject> {
            let selector = self.class(&format!("{PLATFORM}/engine/DiscoverySelector"))?;
            let selectors = self.array(selector.get(), chosen.len()).ok_or(std::ptr::null_mut())?;
            for (index, chosen) in chosen.iter().enumerate() {
                let (select, kind, name) = match &chosen.method {
                    None => ("selectClass", "ClassSelector", chosen.class.clone()),
                    Some((method, parameters)) => {
                        let name = format!("{}#{method}({parameters})", chosen.class);
                        ("selectMethod", "MethodSelector", name)
                    }
                };
                let name = self.string(&name).ok_or(std::ptr::null_mut())?;
                let one = self.call_static(
                    &format!("{PLATFORM}/engine/discovery/DiscoverySelectors"),
                    select,
                    &format!("(Ljava/lang/String;)L{PLATFORM}/engine/discovery/{kind};"),
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
            let listener_class = self.class(&interface)?;
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

    fn run_core(self, chosen: &[Chosen]) -> Result<(), String> {
        const REQUEST: &str = "org/junit/runner/Request";
        let broken = |thrown| format!("JUnit 4 does not run: {}", describe(self.0, thrown));
        let class = find_class(self.0, "java/lang/Class").map_err(broken)?;
        let whole: Vec<&Chosen> = chosen.iter().filter(|chosen| chosen.method.is_none()).collect();
        let list = self.array(class.get(), whole.len()).ok_or("no memory for the list of tests")?;
        let context = self.context().map_err(broken)?;
        let find = |name: &str| {
            let found = if self.1.is_null() {
                find_class(self.0, &name.replace('.', "/"))
            } else {
                self.class_of(name, context)
            };
            found.map_err(|thrown| format!("{name}: {}", describe(self.0, thrown)))
        };
        for (index, chosen) in whole.iter().enumerate() {
            let test = find(&chosen.class)?;
            // SAFETY: the array has so many places for classes.
            unsafe { jni!(self.0, SetObjectArrayElement, list, index as jint, test.get()) };
        }
        let mut single = Vec::new();
        for (chosen, method) in chosen.iter().filter_map(|chosen| Some((chosen, chosen.method.as_ref()?))) {
            single.push((find(&chosen.class)?, method.0.clone()));
        }
        let run = || -> Result<(), jobject> {
            let core = self.new_object(CORE, "()V", &[])?;
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
            if !whole.is_empty() {
                let all = [jvalue { l: list }];
                self.call(core, "run", "([Ljava/lang/Class;)Lorg/junit/runner/Result;", &all)?;
            }
            for (class, method) in &single {
                let name = self.string(method).ok_or(std::ptr::null_mut())?;
                let request = self.call_static(
                    REQUEST,
                    "method",
                    &format!("(Ljava/lang/Class;Ljava/lang/String;)L{REQUEST};"),
                    &[jvalue { l: class.get() }, jvalue { l: name }],
                )?;
                let request = [jvalue { l: request }];
                self.call(core, "run", &format!("(L{REQUEST};)Lorg/junit/runner/Result;"), &request)?;
            }
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
        let loader = if self.1.is_null() {
            let descriptor = "()Ljava/lang/ClassLoader;";
            self.call_static("java/lang/ClassLoader", "getSystemClassLoader", descriptor, &[])?
        } else {
            self.1
        };
        // There is one already when tests are run again.
        if let Ok(class) = self.class_of(LISTENER, loader) {
            // SAFETY: as below.
            let object = unsafe { jni!(self.0, AllocObject, class.get()) };
            return self.unless_thrown(object);
        }
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

fn started(env: Env, name: &str) {
    interventions::test_started(env, name);
    if let Some(records) = WRITER.get() {
        records.write(|bytes| {
            bytes.byte(frame::TEST_STARTED);
            bytes.text(name);
        });
    }
}

/// A failure of a test.
#[derive(Clone, Debug, Default)]
struct Failure {
    message: String,
    class: String,
    frames: Vec<String>,
}

impl Failure {
    /// Describes an exception, whose reference may be null.
    fn of(env: Env, thrown: jobject) -> Self {
        if thrown.is_null() {
            return Self::default();
        }
        // SAFETY: the frame is popped below, and no reference that is made in it is used afterwards.
        unsafe {
            if jni!(env, PushLocalFrame, 16 + 2 * FRAMES) != 0 {
                jni!(env, ExceptionClear);
                return Self::default();
            }
            let failure = Self::of_in_frame(env, thrown);
            jni!(env, PopLocalFrame, std::ptr::null_mut());
            failure
        }
    }

    fn of_in_frame(env: Env, thrown: jobject) -> Self {
        let java = Java(env, std::ptr::null_mut());
        let class = java.call(thrown, "getClass", "()Ljava/lang/Class;", &[]);
        let name = class.and_then(|class| java.call(class, "getName", "()Ljava/lang/String;", &[]));
        let class = name.ok().and_then(|name| java.text(name, MESSAGE)).unwrap_or_default();
        let frames = java.call(thrown, "getStackTrace", "()[Ljava/lang/StackTraceElement;", &[]);
        let mut top = Vec::new();
        if let Ok(frames) = frames
            && !frames.is_null()
        {
            // SAFETY: the array is live, and the index is below its length.
            let length = unsafe { jni!(env, GetArrayLength, frames) };
            for index in 0..length.min(FRAMES) {
                // SAFETY: as above.
                let frame = unsafe { jni!(env, GetObjectArrayElement, frames, index) };
                let text = java.call(frame, "toString", "()Ljava/lang/String;", &[]);
                top.extend(text.ok().and_then(|text| java.text(text, MESSAGE)));
            }
        }
        Self { message: describe(env, thrown), class, frames: top }
    }
}

/// The place in the code that made an exception, `a.Box.open(Box.java:7)`; nothing if it does not say.
pub(super) fn thrown_at(env: Env, thrown: jobject) -> Option<String> {
    // SAFETY: the frame is popped below, and no reference that is made in it is used afterwards. The array is
    // live, and the index is below its length.
    unsafe {
        if jni!(env, PushLocalFrame, 16) != 0 {
            jni!(env, ExceptionClear);
            return None;
        }
        let java = Java(env, std::ptr::null_mut());
        let frames = java.call(thrown, "getStackTrace", "()[Ljava/lang/StackTraceElement;", &[]);
        let frames = frames.ok().filter(|frames| !frames.is_null() && jni!(env, GetArrayLength, *frames) > 0);
        let text = frames.and_then(|frames| {
            let frame = jni!(env, GetObjectArrayElement, frames, 0);
            let text = java.call(frame, "toString", "()Ljava/lang/String;", &[]);
            text.ok().and_then(|text| java.text(text, MESSAGE))
        });
        jni!(env, PopLocalFrame, std::ptr::null_mut());
        text
    }
}

/// Tells the end of a test: passed, failed, skipped.
fn ended(env: Env, name: &str, outcome: u8, failure: &Failure) {
    interventions::test_ended(env);
    if let Some(records) = WRITER.get() {
        records.write(|bytes| {
            bytes.byte(frame::TEST_ENDED);
            bytes.text(name);
            bytes.byte(outcome);
            if outcome == FAILED {
                bytes.text(&failure.message);
                bytes.text(&failure.class);
                bytes.texts(&failure.frames);
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
        let env = Env::of(env);
        let (is_test, name) = Java(env, std::ptr::null_mut()).identify(identifier)?;
        if is_test {
            started(env, &name);
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
        let env = Env::of(env);
        let (_, name) = Java(env, std::ptr::null_mut()).identify(identifier)?;
        ended(env, &name, SKIPPED, &Failure::default());
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
        let java = Java(env, std::ptr::null_mut());
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
        ended(env, &name, outcome, &Failure::of(env, why));
        Some(())
    });
}

unsafe extern "system" fn core_started(env: *mut JNIEnv, _this: jobject, description: jobject) {
    guarded(|| {
        *FAILURE.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let env = Env::of(env);
        started(env, &Java(env, std::ptr::null_mut()).display_name(description)?);
        Some(())
    });
}

unsafe extern "system" fn core_finished(env: *mut JNIEnv, _this: jobject, description: jobject) {
    guarded(|| {
        let failure = FAILURE.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (outcome, failure) = failure.unwrap_or((PASSED, Failure::default()));
        let env = Env::of(env);
        let name = Java(env, std::ptr::null_mut()).display_name(description)?;
        ended(env, &name, outcome, &failure);
        Some(())
    });
}

unsafe extern "system" fn core_ignored(env: *mut JNIEnv, _this: jobject, description: jobject) {
    guarded(|| {
        let env = Env::of(env);
        let name = Java(env, std::ptr::null_mut()).display_name(description)?;
        ended(env, &name, SKIPPED, &Failure::default());
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
    let java = Java(env, std::ptr::null_mut());
    let thrown = java.call(failure, "getException", "()Ljava/lang/Throwable;", &[]).ok()?;
    let why = Failure::of(env, thrown);
    let description = java.call(failure, "getDescription", "()Lorg/junit/runner/Description;", &[]).ok()?;
    if java.call(description, "isTest", "()Z", &[]).ok()?.is_null() {
        // What belongs to the class fails outside of any test, which then has no end of its own.
        ended(env, &java.display_name(description)?, outcome, &why);
    } else {
        *FAILURE.lock().unwrap_or_else(PoisonError::into_inner) = Some((outcome, why));
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_tests() {
        let classes = ["a.ATest".to_owned(), "a.BTest".to_owned()];
        let shown = |test: &str| {
            let chosen = Chosen::parse(test, &classes);
            match chosen.method {
                Some((method, parameters)) => format!("{}#{method}({parameters})", chosen.class),
                None => chosen.class,
            }
        };
        assert_eq!(shown("a.ATest.works()"), "a.ATest#works()");
        assert_eq!(shown("a.ATest$In.m(int, java.lang.String)"), "a.ATest$In#m(int, java.lang.String)");
        assert_eq!(shown("a.ATest.m(int)[#2]"), "a.ATest#m(int)");
        assert_eq!(shown("a.BTest.works[0]"), "a.BTest#works()");
        assert_eq!(shown("a.BTest"), "a.BTest");
        let all = Chosen::new(&["a.ATest.m[0]".to_owned(), "a.ATest.m[1]".to_owned()], &classes);
        assert_eq!(all.len(), 1);
        assert_eq!(Chosen::new(&[], &classes).len(), 2);
    }
}
