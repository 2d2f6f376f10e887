//! A class with a little of everything: what is read from it, and what is said when it is damaged.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Cursor;

use adit_bytecode::probe::{Hits, Probe, probe};
use adit_bytecode::splice::{CallSite, Choice, Hook, reroute};
use adit_bytecode::{Class, ClassError, ClassPath, Constants, Folder, Jar, MemberRef, Method, Modules, flow};
use expect_test::{Expect, expect};
use miette::Diagnostic;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// Made from `tests/java/Small.java`.
const SMALL: &[u8] = include_bytes!("../classes/Small.class");

#[test]
fn everything_is_read() {
    let class = Class::parse(SMALL, "Small.class").unwrap();
    let mut said = format!("{:?} {} version {}\n", class.flags, class.name, class.major);
    writeln!(said, "extends {:?} implements {:?}", class.superclass, class.interfaces).unwrap();
    writeln!(said, "{:?} {:?} {:?}", class.source_file, class.generic_signature, class.annotations).unwrap();
    for field in &class.fields {
        writeln!(said, "{} {} = {:?}", field.field_type(), field.name, field.value).unwrap();
    }
    for method in &class.methods {
        let (signature, names) = (method.signature(), &method.parameters);
        let throws = &method.exceptions;
        writeln!(said, "{}{signature} {names:?} {throws:?} {:?}", method.name, method.annotations).unwrap();
    }
    expect![[r#"
        Flags(1056) Small version 61
        extends Some("java/lang/Object") implements ["java/util/function/Supplier"]
        Some("Small.java") Some("<T:Ljava/lang/Object;>Ljava/lang/Object;Ljava/util/function/Supplier<TT;>;") ["Ljava/lang/Deprecated;"]
        int LIMIT = Some(Int(40000))
        java.lang.String NAME = Some(String("na\0me 😀"))
        java.util.List items = None
        <init>(java.util.List) [Some("items")] [] []
        classify(int, long) [Some("key"), Some("wide")] ["java/lang/IllegalStateException"] ["Ljava/lang/Deprecated;"]
        open(float[][]) [Some("grid")] [] []
        lambda$classify$0() [] [] []
    "#]].assert_eq(&said);
}

fn hits() -> Hits {
    Hits { class: "java/lang/AditHits".to_owned() }
}

/// A switch, and a comparison to which only its last arm leads.
#[test]
fn sides_of_branches_have_probes() {
    let probed = probe(SMALL, "Small.class", &hits(), 100).unwrap();
    let mut said = String::new();
    for (number, probe) in probed.probes.iter().enumerate() {
        let Probe { method, line, side, branch, opened_by, .. } = probe;
        let line = line.unwrap();
        writeln!(
            said,
            "{} {method} (line {line}) {side:?} of {branch:?} opened by {opened_by:?}",
            100 + number
        )
        .unwrap();
    }
    expect![[r#"
        100 <init> (line 11) Entry of 100..101 opened by []
        101 classify (line 18) Arm(0) of 101..105 opened by []
        102 classify (line 18) Arm(1) of 101..105 opened by []
        103 classify (line 18) Arm(2) of 101..105 opened by []
        104 classify (line 18) Arm(3) of 101..105 opened by []
        105 classify (line 31) On of 105..107 opened by [104]
        106 classify (line 31) Jump of 105..107 opened by [104]
        107 lambda$classify$0 (line 24) Entry of 107..108 opened by []
    "#]]
    .assert_eq(&said);
    let (old, new) = (Class::parse(SMALL, "old").unwrap(), Class::parse(&probed.bytes, "new").unwrap());
    let told = |class: &Class| {
        let one = |method: &Method| {
            let code = method.code.as_ref();
            let lines: Option<Vec<u16>> = code.map(|code| code.lines.iter().map(|&(_, line)| line).collect());
            let names: Option<Vec<String>> =
                code.map(|code| code.variables.iter().map(|one| one.name.to_string()).collect());
            format!("{}{} {lines:?} {names:?}", method.name, method.descriptor)
        };
        class.methods.iter().map(one).collect::<Vec<_>>()
    };
    assert_eq!(told(&old), told(&new));
}

#[test]
fn instructions_form_blocks() {
    let class = Class::parse(SMALL, "Small.class").unwrap();
    let code = class.method("classify", "(IJ)I").unwrap().code.as_ref().unwrap();
    let mut said = String::new();
    for (number, block) in flow::blocks(code).unwrap().iter().enumerate() {
        let line = code.line_at(block.start).unwrap();
        writeln!(said, "{number} (line {line}) next {:?} handlers {:?}", block.next, block.handlers).unwrap();
        for (offset, instruction) in &code.instructions[block.instructions.clone()] {
            let text = format!("{instruction:?}").chars().take(90).collect::<String>();
            writeln!(said, "  {offset} {text}").unwrap();
        }
    }
    expect![[r#"
        0 (line 18) next [1, 3, 5, 7] handlers [9, 11]
          0 Load(Int, 1)
          1 Switch { default: 73, cases: [(1, 36), (2, 46), (1000, 56)] }
        1 (line 19) next [2] handlers [9, 11]
          36 Push(Int(10))
          38 Store(Int, 4)
        2 (line 29) next [] handlers []
          40 Increment(1, 1)
          43 Load(Int, 4)
          45 Return(Some(Int))
        3 (line 20) next [4] handlers [9, 11]
          46 Push(Int(20))
          48 Store(Int, 4)
        4 (line 29) next [] handlers []
          50 Increment(1, 1)
          53 Load(Int, 4)
          55 Return(Some(Int))
        5 (line 21) next [6] handlers [9, 11]
          56 Load(Reference, 0)
          57 GetField(MemberRef { class: "Small", name: "items", descriptor: "Ljava/util/List;", in_int
          60 Invoke(Interface, MemberRef { class: "java/util/List", name: "size", descriptor: "()I", in
          65 Store(Int, 4)
        6 (line 29) next [] handlers []
          67 Increment(1, 1)
          70 Load(Int, 4)
          72 Return(Some(Int))
        7 (line 24) next [8] handlers [9, 11]
          73 Load(Reference, 0)
          74 InvokeDynamic(CallSiteSpec { name: "run", descriptor: "(LSmall;)Ljava/lang/Runnable;", boo
          79 Store(Reference, 4)
          81 Load(Reference, 4)
          83 Invoke(Interface, MemberRef { class: "java/lang/Runnable", name: "run", descriptor: "()V",
        8 (line 29) next [13] handlers []
          88 Increment(1, 1)
          91 Goto(113)
        9 (line 26) next [10] handlers [11]
          94 Store(Reference, 4)
          96 Push(Int(-1))
          97 Store(Int, 5)
        10 (line 29) next [] handlers []
          99 Increment(1, 1)
          102 Load(Int, 5)
          104 Return(Some(Int))
        11 (line 29) next [12] handlers [11]
          105 Store(Reference, 6)
        12 (line 29) next [] handlers []
          107 Increment(1, 1)
          110 Load(Reference, 6)
          112 Throw
        13 (line 31) next [14, 15] handlers []
          113 Load(Long, 2)
          114 Push(Long(120000))
          117 Compare(Long, 0)
          118 Branch(Zero(Le), 125)
        14 (line 31) next [16] handlers []
          121 Load(Int, 1)
          122 Goto(126)
        15 (line 31) next [16] handlers []
          125 Push(Int(0))
        16 (line 31) next [] handlers []
          126 Return(Some(Int))
    "#]]
    .assert_eq(&said);
}

#[test]
fn constants_are_collected() {
    let constants = Constants::of(&Class::parse(SMALL, "Small.class").unwrap());
    let said = format!("{:?} {:?} {:?}", constants.ints, constants.longs, constants.strings);
    expect![[r#"{-1, 0, 1, 2, 10, 20, 1000, 40000} {120000} {"na\0me 😀"}"#]].assert_eq(&said);
}

fn check(error: Result<impl Sized, ClassError>, expected: Expect) {
    let error = error.err().expect("this should not be read");
    expected.assert_eq(&format!("{error}\n{}", error.help().unwrap()));
}

#[test]
fn bad_files_are_explained() {
    check(
        Class::parse(b"public class", "A.java"),
        expect![[r#"
        A.java is not a class file: it begins with 70 75 62 6C, not with CA FE BA BE
        compile source files with `javac`; add a jar to the class path"#]],
    );
    check(
        Class::parse(&SMALL[..300], "Small.class"),
        expect![[r#"
        Small.class is cut off: it ends at byte 300 in the middle of the constant pool
        compile or copy it again"#]],
    );
    let mut newer = SMALL.to_vec();
    newer[7] = 90;
    check(
        Class::parse(&newer, "Small.class"),
        expect![[r#"
        Small.class was compiled for Java 46 (class file version 90); adit reads classes up to Java 25 (version 69)
        compile it with `javac --release 25`, or use a newer adit"#]],
    );
    let mut strange = SMALL.to_vec();
    strange[10] = 2;
    check(
        Class::parse(&strange, "Small.class"),
        expect![[r#"
        Small.class is not a well-formed class file: a constant of an unknown kind at byte 10
        check it with `javap -v`; did an obfuscator or a faulty tool change it?"#]],
    );
    check(
        Jar::new("a.jar", Cursor::new(b"PK but not really"), 17),
        expect![[r#"
        a.jar cannot be read as a jar: invalid Zip archive: Could not find EOCD
        a jar is a zip file; `jar tf a.jar` should list it. Was the download cut off?"#]],
    );
    check(
        Modules::new("modules", Cursor::new(b"\xda\xda\xfe\xca\0\0")),
        expect![[r#"
        modules cannot be read as the modules of a JDK: it is too short
        since Java 9 the file is `lib/modules`; an older JDK keeps its classes in `jre/lib/rt.jar`"#]],
    );
    check(
        Modules::new("rt.jar", Cursor::new([0; 100])),
        expect![[r#"
        rt.jar cannot be read as the modules of a JDK: it does not begin with the magic number of such a file
        since Java 9 the file is `lib/modules`; an older JDK keeps its classes in `jre/lib/rt.jar`"#]],
    );
}

fn path_of(files: &[(&str, &[u8])]) -> ClassPath {
    let files: BTreeMap<String, Vec<u8>> =
        files.iter().map(|&(name, bytes)| (name.to_owned(), bytes.to_vec())).collect();
    ClassPath::new(vec![Box::new(Folder::in_memory("out", files))])
}

#[test]
fn unknown_and_misplaced_classes_are_explained() {
    let path = path_of(&[("Small.class", SMALL), ("a/b/Small$Inner.class", SMALL), ("notes.txt", b"")]);
    assert_eq!(&*path.class("Small").unwrap().name, "Small");
    check(
        path.class("Smal"),
        expect![[r#"
        no class Smal on the class path (out)
        did you mean `Small`?"#]],
    );
    check(
        path.class("org.example.Nothing"),
        expect![[r#"
        no class org.example.Nothing on the class path (out)
        write the name with its package, as in `java.util.HashSet`, and check that the class path has its jar or folder"#]],
    );
    check(
        path.class("a.b.Small.Inner"),
        expect![[r#"
        a/b/Small$Inner.class in out contains the class Small, not a.b.Small$Inner
        a class must be in the folder of its package: is the root of the class path right?"#]],
    );
    check(
        ClassPath::new(Vec::new()).class("Small"),
        expect![[r#"
        no class Small on the class path (which is empty)
        write the name with its package, as in `java.util.HashSet`, and check that the class path has its jar or folder"#]],
    );
}

#[test]
fn a_jar_for_several_releases_gives_the_right_class() {
    let mut newer = SMALL.to_vec();
    newer[7] = 52;
    let jar = |manifest: &str| {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default();
        let files: [(&str, &[u8]); 4] = [
            ("META-INF/MANIFEST.MF", manifest.as_bytes()),
            ("META-INF/versions/11/Small.class", &newer),
            ("META-INF/versions/99/Small.class", b""),
            ("Small.class", SMALL),
        ];
        for (name, bytes) in files {
            zip.start_file(name, options).unwrap();
            std::io::Write::write_all(&mut zip, bytes).unwrap();
        }
        zip.finish().unwrap()
    };
    let major = |manifest: &str, release: u16| {
        let jar = Jar::new("a.jar", jar(manifest), release).unwrap();
        ClassPath::new(vec![Box::new(jar)]).class("Small").unwrap().major
    };
    let several = "Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n";
    assert_eq!([major(several, 8), major(several, 17), major("Manifest-Version: 1.0\r\n", 17)], [61, 52, 61]);
}

struct Everything;

impl Choice for Everything {
    fn number(&mut self, site: &CallSite<'_>) -> Option<i32> {
        Some(site.offset as i32 * 10_000)
    }

    fn may_be_protected(&mut self, _: &MemberRef) -> bool {
        false
    }

    fn is_loadable(&mut self, _: &str) -> bool {
        true
    }
}

fn hook() -> Hook {
    Hook { class: "adit/Hook".to_owned(), flag: "on".to_owned(), method: "call".to_owned() }
}

#[test]
fn a_class_cut_off_anywhere_is_refused() {
    for length in 0..SMALL.len() {
        assert!(Class::parse(&SMALL[..length], "Small.class").is_err(), "{length}");
        assert!(reroute(&SMALL[..length], "Small.class", &hook(), &mut Everything).is_err(), "{length}");
    }
}

/// Damaged classes are read or refused, spliced or refused; what is spliced can be read if the original can.
#[test]
fn damage_never_panics() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut read = 0;
    for _ in 0..20_000 {
        let mut bytes = SMALL.to_vec();
        for _ in 0..random.random_range(1..4) {
            let at = random.random_range(8..bytes.len());
            bytes[at] = random.random();
        }
        let class = Class::parse(&bytes, "Small.class");
        let spliced = reroute(&bytes, "Small.class", &hook(), &mut Everything);
        if let Ok(class) = class {
            read += 1;
            for code in class.methods.iter().filter_map(|method| method.code.as_ref()) {
                assert!(flow::blocks(code).is_some());
            }
            if let Ok(spliced) = spliced {
                Class::parse(&spliced.bytes, "spliced").unwrap();
            }
            if let Ok(probed) = probe(&bytes, "Small.class", &hits(), 0) {
                Class::parse(&probed.bytes, "probed").unwrap();
            }
        }
    }
    // Otherwise the damage was so great that nothing behind the reader was tried.
    assert!(read > 2_000, "{read}");
}

/// Everything that was there is still there, byte for byte, except the calls.
#[test]
fn splicing_keeps_every_other_byte() {
    let spliced = reroute(SMALL, "Small.class", &hook(), &mut Everything).unwrap();
    assert_eq!((spliced.rerouted, spliced.trampolines), (3, 3));
    let (before, after) = (Class::parse(SMALL, "a").unwrap(), Class::parse(&spliced.bytes, "b").unwrap());
    assert_eq!(after.methods.len(), before.methods.len() + 3);
    for (old, new) in before.methods.iter().zip(&after.methods) {
        assert_eq!((&old.name, &old.descriptor, old.flags), (&new.name, &new.descriptor, new.flags));
        let (Some(old), Some(new)) = (&old.code, &new.code) else { continue };
        assert_eq!((&old.handlers, &old.lines, &old.variables), (&new.handlers, &new.lines, &new.variables));
    }
    let constants = (Constants::of(&before), Constants::of(&after));
    assert!(constants.0.strings == constants.1.strings);
    // A class is spliced once.
    assert!(reroute(&spliced.bytes, "Small.class", &hook(), &mut Everything).is_err());
}

#[test]
fn the_hook_is_a_class() {
    let class = Class::parse(&hook().class_file(), "hook").unwrap();
    assert_eq!(class.dotted_name(), "adit.Hook");
    assert!(class.field("on").is_some() && class.method("call", Hook::DESCRIPTOR).is_some());
}
