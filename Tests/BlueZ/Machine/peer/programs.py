# SPDX-License-Identifier: Apache-2.0
"""Programs that run beside the peer: short programs and background programs."""

import asyncio
import contextlib
import os
import signal

from commands import command
from line import Refusal

PIPE = asyncio.subprocess.PIPE
NOTHING = asyncio.subprocess.DEVNULL
BOTH = asyncio.subprocess.STDOUT

# How long a program may take to end, in seconds.
END_LIMIT = 20

# The longest line of a program, in bytes.
LINE_LIMIT = 1 << 20


class Program:
    """A background program, in a process group with everything that it starts."""

    def __init__(self, process):
        self.process = process

    @classmethod
    async def start(cls, *arguments, output=NOTHING, is_first=False):
        """Starts it. With `is_first` it runs before all other programs whenever it can."""
        return cls(await asyncio.create_subprocess_exec(
            *arguments, stdin=NOTHING, stdout=output, stderr=BOTH, start_new_session=True,
            preexec_fn=_run_first if is_first else None,
        ))

    async def stop(self, with_signal):
        """Signals it, and waits a limited time for its end: a broken kernel may never end it."""
        _signal_group(self.process, with_signal)
        try:
            await asyncio.wait_for(self.process.wait(), END_LIMIT)
        except asyncio.TimeoutError:
            raise Refusal("Stuck", f"process {self.process.pid} does not end")


def _signal_group(process, number):
    """Signals a program and everything that it started, unless it has already ended."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)


def _run_first():
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


@command
async def shell(peer, line, seconds):
    """Runs a shell command to its end. Returns its status, and the text of both outputs."""
    process = await asyncio.create_subprocess_shell(
        line, stdin=NOTHING, stdout=PIPE, stderr=BOTH, start_new_session=True
    )
    try:
        output, _ = await asyncio.wait_for(process.communicate(), seconds)
    except asyncio.TimeoutError:
        _signal_group(process, signal.SIGKILL)
        raise Refusal("TooSlow", f"{line} took longer than {seconds} s")
    return {"status": process.returncode, "output": output.decode(errors="replace")}


@command
async def spawn(peer, line, name):
    """Starts a shell command. Its lines are events `output`, its end is the event `ended`."""
    if name in peer.spawned:
        raise Refusal("Busy", f"{name} runs already")
    process = await asyncio.create_subprocess_shell(
        line, stdin=PIPE, stdout=PIPE, stderr=BOTH, start_new_session=True, limit=LINE_LIMIT
    )
    peer.spawned[name] = Program(process)
    peer.watch(_follow(peer, name, process))
    return {"process": process.pid}


async def _follow(peer, name, process):
    async for text in process.stdout:
        peer.line.emit("output", name=name, line=text.decode(errors="replace").rstrip("\n"))
    status = await process.wait()
    peer.spawned.pop(name, None)
    peer.line.emit("ended", name=name, status=status)


@command
async def write(peer, name, text):
    """Writes to the standard input of a background program."""
    _find(peer, name).process.stdin.write(text.encode())
    return {}


@command
async def close_input(peer, name):
    """Closes the standard input of a background program."""
    _find(peer, name).process.stdin.close()
    return {}


@command
async def end(peer, name, number):
    """Ends a background program by a signal, and waits for its end."""
    await _find(peer, name).stop(number)
    return {}


def _find(peer, name):
    if program := peer.spawned.get(name):
        return program
    raise Refusal("NotRunning", f"{name} does not run")
