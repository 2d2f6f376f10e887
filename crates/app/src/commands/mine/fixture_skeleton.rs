//! A file for --fixtures that the user only has to complete: a method for each type of value with which calls
//! could not be made, or never succeeded.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use adit_bytecode::{ClassPath, Flags, Signature, Type};
use adit_trace::Callable;

/// Name of the file in the folder of a campaign.
pub(super) const SKELETON: &str = "Fixtures.java";

/// Returns the file, or nothing if the calls need no objects of types that other code can name.
///
/// Every method throws until somebody writes it, so that one that is left as it is supplies no value.
pub(super) fn skeleton<'a>(
    calls: impl Iterator<Item = &'a Callable>,
    is_public: impl Fn(&Type) -> bool,
) -> Option<String> {
    let mut needed: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for call in calls {
        let Some(Signature { parameters, .. }) = Signature::parse(&call.signature) else { continue };
        let objects = parameters.iter().filter(|parameter| parameter.is_reference());
        for parameter in objects.filter(|parameter| is_public(parameter)) {
            needed.entry(in_source(parameter)).or_default().insert(&call.name);
        }
    }
    if needed.is_empty() {
        return None;
    }
    let mut text = String::from(
        "/** Values for `adit mine --fixtures`: complete some methods, and remove those that you do not need. */\n\
         public final class Fixtures {\n",
    );
    let mut names: BTreeSet<String> = BTreeSet::new();
    for (wanted, methods) in needed {
        let methods: Vec<&str> = methods.into_iter().collect();
        let name = fresh_name(&wanted, &mut names);
        let _ = write!(
            text,
            "    /** For {}. */\n    public static {wanted} {name}() throws Exception {{\n        \
             throw new UnsupportedOperationException(\"return a value here\");\n    }}\n",
            methods.join(", ")
        );
    }
    Some(text + "}\n")
}

/// Tells whether code anywhere can name the type: its class, and all classes around that, are public.
pub(super) fn is_public(path: &ClassPath, wanted: &Type) -> bool {
    match wanted {
        Type::Array(element) => is_public(path, element),
        Type::Class(name) => {
            let mut next = Some(name.to_string());
            // A damaged class may lie in itself.
            for _ in 0..16 {
                let Some(name) = next else { return true };
                let Ok(Some(class)) = path.read(&name) else { return false };
                let Some(nesting) = &class.nesting else { return class.flags.has(Flags::PUBLIC) };
                if !nesting.flags.has(Flags::PUBLIC) || nesting.name.is_none() {
                    return false;
                }
                next = nesting.outer.as_ref().map(|outer| outer.to_string());
            }
            false
        }
        _ => true,
    }
}

/// The type as Java source has it.
fn in_source(wanted: &Type) -> String {
    wanted.to_string().replace('$', ".")
}

/// A name that no other method has: `javax.crypto.SecretKey` becomes `secretKey`, `byte[]` becomes `bytes`.
fn fresh_name(wanted: &str, taken: &mut BTreeSet<String>) -> String {
    let simple = wanted.rsplit('.').next().unwrap_or(wanted);
    let plain = simple.trim_end_matches("[]");
    let mut letters = plain.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_lowercase).collect();
    let plural = if plain.len() < simple.len() { "s" } else { "" };
    // A digit at the end keeps a name from being a word of the language, such as `double`.
    let name = format!("{first}{}{plural}", letters.as_str());
    let numbered = (2..).map(|number| format!("{name}{number}"));
    let candidates = std::iter::once(name.clone()).filter(|name| !is_taken(name));
    let fresh = candidates.chain(numbered).find(|name| !taken.contains(name)).unwrap_or(name);
    taken.insert(fresh.clone());
    fresh
}

/// Tells whether a word of the language, or a method that every object has, keeps the name from being that of
/// a static method.
fn is_taken(name: &str) -> bool {
    const TAKEN: &str = "abstract assert boolean break byte case catch char class clone const continue default \
                         do double else enum extends final finalize finally float for getClass goto hashCode \
                         if implements import instanceof int interface long native new notify notifyAll \
                         package private protected public return short static strictfp super switch \
                         synchronized this throw throws toString transient try void volatile wait while yield";
    TAKEN.split(' ').any(|taken| taken == name)
}

#[cfg(test)]
mod tests {
    use adit_trace::{CallKind, ValueKind};
    use expect_test::expect;

    use super::*;

    fn call(name: &str, signature: &str) -> Callable {
        Callable {
            owner: "a.Codec".to_owned(),
            name: name.to_owned(),
            signature: signature.to_owned(),
            kind: CallKind::Method,
            parameters: Vec::new(),
            answer: ValueKind::Nothing,
        }
    }

    #[test]
    fn a_method_for_each_type() {
        let calls = [
            call("init", "(ILjava/security/Key;[B)V"),
            call("wrap", "(Ljava/security/Key;)V"),
            call("visit", "(La/Tree$Node;Lb/Node;Lb/Class;)V"),
            call("reset", "(I)V"),
        ];
        expect![[r#"
            /** Values for `adit mine --fixtures`: complete some methods, and remove those that you do not need. */
            public final class Fixtures {
                /** For visit. */
                public static a.Tree.Node node() throws Exception {
                    throw new UnsupportedOperationException("return a value here");
                }
                /** For visit. */
                public static b.Class class2() throws Exception {
                    throw new UnsupportedOperationException("return a value here");
                }
                /** For visit. */
                public static b.Node node2() throws Exception {
                    throw new UnsupportedOperationException("return a value here");
                }
                /** For init. */
                public static byte[] bytes() throws Exception {
                    throw new UnsupportedOperationException("return a value here");
                }
                /** For init, wrap. */
                public static java.security.Key key() throws Exception {
                    throw new UnsupportedOperationException("return a value here");
                }
            }
        "#]]
        .assert_eq(&skeleton(calls.iter(), |_| true).unwrap_or_default());
        assert_eq!(skeleton([call("reset", "(I)V")].iter(), |_| true), None);
        assert_eq!(skeleton(calls.iter(), |_| false), None);
    }
}
