//! adit-spark on a real Spark with two executors, where there is a Python with PySpark. `./test` installs one
//! if pip may.
#![cfg(feature = "parquet")]

mod driver;

use std::path::Path;
use std::process::Command;

use driver::java::java;

#[test]
fn a_cluster_gives_the_bytes_of_one_machine() {
    let Some(java) = java() else { return };
    // `./test` names the Python whose pip it asked, or nothing if pip could not install PySpark.
    let named = std::env::var("ADIT_SPARK_PYTHON");
    if named.as_deref() == Ok("") {
        eprintln!("NOT RUN: adit-spark needs PySpark, which pip cannot install here");
        return;
    }
    let python = named.unwrap_or_else(|_| "python3".to_owned());
    let modules = Command::new(&python).args(["-c", "import pandas, pyarrow, pyspark"]).output();
    if !modules.is_ok_and(|output| output.status.success()) {
        eprintln!("NOT RUN: adit-spark needs a Python with PySpark; ./test installs one");
        return;
    }
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations/spark/tests/test_equality.py");
    let output = Command::new(&python)
        .arg(tests)
        .env("ADIT", env!("CARGO_BIN_EXE_adit"))
        .env("JAVA_HOME", &java.home)
        .env("JAVAC", java.home.join("bin/javac"))
        .output()
        .expect("it ran a moment ago");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
}
