#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts the other scripts of this folder as copies of this process, which has imported Bumble.

The import takes half a second of processor time, and the tests start hundreds of peers.

Each line of standard input is a request: `{"arguments": [SCRIPT, …], "files": [IN, OUT, ERR]}`.
The answer is one line with the identifier of the new process, or a line with the reason why there
is none. The new process is an orphan: its parent is the test runner, which adopts orphans.
"""

import atexit
import gc
import importlib
import json
import os
import runpy
import sys
import traceback

PRELOADED = [
    "argparse", "base64", "dataclasses", "hashlib", "itertools", "random", "struct", "threading",
    "bumble.att", "bumble.controller", "bumble.core", "bumble.crypto", "bumble.device",
    "bumble.gatt", "bumble.gatt_client", "bumble.hci", "bumble.keys", "bumble.l2cap", "bumble.link",
    "bumble.ll", "bumble.pairing", "bumble.smp", "bumble.transport", "bumble.transport.common",
    "bumble.transport.tcp_client", "bumble.transport.unix",
]  # fmt: skip

# The flags for standard input, output and error.
FLAGS = [os.O_RDONLY, os.O_WRONLY, os.O_WRONLY | os.O_APPEND]


def serve():
    for name in PRELOADED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        print(start(json.loads(line)), flush=True)


def start(request):
    """Starts the process. Returns the line that answers the request."""
    reading, writing = os.pipe()
    parent = os.fork()
    if parent == 0:
        os.close(reading)
        if os.fork() == 0:
            become(request, writing)
        os._exit(0)
    os.close(writing)
    # Afterward the new process is an orphan.
    os.waitpid(parent, 0)
    with open(reading) as answer:
        return answer.read() or "the process did not start"


def become(request, writing):
    """Runs a script with its own files. Never returns."""
    status = 1
    try:
        for target, path in enumerate(request["files"]):
            opened = os.open(path, FLAGS[target])
            os.dup2(opened, target)
            os.close(opened)
        os.write(writing, str(os.getpid()).encode())
        os.close(writing)
        script = request["arguments"][0]
        sys.argv = request["arguments"]
        sys.path[0] = os.path.dirname(script)
        runpy.run_path(script, run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    serve()
