//! The models of platform methods, executed.

use adit_bytecode::{Kind, Operator, Relation};

use crate::Unknown;
use crate::arithmetic;
use crate::domain::{Domain, Word};
use crate::link::{MethodNumber, TypeNumber};
use crate::machine::{Execution, Trap};
use crate::models::{Model, text_hash, text_length};
use crate::state::{CONTENT, HASH, LENGTH, Object, ObjectKind};

impl<D: Domain> Execution<'_, '_, D> {
    /// Does what a modeled method does, with its arguments on the stack.
    pub(crate) fn apply_model(
        &mut self,
        model: Model,
        method: MethodNumber,
        slots: usize,
    ) -> Result<(), Trap> {
        match model {
            Model::Nothing => self.drop_slots(slots),
            // The receiver is already where the result belongs, below the arguments.
            Model::Receiver => self.drop_slots(slots - 1),
            Model::AssertionsOn => {
                self.drop_slots(slots);
                self.push(Word::plain(1));
            }
            Model::PrimitiveClass => {
                self.pop();
                let kind = self.linker.kind("a primitive class");
                let mirror = self.state.intern(ObjectKind::Mirror(kind), self.limits)?;
                self.push(Word::plain(mirror));
            }
            Model::No => self.push(Word::plain(0)),
            Model::Null => {
                self.drop_slots(slots);
                self.push(Word::plain(0));
            }
            Model::NoWide => self.push_wide(Word::plain(0)),
            Model::FirstElement | Model::ElementDistance => {
                self.drop_slots(slots);
                self.push(Word::plain(i64::from(model == Model::ElementDistance)));
            }
            Model::FieldOffset => self.field_offset()?,
            Model::Raw(access) => self.raw_access(access)?,
            Model::CurrentThread => {
                let thread = self.current_thread();
                self.push(Word::plain(thread));
            }
            Model::FreshText => {
                self.drop_slots(slots);
                let text = self.state.allocate(ObjectKind::Text, 0, self.limits)?;
                self.push(Word::plain(text));
            }
            Model::OutOfBounds => {
                self.drop_slots(slots);
                // The first argument makes the exception. Without it, the usual one is made.
                if self.top_word().bits != 0 {
                    let name = self.linker.name_of(method);
                    return Err(Unknown::Opaque(format!("the exception of `{name}`").into()).into());
                }
                let object = self.exception("java/lang/IndexOutOfBoundsException")?;
                self.push(Word::plain(object));
            }
            Model::ClassOf => {
                let object = self.pop();
                let kind = match self.non_null(object)?.kind {
                    ObjectKind::Instance(class) => self.linker.at(class).kind,
                    ObjectKind::Array(kind) => kind,
                    ObjectKind::Literal(_) | ObjectKind::Text => self.linker.kind("java/lang/String"),
                    ObjectKind::Mirror(_) => self.linker.kind("java/lang/Class"),
                    ObjectKind::Outside(_) => {
                        return Err(Unknown::Opaque("the class of an object from outside".into()).into());
                    }
                };
                let mirror = self.state.intern(ObjectKind::Mirror(kind), self.limits)?;
                self.push(Word::plain(mirror));
            }
            Model::SameBits => {}
            Model::FloatToInt => {
                let value = self.pop();
                if !D::is_plain(value.shadow) {
                    return Err(Unknown::Opaque("the bits of a floating-point number".into()).into());
                }
                self.push(Word::plain(i64::from(value.bits as i32)));
            }
            Model::SquareRoot => {
                let value = self.pop_wide();
                // A root of something that is not plain is as opaque as the number itself.
                let shadowed = self.compute(Kind::Double, Operator::Add, value, value);
                let bits = arithmetic::of_double(arithmetic::double(value.bits).sqrt());
                self.push(Word { bits, shadow: shadowed.shadow });
                self.push(Word::plain(0));
            }
            Model::ArrayCopy => self.array_copy()?,
            Model::Clone => {
                let array = self.pop();
                self.pin_length(array)?;
                let object = self.non_null(array)?;
                match object.kind {
                    ObjectKind::Array(_) => {}
                    ObjectKind::Instance(class) => {
                        let (own, cloneable) =
                            (self.linker.at(class).kind, self.linker.kind("java/lang/Cloneable"));
                        if !self.linker.is_subtype(own, cloneable)? {
                            return Err(Trap::Raise("java/lang/CloneNotSupportedException"));
                        }
                    }
                    _ => return Err(Unknown::Native("java.lang.Object.clone".into()).into()),
                }
                let words = self.state.slots(object).to_vec();
                let copy = self.state.allocate(object.kind, words.len(), self.limits)?;
                if let Some(object) = self.state.object(copy) {
                    self.state.slots_mut(object).copy_from_slice(&words);
                }
                self.push(Word::plain(copy));
            }
            Model::TextLength => {
                let text = self.pop();
                let length = self.text_word(text, LENGTH)?;
                self.push(length);
            }
            Model::TextHash => {
                let text = self.pop();
                let hash = self.text_word(text, HASH)?;
                self.push(hash);
            }
            Model::TextIsEmpty => {
                let text = self.pop();
                let length = self.text_word(text, LENGTH)?;
                let is_empty = self.test(Relation::Eq, length, Word::plain(0))?;
                self.push(Word::plain(i64::from(is_empty)));
            }
            Model::TextEquals => {
                let (other, text) = (self.pop(), self.pop());
                let equal = self.text_equals(text, other)?;
                self.push(Word::plain(i64::from(equal)));
            }
            Model::TextCharAt => {
                let (index, text) = (self.pop(), self.pop());
                let unit = self.char_at(text, index)?;
                self.push(Word::plain(unit));
            }
            Model::Text => {
                let name = self.linker.name_of(method);
                return Err(Unknown::Opaque(format!("the characters of a string, in `{name}`").into()).into());
            }
            Model::Unstable => {
                let name = self.linker.name_of(method);
                return Err(Unknown::Opaque(format!("`{name}`, which differs from run to run").into()).into());
            }
        }
        Ok(())
    }

    /// Length or hash code of a string.
    fn text_word(&mut self, text: Word<D::Shadow>, which: usize) -> Result<Word<D::Shadow>, Trap> {
        let object = self.non_null(text)?;
        match object.kind {
            ObjectKind::Literal(number) => {
                let text = &self.linker.literals[number as usize];
                let value = if which == LENGTH { text_length(text) } else { text_hash(text) };
                Ok(Word::plain(i64::from(value)))
            }
            ObjectKind::Outside(_) => Ok(self.state.slots(object)[which]),
            _ => Err(unknown_characters()),
        }
    }

    /// The content of a string as a number: that of the equal constant, or one that no constant has.
    fn content(&self, object: Object) -> Option<Word<D::Shadow>> {
        match object.kind {
            ObjectKind::Literal(number) => Some(Word::plain(i64::from(number))),
            ObjectKind::Outside(_) => Some(self.state.slots(object)[CONTENT]),
            _ => None,
        }
    }

    fn text_equals(&mut self, text: Word<D::Shadow>, other: Word<D::Shadow>) -> Result<bool, Trap> {
        let object = self.non_null(text)?;
        if self.is_same(other, Word::plain(0))? {
            return Ok(false);
        }
        if text.bits == other.bits {
            return Ok(true);
        }
        let string = self.linker.kind("java/lang/String");
        if !self.is_instance(other, string)? {
            return Ok(false);
        }
        let other = self.non_null(other)?;
        match (self.content(object), self.content(other)) {
            (Some(a), Some(b)) => Ok(self.test(Relation::Eq, a, b)?),
            _ => Err(unknown_characters()),
        }
    }

    fn char_at(&mut self, text: Word<D::Shadow>, index: Word<D::Shadow>) -> Result<i64, Trap> {
        let object = self.non_null(text)?;
        let ObjectKind::Literal(number) = object.kind else { return Err(unknown_characters()) };
        let units: Vec<u16> = self.linker.literals[number as usize].encode_utf16().collect();
        if !D::is_plain(index.shadow) {
            self.domain.pin(index)?;
        }
        let unit = usize::try_from(index.bits).ok().and_then(|at| units.get(at));
        unit.map(|&unit| i64::from(unit)).ok_or(Trap::Raise("java/lang/StringIndexOutOfBoundsException"))
    }

    /// `System.arraycopy` from an array whose numbers are not known.
    fn copy_from_outside(
        &mut self,
        kind: TypeNumber,
        from: Object,
        from_start: Word<D::Shadow>,
        to: Object,
        to_start: Word<D::Shadow>,
        length: Word<D::Shadow>,
    ) -> Result<(), Trap> {
        let is_same = from.kind == ObjectKind::Outside(kind);
        let name = self.linker.name_of_type(kind);
        if !is_same || name.starts_with("[L") || name.starts_with("[[") {
            return Err(Unknown::Outside("an element".into()).into());
        }
        for number in [length, to_start, from_start] {
            if !D::is_plain(number.shadow) {
                self.domain.pin(number)?;
            }
        }
        let out_of_bounds = Trap::Raise("java/lang/ArrayIndexOutOfBoundsException");
        let available = self.state.slots(from)[LENGTH];
        let [start, first, count] = [to_start.bits, from_start.bits, length.bits];
        let (Some(end), Some(last)) = (start.checked_add(count), first.checked_add(count)) else {
            return Err(out_of_bounds);
        };
        if start < 0 || first < 0 || count < 0 || end > i64::from(to.length) {
            return Err(out_of_bounds);
        }
        if self.test(Relation::Lt, available, Word::plain(last))? {
            return Err(out_of_bounds);
        }
        let unknown = Word { bits: 0, shadow: self.domain.unknown_number()? };
        self.state.slots_mut(to)[start as usize..end as usize].fill(unknown);
        Ok(())
    }

    /// Continues with the length that an array has in this run.
    fn pin_length(&mut self, array: Word<D::Shadow>) -> Result<(), Unknown> {
        if let Some(object) = self.state.object(array.bits) {
            let length = self.state.length(array.bits, object);
            if !D::is_plain(length.shadow) {
                self.domain.pin(length)?;
            }
        }
        Ok(())
    }

    /// `System.arraycopy`, whose ranges may overlap.
    fn array_copy(&mut self) -> Result<(), Trap> {
        let [length, to_start, to, from_start, from] = std::array::from_fn(|_| self.pop());
        self.pin_length(from)?;
        self.pin_length(to)?;
        let (from, to) = (self.non_null(from)?, self.non_null(to)?);
        if let (ObjectKind::Outside(_), ObjectKind::Array(kind)) = (from.kind, to.kind) {
            return self.copy_from_outside(kind, from, from_start, to, to_start, length);
        }
        if matches!(from.kind, ObjectKind::Outside(_)) || matches!(to.kind, ObjectKind::Outside(_)) {
            return Err(Unknown::Outside("an element".into()).into());
        }
        let is_array = |object: Object| matches!(object.kind, ObjectKind::Array(_));
        // Elements that need not fit would have to be checked one by one.
        if !is_array(from) || from.kind != to.kind {
            return Err(Unknown::Native("java.lang.System.arraycopy".into()).into());
        }
        for number in [length, to_start, from_start] {
            if !D::is_plain(number.shadow) {
                self.domain.pin(number)?;
            }
        }
        let range = |start: i64, object: Object| {
            let end = start.checked_add(length.bits)?;
            let fits = start >= 0 && length.bits >= 0 && end <= i64::from(object.length);
            fits.then_some(start as usize..end as usize)
        };
        let (Some(source), Some(target)) = (range(from_start.bits, from), range(to_start.bits, to)) else {
            return Err(Trap::Raise("java/lang/ArrayIndexOutOfBoundsException"));
        };
        let words = self.state.slots(from)[source].to_vec();
        self.state.slots_mut(to)[target].copy_from_slice(&words);
        Ok(())
    }
}

fn unknown_characters() -> Trap {
    Unknown::Opaque("the characters of a string".into()).into()
}
