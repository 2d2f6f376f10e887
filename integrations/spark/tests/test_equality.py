"""adit on a real Spark with two executors gives the bytes of adit on one machine, also if an executor is lost.

Needs pyspark, pyarrow, a JDK, and the program that ADIT names.
"""

import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import pyspark
from pyspark.sql import SparkSession

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))
# Executors are processes of their own, which must find the package too.
os.environ["PYTHONPATH"] = os.pathsep.join(
    [os.path.abspath(os.path.join(os.path.dirname(__file__), "..")), os.environ.get("PYTHONPATH", "")]
)
os.environ["PYSPARK_PYTHON"] = sys.executable

import adit_spark  # noqa: E402

ADIT = os.environ.get("ADIT", "adit")
# Random traces have no certain properties, so weak ones are asked for.
WEAK = ["--json", "--min-confidence", "0.2"]
LABELS = ["open", "read", "isReady:TRUE", "isReady:FALSE", "write", "close", "reset"]


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


class Equality(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.spark = (
            SparkSession.builder.master("local-cluster[2,1,1024]")
            .config("spark.executor.memory", "512m")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "4")
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

    def one_run(self, *arguments):
        done = subprocess.run([ADIT, *arguments], capture_output=True, text=True, check=True)
        return done.stdout

    def test_properties(self):
        expected = self.one_run("properties", self.log, *WEAK, "--quiet")
        found = adit_spark.properties(
            self.events, trace="session", event="action", time="place", adit=ADIT, flags=WEAK, partitions=5
        )
        self.assertEqual(found, expected)
        self.assertIn("\"template\"", expected)

    def test_infer(self):
        flags = ["--title", "sessions", "--no-report"]
        expected = os.path.join(self.folder.name, "expected.json")
        self.one_run("infer", "--algorithm", "k-tail", "--k", "2", self.log, "-o", expected, "--quiet", *flags)
        found = os.path.join(self.folder.name, "found.json")
        adit_spark.infer(
            self.events, "session", "action", found, time="place", adit=ADIT, k=2, flags=flags, partitions=3
        )
        with open(expected) as one, open(found) as other:
            self.assertEqual(other.read(), one.read())

    def test_an_executor_is_lost(self):
        expected = self.one_run("properties", self.log, *WEAK, "--quiet")
        with tempfile.TemporaryDirectory() as folder:
            # The first tasks wait for the kill, and so are lost with their executor.
            slow = os.path.join(folder, "adit")
            mark = os.path.join(folder, "killed")
            with open(slow, "w") as file:
                file.write(
                    "#!/bin/sh\n"
                    f"case \"$*\" in *--partial*) touch {folder}/begun; n=0\n"
                    f"  while [ ! -e {mark} ] && [ $n -lt 600 ]; do sleep 0.1; n=$((n+1)); done;; esac\n"
                    f"exec {ADIT} \"$@\"\n"
                )
            os.chmod(slow, 0o755)
            killed = []

            def kill():
                while not os.path.exists(os.path.join(folder, "begun")):
                    time.sleep(0.1)
                pids = executors()
                if pids:
                    os.kill(pids[0], 9)
                    killed.append(pids[0])
                open(mark, "w").close()

            killer = threading.Thread(target=kill)
            killer.start()
            found = adit_spark.properties(
                self.events, trace="session", event="action", time="place", adit=slow, flags=WEAK, partitions=4
            )
            killer.join()
        self.assertTrue(killed, "no executor was found to kill")
        self.assertEqual(found, expected)

    def test_adit_tells_what_is_wrong(self):
        with self.assertRaises(Exception) as caught:
            adit_spark.properties(self.events, trace="session", event="action", adit="/nowhere/adit", partitions=2)
        self.assertIn("no such program", str(caught.exception))


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
