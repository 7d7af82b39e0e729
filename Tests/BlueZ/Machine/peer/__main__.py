# SPDX-License-Identifier: Apache-2.0
"""The test's peer in the machine. It executes commands from the control line, mostly over D-Bus."""

import asyncio
import traceback

import advertising  # noqa: F401 (each import registers commands)
import application  # noqa: F401
import central  # noqa: F401
import management  # noqa: F401
import pairing
import programs  # noqa: F401
from bus import Bus
from commands import find
from daemon import Daemon
from kernel import KernelLog
from line import Line, Refusal
from radio import Radio, port


class Peer:
    """The state of the peer."""

    def __init__(self):
        self.line = Line(port("control"))
        self.kernel = KernelLog(self.line)
        self.radio = Radio(self.line)
        self.daemon = Daemon(self.line)
        self.bus = None
        self.spawned = {}
        self._tasks = set()

    async def enter_bus(self):
        """Connects to D-Bus, without any registrations."""
        self.bus = await Bus(self.line).connect()
        self.agent = pairing.Agent(self.line)
        self.characteristics = {}
        self.advertisements = {}

    async def leave_bus(self):
        """Ends the connection, and with it BlueZ's registrations from it."""
        if self.bus:
            self.bus.disconnect()
            self.bus = None

    def watch(self, work):
        """Runs `work` while the commands are executed."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def run(self):
        """Executes commands until the control line ends."""
        with open("/proc/uptime") as file:
            self.line.emit("ready", uptime=float(file.read().split()[0]))
        while True:
            self.watch(self._carry_out(await self.line.orders.get()))

    async def _carry_out(self, order):
        identifier, name = order.pop("id"), order.pop("do")
        try:
            function = find(name)
            if not function:
                raise Refusal("Unknown", f"there is no command {name}")
            self.line.answer(identifier, await function(self, **order))
        except Refusal as refusal:
            self.line.refuse(identifier, refusal)
        except Exception as error:  # an error of the peer's own, which the test has to see
            self.line.refuse(identifier, Refusal(type(error).__name__, traceback.format_exc()))


async def main():
    await Peer().run()


asyncio.run(main())
