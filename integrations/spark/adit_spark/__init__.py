"""Mines temporal properties and models from Spark DataFrames with adit.

A DataFrame has a row for each event. Spark gathers the rows of each trace in one partition; each partition
becomes a partial answer of adit, and partial answers are merged. The answer is that of one run of adit over
all rows, to the byte.
"""

import os
import subprocess
import tempfile

__all__ = ["AditError", "infer", "properties"]


class AditError(RuntimeError):
    """adit refused its input; the message is adit's own."""


def properties(events, trace, event, time=None, adit="adit", flags=(), partial_flags=(), partitions=None):
    """Returns what `adit properties` prints for the traces of a DataFrame, as text.

    trace, event and time are names of columns. The rows of a trace are sorted by time; without it, Spark
    promises no order. flags are those of the answer, such as ["--json", "--min-support", "5"];
    partial_flags decide what is counted: --pure, --no-purity, --labels.
    """
    folds = _folds(events, trace, event, time, adit, ["properties"], list(partial_flags), partitions)
    return _merged(folds, [adit, "properties", "--quiet", *flags])


def infer(events, trace, event, output, time=None, adit="adit", k=1, flags=(), partial_flags=(), partitions=None):
    """Writes the k-tail model of the traces of a DataFrame to a file; its extension chooses the format."""
    command = ["infer", "--algorithm", "k-tail"]
    folds = _folds(events, trace, event, time, adit, command, list(partial_flags), partitions)
    _merged(folds, [adit, *command, "--quiet", "--k", str(k), "-o", output, *flags])


# Partial answers that are merged at a time. Each is a few kilobytes, and a command line has room for them.
_WIDTH = 64


def _folds(events, trace, event, time, adit, command, flags, partitions):
    """The partial answers of all partitions, a binary column of a DataFrame, few enough for the driver."""
    import pyspark.sql.functions as functions

    columns = [functions.col(trace).alias("trace"), functions.col(event).alias("event")]
    if time is not None:
        columns.append(functions.col(time).cast("long" if _is_number(events, time) else "timestamp").alias("sequence"))
    outcomes = [name for name in ("returned", "threw") if name in events.columns]
    rows = events.select(*columns, *outcomes)
    rows = rows.repartition(partitions, "trace") if partitions else rows.repartition("trace")
    order = ["trace", "sequence"] if time is not None else ["trace"]
    rows = rows.sortWithinPartitions(*order)

    def count(batches):
        yield from _count(batches, adit, command, flags)

    folds = rows.mapInArrow(count, "fold binary")
    number = rows.rdd.getNumPartitions() if partitions is None else partitions
    while number > _WIDTH:
        number = -(-number // _WIDTH)

        def merge(batches):
            yield from _merge(batches, adit, command)

        folds = folds.repartition(number).mapInArrow(merge, "fold binary")
    return [bytes(row.fold) for row in folds.collect()]


def _is_number(events, column):
    return events.schema[column].dataType.typeName() in ("byte", "short", "integer", "long")


def _count(batches, adit, command, flags):
    """Runs on an executor: the partial answer of the rows of a partition."""
    import pyarrow.csv

    with tempfile.TemporaryDirectory(prefix="adit-spark-") as folder:
        table, fold = os.path.join(folder, "rows.csv"), os.path.join(folder, "part.fold")
        writer = None
        for batch in batches:
            # The rows are in order already; the time has served its purpose.
            kept = [name for name in batch.schema.names if name != "sequence"]
            batch = batch.select(kept)
            if writer is None:
                writer = pyarrow.csv.CSVWriter(table, batch.schema)
            writer.write_batch(batch)
        if writer is None:
            # A partition without rows adds nothing.
            return
        writer.close()
        _run([adit, *command, table, "--quiet", "--partial", "-o", fold, *flags])
        yield _row(fold)


def _merge(batches, adit, command):
    """Runs on an executor: merges the partial answers of a partition into one."""
    with tempfile.TemporaryDirectory(prefix="adit-spark-") as folder:
        parts = _written((value for batch in batches for value in batch.column(0).to_pylist()), folder)
        if parts:
            fold = os.path.join(folder, "merged.fold")
            _run([adit, *command, "--merge", *parts, "--partial", "-o", fold])
            yield _row(fold)


def _row(fold):
    import pyarrow

    with open(fold, "rb") as file:
        return pyarrow.RecordBatch.from_arrays([pyarrow.array([file.read()], pyarrow.binary())], ["fold"])


def _written(folds, folder):
    """Writes partial answers to files, and returns their names."""
    names = []
    for number, fold in enumerate(folds):
        name = os.path.join(folder, f"{number}.fold")
        with open(name, "wb") as file:
            file.write(fold)
        names.append(name)
    return names


def _merged(folds, command):
    """Runs on the driver: the answer of all partial answers together."""
    with tempfile.TemporaryDirectory(prefix="adit-spark-") as folder:
        parts = _written(folds, folder)
        if not parts:
            raise AditError("the DataFrame has no rows")
        return _run([*command[:2], "--merge", *parts, *command[2:]])


def _run(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise AditError(
            f"{command[0]}: no such program on this machine; install adit on every executor, or pass its path as adit="
        ) from None
    if done.returncode != 0:
        raise AditError(done.stderr.strip() or f"adit ended with exit code {done.returncode}")
    return done.stdout
