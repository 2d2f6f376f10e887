//! Scripts as Java source: the bodies of JUnit 5 tests, which assert what a run showed.
//!
//! Arguments are cast wherever Java would otherwise choose another overload than the script did. What other
//! code may not call ends the test with a comment, because without that call the rest would mean something
//! else.
//!
//! Paper: none; the Java language.

mod literal;
mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};

use adit_bytecode::{Flags, Program, Signature, Stub, Type};
use adit_trace::{Argument, CallKind, Callable, End, Run, Script, Statement, Step, StepResult, Value};

use crate::Operation;
use crate::api::{is_public, member_name};
use crate::makers::is_open;
use adit_trace::edit::needs;
use literal::Writer;
use names::Names;

/// Facts about classes that are needed to write scripts as Java.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// For functional interfaces, by their names with dots, how many parameters the method has and what it
    /// gives.
    pub functions: BTreeMap<String, (usize, Option<Type>)>,
    /// Callables that code in another package cannot call, or not as a script calls them.
    pub hidden: BTreeSet<Callable>,
}

/// The body of a JUnit 5 test method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaBody {
    /// The necessary imports, static ones as `static a.B.c`.
    pub imports: BTreeSet<String>,
    /// The statements, one per line, not indented.
    pub lines: Vec<String>,
}

/// A script as the body of a test; with a run, the test asserts what happened in it.
pub fn body(script: &Script, run: Option<&Run>, facts: &Facts) -> JavaBody {
    let mut names = Names::default();
    let lines = lines(script, run, facts, &mut names);
    JavaBody { imports: names.imports(), lines }
}

/// The part that two runs of a script have in common, of which alone something can be asserted: values that
/// differ are left open, and it ends before a call that returned in one and threw in the other.
pub fn agreed(run: &Run, again: &Run) -> Run {
    let mut agreed = Run { steps: Vec::with_capacity(run.steps.len()), ..run.clone() };
    agreed.steps.clear();
    for (at, step) in run.steps.iter().enumerate() {
        let Some(other) = again.steps.get(at) else { break };
        let result = match (&step.result, &other.result) {
            (one, other) if one == other => one.clone(),
            // No assertion is made of nothing.
            (
                StepResult::Returned(_) | StepResult::Object { .. },
                StepResult::Returned(_) | StepResult::Object { .. },
            ) => StepResult::Returned(Value::Void),
            (StepResult::Threw { class, .. }, StepResult::Threw { class: other, .. }) if class == other => {
                step.result.clone()
            }
            _ => break,
        };
        agreed.steps.push(Step { result, ..step.clone() });
    }
    agreed
}

/// A JUnit 5 test class with a method for each script. Its `Display` is the Java file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestClass {
    /// Everything before the first method: package, imports and the opening of the class.
    pub head: String,
    /// The tests, in the order of their scripts.
    pub methods: Vec<TestMethod>,
}

/// A test method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestMethod {
    /// Its name.
    pub name: String,
    /// Its source from the annotation to the closing brace, without the indentation inside a class.
    pub source: String,
}

/// Writes scripts as a JUnit 5 test class called `name`.
pub fn test_class(package: &str, name: &str, tests: &[(Script, Option<Run>)], facts: &Facts) -> TestClass {
    // One set of names for all methods, because they share the imports.
    let mut names = Names::default();
    let bodies: Vec<Vec<String>> =
        tests.iter().map(|(script, run)| lines(script, run.as_ref(), facts, &mut names)).collect();
    let test = names.of("org.junit.jupiter.api.Test");
    let mut head = String::new();
    if !package.is_empty() {
        _ = writeln!(head, "package {package};\n");
    }
    // Static imports come first, as is usual.
    let imports = names.imports();
    let (fixed, plain): (Vec<_>, Vec<_>) = imports.iter().partition(|import| import.starts_with("static "));
    for group in [fixed, plain].iter().filter(|group| !group.is_empty()) {
        for import in group {
            _ = writeln!(head, "import {import};");
        }
        head.push('\n');
    }
    _ = writeln!(
        head,
        "@SuppressWarnings({{\"rawtypes\", \"unchecked\", \"deprecation\"}})\nclass {name} {{"
    );
    let method = |(number, lines): (usize, Vec<String>)| {
        let name = format!("script{number}");
        let mut source = format!("@{test}\nvoid {name}() throws Throwable {{\n");
        for line in lines {
            _ = writeln!(source, "    {line}");
        }
        source.push_str("}\n");
        TestMethod { name, source }
    };
    TestClass { head, methods: bodies.into_iter().enumerate().map(method).collect() }
}

impl fmt::Display for TestClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.head)?;
        for (number, method) in self.methods.iter().enumerate() {
            if number > 0 {
                f.write_str("\n")?;
            }
            for line in method.source.lines() {
                writeln!(f, "    {line}")?;
            }
        }
        f.write_str("}\n")
    }
}

impl Facts {
    /// Gathers the facts for these operations.
    pub(crate) fn of<'o>(program: &Program<'_>, operations: impl Iterator<Item = &'o Operation>) -> Facts {
        let mut facts = Facts::default();
        for operation in operations {
            for wanted in operation.parameters.iter().map(innermost) {
                if let Type::Class(name) = wanted
                    && let Some(method) = program.functional_method(name)
                {
                    let signature = method.signature();
                    facts
                        .functions
                        .insert(wanted.to_string(), (signature.parameters.len(), signature.result));
                }
            }
            if is_hidden(program, &operation.callable) {
                facts.hidden.insert((*operation.callable).clone());
            }
        }
        facts
    }
}

fn innermost(mut wanted: &Type) -> &Type {
    while let Type::Array(element) = wanted {
        wanted = element;
    }
    wanted
}

fn is_hidden(program: &Program<'_>, callable: &Callable) -> bool {
    let name = callable.owner.replace('.', "/");
    // Fixtures lie outside the program and are public.
    let Some(class) = program.outline(&name) else { return false };
    let inner = class.nesting.as_ref().is_some_and(|nesting| !nesting.flags.has(Flags::STATIC))
        && !class.is_interface()
        && callable.kind == CallKind::Constructor;
    let is_public_member = match callable.kind {
        CallKind::Constant => class.field(&callable.name).is_some_and(|field| field.flags.has(Flags::PUBLIC)),
        // A subclass may call a constructor that is protected.
        CallKind::Constructor if Stub::parse(&callable.signature).is_some() => true,
        CallKind::Constructor | CallKind::Function | CallKind::Method => program
            .resolve(&name, member_name(callable), &callable.signature)
            .is_some_and(|(_, method)| method.flags.has(Flags::PUBLIC)),
    };
    inner || !is_public_member || !is_public(program, class)
}

/// A text of this length may have been cut when it was recorded, so that nothing is asserted of it.
const LONGEST_ASSERTED: usize = 32;

fn lines(script: &Script, run: Option<&Run>, facts: &Facts, names: &mut Names) -> Vec<String> {
    let mut used = vec![false; script.statements.len()];
    for statement in &script.statements {
        needs(statement, &mut |at| {
            if let Some(used) = used.get_mut(at) {
                *used = true;
            }
        });
    }
    let mut test = Test { facts, names, variables: Vec::new(), lines: Vec::new() };
    for (at, statement) in script.statements.iter().enumerate() {
        let step = run.map(|run| run.steps.get(at));
        let result = match step {
            None => None,
            Some(Some(step)) => Some(&step.result),
            Some(None) => {
                test.lines.push(format!("// The run ended here: {}.", how(run)));
                break;
            }
        };
        if facts.hidden.contains(&*statement.callable) {
            let callable = &statement.callable;
            test.lines.push(format!(
                "// The script goes on with what is not public: {}.{}",
                callable.owner,
                callable.event_name()
            ));
            break;
        }
        test.statement(at, statement, result, used[at]);
    }
    test.lines
}

fn how(run: Option<&Run>) -> &'static str {
    match run.map(|run| &run.end) {
        Some(End::TimedOut | End::Looped) => "the next call took too long",
        Some(End::Blocked) => "the next call blocks",
        Some(End::Died { .. }) => "the machine died in the next call",
        _ => "what the next call gave was not recorded",
    }
}

/// A test while it is written.
struct Test<'a> {
    facts: &'a Facts,
    names: &'a mut Names,
    /// For each statement, its variable and the type that it was declared with.
    variables: Vec<Option<(String, Type)>>,
    lines: Vec<String>,
}

impl Test<'_> {
    fn statement(&mut self, at: usize, statement: &Statement, result: Option<&StepResult>, used: bool) {
        self.variables.push(None);
        if matches!(result, Some(StepResult::Skipped(_) | StepResult::Unresolved { .. })) {
            return;
        }
        let callable = &statement.callable;
        let Some((call, given)) = self.call(statement) else {
            self.lines.push(format!("// Not written: {}.{}", callable.owner, callable.event_name()));
            return;
        };
        if let Some(StepResult::Threw { class, .. }) = result {
            let line = self.throws(class, &call);
            return self.lines.push(line);
        }
        let Some(given) = given else { return self.lines.push(format!("{call};")) };
        // A field alone is no statement, and a new object is easier to read with a name.
        let is_new = callable.kind == CallKind::Constructor || callable.kind == CallKind::Constant;
        let mut value = call;
        let is_again = matches!(result, Some(StepResult::Object { first, .. }) if *first != at);
        let named = used || is_new;
        if named {
            let name = variable(&given, at);
            let declared = self.names.of_type(&given);
            self.lines.push(format!("{declared} {name} = {value};"));
            value.clone_from(&name);
            self.variables[at] = Some((name, given.clone()));
        }
        let same = match result {
            Some(StepResult::Object { first, .. }) if is_again => {
                self.variables.get(*first).cloned().flatten().map(|(name, _)| name)
            }
            _ => None,
        };
        let assertion = match result {
            Some(StepResult::Returned(found)) => self.asserted(found, &given, &value),
            Some(StepResult::Object { .. }) => same.map(|first| self.assert("assertSame", &[&first, &value])),
            _ => None,
        };
        match assertion {
            Some(assertion) => self.lines.push(assertion),
            None if named => {}
            None => self.lines.push(format!("{value};")),
        }
    }

    fn throws(&mut self, class: &str, call: &str) -> String {
        // An exception that code cannot name is still an exception.
        let known = is_open(&class.replace('.', "/")) && !class.contains("$$");
        let class = self.names.of(if known { class } else { "java.lang.Throwable" });
        let call = if call.starts_with("new ") || call.ends_with(')') {
            call.to_owned()
        } else {
            format!("{{ Object value = {call}; }}")
        };
        self.assert("assertThrows", &[&format!("{class}.class"), &format!("() -> {call}")])
    }

    /// The assertion that the value is what was found; none if that cannot be written or may not be the whole
    /// value.
    fn asserted(&mut self, found: &Value, given: &Type, value: &str) -> Option<String> {
        match found {
            Value::Bool(true) if *given == Type::Boolean => Some(self.assert("assertTrue", &[value])),
            Value::Bool(false) if *given == Type::Boolean => Some(self.assert("assertFalse", &[value])),
            Value::Null => Some(self.assert("assertNull", &[value])),
            Value::Int(number) if !given.is_reference() => {
                let expected = self.writer().number(*number, given)?;
                Some(self.assert("assertEquals", &[&expected, value]))
            }
            Value::Float(number) if !given.is_reference() => {
                let expected = literal::float(*number, *given == Type::Float);
                Some(self.assert("assertEquals", &[&expected, value]))
            }
            Value::Text(text) if given.is_reference() && text.encode_utf16().count() < LONGEST_ASSERTED => {
                Some(self.assert("assertEquals", &[&literal::text(text), value]))
            }
            _ => None,
        }
    }

    fn assert(&mut self, name: &str, arguments: &[&str]) -> String {
        self.names.add_static("org.junit.jupiter.api.Assertions", name);
        format!("{name}({});", arguments.join(", "))
    }

    fn writer(&mut self) -> Writer<'_> {
        Writer { facts: self.facts, names: self.names, variables: &self.variables }
    }

    /// The call as an expression, and the type of what it gives; nothing if it cannot be written.
    fn call(&mut self, statement: &Statement) -> Option<(String, Option<Type>)> {
        let callable = &statement.callable;
        let class = Type::Class(callable.owner.replace('.', "/").into());
        if callable.kind == CallKind::Constant {
            let owner = self.names.of(&callable.owner);
            return Some((format!("{owner}.{}", callable.name), Type::parse(&callable.signature)));
        }
        if let Some(stub) = Stub::parse(&callable.signature) {
            return Some((self.stub(&stub, statement)?, Some(class)));
        }
        let signature = Signature::parse(&callable.signature)?;
        if signature.parameters.len() != statement.args.len() {
            return None;
        }
        let mut args = Vec::new();
        for (argument, wanted) in statement.args.iter().zip(&signature.parameters) {
            args.push(self.writer().argument(argument, wanted)?);
        }
        let args = args.join(", ");
        Some(match callable.kind {
            CallKind::Method => {
                let receiver = self.writer().receiver(statement.receiver?, &class)?;
                (format!("{receiver}.{}({args})", callable.name), signature.result)
            }
            CallKind::Constructor => (format!("new {}({args})", self.names.of(&callable.owner)), Some(class)),
            CallKind::Function | CallKind::Constant => {
                let owner = self.names.of(&callable.owner);
                (format!("{owner}.{}({args})", callable.name), signature.result)
            }
        })
    }
}

impl Test<'_> {
    /// The anonymous class that does what a stub does.
    fn stub(&mut self, stub: &Stub, statement: &Statement) -> Option<String> {
        let own = Signature::parse(&stub.constructor)?.parameters;
        if statement.args.len() != stub.parameters().len() {
            return None;
        }
        let (args, mut results) = statement.args.split_at(own.len());
        let mut passed = Vec::new();
        for (argument, wanted) in args.iter().zip(&own) {
            passed.push(self.writer().argument(argument, wanted)?);
        }
        let mut methods = String::new();
        for method in &stub.methods {
            let signature = Signature::parse(&method.descriptor)?;
            let body = match (method.throws, method.result()) {
                (true, _) => " throw new RuntimeException(); ".to_owned(),
                (_, None) => String::new(),
                (_, Some(result)) => {
                    let (given, rest) = results.split_first()?;
                    results = rest;
                    if matches!(given, Argument::Function(_)) {
                        return None;
                    }
                    format!(" return {}; ", self.writer().argument(given, &result)?)
                }
            };
            let parameters: Vec<String> = signature
                .parameters
                .iter()
                .enumerate()
                .map(|(at, parameter)| format!("{} x{at}", self.names.of_type(parameter)))
                .collect();
            let result =
                signature.result.map_or_else(|| "void".to_owned(), |result| self.names.of_type(&result));
            _ = write!(methods, " public {result} {}({}) {{{body}}}", method.name, parameters.join(", "));
        }
        let class = self.names.of(&statement.callable.owner);
        Some(format!("new {class}({}) {{{methods} }}", passed.join(", ")))
    }
}

/// A name for the value of a statement: the simple name of its type and the statement's number.
fn variable(given: &Type, at: usize) -> String {
    let simple = innermost(given).to_string();
    let simple = simple.rsplit(['.', '$']).next().unwrap_or_default();
    let mut letters = simple.chars().filter(|c| c.is_ascii_alphanumeric());
    let first =
        letters.next().map(|c| c.to_ascii_lowercase()).filter(char::is_ascii_alphabetic).unwrap_or('v');
    let plural = if matches!(given, Type::Array(_)) { "s" } else { "" };
    format!("{first}{}{plural}{at}", letters.collect::<String>())
}

/// Tells whether a lambda may hold the argument.
fn is_plain(argument: &Argument) -> bool {
    !matches!(argument, Argument::Function(_))
}
