# SPDX-License-Identifier: Apache-2.0
"""The machine's controllers: two of btvirt's on one air, or one that is outside.

With btvirt BlueZ has hci0, and hci1 is lent to a host outside the machine by the bridge.
"""

import asyncio
import fcntl
import glob
import os
import signal
import struct
import termios
import tty

from programs import Program

# By default btvirt's controllers know the features of 5.x; -L makes them Low Energy of 4.x only.
KINDS = {"4.x": ("-L", "-l2"), "5.x": ("-l2",)}

# What ends and begins a scan, by kind: LE Set Scan Enable, or its extended form, without duplicates.
SCANS = {
    "4.x": ("0x000c 00 01", "0x000c 01 01"),
    "5.x": ("0x0042 00 01 00 00 00 00", "0x0042 01 01 00 00 00 00"),
}


def port(name):
    """The device of a port that QEMU gave that name."""
    for path in glob.glob("/sys/class/virtio-ports/*/name"):
        with open(path) as file:
            if file.read().strip() == name:
                return "/dev/" + path.split("/")[-2]
    raise FileNotFoundError(f"no port is called {name}")


# The line discipline that a terminal begins with.
N_TTY = 0

LOG = "/run/radio.log"
# How many characters of it are told.
LOG_LIMIT = 65_536

# Where a controller outside is.
CONSOLE = "/dev/hvc0"


def open_console():
    """The console, without an echo for as long as it is open: between two controllers it would send what
    the first said last to the second."""
    console = os.open(CONSOLE, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    tty.setraw(console)
    return console


class Radio:
    """What runs to make controllers. If one ends by itself, that is an event: `fault` or `died`."""

    def __init__(self, line):
        self.line = line
        self.console = open_console()
        self.kind = None
        self.programs = []
        self.watches = []

    @staticmethod
    def adapters(kind):
        """What BlueZ has when controllers of that kind are there."""
        return [f"/org/bluez/hci{index}" for index in range(2 if kind in KINDS else 1)]

    @staticmethod
    def log():
        """What the programs wrote that are controllers, since the machine's start."""
        with open(LOG, errors="replace") as log:
            return log.read()[-LOG_LIMIT:].splitlines()

    async def start(self, kind):
        """Starts controllers of a kind: 4.x, 5.x, or `outside` on the machine's console hvc0."""
        self.kind = kind
        with open(LOG, "ab") as log:
            if kind == "outside":
                termios.tcflush(self.console, termios.TCIOFLUSH)
                await self._start("btattach", "-N", "-S", "115200", "-B", CONSOLE, "-P", "h4", log=log)
            elif kind in KINDS:
                # Before all others, or the kernel's first command to a controller may be there before
                # btvirt has read that the controller is made; it takes the one for the other.
                await self._start("btvirt", *KINDS[kind], log=log, is_first=True)
                await self._start("/bridge", "1", port("lent"), log=log)

    async def stop(self):
        """Takes the controllers away, as if they were unplugged."""
        for watch in self.watches:
            watch.cancel()
        programs, self.programs, self.watches = self.programs, [], []
        for program in reversed(programs):
            await program.stop(signal.SIGTERM)
        # Open here, the console would stay the kernel's controller.
        fcntl.ioctl(self.console, termios.TIOCSETD, struct.pack("i", N_TTY))

    async def scan_anew(self):
        """Has hci0 end its scan and begin it again, where it is btvirt's.

        btvirt tells of those who advertise in the very moment in which a scan begins, and not again.
        Linux 6.1 begins to listen a little later, and would hear of nobody.
        """
        for line in SCANS.get(self.kind, ()):
            words = ("hcitool", "-i", "hci0", "cmd", "0x08", *line.split())
            await (await Program.start(*words)).process.wait()

    async def _start(self, *arguments, log, is_first=False):
        program = await Program.start(*arguments, output=log, is_first=is_first)
        self.programs.append(program)
        self.watches.append(asyncio.ensure_future(self._watch(arguments[0], program)))

    async def _watch(self, name, program):
        status = await program.process.wait()
        # Of these, only btvirt is known to die without anybody's fault.
        self.line.emit("fault" if name == "btvirt" else "died", what=f"{name} died", status=status)
