# SPDX-License-Identifier: Apache-2.0
"""Processes of the rig (compare.py): started on one core, controlled line by line, with their CPU times."""

import contextlib
import os
import pathlib
import select
import subprocess
import time

TIME_LIMIT = 60.0  # seconds that a process may take for one line


def place_on(core):
    """Moves the calling process to a core."""
    os.sched_setaffinity(0, {core})


@contextlib.contextmanager
def precedence():
    """Gives this session priority on the machine, where the system groups sessions and allows
    it."""
    group = pathlib.Path("/proc/self/autogroup")
    try:
        before = group.read_text().split()[-1]
        group.write_text("-20")
    except OSError:
        yield
        return
    try:
        yield
    finally:
        group.write_text(before)


class Process:
    """A child process on a given core, controlled over its standard streams."""

    def __init__(self, command, core, environment=None):
        self.command = [str(word) for word in command]
        self.child = subprocess.Popen(
            self.command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
            preexec_fn=lambda: place_on(core),
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.stdin.close()
        self.child.terminate()
        self.child.wait()
        self.child.stdout.close()

    def line(self):
        """Returns the next line of its output, without the line end."""
        text = b""
        while not text.endswith(b"\n"):
            if not select.select([self.child.stdout], [], [], TIME_LIMIT)[0]:
                raise TimeoutError(f"{self.command[0]} printed no line")
            part = os.read(self.child.stdout.fileno(), 1 << 12)
            if not part:
                raise EOFError(f"{self.command[0]} ended with {self.child.wait()}")
            text += part
        return text.decode().strip()

    def expect(self, word):
        """Reads the next line, which must start with `word`, and returns the rest."""
        line = self.line()
        if not line.startswith(word):
            raise ValueError(f"{self.command[0]} says {line!r} instead of {word!r}")
        return line[len(word) :].strip()

    def ask(self, request):
        """Sends a line. Returns the answer."""
        self.child.stdin.write(f"{request}\n".encode())
        return self.line()

    def cpu_seconds(self):
        """Returns the CPU time of all its threads so far, in seconds."""
        tasks = pathlib.Path(f"/proc/{self.child.pid}/task")
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()) / 1e9


def await_socket(path):
    """Waits until there is a socket at `path`."""
    deadline = time.monotonic() + TIME_LIMIT
    while not path.exists():
        if time.monotonic() > deadline:
            raise TimeoutError(f"no process listens at {path}")
        time.sleep(0.01)
