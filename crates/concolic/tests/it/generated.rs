//! Generated programs of arithmetic and control flow: the interpreter against HotSpot.

use std::fmt::Write;

use adit_concolic::{Completion, Concrete, InterpreterLimits, Linker, Machine, MachineState, Run, Word};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::jdk::Jdk;

/// Writes Java methods from `(int, int, long)` to `long`.
struct Writer<'r> {
    random: &'r mut ChaCha8Rng,
    text: String,
    depth: usize,
    /// Number of loops so far, for the names of their counters.
    loops: usize,
    /// Methods that may be called.
    known: usize,
}

const INTS: [&str; 7] = ["a", "b", "i", "s[k & 3]", "by", "sh", "ch"];

impl Writer<'_> {
    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.random.random_range(0..of.len())]
    }

    fn constant(&mut self) -> String {
        let interesting = [0, 1, -1, 2, 3, 7, 31, 32, 33, 127, 128, 255, 65_535, i32::MAX, i32::MIN];
        match self.random.random_range(0..3) {
            0 => format!("({})", self.random.random::<i32>()),
            _ => format!("({})", interesting[self.random.random_range(0..interesting.len())]),
        }
    }

    fn int(&mut self, depth: usize) -> String {
        if depth == 0 {
            return if self.random.random_bool(0.5) { self.constant() } else { self.pick(&INTS).to_owned() };
        }
        match self.random.random_range(0..12) {
            0..=6 => {
                let operator = self.pick(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>"]);
                format!("({} {operator} {})", self.int(depth - 1), self.int(depth - 1))
            }
            7 => format!("(-{})", self.int(depth - 1)),
            8 => {
                let narrow = self.pick(&["byte", "short", "char", "int"]);
                let from =
                    if self.random.random_bool(0.5) { self.int(depth - 1) } else { self.wide(depth - 1) };
                format!("(({narrow}) {from})")
            }
            9 => format!("((int) {})", self.real(depth - 1)),
            10 => format!("({} ? {} : {})", self.condition(), self.int(depth - 1), self.int(depth - 1)),
            _ => format!("(~{})", self.int(depth - 1)),
        }
    }

    fn wide(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.pick(&["c", "w", "(long) a", "0x123456789L", "-1L", "Long.MIN_VALUE"]).to_owned();
        }
        match self.random.random_range(0..8) {
            0..=4 => {
                let operator = self.pick(&["+", "-", "*", "/", "%", "&", "|", "^"]);
                format!("({} {operator} {})", self.wide(depth - 1), self.wide(depth - 1))
            }
            5 => {
                let operator = self.pick(&["<<", ">>", ">>>"]);
                format!("({} {operator} {})", self.wide(depth - 1), self.int(depth - 1))
            }
            6 if self.known > 0 => {
                let which = self.random.random_range(0..self.known);
                format!("f{which}({}, {}, {})", self.int(0), self.int(0), self.wide(0))
            }
            _ => format!("((long) {})", self.real(depth - 1)),
        }
    }

    fn real(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.pick(&["d", "fl", "1.5", "0.1f", "-1e300", "(double) c", "(float) a"]).to_owned();
        }
        let operator = self.pick(&["+", "-", "*", "/", "%"]);
        format!("({} {operator} {})", self.real(depth - 1), self.real(depth - 1))
    }

    fn condition(&mut self) -> String {
        let relation = self.pick(&["==", "!=", "<", "<=", ">", ">="]);
        match self.random.random_range(0..4) {
            0 => format!("{} {relation} {}", self.wide(1), self.wide(1)),
            1 => format!("{} {relation} {}", self.real(1), self.real(1)),
            _ => format!("{} {relation} {}", self.int(1), self.int(1)),
        }
    }

    fn statement(&mut self) {
        self.depth += 1;
        let simple = self.depth > 4;
        match self.random.random_range(0..if simple { 8 } else { 12 }) {
            0 | 1 => {
                let (target, value) = (self.pick(&["a", "b", "i"]), self.int(2));
                let assign = self.pick(&["=", "+=", "-=", "*=", "^=", ">>>=", "<<="]);
                writeln!(self.text, "{target} {assign} {value};").unwrap();
            }
            2 => {
                let (target, value) = (self.pick(&["by", "sh", "ch"]), self.int(2));
                writeln!(self.text, "{target} += {value};").unwrap();
            }
            3 => {
                let value = self.wide(2);
                writeln!(self.text, "w = {value};").unwrap();
            }
            4 => {
                let (target, value) = (self.pick(&["d", "fl"]), self.real(2));
                writeln!(self.text, "{target} += {value};").unwrap();
            }
            5 => {
                let (index, value) = (self.int(1), self.int(1));
                let mask = if self.random.random_bool(0.9) { " & 3" } else { "" };
                writeln!(self.text, "s[{index}{mask}] = {value};").unwrap();
            }
            6 => writeln!(self.text, "i++; k = s.length - 1 - (i & 3);").unwrap(),
            7 => {
                let value = self.int(1);
                writeln!(self.text, "box.put({value}); w += box.sum;").unwrap();
            }
            8 => {
                let condition = self.condition();
                writeln!(self.text, "if ({condition}) {{").unwrap();
                self.block();
                self.text += "} else {\n";
                self.block();
                self.text += "}\n";
            }
            9 => {
                let counter = format!("n{}", self.loops);
                self.loops += 1;
                let (start, condition) = (self.random.random_range(1..6), self.condition());
                writeln!(self.text, "for (int {counter} = {start}; {counter} > 0; {counter}--) {{").unwrap();
                writeln!(self.text, "if ({condition}) continue;").unwrap();
                self.block();
                self.text += "}\n";
            }
            10 => {
                let key = self.int(1);
                let sparse = self.random.random_bool(0.5);
                writeln!(self.text, "switch (0 + {key}) {{").unwrap();
                for case in 0..3 {
                    let key = if sparse { case * 1000 - 7 } else { case };
                    writeln!(self.text, "case {key}:").unwrap();
                    self.block();
                    if self.random.random_bool(0.6) {
                        self.text += "break;\n";
                    }
                }
                self.text += "default: i ^= 5;\n}\n";
            }
            _ => {
                self.text += "try {\n";
                self.block();
                let caught = self.pick(&["ArithmeticException", "RuntimeException"]);
                let last = format!("e{}", self.loops);
                self.loops += 1;
                writeln!(self.text, "}} catch ({caught} {last}) {{ i += 3; }} finally {{ w ^= 9; }}")
                    .unwrap();
            }
        }
        self.depth -= 1;
    }

    fn block(&mut self) {
        for _ in 0..self.random.random_range(1..3) {
            self.statement();
        }
    }

    fn method(&mut self, number: usize) {
        writeln!(self.text, "static long f{number}(int a, int b, long c) {{").unwrap();
        self.text += "int i = 1, k = 0; long w = c; double d = a; float fl = b; byte by = (byte) a;\n";
        self.text += "short sh = (short) b; char ch = (char) a; int[] s = {a, b, 3, (int) c};\n";
        self.text += "Box box = (a & 1) == 0 ? new Box() : new Odd();\n";
        self.known = number;
        for _ in 0..4 {
            self.statement();
        }
        self.text += "long r = w + 31L * i + 7L * s[0] + 5L * s[3] + by + sh + ch + a + b;\n";
        self.text += "r ^= Double.doubleToLongBits(d) + Float.floatToIntBits(fl);\nreturn r;\n}\n";
    }
}

const METHODS: usize = 120;
const BOXES: &str = "
static class Box { long sum; void put(int n) { if (n < 0) throw new IllegalArgumentException(\"n \" + n); sum += n; } }
static class Odd extends Box { @Override void put(int n) { if ((n & 1) == 0) super.put(n ^ 1); else sum -= n; } }
";

fn arguments(random: &mut ChaCha8Rng) -> (i32, i32, i64) {
    let small = |random: &mut ChaCha8Rng| match random.random_range(0..3) {
        0 => random.random_range(-3..4),
        1 => [i32::MAX, i32::MIN, 1 << 16, 255][random.random_range(0..4)],
        _ => random.random(),
    };
    let wide = if random.random_bool(0.5) { i64::from(small(random)) } else { random.random() };
    (small(random), small(random), wide)
}

#[test]
fn generated_programs_compute_what_hotspot_computes() {
    let Some(jdk) = Jdk::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let mut writer = Writer { random: &mut random, text: String::new(), depth: 0, loops: 0, known: 0 };
    (0..METHODS).for_each(|number| writer.method(number));
    let methods = writer.text;
    let mut main = String::new();
    let mut cases = Vec::new();
    for number in 0..METHODS {
        for _ in 0..12 {
            let (a, b, c) = arguments(&mut random);
            cases.push((number, a, b, c));
            writeln!(main, "{number} {a} {b} {c}").unwrap();
        }
    }
    let calls: String =
        (0..METHODS).map(|number| format!("case {number}: return f{number}(a, b, c);\n")).collect();
    let source = format!(
        "public class Generated {{ {BOXES} {methods}
        static long call(int f, int a, int b, long c) {{ switch (f) {{ {calls} default: return 0; }} }}
        public static void main(String[] args) throws Exception {{
            java.io.BufferedReader in =
                new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
            for (String line = in.readLine(); line != null; line = in.readLine()) {{
                String[] p = line.split(\" \");
                String said;
                try {{
                    said = \"\" + call(Integer.parseInt(p[0]), Integer.parseInt(p[1]),
                        Integer.parseInt(p[2]), Long.parseLong(p[3]));
                }} catch (Throwable t) {{ said = \"!\" + t.getClass().getName(); }}
                System.out.println(said);
            }}
        }} }}"
    );
    let file = folder.path().join("Generated.java");
    std::fs::write(&file, &source).unwrap();
    jdk.compile(&[file], folder.path());
    let theirs = jdk.run(folder.path(), "Generated", &main);
    let path = jdk.class_path(folder.path());
    let mut linker = Linker::new(&path);
    let class = linker.class("Generated").unwrap();
    let (mut machine, mut exceptions) = (Machine::new(), 0);
    assert_eq!(theirs.lines().count(), cases.len());
    for (&(number, a, b, c), theirs) in cases.iter().zip(theirs.lines()) {
        let method = linker.own_method(class, &format!("f{number}"), "(IIJ)J").unwrap();
        let mut state = MachineState::new();
        let run = Run {
            linker: &mut linker,
            state: &mut state,
            domain: &mut Concrete,
            limits: &InterpreterLimits::USUAL,
        };
        let slots = [a.into(), b.into(), c, 0].map(Word::plain);
        let ours = match machine.call(run, method, &slots) {
            Completion::Returned(Some(word)) => word.bits.to_string(),
            Completion::Returned(None) => "nothing".to_owned(),
            Completion::Threw(class) => format!("!{}", linker.class_name(class)),
            Completion::Unknown(reason) => format!("?{reason}"),
        };
        assert_eq!(ours, theirs, "f{number}({a}, {b}, {c})");
        exceptions += usize::from(theirs.starts_with('!'));
    }
    assert!(exceptions > 50 && exceptions < cases.len() / 2, "{exceptions} exceptions of {}", cases.len());
}
