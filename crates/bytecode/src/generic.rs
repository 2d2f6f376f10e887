//! Generic types of parameters and results (JVMS 4.7.9.1), as far as they name classes.

use std::sync::Arc;

/// A type in a generic signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GenericType {
    /// A class in internal form, with its type arguments; `None` for `?` and for a lower bound. The arguments
    /// of classes around a nested one are left out.
    Class(Arc<str>, Vec<Option<GenericType>>),
    /// A type variable.
    Variable(Arc<str>),
    /// An array.
    Array(Box<GenericType>),
    /// A primitive type, or `void`.
    Primitive,
}

/// The types of a method's parameters and its result.
pub fn generic_method(signature: &str) -> Option<(Vec<GenericType>, GenericType)> {
    let mut rest = match signature.strip_prefix('<') {
        Some(_) => variables(signature)?.1,
        None => signature,
    };
    rest = rest.strip_prefix('(')?;
    let mut parameters = Vec::new();
    loop {
        if let Some(result) = rest.strip_prefix(')') {
            return Some((parameters, parse(result, 0)?.0));
        }
        let (parameter, after) = parse(rest, 0)?;
        parameters.push(parameter);
        rest = after;
    }
}

/// The type variables of a method, each with its bound if that is a class.
pub fn method_variables(signature: &str) -> Option<Vec<(&str, GenericType)>> {
    let mut bounds = Vec::new();
    if signature.starts_with('<') {
        for name in variables(signature)?.0 {
            // The first bound follows the name; an absent one is that of an interface behind another colon.
            let (_, after) = signature.split_once(&format!("{name}:"))?;
            if let Some((bound, _)) = parse(after.trim_start_matches(':'), 0) {
                bounds.push((name, bound));
            }
        }
    }
    Some(bounds)
}

/// The names of a class's type variables, in order.
pub fn type_variables(signature: &str) -> Option<Vec<&str>> {
    if signature.starts_with('<') { Some(variables(signature)?.0) } else { Some(Vec::new()) }
}

/// The type variables that are declared at the beginning, and the rest.
fn variables(signature: &str) -> Option<(Vec<&str>, &str)> {
    let mut rest = signature.strip_prefix('<')?;
    let mut names = Vec::new();
    loop {
        if let Some(after) = rest.strip_prefix('>') {
            return Some((names, after));
        }
        let (name, after) = rest.split_once(':')?;
        names.push(name);
        rest = after;
        // The bound by a class may be absent; those by interfaces follow, each behind its own colon.
        loop {
            if rest.starts_with(['L', 'T', '[']) && !is_variable_name(rest) {
                rest = parse(rest, 0)?.1;
            }
            match rest.strip_prefix(':') {
                Some(after) => rest = after,
                None => break,
            }
        }
    }
}

/// Tells whether what follows is the name of the next variable rather than a bound: a name ends with a colon
/// before anything that only types have.
fn is_variable_name(rest: &str) -> bool {
    rest.find([':', ';', '<', '/', '>']).is_some_and(|end| rest[end..].starts_with(':'))
}

/// Deeper nesting than anyone writes; the bound keeps a damaged file from exhausting the stack.
const DEEPEST: usize = 32;

/// The first type of a list, and the rest.
fn parse(text: &str, depth: usize) -> Option<(GenericType, &str)> {
    if depth > DEEPEST {
        return None;
    }
    let (letter, rest) = text.split_at_checked(1)?;
    match letter {
        "T" => {
            let (name, rest) = rest.split_once(';')?;
            Some((GenericType::Variable(name.into()), rest))
        }
        "[" => {
            let (element, rest) = parse(rest, depth + 1)?;
            Some((GenericType::Array(Box::new(element)), rest))
        }
        "L" => parse_class(rest, depth),
        _ => "BCDFIJSZV".contains(letter).then_some((GenericType::Primitive, rest)),
    }
}

fn parse_class(text: &str, depth: usize) -> Option<(GenericType, &str)> {
    let mut rest = text;
    let (mut name, mut arguments) = (String::new(), Vec::new());
    loop {
        let end = rest.find(['<', ';', '.'])?;
        name.push_str(&rest[..end]);
        let mark = rest.as_bytes()[end];
        rest = &rest[end + 1..];
        match mark {
            b';' => return Some((GenericType::Class(name.into(), arguments), rest)),
            b'.' => {
                name.push('$');
                arguments.clear();
            }
            _ => {
                while !rest.starts_with('>') {
                    let (bound, after) = match rest.split_at_checked(1)? {
                        ("*", after) => (None, after),
                        ("-", after) => (None, parse(after, depth + 1)?.1),
                        ("+", after) => {
                            let (bound, after) = parse(after, depth + 1)?;
                            (Some(bound), after)
                        }
                        _ => {
                            let (argument, after) = parse(rest, depth + 1)?;
                            (Some(argument), after)
                        }
                    };
                    arguments.push(bound);
                    rest = after;
                }
                rest = &rest[1..];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(name: &str, arguments: Vec<Option<GenericType>>) -> GenericType {
        GenericType::Class(name.into(), arguments)
    }

    #[test]
    fn signatures_of_methods_are_read() {
        let read = generic_method(
            "<T:Ljava/lang/Object;U::Ljava/util/List<TT;>;:LI;>(ILjava/util/function/Supplier<+Ljava/util/Optional<TT;>;>;[TU;La/B<*>.C<-TT;>;)TT;",
        );
        let optional = class("java/util/Optional", vec![Some(GenericType::Variable("T".into()))]);
        let parameters = vec![
            GenericType::Primitive,
            class("java/util/function/Supplier", vec![Some(optional)]),
            GenericType::Array(Box::new(GenericType::Variable("U".into()))),
            class("a/B$C", vec![None]),
        ];
        assert_eq!(read, Some((parameters, GenericType::Variable("T".into()))));
        assert_eq!(generic_method("()V"), Some((Vec::new(), GenericType::Primitive)));
        for wrong in ["", "(", "(Q)V", "(La/B<", "<T", "()La/B<TT>;"] {
            assert_eq!(generic_method(wrong), None, "{wrong}");
        }
        let deep = format!("({}", "La<".repeat(1000));
        assert_eq!(generic_method(&deep), None);
    }

    #[test]
    fn variables_of_methods_have_bounds() {
        let bounds = method_variables("<X:Ljava/lang/Throwable;U::La/I;>(TX;)V").unwrap();
        let expected = vec![("X", class("java/lang/Throwable", vec![])), ("U", class("a/I", vec![]))];
        assert_eq!(bounds, expected);
        assert_eq!(method_variables("()V"), Some(Vec::new()));
    }

    #[test]
    fn type_variables_are_named() {
        let map = "<K:Ljava/lang/Object;V:Ljava/lang/Object;>Ljava/lang/Object;";
        assert_eq!(type_variables(map), Some(vec!["K", "V"]));
        assert_eq!(type_variables("<E:Ljava/lang/Enum<TE;>;T:TE;>La;"), Some(vec!["E", "T"]));
        assert_eq!(type_variables("<T::La;L:Ljava/lang/Object;>La;"), Some(vec!["T", "L"]));
        assert_eq!(type_variables("Ljava/lang/Object;La<TT;>;"), Some(Vec::new()));
    }
}
