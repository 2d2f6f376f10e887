//! Arrays and types of objects: the instructions that ask what an object is (JVMS §6.5.newarray to
//! instanceof).

use adit_bytecode::{Element, Relation};

use crate::Unknown;
use crate::compile::Width;
use crate::domain::{Domain, Word};
use crate::link::TypeNumber;
use crate::machine::{Execution, Trap};
use crate::state::{LENGTH, Object, ObjectKind};

/// Arrays up to this length and longer ones are looked at apart, so that solvers do not choose huge ones.
const SMALL: i64 = 100;

impl<D: Domain> Execution<'_, '_, D> {
    /// JVMS §6.5.newarray, anewarray, multianewarray.
    pub(crate) fn new_array(&mut self, kind: TypeNumber, dimensions: u8) -> Result<(), Trap> {
        let mut lengths: Vec<Word<D::Shadow>> = (0..dimensions).map(|_| self.pop()).collect();
        lengths.reverse();
        for &length in &lengths {
            if self.test(Relation::Lt, length, Word::plain(0))? {
                return Err(Trap::Raise("java/lang/NegativeArraySizeException"));
            }
        }
        let open = lengths.len() == 1 && self.limits.open_lengths && !D::is_plain(lengths[0].shadow);
        for &length in lengths.iter().filter(|_| !open) {
            if !D::is_plain(length.shadow) {
                self.domain.pin(length)?;
            }
        }
        // A test whose outcome does not matter: inputs for longer arrays are then sought just beyond.
        if open {
            self.test(Relation::Le, lengths[0], Word::plain(SMALL))?;
        }
        let array = self.allocate_array(kind, &lengths)?;
        if open {
            self.state.set_length(array, lengths[0]);
        }
        self.push(Word::plain(array));
        Ok(())
    }

    fn allocate_array(&mut self, kind: TypeNumber, lengths: &[Word<D::Shadow>]) -> Result<i64, Trap> {
        let Some((length, inner)) = lengths.split_first() else { return Ok(0) };
        let length = usize::try_from(length.bits).map_err(|_| Unknown::HeapLimit)?;
        let array = self.state.allocate(ObjectKind::Array(kind), length, self.limits)?;
        let name = self.linker.name_of_type(kind);
        if let Some(element) = name.strip_prefix('[').filter(|_| !inner.is_empty()) {
            let element = self.linker.kind(element);
            for index in 0..length {
                let value = self.allocate_array(element, inner)?;
                let object = self.array(array)?;
                self.state.slots_mut(object)[index] = Word::plain(value);
            }
        }
        Ok(array)
    }

    fn array(&self, number: i64) -> Result<Object, Trap> {
        self.state.object(number).ok_or_else(|| self.odd("a number as an array"))
    }

    /// JVMS §6.5.<x>aload.
    pub(crate) fn array_load(
        &mut self,
        array: Word<D::Shadow>,
        index: Word<D::Shadow>,
        element: Element,
    ) -> Result<Word<D::Shadow>, Trap> {
        let object = self.non_null(array)?;
        if matches!(object.kind, ObjectKind::Outside(_)) && element != Element::Reference {
            // Its length is known, its numbers are not.
            let length = self.state.slots(object)[LENGTH];
            self.within(index, length)?;
            return Ok(Word { bits: 0, shadow: self.domain.unknown_number()? });
        }
        let object = self.own_array(array)?;
        let length = self.state.length(array.bits, object);
        self.within(index, length)?;
        let at = index.bits as i32 as usize;
        if D::is_plain(index.shadow) {
            return Ok(self.state.slots(object)[at]);
        }
        let is_open = !D::is_plain(length.shadow);
        if is_open || object.length > self.limits.joined_elements || element == Element::Reference {
            self.domain.pin(index)?;
            return Ok(self.state.slots(object)[at]);
        }
        let elements = self.state.slots(object);
        let shadow = self.domain.select(elements, index, element.kind());
        Ok(Word { bits: elements[at].bits, shadow })
    }

    /// JVMS §6.5.<x>astore.
    pub(crate) fn array_store(
        &mut self,
        array: Word<D::Shadow>,
        index: Word<D::Shadow>,
        element: Element,
        value: Word<D::Shadow>,
    ) -> Result<(), Trap> {
        let object = self.non_null(array)?;
        if matches!(object.kind, ObjectKind::Outside(_)) && element != Element::Reference {
            // What is written is not kept: reading it back gives a number about which nothing is known.
            let length = self.state.slots(object)[LENGTH];
            return self.within(index, length);
        }
        let object = self.own_array(array)?;
        let length = self.state.length(array.bits, object);
        self.within(index, length)?;
        let ObjectKind::Array(kind) = object.kind else { return Err(self.odd("no array as an array")) };
        let value = match element {
            Element::Reference => {
                self.check_element(kind, value)?;
                value
            }
            Element::Byte if &*self.linker.name_of_type(kind) == "[Z" => self.narrow(Width::Boolean, value),
            Element::Byte => self.narrow(Width::Byte, value),
            Element::Char => self.narrow(Width::Char, value),
            Element::Short => self.narrow(Width::Short, value),
            _ => value,
        };
        let at = index.bits as i32 as usize;
        if !D::is_plain(index.shadow) {
            let is_open = !D::is_plain(length.shadow);
            if is_open || object.length > self.limits.joined_elements || element == Element::Reference {
                self.domain.pin(index)?;
            } else {
                for position in 0..object.length as usize {
                    let old = self.state.slots(object)[position];
                    let shadow = self.domain.replace(position, index, value, old, element.kind());
                    let bits = if position == at { value.bits } else { old.bits };
                    self.state.slots_mut(object)[position] = Word { bits, shadow };
                }
                return Ok(());
            }
        }
        self.state.slots_mut(object)[at] = value;
        Ok(())
    }

    fn own_array(&mut self, array: Word<D::Shadow>) -> Result<Object, Trap> {
        let object = self.non_null(array)?;
        match object.kind {
            ObjectKind::Array(_) => Ok(object),
            ObjectKind::Outside(_) => Err(Unknown::Outside("an element".into()).into()),
            _ => Err(self.odd("no array as an array")),
        }
    }

    /// JVMS §6.5.aastore: the element must be of the array's type.
    fn check_element(&mut self, array: TypeNumber, value: Word<D::Shadow>) -> Result<(), Trap> {
        let name = self.linker.name_of_type(array);
        let element = name.strip_prefix('[').unwrap_or(&name);
        let element = element.strip_prefix('L').map_or(element, |class| class.trim_end_matches(';'));
        let element = self.linker.kind(element);
        if !self.is_same(value, Word::plain(0))? && !self.is_instance(value, element)? {
            return Err(Trap::Raise("java/lang/ArrayStoreException"));
        }
        Ok(())
    }

    /// Returns true if the object, which is not null, is of this type.
    pub(crate) fn is_instance(&mut self, value: Word<D::Shadow>, wanted: TypeNumber) -> Result<bool, Trap> {
        let object = self.array(value.bits)?;
        let kind = match object.kind {
            ObjectKind::Instance(class) => self.linker.at(class).kind,
            ObjectKind::Array(kind) => kind,
            ObjectKind::Literal(_) | ObjectKind::Text => self.linker.kind("java/lang/String"),
            ObjectKind::Mirror(_) => self.linker.kind("java/lang/Class"),
            ObjectKind::Outside(kind) => {
                return if self.linker.is_subtype(kind, wanted)? {
                    Ok(true)
                } else {
                    Err(Unknown::Opaque("the class of an object from outside".into()).into())
                };
            }
        };
        Ok(self.linker.is_subtype(kind, wanted)?)
    }
}
