//! Java classes that commands run.
//!
//! [`project`] finds the class path and [`jdk`] the JDK; together they locate a class. [`environment`] opens
//! it, [`class_under_test`] prepares calls on it and the workers that run them, with the user's [`fixtures`].
//! [`cache`] keeps between runs which code calls what. [`user_tests`] finds the user's own JUnit tests, and
//! [`recording`] holds the traces of objects. [`enumerated`] finds fields that hold one of a few constants.

mod cache;
pub(crate) mod class_under_test;
pub(crate) mod enumerated;
pub(crate) mod environment;
pub(crate) mod fixtures;
pub(crate) mod jdk;
pub(crate) mod project;
pub(crate) mod recording;
pub(crate) mod signature;
pub(crate) mod user_tests;
