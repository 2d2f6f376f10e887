//! Generated components: summaries against the interpreter, which in turn is compared with HotSpot.

use std::fmt::Write;

use adit_bytecode::{Flags, Method};
use adit_concolic::{InterpreterLimits, Linker, summarize};
use adit_learn::compiled::Compiled;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::differential::{assert_predicted, interpret, sequence};
use crate::jdk::Jdk;
use crate::learning::solver;

/// Writes classes with fields of many types whose methods decide, assign and throw.
struct Writer<'r> {
    random: &'r mut ChaCha8Rng,
    text: String,
}

const NUMBERS: [&str; 12] = [
    "i",
    "x",
    "y",
    "(int) w",
    "b",
    "s",
    "c",
    "part.count",
    "t[x & 3]",
    "t[i & 3]",
    "(int) (w >>> 7)",
    "part.twice(y)",
];

impl Writer<'_> {
    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.random.random_range(0..of.len())]
    }

    fn constant(&mut self) -> i32 {
        let some = [0, 1, 2, -1, 3, 100, 255, -128, i32::MAX, i32::MIN];
        some[self.random.random_range(0..some.len())]
    }

    fn number(&mut self, depth: usize) -> String {
        match self.random.random_range(0..8) {
            0 => format!("({})", self.constant()),
            1..=4 => self.pick(&NUMBERS).to_owned(),
            _ if depth == 0 => self.pick(&NUMBERS).to_owned(),
            5 => format!("({} & {})", self.number(depth - 1), self.constant()),
            6 => {
                let (operator, distance) = (self.pick(&["<<", ">>", ">>>"]), self.random.random_range(0..35));
                format!("({} {operator} {distance})", self.number(depth - 1))
            }
            _ => {
                let operator = self.pick(&["+", "-", "^", "|"]);
                format!("({} {operator} {})", self.number(depth - 1), self.number(depth - 1))
            }
        }
    }

    fn condition(&mut self) -> String {
        let relation = self.pick(&["==", "!=", "<", "<=", ">", ">="]);
        match self.random.random_range(0..6) {
            0 => self.pick(&["z", "f", "!z", "z ^ f", "z & f"]).to_owned(),
            1 => format!("w {relation} {}L", self.constant()),
            2 => format!("{} && {}", self.simple(), self.simple()),
            3 => format!("{} || {}", self.simple(), self.simple()),
            _ => format!("{} {relation} {}", self.number(1), self.number(1)),
        }
    }

    fn simple(&mut self) -> String {
        let relation = self.pick(&["==", "!=", "<", ">="]);
        format!("{} {relation} {}", self.pick(&NUMBERS), self.constant())
    }

    fn statement(&mut self, depth: usize) {
        match self.random.random_range(0..if depth == 0 { 8 } else { 12 }) {
            0 => {
                let value = self.number(1);
                writeln!(self.text, "i = {value};").unwrap();
            }
            1 => {
                let value = self.number(1);
                writeln!(self.text, "w = w + {value};").unwrap();
            }
            2 => {
                let condition = self.condition();
                writeln!(self.text, "z = {condition};").unwrap();
            }
            3 => {
                let (target, value) = (self.pick(&["b", "s", "c"]), self.number(1));
                writeln!(self.text, "{target} += {value};").unwrap();
            }
            4 => {
                let (index, value) = (self.pick(&["x & 3", "i & 3", "2"]), self.number(1));
                writeln!(self.text, "t[{index}] = {value};").unwrap();
            }
            5 => writeln!(self.text, "part.count++;").unwrap(),
            6 => writeln!(self.text, "part = z ? part : new Part();").unwrap(),
            7 => {
                let condition = self.condition();
                writeln!(self.text, "if ({condition}) throw new IllegalStateException();").unwrap();
            }
            8 => {
                let (key, many) = (self.pick(&["x", "i", "b", "part.count"]), self.constant() / 3);
                writeln!(self.text, "switch (0 + {key}) {{ case 77: i++; break; case {many}: ").unwrap();
                self.statement(depth - 1);
                self.text += "default: f = !f; }\n";
            }
            _ => {
                let condition = self.condition();
                writeln!(self.text, "if ({condition}) {{").unwrap();
                self.statement(depth - 1);
                self.text += "} else {\n";
                self.statement(depth - 1);
                self.text += "}\n";
            }
        }
    }

    fn class(&mut self, number: usize) {
        writeln!(self.text, "class Part{number} {{ int count; int twice(int n) {{ return n + n; }} }}")
            .unwrap();
        let mut body = std::mem::take(&mut self.text);
        writeln!(self.text, "public class C{number} {{").unwrap();
        self.text += "int i; long w; boolean z, f; byte b; short s; char c; int[] t = new int[4];\n";
        self.text += "Part part = new Part();\n";
        self.method(&format!("public C{number}(int x, int y)"));
        for (at, parameters) in
            ["int x, int y", "byte x, boolean f", "long w, char x", "short x, char c", "int x, int y"]
                .iter()
                .enumerate()
        {
            self.method(&format!("public void m{at}({parameters})"));
        }
        self.text += "}\n";
        body += &self
            .text
            .replace("Part ", &format!("Part{number} "))
            .replace("new Part()", &format!("new Part{number}()"));
        self.text = body;
    }

    fn method(&mut self, head: &str) {
        writeln!(self.text, "{head} {{").unwrap();
        for local in ["int x", "int y"] {
            let name = local.rsplit(' ').next().unwrap();
            if !head.contains(&format!(" {name},")) && !head.contains(&format!(" {name})")) {
                writeln!(self.text, "{local} = 5;").unwrap();
            }
        }
        for _ in 0..3 {
            self.statement(2);
        }
        self.text += "}\n";
    }
}

const CLASSES: usize = 30;

#[test]
fn summaries_of_generated_components_predict_the_interpreter() {
    let (Some(jdk), Some(mut solver)) = (Jdk::find(), solver()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut sources = Vec::new();
    for number in 0..CLASSES {
        let mut writer = Writer { random: &mut random, text: String::new() };
        writer.class(number);
        let file = folder.path().join(format!("C{number}.java"));
        std::fs::write(&file, &writer.text).unwrap();
        sources.push(file);
    }
    jdk.compile(&sources, folder.path());
    let path = jdk.class_path(folder.path());
    let mut linker = Linker::new(&path);
    // Deep expressions cost the solver time; what is beyond these limits is unknown, which is right as well.
    let limits = InterpreterLimits { paths: 120, ..InterpreterLimits::USUAL };
    let mut predicted = 0;
    for number in 0..CLASSES {
        let name = format!("C{number}");
        let component = summarize(&path, &name, limits, &mut solver, &mut || true).unwrap();
        let mut compiled = Compiled::new(&component);
        let class = path.class(&name).unwrap();
        let methods: Vec<&Method> =
            class.methods.iter().filter(|method| method.flags.has(Flags::PUBLIC)).collect();
        for _ in 0..150 {
            let calls = sequence(&methods, &mut random);
            let said = interpret(&mut linker, &name, &calls);
            predicted += assert_predicted(&calls, &said, &component, &mut compiled);
        }
    }
    assert!(predicted > 5_000, "only {predicted} calls were predicted");
}
