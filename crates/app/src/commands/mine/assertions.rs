//! Assertions of the generated tests: the constants that calls return, and the state that a test leads to.
//!
//! A test shows a transition by its last call, and says little if nobody asks the object afterwards. So the
//! questions that name the states are asked at its end, and their answers are asserted. A run tells of an
//! object only that there is one; the constant of an enum is therefore asked for its name, and the line that
//! asserts the name is then written with the constant itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use adit_attack::EventReader;
use adit_bytecode::{ClassPath, Flags, Signature, Type};
use adit_java::source::{self, TestClass, TestMethod};
use adit_trace::edit::renumbered;
use adit_trace::{
    CallKind, Callable, End, Label, Run, Script, Statement, StepResult, Stop, Subject, ValueKind,
};
use miette::Report;

use super::fixture_skeleton::is_public;
use crate::pipeline::Mined;
use crate::under_test::{UnderTest, World};

/// Most questions that are asked at the end of a test.
const QUESTIONS: usize = 2;

/// Tests as they are written.
pub(super) struct Asserted {
    /// The scripts, each with what is asserted of it.
    pub(super) tests: Vec<(Script, Run)>,
    /// The simple names of the enums whose constants were asked for their names.
    pub(super) enums: BTreeSet<String>,
}

/// The tests of a round, with more to assert where there is. `questions` tell the states of the model apart.
pub(super) fn asserting(
    subject: &mut UnderTest,
    reader: &EventReader,
    mined: &Mined,
    questions: &[Arc<Callable>],
) -> Result<Asserted, Report> {
    let conclusion = &mined.conclusion;
    let scripts = conclusion.tests.iter().map(|(script, _)| script.clone());
    let tests: Vec<(Script, Run)> = scripts.zip(mined.agreed.iter().cloned()).collect();
    let mut asserted = Asserted { tests, enums: BTreeSet::new() };
    let UnderTest { host, world, .. } = subject;
    let World::Java(java) = world else { return Ok(asserted) };
    if conclusion.stop == Stop::Interrupted {
        return Ok(asserted);
    }
    let mut asking = Asking { classes: &java.java.classes, enums: BTreeMap::new() };
    let names = reader.names();
    let changes = |callable: &Callable| {
        let name = names.of(callable);
        !mined.pure.iter().any(|label| Label::parse(label).method() == name)
    };
    let told = |asking: &mut Asking<'_>, question: &&Arc<Callable>| match question.answer {
        ValueKind::Bool | ValueKind::Int => true,
        _ => asking.is_enum(question),
    };
    let questions: Vec<&Arc<Callable>> =
        questions.iter().filter(|question| told(&mut asking, question)).take(QUESTIONS).collect();
    let longer = |(at, (script, run)): (usize, &(Script, Run))| {
        let whole = run.end == End::Complete && run.steps.len() == script.statements.len();
        // A call that changes nothing needs no question.
        let last = script.statements.last()?;
        let questions = if changes(&last.callable) { &questions[..] } else { &[] };
        let longer = whole.then(|| asking.longer(script, run, reader, questions))?;
        (longer.statements.len() > script.statements.len()).then_some((at, longer))
    };
    let (places, longer): (Vec<usize>, Vec<Script>) =
        asserted.tests.iter().enumerate().filter_map(longer).unzip();
    asserted.enums = asking.names();
    if longer.is_empty() {
        return Ok(asserted);
    }
    let runs = host.run(&longer)?;
    // In new machines, as for all tests: hash codes differ there.
    host.renew();
    let again = host.run(&longer)?;
    for (place, (script, (run, again))) in
        places.into_iter().zip(longer.into_iter().zip(runs.iter().zip(&again)))
    {
        let agreed = source::agreed(run, again);
        if agreed.end == End::Complete && agreed.steps.len() == script.statements.len() {
            asserted.tests[place] = (script, agreed);
        }
    }
    Ok(asserted)
}

/// Makes tests longer by questions.
struct Asking<'a> {
    classes: &'a ClassPath,
    /// For each type, true if it is an enum that all code can name.
    enums: BTreeMap<Type, bool>,
}

impl Asking<'_> {
    /// The simple names of the enums.
    fn names(&self) -> BTreeSet<String> {
        let known = self.enums.iter().filter(|(_, is_enum)| **is_enum);
        known.map(|(wanted, _)| simple(&wanted.to_string()).to_owned()).collect()
    }

    /// Returns true if a call returns the constant of an enum.
    fn is_enum(&mut self, callable: &Callable) -> bool {
        if callable.kind != CallKind::Method || callable.answer != ValueKind::Object {
            return false;
        }
        let Some(wanted @ Type::Class(_)) = Signature::parse(&callable.signature).and_then(|one| one.result)
        else {
            return false;
        };
        let Self { classes, enums } = self;
        let known = enums.entry(wanted).or_insert_with_key(|wanted| {
            let Type::Class(name) = wanted else { return false };
            let is_enum = |class: &adit_bytecode::Class| class.flags.has(Flags::ENUM);
            classes.read(name).ok().flatten().is_some_and(|class| is_enum(&class))
                && is_public(classes, wanted)
        });
        *known
    }

    /// The script with the name of every constant that a call returns, and with the questions at its end.
    fn longer(
        &mut self,
        script: &Script,
        run: &Run,
        reader: &EventReader,
        questions: &[&Arc<Callable>],
    ) -> Script {
        let mut statements: Vec<Statement> = Vec::new();
        let mut places = Vec::new();
        for (statement, step) in script.statements.iter().zip(&run.steps) {
            places.push(statements.len());
            statements.push(renumbered(statement, &|old| places.get(old).copied().unwrap_or(old)));
            if matches!(step.result, StepResult::Object { .. }) && self.is_enum(&statement.callable) {
                statements.push(name_of(statements.len() - 1));
            }
        }
        // The object that the last call was about, if it did not throw.
        let last = script.statements.len().checked_sub(1);
        let traces = reader.read(script, run).into_iter();
        let mut ended =
            traces.filter(|trace| trace.threw.is_none() && trace.statements.last().copied() == last);
        let Some(trace) = ended.next() else { return Script { statements } };
        let asked = script.statements.last().map(|statement| &statement.callable);
        for question in questions.iter().filter(|question| asked != Some(**question)) {
            let receiver = Some(places[trace.object]);
            statements.push(Statement { callable: (*question).clone(), receiver, args: Vec::new() });
            if self.is_enum(question) {
                statements.push(name_of(statements.len() - 1));
            }
        }
        Script { statements }
    }
}

/// Asks a constant for its name.
fn name_of(constant: usize) -> Statement {
    let name = Callable {
        signature: "()Ljava/lang/String;".to_owned(),
        answer: ValueKind::Text,
        ..Callable::new(CallKind::Method, "java.lang.Enum", "name")
    };
    Statement { callable: Arc::new(name), receiver: Some(constant), args: Vec::new() }
}

/// The tests with constants in place of their names.
pub(super) fn with_constants(tests: TestClass, enums: &BTreeSet<String>) -> TestClass {
    let one = |method: TestMethod| TestMethod { source: constants_in(&method.source, enums), ..method };
    TestClass { methods: tests.methods.into_iter().map(one).collect(), ..tests }
}

/// A test in which `Status s = o.status(); assertEquals("OPEN", s.name());` reads
/// `assertEquals(Status.OPEN, o.status());`.
fn constants_in(source: &str, enums: &BTreeSet<String>) -> String {
    let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
    let mut at = 0;
    while at < lines.len() {
        if let Some(named) = Named::at(&lines, at, enums) {
            at = named.replaced(&mut lines, at);
        }
        at += 1;
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// An assertion of the name of a constant, and the declaration of the variable that holds the constant.
struct Named {
    constant: String,
    variable: String,
    /// The line of the declaration, its type and its value.
    declaration: (usize, String, String),
}

impl Named {
    fn at(lines: &[String], at: usize, enums: &BTreeSet<String>) -> Option<Self> {
        let asserted = lines[at].trim_start().strip_prefix("assertEquals(\"")?.strip_suffix(".name());")?;
        let (constant, variable) = asserted.split_once("\", ")?;
        let variable = variable
            .strip_prefix("((Enum) ")
            .and_then(|variable| variable.strip_suffix(')'))
            .unwrap_or(variable);
        let declaration = lines[..at].iter().enumerate().rev().find_map(|(at, line)| {
            let (before, value) = line.trim_start().strip_suffix(';')?.split_once(" = ")?;
            let (declared, name) = before.rsplit_once(' ')?;
            let is_wanted = name == variable && enums.contains(simple(declared));
            is_wanted.then(|| (at, declared.to_owned(), value.to_owned()))
        })?;
        Some(Self { constant: constant.to_owned(), variable: variable.to_owned(), declaration })
    }

    /// Writes the constant instead, and returns the line of the assertion.
    fn replaced(self, lines: &mut Vec<String>, mut at: usize) -> usize {
        let Self { constant, variable, declaration: (place, declared, value) } = self;
        let indent = lines[at][..lines[at].len() - lines[at].trim_start().len()].to_owned();
        // A constant is the same object whenever it is returned.
        let same = format!(", {variable});");
        let is_same = |line: &String| line.trim_start().starts_with("assertSame(") && line.ends_with(&same);
        if let Some(repeated) = (place + 1..at).find(|&at| is_same(&lines[at])) {
            lines.remove(repeated);
            at -= 1;
        }
        let uses = |line: &&String| words(line).any(|word| word == variable);
        let is_used_again = lines.iter().filter(uses).count() > 2;
        let value = if is_used_again { variable } else { value };
        lines[at] = format!("{indent}assertEquals({declared}.{constant}, {value});");
        if !is_used_again {
            lines.remove(place);
            at -= 1;
        }
        at
    }
}

/// The last part of the name of a type: `Status` of `Order.Status`.
fn simple(name: &str) -> &str {
    name.rsplit(['.', '$']).next().unwrap_or(name)
}

/// The words of a line of Java.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn constants_are_written_as_constants() {
        let source = "@Test\nvoid script0() throws Throwable {\n    \
                      Order order0 = new Order();\n    \
                      Status status1 = order0.getStatus();\n    \
                      assertEquals(\"OPEN\", ((Enum) status1).name());\n    \
                      order0.set(status1);\n    \
                      Status status4 = order0.getStatus();\n    \
                      assertSame(status1, status4);\n    \
                      assertEquals(\"OPEN\", status4.name());\n    \
                      order0.pay();\n    \
                      Status status7 = order0.getStatus();\n    \
                      assertEquals(\"PAID\", status7.name());\n    \
                      assertEquals(\"a\", order0.name());\n}\n";
        expect![[r#"
            @Test
            void script0() throws Throwable {
                Order order0 = new Order();
                Status status1 = order0.getStatus();
                assertEquals(Status.OPEN, status1);
                order0.set(status1);
                assertEquals(Status.OPEN, order0.getStatus());
                order0.pay();
                assertEquals(Status.PAID, order0.getStatus());
                assertEquals("a", order0.name());
            }
        "#]]
        .assert_eq(&constants_in(source, &BTreeSet::from(["Status".to_owned()])));
    }
}
