"""adit on a real Spark with two executors gives the bytes of adit on one machine, also if an executor is lost.

Needs pyspark, pyarrow, a JDK, and the program that ADIT names. One Spark serves all tests: its start takes
most of the time.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zipfile

import pyspark
from pyspark.sql import SparkSession

sys.path.insert(0, os.path.abspath(os.path.join(os.path.dirname(__file__), "..")))
os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))
# Executors are processes of their own, which must find the package too.
os.environ["PYTHONPATH"] = os.pathsep.join([sys.path[0], os.environ.get("PYTHONPATH", "")])
os.environ["PYSPARK_PYTHON"] = sys.executable

import adit_spark  # noqa: E402
from adit_spark import _log  # noqa: E402

ADIT = os.environ.get("ADIT", "adit")
# Random traces have no certain properties, so weak ones are asked for.
WEAK = ["--json", "--min-confidence", "0.2"]
LABELS = ["open", "read", "isReady:TRUE", "isReady:FALSE", "write", "close", "reset"]

SOURCES = {
    "Slot.java": """public class Slot { private Object held;
        public void put(Object o) { if (held != null) throw new IllegalStateException(); held = o; }
        public void clear() { if (held == null) throw new IllegalStateException(); held = null; } }""",
    "Shape.java": "public interface Shape { double area(); }",
    "Mark.java": "public @interface Mark { }",
}


def rows(traces=300):
    """Rows of many traces, interleaved and out of order; labels first appear in no particular order."""
    chance = random.Random(7)
    all_rows = [
        (f"session-{trace}", place, chance.choice(LABELS))
        for trace in range(traces)
        for place in range(chance.randrange(1, 12))
    ]
    chance.shuffle(all_rows)
    return all_rows


def one_run(*arguments):
    return subprocess.run([ADIT, *arguments], capture_output=True, text=True, check=True).stdout


class OnSpark(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.spark = (
            SparkSession.builder.master("local-cluster[2,1,1024]")
            .config("spark.executor.memory", "512m")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            # A task that fails would be tried four times. One whose executor is lost does not count as failed.
            .config("spark.task.maxFailures", "2")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "3")
            .getOrCreate()
        )
        cls.spark.sparkContext.setLogLevel("OFF")
        cls.events = cls.spark.createDataFrame(rows(), "session string, place long, action string")
        by_trace = {}
        for trace, place, event in rows():
            by_trace.setdefault(trace, []).append((place, event))
        cls.folder = tempfile.TemporaryDirectory()
        cls.log = os.path.join(cls.folder.name, "log.traces")
        with open(cls.log, "w") as file:
            for events in by_trace.values():
                file.write(" ".join(event for _, event in sorted(events)) + "\n")

    @classmethod
    def tearDownClass(cls):
        cls.spark.stop()
        cls.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_properties_have_the_bytes_of_one_run(self):
        expected = one_run("properties", self.log, *WEAK, "--quiet")
        self.assertIn('"template"', expected)
        width = _log._WIDTH
        try:
            # So few are merged at a time that parts are merged on executors first.
            _log._WIDTH = 2
            found = adit_spark.properties(
                self.events, trace="session", event="action", time="place", adit=ADIT, flags=WEAK, partitions=3
            )
        finally:
            _log._WIDTH = width
        self.assertEqual(found, expected)

    def test_a_model_has_the_bytes_of_one_run(self):
        flags = ["--title", "sessions", "--no-report"]
        expected, found = self.path("expected.json"), self.path("found.json")
        one_run("infer", "--algorithm", "k-tail", "--k", "2", self.log, "-o", expected, "--quiet", *flags)
        adit_spark.infer(self.events, "session", "action", found, time="place", adit=ADIT, k=2, flags=flags)
        with open(expected) as one, open(found) as other:
            self.assertEqual(other.read(), one.read())

    def test_a_lost_executor_changes_nothing(self):
        expected = one_run("properties", self.log, *WEAK, "--quiet")
        # The first tasks wait for the kill, and so are lost with their executor.
        begun, killed_mark, slow = self.path("begun"), self.path("killed"), self.path("slow-adit")
        with open(slow, "w") as file:
            file.write(
                "#!/bin/sh\n"
                f'case "$*" in *--partial*) touch "{begun}"; n=0\n'
                f'  while [ ! -e "{killed_mark}" ] && [ $n -lt 600 ]; do sleep 0.1; n=$((n+1)); done;; esac\n'
                f'exec "{ADIT}" "$@"\n'
            )
        os.chmod(slow, 0o755)
        killed = []

        def kill():
            limit = time.monotonic() + 60
            while not os.path.exists(begun) and time.monotonic() < limit:
                time.sleep(0.1)
            killed.extend(executors()[:1])
            for pid in killed:
                os.kill(pid, 9)
            open(killed_mark, "w").close()

        killer = threading.Thread(target=kill)
        killer.start()
        found = adit_spark.properties(
            self.events, trace="session", event="action", time="place", adit=slow, flags=WEAK, partitions=4
        )
        killer.join()
        self.assertTrue(killed, "no executor was found to kill")
        self.assertEqual(found, expected)

    def test_every_class_of_a_jar(self):
        classes, jar = self.path("classes"), self.path("some.jar")
        sources = []
        for name, text in SOURCES.items():
            sources.append(self.path(name))
            with open(sources[-1], "w") as file:
                file.write(text)
        subprocess.run([os.environ.get("JAVAC", "javac"), "-d", classes, *sources], check=True)
        with zipfile.ZipFile(jar, "w") as archive:
            for name in sorted(os.listdir(classes)):
                archive.write(os.path.join(classes, name), name)
        flags = ["--budget", "500tests"]
        alone, spread = self.path("alone"), self.path("spread")
        expected = json.loads(one_run("mine", "--all", jar, "-o", alone, "--json", "--quiet", *flags))
        found = adit_spark.mine_all(self.spark, jar, spread, adit=ADIT, flags=flags)
        for summary in (expected, found):
            summary.pop("page")
            for row in summary["classes"]:
                row.pop("seconds")
        self.assertEqual(found, expected)
        self.assertEqual([row["class"] for row in found["classes"]], ["Mark", "Shape", "Slot"])
        self.assertGreaterEqual(found["classes"][2]["states"], 2)
        with open(os.path.join(alone, "Slot/model.json")) as one, open(os.path.join(spread, "Slot/model.json")) as other:
            self.assertEqual(other.read(), one.read())
        self.assertTrue(os.path.exists(os.path.join(spread, "index.html")))

    def test_adit_says_what_is_wrong(self):
        def message(**arguments):
            with self.assertRaises(Exception) as caught:
                adit_spark.properties(self.events, trace="session", event="action", partitions=1, **arguments)
            return str(caught.exception)

        self.assertIn("cannot start this program", message(adit="/nowhere/adit"))
        self.assertIn("--labels", message(adit=ADIT, partial_flags=["--labels", "nonsense"]))


def executors():
    """Ids of the executor processes that this process's Spark started."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                line = file.read()
        except OSError:
            continue
        if b"CoarseGrainedExecutorBackend" in line and descends(int(pid), os.getpid()):
            found.append(int(pid))
    return sorted(found)


def descends(pid, ancestor):
    while pid > 1:
        if pid == ancestor:
            return True
        try:
            with open(f"/proc/{pid}/stat") as file:
                pid = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            return False
    return False


if __name__ == "__main__":
    unittest.main()
