//! Methods that call another one of their class.

use adit_bytecode::sharing::{calls, calls_on_itself};
use adit_bytecode::{MethodId, Program};

use crate::jdk::Jdk;

#[test]
fn a_text_of_anything_calls_no_method_of_this_class() {
    let Some(path) = Jdk::find().map(|jdk| jdk.class_path_of("Texts.java")) else { return };
    let names = path.names();
    let ours = |name: &&String| !name.contains('/') || name.starts_with("java/lang/String");
    let program = Program::new(&path, names.iter().filter(ours).map(String::as_str));
    let text = [MethodId::new("Texts", "toString", "()Ljava/lang/String;")];
    let reaches = |name: &str, descriptor: &str| {
        calls(&program, &MethodId::new("Texts", name, descriptor), &text, 1_000)
    };
    assert_eq!(reaches("ofItself", "()I"), Some(true));
    assert_ne!(reaches("ofAnything", "()Ljava/lang/String;"), Some(true));
    assert_eq!(reaches("ofAnother", "(LTexts;)I"), Some(true), "the call graph does not tell objects apart");
    let calls_own = |name: &str, descriptor: &str| {
        calls_on_itself(&program, "Texts", &MethodId::new("Texts", name, descriptor), &text, 1_000)
    };
    assert!(calls_own("ofItself", "()I") && calls_own("ofItselfThroughAnother", "()I"));
    assert!(!calls_own("ofAnother", "(LTexts;)I") && !calls_own("ofAnything", "()Ljava/lang/String;"));
}
