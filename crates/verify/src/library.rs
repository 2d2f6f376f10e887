//! The classes that are verified together: who extends whom, and their bodies on demand.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use adit_bytecode::{Call, Class, Flags, MemberRef, Method};
use rustc_hash::{FxHashMap, FxHashSet};

/// Reads the bytes of a class by its internal name, and its name in messages.
pub type Read = Box<dyn Fn(&str) -> Option<(Vec<u8>, String)> + Send + Sync>;

/// Classes that are verified together.
pub struct Library {
    read: Read,
    outlines: FxHashMap<Arc<str>, Outline>,
    /// Direct subclasses.
    below: FxHashMap<Arc<str>, Vec<Arc<str>>>,
    /// Classes that were read, as far as they fit.
    bodies: Mutex<FxHashMap<Arc<str>, Option<Arc<Class>>>>,
}

/// Classes that are kept in memory with their bodies.
const KEPT: usize = 512;

struct Outline {
    superclass: Option<Arc<str>>,
    flags: Flags,
    /// Methods that a subclass can override or that override, as sorted hashes of name and descriptor.
    methods: Box<[u64]>,
}

impl Library {
    /// Creates an empty library that reads bodies with `read`.
    pub fn new(read: Read) -> Library {
        Library {
            read,
            outlines: FxHashMap::default(),
            below: FxHashMap::default(),
            bodies: Mutex::new(FxHashMap::default()),
        }
    }

    /// Adds a class. Its bodies are not needed. The first of several classes with the same name counts.
    pub fn add(&mut self, class: &Class) {
        if self.outlines.contains_key(&class.name) {
            return;
        }
        if let Some(above) = &class.superclass {
            self.below.entry(above.clone()).or_default().push(class.name.clone());
        }
        let overrides = |method: &&Method| !method.is_static() && !method.flags.has(Flags::PRIVATE);
        let methods =
            class.methods.iter().filter(overrides).map(|method| hash(&method.name, &method.descriptor));
        let mut methods: Box<[u64]> = methods.collect();
        methods.sort_unstable();
        let outline = Outline { superclass: class.superclass.clone(), flags: class.flags, methods };
        self.outlines.insert(class.name.clone(), outline);
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.outlines.len()
    }

    /// Returns true if there are no classes.
    pub fn is_empty(&self) -> bool {
        self.outlines.is_empty()
    }

    /// Returns a class with its bodies, if the library has it and it can be read.
    pub(crate) fn class(&self, name: &str) -> Option<Arc<Class>> {
        let (name, _) = self.outlines.get_key_value(name)?;
        let kept = || self.bodies.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().get(name) {
            return known.clone();
        }
        let class = (self.read)(name)
            .and_then(|(bytes, file)| Class::parse(&bytes, &file).ok())
            .filter(|class| class.name == *name)
            .map(Arc::new);
        let mut kept = kept();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(name.clone(), class.clone());
        class
    }

    /// Returns the method that a call runs, if there is only one in the library that it can be.
    ///
    /// `exact` is the class of the receiver, if it is known. Classes that were consulted are added to `used`.
    pub(crate) fn target(
        &self,
        call: Call,
        member: &MemberRef,
        exact: Option<&Arc<str>>,
        used: &mut BTreeSet<Arc<str>>,
    ) -> Option<(Arc<Class>, usize)> {
        let start = match (call, exact) {
            (Call::Virtual | Call::Interface, Some(exact)) => exact,
            (Call::Interface, None) => return None,
            _ => &member.class,
        };
        let mut name = start.clone();
        // A damaged library may have a circle of superclasses.
        for _ in 0..64 {
            let class = self.class(&name)?;
            used.insert(class.name.clone());
            let own = |method: &Method| method.name == member.name && method.descriptor == member.descriptor;
            if let Some(at) = class.methods.iter().position(own) {
                let method = &class.methods[at];
                method.code.as_ref()?;
                let is_virtual = matches!(call, Call::Virtual) && exact.is_none();
                let closed = method.flags.has(Flags::PRIVATE)
                    || method.flags.has(Flags::FINAL)
                    || class.flags.has(Flags::FINAL);
                if is_virtual && !closed && self.is_overridden(&name, member, used) {
                    return None;
                }
                return Some((class, at));
            }
            name = self.outlines.get(&name)?.superclass.clone()?;
        }
        None
    }

    /// Returns true if the class is abstract, or a class below it has the method too.
    fn is_overridden(&self, class: &str, member: &MemberRef, used: &mut BTreeSet<Arc<str>>) -> bool {
        if self.outlines.get(class).is_some_and(|outline| outline.flags.has(Flags::ABSTRACT)) {
            return true;
        }
        let wanted = hash(&member.name, &member.descriptor);
        let mut open: Vec<&str> = vec![class];
        let mut seen = FxHashSet::default();
        while let Some(above) = open.pop() {
            for below in self.below.get(above).into_iter().flatten() {
                if !seen.insert(below) {
                    continue;
                }
                used.insert(below.clone());
                let Some(outline) = self.outlines.get(below) else { continue };
                if outline.methods.binary_search(&wanted).is_ok() {
                    return true;
                }
                open.push(below);
            }
        }
        false
    }
}

fn hash(name: &str, descriptor: &str) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    (name, descriptor).hash(&mut hasher);
    hasher.finish()
}
