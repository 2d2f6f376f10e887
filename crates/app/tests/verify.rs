//! `adit verify` from outside: findings, exit codes, forms of output, baseline and cache. SARIF has a file of
//! its own.

mod driver;

use std::fs;
use std::path::Path;

use driver::adit;
use driver::java::java;

const CLIENT: &str = "\
import java.util.Iterator;
import java.util.Scanner;

class Client {
    String certain() {
        Scanner scanner = new Scanner(\"a\");
        scanner.close();
        return scanner.next();
    }

    String possible(boolean close) {
        Scanner scanner = new Scanner(\"a\");
        if (close) {
            scanner.close();
        }
        return scanner.next();
    }

    Object fine(Iterator<Object> it) {
        return it.hasNext() ? it.next() : null;
    }
}
";

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

#[test]
fn findings_are_told_in_every_form() {
    let Some(java) = java() else { return };
    let folder = java.compile(&[("Client.java", CLIENT)]);
    let classes = folder.path().display().to_string();
    let run = adit(&["verify", &classes, "--json"]);
    assert_eq!(run.code, 1, "{}", run.err);
    let answer = run.json();
    let findings = answer["findings"].as_array().expect("a list");
    let told: Vec<(Option<u64>, Option<bool>)> =
        findings.iter().map(|one| (one["line"].as_u64(), one["certain"].as_bool())).collect();
    assert_eq!(told, [(Some(8), Some(true)), (Some(16), Some(false))]);
    assert_eq!(findings[0]["rule"], "`Scanner.next` after `close` throws IllegalStateException");
    let events: Vec<&str> = findings[0]["path"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["event"].as_str())
        .collect();
    assert_eq!(events, ["new Scanner", "close"]);

    let text = adit(&["verify", &classes]);
    assert!(
        text.out.contains("Client.certain() (Client.java:8): certain: `Scanner.next` after"),
        "{}",
        text.out
    );
    assert!(text.err.contains("1 certain, 1 possible"), "{}", text.err);

    let github = adit(&["verify", &classes, "--github", "--source-root", "src/main/java"]);
    assert!(github.out.starts_with("::error file=src/main/java/Client.java,line=8,title="), "{}", github.out);
    assert!(github.out.contains("\n::warning file=src/main/java/Client.java,line=16"), "{}", github.out);
}

#[test]
fn a_baseline_accepts_findings_and_a_cache_saves_work() {
    let Some(java) = java() else { return };
    let folder = java.compile(&[("Client.java", CLIENT)]);
    let classes = folder.path().display().to_string();
    let baseline = path(folder.path(), "known.txt");
    assert_eq!(adit(&["verify", &classes, "--write-baseline", &baseline]).code, 1);
    let accepted = adit(&["verify", &classes, "--baseline", &baseline, "--fail-on", "possible"]);
    assert_eq!(accepted.code, 0, "{}", accepted.out);
    assert!(accepted.err.contains("2 in the baseline"), "{}", accepted.err);
    let text = fs::read_to_string(&baseline).expect("it was written");
    let certain: String =
        text.lines().filter(|line| !line.contains("possible(")).map(|l| format!("{l}\n")).collect();
    fs::write(&baseline, certain).expect("it can be written");
    assert_eq!(adit(&["verify", &classes, "--baseline", &baseline]).code, 0);
    assert_eq!(adit(&["verify", &classes, "--baseline", &baseline, "--fail-on", "possible"]).code, 1);
    fs::write(&baseline, "something else\n").expect("it can be written");
    let wrong = adit(&["verify", &classes, "--baseline", &baseline]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("--write-baseline"), "{}", wrong.err);

    let cache = path(folder.path(), "cache.json");
    let first = adit(&["verify", &classes, "--cache", &cache, "--json"]).json();
    let second = adit(&["verify", &classes, "--cache", &cache, "--json"]).json();
    assert_eq!((&first["analyzed"], &second["analyzed"]), (&1.into(), &0.into()));
    assert_eq!(first["findings"], second["findings"]);
}

#[test]
fn bad_input_is_explained() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let empty = folder.path().display().to_string();
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/tokenizer.model.json");
    for (arguments, part) in [
        (vec!["verify", "nowhere.jar"], "nowhere.jar"),
        (vec!["verify", &empty], "no class files in"),
        (vec!["verify", model], "only models are named"),
        (vec!["verify", &empty, "--class", "shop.Order"], "--class is about named models"),
    ] {
        let run = adit(&arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.err);
        assert!(run.err.contains(part), "{arguments:?}: {}", run.err);
    }
    let broken = folder.path().join("Broken.class");
    fs::write(&broken, b"\xca\xfe\xba\xbe\0\0\0\x3dnonsense").expect("it can be written");
    // A build must not pass because nothing could be read.
    let run = adit(&["verify", &empty]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("no class can be read: ") && run.err.contains("Broken.class"), "{}", run.err);
    // The class of a model is elsewhere.
    let text = fs::read_to_string(model).expect("it is there").replacen(
        "\"id\": 2,",
        "\"id\": 2, \"refuses\": [\"nextToken!NoSuchElementException\"],",
        1,
    );
    let refusing = folder.path().join("order.json").display().to_string();
    fs::write(&refusing, text).expect("it can be written");
    let run = adit(&["verify", &refusing, &empty, "--class", "shop.Order"]);
    assert!(run.err.contains("shop.Order") && run.err.contains("add its folder of classes"), "{}", run.err);
}

/// Nobody must take a class that was not looked at for one without findings.
#[test]
fn classes_in_the_folder_of_an_application_are_not_lost_in_silence() {
    let Some(java) = java() else { return };
    let folder = java.compile(&[("Client.java", CLIENT)]);
    let inner = folder.path().join("app/BOOT-INF/classes");
    fs::create_dir_all(&inner).expect("there is room for a folder");
    fs::copy(folder.path().join("Client.class"), inner.join("Client.class")).expect("it was compiled");
    let run = adit(&["verify", &path(folder.path(), "app")]);
    assert!(run.err.contains("wrong folder for the class Client; unpack the archive"), "{}", run.err);
    assert_eq!(run.code, 2, "{}", run.err);
    assert_eq!(adit(&["verify", &inner.display().to_string()]).code, 1);
}

/// A model whose methods the class does not have is one of another version.
#[test]
fn a_model_of_another_version_is_refused() {
    let Some(java) = java() else { return };
    let folder = java.compile(&[("Door.java", "class Door { void open() {} }")]);
    let model = path(folder.path(), "door.json");
    let text = r#"{"format":"adit-model","version":1,"title":"Door","initial":[0],
        "states":[{"id":0,"accepting":false},
                  {"id":1,"accepting":true,"refuses":["shut!IllegalStateException"]},
                  {"id":2,"accepting":true}],
        "edges":[{"from":0,"event":"Door","to":1},{"from":1,"event":"open","to":2},
                 {"from":2,"event":"shut","to":1}]}"#;
    fs::write(&model, text).expect("it can be written");
    let run = adit(&["verify", &model, &folder.path().display().to_string()]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("another version of Door: the class has no shut"), "{}", run.err);
}

/// A line with a misuse ends with the comment `certain` or `possible`; every other line has none.
const MISUSES: &str = "\
import java.io.File;
import java.security.KeyStore;
import java.security.PublicKey;
import java.security.Signature;
import java.util.List;
import java.util.ListIterator;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.jar.JarFile;
import java.util.zip.GZIPInputStream;
import javax.crypto.Cipher;
import javax.crypto.Mac;

class Misuses {
    Object backwards(List<Object> all) {
        ListIterator<Object> it = all.listIterator(all.size());
        return it.previous();
    }

    Object beforeTheFirst(List<Object> all) {
        ListIterator<Object> it = all.listIterator();
        return it.previous(); // certain
    }

    void setTwice(List<Object> all) {
        ListIterator<Object> it = all.listIterator();
        it.next();
        it.set(1);
        it.set(2);
        it.remove();
        it.set(3); // certain
    }

    int loaded(File file) throws Exception {
        return KeyStore.getInstance(file, new char[0]).size();
    }

    int notLoaded() throws Exception {
        return KeyStore.getInstance(\"PKCS12\").size(); // certain
    }

    byte[] verifies(PublicKey key) throws Exception {
        Signature signature = Signature.getInstance(\"SHA256withRSA\");
        signature.initVerify(key);
        signature.update(new byte[3]);
        return signature.sign(); // certain
    }

    byte[] notKeyed() throws Exception {
        Mac mac = Mac.getInstance(\"HmacSHA256\");
        mac.update(new byte[3]); // certain
        return Cipher.getInstance(\"AES\").doFinal();
    }

    byte[] notKeyedEither() throws Exception {
        return Cipher.getInstance(\"AES\").doFinal(); // certain
    }

    void tooLate(Runnable work) {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        pool.execute(work);
        pool.shutdown();
        pool.execute(work); // certain
    }

    int closed(File file) throws Exception {
        JarFile jar = new JarFile(file);
        int size = jar.size();
        jar.close();
        return size + jar.size(); // certain
    }

    int afterEnd(java.io.InputStream bytes) throws Exception {
        GZIPInputStream in = new GZIPInputStream(bytes);
        try (in) {
            in.read();
        }
        return in.read(); // certain
    }
}
";

#[test]
fn the_shipped_models_find_misuse_and_nothing_else() {
    let Some(java) = java() else { return };
    let folder = java.compile(&[("Misuses.java", MISUSES)]);
    let answer = adit(&["verify", &folder.path().display().to_string(), "--json"]).json();
    let found: Vec<(u64, &str)> = answer["findings"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|one| (one["line"].as_u64().expect("a line"), one["certain"] == true))
        .map(|(line, certain)| (line, if certain { "certain" } else { "possible" }))
        .collect();
    let wanted: Vec<(u64, &str)> = MISUSES
        .lines()
        .enumerate()
        .filter_map(|(at, line)| Some((at as u64 + 1, line.split_once("// ")?.1)))
        .collect();
    let mut sorted = found.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, wanted, "{}", answer["findings"]);
}
