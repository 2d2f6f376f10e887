//! Callables as Java writes them: `push(Object)`, `Stack(int)`.

use adit_bytecode::{Signature, Type};
use adit_trace::Callable;

/// Returns a callable with the types of its parameters, without their packages.
pub(crate) fn with_types(callable: &Callable) -> String {
    let name = callable.event_name();
    let Some(signature) = Signature::parse(&callable.signature) else { return name.to_owned() };
    let types: Vec<String> = signature.parameters.iter().map(simple).collect();
    format!("{name}({})", types.join(", "))
}

/// Removes the package from a type.
fn simple(of: &Type) -> String {
    let whole = of.to_string();
    whole.rsplit('.').next().unwrap_or(&whole).to_owned()
}

#[cfg(test)]
mod tests {
    use adit_trace::CallKind;

    use super::*;

    #[test]
    fn overloads_are_told_apart() {
        let call = |signature: &str| Callable {
            signature: signature.to_owned(),
            ..Callable::new(CallKind::Method, "java.util.Timer", "schedule")
        };
        assert_eq!(with_types(&call("(Ljava/util/TimerTask;J)V")), "schedule(TimerTask, long)");
        assert_eq!(with_types(&call("()V")), "schedule()");
        assert_eq!(with_types(&call("?")), "schedule");
    }
}
