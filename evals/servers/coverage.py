#!/usr/bin/env python3
"""Code of a real FTP server that fuzzers reach: adit with a model, adit without, and AFL++.

    apt-get source proftpd-dfsg      # needs a deb-src line in apt's sources; 1.3.8+dfsg-4+deb12u5 was used
    python3 evals/servers/coverage.py ADIT proftpd-dfsg-1.3.8+dfsg WORK [--runs 5] [--budget 600]

Steps, each skipped if WORK has its result: `build` compiles the source twice, with AFL's instrumentation for
all fuzzers and with gcov at -O0 for the figures; `learn` learns a model of the server; `fuzz` runs the arms in
turn; `replay` runs every saved input on a fresh server of the gcov build, with one client for all arms; `table`
prints Markdown. `--steps` chooses some. Needs root (for a network namespace), cc, gcov, afl++ and openssl.

Nothing leaves the machine: adit's sandbox has a network of its own, and AFL++ and the replays run in a network
namespace with nothing but loopback, as the user nobody.
"""
import argparse, json, os, re, shutil, signal, socket, statistics, subprocess, sys, tempfile, time, tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NOBODY = 65534
# One that nobody may run, too.
PYTHON = "/usr/bin/python3"
# What a client of a user does: log in, restart a transfer, make and enter folders, log out. Without RNTO, which
# this server answers twice before a login, the second time after a moment: that cannot be learned.
LEARNED = "USER,PASS,REIN,QUIT,RNFR,REST,RETR,MKD,CWD,TYPE"
CONFIGURE = ["--disable-cap", "--disable-auth-pam", "--disable-ident", "--disable-nls", "--disable-sendfile"]
ARMS = {"model": "adit with the model", "codes": "adit without", "afl": "AFL++ on standard input"}


def sh(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, **more)


def build(source, work):
    # With PR_DEVEL_PROFILE the server ends by exit(), which writes the counts, and not by _exit().
    flags = {
        "gcov": ["CC=cc", "CFLAGS=-O0 -g --coverage -DPR_DEVEL_PROFILE", "LDFLAGS=--coverage"],
        "afl": ["CC=afl-cc", "CFLAGS=-O2 -g"],
    }
    for name, variables in flags.items():
        folder = work / name
        if (folder / "proftpd").exists():
            continue
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source, folder, symlinks=True)
        with open(work / f"{name}.log", "w") as log:
            configure = ["./configure", f"--prefix={work}/none", *CONFIGURE, variables[0]]
            sh(*configure, cwd=folder, stdout=log, stderr=log)
            # Debian's makefile adds flags of its own, which these replace.
            sh("make", "-j2", "proftpd", *variables, cwd=folder, stdout=log, stderr=log)
    sh("cc", "-shared", "-fPIC", "-O1", "-o", work / "desock.so", HERE / "desock.c", "-ldl")


def accounts(uid, gid, home):
    def line(name, password):
        done = subprocess.run(["openssl", "passwd", "-1", "-salt", "adit", password], capture_output=True, text=True)
        return f"{name}:{done.stdout.strip()}:{uid}:{gid}::{home}:/bin/sh\n"

    return line("alice", "wonderland") + line("anonymous", "me@example.com")


def alphabet(work):
    """The shipped alphabet with the files that this server needs."""
    text = (ROOT / "adapters/alphabets/ftp.toml").read_text()
    files = f"""[session.files]
"proftpd.conf.in" = '''{(HERE / "proftpd.conf").read_text()}'''
"passwd.in" = '''{accounts("@UID@", "@GID@", "@DIR@/home")}'''
"group" = "people:x:0:alice\\n"
"home/readme.txt" = "hello\\n"
"home/pub/data.bin" = {{ repeat = "0123456789", times = 20 }}

"""
    fill = 's#@DIR@#$PWD#g;s#@UID@#$(id -u)#;s#@GID@#$(id -g)#;s#@USER@#$(id -un)#;s#@GROUP@#$(id -gn)#'
    fill += ";s#@TYPE@#standalone#"
    reset = f'for f in proftpd.conf passwd; do sed "{fill}" $f.in > $f; done; chmod 600 passwd group'
    text = re.sub(r"\[session\.files\]\n.*?\n\n", lambda _: files, text, flags=re.S)
    text = text.replace('answer_limit = "500ms"', f"answer_limit = \"1s\"\nreset = '''{reset}'''")
    (work / "proftpd.toml").write_text(text)
    return tomllib.loads(text)


def server(work, build_name):
    # {port} makes adit choose a free port, which the configuration takes from the environment.
    return [f"{work}/{build_name}/proftpd", "-n", "-q", "-c", "{dir}/proftpd.conf", "-D", "PORT{port}"]


def learn(adit, work, limit):
    if (work / "model.json").exists():
        return
    serve = " ".join([adit, "serve", "--alphabet", str(work / "proftpd.toml"), "--labels", LEARNED, "--"]
                     + [f"'{word}'" for word in server(work, "afl")])
    start = time.time()
    done = subprocess.run([adit, "learn", "ftp", "--adapter", serve, "--depth", "1", "--budget", f"{limit}s",
                           "--workers", "2", "-q", "-o", str(work / "model.json")], capture_output=True, text=True)
    (work / "learned.json").write_text(json.dumps({"seconds": time.time() - start, "said": done.stderr}))
    if not (work / "model.json").exists():
        sys.exit(done.stderr)


def value(plain):
    if isinstance(plain, str):
        return plain.encode()
    return bytes.fromhex(plain["hex"]) if "hex" in plain else plain["repeat"].encode() * plain["times"]


def unescaped(text):
    """Bytes as adit writes them in files: \\xNN and the usual letters."""
    letters = {"\\r": b"\r", "\\n": b"\n", "\\t": b"\t", "\\\\": b"\\"}
    out = b""
    for part in re.findall(r"\\x[0-9a-fA-F]{2}|\\.|[^\\]+", text, flags=re.S):
        if part.startswith("\\x"):
            out += bytes([int(part[2:], 16)])
        else:
            out += letters.get(part, part.encode())
    return out


class Wire:
    """Labels as bytes."""

    def __init__(self, alphabet):
        self.labels = {label["name"]: label for label in alphabet["label"]}
        self.pools = {}
        for name, pool in alphabet["pools"].items():
            roles = ("valid", "wrong", "boundary", "dictionary")
            self.pools[name] = [value(one) for role in roles for one in pool.get(role, [])]

    def step(self, message):
        """The bytes of a message, and what goes over its data connection."""
        label = self.labels[message["label"]]
        if "send" not in label:
            return []
        steps = []
        if label.get("needs"):
            steps.append({"prepare": True, "send": self.rendered({"label": message.get("prepare", label["needs"][0])})})
        payload = unescaped(message["payload"]) if "payload" in message else b"some text\r\n"
        steps.append({"send": self.rendered(message), "up": payload if label.get("data") == "up" else None})
        return steps

    def rendered(self, message):
        if "wire" in message:
            return unescaped(message["wire"])
        fields = {name: unescaped(text) for name, text in message.get("fields", {}).items()}

        def fill(match):
            name, _, pool = match[1].decode().partition(":")
            if name == "listen_pair":
                return b"@LISTEN@"
            return fields.get(name, self.pools[pool or name][0])

        return re.sub(rb"\{([a-z_:]+)\}", fill, self.labels[message["label"]]["send"].encode())

    def seeds(self):
        """Plain sessions: a login, and every label with the first value of its pools."""
        start = [{"label": "USER"}, {"label": "PASS"}]
        names = [n for n, label in self.labels.items() if "send" in label and n not in ("USER", "PASS", "QUIT")]
        groups = [names[at:at + 4] for at in range(0, len(names), 4)]
        for group in groups:
            steps = [s for m in start + [{"label": n} for n in group] + [{"label": "QUIT"}] for s in self.step(m)]
            yield b"".join(step["send"].replace(b"@LISTEN@", b"127,0,0,1,8,21") for step in steps)


def quoted(data):
    return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\x{b:02x}" for b in data)


def inside(work, words, **more):
    """Runs a command as nobody, in a network of its own."""
    become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    line = "ip link set lo up && exec \"$@\""
    return subprocess.run(["unshare", "-n", "sh", "-c", line, "sh", *become, *map(str, words)], **more)


def hand_over(folder):
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, NOBODY, NOBODY)


def prepare(folder, kind):
    """A folder for a server outside of adit, owned by nobody."""
    (folder / "home/pub").mkdir(parents=True)
    (folder / "home/readme.txt").write_text("hello\n")
    (folder / "home/pub/data.bin").write_text("0123456789" * 20)
    (folder / "passwd").write_text(accounts(NOBODY, NOBODY, folder / "home"))
    (folder / "group").write_text(f"people:x:{NOBODY}:alice\n")
    text = (HERE / "proftpd.conf").read_text().replace("@DIR@", str(folder)).replace("@TYPE@", kind)
    text = text.replace("@USER@", "nobody").replace("@GROUP@", "nogroup")
    (folder / "proftpd.conf").write_text(text)
    for name in ("passwd", "group"):
        (folder / name).chmod(0o600)


def limited(arm, percent):
    """Limits this process and those it starts to a share of one core, so that all arms have the same."""
    period, quota = 20000, 200 * percent
    old, new = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")
    group = (old if old.exists() else new) / f"adit-coverage-{arm}"
    group.mkdir(exist_ok=True)
    if old.exists():
        (group / "cpu.cfs_period_us").write_text(str(period))
        (group / "cpu.cfs_quota_us").write_text(str(quota))
    else:
        (group / "cpu.max").write_text(f"{quota} {period}")
    (group / "cgroup.procs").write_text(str(os.getpid()))


def fuzz(adit, work, arm, seed, seconds, wire):
    out = work / f"{arm}-{seed}"
    if (out / "done.json").exists():
        return
    shutil.rmtree(out, ignore_errors=True)
    start = time.time()
    if arm == "afl":
        (out / "seeds").mkdir(parents=True)
        for at, data in enumerate(wire.seeds()):
            (out / "seeds" / f"{at:02}").write_bytes(data)
        words = {v for pool in wire.pools.values() for v in pool if 0 < len(v) <= 64} | {n.encode() for n in wire.labels}
        (out / "words.dict").write_text("".join(f'"{quoted(word)}"\n' for word in sorted(words)))
        prepare(out / "server", "inetd")
        hand_over(out)
        variables = {
            "AFL_PRELOAD": f"{work}/desock.so", "ADIT_HOME": f"{out}/server/home", "ADIT_PORT": "2121",
            "AFL_NO_UI": "1", "AFL_SKIP_CPUFREQ": "1", "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES": "1",
            "AFL_NO_AFFINITY": "1",
        }
        words = ["afl-fuzz", "-i", out / "seeds", "-o", out / "out", "-x", out / "words.dict", "-V", seconds,
                 "-s", seed, "-t", "1000", "-m", "none", "--", work / "afl/proftpd", "-n", "-q", "-c",
                 out / "server/proftpd.conf"]
        with open(work / f"{arm}-{seed}.log", "w") as log:
            inside(work, words, env={**os.environ, **variables}, stdout=log, stderr=log)
        stats = dict(line.split(":", 1) for line in (out / "out/default/fuzzer_stats").read_text().splitlines())
        stats = {name.strip(): text.strip() for name, text in stats.items()}
        answer = {"sessions": int(stats["execs_done"]), "corpus": int(stats["corpus_count"]),
                  "edges": int(stats["edges_found"]), "crashes": int(stats["saved_crashes"]),
                  "hangs": int(stats["saved_hangs"])}
    else:
        guide = [work / "model.json"] if arm == "model" else ["--without-model"]
        words = [adit, "fuzz", *guide, "--alphabet", work / "proftpd.toml", "--budget", f"{seconds}s", "--seed", seed,
                 "--minimize", "0", "--json", "-q", "-o", out, "--", *server(work, "afl")]
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(done.stderr)
        answer = json.loads(done.stdout)
    (out / "done.json").write_text(json.dumps({**answer, "seconds": time.time() - start}))


def inputs(work, arm, seed, wire):
    """What an arm saved, as steps for the client."""
    out = work / f"{arm}-{seed}"
    if arm == "seeds":
        for data in wire.seeds():
            yield [{"send": line} for line in data.splitlines(keepends=True)]
        return
    if arm != "afl":
        scripts = [json.loads(line)["script"] for line in (out / "corpus.jsonl").read_text().splitlines()]
        for file in sorted((out / "findings").glob("*.json")):
            scripts.append(json.loads(file.read_text())["finding"]["script"])
        for script in scripts:
            yield [step for message in script for step in wire.step(message)]
        return
    for folder in ("queue", "crashes", "hangs"):
        for file in sorted((out / "out/default" / folder).glob("id*")):
            # The stream of commands, line by line; the client opens data connections, too.
            yield [{"send": line} for line in file.read_bytes().splitlines(keepends=True)]


class Client:
    """Sends steps, waits for their answers, and serves data connections."""

    LIMIT = 1.0

    def __init__(self, port):
        self.control = socket.create_connection(("127.0.0.1", port), timeout=2)
        self.received = b""
        self.data = None
        self.listener = None
        self.answer(2.0)

    def answer(self, limit):
        """Code of the next whole answer, or nothing."""
        until = time.time() + limit
        while True:
            lines = self.received.split(b"\r\n")
            for at, line in enumerate(lines[:-1]):
                if re.match(rb"\d\d\d ", line):
                    answer = b"\n".join(lines[:at + 1])
                    self.received = b"\r\n".join(lines[at + 1:])
                    return line[:3].decode(), answer
            left = until - time.time()
            if left <= 0:
                return None, b""
            self.control.settimeout(left)
            try:
                block = self.control.recv(65536)
            except TimeoutError:
                return None, b""
            if not block:
                raise ConnectionError
            self.received += block

    def step(self, step):
        if step.get("prepare") and (self.data or self.listener):
            return
        send = step["send"]
        if send[:5].upper() == b"PORT ":
            self.close_data()
            self.listener = socket.create_server(("127.0.0.1", 0))
            port = self.listener.getsockname()[1]
            send = b"PORT 127,0,0,1,%d,%d\r\n" % (port >> 8, port & 255)
        self.control.sendall(send)
        # A step without a line end gets no answer.
        if not send.endswith(b"\n"):
            return
        code, text = self.answer(self.LIMIT)
        while code and code[0] == "1":
            self.transfer(step)
            code, text = self.answer(self.LIMIT)
        port = re.search(rb"\((?:\d+,){4}(\d+),(\d+)\)", text) if code == "227" else None
        extended = re.search(rb"\|\|\|(\d+)\|", text) if code == "229" else None
        if port or extended:
            self.close_data()
            number = int(port[1]) * 256 + int(port[2]) if port else int(extended[1])
            try:
                self.data = socket.create_connection(("127.0.0.1", number), timeout=1)
            except OSError:
                self.data = None

    def transfer(self, step):
        data = self.data
        try:
            if self.listener:
                self.listener.settimeout(self.LIMIT)
                data = self.listener.accept()[0]
            if not data:
                return
            up = step.get("up")
            verb = step["send"][:4].upper()
            if up is None and verb in (b"STOR", b"APPE", b"STOU"):
                up = b"some text\r\n"
            data.settimeout(self.LIMIT)
            if up is not None:
                data.sendall(up)
                data.shutdown(socket.SHUT_WR)
            else:
                while data.recv(65536):
                    pass
        except OSError:
            pass
        finally:
            if data:
                data.close()
            self.close_data()

    def close_data(self):
        for end in (self.data, self.listener):
            if end:
                end.close()
        self.data = self.listener = None


def replay_all(work, arm, seed, wire):
    """Runs every input on a fresh server; this process is nobody, in a network of its own."""
    counts = work / f"counts-{arm}-{seed}"
    place = Path(tempfile.mkdtemp(prefix="replay-"))
    port = 2121
    number = failed = 0
    for steps in inputs(work, arm, seed, wire):
        number += 1
        folder = place / str(number)
        prepare(folder, "standalone")
        variables = {**os.environ, "ADIT_PORT": str(port), "GCOV_PREFIX": str(counts)}
        process = subprocess.Popen([f"{work}/gcov/proftpd", "-n", "-q", "-c", f"{folder}/proftpd.conf"],
                                   env=variables, cwd=folder, stderr=subprocess.DEVNULL, start_new_session=True)
        client = None
        for _ in range(400):
            try:
                client = Client(port)
                break
            except OSError:
                time.sleep(0.005)
        if client is None:
            failed += 1
        try:
            for step in steps if client else []:
                client.step(step)
        except OSError:
            pass
        if client:
            client.close_data()
            client.control.close()
        # The process of the session writes its counts when it sees that the client is gone.
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        for _ in range(400):
            if not children.exists() or not children.read_text().split():
                break
            time.sleep(0.005)
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        shutil.rmtree(folder, ignore_errors=True)
        port = 2121 + number % 20000
    shutil.rmtree(place, ignore_errors=True)
    print(json.dumps({"inputs": number, "failed": failed}))


def covered(work, counts):
    """Lines and branches that were taken, and all, over the server's own sources."""
    lines, branches = {}, {}
    objects = [note for part in ("src", "modules") for note in sorted((work / "gcov" / part).resolve().glob("*.gcno"))]
    with tempfile.TemporaryDirectory() as place:
        for note in objects:
            counted = Path(f"{counts}{note.with_suffix('.gcda')}")
            shutil.copy(note, place)
            if counted.exists():
                shutil.copy(counted, place)
            done = subprocess.run(["gcov", "--json-format", "--stdout", "-b", f"{place}/{note.name}"],
                                  capture_output=True, cwd=place)
            for report in done.stdout.splitlines():
                for file in json.loads(report)["files"]:
                    if not file["file"].endswith(".c"):
                        continue
                    for line in file["lines"]:
                        key = (file["file"], line["line_number"])
                        lines[key] = max(lines.get(key, 0), line["count"])
                        for at, branch in enumerate(line["branches"]):
                            branches[key + (at,)] = max(branches.get(key + (at,), 0), branch["count"])
    taken = lambda all_of: (sum(count > 0 for count in all_of.values()), len(all_of))
    return taken(lines), taken(branches)


def replay(work, arm, seed):
    result = work / f"covered-{arm}-{seed}.json"
    if result.exists():
        return json.loads(result.read_text())
    counts = work / f"counts-{arm}-{seed}"
    shutil.rmtree(counts, ignore_errors=True)
    counts.mkdir()
    os.chown(counts, NOBODY, NOBODY)
    if arm != "seeds":
        sh("chmod", "-R", "a+rX", work / f"{arm}-{seed}")
    words = [PYTHON, Path(__file__).resolve(), "-", "-", work, "--steps", "inside", "--one", f"{arm}:{seed}"]
    done = inside(work, words, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    lines, branches = covered(work, counts)
    answer = {**json.loads(done.stdout), "lines": lines, "branches": branches}
    result.write_text(json.dumps(answer))
    return answer


def table(work, arms, runs):
    print("| arm | sessions | saved | lines | branches |\n|---|---|---|---|---|")
    if (work / "covered-seeds-0.json").exists():
        seeds = json.loads((work / "covered-seeds-0.json").read_text())
        share = lambda name: f"{100 * seeds[name][0] / seeds[name][1]:.1f} %"
        print(f"| plain sessions, no fuzzing | {seeds['inputs']} | {seeds['inputs']} | {share('lines')} | {share('branches')} |")
    for arm in arms:
        done = [json.loads((work / f"{arm}-{seed}/done.json").read_text()) for seed in range(runs)]
        seen = [json.loads((work / f"covered-{arm}-{seed}.json").read_text()) for seed in range(runs)]

        def spread(values, form):
            return f"{form(statistics.median(values))} ({form(min(values))}–{form(max(values))})"

        percent = lambda name: [100 * one[name][0] / one[name][1] for one in seen]
        print(f"| {ARMS[arm]} | {spread([one['sessions'] for one in done], lambda n: f'{n:,.0f}')} "
              f"| {spread([one['inputs'] for one in seen], lambda n: f'{n:.0f}')} "
              f"| {spread(percent('lines'), lambda n: f'{n:.1f}')} | {spread(percent('branches'), lambda n: f'{n:.1f}')} |")
    total = json.loads(next(work.glob("covered-*.json")).read_text())
    print(f"\nOf {total['lines'][1]:,} lines and {total['branches'][1]:,} branches of src/ and modules/.")


def main():
    flags = argparse.ArgumentParser()
    flags.add_argument("adit")
    flags.add_argument("source", type=Path)
    flags.add_argument("work", type=Path)
    flags.add_argument("--runs", type=int, default=5)
    flags.add_argument("--budget", type=int, default=600, help="seconds of each run")
    flags.add_argument("--arms", default="model,codes,afl")
    flags.add_argument("--seeds", help="only these seeds, as in 0,1")
    flags.add_argument("--percent", type=int, help="share of one core for an arm and its server, by a cgroup")
    flags.add_argument("--steps", default="build,learn,fuzz,replay,table")
    flags.add_argument("--one", help=argparse.SUPPRESS)
    flags = flags.parse_args()
    steps = flags.steps.split(",")
    work = flags.work.resolve()
    if "inside" in steps:
        arm, seed = flags.one.split(":")
        wire = Wire(tomllib.loads((work / "proftpd.toml").read_text()))
        return replay_all(work, arm, seed, wire)
    work.mkdir(parents=True, exist_ok=True)
    adit = str(Path(flags.adit).resolve())
    wire = Wire(alphabet(work))
    arms = flags.arms.split(",")
    seeds = [int(seed) for seed in flags.seeds.split(",")] if flags.seeds else list(range(flags.runs))
    if "build" in steps:
        build(flags.source.resolve(), work)
    if "learn" in steps:
        learn(adit, work, flags.budget)
    if "fuzz" in steps:
        for seed in seeds:
            for arm in arms:
                if flags.percent:
                    limited(arm, flags.percent)
                fuzz(adit, work, arm, seed, flags.budget, wire)
                print(f"{arm} {seed}: done", file=sys.stderr)
    if "replay" in steps:
        replay(work, "seeds", 0)
        for seed in seeds:
            for arm in arms:
                print(f"{arm} {seed}: {replay(work, arm, seed)}", file=sys.stderr)
    if "table" in steps:
        table(work, arms, flags.runs)


main()
