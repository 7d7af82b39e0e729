#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Bumble host that pairs as commanded, any number of times, in both roles.

usage: companion.py --adapter tcp:HOST:PORT|unix:PATH [--address ADDRESS] [--store FILE] [--private]

Takes lines as client.py does; the commands are the methods of `Companion`, `Session` and
`Procedures`. Its server has a value (0001) without protection and one (0021) that requires
encryption. Bonds are kept in the file, so that a companion with the same address and file is the
same peer after a restart. With --private, `rotate` and `become` set private addresses.
`{"do":"enter","number":…}` is the number that its user enters, at any time; it is not answered.
"""

import argparse
import asyncio
import json

from bumble import hci
from bumble.keys import JsonKeyStore, MemoryKeyStore

from lifetime import run
from presence import Presence, add_options, make_device
from profiles.attributes import ENCRYPTED, NOTIFY, READ, WRITE, characteristic, service, uuid
from session import open_adapter, serve
from trust import Trust


class Companion(Presence):
    unlinked = Presence.unlinked | {
        "prepare", "share", "pair", "paired", "forget", "bonds", "passed",
    }  # fmt: skip

    def __init__(self, device, is_private):
        super().__init__(device, is_private)
        self.trust = Trust(device)

    def welcome(self, connection):
        self.trust.watch(connection)
        super().welcome(connection)

    async def prepare(self, **plan):
        """Sets the plan of the next pairings; see `Plan`."""
        self.trust.prepare(**plan)

    async def share(self):
        """Returns the out-of-band data for the peer."""
        return self.trust.shared()

    async def pair(self):
        """Starts a pairing. Returns its result."""
        if self.connection.role == hci.Role.CENTRAL:
            task = asyncio.ensure_future(self.connection.pair())
            task.add_done_callback(lambda task: task.cancelled() or task.exception())
        else:
            self.connection.request_pairing()
        return await self.paired()

    async def paired(self):
        """Waits for the result of a pairing: keys, a failure, or the end of the link."""
        return await asyncio.shield(self.trust.result)

    async def request(self):
        """Requests security from the Central, and does not wait."""
        self.connection.request_pairing()

    async def encrypt(self):
        """Encrypts with the keys of a bond."""
        await self.connection.encrypt()
        return {"encrypted": bool(self.connection.encryption)}

    async def encrypted(self):
        """Waits until the link is encrypted."""
        changed = asyncio.Event()
        self.connection.on("connection_encryption_change", changed.set)
        while not self.connection.encryption:
            changed.clear()
            await changed.wait()

    async def bonds(self):
        """Returns the identity addresses of the bonded peers."""
        return [name.split("/")[0] for name, _ in await self.device.keystore.get_all()]

    async def forget(self):
        """Forgets all keys."""
        await self.device.keystore.delete_all()
        await self.device.refresh_resolving_list()

    async def passed(self):
        """Returns the PDUs on the Security Manager's channel of the last link."""
        return self.trust.passed

    def enter(self, number):
        if (user := self.trust.user) and not user.entered.done():
            user.entered.set_result(number)
        else:
            self.trust.plan.enters = number


def services():
    return [
        service(
            uuid(0x20),
            characteristic(uuid(1), READ | WRITE, b"open"),
            characteristic(uuid(0x21), READ | WRITE, b"secret", permissions=ENCRYPTED),
            characteristic(uuid(0x22), NOTIFY),
        )
    ]


async def main(arguments, commands):
    transport = await open_adapter(arguments.adapter)
    device = make_device(arguments, transport)
    device.keystore = (
        JsonKeyStore("companion", arguments.store) if arguments.store else MemoryKeyStore()
    )
    for each in services():
        device.add_service(each)
    commands.companion = Companion(device, arguments.private)
    await serve(commands.companion, transport, commands, {"address": arguments.address})


class Commands(asyncio.Queue):
    """The lines of standard input, except a user's entries, which must not wait for other
    commands."""

    companion = None

    def put_nowait(self, line):
        command = json.loads(line)
        if command.get("do") == "enter":
            self.companion.enter(command["number"])
        else:
            super().put_nowait(line)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A Bumble host that pairs")
    add_options(parser, name="Companion")
    parser.add_argument("--store", help="the file with the bonds")
    parser.add_argument("--private", action="store_true", help="use private addresses")
    arguments = parser.parse_args()
    commands = Commands()
    run(lambda: main(arguments, commands), receive=commands.put_nowait)
