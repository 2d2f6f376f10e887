//! Values that code elsewhere passes to a call: constants, and results of other calls. Only code knows that
//! `getInstance` takes `SHA-256`, and that `initSign` takes what `getPrivate` returns.
//!
//! The callers of a member are found by an index of the class path, and their bodies are read when the member
//! is asked about. Code of the class path and of the user's tests counts more than code of the JDK,
//! because it does what the user does.
//!
//! Paper: none; a choice of values by experience.
//! Cost: one pass over all constant pools that no cache knows, and reading at most a hundred classes for each
//! member.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use adit_bytecode::{CallerCache, Callers, ClassPath, Constant, MemberRef, Passed, Type, call_sites};

use crate::makers::is_of_jdk;

/// A class path with more classes is read only in part. A JDK has 30,000.
const MOST_CLASSES: usize = 100_000;

/// So many callers of a member are read. What more code calls is well known by then.
const MOST_CALLERS: usize = 100;

/// So many constants are kept for each parameter.
const MOST_CONSTANTS: usize = 12;

/// So many methods are kept for each parameter whose results are passed.
const MOST_RESULTS: usize = 12;

/// Longer texts are contents, not names or patterns.
const LONGEST_TEXT: usize = 120;

/// A call outside the JDK counts as much as so many in it.
const OWN_WORTH: u32 = 4;

/// The calls in the code of some class paths.
#[derive(Default)]
pub struct Sites<'p> {
    paths: Vec<(&'p ClassPath, Callers)>,
    /// The calls in the classes that were read, by their names.
    read: RefCell<BTreeMap<String, Arc<Vec<Site>>>>,
}

/// A call, with the values of its parameters that are known.
type Site = (MemberRef, Vec<Option<SiteValue>>);

/// A constant that code passes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SiteConstant {
    pub(crate) value: SiteValue,
    /// Number of calls that pass it; code outside the JDK counts several times.
    pub(crate) count: u32,
}

/// The constants that are of use as arguments.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SiteValue {
    Text(String),
    Int(i64),
    /// The bits of a `double`, which as a number has no order.
    Float(u64),
    /// A class, in internal form.
    Class(String),
    /// A static field: its class in internal form, its name and its descriptor.
    Field(String, String, String),
    /// The result of a method or constructor: its class in internal form, its name and its descriptor.
    Result(String, String, String),
    Null,
}

impl<'p> Sites<'p> {
    /// Reads which classes are called where, in these class paths, as far as the cache does not know it.
    pub fn new(paths: &[&'p ClassPath], cache: &dyn CallerCache) -> Sites<'p> {
        let paths = paths.iter().map(|&path| (path, Callers::of(path, MOST_CLASSES, cache)));
        Sites { paths: paths.collect(), read: RefCell::default() }
    }

    /// The constants that are passed to a member of one of these classes, for each of its parameters, the
    /// most frequent first.
    pub(crate) fn constants(
        &self,
        classes: &[String],
        name: &str,
        descriptor: &str,
        parameters: &[Type],
    ) -> Vec<Vec<SiteConstant>> {
        let mut counts: Vec<BTreeMap<SiteValue, u32>> = vec![BTreeMap::new(); parameters.len()];
        let mut seen = BTreeSet::new();
        for class in classes {
            for (path, callers) in &self.paths {
                for caller in chosen(callers.of_method(class, name, descriptor)) {
                    // A path may repeat another, as that of the tests does.
                    if !seen.insert((class, caller)) {
                        continue;
                    }
                    let worth = if is_of_jdk(caller) { 1 } else { OWN_WORTH };
                    let sites = self.sites(path, caller);
                    let calls = sites.iter().filter(|(member, _)| {
                        *member.class == **class && &*member.name == name && &*member.descriptor == descriptor
                    });
                    for (_, passed) in calls {
                        for (counts, value) in counts.iter_mut().zip(passed) {
                            if let Some(value) = value {
                                *counts.entry(value.clone()).or_default() += worth;
                            }
                        }
                    }
                }
            }
        }
        counts
            .into_iter()
            .zip(parameters)
            .map(|(counts, parameter)| most_frequent(counts, parameter))
            .collect()
    }

    /// The calls with known values in a class.
    fn sites(&self, path: &ClassPath, class: &str) -> Arc<Vec<Site>> {
        if let Some(known) = self.read.borrow().get(class) {
            return known.clone();
        }
        let mut sites = Vec::new();
        if let Ok(Some(class)) = path.read(class) {
            call_sites(&class, |member, passed| {
                let values: Vec<Option<SiteValue>> =
                    passed.iter().map(|passed| passed.as_ref().and_then(SiteValue::of)).collect();
                if values.iter().any(Option::is_some) {
                    sites.push((member.clone(), values));
                }
            });
        }
        let sites = Arc::new(sites);
        self.read.borrow_mut().insert(class.to_owned(), sites.clone());
        sites
    }
}

/// The constants that suit a parameter, the most frequent first.
fn most_frequent(counts: BTreeMap<SiteValue, u32>, parameter: &Type) -> Vec<SiteConstant> {
    let fitting = counts.into_iter().filter(|(value, _)| value.suits(parameter));
    let mut all: Vec<SiteConstant> = fitting.map(|(value, count)| SiteConstant { value, count }).collect();
    // Of equals, the order of their values decides, so that the result is always the same.
    all.sort_by_key(|constant| Reverse(constant.count));
    let is_result = |constant: &SiteConstant| matches!(constant.value, SiteValue::Result(..));
    let (mut results, mut all): (Vec<_>, Vec<_>) = all.into_iter().partition(is_result);
    all.truncate(MOST_CONSTANTS);
    results.truncate(MOST_RESULTS);
    all.extend(results);
    all
}

/// The callers to read: those outside the JDK first, and of more than enough an even choice.
fn chosen<'c>(callers: impl Iterator<Item = &'c str>) -> Vec<&'c str> {
    let (jdk, mut own): (Vec<&str>, Vec<&str>) = callers.partition(|name| is_of_jdk(name));
    own.truncate(MOST_CALLERS);
    let room = MOST_CALLERS - own.len();
    let step = jdk.len().div_ceil(room.max(1)).max(1);
    own.extend(jdk.into_iter().step_by(step).take(room));
    own
}

impl SiteValue {
    fn of(passed: &Passed) -> Option<SiteValue> {
        Some(match passed {
            // What a device gives is random, or never ends, and says nothing about the class that reads it.
            Passed::Constant(Constant::String(text))
                if text.len() <= LONGEST_TEXT && !text.starts_with("/dev/") =>
            {
                SiteValue::Text(text.to_string())
            }
            Passed::Constant(Constant::Int(value)) => SiteValue::Int(i64::from(*value)),
            Passed::Constant(Constant::Long(value)) => SiteValue::Int(*value),
            Passed::Constant(Constant::Float(value)) => SiteValue::Float(f64::from(*value).to_bits()),
            Passed::Constant(Constant::Double(value)) => SiteValue::Float(value.to_bits()),
            Passed::Constant(Constant::Class(name)) if !name.starts_with('[') => {
                SiteValue::Class(name.to_string())
            }
            Passed::Constant(Constant::Null) => SiteValue::Null,
            Passed::Static(MemberRef { class, name, descriptor, .. }) if descriptor.starts_with('L') => {
                SiteValue::Field(class.to_string(), name.to_string(), descriptor.to_string())
            }
            // Texts are made in too many ways, unless from nothing, as the name of a default is; and of
            // numbers only those of an `int` are ports and handles.
            Passed::Result(MemberRef { class, name, descriptor, .. })
                if !class.starts_with('[')
                    && (descriptor.ends_with(")I")
                        || descriptor.contains(")L")
                        || descriptor.contains(")[")
                        || &**name == "<init>")
                    && (!descriptor.ends_with(")Ljava/lang/String;") || is_name(descriptor))
                    && !descriptor.ends_with(")Ljava/lang/Object;") =>
            {
                SiteValue::Result(class.to_string(), name.to_string(), descriptor.to_string())
            }
            _ => return None,
        })
    }

    /// Tells whether the value is worth passing where this type is wanted, as far as its kind says.
    fn suits(&self, wanted: &Type) -> bool {
        let is_number = matches!(wanted, Type::Byte | Type::Short | Type::Char | Type::Int | Type::Long);
        match self {
            SiteValue::Text(_) => matches!(wanted, Type::Class(name)
                if matches!(&**name, "java/lang/String" | "java/lang/CharSequence")),
            SiteValue::Int(_) => is_number,
            SiteValue::Float(_) => matches!(wanted, Type::Float | Type::Double),
            SiteValue::Class(_) => matches!(wanted, Type::Class(name) if &**name == "java/lang/Class"),
            SiteValue::Result(_, _, descriptor) => match wanted {
                Type::Int => descriptor.ends_with(")I"),
                Type::Class(name) if is_plain(name) => &**name == "java/lang/String" && is_name(descriptor),
                Type::Class(_) => !descriptor.ends_with(")I"),
                Type::Array(_) => descriptor.contains(")["),
                _ => false,
            },
            // Of what takes any object, values are few on purpose.
            SiteValue::Field(..) | SiteValue::Null => match wanted {
                Type::Class(name) => &**name != "java/lang/Object",
                other => *self == SiteValue::Null && other.is_reference(),
            },
        }
    }
}

/// Tells whether a method gives a text from nothing but its object, if it has one.
fn is_name(descriptor: &str) -> bool {
    descriptor == "()Ljava/lang/String;"
}

/// Tells whether there are enough values of a class without any call.
fn is_plain(class: &str) -> bool {
    matches!(class, "java/lang/CharSequence" | "java/lang/Comparable")
        || ["Object", "String", "Class", "Number", "Integer", "Long", "Boolean", "Character", "Double"]
            .iter()
            .any(|name| class.strip_prefix("java/lang/") == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_outside_the_jdk_come_first_and_the_rest_is_spread() {
        let names: Vec<String> =
            (0..1000).map(|at| format!("java/util/C{at:03}")).chain(["org/Mine".to_owned()]).collect();
        let chosen = chosen(names.iter().map(String::as_str));
        assert_eq!(chosen[0], "org/Mine");
        assert!((MOST_CALLERS / 2..=MOST_CALLERS).contains(&chosen.len()), "{}", chosen.len());
        assert!(chosen.last().unwrap() > &"java/util/C900");
    }

    #[test]
    fn devices_are_no_values() {
        let of = |text: &str| SiteValue::of(&Passed::Constant(Constant::String(text.into())));
        assert_eq!((of("/dev/random"), of("/device")), (None, Some(SiteValue::Text("/device".into()))));
    }

    #[test]
    fn values_go_only_where_their_kind_does() {
        let text = SiteValue::Text("a".into());
        let string = Type::Class("java/lang/String".into());
        let object = Type::Class("java/lang/Object".into());
        assert!(text.suits(&string) && !text.suits(&object) && !text.suits(&Type::Int));
        assert!(SiteValue::Int(1).suits(&Type::Long) && !SiteValue::Int(1).suits(&Type::Boolean));
        assert!(SiteValue::Null.suits(&string) && !SiteValue::Null.suits(&object));
        assert!(SiteValue::Null.suits(&Type::Array(Box::new(Type::Byte))));
        let result = |descriptor: &str| SiteValue::Result("a/B".into(), "c".into(), descriptor.into());
        assert!(result("()I").suits(&Type::Int) && !result("()I").suits(&object));
        assert!(result("()La/D;").suits(&Type::Class("a/D".into())) && !result("()La/D;").suits(&Type::Int));
        assert!(!result("()La/D;").suits(&object) && !result("()La/D;").suits(&string));
        let name = result("()Ljava/lang/String;");
        assert!(name.suits(&string) && !name.suits(&object));
        assert!(!result("(I)Ljava/lang/String;").suits(&string));
    }
}
