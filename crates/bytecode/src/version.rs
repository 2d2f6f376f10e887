//! Class file versions and the Java releases they belong to.

/// The newest class file version that this crate reads: that of Java 25.
pub const NEWEST: u16 = 69;

/// The first version in which an interface may have static methods with a body: that of Java 8.
pub const STATIC_IN_INTERFACES: u16 = 52;

/// The first version whose verifier reads stack map frames: that of Java 6.
pub const STACK_MAP_FRAMES: u16 = 50;

/// Name of the Java release that introduced this version (JVMS table 4.1-A).
pub fn java(major: u16) -> String {
    match major {
        0..=45 => "1.1".to_owned(),
        46..=48 => format!("1.{}", major - 44),
        _ => (major - 44).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::java;

    #[test]
    fn versions_have_their_names() {
        let names = [45, 46, 48, 49, 52, 61, 69].map(java);
        assert_eq!(names, ["1.1", "1.2", "1.4", "5", "8", "17", "25"]);
    }
}
