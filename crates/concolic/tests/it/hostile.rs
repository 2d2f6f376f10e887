//! Damaged class files: an answer or a reason, never a panic and never an endless run.

use std::collections::{BTreeMap, BTreeSet};

use adit_bytecode::{Class, ClassPath, Folder};
use adit_concolic::{InterpreterLimits, Linker, summarize};
use adit_learn::compiled::Compiled;
use adit_smt::{Frugal, Missing};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::differential::{assert_predicted, interpret, public_methods, sequence, spelled};
use crate::jdk::{self, Jdk};

#[test]
fn damaged_classes_are_survived() {
    let Some(jdk) = Jdk::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    jdk.compile(&jdk::java_files(&jdk::interfaces()), folder.path());
    let mut random = ChaCha8Rng::seed_from_u64(17);
    let modules = jdk.class_path(tempfile::tempdir().unwrap().path());
    // The few classes of the platform that components use, so that damaged ones are linked with real ones.
    let platform = ["Object", "Throwable", "Exception", "RuntimeException", "Error", "AssertionError"]
        .into_iter()
        .chain([
            "IllegalStateException",
            "IllegalArgumentException",
            "NullPointerException",
            "Math",
            "Integer",
        ])
        .map(|name| {
            let name = format!("java/lang/{name}");
            let (bytes, _) = modules.find(&name).unwrap().unwrap();
            (format!("{name}.class"), bytes)
        });
    let platform: BTreeMap<String, Vec<u8>> = platform.collect();
    let limits = InterpreterLimits { steps: 2_000, paths: 20, shapes: 4, ..InterpreterLimits::USUAL };
    let (mut summarized, mut refused) = (0, 0);
    for class in ["CEV", "CEV$Parts", "Account", "BoundedBuffer", "Door", "IntMath", "Door$Motor"] {
        let original = std::fs::read(folder.path().join(format!("{class}.class"))).unwrap();
        let outer = class.split('$').next().unwrap();
        for _ in 0..150 {
            let mut files = platform.clone();
            for entry in std::fs::read_dir(folder.path()).unwrap() {
                let file = entry.unwrap().path();
                let name = file.file_name().unwrap().to_str().unwrap().to_owned();
                if name.starts_with(outer) {
                    files.insert(name, std::fs::read(&file).unwrap());
                }
            }
            let mut bytes = original.clone();
            for _ in 0..random.random_range(1..6) {
                let at = random.random_range(bytes.len() / 3..bytes.len());
                bytes[at] = random.random();
            }
            files.insert(format!("{class}.class"), bytes);
            let path = ClassPath::new(vec![Box::new(Folder::in_memory("damaged", files))]);
            let mut solver = Frugal::new(Missing);
            match summarize(&path, outer, limits, &mut solver, &mut || true) {
                Ok(_) => summarized += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(summarized > 30 && refused > 100, "{summarized} summarized, {refused} refused");
}

/// Instructions that a verifier often cannot tell apart: same operands, same types.
const ALIKE: [&[u8]; 10] = [
    // iadd, isub, imul, idiv, irem, ishl, ishr, iushr, iand, ior, ixor
    &[0x60, 0x64, 0x68, 0x6c, 0x70, 0x78, 0x7a, 0x7c, 0x7e, 0x80, 0x82],
    // ladd, lsub, lmul, ldiv, lrem, land, lor, lxor
    &[0x61, 0x65, 0x69, 0x6d, 0x71, 0x7f, 0x81, 0x83],
    // ifeq, ifne, iflt, ifge, ifgt, ifle
    &[0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e],
    // if_icmpeq and its kin
    &[0x9f, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4],
    // if_acmpeq, if_acmpne
    &[0xa5, 0xa6],
    // ifnull, ifnonnull
    &[0xc6, 0xc7],
    // iconst_m1 to iconst_5
    &[0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08],
    // ineg, i2b, i2c, i2s
    &[0x74, 0x91, 0x92, 0x93],
    // iload_0 to iload_3
    &[0x1a, 0x1b, 0x1c, 0x1d],
    // istore_0 to istore_3
    &[0x3b, 0x3c, 0x3d, 0x3e],
];

/// Changes one instruction of a class, mostly into one that a verifier accepts as well. Nothing if no
/// instruction was found.
fn mutate(bytes: &[u8], class: &Class, random: &mut ChaCha8Rng) -> Option<Vec<u8>> {
    let mut places = Vec::new();
    for code in class.methods.iter().filter_map(|method| method.code.as_ref()) {
        let mut head = [code.max_stack.to_be_bytes(), code.max_locals.to_be_bytes()].concat();
        head.extend(code.length.to_be_bytes());
        let Some(start) = bytes.windows(head.len()).position(|window| window == head) else { continue };
        places.extend(code.instructions.iter().map(|(offset, _)| start + head.len() + *offset as usize));
    }
    let alike = |&at: &usize| ALIKE.iter().find(|group| group.contains(&bytes[at]));
    let telling: Vec<usize> = places.iter().copied().filter(|at| alike(at).is_some()).collect();
    let mut mutant = bytes.to_vec();
    if random.random_bool(0.15) || telling.is_empty() {
        // Anything: an operand, an instruction of another length, none at all.
        let at = places.get(random.random_range(0..places.len().max(1)))? + random.random_range(0..3);
        *mutant.get_mut(at)? = random.random();
    } else {
        let at = telling[random.random_range(0..telling.len())];
        let group = alike(&at)?;
        mutant[at] = group[random.random_range(0..group.len())];
    }
    (mutant != bytes).then_some(mutant)
}

/// Where HotSpot accepts a damaged class, the interpreter and the summaries agree with it or know nothing.
#[test]
fn damaged_classes_that_hotspot_accepts_behave_as_there() {
    let Some(jdk) = Jdk::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut sources = jdk::java_files(&jdk::interfaces());
    let java = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java");
    sources.extend(["Driver.java", "Mutants.java"].map(|name| java.join(name)));
    jdk.compile(&sources, folder.path());
    let mut random = ChaCha8Rng::seed_from_u64(23);
    let limits = InterpreterLimits { steps: 20_000, paths: 40, shapes: 4, ..InterpreterLimits::USUAL };
    let damaged = tempfile::tempdir().unwrap();
    let (mut input, mut sent, mut components) = (String::new(), Vec::new(), Vec::new());
    let (mut mutants, mut unreadable) = (0, 0);
    for name in ["Account", "AltBit", "AccMeter", "BoundedBuffer", "CEV", "IntMath", "Signature", "Stream"] {
        let original = std::fs::read(folder.path().join(format!("{name}.class"))).unwrap();
        let class = Class::parse(&original, name).unwrap();
        for _ in 0..40 {
            let Some(mutant) = mutate(&original, &class, &mut random) else { continue };
            let place = damaged.path().join(mutants.to_string());
            std::fs::create_dir(&place).unwrap();
            for entry in std::fs::read_dir(folder.path()).unwrap() {
                let file = entry.unwrap().path();
                let file_name = file.file_name().unwrap().to_str().unwrap();
                if file_name.starts_with(&format!("{name}$")) {
                    std::fs::copy(&file, place.join(file_name)).unwrap();
                }
            }
            std::fs::write(place.join(format!("{name}.class")), &mutant).unwrap();
            mutants += 1;
            let path = jdk.class_path(&place);
            let mut linker = Linker::new(&path);
            let (Ok(class), true) = (path.class(name), linker.class(name).is_ok()) else {
                unreadable += 1;
                continue;
            };
            let component = summarize(&path, name, limits, &mut Frugal::new(Missing), &mut || true).ok();
            components.push(component.map(|component| (Compiled::new(&component), component)));
            let methods = public_methods(&class);
            for _ in 0..8 {
                let mut calls = sequence(&methods, &mut random);
                let ours = interpret(&mut linker, name, &calls);
                // Where the interpreter gives up, HotSpot might not come to an end.
                let known: Vec<&str> = ours.split(';').take_while(|said| !said.starts_with('?')).collect();
                calls.truncate(known.len());
                if !calls.is_empty() {
                    input += &format!("{};{}", mutants - 1, spelled(name, &calls));
                    sent.push((components.len() - 1, calls, known.join(";")));
                }
            }
        }
    }
    let said = jdk.run(folder.path(), "Mutants", &[damaged.path().to_str().unwrap()], &input);
    let (mut accepted, mut rejected, mut predicted) = (BTreeSet::new(), BTreeSet::new(), 0);
    for ((line, (component, calls, ours)), theirs) in input.lines().zip(&sent).zip(said.lines()) {
        if theirs == "rejected" {
            rejected.insert(*component);
            continue;
        }
        accepted.insert(*component);
        assert_eq!(ours, theirs, "{line}");
        if let Some((compiled, component)) = &mut components[*component] {
            predicted += assert_predicted(calls, theirs, component, compiled);
        }
    }
    assert_eq!(said.lines().count(), sent.len());
    let (accepted, rejected) = (accepted.len(), rejected.len());
    assert!(
        accepted > 150 && rejected > 5 && predicted > 1_500,
        "of {mutants} mutants {accepted} accepted, {rejected} rejected, {unreadable} unreadable; {predicted} calls \
         predicted"
    );
}
