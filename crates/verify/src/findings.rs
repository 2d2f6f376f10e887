//! The verification of a class, and what it found.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;

use adit_bytecode::Class;

use crate::analysis::{Analysis, Place, Refused, Site, shown_method};
use crate::library::Library;
use crate::limits::{EFFORTS, Effort, LENGTH, PATH};
use crate::world::{PathEvent, Value, World};
use crate::{Memory, Stopped, Verifier};

/// A call that throws because of the state of its object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Class of the code, with dots.
    pub class: String,
    /// Method of the code, as `run(String)`.
    pub method: String,
    /// Source line, if the compiler kept lines.
    pub line: Option<u16>,
    /// The ways to the call that end in the refusal.
    pub certainty: Certainty,
    /// Source file of the class, if the compiler kept its name.
    pub file: Option<String>,
    /// Class with the typestate, with dots.
    pub model: String,
    /// The states that the object may be in.
    pub state: String,
    /// The refused call, as `next()!IllegalStateException`.
    pub event: String,
    /// The events before, oldest first.
    pub path: Vec<PathEvent>,
    /// The rule that the call breaks.
    pub rule: String,
}

/// The grade of a finding, surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// Every way to the call ends in the refusal.
    Certain,
    /// Some way to the call ends in the refusal.
    Possible,
    /// Some of the states that the object may be in refuse the call, and no test in the code rules them out:
    /// `next` behind `next`, without `hasNext` between them. Data that bytecode does not show decides.
    Unchecked,
}

impl Certainty {
    /// The grade as a word.
    pub fn name(self) -> &'static str {
        match self {
            Certainty::Certain => "certain",
            Certainty::Possible => "possible",
            Certainty::Unchecked => "unchecked",
        }
    }

    /// The grade with this name.
    pub fn from_name(name: &str) -> Option<Certainty> {
        let all = [Certainty::Certain, Certainty::Possible, Certainty::Unchecked];
        all.into_iter().find(|one| one.name() == name)
    }
}

/// A method that was not analyzed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Class of the method, with dots.
    pub class: String,
    /// The method, as `run(String)`.
    pub method: String,
    /// The reason.
    pub reason: Stopped,
}

/// Results for one class.
#[derive(Clone, Debug, Default)]
pub struct ClassReport {
    /// Calls that throw.
    pub findings: Vec<Finding>,
    /// Methods that were not analyzed.
    pub skipped: Vec<Skipped>,
    /// Number of methods that were analyzed.
    pub methods: usize,
    /// Internal names of other classes on which the result depends.
    pub used: BTreeSet<Arc<str>>,
}

impl Verifier {
    /// Verifies all methods of a class. `memory` holds results for reuse; it must stay with this verifier and
    /// this library. Summaries are not kept from class to class, so that the order of classes does not show.
    pub fn verify(&self, library: &Library, class: &Arc<Class>, memory: &mut Memory) -> ClassReport {
        let mut report = ClassReport::default();
        // The same call, found from several callers, is told once: with the fewest calls before it.
        let mut found: BTreeMap<(Place, String), ((bool, usize), Finding)> = BTreeMap::new();
        memory.summaries.clear();
        let outlook = self.outlook(memory, library, class);
        for at in 0..class.methods.len() {
            if class.methods[at].code.is_none() || !outlook.methods[at].mentions {
                continue;
            }
            report.methods += 1;
            match self.method_sites(library, class, at, memory, &mut report.used) {
                Ok(sites) => {
                    for (chain, site) in sites {
                        let Some(refused) = site.refused.as_ref().or(site.unchecked.as_ref()) else {
                            continue;
                        };
                        let Some(place) = chain.last() else { continue };
                        let known = refused.exact || self.typestate(refused.model).holds_of_all();
                        let certainty = match site.refused {
                            None => Certainty::Unchecked,
                            Some(_) if known && !site.allowed => Certainty::Certain,
                            // How much is in an object is up to the data, unless the code asked.
                            Some(_) if refused.lacks_content && site.allowed => Certainty::Unchecked,
                            Some(_) => Certainty::Possible,
                        };
                        if certainty == Certainty::Unchecked && !self.reports_unchecked {
                            continue;
                        }
                        let finding = self.finding(refused, certainty);
                        let key = (place.clone(), finding.event.clone());
                        // Unchecked calls are noise where the same call is refused on another way.
                        let rank = (certainty == Certainty::Unchecked, chain.len());
                        if found.get(&key).is_none_or(|(known, _)| rank < *known) {
                            found.insert(key, (rank, finding));
                        }
                    }
                }
                Err(reason) => report.skipped.push(Skipped {
                    class: class.dotted_name(),
                    method: shown_method(&class.methods[at]),
                    reason,
                }),
            }
        }
        report.findings = found.into_values().map(|(_, finding)| finding).collect();
        report.findings.sort();
        report.used.remove(&class.name);
        report
    }

    /// Runs a method with less and less effort, until its steps suffice.
    fn method_sites(
        &self,
        library: &Library,
        class: &Arc<Class>,
        at: usize,
        memory: &mut Memory,
        used: &mut BTreeSet<Arc<str>>,
    ) -> Result<BTreeMap<Vec<Place>, Site>, Stopped> {
        let length = class.methods[at].code.as_ref().map_or(0, |code| code.instructions.len());
        if length > LENGTH {
            return Err(Stopped::TooLarge);
        }
        let mut result = Err(Stopped::TooComplex);
        for effort in EFFORTS {
            if !matches!(result, Err(Stopped::TooComplex)) {
                break;
            }
            if effort != EFFORTS[0] {
                // Summaries of another effort tell more apart, or less.
                memory.summaries.clear();
            }
            result = self.staged_sites(library, class, at, effort, memory, used);
            if effort != EFFORTS[0] {
                memory.summaries.clear();
            }
        }
        result
    }

    /// Runs a method in stages: with numbers and flags only if something was found without them.
    fn staged_sites(
        &self,
        library: &Library,
        class: &Arc<Class>,
        at: usize,
        effort: Effort,
        memory: &mut Memory,
        used: &mut BTreeSet<Arc<str>>,
    ) -> Result<BTreeMap<Vec<Place>, Site>, Stopped> {
        let method = &class.methods[at];
        let mut sites = BTreeMap::new();
        for precise in [false, true] {
            let mut entry = World::new(Vec::new());
            if !method.is_static() {
                let mut this = crate::world::Object::unknown();
                this.nonnull = true;
                let id = entry.add(this);
                entry.locals.push(Value::Ref(id));
            }
            entry.locals.extend(vec![Value::Unknown; method.signature().slots()]);
            let mut analysis = Analysis {
                verifier: self,
                library,
                memory,
                precise,
                effort,
                steps: effort.steps,
                sites: BTreeMap::new(),
                used: std::mem::take(used),
                cut: false,
            };
            let result = analysis.run(class, at, &[], entry);
            *used = std::mem::take(&mut analysis.used);
            sites = analysis.sites;
            result?;
            if !sites.values().any(Site::is_suspect) {
                break;
            }
        }
        Ok(sites)
    }

    fn finding(&self, refused: &Refused, certainty: Certainty) -> Finding {
        let typestate = self.typestate(refused.model);
        let mut path = refused.path.clone();
        if path.len() > PATH {
            let half = PATH / 2;
            path.drain(half..path.len() - half);
        }
        Finding {
            class: refused.at.class.to_string(),
            method: refused.at.method.to_string(),
            line: refused.at.line,
            certainty,
            file: refused.at.file.as_ref().map(|file| file.to_string()),
            model: typestate.dotted_class(),
            state: refused.state.clone(),
            event: format!("{}!{}", refused.call, refused.exception),
            rule: rule(typestate.simple_class(), refused, certainty),
            path,
        }
    }
}

/// The rule in English: `Scanner.next` after `close` throws IllegalStateException.
fn rule(class: &str, refused: &Refused, certainty: Certainty) -> String {
    let call = refused.call.split('(').next().unwrap_or(&refused.call);
    let decisive = refused.path.iter().rev().find(|event| event.decisive);
    let when = match decisive {
        Some(event) if event.event.starts_with("new ") => format!("on a new {class}"),
        Some(_)
            if refused.from_creation && refused.path.iter().filter(|event| event.decisive).count() == 1 =>
        {
            format!("on a new {class}")
        }
        Some(event) => {
            let (method, answer) = match event.event.split_once(':') {
                Some((method, answer)) => (method, Some(answer)),
                None => (event.event.as_str(), None),
            };
            let method = method.split('(').next().unwrap_or(method);
            match answer {
                Some(answer) => format!("after `{method}` returned {}", answer.to_lowercase()),
                None => format!("after `{method}`"),
            }
        }
        None => "in this state".to_owned(),
    };
    let throws = if certainty == Certainty::Unchecked { "may throw" } else { "throws" };
    format!("`{class}.{call}` {when} {throws} {}", refused.exception)
}
