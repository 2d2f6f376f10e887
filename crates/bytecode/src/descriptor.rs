//! Descriptors of fields and methods: `(ILjava/lang/String;)[J` and what it says (JVMS 4.3).

use std::fmt;
use std::sync::Arc;

/// The type of a field, a parameter or a result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// `boolean`.
    Boolean,
    /// `byte`.
    Byte,
    /// `char`.
    Char,
    /// `short`.
    Short,
    /// `int`.
    Int,
    /// `long`.
    Long,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// A class or interface, in internal form: `java/lang/String`.
    Class(Arc<str>),
    /// An array of elements of this type.
    Array(Box<Type>),
}

impl Type {
    /// Reads a descriptor such as `[Ljava/lang/String;`; nothing if it is not exactly one.
    pub fn parse(descriptor: &str) -> Option<Type> {
        let (found, rest) = Type::parse_first(descriptor)?;
        rest.is_empty().then_some(found)
    }

    fn parse_first(descriptor: &str) -> Option<(Type, &str)> {
        let dimensions = descriptor.bytes().take_while(|&byte| byte == b'[').count();
        // The format allows no more dimensions than this; the bound also keeps the nesting of `Type`
        // harmless.
        if dimensions > 255 {
            return None;
        }
        let descriptor = &descriptor[dimensions..];
        let (letter, mut rest) = descriptor.split_at_checked(1)?;
        let mut found = match letter {
            "Z" => Type::Boolean,
            "B" => Type::Byte,
            "C" => Type::Char,
            "S" => Type::Short,
            "I" => Type::Int,
            "J" => Type::Long,
            "F" => Type::Float,
            "D" => Type::Double,
            "L" => {
                let (name, after) = rest.split_once(';')?;
                rest = after;
                if name.is_empty() {
                    return None;
                }
                Type::Class(name.into())
            }
            _ => return None,
        };
        for _ in 0..dimensions {
            found = Type::Array(Box::new(found));
        }
        Some((found, rest))
    }

    /// Number of slots that a value takes on the stack or in the local variables.
    pub fn slots(&self) -> usize {
        if matches!(self, Type::Long | Type::Double) { 2 } else { 1 }
    }

    /// Returns true if values of this type are references.
    pub fn is_reference(&self) -> bool {
        matches!(self, Type::Class(_) | Type::Array(_))
    }

    /// Descriptor, as in a class file.
    pub fn descriptor(&self) -> String {
        match self {
            Type::Boolean => "Z".to_owned(),
            Type::Byte => "B".to_owned(),
            Type::Char => "C".to_owned(),
            Type::Short => "S".to_owned(),
            Type::Int => "I".to_owned(),
            Type::Long => "J".to_owned(),
            Type::Float => "F".to_owned(),
            Type::Double => "D".to_owned(),
            Type::Class(name) => format!("L{name};"),
            Type::Array(element) => format!("[{}", element.descriptor()),
        }
    }
}

/// The type as Java writes it.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Boolean => f.write_str("boolean"),
            Type::Byte => f.write_str("byte"),
            Type::Char => f.write_str("char"),
            Type::Short => f.write_str("short"),
            Type::Int => f.write_str("int"),
            Type::Long => f.write_str("long"),
            Type::Float => f.write_str("float"),
            Type::Double => f.write_str("double"),
            Type::Class(name) => f.write_str(&name.replace('/', ".")),
            Type::Array(element) => write!(f, "{element}[]"),
        }
    }
}

/// Types of the parameters and the result of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Types of the parameters, without the receiver.
    pub parameters: Vec<Type>,
    /// Type of the result; `None` for `void`.
    pub result: Option<Type>,
}

impl Signature {
    /// Parses a descriptor such as `(I[J)V`.
    pub fn parse(descriptor: &str) -> Option<Signature> {
        let mut rest = descriptor.strip_prefix('(')?;
        let mut parameters = Vec::new();
        loop {
            if let Some(result) = rest.strip_prefix(')') {
                let result = if result == "V" { None } else { Some(Type::parse(result)?) };
                return Some(Signature { parameters, result });
            }
            let (parameter, after) = Type::parse_first(rest)?;
            parameters.push(parameter);
            // No method takes more slots than this (JVMS 4.3.3), and each parameter takes one at least.
            if parameters.len() > 255 {
                return None;
            }
            rest = after;
        }
    }

    /// Number of slots of the parameters, without the receiver.
    pub fn slots(&self) -> usize {
        self.parameters.iter().map(Type::slots).sum()
    }
}

/// The parameters as Java writes them: `(int, java.lang.String)`.
impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters: Vec<String> = self.parameters.iter().map(Type::to_string).collect();
        write!(f, "({})", parameters.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_understood() {
        let said = |descriptor: &str| {
            Signature::parse(descriptor).map(|signature| {
                let result = signature.result.as_ref().map_or("void".to_owned(), Type::to_string);
                format!("{result} {signature} in {} slots", signature.slots())
            })
        };
        assert_eq!(said("()V").as_deref(), Some("void () in 0 slots"));
        assert_eq!(
            said("(IJ[[Ljava/lang/String;D)[Z").as_deref(),
            Some("boolean[] (int, long, java.lang.String[][], double) in 6 slots")
        );
        for wrong in
            ["", "(", "()", "()VV", "(V)V", "(L;)V", "(Ljava/lang/String)V", "(I)", "I", "([)V", "(é)V"]
        {
            assert_eq!(said(wrong), None, "{wrong}");
        }
        assert!(said(&format!("({})V", "I".repeat(255))).is_some());
        assert!(said(&format!("({})V", "I".repeat(256))).is_none());
        let deep = format!("{}I", "[".repeat(256));
        assert_eq!(Type::parse(&deep), None);
        let array = Type::parse("[[Ljava/util/Map$Entry;").unwrap();
        assert_eq!(Type::parse(&array.descriptor()), Some(array));
    }
}
