"""Every class of a jar, one task for each."""

import io
import json
import os
import tarfile
import tempfile

from ._jobs import run


def mine_all(spark, source, output, adit="adit", classpath=(), flags=()):
    """Mines every public class of a jar, one task for each class, into one folder, and returns its summary.

    The folder is the one that `adit mine --all source -o output` with the same flags writes; that command
    goes on with it, and this function leaves out the classes that are done in it. Spark sends the jar and
    those of the class path to the executors.
    """
    from pyspark import SparkFiles, StorageLevel

    context = spark.sparkContext
    jars = [os.path.abspath(path) for path in (source, *classpath)]
    command = _command(adit, jars, output, flags)
    left = json.loads(run([*command, "--list", "--json"]))["left"]
    if left:
        for path in jars:
            context.addFile(path)
        names = [os.path.basename(path) for path in jars]

        def mine(of):
            yield from (_mined(name, [SparkFiles.get(jar) for jar in names], adit, flags) for name in of)

        # All tasks run before the first folder comes to the driver, and the folders come one by one.
        folders = context.parallelize(left, len(left)).mapPartitions(mine).persist(StorageLevel.DISK_ONLY)
        folders.count()
        os.makedirs(output, exist_ok=True)
        for packed in folders.toLocalIterator():
            with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
                archive.extractall(output, filter="data")
        folders.unpersist()
    # Everything is known now; this writes the summary and the page.
    return json.loads(run([*command, "--json"]))


def _command(adit, jars, output, flags):
    paths = [flag for jar in jars[1:] for flag in ("-c", jar)]
    return [adit, "mine", "--all", jars[0], "-o", output, "--quiet", *paths, *flags]


def _mined(name, jars, adit, flags):
    """Runs on an executor: mines one class, and returns its folder as an archive."""
    with tempfile.TemporaryDirectory(prefix="adit-spark-") as folder:
        run([*_command(adit, jars, folder, flags), "--only-class", name])
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for entry in sorted(os.listdir(folder)):
                if os.path.isdir(os.path.join(folder, entry)):
                    archive.add(os.path.join(folder, entry), entry)
        return packed.getvalue()
