//! Static state of a class and of those that it uses, by which one script may see what another did.
//!
//! Paper: none; flags of fields.

use adit_bytecode::{Class, ClassPath, Field, Flags, reachable_classes};

use crate::makers::is_of_jdk;

/// Tells whether a class, given with dots, or a class of the class path that it refers to may keep something
/// in static fields. The JDK's own classes do not count: they cannot be loaded anew.
pub fn may_keep_static_state(path: &ClassPath, class: &str) -> bool {
    let Ok(class) = path.class(class) else { return false };
    if is_of_jdk(&class.name) {
        return false;
    }
    let Ok(reached) = reachable_classes(path, &class.name) else { return false };
    let own = reached.iter().filter(|(name, _)| !is_of_jdk(name));
    { own }.any(|(name, bytes)| {
        Class::parse_outline(bytes, name).is_ok_and(|class| class.fields.iter().any(is_state))
    })
}

/// Tells whether a field is static, and is no constant of a primitive type or a string.
fn is_state(field: &Field) -> bool {
    let is_plain = !field.descriptor.starts_with(['L', '[']) || &*field.descriptor == "Ljava/lang/String;";
    field.flags.has(Flags::STATIC)
        && !field.flags.has(Flags::SYNTHETIC)
        && !(is_plain && field.flags.has(Flags::FINAL))
}
