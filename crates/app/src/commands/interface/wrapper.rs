//! A Java class that wraps a component, follows its interface, and refuses illegal calls before they are
//! made.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use adit_bytecode::{Class, Flags, Method, Type};
use adit_learn::description::{Description, Move};
use adit_learn::symbolic::Analysis;
use adit_learn::{Role, WordOutcome};
use adit_smt::{Arena, Binary, Expr, Node, Resize, Sort, Var};

use crate::java::environment::JavaEnvironment;

/// Words that cannot be names of parameters in Java, or that the wrapper uses itself.
const TAKEN: [&str; 58] = [
    "abstract",
    "assert",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "for",
    "goto",
    "if",
    "implements",
    "import",
    "instanceof",
    "int",
    "interface",
    "long",
    "native",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "short",
    "static",
    "strictfp",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "transient",
    "true",
    "try",
    "void",
    "volatile",
    "while",
    "_",
    "state",
    "target",
    "next",
    "result",
];

/// The state of a wrapper that no longer knows what is legal.
const UNKNOWN: i32 = -1;

/// Returns the name and the source of the wrapper. There is none for a class without constructors, or one
/// that code outside of it cannot name.
pub(super) fn java(
    environment: &JavaEnvironment,
    analysis: &mut Analysis<'_>,
    description: &Description,
) -> Option<(String, String)> {
    let class = &environment.class;
    let dotted = class.dotted_name();
    let (package, simple) = match dotted.rsplit_once('.') {
        Some((package, simple)) => (Some(package.to_owned()), simple.to_owned()),
        None => (None, dotted.clone()),
    };
    let constructed = description.methods.iter().any(|method| method.role == Role::Constructor);
    // A package of the JDK takes no further classes.
    let package = package.filter(|package| !package.starts_with("java."));
    if !constructed
        || simple.contains('$')
        || !class.flags.has(Flags::PUBLIC) && package.is_none() && dotted != simple
    {
        return None;
    }
    let name = format!("Checked{simple}");
    let mut source = String::new();
    let header = "/**\n * Passes calls on to a {@link TARGET} and throws {@link IllegalStateException} instead of making one\n * that its interface forbids. Not for use by several threads at once.\n */\n";
    if let Some(package) = &package {
        let _ = writeln!(source, "package {package};\n");
    }
    source += &header.replace("TARGET", &dotted);
    let _ = writeln!(source, "public final class {name} {{");
    for state in description.live() {
        let _ = writeln!(source, "    // State {state}: {}", comment(&description.name(state)));
    }
    let _ = writeln!(source, "    private final {dotted} target;\n    private int state = 0;\n");
    for (index, described) in description.methods.iter().enumerate() {
        let Some(method) = find(environment, described.role, &described.name) else { continue };
        let writer = Writer { analysis, description, index, method: &method, dotted: &dotted, name: &name };
        source += &writer.write();
    }
    source += HELPERS;
    source += "}\n";
    Some((name, source))
}

/// Division as the solver sees it, so that a guard never throws; other cases are told apart by other guards.
const HELPERS: &str = "\
    private static int divide(int a, int b) {
        return b == 0 ? (a < 0 ? 1 : -1) : a / b;
    }

    private static long divide(long a, long b) {
        return b == 0 ? (a < 0 ? 1 : -1) : a / b;
    }

    private static int remainder(int a, int b) {
        return b == 0 ? a : a % b;
    }

    private static long remainder(long a, long b) {
        return b == 0 ? a : a % b;
    }
";

/// A text that may stand in a comment of one line.
fn comment(text: &str) -> String {
    text.replace(['\n', '\r'], " ").replace('\\', "\\\\")
}

/// The method of the class, or of a superclass, that an interface calls by this name.
fn find(environment: &JavaEnvironment, role: Role, name: &str) -> Option<Method> {
    let (base, types) = match name.split_once('(') {
        Some((base, rest)) => (base, Some(rest.trim_end_matches(')').to_owned())),
        None => (name, None),
    };
    let mut next: Option<Class> = Some(environment.class.clone());
    while let Some(class) = next {
        for method in &class.methods {
            let fits = match role {
                Role::Constructor => method.is_constructor(),
                Role::Static => method.is_static() && *method.name == *base,
                Role::Instance => !method.is_static() && *method.name == *base,
            };
            let hidden = Flags::SYNTHETIC.0 | Flags::ABSTRACT.0;
            let kinds: Vec<String> = method.signature().parameters.iter().map(ToString::to_string).collect();
            let same = types.as_ref().is_none_or(|types| *types == kinds.join(","));
            if fits && same && method.flags.has(Flags::PUBLIC) && method.flags.0 & hidden == 0 {
                return Some(method.clone());
            }
        }
        next = class.superclass.as_ref().and_then(|name| environment.classes.class(name).ok());
    }
    None
}

/// Writes one method of the wrapper.
struct Writer<'w, 'a> {
    analysis: &'w Analysis<'a>,
    description: &'w Description,
    index: usize,
    method: &'w Method,
    dotted: &'w str,
    name: &'w str,
}

impl Writer<'_, '_> {
    fn write(&self) -> String {
        let signature = self.method.signature();
        let names = self.names(signature.parameters.len());
        let declared: Vec<String> = signature
            .parameters
            .iter()
            .zip(&names)
            .map(|(kind, name)| format!("{} {name}", source_type(kind)))
            .collect();
        let (declared, passed) = (declared.join(", "), names.join(", "));
        let throws: Vec<String> =
            self.method.exceptions.iter().map(|name| name.replace(['/', '$'], ".")).collect();
        let throws = if throws.is_empty() { String::new() } else { format!(" throws {}", throws.join(", ")) };
        let next = format!("next{}", self.index);
        let role = self.description.methods[self.index].role;
        let name = if role == Role::Constructor { self.name } else { &self.method.name };
        let result = match (&signature.result, role) {
            (_, Role::Constructor) => String::new(),
            (None, _) => "void ".to_owned(),
            (Some(kind), _) => format!("{} ", source_type(kind)),
        };
        let mut text = format!("    public {result}{name}({declared}){throws} {{\n");
        let _ = writeln!(text, "        int next = {next}({passed});");
        let (receiver, called) = match role {
            Role::Static => (self.dotted.to_owned(), &*self.method.name),
            _ => ("target".to_owned(), &*self.method.name),
        };
        match (role, &signature.result) {
            (Role::Constructor, _) => {
                let _ =
                    writeln!(text, "        target = new {}({passed});\n        state = next;", self.dotted);
            }
            (_, None) => {
                let _ = writeln!(text, "        {receiver}.{called}({passed});\n        state = next;");
            }
            (_, Some(kind)) => {
                let _ = writeln!(
                    text,
                    "        {} result = {receiver}.{called}({passed});\n        state = next;\n        return result;",
                    source_type(kind)
                );
            }
        }
        text += "    }\n\n";
        let _ = writeln!(text, "    private int {next}({declared}) {{\n        switch (state) {{");
        let mut states: BTreeMap<usize, Vec<&Move>> = BTreeMap::new();
        for step in self.description.moves.iter().filter(|step| step.method == self.index) {
            states.entry(step.from).or_default().push(step);
        }
        for (state, moves) in states {
            self.case(&mut text, state, &moves, &names);
        }
        let _ = writeln!(
            text,
            "            default:\n                return {UNKNOWN};\n        }}\n        throw new IllegalStateException(\"{}\" + state);\n    }}\n",
            format_args!(
                "{} is illegal here, in state ",
                self.description.methods[self.index].as_call().replace('"', "'")
            )
        );
        text
    }

    /// The case of one state: the first guard that holds decides.
    fn case(&self, text: &mut String, state: usize, moves: &[&Move], names: &[String]) {
        let passing: Vec<&&Move> = moves
            .iter()
            .filter(|step| self.description.states[step.to].outcome != WordOutcome::Error)
            .collect();
        let _ = writeln!(text, "            case {state}:");
        for step in &passing {
            let target = match self.description.states[step.to].outcome {
                WordOutcome::Ok => step.to as i64,
                _ => i64::from(UNKNOWN),
            };
            if step.guard == "true" {
                let _ = writeln!(text, "                return {target};");
                return;
            }
            match self.java(step.condition, names) {
                Some(guard) => {
                    let _ = writeln!(
                        text,
                        "                if ({guard}) {{\n                    return {target};\n                }}"
                    );
                }
                None => {
                    // What cannot be written in Java is not checked.
                    let _ = writeln!(text, "                return {UNKNOWN};");
                    return;
                }
            }
        }
        let _ = writeln!(text, "                break;");
    }

    /// Names of the parameters: those of the source where they can be used.
    fn names(&self, count: usize) -> Vec<String> {
        let own: Vec<&String> = self.description.methods[self.index]
            .parameters
            .iter()
            .filter(|name| !name.contains('.'))
            .collect();
        let mut used = BTreeSet::new();
        (0..count)
            .map(|at| {
                let plain = |name: &&&String| {
                    let word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                    word && !name.starts_with(|c: char| c.is_ascii_digit()) && !TAKEN.contains(&name.as_str())
                };
                let name = own.get(at).filter(plain).map_or(format!("p{at}"), |name| (*name).clone());
                if used.insert(name.clone()) { name } else { format!("p{at}") }
            })
            .collect()
    }

    /// A guard as a Java expression, if it can be written as one.
    fn java(&self, guard: Expr, names: &[String]) -> Option<String> {
        let parameters = &self.analysis.component.methods[self.index].parameters;
        let kinds = self.method.signature().parameters;
        let mut spelled: BTreeMap<Var, String> = BTreeMap::new();
        let mut at: Option<usize> = None;
        for parameter in parameters {
            if !parameter.name.contains('.') {
                at = Some(at.map_or(0, |at| at + 1));
                spelled.insert(parameter.var, names.get(at?)?.clone());
            } else if parameter.name.ends_with(".length") {
                let (name, kind) = (names.get(at?)?, kinds.get(at?)?);
                let length = if matches!(kind, Type::Array(_)) { "length" } else { "length()" };
                spelled.insert(parameter.var, format!("({name} == null ? 0 : {name}.{length})"));
            }
        }
        let references: BTreeSet<Var> = parameters
            .iter()
            .filter(|parameter| parameter.kind == adit_learn::Kind::Reference)
            .map(|parameter| parameter.var)
            .collect();
        Printer { arena: &self.analysis.component.arena, spelled, references }.print(guard)
    }
}

/// A type as it is written in source, without type arguments.
fn source_type(kind: &Type) -> String {
    kind.to_string().replace('$', ".")
}

/// Writes expressions as Java. Every number is an `int`, or a `long` if it has 64 bits.
struct Printer<'p> {
    arena: &'p Arena,
    spelled: BTreeMap<Var, String>,
    references: BTreeSet<Var>,
}

impl Printer<'_> {
    fn print(&self, expr: Expr) -> Option<String> {
        let width = match self.arena.sort(expr) {
            Sort::Bits(width) => width,
            Sort::Bool => 1,
            Sort::Int => return None,
        };
        let suffix = if width == 64 { "L" } else { "" };
        Some(match self.arena.node(expr) {
            Node::Bool(truth) => truth.to_string(),
            Node::Number(_, number) => match *number {
                least if least == i128::from(i64::MIN) => "Long.MIN_VALUE".to_owned(),
                least if least == i128::from(i32::MIN) && width == 32 => "Integer.MIN_VALUE".to_owned(),
                number if number < 0 => format!("({number}{suffix})"),
                number => format!("{number}{suffix}"),
            },
            // The 16 bits of a `char` are read as a signed number here.
            Node::Var(var) if self.references.contains(var) => return None,
            Node::Var(var) if width == 16 => format!("((short) {})", self.spelled.get(var)?),
            Node::Var(var) => self.spelled.get(var)?.clone(),
            Node::Not(inner) => format!("!({})", self.print(*inner)?),
            Node::And(members) => {
                let parts: Option<Vec<String>> = members.iter().map(|&member| self.print(member)).collect();
                format!("({})", parts?.join(" && "))
            }
            Node::Eq(left, right) => match (self.reference(*left), self.reference(*right)) {
                (Some(left), Some(right)) => format!("({left} == {right})"),
                _ => format!("({} == {})", self.print(*left)?, self.print(*right)?),
            },
            Node::Less(left, right) => format!("({} < {})", self.print(*left)?, self.print(*right)?),
            Node::Below(left, right) => {
                let class = if self.arena.width(*left) == 64 { "Long" } else { "Integer" };
                format!("({class}.compareUnsigned({}, {}) < 0)", self.print(*left)?, self.print(*right)?)
            }
            Node::Ite(condition, left, right) => {
                format!("({} ? {} : {})", self.print(*condition)?, self.print(*left)?, self.print(*right)?)
            }
            Node::Sum { constant, terms } => {
                let mut parts = vec![format!("{constant}{suffix}")];
                for &(coefficient, term) in terms {
                    parts.push(format!("({coefficient}{suffix}) * {}", self.print(term)?));
                }
                self.narrowed(width, format!("({})", parts.join(" + ")))
            }
            Node::Binary(operation, left, right) => {
                let (left, right) = (self.print(*left)?, self.print(*right)?);
                let text = match operation {
                    Binary::Mul => format!("({left} * {right})"),
                    Binary::Div => format!("divide({left}, {right})"),
                    Binary::Rem => format!("remainder({left}, {right})"),
                    Binary::Shl => format!("({left} << {right})"),
                    Binary::Shr => format!("({left} >> {right})"),
                    Binary::UShr => format!("({left} >>> {right})"),
                    Binary::And => format!("({left} & {right})"),
                    Binary::Or => format!("({left} | {right})"),
                    Binary::Xor => format!("({left} ^ {right})"),
                };
                // Shifts of narrower numbers count places otherwise.
                match operation {
                    Binary::Shl | Binary::Shr | Binary::UShr if width < 32 => return None,
                    _ => self.narrowed(width, text),
                }
            }
            Node::Resize(how, to, inner) => {
                let from = self.arena.width(*inner);
                let text = self.print(*inner)?;
                match (how, to) {
                    (Resize::Sign, 64) => format!("((long) {text})"),
                    (Resize::Sign, _) => text,
                    (Resize::Zero, 64) => format!("({text} & {}L)", mask(from)),
                    (Resize::Zero, _) => format!("({text} & {})", mask(from)),
                    (Resize::Low, &to) => self.narrowed(to, text),
                }
            }
            Node::AtMost(..) => return None,
        })
    }

    /// A reference, or null.
    fn reference(&self, expr: Expr) -> Option<String> {
        match self.arena.node(expr) {
            Node::Var(var) if self.references.contains(var) => self.spelled.get(var).cloned(),
            Node::Number(_, 0) => Some("null".to_owned()),
            _ => None,
        }
    }

    fn narrowed(&self, width: u8, text: String) -> String {
        match width {
            8 => format!("((byte) {text})"),
            16 => format!("((short) {text})"),
            32 => format!("((int) {text})"),
            _ => text,
        }
    }
}

fn mask(width: u8) -> u64 {
    (1u64 << width) - 1
}
