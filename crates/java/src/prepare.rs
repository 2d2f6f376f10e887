//! The way in: from a class path and the name of a class to what scripts are made of.
//!
//! Paper: none; it puts the other files together.

use std::collections::BTreeSet;

use adit_bytecode::{CallerCache, Class, ClassPath, Program, Type};
use adit_trace::Callable;

use crate::api::Lack;
use crate::makers::is_open;
use crate::{Api, ApiError, ApiOptions, Operation, Sites, Supply};

/// Finds what can be called on a class, and the values for it. Calls without values for their parameters are
/// moved to [`Api::skipped`]; it is an error when no way to make an object is left.
///
/// Code on the class path, and on that of the `tests`, shows which constants calls take; the cache keeps from
/// run to run which code calls what.
pub fn prepare(
    path: &ClassPath,
    tests: Option<&ClassPath>,
    class: &str,
    options: &ApiOptions,
    cache: &dyn CallerCache,
) -> Result<(Api, Supply), ApiError> {
    let mut names = worth_reading(&path.names());
    // The class itself is read even where nothing else would be, with everything above it. A name that is no
    // class is reported later.
    if let Ok(class) = path.class(class) {
        add_with_supertypes(path, &class.name, &mut names);
    }
    let code: Vec<&ClassPath> = tests.into_iter().chain([path]).collect();
    std::thread::scope(|scope| {
        let sites = scope.spawn(|| Sites::new(&code, cache));
        let program = Program::new(path, names.iter().map(String::as_str));
        // Without constants of other code there are still the usual values.
        prepare_with(&program, &sites.join().unwrap_or_default(), class, options)
    })
}

/// As [`prepare`], in a program that has been read already: one that has the class, all above it, and the
/// classes among which values are searched. Constants of other code are not used.
pub fn prepare_in(
    program: &Program<'_>,
    class: &str,
    options: &ApiOptions,
) -> Result<(Api, Supply), ApiError> {
    prepare_with(program, &Sites::default(), class, options)
}

/// As [`prepare_in`], with the constants that the code of these sites passes.
pub fn prepare_with(
    program: &Program<'_>,
    sites: &Sites<'_>,
    class: &str,
    options: &ApiOptions,
) -> Result<(Api, Supply), ApiError> {
    let mut api = Api::of(program, class, options)?;
    let supply = Supply::new(program, sites, &api)?;
    skip_what_lacks_values(&mut api, &supply)?;
    api.name_events(options.overloads);
    Ok((api, supply))
}

/// The classes, in internal form, among which values are searched: all but the internals of a JDK.
pub fn worth_reading(names: &BTreeSet<String>) -> BTreeSet<String> {
    names.iter().filter(|name| is_open(name)).cloned().collect()
}

fn add_with_supertypes(path: &ClassPath, name: &str, names: &mut BTreeSet<String>) {
    let mut open = vec![name.to_owned()];
    while let Some(name) = open.pop() {
        let outline = path.find(&name).ok().flatten();
        let class = outline.and_then(|(bytes, file)| Class::parse_outline(&bytes, &file).ok());
        if names.insert(name)
            && let Some(class) = class
        {
            open.extend(class.superclass.iter().chain(&class.interfaces).map(|above| above.to_string()));
        }
    }
}

fn skip_what_lacks_values(api: &mut Api, supply: &Supply) -> Result<(), ApiError> {
    let mut skipped: Vec<(Callable, Lack)> = Vec::new();
    api.starts.retain(|start| {
        let lacking =
            start.receiver.iter().chain(&start.parameters).find(|wanted| is_lacking(supply, wanted));
        lacking.inspect(|wanted| skip(&mut skipped, start, wanted)).is_none()
    });
    if api.starts.is_empty() {
        // A few reasons are enough to see what a fixture should give.
        let tried =
            skipped.iter().take(4).map(|(start, why)| format!("{}: {why}", start.event_name())).collect();
        return Err(ApiError::NoStart { class: api.class.to_string(), tried, non_public: api.non_public });
    }
    api.methods.retain(|method| {
        let lacking = method.parameters.iter().find(|wanted| is_lacking(supply, wanted));
        lacking.inspect(|wanted| skip(&mut skipped, method, wanted)).is_none()
    });
    if api.methods.is_empty() {
        return Err(ApiError::NoMethod { class: api.class.to_string() });
    }
    api.skipped = skipped;
    Ok(())
}

fn is_lacking(supply: &Supply, wanted: &Type) -> bool {
    supply.recipes(wanted).is_empty()
}

fn skip(skipped: &mut Vec<(Callable, Lack)>, operation: &Operation, wanted: &Type) {
    skipped.push(((*operation.callable).clone(), Lack(wanted.clone())));
}
