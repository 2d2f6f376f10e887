//! Values that need no call: numbers, characters, strings, and what may stand for any object.
//!
//! Most values are small and few, so that equal ones meet: `remove(x)` does something only after `add(x)`.
//! Some lie at the borders of their types, and some come from the class under test itself, which compares
//! with them.
//!
//! Paper: none; a choice of values by experience.

use std::collections::BTreeSet;

use adit_bytecode::{Constants, Instruction, Program, Type};
use adit_trace::Argument;

use crate::Api;
use crate::api::is_public;
use crate::makers::package;

/// Values with their weights.
pub(crate) type Weighted = Vec<(Argument, u32)>;

/// The values that need no call.
pub(crate) struct Values {
    ints: BTreeSet<i64>,
    floats: Vec<f64>,
    texts: Vec<String>,
    classes: Vec<String>,
    /// The types above `String`, and those above `Integer`, which stand for the others.
    above_text: BTreeSet<String>,
    above_number: BTreeSet<String>,
}

/// So many constants of each kind are used; a class with tables has thousands.
const MOST_CONSTANTS: usize = 32;

/// Longer strings are messages, not something that is compared with.
const LONGEST_TEXT: usize = 24;

impl Values {
    /// The values for an API, with the constants of its class and of what that calls nearby.
    pub(crate) fn new(program: &Program<'_>, api: &Api) -> Values {
        let mut values = Values {
            ints: BTreeSet::new(),
            floats: Vec::new(),
            texts: Vec::new(),
            classes: vec!["java.lang.Object".into(), "java.lang.String".into(), "java.lang.Integer".into()],
            above_text: above(
                program,
                "java/lang/String",
                &["java/lang/Comparable", "java/lang/CharSequence"],
            ),
            above_number: above(program, "java/lang/Integer", &["java/lang/Comparable", "java/lang/Number"]),
        };
        for name in neighborhood(program, &api.internal_name()) {
            if let Some(class) = program.class(&name) {
                values.add(program, &Constants::of(&class));
            }
        }
        values
    }

    fn add(&mut self, program: &Program<'_>, constants: &Constants) {
        // Large numbers are hashes and bit masks, of which no neighbor is worth more than another.
        let ints = constants.ints_and_neighbors().into_iter().map(i64::from);
        let mut ints: Vec<i64> = ints.chain(constants.longs.iter().copied()).collect();
        ints.sort_by_key(|value| value.unsigned_abs());
        let room = MOST_CONSTANTS.saturating_sub(self.ints.len());
        self.ints.extend(ints.into_iter().take(room));
        let floats = constants.floats.iter().map(|&bits| f64::from(f32::from_bits(bits)));
        let floats = floats.chain(constants.doubles.iter().map(|&bits| f64::from_bits(bits)));
        let room = MOST_CONSTANTS.saturating_sub(self.floats.len());
        self.floats.extend(floats.take(room));
        for text in &constants.strings {
            let is_new = !self.texts.iter().any(|known| **known == **text);
            if is_new && text.len() <= LONGEST_TEXT && self.texts.len() < MOST_CONSTANTS {
                self.texts.push(text.to_string());
            }
        }
        for class in constants.classes.iter().filter_map(|name| program.outline(name)) {
            let (is_public, class) = (is_public(program, class), class.dotted_name());
            if is_public && self.classes.len() < 8 && !self.classes.contains(&class) {
                self.classes.push(class);
            }
        }
    }

    /// The values of a type; none if they need calls.
    pub(crate) fn of(&self, wanted: &Type) -> Weighted {
        match wanted {
            Type::Boolean => vec![(Argument::Bool(false), 1), (Argument::Bool(true), 1)],
            Type::Char => {
                let letters =
                    [('a', 4), ('b', 3), ('A', 1), ('0', 2), (' ', 2), (',', 2), ('-', 1), ('\n', 1)];
                let mut all: Weighted =
                    letters.iter().map(|&(letter, weight)| (Argument::Int(letter as i64), weight)).collect();
                let constants = self.ints.iter().filter(|&&value| (32..0xffff).contains(&value));
                all.extend(constants.map(|&value| (Argument::Int(value), 1)));
                all.extend([(Argument::Int(0), 1), (Argument::Int(0xffff), 1)]);
                all
            }
            Type::Byte => self.whole(i8::MIN.into(), i8::MAX.into()),
            Type::Short => self.whole(i16::MIN.into(), i16::MAX.into()),
            Type::Int => self.whole(i32::MIN.into(), i32::MAX.into()),
            Type::Long => self.whole(i64::MIN, i64::MAX),
            Type::Float | Type::Double => self.broken(),
            Type::Class(name) => self.of_class(name),
            Type::Array(_) => Vec::new(),
        }
    }

    fn whole(&self, least: i64, most: i64) -> Weighted {
        const SMALL: [(i64, u32); 8] = [(0, 8), (1, 8), (2, 8), (3, 5), (-1, 3), (4, 2), (7, 2), (10, 2)];
        let mut all: Weighted = SMALL.map(|(value, weight)| (Argument::Int(value), weight)).into();
        all.extend([(Argument::Int(least), 1), (Argument::Int(most), 1)]);
        let is_new =
            |value: &&i64| (least..=most).contains(*value) && !SMALL.iter().any(|(small, _)| small == *value);
        all.extend(self.ints.iter().filter(is_new).map(|&value| (Argument::Int(value), 1)));
        all
    }

    fn broken(&self) -> Weighted {
        const USUAL: [(f64, u32); 6] = [(0.0, 4), (1.0, 4), (-1.0, 2), (0.5, 2), (2.0, 2), (100.0, 1)];
        const STRANGE: [f64; 6] =
            [-0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE];
        let usual = USUAL.iter().copied();
        let rest = STRANGE.iter().chain(&self.floats).map(|&value| (value, 1));
        usual.chain(rest).map(|(value, weight)| (Argument::Float(value), weight)).collect()
    }

    fn of_class(&self, name: &str) -> Weighted {
        let boxed = |wanted: Type| {
            let mut all = self.of(&wanted);
            all.push((Argument::Null, 1));
            all
        };
        match name {
            "java/lang/String" | "java/lang/CharSequence" => self.texts(),
            "java/lang/Boolean" => boxed(Type::Boolean),
            "java/lang/Character" => boxed(Type::Char),
            "java/lang/Byte" => boxed(Type::Byte),
            "java/lang/Short" => boxed(Type::Short),
            "java/lang/Integer" | "java/lang/Number" => boxed(Type::Int),
            "java/lang/Long" => boxed(Type::Long),
            "java/lang/Float" | "java/lang/Double" => boxed(Type::Double),
            "java/lang/Class" => {
                let mut all: Weighted =
                    self.classes.iter().map(|name| (Argument::Class(name.clone()), 3)).collect();
                all.push((Argument::Null, 1));
                all
            }
            _ => self.anything(name),
        }
    }

    fn texts(&self) -> Weighted {
        const USUAL: [(&str, u32); 42] = [
            ("", 4),
            ("a", 6),
            ("b", 5),
            ("c", 3),
            ("abc", 2),
            ("a b", 2),
            ("a b c", 3),
            ("a,b,c", 2),
            ("a b c d e f", 2),
            ("1.2-3:4 5,6", 1),
            (" ", 2),
            (",", 1),
            ("-", 1),
            (" \t\n", 1),
            ("0", 1),
            ("1", 2),
            ("42", 1),
            ("-7", 1),
            ("1.5", 1),
            ("Ab-12.c", 1),
            ("1,a 2,b", 1),
            ("\u{e9}\u{1f600}", 1),
            ("one\ntwo\nthree\n", 2),
            ("a,b\n1,2\n", 1),
            ("3.14", 1),
            ("true", 1),
            ("a=b", 1),
            ("2024-02-29", 1),
            ("2024-02-29T12:30:00Z", 1),
            ("http://localhost/a?b=c", 1),
            ("{\"a\": 1, \"b\": [true, null]}", 1),
            ("<a b=\"c\"><d>e</d></a>", 1),
            ("[1, [2.5, \"a\"], null]", 1),
            ("[{\"a\": \"b\"}, false]", 1),
            ("{}", 1),
            ("null", 1),
            ("<?xml version=\"1.0\"?><a/>", 1),
            ("a: b\nc = d\n", 1),
            ("12:30:00", 1),
            ("1e-3", 1),
            ("0x1F", 1),
            ("SELECT 1", 1),
        ];
        let mut all: Weighted =
            USUAL.iter().map(|&(text, weight)| (Argument::Text(text.to_owned()), weight)).collect();
        let is_new = |text: &&String| !USUAL.iter().any(|(usual, _)| usual == *text);
        all.extend(self.texts.iter().filter(is_new).map(|text| (Argument::Text(text.clone()), 2)));
        all.push((Argument::Null, 1));
        all
    }

    /// Values for a parameter that takes any object: few, so that equal ones meet. Strings are most, because
    /// mixed values cannot be compared with each other.
    fn anything(&self, name: &str) -> Weighted {
        let mut all = Weighted::new();
        if self.above_text.contains(name) {
            all.extend(["a", "b", "c"].map(|text| (Argument::Text(text.to_owned()), 6)));
            // So that there are as many different ones as a long array has places.
            all.extend(["d", "e", "f"].map(|text| (Argument::Text(text.to_owned()), 2)));
        }
        if self.above_number.contains(name) {
            all.extend([0, 1, 2].map(|value| (Argument::Int(value), 2)));
        }
        if !all.is_empty() {
            all.push((Argument::Null, 1));
        }
        all
    }
}

/// The types above a class; if the program does not have the class, those that every Java has above it.
fn above(program: &Program<'_>, class: &str, known: &[&str]) -> BTreeSet<String> {
    let mut all: BTreeSet<String> =
        program.supertypes(class).iter().map(|class| class.name.to_string()).collect();
    all.remove(class);
    all.extend(known.iter().map(|&name| name.to_owned()));
    all.extend(["java/lang/Object".to_owned(), "java/io/Serializable".to_owned()]);
    all
}

/// The class, what it inherits from, the classes inside it, and those of its package that it calls.
fn neighborhood(program: &Program<'_>, class: &str) -> BTreeSet<String> {
    let mut all: BTreeSet<String> = BTreeSet::from([class.to_owned()]);
    let inherited = program.supertypes(class).into_iter().filter(|above| !above.is_interface());
    all.extend(inherited.map(|above| above.name.to_string()).filter(|name| name != "java/lang/Object"));
    let whole = program.class(class);
    let bodies = whole.iter().flat_map(|class| &class.methods).filter_map(|method| method.code.as_ref());
    for (_, instruction) in bodies.flat_map(|code| &code.instructions) {
        if let Instruction::Invoke(_, member) = instruction
            && (package(&member.class) == package(class) || member.class.starts_with(&format!("{class}$")))
            && !member.class.starts_with('[')
            && all.len() < 12
        {
            all.insert(member.class.to_string());
        }
    }
    all
}
