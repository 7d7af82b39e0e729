#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Bumble host whose Security Manager violates the protocol on purpose.

usage: attacker.py --adapter tcp:HOST:PORT|unix:PATH [--address ADDRESS]

Takes lines as client.py does. `{"do":"attack","plan":{…}}` pairs as `Plan` says: as the initiator
if the attacker made the link, and as the responder if the peer made it. The answer is the result:
`completed`, `refused` with the reason, `silent`, `notEncrypted` or `ended`, with the `transcript`
of all PDUs.
`say` sends PDUs of the Security Manager, and `receive` waits for one.
"""

import argparse
import asyncio

from bumble import hci, smp

from forged_pairing import ForgedPairing, Plan, Refused, Silent
from lifetime import run
from presence import Presence, add_options, make_device
from session import open_adapter, serve


class NotEncrypted(Exception):
    """The link could not be encrypted."""


class Channel:
    """The Security Manager's channel, in the place of Bumble's."""

    def __init__(self, device):
        self.device = device
        self.connection = None
        self.received = asyncio.Queue()
        device.l2cap_channel_manager.register_fixed_channel(smp.SMP_CID, self.receive)

    def receive(self, handle, pdu):
        self.received.put_nowait(pdu)

    def reset(self, connection):
        self.connection = connection
        self.received = asyncio.Queue()

    def send(self, pdu):
        self.connection.send_l2cap_pdu(smp.SMP_CID, pdu)

    async def next(self):
        return await self.received.get()

    def rest(self):
        """Yields the received PDUs that no step has awaited."""
        while not self.received.empty():
            yield self.received.get_nowait()


class Wire:
    """The link of an attack: its addresses, its encryption, and the key for the peer's requests."""

    def __init__(self, device):
        self.device = device
        self.connection = None
        self.lent = None
        self.changed = asyncio.Event()
        self.failure = None
        device.host.long_term_key_provider = self.long_term_key

    def reset(self, connection):
        self.connection, self.lent, self.failure = connection, None, None
        self.changed.clear()
        connection.on("connection_encryption_change", self.changed.set)
        connection.on("connection_encryption_key_refresh", self.changed.set)
        connection.on("connection_encryption_failure", self.fail)

    def fail(self, error):
        self.failure = error
        self.changed.set()

    @property
    def addresses(self):
        own, peer = self.connection.self_address, self.connection.peer_address
        return [bytes(each) + bytes([each.is_random]) for each in (own, peer)]

    @property
    def initiator(self):
        return self.addresses[0 if self.connection.role == hci.Role.CENTRAL else 1]

    @property
    def responder(self):
        return self.addresses[1 if self.connection.role == hci.Role.CENTRAL else 0]

    @property
    def resolving_key(self):
        return self.device.irk

    def identity(self, address):
        address = hci.Address(address) if address else self.device.static_address
        return bytes([1]) + bytes(address)

    def lend(self, key):
        """Sets the key that a Central gets when it starts encryption; None for no key."""
        self.lent = key

    async def long_term_key(self, handle, rand, ediv):
        return self.lent

    async def encrypt(self, key, diversifier=0, random=bytes(8)):
        self.changed.clear()
        await self.device.send_async_command(
            hci.HCI_LE_Enable_Encryption_Command(
                connection_handle=self.connection.handle,
                random_number=random,
                encrypted_diversifier=diversifier,
                long_term_key=key,
            )
        )
        await self.encrypted()

    async def encrypted(self):
        await self.changed.wait()
        if self.failure is not None:
            raise NotEncrypted(int(self.failure))


class Attacker(Presence):
    unlinked = Presence.unlinked | {"attack"}

    def __init__(self, device):
        super().__init__(device)
        self.channel = Channel(device)
        self.wire = Wire(device)
        self.earlier_key = None

    def adopt(self, connection):
        super().adopt(connection)
        self.channel.reset(connection)
        self.wire.reset(connection)

    async def attack(self, plan):
        """Pairs once as planned. Returns the result."""
        pairing = ForgedPairing(Plan(**plan), self.channel, self.wire, self.earlier_key)
        is_initiator = self.connection.role == hci.Role.CENTRAL
        work = pairing.begin() if is_initiator else pairing.answer()
        facts = await self.result_of(work)
        pairing.receive_rest()
        if pairing.reason is not None:
            facts = {"refused": pairing.reason}
        self.earlier_key = pairing.received_last(b"\x0c") or self.earlier_key
        return {**facts, "transcript": pairing.transcript}

    async def result_of(self, work):
        try:
            await self.while_linked(work)
            # The answer to the probe shows that the peer has processed all earlier PDUs.
            await self.while_linked(self.procedures.probe())
            return {"completed": True}
        except Refused as error:
            return {"refused": error.args[0]}
        except Silent as error:
            return {"silent": str(error)}
        except NotEncrypted as error:
            return {"notEncrypted": error.args[0]}
        except ConnectionError:
            return {"ended": self.reason.result()}

    async def say(self, pdus):
        """Sends PDUs without changes."""
        for pdu in pdus:
            self.channel.send(bytes.fromhex(pdu))

    async def receive(self):
        """Returns the next PDU."""
        return (await self.channel.next()).hex()

    async def encrypt(self, key, diversifier=0, random="00" * 8):
        """Starts encryption with the given key, EDIV and Rand, which may be wrong."""
        try:
            await self.wire.encrypt(bytes.fromhex(key), diversifier, bytes.fromhex(random))
            return {"encrypted": True}
        except NotEncrypted as error:
            return {"notEncrypted": error.args[0]}

    async def lend(self, key=None):
        """Sets the key that a Central gets when it starts encryption from now on; None for no key."""
        self.wire.lend(key and bytes.fromhex(key))


async def main(arguments, commands):
    transport = await open_adapter(arguments.adapter)
    device = make_device(arguments, transport)
    await serve(Attacker(device), transport, commands, {"address": arguments.address})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A Bumble host that attacks")
    add_options(parser, name="Attacker")
    arguments = parser.parse_args()
    commands = asyncio.Queue()
    run(lambda: main(arguments, commands), receive=commands.put_nowait)
