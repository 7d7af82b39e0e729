# SPDX-License-Identifier: Apache-2.0
"""bluetoothd, started as a test needs it, with or without its stored state."""

import asyncio
import collections
import glob
import os
import shutil
import signal

from bus import ADAPTER
from commands import command
from line import Refusal
from programs import PIPE, Program
from radio import KINDS

PROGRAM = "/usr/libexec/bluetooth/bluetoothd"
CONFIGURATION = "/etc/bluetooth/main.conf"
STATE = "/var/lib/bluetooth"
# The number of lines of bluetoothd's log that are kept.
LOG_LIMIT = 20_000

# The log line with which bluetoothd drops a new link by mistake. bluetoothd requires encryption of
# each link with a bonded peer. If the peer has just encrypted the link, which takes no time on
# btvirt, the kernel reports that no change is needed, and bluetoothd takes that for a failure. The
# kernel ends such a link after four seconds, or its data is lost.
LOST_LINK = "setsockopt(BT_SECURITY): Invalid argument"

# The exit statuses of a crash. BlueZ's issue 2447 causes one.
CRASHES = (-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS)

# The time in seconds within which BlueZ must get its controllers. With btvirt, there is an attempt
# for each limit. With a controller outside the machine, there is only one attempt, which has the
# last limit.
TIME_LIMITS = (5, 10, 20)


class Daemon:
    def __init__(self, line):
        self.line = line
        self.program = None
        self.follower = None
        self.is_stopping = False
        self.configuration = ""
        # Whether bluetoothd logs every step (its option -d).
        self.is_talkative = False
        # Its log since it was started.
        self.log = collections.deque(maxlen=LOG_LIMIT)

    async def start(self, configuration):
        self.configuration = configuration
        with open(CONFIGURATION, "w") as file:
            file.write(configuration)
        self.log.clear()
        words = ("-d",) if self.is_talkative else ()
        self.program = await Program.start(PROGRAM, "-n", *words, output=PIPE)
        self.is_stopping = False
        self.follower = asyncio.ensure_future(self._follow(self.program.process))

    async def stop(self, with_signal=signal.SIGTERM):
        if self.program:
            self.is_stopping = True
            await self.program.stop(with_signal)
            await self.follower
            self.program = None

    async def _follow(self, process):
        async for text in process.stdout:
            line = text.decode(errors="replace").rstrip("\n")
            self.log.append(line)
            if LOST_LINK in line:
                self.line.emit("fault", what="bluetoothd dropped an encrypted link")
        if await process.wait() in CRASHES and not self.is_stopping:
            self.line.emit("fault", what="bluetoothd crashed")


def forget_everything():
    """Removes all bonds, caches and settings."""
    for path in glob.glob(STATE + "/*"):
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


@command
async def reset(peer, radio, configuration, is_talkative, keeps_state):
    """Ends all programs that a test may have left running, and restarts controllers and BlueZ."""
    for program in list(peer.spawned.values()):
        await program.stop(9)
    await peer.leave_bus()
    # If no state is kept, bluetoothd is killed, because a graceful shutdown takes a while.
    await peer.daemon.stop(signal.SIGTERM if keeps_state else signal.SIGKILL)
    await peer.radio.stop()
    if not keeps_state:
        forget_everything()
    peer.kernel.forget()
    peer.daemon.is_talkative = is_talkative
    await peer.daemon.start(configuration)
    await peer.enter_bus()
    await _start_radio(peer, radio)
    return {}


async def _start_radio(peer, radio, adapters=None):
    """Starts controllers, and waits until BlueZ has them.

    Sometimes a controller does not start because btvirt lost the kernel's first command, so this is
    repeated.
    """
    adapters = adapters or peer.radio.adapters(radio)
    for limit in TIME_LIMITS if radio in KINDS else TIME_LIMITS[-1:]:
        await peer.radio.start(radio)
        try:
            await asyncio.wait_for(peer.bus.wait_for(*adapters), limit)
            return
        except asyncio.TimeoutError:
            await peer.radio.stop()
            peer.kernel.forget()
    raise Refusal("NoController", f"BlueZ did not get its {adapters}")


@command
async def restart_daemon(peer, forgets):
    """Restarts bluetoothd. Its registrations are lost. Its bonds stay, unless `forgets` is true."""
    await peer.leave_bus()
    await peer.daemon.stop()
    if forgets:
        forget_everything()
    await peer.daemon.start(peer.daemon.configuration)
    await peer.enter_bus()
    await peer.bus.wait_for(ADAPTER)
    return {}


@command
async def kill_daemon(peer):
    """Kills bluetoothd, which ends its calls without an answer."""
    await peer.leave_bus()
    await peer.daemon.stop(signal.SIGKILL)
    return {}


@command
async def start_daemon(peer):
    """Starts bluetoothd after it was killed, and waits until it has its adapter."""
    await peer.daemon.start(peer.daemon.configuration)
    await peer.enter_bus()
    await peer.bus.wait_for(ADAPTER)
    return {}


@command
async def match_rules(peer, process):
    """The number of a process's match rules for signals, according to the bus."""
    return {"count": await peer.bus.match_rules(process)}


@command
async def objects(peer):
    """The number of objects that BlueZ shows."""
    return {"count": len(await peer.bus.objects())}


@command
async def wait_for_adapter(peer, path):
    """Waits until BlueZ has the adapter at this path."""
    await peer.bus.wait_for(path)
    return {}


@command
async def stop_radio(peer):
    """Unplugs the controllers."""
    await peer.radio.stop()
    return {}


@command
async def start_radio(peer, radio, adapters):
    """Plugs controllers in, and waits until BlueZ has these adapters. Another program may take the
    others before BlueZ does."""
    await _start_radio(peer, radio, adapters)
    return {}


@command
async def logs(peer):
    """The logs of the kernel since the last reset, of bluetoothd, and of the controllers."""
    return {"kernel": peer.kernel.lines(), "daemon": list(peer.daemon.log), "radio": peer.radio.log()}
