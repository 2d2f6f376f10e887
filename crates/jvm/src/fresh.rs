//! A loader for each script, so that the static state of the subject's classes begins anew.
//!
//! Its parent is the platform's loader, which knows nothing of the class path; so every class of the class
//! path is loaded, and initialized, by the script's own loader. The JDK's classes stay as they are.

use std::path::PathBuf;

use jni_sys::{jmethodID, jobject, jvalue};

use crate::jni;
use crate::known::{Known, find_class};
use crate::vm::{self, Env, Global};

/// After so many loaders the worker asks to be replaced. The collector takes their classes away, but a
/// subject may keep them alive, and the space for classes is small.
const MOST: u64 = 2000;

/// Makes loaders.
pub(crate) struct Fresh {
    class: Global,
    constructor: jmethodID,
    close: jmethodID,
    /// The class path.
    urls: Global,
    parent: Global,
    /// The current thread, whose context is the script's loader while the script runs.
    thread: Global,
    set_context: jmethodID,
    application: Global,
    begun: u64,
}

impl Fresh {
    /// Prepares loaders of this class path; nothing if the machine is not as it should be, or a path is no
    /// text.
    pub(crate) fn new(env: Env, known: &Known, class_path: &[PathBuf]) -> Option<Self> {
        // SAFETY: the frame is popped below; what leaves it is global.
        unsafe {
            if jni!(env, PushLocalFrame, 32) != 0 {
                jni!(env, ExceptionClear);
                return None;
            }
            let made = Self::new_in_frame(env, known, class_path);
            jni!(env, ExceptionClear);
            jni!(env, PopLocalFrame, std::ptr::null_mut());
            made
        }
    }

    /// # Safety
    /// No exception is pending, and the caller has pushed a frame.
    unsafe fn new_in_frame(env: Env, known: &Known, class_path: &[PathBuf]) -> Option<Self> {
        let method = |class: &Global, name: &str, descriptor: &str| {
            let (name, descriptor) = (vm::name(name), vm::name(descriptor));
            // SAFETY: the class is a live reference, and the names live until the call returns.
            let method = unsafe { jni!(env, GetMethodID, class.get(), name.as_ptr(), descriptor.as_ptr()) };
            (!method.is_null()).then_some(method)
        };
        let (file, url) = (find_class(env, "java/io/File").ok()?, find_class(env, "java/net/URL").ok()?);
        let uri = find_class(env, "java/net/URI").ok()?;
        let threads = find_class(env, "java/lang/Thread").ok()?;
        let class = find_class(env, "java/net/URLClassLoader").ok()?;
        let new_file = method(&file, "<init>", "(Ljava/lang/String;)V")?;
        let to_uri = method(&file, "toURI", "()Ljava/net/URI;")?;
        let to_url = method(&uri, "toURL", "()Ljava/net/URL;")?;
        let length = i32::try_from(class_path.len()).ok()?;
        // SAFETY: each method is called on an object of the class in which it was found, with what its
        // descriptor says; null, which an exception leaves behind, ends it.
        unsafe {
            let urls = jni!(env, NewObjectArray, length, url.get(), std::ptr::null_mut());
            if urls.is_null() {
                return None;
            }
            for (index, path) in (0..length).zip(class_path) {
                let units: Vec<u16> = path.to_str()?.encode_utf16().collect();
                let text = jni!(env, NewString, units.as_ptr(), i32::try_from(units.len()).ok()?);
                if text.is_null() {
                    return None;
                }
                let argument = jvalue { l: text };
                let file = jni!(env, NewObjectA, file.get(), new_file, &raw const argument);
                if file.is_null() || jni!(env, ExceptionCheck) {
                    return None;
                }
                let uri = jni!(env, CallObjectMethodA, file, to_uri, std::ptr::null());
                if uri.is_null() || jni!(env, ExceptionCheck) {
                    return None;
                }
                let url = jni!(env, CallObjectMethodA, uri, to_url, std::ptr::null());
                if url.is_null() || jni!(env, ExceptionCheck) {
                    return None;
                }
                jni!(env, SetObjectArrayElement, urls, index, url);
                [text, file, uri, url].into_iter().for_each(|used| jni!(env, DeleteLocalRef, used));
            }
            let descriptor = c"()Ljava/lang/Thread;".as_ptr();
            let current = jni!(env, GetStaticMethodID, threads.get(), c"currentThread".as_ptr(), descriptor);
            if current.is_null() {
                return None;
            }
            let thread = jni!(env, CallStaticObjectMethodA, threads.get(), current, std::ptr::null());
            if jni!(env, ExceptionCheck) {
                return None;
            }
            Some(Self {
                constructor: method(&class, "<init>", "([Ljava/net/URL;Ljava/lang/ClassLoader;)V")?,
                close: method(&class, "close", "()V")?,
                urls: Global::of_local(env, urls)?,
                parent: Global::again(&known.platform_loader)?,
                thread: Global::of_local(env, thread)?,
                set_context: method(&threads, "setContextClassLoader", "(Ljava/lang/ClassLoader;)V")?,
                application: Global::again(&known.application_loader)?,
                class,
                begun: 0,
            })
        }
    }

    /// A loader for the next script, a local reference.
    pub(crate) fn begin(&mut self, env: Env) -> Result<jobject, ()> {
        self.begun += 1;
        let arguments = [jvalue { l: self.urls.get() }, jvalue { l: self.parent.get() }];
        // SAFETY: the arguments are those of the constructor; what it throws is taken away.
        let loader = unsafe {
            let loader = jni!(env, NewObjectA, self.class.get(), self.constructor, arguments.as_ptr());
            let thrown = vm::take_exception(env);
            if !thrown.is_null() || loader.is_null() {
                return Err(());
            }
            loader
        };
        self.set_context(env, loader);
        Ok(loader)
    }

    /// Closes the files of a loader.
    pub(crate) fn end(&mut self, env: Env, loader: jobject) {
        self.set_context(env, self.application.get());
        // SAFETY: the loader is of the class in which the method was found; what it throws is taken away.
        unsafe {
            jni!(env, CallVoidMethodA, loader, self.close, std::ptr::null());
            let thrown = vm::take_exception(env);
            jni!(env, DeleteLocalRef, thrown);
        }
    }

    /// Returns true if so many loaders were created that the worker should be replaced.
    pub(crate) fn is_worn(&self) -> bool {
        self.begun >= MOST
    }

    fn set_context(&self, env: Env, loader: jobject) {
        let argument = jvalue { l: loader };
        // SAFETY: the method was found in the class of the thread, and takes a loader.
        unsafe {
            jni!(env, CallVoidMethodA, self.thread.get(), self.set_context, &raw const argument);
            let thrown = vm::take_exception(env);
            jni!(env, DeleteLocalRef, thrown);
        }
    }
}
