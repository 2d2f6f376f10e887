"""Seconds of adit on Spark with two executors beside the plain command on the same log, and equality of bytes.

    overhead.py --adit target/release/adit --log LOG/parts          a folder of Parquet files
    overhead.py --adit target/release/adit --traces DATA/dsm        every .traces.gz of a folder

The first has the columns trace, sequence and event. Needs pyspark, pyarrow and a JDK.
"""

import argparse
import gzip
import os
import subprocess
import sys
import time

import pyspark
from pyspark.sql import SparkSession

sys.path.insert(0, os.path.abspath(os.path.join(os.path.dirname(__file__), "..")))
os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))
os.environ["PYTHONPATH"] = os.pathsep.join([sys.path[0], os.environ.get("PYTHONPATH", "")])
os.environ["PYSPARK_PYTHON"] = sys.executable

import adit_spark  # noqa: E402

WEAK = ["--json", "--min-confidence", "0.2"]


def main():
    flags = argparse.ArgumentParser()
    flags.add_argument("--adit", default="adit")
    flags.add_argument("--log")
    flags.add_argument("--traces")
    flags.add_argument("--partitions", type=int, default=16)
    flags.add_argument("--memory", default="1g")
    asked = flags.parse_args()
    begun = time.monotonic()
    spark = (
        SparkSession.builder.master("local-cluster[2,1,2048]")
        .config("spark.executor.memory", asked.memory)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    # The first job starts the executors.
    spark.range(10).repartition(2).count()
    print(f"Spark started in {time.monotonic() - begun:.1f} s")
    print("| log | events | plain command | on Spark | same bytes |\n|---|---|---|---|---|")
    logs = []
    if asked.log:
        events = spark.read.parquet(asked.log)
        logs.append((os.path.basename(asked.log), asked.log, events, events.count()))
    if asked.traces:
        for name in sorted(os.listdir(asked.traces)):
            if name.endswith(".traces.gz"):
                path = os.path.join(asked.traces, name)
                rows = list(read(path))
                logs.append((name, path, spark.createDataFrame(rows, "trace long, sequence long, event string"), len(rows)))
    wrong = 0
    for name, path, events, number in logs:
        begun = time.monotonic()
        command = [asked.adit, "properties", path, "--quiet", "--no-purity", *WEAK]
        plain = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        between = time.monotonic()
        found = adit_spark.properties(
            events, "trace", "event", time="sequence", adit=asked.adit, flags=WEAK,
            partial_flags=["--no-purity"], partitions=asked.partitions,
        )
        ended = time.monotonic()
        wrong += found != plain
        same = "yes" if found == plain else "NO"
        print(f"| {name} | {number} | {between - begun:.1f} s | {ended - between:.1f} s | {same} |", flush=True)
    spark.stop()
    sys.exit(1 if wrong else 0)


def read(path):
    """The rows of a file with a trace a line; zero bytes at its end, left by an archive, are no events."""
    with gzip.open(path, "rt") as lines:
        for trace, line in enumerate(lines):
            words = [word for word in line.strip("\0").split() if word not in ("<START>", "<END>")]
            yield from ((trace, place, word) for place, word in enumerate(words))


if __name__ == "__main__":
    main()
