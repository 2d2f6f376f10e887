//! Branch coverage of a script: probes in the class under test set bytes of an array.
//!
//! The array belongs to a class that is defined in the boot loader, in a package of `java.base`, so that
//! every class sees it. A class that is loaded later is changed on its way in; one that is there already, as
//! most of `java.util` is, gets new bodies for its methods, which the machine allows as long as nothing else
//! about the class changes.
//!
//! Cost: a probe is a store into an array; a script takes two copies of the array more. `docs/perf/jvm.md`
//! has figures.

use adit_bytecode::probe::Hits;
use jni_sys::{jbyte, jbyteArray, jint};

use crate::agent::{self, Listener, capability, event};
use crate::jni;
use crate::message::{Probes, fingerprint};
use crate::vm::{self, Env, Global};

/// The class with the array of hits, in every worker.
pub fn hits() -> Hits {
    // A package that every module reads.
    Hits { class: "java/lang/AditHits".to_owned() }
}

/// Installs probes in classes. There is one in a process, as long as the process lives.
pub(crate) struct Prober {
    probes: Probes,
}

impl Prober {
    pub(crate) fn new(probes: Probes) -> &'static Prober {
        Box::leak(Box::new(Prober { probes }))
    }
}

impl Listener for &'static Prober {
    fn capabilities(&self) -> &'static [u32] {
        &[capability::REDEFINE, capability::ALL_CLASS_HOOKS]
    }

    /// Not before the array is there; see [`ProbeReader::begin`].
    fn events(&self) -> &'static [i32] {
        &[]
    }

    fn class_file(&self, name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
        let class = self.probes.classes.iter().find(|class| class.name == name)?;
        (fingerprint(bytes) == class.old).then(|| class.new.clone())
    }
}

/// The array on the thread that runs scripts.
pub(crate) struct ProbeReader {
    /// `None` if the probes could not be installed.
    array: Option<Global>,
    length: jint,
    copy: Vec<jbyte>,
    zeros: Vec<jbyte>,
    bits: Vec<u8>,
}

impl ProbeReader {
    /// Installs the probes, in a JVM created with the prober as its agent. If that fails, no probe is ever
    /// hit, and the reason is returned.
    pub(crate) fn begin(env: Env, prober: &'static Prober) -> (Self, Option<String>) {
        let Probes { count, classes } = &prober.probes;
        let mut probe_reader = Self {
            array: None,
            length: *count as jint,
            copy: vec![0; *count],
            zeros: vec![0; *count],
            bits: vec![0; prober.probes.bytes()],
        };
        let Some(array) = make_array(env, probe_reader.length) else {
            return (probe_reader, Some("cannot define the class that holds the counters".to_owned()));
        };
        let place = || -> Result<(), String> {
            let tools = agent::tools()?;
            let refused = |what: &str, code: i32| format!("the JVM refuses {what} (JVMTI error {code})");
            tools
                .notify(true, event::CLASS_FILE, std::ptr::null_mut())
                .map_err(|code| refused("to show class files", code))?;
            let mut outcome = Ok(());
            tools.each_loaded_class(env, |class| {
                let Ok(name) = tools.signature(class) else { return };
                let name = name.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
                let Some(class_file) = classes.iter().find(|one| Some(one.name.as_str()) == name) else {
                    return;
                };
                if let Err(code) = tools.redefine(class, &class_file.new) {
                    outcome = Err(refused(&format!("to change {}", class_file.name.replace('/', ".")), code));
                }
            });
            outcome
        };
        match place() {
            Ok(()) => {
                probe_reader.array = Some(array);
                (probe_reader, None)
            }
            Err(why) => (probe_reader, Some(why)),
        }
    }

    /// Clears the array, before a script.
    pub(crate) fn clear(&mut self, env: Env) {
        self.bits.fill(0);
        if let Some(array) = &self.array {
            // SAFETY: the array and the buffer have this length.
            unsafe { jni!(env, SetByteArrayRegion, array.get(), 0, self.length, self.zeros.as_ptr()) }
        }
    }

    /// Reads the array, after a script.
    pub(crate) fn look(&mut self, env: Env) {
        let Some(array) = &self.array else { return };
        // SAFETY: as above.
        unsafe { jni!(env, GetByteArrayRegion, array.get(), 0, self.length, self.copy.as_mut_ptr()) }
        for (bits, passed) in self.bits.iter_mut().zip(self.copy.chunks(8)) {
            *bits = passed.iter().rev().fold(0, |bits, &passed| bits << 1 | u8::from(passed != 0));
        }
    }

    /// A bit for each probe, lowest first; set if the last script hit it.
    pub(crate) fn bits(&self) -> &[u8] {
        &self.bits
    }
}

/// Defines the class and assigns it an array of this length.
fn make_array(env: Env, length: jint) -> Option<Global> {
    let hits = hits();
    let (name, field) = (vm::name(&hits.class), vm::name(Hits::FIELD));
    let (descriptor, bytes) = (vm::name(Hits::DESCRIPTOR), hits.class_file());
    // SAFETY: names and bytes live until the calls return; the field is one of the class and holds such an
    // array; what is thrown is taken away.
    unsafe {
        let size = bytes.len() as jint;
        let class = jni!(env, DefineClass, name.as_ptr(), std::ptr::null_mut(), bytes.as_ptr().cast(), size);
        if class.is_null() {
            jni!(env, ExceptionClear);
            return None;
        }
        let id = jni!(env, GetStaticFieldID, class, field.as_ptr(), descriptor.as_ptr());
        let array: jbyteArray =
            if id.is_null() { std::ptr::null_mut() } else { jni!(env, NewByteArray, length) };
        if array.is_null() {
            jni!(env, ExceptionClear);
            return None;
        }
        jni!(env, SetStaticObjectField, class, id, array);
        jni!(env, DeleteLocalRef, class);
        Global::of_local(env, array)
    }
}
