//! Values that code passes to calls: `getInstance("SHA-256")` says what `getInstance` takes, and
//! `connect(server.port())` which port.
//!
//! The stack is followed through each stretch of code that nothing jumps into. Constants, static fields,
//! results of calls, and local variables that were set to one of them in the same stretch are known;
//! everything else is not.
//!
//! Paper: none; constant propagation within basic blocks, from textbooks.
//! Cost: linear in the number of instructions.

use std::collections::{BTreeMap, BTreeSet};

use crate::instruction::{Call, Condition, Instruction, Operator, StackMove};
use crate::pool::{Constant, MemberRef};
use crate::{Class, Code};

/// A value that is known where a call is made.
#[derive(Clone, Debug, PartialEq)]
pub enum Passed {
    /// A constant.
    Constant(Constant),
    /// The value of a static field.
    Static(MemberRef),
    /// The result of a method, or the object of a constructor.
    Result(MemberRef),
}

impl Passed {
    /// Tells whether the value takes two slots.
    fn is_wide(&self) -> bool {
        match self {
            Passed::Constant(constant) => matches!(constant, Constant::Long(_) | Constant::Double(_)),
            Passed::Static(field) => is_wide(&field.descriptor),
            Passed::Result(method) => result_width(&method.descriptor) == Some(true),
        }
    }
}

/// Calls `found` for every call in the bodies of the class: with the member that is called, and for each
/// parameter its value, if it is known. Calls without a known value are left out.
pub fn call_sites(class: &Class, mut found: impl FnMut(&MemberRef, &[Option<Passed>])) {
    for code in class.methods.iter().filter_map(|method| method.code.as_ref()) {
        in_code(code, &mut found);
    }
}

fn in_code(code: &Code, found: &mut impl FnMut(&MemberRef, &[Option<Passed>])) {
    let mut entered: BTreeSet<u32> = code.handlers.iter().map(|handler| handler.target).collect();
    entered.extend(code.instructions.iter().flat_map(|(_, instruction)| instruction.targets()));
    let mut frame = Frame::default();
    for (offset, instruction) in &code.instructions {
        if entered.contains(offset) {
            frame = Frame::default();
        }
        frame.run(instruction, found);
    }
}

/// The known part of the stack and of the local variables.
#[derive(Default)]
struct Frame {
    /// The topmost values, the last on top. Below them lies what is not known.
    stack: Vec<Slot>,
    locals: BTreeMap<u16, Passed>,
}

#[derive(Clone, Default)]
struct Slot {
    value: Option<Passed>,
    is_wide: bool,
}

impl Frame {
    fn run(&mut self, instruction: &Instruction, found: &mut impl FnMut(&MemberRef, &[Option<Passed>])) {
        match instruction {
            Instruction::Nop => {}
            Instruction::Push(Constant::Dynamic { descriptor, .. }) => self.push(None, is_wide(descriptor)),
            Instruction::Push(constant) => {
                let is_wide = matches!(constant, Constant::Long(_) | Constant::Double(_));
                self.push(Some(Passed::Constant(constant.clone())), is_wide);
            }
            Instruction::Load(kind, local) => {
                self.push(self.locals.get(local).cloned(), kind.slots() == 2);
            }
            Instruction::Store(kind, local) => {
                let value = self.pop().value;
                self.locals.remove(local);
                // What takes two locals overwrites the second, and whatever wide value began one before.
                if kind.slots() == 2 {
                    self.locals.remove(&local.wrapping_add(1));
                }
                if let Some(before) = local.checked_sub(1)
                    && matches!(
                        self.locals.get(&before),
                        Some(value) if value.is_wide()
                    )
                {
                    self.locals.remove(&before);
                }
                if let Some(value) = value {
                    self.locals.insert(*local, value);
                }
            }
            Instruction::Increment(local, _) => drop(self.locals.remove(local)),
            Instruction::ArrayLoad(element) => self.replace(2, Some(element.kind().slots() == 2)),
            Instruction::ArrayStore(_) => self.replace(3, None),
            Instruction::Stack(change) => self.change(*change),
            Instruction::Arithmetic(kind, Operator::Neg) => self.replace(1, Some(kind.slots() == 2)),
            Instruction::Arithmetic(kind, _) => self.replace(2, Some(kind.slots() == 2)),
            Instruction::Convert(_, to) => self.replace(1, Some(to.kind().slots() == 2)),
            Instruction::Compare(..) => self.replace(2, Some(false)),
            Instruction::Branch(Condition::Zero(_) | Condition::Null(_), _) => self.replace(1, None),
            Instruction::Branch(Condition::Ints(_) | Condition::References(_), _) => self.replace(2, None),
            // The next instruction is entered by jumps only, or not at all.
            Instruction::Goto(_)
            | Instruction::Jsr(_)
            | Instruction::Ret(_)
            | Instruction::Switch { .. }
            | Instruction::Return(_)
            | Instruction::Throw => *self = Frame::default(),
            Instruction::GetField(member) => self.replace(1, Some(is_wide(&member.descriptor))),
            Instruction::PutField(_) => self.replace(2, None),
            Instruction::GetStatic(member) => {
                self.push(Some(Passed::Static(member.clone())), is_wide(&member.descriptor));
            }
            Instruction::PutStatic(_) | Instruction::MonitorEnter | Instruction::MonitorExit => {
                self.replace(1, None);
            }
            Instruction::Invoke(call, member) => self.call(*call, member, found),
            Instruction::InvokeDynamic(site) => {
                self.replace(parameter_count(&site.descriptor), result_width(&site.descriptor));
            }
            Instruction::New(_) => self.push(None, false),
            Instruction::NewArray(_, lengths) => self.replace(usize::from(*lengths), Some(false)),
            Instruction::ArrayLength | Instruction::InstanceOf(_) => self.replace(1, Some(false)),
            Instruction::CheckCast(_) => {}
        }
    }

    fn call(
        &mut self,
        call: Call,
        member: &MemberRef,
        found: &mut impl FnMut(&MemberRef, &[Option<Passed>]),
    ) {
        let count = parameter_count(&member.descriptor);
        let known = &self.stack[self.stack.len().saturating_sub(count)..];
        if known.iter().any(|slot| slot.value.is_some()) {
            let mut passed = vec![None; count - known.len()];
            passed.extend(known.iter().map(|slot| slot.value.clone()));
            found(member, &passed);
        }
        let receiver = usize::from(call != Call::Static);
        self.replace(count + receiver, result_width(&member.descriptor));
        // A constructor returns nothing, but the new object lies below its arguments a second time.
        let is_constructor = &*member.name == "<init>";
        if let Some(top) = self.stack.last_mut()
            && top.value.is_none()
            && (is_constructor || !member.descriptor.ends_with(")V"))
        {
            top.value = Some(Passed::Result(member.clone()));
        }
    }

    fn push(&mut self, value: Option<Passed>, is_wide: bool) {
        self.stack.push(Slot { value, is_wide });
    }

    fn pop(&mut self) -> Slot {
        self.stack.pop().unwrap_or_default()
    }

    /// Pops so many values and pushes an unknown one, if any, of this width.
    fn replace(&mut self, popped: usize, pushed: Option<bool>) {
        self.stack.truncate(self.stack.len().saturating_sub(popped));
        if let Some(is_wide) = pushed {
            self.push(None, is_wide);
        }
    }

    fn change(&mut self, change: StackMove) {
        let top_is_wide = self.stack.last().map(|slot| slot.is_wide);
        match (change, top_is_wide) {
            (StackMove::Pop, _) | (StackMove::Pop2, Some(true)) => drop(self.pop()),
            (StackMove::Pop2, Some(false)) => self.replace(2, None),
            (StackMove::Dup, _) | (StackMove::Dup2, Some(true)) => {
                let top = self.pop();
                self.stack.extend([top.clone(), top]);
            }
            (StackMove::DupX1, _) => {
                let (top, below) = (self.pop(), self.pop());
                self.stack.extend([top.clone(), below, top]);
            }
            (StackMove::Swap, _) => {
                let (top, below) = (self.pop(), self.pop());
                self.stack.extend([top, below]);
            }
            // Rare, and never right before a call with constants. Nothing is known afterwards.
            _ => self.stack.clear(),
        }
    }
}

fn is_wide(descriptor: &str) -> bool {
    matches!(descriptor, "J" | "D")
}

/// True if the result takes two slots; nothing for `void`.
fn result_width(descriptor: &str) -> Option<bool> {
    let result = descriptor.rsplit(')').next().unwrap_or_default();
    (result != "V").then(|| is_wide(result))
}

/// Number of parameters of a method descriptor.
fn parameter_count(descriptor: &str) -> usize {
    let parameters = descriptor.trim_start_matches('(').split(')').next().unwrap_or_default();
    let (mut count, mut in_name) = (0, false);
    for byte in parameters.bytes() {
        match byte {
            b';' => in_name = false,
            _ if in_name => {}
            b'[' => {}
            _ => {
                count += 1;
                in_name = byte == b'L';
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::instruction::{Kind, Relation};

    fn member(name: &str, descriptor: &str) -> MemberRef {
        MemberRef {
            class: "a/B".into(),
            name: name.into(),
            descriptor: descriptor.into(),
            in_interface: false,
        }
    }

    fn text(value: &str) -> Instruction {
        Instruction::Push(Constant::String(value.into()))
    }

    fn int(value: i32) -> Instruction {
        Instruction::Push(Constant::Int(value))
    }

    fn call(name: &str, descriptor: &str) -> Instruction {
        Instruction::Invoke(Call::Static, member(name, descriptor))
    }

    fn check(instructions: Vec<Instruction>, expected: Expect) {
        let mut all: Vec<(u32, Instruction)> = (0..).zip(instructions).collect();
        all.push((all.len() as u32, Instruction::Return(None)));
        let length = all.len() as u32;
        let (handlers, lines, variables) = Default::default();
        let code =
            Code { max_stack: 9, max_locals: 9, instructions: all, length, handlers, lines, variables };
        let mut said = String::new();
        in_code(&code, &mut |member, passed| {
            let shown = passed.iter().map(|one| match one {
                None => "?".to_owned(),
                Some(Passed::Constant(Constant::String(text))) => format!("{text:?}"),
                Some(Passed::Constant(Constant::Int(value))) => value.to_string(),
                Some(Passed::Constant(other)) => format!("{other:?}"),
                Some(Passed::Static(field)) => format!("{}.{}", field.class, field.name),
                Some(Passed::Result(method)) => format!("{}()", method.name),
            });
            said += &format!("{}({})\n", member.name, shown.collect::<Vec<_>>().join(", "));
        });
        expected.assert_eq(&said);
    }

    const TWO: &str = "(Ljava/lang/String;I)V";

    #[test]
    fn constants_are_found_by_their_place() {
        check(
            vec![text("a"), int(1), call("f", TWO)],
            expect![[r#"
            f("a", 1)
        "#]],
        );
        check(
            vec![Instruction::Load(Kind::Reference, 0), int(1), call("f", TWO)],
            expect![[r#"
            f(?, 1)
        "#]],
        );
        let field = Instruction::GetStatic(member("RED", "La/B;"));
        check(
            vec![field, Instruction::CheckCast("a/C".into()), call("f", "(La/C;)V")],
            expect![[r#"
            f(a/B.RED)
        "#]],
        );
    }

    #[test]
    fn results_of_calls_are_known_by_their_methods_and_those_of_arithmetic_are_not() {
        check(
            vec![text("a"), call("f", "(Ljava/lang/String;)I"), text("b"), call("g", TWO)],
            expect![[r#"
            f("a")
            g(f(), "b")
        "#]],
        );
        let add = Instruction::Arithmetic(Kind::Int, Operator::Add);
        check(
            vec![text("a"), int(1), int(2), add, call("f", TWO)],
            expect![[r#"
            f("a", ?)
        "#]],
        );
    }

    #[test]
    fn an_object_under_construction_lies_below_its_arguments() {
        let made = Instruction::Invoke(Call::Special, member("<init>", TWO));
        check(
            vec![
                Instruction::New("a/B".into()),
                Instruction::Stack(StackMove::Dup),
                text("a"),
                int(2),
                made,
                int(3),
                call("f", "(La/B;I)V"),
            ],
            expect![[r#"
                <init>("a", 2)
                f(<init>(), 3)
            "#]],
        );
    }

    #[test]
    fn locals_carry_constants_until_code_is_jumped_into() {
        let store = || Instruction::Store(Kind::Reference, 1);
        let load = || Instruction::Load(Kind::Reference, 1);
        check(
            vec![text("a"), store(), load(), int(1), call("f", TWO)],
            expect![[r#"
            f("a", 1)
        "#]],
        );
        // A jump leads to the load, which may then be of anything.
        let jump = Instruction::Branch(Condition::Zero(Relation::Eq), 4);
        check(
            vec![text("a"), store(), int(0), jump, load(), int(1), call("f", TWO)],
            expect![[r#"
            f(?, 1)
        "#]],
        );
        let overwritten = Instruction::Store(Kind::Long, 0);
        let long = Instruction::Push(Constant::Long(7));
        check(
            vec![text("a"), store(), long, overwritten, load(), int(1), call("f", TWO)],
            expect![[r#"
            f(?, 1)
        "#]],
        );
    }

    #[test]
    fn parameters_are_counted() {
        for (descriptor, count) in
            [("()V", 0), ("(I)V", 1), ("([[IJLa/B;[La/B;D)La/B;", 5), ("(", 0), ("(La", 1)]
        {
            assert_eq!(parameter_count(descriptor), count, "{descriptor}");
        }
        let shared: Arc<str> = "(I)J".into();
        assert_eq!(result_width(&shared), Some(true));
        assert_eq!(result_width("(J)V"), None);
        assert_eq!(result_width("(J)[J"), Some(false));
    }
}
