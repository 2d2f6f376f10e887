//! Independence of methods: from bytecode alone, against what the summaries say.

use std::collections::BTreeSet;

use adit_bytecode::effects::{Analysis, Effects, Limits as EffectLimits};
use adit_bytecode::{Flags, MethodId, Program};
use adit_concolic::{InterpreterLimits, summarize_and_interpret};
use adit_learn::compiled::Compiled;
use adit_learn::{Execute, Role};
use expect_test::expect;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::learning::{components, solver};

const CLASSES: [&str; 8] =
    ["Signature", "Stream", "AltBit", "AccMeter", "CEV", "Socket", "Account", "BoundedBuffer"];

/// Whatever bytecode says is independent is so in the summaries, which know more.
#[test]
fn effects_of_bytecode_find_independent_methods() {
    let (Some((_folder, path)), Some(mut solver)) = (components(), solver()) else { return };
    let names = path.names();
    let ours = |name: &&String| !name.contains('/') || name.starts_with("java/lang/");
    let program = Program::new(&path, names.iter().filter(ours).map(String::as_str));
    let mut said = String::new();
    for name in CLASSES {
        let (component, _) =
            summarize_and_interpret(&path, name, InterpreterLimits::USUAL, &mut solver, &mut || true)
                .unwrap();
        let class = path.class(name).unwrap();
        let mut analysis =
            Analysis::new(&program, BTreeSet::new(), EffectLimits { methods: 2_000, targets: 16 });
        let methods: Vec<Effects> = class
            .methods
            .iter()
            .filter(|method| method.flags.has(Flags::PUBLIC) && !method.name.starts_with('<'))
            .map(|method| analysis.effects(&MethodId::new(name, &method.name, &method.descriptor)).unwrap())
            .collect();
        let known: Vec<usize> =
            (0..component.methods.len()).filter(|&at| component.methods[at].role == Role::Instance).collect();
        assert_eq!(known.len(), methods.len());
        let has_shapes = component.fields.iter().any(|field| field.name == "shape of this");
        let (mut by_effects, mut by_summaries, mut pairs) = (0, 0, 0);
        for (at, one) in methods.iter().enumerate() {
            for (to, other) in methods.iter().enumerate().take(at + 1) {
                let (bytecode, summary) =
                    (one.independent(other), component.independent(known[at], known[to]));
                // Every call says which shape comes next, so where there are several, summaries know less.
                assert!(!bytecode || summary || has_shapes, "{name}: {at} and {to}");
                pairs += 1;
                by_effects += usize::from(bytecode);
                by_summaries += usize::from(summary);
            }
        }
        said += &format!("{name}: {by_effects} by bytecode, {by_summaries} by summaries, of {pairs} pairs\n");
    }
    expect![[r#"
        Signature: 6 by bytecode, 6 by summaries, of 15 pairs
        Stream: 8 by bytecode, 8 by summaries, of 10 pairs
        AltBit: 0 by bytecode, 0 by summaries, of 3 pairs
        AccMeter: 17 by bytecode, 19 by summaries, of 28 pairs
        CEV: 127 by bytecode, 127 by summaries, of 171 pairs
        Socket: 1087 by bytecode, 1087 by summaries, of 1176 pairs
        Account: 6 by bytecode, 0 by summaries, of 15 pairs
        BoundedBuffer: 1 by bytecode, 0 by summaries, of 10 pairs
    "#]]
    .assert_eq(&said);
}

/// The interpreter and the compiled summaries agree, also on states that are not reachable.
#[test]
fn the_interpreter_executes_what_summaries_say() {
    let (Some((_folder, path)), Some(mut solver)) = (components(), solver()) else { return };
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for name in CLASSES.into_iter().chain(["Door", "TokenLock", "IntMath"]) {
        let (component, mut interpreted) =
            summarize_and_interpret(&path, name, InterpreterLimits::USUAL, &mut solver, &mut || true)
                .unwrap();
        let mut compiled = Compiled::new(&component);
        let some = [0, 1, -1, 2, 3, 50, 1000, 100_000, i64::from(i32::MAX), i64::from(i32::MIN)];
        for _ in 0..300 {
            let mut fields = component.initial();
            for step in 0..8 {
                let is_first = |at: &usize| (component.methods[*at].role == Role::Constructor) == (step == 0);
                let choices: Vec<usize> = (0..component.methods.len()).filter(is_first).collect();
                let method = choices[random.random_range(0..choices.len())];
                let arguments: Vec<i64> = component.methods[method]
                    .parameters
                    .iter()
                    .map(|parameter| {
                        let number = some[random.random_range(0..some.len())];
                        adit_learn::number(adit_learn::value(parameter.kind.sort(), number))
                    })
                    .collect();
                let mut theirs = fields.clone();
                let expected = compiled.call(method, &arguments, &mut fields);
                let outcome = interpreted.call(method, &arguments, &mut theirs);
                let said = format!("{name}: {} {arguments:?}", component.methods[method].name);
                assert_eq!(outcome, expected, "{said}");
                if expected != adit_learn::WordOutcome::Ok {
                    break;
                }
                assert_eq!(theirs, fields, "{said}");
            }
        }
    }
}
