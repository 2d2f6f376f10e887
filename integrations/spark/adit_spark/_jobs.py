"""Running the program adit, on the driver or on an executor."""

import subprocess
import tempfile


class AditError(RuntimeError):
    """adit refused its input; the message is adit's own."""


def run(command):
    """Runs adit to its end, and returns what it printed."""
    with start(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        out, _ = process.communicate()
        check(process)
        return out.decode()


def start(command, stdin, stdout=subprocess.DEVNULL):
    """Starts adit. Its messages go to a file, so that it never waits for a reader."""
    messages = tempfile.TemporaryFile()
    try:
        process = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=messages)
    except OSError as error:
        raise AditError(
            f"{command[0]}: cannot start this program here ({error.strerror}); install adit on every executor, "
            "or pass its path as adit="
        ) from None
    process.messages = messages
    return process


def check(process):
    """Waits for adit, and raises its message if it failed."""
    code = process.wait()
    process.messages.seek(0)
    said = process.messages.read().decode(errors="replace").strip()
    process.messages.close()
    if code != 0:
        raise AditError(said or f"adit ended with exit code {code}")
