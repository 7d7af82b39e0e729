# SPDX-License-Identifier: Apache-2.0
"""bluetoothd: started as a test wants it, with or without a memory of what was before."""

import glob
import os
import shutil

from commands import command
from programs import Program

PROGRAM = "/usr/libexec/bluetooth/bluetoothd"
CONFIGURATION = "/etc/bluetooth/main.conf"
STATE = "/var/lib/bluetooth"
LOG = "/run/bluetoothd.log"


class Daemon:
    def __init__(self):
        self.program = None
        self.configuration = ""

    async def start(self, configuration):
        self.configuration = configuration
        with open(CONFIGURATION, "w") as file:
            file.write(configuration)
        with open(LOG, "wb") as log:
            self.program = await Program.start(PROGRAM, "-n", "-d", output=log)

    async def stop(self):
        if self.program:
            await self.program.stop()
            self.program = None

    def lines(self):
        """What it wrote since it was started."""
        if not os.path.exists(LOG):
            return []
        with open(LOG, errors="replace") as log:
            return log.read().splitlines()


def forget_everything():
    """Removes all bonds, caches and settings."""
    for path in glob.glob(STATE + "/*"):
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


@command
async def reset(peer, radio, configuration, keeps_state=False):
    """Ends all that a test may have left, and starts controllers and BlueZ anew."""
    for program in list(peer.spawned.values()):
        await program.stop(9)
    await peer.leave_bus()
    await peer.daemon.stop()
    await peer.radio.stop()
    peer.kernel.forget()
    if not keeps_state:
        forget_everything()
    await peer.radio.start(radio)
    await peer.daemon.start(configuration)
    await peer.enter_bus(awaits_adapter=radio != "none")
    return {}


@command
async def restart_daemon(peer, configuration=None, forgets=False):
    """Starts bluetoothd again; what was registered with it is gone, its bonds are not."""
    await peer.leave_bus()
    await peer.daemon.stop()
    if forgets:
        forget_everything()
    await peer.daemon.start(configuration or peer.daemon.configuration)
    await peer.enter_bus()
    return {}


@command
async def stop_daemon(peer):
    """Ends bluetoothd; the kernel's controllers stay as they are."""
    await peer.leave_bus()
    await peer.daemon.stop()
    return {}


@command
async def stop_radio(peer):
    """Takes the controllers away."""
    await peer.radio.stop()
    return {}


@command
async def start_radio(peer, radio):
    """Brings controllers again, and waits until BlueZ has its own."""
    await peer.radio.start(radio)
    await peer.bus.wait_for("/org/bluez/hci0")
    return {}


@command
async def logs(peer):
    """What the kernel and bluetoothd wrote since the last reset."""
    return {"kernel": peer.kernel.lines(), "daemon": peer.daemon.lines()}
