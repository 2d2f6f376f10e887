"""Properties and models of the traces of a DataFrame."""

import os
import subprocess
import tempfile

from ._jobs import AditError, check, run, start

# Partial answers that are merged at a time. Each is a few kilobytes, and a command line has room for them.
_WIDTH = 64


def properties(events, trace, event, time=None, adit="adit", flags=(), partial_flags=(), partitions=None):
    """Returns what `adit properties` prints for the traces of a DataFrame, as text.

    trace, event and time are names of columns; columns `returned` and `threw` are outcomes. The rows of a
    trace are sorted by time; without it, Spark promises no order. flags are those of the answer, such as
    ["--json", "--min-support", "5"]; partial_flags decide what is counted or how: --pure, --no-purity,
    --labels, --memory.
    """
    folds = _folds(events, trace, event, time, adit, ["properties"], list(partial_flags), partitions)
    return _merged(folds, [adit, "properties"], ["--quiet", *flags])


def infer(events, trace, event, output, time=None, adit="adit", k=1, flags=(), partial_flags=(), partitions=None):
    """Writes the k-tail model of the traces of a DataFrame to a file; its extension chooses the format."""
    command = ["infer", "--algorithm", "k-tail"]
    folds = _folds(events, trace, event, time, adit, command, list(partial_flags), partitions)
    _merged(folds, [adit, *command], ["--quiet", "--k", str(k), "-o", output, *flags])


def _folds(events, trace, event, time, adit, command, flags, partitions):
    """The partial answers of all partitions, few enough for the driver."""
    import pyspark.sql.functions as functions

    outcomes = [name for name in ("returned", "threw") if name in events.columns]
    columns = [functions.col(trace).alias("trace"), functions.col(event).alias("event")]
    if time is not None:
        columns.append(functions.col(time).alias("sequence"))
    rows = events.select(*columns, *(functions.col(name) for name in outcomes))
    number = partitions or int(events.sparkSession.conf.get("spark.sql.shuffle.partitions"))
    # adit sorts the rows of a trace, within its memory; Spark need not.
    rows = rows.repartition(number, "trace")

    def count(batches):
        yield from _count(batches, adit, command, flags)

    def merge(batches):
        yield from _merge(batches, adit, command)

    folds = rows.mapInArrow(count, "fold binary")
    while number > _WIDTH:
        number = -(-number // _WIDTH)
        folds = folds.repartition(number).mapInArrow(merge, "fold binary")
    return [bytes(row.fold) for row in folds.collect()]


def _count(batches, adit, command, flags):
    """Runs on an executor: the partial answer of the rows of a partition, which adit reads as Arrow."""
    import pyarrow

    first = next((batch for batch in batches if batch.num_rows), None)
    if first is None:
        # A partition without rows adds nothing.
        return
    with tempfile.TemporaryDirectory(prefix="adit-spark-") as folder:
        fold = os.path.join(folder, "part.fold")
        names = ["--case", "trace", "--activity", "event"]
        names += ["--time", "sequence"] if "sequence" in first.schema.names else []
        arguments = [adit, *command, "-", "--from", "arrow", *names, "--quiet", "--partial", "-o", fold, *flags]
        process = start(arguments, stdin=subprocess.PIPE)
        try:
            with pyarrow.ipc.new_stream(process.stdin, first.schema) as stream:
                stream.write_batch(first)
                for batch in batches:
                    stream.write_batch(batch)
            process.stdin.close()
        except (BrokenPipeError, OSError):
            # adit ended early, and its message says why.
            pass
        finally:
            _close(process.stdin)
            check(process)
        yield _row(fold)


def _close(pipe):
    try:
        pipe.close()
    except OSError:
        pass


def _merge(batches, adit, command):
    """Runs on an executor: merges the partial answers of a partition into one."""
    with tempfile.TemporaryDirectory(prefix="adit-spark-") as folder:
        parts = _written((value for batch in batches for value in batch.column(0).to_pylist()), folder)
        if parts:
            fold = os.path.join(folder, "merged.fold")
            run([adit, *command, "--merge", *parts, "--partial", "-o", fold])
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


def _merged(folds, command, flags):
    """Runs on the driver: the answer of all partial answers together."""
    with tempfile.TemporaryDirectory(prefix="adit-spark-") as folder:
        parts = _written(folds, folder)
        if not parts:
            raise AditError("the DataFrame has no rows")
        return run([*command, "--merge", *parts, *flags])
