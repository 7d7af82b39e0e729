# SPDX-License-Identifier: Apache-2.0
"""The virtual controllers of the rig (compare.py), each behind a Unix socket."""

import contextlib
import shutil

from processes import Process, await_socket


@contextlib.contextmanager
def btvirt(tools, scratch, core):
    """Runs BlueZ's btvirt. Each connection is a new controller."""
    path = scratch / "bt-server-bredrle"
    path.unlink(missing_ok=True)
    environment = {"LD_PRELOAD": str(tools / "btvirt_preload.so"), "BTVIRT_SOCKETS": str(scratch)}
    with Process(["btvirt", "-s"], core, environment) as process:
        await_socket(path)
        yield process, path
    for socket in scratch.glob("bt-server-*"):
        socket.unlink()


@contextlib.contextmanager
def rootcanal(tools, scratch, core, peers):
    """Runs RootCanal's library behind the server that the tests use."""
    path = scratch / "rootcanal"
    path.unlink(missing_ok=True)
    command = [peers / "rootcanal_server", peers / "librootcanal_ffi.so", f"unix:{path}"]
    with Process(command, core) as process:
        process.expect("ready")
        yield process, path
    path.unlink(missing_ok=True)


@contextlib.contextmanager
def pair(tools, scratch, core):
    """Runs the rig's own two controllers, without a radio between them."""
    path = scratch / "pair"
    path.unlink(missing_ok=True)
    with Process([tools / "pair", path], core) as process:
        process.expect("ready")
        yield process, path
    path.unlink(missing_ok=True)


def available(peers):
    """Returns the controllers that can run on this machine, by name, fastest first."""
    found = {"pair": pair}
    if shutil.which("btvirt"):
        found["btvirt"] = btvirt
    if (peers / "rootcanal_server").exists():
        found["rootcanal"] = lambda *place: rootcanal(*place, peers)
    return found
