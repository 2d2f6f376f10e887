//! A class, read from its file (JVMS 4.1).

use std::ops::BitOr;
use std::sync::Arc;

use crate::code::Code;
use crate::cursor::{Cursor, Fault};
use crate::descriptor::{Signature, Type};
use crate::pool::{Bootstrap, Constant, Pool};
use crate::version::NEWEST;
use crate::{ClassError, code};

/// A class, interface, enum, record or module, read completely.
///
/// Names of classes are in internal form, with slashes: `java/util/Map$Entry`.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its internal name.
    pub name: Arc<str>,
    /// Its superclass: `None` for `Object` and for modules, `Object` for interfaces.
    pub superclass: Option<Arc<str>>,
    /// The interfaces that it implements, or that an interface extends.
    pub interfaces: Vec<Arc<str>>,
    /// Its flags. A nested class has more in [`Class::nesting`].
    pub flags: Flags,
    /// Major version of the class file format: 61 is that of Java 17.
    pub major: u16,
    /// Minor version of the class file format: 65535 with preview features.
    pub minor: u16,
    /// Its own fields, in order.
    pub fields: Vec<Field>,
    /// Its own methods in order, including constructors (`<init>`) and the static initializer (`<clinit>`).
    pub methods: Vec<Method>,
    /// Name of the source file.
    pub source_file: Option<Arc<str>>,
    /// Its type parameters and generic supertypes, if any.
    pub generic_signature: Option<Arc<str>>,
    /// It says which classes may extend it, and allows no others.
    pub sealed: bool,
    /// Its relation to the enclosing class, if it is nested.
    pub nesting: Option<Nesting>,
    /// The classes that are members of it, in internal form.
    pub members: Vec<Arc<str>>,
    /// Descriptors of its annotations, such as `Ljava/lang/Deprecated;`, except those with source retention.
    pub annotations: Vec<Arc<str>>,
}

/// Relation of a nested class to the enclosing one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nesting {
    /// The enclosing class; `None` for a local or anonymous class.
    pub outer: Option<Arc<str>>,
    /// Its name in the source; `None` for an anonymous class.
    pub name: Option<Arc<str>>,
    /// Its flags in the source, including `private`, `protected` and `static`.
    pub flags: Flags,
}

/// A field of a class.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Arc<str>,
    /// Descriptor of its type.
    pub descriptor: Arc<str>,
    /// Its flags.
    pub flags: Flags,
    /// Its value, if it is a constant.
    pub value: Option<Constant>,
    /// Its generic type, if it has one.
    pub generic_signature: Option<Arc<str>>,
    /// Its annotations, as descriptors.
    pub annotations: Vec<Arc<str>>,
}

impl Field {
    /// The type of the field.
    pub fn field_type(&self) -> Type {
        Type::parse(&self.descriptor).expect("the descriptor was parsed when the class was read")
    }
}

/// A method, constructor or initializer of a class.
#[derive(Clone, Debug)]
pub struct Method {
    /// Its name; `<init>` for constructors, `<clinit>` for the static initializer.
    pub name: Arc<str>,
    /// Its descriptor.
    pub descriptor: Arc<str>,
    /// Its flags.
    pub flags: Flags,
    /// Its body; `None` if it is abstract or native.
    pub code: Option<Code>,
    /// Its declared exceptions.
    pub exceptions: Vec<Arc<str>>,
    /// Names of its parameters, as far as the compiler kept them.
    pub parameters: Vec<Option<Arc<str>>>,
    /// Its generic type, if it has one.
    pub generic_signature: Option<Arc<str>>,
    /// Its annotations, as descriptors.
    pub annotations: Vec<Arc<str>>,
}

impl Method {
    /// Types of the parameters and the result.
    pub fn signature(&self) -> Signature {
        Signature::parse(&self.descriptor).expect("the descriptor was parsed when the class was read")
    }

    /// Returns true if there is no receiver.
    pub fn is_static(&self) -> bool {
        self.flags.has(Flags::STATIC)
    }

    /// Returns true if this is a constructor.
    pub fn is_constructor(&self) -> bool {
        &*self.name == "<init>"
    }
}

/// Access flags and properties, as in the class file. Some bits mean different things on classes, fields and
/// methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flags(pub u16);

#[expect(missing_docs, reason = "the names are those of the class file format")]
impl Flags {
    pub const PUBLIC: Flags = Flags(0x0001);
    pub const PRIVATE: Flags = Flags(0x0002);
    pub const PROTECTED: Flags = Flags(0x0004);
    pub const STATIC: Flags = Flags(0x0008);
    pub const FINAL: Flags = Flags(0x0010);
    pub const SYNCHRONIZED: Flags = Flags(0x0020);
    pub const VOLATILE: Flags = Flags(0x0040);
    pub const BRIDGE: Flags = Flags(0x0040);
    pub const TRANSIENT: Flags = Flags(0x0080);
    pub const VARARGS: Flags = Flags(0x0080);
    pub const NATIVE: Flags = Flags(0x0100);
    pub const INTERFACE: Flags = Flags(0x0200);
    pub const ABSTRACT: Flags = Flags(0x0400);
    pub const SYNTHETIC: Flags = Flags(0x1000);
    pub const ANNOTATION: Flags = Flags(0x2000);
    pub const ENUM: Flags = Flags(0x4000);
    pub const MODULE: Flags = Flags(0x8000);

    /// Returns true if all of `wanted` are set.
    pub const fn has(self, wanted: Flags) -> bool {
        self.0 & wanted.0 == wanted.0
    }
}

impl BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl Class {
    /// Reads a class from the bytes of its file. `file` names it in errors.
    pub fn parse(bytes: &[u8], file: &str) -> Result<Class, ClassError> {
        let major = check_header(bytes, file)?;
        read(bytes, major, true).map_err(|fault| fault.named(file, bytes.len()))
    }

    /// Reads everything but the bodies of the methods, which is several times faster.
    pub fn parse_outline(bytes: &[u8], file: &str) -> Result<Class, ClassError> {
        let major = check_header(bytes, file)?;
        read(bytes, major, false).map_err(|fault| fault.named(file, bytes.len()))
    }

    /// The name with dots, as returned by Java's `Class.getName()`.
    pub fn dotted_name(&self) -> String {
        self.name.replace('/', ".")
    }

    /// Returns true if it is an interface or an annotation.
    pub fn is_interface(&self) -> bool {
        self.flags.has(Flags::INTERFACE)
    }

    /// Returns the method with this name and descriptor, if the class itself declares it.
    pub fn method(&self, name: &str, descriptor: &str) -> Option<&Method> {
        self.methods.iter().find(|method| &*method.name == name && &*method.descriptor == descriptor)
    }

    /// Returns the field with this name, if the class itself declares it.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| &*field.name == name)
    }
}

/// Checks the magic number and returns the major version, if this crate knows it.
pub(crate) fn check_header(bytes: &[u8], file: &str) -> Result<u16, ClassError> {
    const MAGIC: [u8; 4] = [0xca, 0xfe, 0xba, 0xbe];
    let begin = &bytes[..bytes.len().min(4)];
    if begin != &MAGIC[..begin.len()] {
        let found = begin.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ");
        return Err(ClassError::NotAClass { file: file.to_owned(), found });
    }
    match bytes {
        [_, _, _, _, _, _, high, low, ..] => match u16::from_be_bytes([*high, *low]) {
            major if major > NEWEST => Err(ClassError::NewerVersion { file: file.to_owned(), major }),
            major => Ok(major),
        },
        _ => {
            Err(ClassError::Truncated { file: file.to_owned(), length: bytes.len(), what: "the file header" })
        }
    }
}

/// A method with its undecoded body. Decoding needs the attributes at the end of the class.
type Raw<'a> = (Method, Option<Cursor<'a>>);

fn read(bytes: &[u8], major: u16, with_bodies: bool) -> Result<Class, Fault> {
    const WHAT: &str = "the class header";
    let mut cursor = Cursor::new(bytes);
    cursor.take(4, WHAT)?;
    let minor = cursor.u16(WHAT)?;
    cursor.u16(WHAT)?;
    let pool = Pool::read(bytes, &mut cursor)?;
    let mut class = Class {
        flags: Flags(cursor.u16(WHAT)?),
        name: pool.class(cursor.u16(WHAT)?)?,
        superclass: pool.optional_class(cursor.u16(WHAT)?)?,
        interfaces: list(&mut cursor, WHAT, |cursor| pool.class(cursor.u16(WHAT)?))?,
        major,
        minor,
        fields: list(&mut cursor, "the fields", |cursor| read_field(cursor, &pool))?,
        methods: Vec::new(),
        source_file: None,
        generic_signature: None,
        sealed: false,
        nesting: None,
        members: Vec::new(),
        annotations: Vec::new(),
    };
    let raw: Vec<Raw<'_>> = list(&mut cursor, "the methods", |cursor| read_method(cursor, &pool))?;
    let bootstraps = read_class_attributes(&mut cursor, &pool, &mut class)?;
    if !cursor.is_done() {
        return Err(cursor.wrong("something after the end of the class"));
    }
    for (mut method, body) in raw {
        if let Some(body) = body.filter(|_| with_bodies) {
            let code = code::read(body, &pool, &bootstraps)?;
            if method.parameters.is_empty() {
                method.parameters = code.parameter_names(&method);
            }
            method.code = Some(code);
        }
        class.methods.push(method);
    }
    Ok(class)
}

/// Reads a count and that many items.
pub(crate) fn list<'a, T>(
    cursor: &mut Cursor<'a>,
    what: &'static str,
    mut item: impl FnMut(&mut Cursor<'a>) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let count = cursor.u16(what)?;
    (0..count).map(|_| item(cursor)).collect()
}

/// Reads attributes, passing the name and contents of each to `each`.
pub(crate) fn attributes<'a>(
    cursor: &mut Cursor<'a>,
    pool: &Pool<'_>,
    mut each: impl FnMut(&str, Cursor<'a>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    const WHAT: &str = "an attribute";
    for _ in 0..cursor.u16(WHAT)? {
        let name = pool.text(cursor.u16(WHAT)?)?;
        let length = cursor.u32(WHAT)?;
        each(&name, cursor.part(length as usize, WHAT)?)?;
    }
    Ok(())
}

fn read_field(cursor: &mut Cursor<'_>, pool: &Pool<'_>) -> Result<Field, Fault> {
    const WHAT: &str = "a field";
    let mut field = Field {
        flags: Flags(cursor.u16(WHAT)?),
        name: pool.text(cursor.u16(WHAT)?)?,
        descriptor: pool.field_descriptor(cursor.u16(WHAT)?)?,
        value: None,
        generic_signature: None,
        annotations: Vec::new(),
    };
    attributes(cursor, pool, |name, mut part| {
        match name {
            "ConstantValue" => field.value = Some(pool.constant(part.u16(WHAT)?)?),
            "Signature" => field.generic_signature = Some(pool.text(part.u16(WHAT)?)?),
            "RuntimeVisibleAnnotations" | "RuntimeInvisibleAnnotations" => {
                annotation_types(&mut part, pool, &mut field.annotations)?;
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(field)
}

fn read_method<'a>(cursor: &mut Cursor<'a>, pool: &Pool<'_>) -> Result<Raw<'a>, Fault> {
    const WHAT: &str = "a method";
    let mut method = Method {
        flags: Flags(cursor.u16(WHAT)?),
        name: pool.text(cursor.u16(WHAT)?)?,
        descriptor: pool.method_descriptor(cursor.u16(WHAT)?)?,
        code: None,
        exceptions: Vec::new(),
        parameters: Vec::new(),
        generic_signature: None,
        annotations: Vec::new(),
    };
    let mut body = None;
    attributes(cursor, pool, |name, mut part| {
        match name {
            "Code" => body = Some(part),
            "Exceptions" => method.exceptions = list(&mut part, WHAT, |part| pool.class(part.u16(WHAT)?))?,
            "Signature" => method.generic_signature = Some(pool.text(part.u16(WHAT)?)?),
            "MethodParameters" => {
                for _ in 0..part.u8(WHAT)? {
                    let name = part.u16(WHAT)?;
                    part.u16(WHAT)?;
                    method.parameters.push(if name == 0 { None } else { Some(pool.text(name)?) });
                }
            }
            "RuntimeVisibleAnnotations" | "RuntimeInvisibleAnnotations" => {
                annotation_types(&mut part, pool, &mut method.annotations)?;
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok((method, body))
}

fn read_class_attributes<'a>(
    cursor: &mut Cursor<'a>,
    pool: &Pool<'_>,
    class: &mut Class,
) -> Result<Vec<Bootstrap>, Fault> {
    const WHAT: &str = "the class attributes";
    let mut bootstraps = Vec::new();
    attributes(cursor, pool, |name, mut part| {
        match name {
            "SourceFile" => class.source_file = Some(pool.text(part.u16(WHAT)?)?),
            "Signature" => class.generic_signature = Some(pool.text(part.u16(WHAT)?)?),
            "PermittedSubclasses" => class.sealed = true,
            "BootstrapMethods" => bootstraps = list(&mut part, WHAT, |part| pool.bootstrap(part))?,
            "InnerClasses" => {
                for _ in 0..part.u16(WHAT)? {
                    let inner = pool.class(part.u16(WHAT)?)?;
                    let outer = pool.optional_class(part.u16(WHAT)?)?;
                    let name = part.u16(WHAT)?;
                    let flags = Flags(part.u16(WHAT)?);
                    if inner == class.name {
                        let name = if name == 0 { None } else { Some(pool.text(name)?) };
                        class.nesting = Some(Nesting { outer, name, flags });
                    } else if outer.as_ref() == Some(&class.name) {
                        class.members.push(inner);
                    }
                }
            }
            "RuntimeVisibleAnnotations" | "RuntimeInvisibleAnnotations" => {
                annotation_types(&mut part, pool, &mut class.annotations)?;
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(bootstraps)
}

/// Adds the types of the annotations to `found` and skips their values.
fn annotation_types(
    cursor: &mut Cursor<'_>,
    pool: &Pool<'_>,
    found: &mut Vec<Arc<str>>,
) -> Result<(), Fault> {
    const WHAT: &str = "an annotation";
    for _ in 0..cursor.u16(WHAT)? {
        found.push(pool.text(cursor.u16(WHAT)?)?);
        // Annotations nest in values. The nesting is kept in a list because a hostile file may nest beyond
        // any call stack. Each entry is the number of values still to come, and true if each of them has a
        // name.
        let mut open = vec![(cursor.u16(WHAT)?, true)];
        while let Some((left, named)) = open.last_mut() {
            if *left == 0 {
                open.pop();
                continue;
            }
            *left -= 1;
            if *named {
                cursor.u16(WHAT)?;
            }
            match cursor.u8(WHAT)? {
                b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => {
                    cursor.u16(WHAT)?;
                }
                b'e' => {
                    cursor.take(4, WHAT)?;
                }
                b'@' => {
                    cursor.u16(WHAT)?;
                    open.push((cursor.u16(WHAT)?, true));
                }
                b'[' => open.push((cursor.u16(WHAT)?, false)),
                _ => return Err(cursor.wrong("an annotation with a value of an unknown kind")),
            }
        }
    }
    Ok(())
}
