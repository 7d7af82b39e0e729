# SPDX-License-Identifier: Apache-2.0
"""A Bumble host that executes commands, line by line, on at most one link."""

import asyncio
import json
import logging

from bumble import att, hci
from bumble.core import AdvertisingData
from bumble.transport import open_transport

from lifetime import adapter_address, announce, answer
from procedures import Procedures
from received import Received

logger = logging.getLogger("session")

# The time limit for a step, in seconds: machines may be busy.
STEP_LIMIT = 30

# The number of connection attempts, because the establishment of a link may fail.
ESTABLISHMENT_LIMIT = 3


class Session:
    """One host with at most one link. A command is a method of this class, or of `Procedures`."""

    # Commands that need no link, and commands that wait for the end of the link.
    unlinked = {"connect", "disconnect", "ended"}

    # The connection parameters to request; None for Bumble's own.
    parameters = None

    def __init__(self, device):
        self.device = device
        self.connection = None
        self.procedures = None
        self.received = None
        self.reason = None

    async def perform(self, command):
        """Executes a command. Returns its result."""
        command = dict(command)
        name = command.pop("do")
        if name not in self.unlinked and self.procedures is None:
            raise ConnectionError("there is no link")
        owner = self if hasattr(self, name) else self.procedures
        work = getattr(owner, name)(**command)
        if name not in self.unlinked:
            work = self.while_linked(work)
        return await asyncio.wait_for(work, STEP_LIMIT)

    async def while_linked(self, work):
        """Waits for the work, which fails if the link ends first."""
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait((task, self.reason), return_when=asyncio.FIRST_COMPLETED)
            if self.reason.done():
                raise ConnectionError(f"the link ended: {self.reason.result()}")
            return task.result()
        finally:
            task.cancel()

    async def connect(self, name=None, address=None):
        """Scans for the device with this name or address, and connects.

        Returns when the peer has answered a request on the link. If the link fails to be
        established, tries again, because a peer with several links may miss its beginning.
        """
        for attempt in range(ESTABLISHMENT_LIMIT):
            found = await self.open(await self.find(name, address))
            try:
                await self.while_linked(self.procedures.probe())
                return found
            except ConnectionError:
                failed = await self.reason == hci.HCI_CONNECTION_FAILED_TO_BE_ESTABLISHED_ERROR
                if not failed or attempt == ESTABLISHMENT_LIMIT - 1:
                    raise

    async def open(self, advertisement):
        connection = await self.device.connect(
            advertisement.address, connection_parameters_preferences=self.parameters
        )
        self.adopt(connection)
        return {
            "address": str(advertisement.address).split("/")[0],
            "name": name_of(advertisement),
        }

    def adopt(self, connection):
        """Makes this link the one that commands use."""
        self.connection = connection
        self.reason = asyncio.get_running_loop().create_future()
        connection.on("disconnection", self.over)
        self.received = Received(self.device)
        self.procedures = Procedures(connection, self.received)

    async def find(self, name, address):
        found = asyncio.get_running_loop().create_future()

        def received(advertisement):
            if self.is_sought(advertisement, name, address) and not found.done():
                found.set_result(advertisement)

        self.device.on("advertisement", received)
        await self.device.start_scanning(filter_duplicates=False)
        try:
            return await found
        finally:
            self.device.remove_listener("advertisement", received)
            await self.device.stop_scanning()

    def is_sought(self, advertisement, name, address):
        """Returns whether this is the device with the name or address."""
        if address and str(advertisement.address).split("/")[0] != address:
            return False
        return not name or name_of(advertisement) == name

    async def disconnect(self):
        await self.connection.disconnect()
        return await self.ended()

    async def ended(self):
        """Waits until there is no link. Returns the reason of its end."""
        return {"reason": await asyncio.shield(self.reason)}

    def over(self, reason):
        if not self.reason.done():
            self.reason.set_result(reason)
            self.procedures = None


def name_of(advertisement):
    for kind in (AdvertisingData.COMPLETE_LOCAL_NAME, AdvertisingData.SHORTENED_LOCAL_NAME):
        if name := advertisement.data.get(kind):
            return name if isinstance(name, str) else name.decode()
    return None


async def open_adapter(adapter):
    """Opens the wire to a controller."""
    kind, place = adapter_address(adapter)
    name = f"unix:{place}" if kind == "unix" else f"tcp-client:127.0.0.1:{place}"
    return await open_transport(name)


async def serve(session, transport, commands, facts):
    """Powers the device on, prints `ready`, and executes commands until the controller closes."""
    await asyncio.wait_for(session.device.power_on(), STEP_LIMIT)
    announce(facts)
    work = asyncio.ensure_future(obey(session, commands))
    await transport.source.terminated
    work.cancel()
    raise SystemExit("the controller was lost")


async def obey(session, commands):
    while True:
        answer(await outcome(session, await commands.get()))


async def outcome(session, line):
    try:
        return {"done": await session.perform(json.loads(line))}
    except att.ATT_Error as error:
        return {"refused": int(error.error_code)}
    except Exception as error:  # the test decides what the error means
        logger.info("%s", line, exc_info=True)
        return {"failed": f"{type(error).__name__}: {error}"}
