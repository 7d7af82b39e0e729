# SPDX-License-Identifier: Apache-2.0
"""The machine's controllers: two controllers of btvirt, or a controller outside the machine.

With btvirt, BlueZ has hci0, and hci1 is lent to a host outside the machine by the bridge.
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

# By default btvirt's controllers have the features of 5.x; -L limits them to Low Energy of 4.x.
KINDS = {"4.x": ("-L", "-l2"), "5.x": ("-l2",)}

# Commands that end and begin a scan: LE Set Scan Enable, or its extended form, without duplicates.
SCANS = {
    "4.x": ("0x000c 00 01", "0x000c 01 01"),
    "5.x": ("0x0042 00 01 00 00 00 00", "0x0042 01 01 00 00 00 00"),
}


def port(name):
    """The device of the port with this name in QEMU."""
    for path in glob.glob("/sys/class/virtio-ports/*/name"):
        with open(path) as file:
            if file.read().strip() == name:
                return "/dev/" + path.split("/")[-2]
    raise FileNotFoundError(f"no port has the name {name}")


# The initial line discipline of a terminal.
N_TTY = 0

LOG = "/run/radio.log"
# The number of characters at the end of the log that are reported.
LOG_LIMIT = 65_536

# The terminal to which a controller outside is connected.
CONSOLE = "/dev/hvc0"


def open_console():
    """Opens the console, whose echo is off while it is open. After one controller has left, and
    before the next arrives, an echo would send the last bytes of the first to the second."""
    console = os.open(CONSOLE, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    tty.setraw(console)
    return console


class Radio:
    """The programs that make controllers. If one ends by itself, it emits `fault` or `died`."""

    def __init__(self, line):
        self.line = line
        self.console = open_console()
        self.kind = None
        self.programs = []
        self.watches = []

    @staticmethod
    def adapters(kind):
        """BlueZ's adapters with controllers of this kind."""
        return [f"/org/bluez/hci{index}" for index in range(2 if kind in KINDS else 1)]

    @staticmethod
    def log():
        """The end of the log of the programs that make controllers, since the machine's start."""
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
                # btvirt runs before all other programs. Otherwise the kernel's first command to a
                # controller may arrive before btvirt has read that the controller exists, and
                # btvirt would take the command for that report.
                await self._start("btvirt", *KINDS[kind], log=log, is_first=True)
                await self._start("/bridge", "1", port("lent"), log=log)

    async def stop(self):
        """Removes the controllers, as if they were unplugged."""
        for watch in self.watches:
            watch.cancel()
        programs, self.programs, self.watches = self.programs, [], []
        for program in reversed(programs):
            await program.stop(signal.SIGTERM)
        # The console stays open, so its line discipline is reset. With the present one, the kernel
        # would still use the console as a controller.
        fcntl.ioctl(self.console, termios.TIOCSETD, struct.pack("i", N_TTY))

    async def scan_anew(self):
        """Has hci0 end its scan and begin it again, with btvirt.

        btvirt reports an advertiser when the advertising or a scan begins, and not again. Linux 6.1
        begins to listen a little after the beginning of its scan, and would miss that report.
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
        # Only btvirt is known to crash by a fault of its own.
        self.line.emit("fault" if name == "btvirt" else "died", what=f"{name} died", status=status)
