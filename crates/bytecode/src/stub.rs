//! Classes that implement an interface or extend an abstract class by the simplest code there is: each of
//! their methods returns a value that the constructor was given, or throws.
//!
//! The constructor takes the parameters of that of the superclass, and then the results of the methods. It
//! stores the results before it calls the superclass, whose constructor may call the methods already; the
//! format allows that (JVMS 4.10.1.9, `putfield`). Straight code needs no frames.

use std::fmt;
use std::sync::Arc;

use crate::descriptor::{Signature, Type};
use crate::emit::{load, op, return_opcode, with_index};
use crate::growth::{Full, Growth};

/// A class to write, apart from its name and its supertype.
///
/// As text: `(I)V+read([CII)I!close()V` calls the constructor `(I)V` of the superclass, has a method `read`
/// that returns what its constructor was given, and a method `close` that throws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stub {
    /// Descriptor of the superclass's constructor; `()V` for an interface.
    pub constructor: Arc<str>,
    /// The methods.
    pub methods: Vec<StubMethod>,
}

/// A method of a stub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StubMethod {
    /// Its name.
    pub name: Arc<str>,
    /// Its descriptor.
    pub descriptor: Arc<str>,
    /// It throws a `RuntimeException`.
    pub throws: bool,
}

impl StubMethod {
    /// The type of what it returns; nothing if it throws or returns nothing.
    pub fn result(&self) -> Option<Type> {
        Signature::parse(&self.descriptor)?.result.filter(|_| !self.throws)
    }
}

impl fmt::Display for Stub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.constructor)?;
        for StubMethod { name, descriptor, throws } in &self.methods {
            write!(f, "{}{name}{descriptor}", if *throws { '!' } else { '+' })?;
        }
        Ok(())
    }
}

impl Stub {
    /// Reads the text of a stub; nothing if it is malformed or has no methods.
    pub fn parse(text: &str) -> Option<Stub> {
        let first = text.find(['+', '!'])?;
        let (constructor, mut rest) = text.split_at(first);
        if Signature::parse(constructor)?.result.is_some() {
            return None;
        }
        let mut methods = Vec::new();
        while let Some(mark) = rest.chars().next() {
            // Neither mark can be in the name of a Java method.
            let end = rest[1..].find(['+', '!']).map_or(rest.len(), |end| end + 1);
            let (name, descriptor) = rest[1..end].split_at(rest[1..end].find('(')?);
            Signature::parse(descriptor)?;
            if name.is_empty() || name.contains(['.', ';', '[', '/', '<', '>']) {
                return None;
            }
            let method = StubMethod { name: name.into(), descriptor: descriptor.into(), throws: mark == '!' };
            methods.push(method);
            rest = &rest[end..];
        }
        Some(Stub { constructor: constructor.into(), methods })
    }

    /// The parameters of its constructor: those of the superclass's, and the results of the methods.
    pub fn parameters(&self) -> Vec<Type> {
        let own = Signature::parse(&self.constructor).map_or(Vec::new(), |signature| signature.parameters);
        own.into_iter().chain(self.methods.iter().filter_map(StubMethod::result)).collect()
    }

    /// Descriptor of its constructor.
    pub fn descriptor(&self) -> String {
        let parameters: String = self.parameters().iter().map(Type::descriptor).collect();
        format!("({parameters})V")
    }

    /// The class file of a stub; nothing if it does not keep within the limits of the format.
    pub fn class_file(&self, name: &str, above: &str, is_interface: bool) -> Option<Vec<u8>> {
        self.write(name, above, is_interface).ok()
    }

    fn write(&self, name: &str, above: &str, is_interface: bool) -> Result<Vec<u8>, Full> {
        let count = |length: usize| u16::try_from(length).map_err(|_| Full);
        let signature = |descriptor: &str| Signature::parse(descriptor).ok_or(Full);
        let mut growth = Growth::new(1);
        let superclass = if is_interface { "java/lang/Object" } else { above };
        // Public, final, super, synthetic.
        let mut head = vec![0x1031, growth.class(name)?, growth.class(superclass)?];
        head.push(u16::from(is_interface));
        if is_interface {
            head.push(growth.class(above)?);
        }
        let code = growth.text("Code")?;
        let (mut fields, mut methods) = (Vec::new(), Vec::new());
        let mut add_method = |growth: &mut Growth, name: &str, descriptor: &str, stack, body: &[u8]| {
            let locals = count(1 + signature(descriptor)?.slots())?;
            // Public.
            for number in [1, growth.text(name)?, growth.text(descriptor)?, 1, code] {
                methods.extend_from_slice(&u16::to_be_bytes(number));
            }
            let length = u32::try_from(body.len()).map_err(|_| Full)?;
            methods.extend_from_slice(&(12 + length).to_be_bytes());
            methods.extend_from_slice(&u16::to_be_bytes(stack));
            methods.extend_from_slice(&locals.to_be_bytes());
            methods.extend_from_slice(&length.to_be_bytes());
            methods.extend_from_slice(body);
            // No handlers, no attributes.
            methods.extend([0; 4]);
            Ok::<(), Full>(())
        };
        let own = signature(&self.constructor)?;
        let mut slot = 1 + own.slots();
        let mut start = Vec::new();
        for (at, method) in self.methods.iter().enumerate() {
            let mut body = Vec::new();
            match (method.throws, &signature(&method.descriptor)?.result) {
                (true, _) => {
                    const THROWN: &str = "java/lang/RuntimeException";
                    with_index(&mut body, op::NEW, growth.class(THROWN)?);
                    body.push(op::DUP);
                    with_index(&mut body, op::INVOKESPECIAL, growth.method(THROWN, "<init>", "()V", false)?);
                    body.push(op::ATHROW);
                }
                (_, None) => body.push(op::RETURN),
                (_, Some(result)) => {
                    let (field, descriptor) = (format!("given{at}"), result.descriptor());
                    for number in [0, growth.text(&field)?, growth.text(&descriptor)?, 0] {
                        fields.push(number);
                    }
                    let field = growth.field(name, &field, &descriptor)?;
                    start.push(op::ALOAD_0);
                    load(&mut start, result, slot);
                    with_index(&mut start, op::PUTFIELD, field);
                    slot += result.slots();
                    body.push(op::ALOAD_0);
                    with_index(&mut body, op::GETFIELD, field);
                    body.push(return_opcode(result));
                }
            }
            add_method(&mut growth, &method.name, &method.descriptor, 2, &body)?;
        }
        start.push(op::ALOAD_0);
        let mut place = 1;
        for parameter in &own.parameters {
            load(&mut start, parameter, place);
            place += parameter.slots();
        }
        let above = growth.method(superclass, "<init>", &self.constructor, false)?;
        with_index(&mut start, op::INVOKESPECIAL, above);
        start.push(op::RETURN);
        // The receiver, and the parameters of the superclass's constructor, or one result.
        let stack = count(place.max(3))?;
        // A method has at most 255 slots of parameters, with the receiver (JVMS 4.3.3).
        if slot > 255 {
            return Err(Full);
        }
        add_method(&mut growth, "<init>", &self.descriptor(), stack, &start)?;
        let mut out = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52];
        out.extend_from_slice(&growth.count()?.to_be_bytes());
        out.extend_from_slice(growth.bytes());
        head.push(count(fields.len() / 4)?);
        head.extend(fields);
        head.push(count(1 + self.methods.len())?);
        out.extend(head.into_iter().flat_map(u16::to_be_bytes));
        out.extend_from_slice(&methods);
        // No attributes.
        out.extend([0; 2]);
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Class;

    #[test]
    fn the_text_of_a_stub_is_read_again() {
        for text in ["()V+run()V", "(IJ)V+read([CII)I!close()V", "()V!a()V!b(Ljava/lang/String;)[J"] {
            assert_eq!(Stub::parse(text).unwrap().to_string(), text);
        }
        for wrong in ["", "()V", "()V+", "()V+run", "()I+run()V", "()V+()V", "()V+a.b()V", "()V+run(Q)V"] {
            assert_eq!(Stub::parse(wrong), None, "{wrong}");
        }
        let stub = Stub::parse("(I)V+read([CII)J+close()V!name()Ljava/lang/String;+is()Z").unwrap();
        assert_eq!(stub.descriptor(), "(IJZ)V");
    }

    #[test]
    fn the_class_file_is_one() {
        let stub = Stub::parse("(IJ)V+read([CII)D!close()V+self()Ljava/lang/Object;+end()V").unwrap();
        let bytes = stub.class_file("a/Stub", "a/Above", false).unwrap();
        let class = Class::parse(&bytes, "written").unwrap();
        assert_eq!((class.superclass.as_deref(), class.interfaces.len()), (Some("a/Above"), 0));
        assert_eq!(
            class.fields.iter().map(|one| &*one.descriptor).collect::<Vec<_>>(),
            ["D", "Ljava/lang/Object;"]
        );
        assert!(class.methods.iter().all(|method| method.code.is_some()));
        assert!(class.method("<init>", "(IJDLjava/lang/Object;)V").is_some());
        let bytes = stub.class_file("a/Stub", "a/Above", true).unwrap();
        let class = Class::parse(&bytes, "written").unwrap();
        assert_eq!(
            (class.superclass.as_deref(), &*class.interfaces[0]),
            (Some("java/lang/Object"), "a/Above")
        );
        let many = format!("()V{}", "+m()J".repeat(128));
        assert_eq!(Stub::parse(&many).unwrap().class_file("S", "A", false), None, "too many slots");
    }
}
