//! A real Chromium without a window, driven through a pair of pipes by its DevTools protocol.
//!
//! Pipes instead of a socket, so that tests need no network and no port. Named ones, which a shell opens as
//! the numbers that Chromium expects, because handing them over directly would take unsafe code.
#![expect(clippy::print_stderr, reason = "a test that could not run says so")]

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Names of the program.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for what the page does in its next frames, such as fitting a picture into a window that changed.
const SETTLED: &str = "await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))));";

/// A browser with one page.
pub(crate) struct Browser {
    process: Child,
    commands: File,
    answers: Receiver<Value>,
    session: String,
    sent: u64,
    /// Events that came before the answer to a command.
    events: VecDeque<Value>,
    /// Everything that the page complained about.
    pub(crate) complaints: Vec<String>,
    /// Addresses that the page asked the network for.
    pub(crate) requests: Vec<String>,
    _place: TempDir,
}

impl Browser {
    /// A browser, or `None` with a note when there is none on this machine.
    pub(crate) fn start() -> Option<Self> {
        let Some(name) = NAMES.iter().find(|name| is_there(name)) else {
            eprintln!("NOT RUN: there is no Chromium; Debian's package is `chromium`");
            return None;
        };
        let place = tempfile::tempdir().expect("there is room for a folder");
        let (to, from) = (place.path().join("to"), place.path().join("from"));
        let made = Command::new("mkfifo").arg(&to).arg(&from).status();
        assert!(made.is_ok_and(|status| status.success()), "mkfifo makes two pipes");
        let script = format!(
            "exec {name} --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --hide-scrollbars \
             --force-color-profile=srgb --remote-debugging-pipe --user-data-dir=\"$3\" about:blank 3<\"$1\" 4>\"$2\""
        );
        let process = Command::new("bash")
            .args(["-c", &script, "bash"])
            .args([&to, &from, &place.path().join("profile")])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("bash starts");
        let commands = File::options().write(true).open(&to).expect("the pipe opens");
        let mut pipe = BufReader::new(File::open(&from).expect("the pipe opens"));
        let (send, answers) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            // A message ends with a zero; the pipe ends with the browser.
            while pipe.read_until(0, &mut message).is_ok_and(|read| read > 0) {
                message.pop();
                if let Ok(value) = serde_json::from_slice(&message)
                    && send.send(value).is_err()
                {
                    return;
                }
                message.clear();
            }
        });
        let mut browser = Self {
            process,
            commands,
            answers,
            session: String::new(),
            sent: 0,
            events: VecDeque::new(),
            complaints: Vec::new(),
            requests: Vec::new(),
            _place: place,
        };
        let target = browser.send("Target.createTarget", json!({"url": "about:blank"}));
        let attached =
            browser.send("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        browser.session = attached["sessionId"].as_str().expect("a session has a name").to_owned();
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility"] {
            browser.send(&format!("{domain}.enable"), json!({}));
        }
        browser.resize(1400, 1000);
        Some(browser)
    }

    /// Opens a file and waits until it is loaded; gives the milliseconds that took, as the page itself
    /// measured them.
    pub(crate) fn open(&mut self, file: &Path) -> f64 {
        self.events.clear();
        self.send("Page.navigate", json!({"url": format!("file://{}", file.display())}));
        self.wait_for("Page.loadEventFired");
        self.evaluate(&format!("(async () => {{ {SETTLED} }})()"));
        self.evaluate("performance.getEntriesByType('navigation')[0].duration")
            .as_f64()
            .expect("a time is a number")
    }

    /// The value of an expression in the page.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let answer = self.send(
            "Runtime.evaluate",
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true}),
        );
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// The text of the first element that a selector finds.
    pub(crate) fn text(&mut self, selector: &str) -> String {
        let found = self.evaluate(&format!("document.querySelector({})?.textContent", json!(selector)));
        found.as_str().unwrap_or_else(|| panic!("nothing matches {selector}")).to_owned()
    }

    /// Counts the visible elements that a selector finds.
    pub(crate) fn count(&mut self, selector: &str) -> u64 {
        let visible = format!(
            "[...document.querySelectorAll({})].filter((one) => one.getClientRects().length).length",
            json!(selector)
        );
        self.evaluate(&visible).as_u64().expect("a count is a number")
    }

    /// Clicks with the mouse into the middle of the first element that can be seen and that a selector finds.
    pub(crate) fn click(&mut self, selector: &str) {
        let place = self.evaluate(&format!(
            "(async () => {{ {SETTLED} const one = [...document.querySelectorAll({})].find((one) => one.getClientRects().length); \
             one.scrollIntoView({{block: 'center', behavior: 'instant'}}); const box = one.getBoundingClientRect(); \
             return {{x: box.left + box.width / 2, y: box.top + box.height / 2}}; }})()",
            json!(selector)
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            self.send(
                "Input.dispatchMouseEvent",
                json!({"type": kind, "x": place["x"], "y": place["y"], "button": "left", "clickCount": 1}),
            );
        }
    }

    /// Puts a text into a field, as typing does.
    pub(crate) fn type_into(&mut self, selector: &str, text: &str) {
        let select = format!(
            "(() => {{ const one = document.querySelector({}); one.focus(); one.select(); }})()",
            json!(selector)
        );
        self.evaluate(&select);
        if text.is_empty() {
            self.press("Delete");
        } else {
            self.send("Input.insertText", json!({"text": text}));
        }
    }

    /// Presses and releases a key.
    pub(crate) fn press(&mut self, key: &str) {
        let code = match key {
            "Enter" => 13,
            "Tab" => 9,
            "Escape" => 27,
            "Delete" => 46,
            _ => 0,
        };
        let text = if key == "Enter" { "\r" } else { "" };
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { text } else { "" };
            self.send(
                "Input.dispatchKeyEvent",
                json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text}),
            );
        }
    }

    /// Sets the preference of the system for dark or light colors.
    pub(crate) fn prefer(&mut self, scheme: &str) {
        self.send(
            "Emulation.setEmulatedMedia",
            json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]}),
        );
    }

    /// Sets the size of the window.
    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.send("Emulation.setDeviceMetricsOverride", size);
    }

    /// Every node of the page as a screen reader meets it.
    pub(crate) fn accessible_nodes(&mut self) -> Vec<Value> {
        let tree = self.send("Accessibility.getFullAXTree", json!({}));
        tree["nodes"].as_array().cloned().unwrap_or_default()
    }

    /// A picture of the window, into the folder that `SCREENSHOTS` names; without it, none is taken.
    pub(crate) fn screenshot(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("SCREENSHOTS") else { return };
        // Data comes as base64, which `base64 -d` undoes.
        let data = self.send("Page.captureScreenshot", json!({"format": "png"}));
        let data = data["data"].as_str().expect("a picture is text").to_owned();
        let file = File::create(Path::new(&folder).join(name)).expect("the folder can be written to");
        let mut decoder = Command::new("base64")
            .arg("-d")
            .stdin(Stdio::piped())
            .stdout(file)
            .spawn()
            .expect("base64 starts");
        let mut input = decoder.stdin.take().expect("standard input is a pipe");
        input.write_all(data.as_bytes()).expect("base64 reads");
        drop(input);
        decoder.wait().expect("base64 ends");
    }

    /// Sends a command and waits for its answer.
    fn send(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        let mut message = json!({"id": self.sent, "method": method, "params": params});
        if !self.session.is_empty() && !method.starts_with("Target.") {
            message["sessionId"] = self.session.clone().into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.commands.write_all(&bytes).expect("the browser listens");
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let answer = self.answers.recv_timeout(left).unwrap_or_else(|error| panic!("{method}: {error}"));
            if answer["id"] == self.sent {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.hear(answer);
        }
    }

    fn wait_for(&mut self, event: &str) {
        let end = Instant::now() + PATIENCE;
        while !self.events.iter().any(|heard| heard["method"] == event) {
            let left = end.saturating_duration_since(Instant::now());
            let heard = self.answers.recv_timeout(left).unwrap_or_else(|error| panic!("{event}: {error}"));
            self.hear(heard);
        }
    }

    fn hear(&mut self, event: Value) {
        let params = &event["params"];
        match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => self.complaints.push(params["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" => self.complaints.push(params["args"].to_string()),
            "Log.entryAdded" => self.complaints.push(params["entry"].to_string()),
            "Network.requestWillBeSent" => {
                self.requests.push(params["request"]["url"].as_str().unwrap_or_default().to_owned());
            }
            _ => {}
        }
        self.events.push_back(event);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The shell became the browser, so that this ends it and, with their parent gone, its own processes.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn is_there(name: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(name).is_file()))
}
