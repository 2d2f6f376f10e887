//! The FTP server behind the adapter protocol.

use adit_fuzz::adapter::ServerAdapter;
use serde_json::{Value, json};

use crate::{command, ftp};

fn ask(adapter: &mut ServerAdapter<'_>, requests: Value) -> Value {
    let (line, _) = adapter.answer(&json!({"id": 7, "requests": requests}).to_string());
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(answer["id"], 7);
    answer["answers"].clone()
}

#[test]
fn labels_are_operations_and_a_reset_starts_over() {
    let Some(command) = command("ftpd", &["--no-bugs"]) else { return };
    let alphabet = ftp();
    let labels = ["USER", "PASS", "PWD", "RETR", "QUIT"].map(str::to_owned);
    let mut adapter = ServerAdapter::new(&alphabet, &command, &labels, false);
    let about = ask(&mut adapter, json!([{"do": "describe", "protocol": 1, "subject": "ftp"}]));
    assert_eq!(about[0]["name"], "ftp");
    let user = json!([{"name": "user", "kind": "text", "values": ["alice"], "only": true}]);
    assert_eq!(about[0]["operations"][0], json!({"name": "USER", "parameters": user, "answer": "text"}));
    let call = |name: &str, args: Value| json!({"do": "call", "name": name, "args": args});
    let login = [call("USER", json!(["alice"])), call("PASS", json!(["wonderland"]))];
    let outputs = |answers: Value| {
        let answers = answers.as_array().unwrap().clone();
        answers.iter().map(|answer| answer["output"].as_str().unwrap_or("-").to_owned()).collect::<Vec<_>>()
    };
    let session = json!([{"do": "reset"}, login[0], login[1], call("RETR", json!(["readme.txt"])),
        call("QUIT", json!([])), call("PWD", json!([]))]);
    assert_eq!(outputs(ask(&mut adapter, session)), ["-", "331", "230", "226", "221", "closed"]);
    let again = ask(&mut adapter, json!([{"do": "reset"}, call("PWD", json!([]))]));
    assert_eq!(again[1], json!({"threw": "Refused", "message": "530 Log in first.\\r\\n", "output": "530"}));
}

#[test]
fn a_server_that_does_not_start_is_told_at_once() {
    let alphabet = ftp();
    let words = vec!["false".to_owned()];
    let command = adit_fuzz::server::ServerCommand { words, launcher: Vec::new(), edges: false, patience: 1 };
    let mut adapter = ServerAdapter::new(&alphabet, &command, &[], false);
    let about = ask(&mut adapter, json!([{"do": "describe", "protocol": 1, "subject": "ftp"}]));
    assert!(about[0]["error"].as_str().unwrap().contains("ended with exit code 1"), "{about}");
    assert!(!about[0]["help"].as_str().unwrap().is_empty());
}
