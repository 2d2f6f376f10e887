//! `properties.json`: the mined properties with their fates.

use std::collections::BTreeSet;

use adit_logic::{Fate, Property, sentence};
use serde::{Deserialize, Serialize};

use super::ResultFile;

/// Content of `properties.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Properties {
    /// Labels of calls without side effects.
    pub(crate) pure: BTreeSet<String>,
    pub(crate) properties: Vec<PropertyResult>,
}

impl ResultFile for Properties {
    const NAME: &'static str = "properties.json";
}

/// A property with its fate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PropertyResult {
    #[serde(flatten)]
    pub(crate) property: Property<String>,
    /// The property as an English sentence.
    pub(crate) says: String,
    /// Number of traces that could have refuted it: those in which `a` happens.
    pub(crate) support: u64,
    #[serde(flatten)]
    pub(crate) fate: Fate<Witness>,
}

impl PropertyResult {
    pub(crate) fn new(property: Property<String>, support: u64, fate: Fate<Witness>) -> Self {
        Self { says: sentence(&property), property, support, fate }
    }
}

/// The test that refutes a property.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Witness {
    /// Name of the test; absent if it was not written to the folder.
    pub(crate) test: Option<String>,
    /// Number of tests that the round had run when it found this one; absent if an earlier round found it.
    pub(crate) found_after_tests: Option<u64>,
}

#[cfg(test)]
mod tests {
    use adit_logic::Template;
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_property_reads_back_as_written() {
        let property =
            || Property { template: Template::NeverFollowed, a: "pop".to_owned(), b: "push".to_owned() };
        let witness = Witness { test: Some("script3".to_owned()), found_after_tests: Some(12) };
        let fates =
            [Fate::Refuted(witness), Fate::Survived { attacked: 7, abandoned: true }, Fate::NotAttacked];
        let all = Properties {
            pure: BTreeSet::from(["size".to_owned()]),
            properties: fates.map(|fate| PropertyResult::new(property(), 4, fate)).into(),
        };
        let text = serde_json::to_string(&all).unwrap().replace("{\"template", "\n{\"template");
        expect![[r#"
            {"pure":["size"],"properties":[
            {"template":"NF","a":"pop","b":"push","says":"after `pop`, `push` never happens","support":4,"fate":"refuted","test":"script3","found_after_tests":12},
            {"template":"NF","a":"pop","b":"push","says":"after `pop`, `push` never happens","support":4,"fate":"survived","attacked":7,"abandoned":true},
            {"template":"NF","a":"pop","b":"push","says":"after `pop`, `push` never happens","support":4,"fate":"not_attacked"}]}"#]].assert_eq(&text);
        assert_eq!(serde_json::from_str::<Properties>(&text).unwrap(), all);
    }
}
