#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Bumble host that uses an accessory as it is told, line by line.

usage: client.py --adapter tcp:HOST:PORT|unix:PATH [--address ADDRESS]

Says `ready {"address":…}`, and then does what each line of standard input asks for, in order:
`{"do":"read","handle":3}`. Each line is answered by one: `{"done":…}` with what came of it,
`{"refused":CODE}` with the peer's Error Response, or `{"failed":"…"}`. What there is to do is what
the methods of `Session` (here) and `Procedures` are called. Values are hexadecimal. Ends when
standard input or the controller goes.
"""

import argparse
import asyncio
import json
import logging

from bumble import att, hci
from bumble.core import AdvertisingData
from bumble.device import Device, DeviceConfiguration
from bumble.keys import MemoryKeyStore, PairingKeys
from bumble.transport import open_transport

from lifetime import adapter_address, announce, answer, run
from procedures import Procedures
from received import Received

logger = logging.getLogger("client")

# How long a step may take, in seconds: machines may be busy.
STEP_LIMIT = 30

# How often a link may fail to be established before that is an error, as every host tries again.
ESTABLISHMENT_LIMIT = 3


class Session:
    """One Central with at most one link."""

    def __init__(self, device):
        self.device = device
        self.connection = None
        self.procedures = None
        self.received = None
        self.reason = None

    async def perform(self, order):
        """Does what an order says, and returns what came of it."""
        order = dict(order)
        name = order.pop("do")
        owner = self if name in ("connect", "encrypt", "disconnect", "ended") else self.procedures
        if owner is None or (name == "encrypt" and self.procedures is None):
            raise ConnectionError("there is no link")
        work = getattr(owner, name)(**order)
        if name not in ("connect", "disconnect", "ended"):
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
        """Looks for who has this name or address, and connects.

        A link is one once the other has answered on it: with several links, its radio may be busy
        elsewhere whenever the new one begins.
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
        self.connection = await self.device.connect(advertisement.address)
        self.reason = asyncio.get_running_loop().create_future()
        self.connection.on("disconnection", self.over)
        self.received = Received(self.device)
        self.procedures = Procedures(self.connection, self.received)
        return {
            "address": str(advertisement.address).split("/")[0],
            "name": name_of(advertisement),
        }

    async def find(self, name, address):
        found = asyncio.get_running_loop().create_future()

        def heard(advertisement):
            fits = str(advertisement.address).split("/")[0] == address if address else True
            if fits and (not name or name_of(advertisement) == name) and not found.done():
                found.set_result(advertisement)

        self.device.on("advertisement", heard)
        await self.device.start_scanning(filter_duplicates=False)
        try:
            return await found
        finally:
            self.device.remove_listener("advertisement", heard)
            await self.device.stop_scanning()

    async def encrypt(self, key):
        """Encrypts the link with a key that both sides know from before."""
        keys = PairingKeys(ltk=PairingKeys.Key(bytes.fromhex(key)))
        await self.device.keystore.update(str(self.connection.peer_address), keys)
        await self.connection.encrypt()
        return {"encrypted": bool(self.connection.encryption)}

    async def disconnect(self):
        await self.connection.disconnect()
        return await self.ended()

    async def ended(self):
        """Waits until there is no link any more; why it ended."""
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


async def outcome(session, line):
    try:
        return {"done": await session.perform(json.loads(line))}
    except att.ATT_Error as error:
        return {"refused": int(error.error_code)}
    except Exception as error:  # whatever it is, the test decides what it means
        logger.info("%s", line, exc_info=True)
        return {"failed": f"{type(error).__name__}: {error}"}


async def obey(device, orders):
    session = Session(device)
    while True:
        answer(await outcome(session, await orders.get()))


async def main(arguments, orders):
    kind, place = adapter_address(arguments.adapter)
    name = f"unix:{place}" if kind == "unix" else f"tcp-client:127.0.0.1:{place}"
    transport = await open_transport(name)
    settings = DeviceConfiguration(name="Client", address=hci.Address(arguments.address))
    device = Device.from_config_with_hci(settings, transport.source, transport.sink)
    device.keystore = MemoryKeyStore()
    await asyncio.wait_for(device.power_on(), STEP_LIMIT)
    announce({"address": arguments.address})
    work = asyncio.ensure_future(obey(device, orders))
    await transport.source.terminated
    work.cancel()
    raise SystemExit("client: the controller has gone")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A Bumble GATT client")
    parser.add_argument("--adapter", required=True, help="tcp:HOST:PORT or unix:PATH")
    parser.add_argument("--address", default="F1:C0:00:00:00:01", help="a random static address")
    arguments = parser.parse_args()
    orders = asyncio.Queue()
    run(lambda: main(arguments, orders), hear=orders.put_nowait)
