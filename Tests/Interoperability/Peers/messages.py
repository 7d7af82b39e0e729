#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Bumble message box, or a Central that uses such a box.

usage: messages.py --adapter tcp:HOST:PORT|unix:PATH [--address ADDRESS] [--store FILE]
                   [--key HEXADECIMAL] [--id HEXADECIMAL] box|central

The box advertises its service: 1D01 takes messages, 1D02 notifies them, 1D03 requires encryption
for reading, and 1D04 collects what is written to it, and returns the last write on a read. The box
answers requests with their own content, and sends messages back. Its bonds are kept in the file.
With `enter`, the Central subscribes to the box at the other end of its link. Both print
`ready {"address":…}` and take lines as client.py does; the commands are the methods of `Box` and
`Central`. With --key, messages are sealed. With --id, the box advertises this identifier in its
manufacturer data, instead of its name.
"""

import argparse
import asyncio

from bumble import att, hci
from bumble.core import UUID, AdvertisingData
from bumble.device import Peer
from bumble.gatt import CharacteristicValue
from bumble.keys import JsonKeyStore, MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate

from envelopes import Envelopes
from lifetime import run
from presence import ADVERTISING_INTERVAL, Presence, add_options, make_device
from profiles.attributes import (
    ENCRYPTED,
    NOTIFY,
    READ,
    WRITE,
    WRITE_WITHOUT_RESPONSE,
    characteristic,
    service,
    uuid,
)
from session import open_adapter, serve

SERVICE, TO_BOX, FROM_BOX, PROBE, SHELF = (uuid(0x1D00 + index) for index in range(5))
MTU = 247
# The company identifier that the Bluetooth SIG reserves for tests.
COMPANY = b"\xff\xff"


class Messenger(Presence):
    """The commands that a box and a Central share, for the messages on the current link."""

    def __init__(self, device, key):
        super().__init__(device)
        self.key = key
        self.envelopes = None

    async def tell(self, message):
        """Sends a message."""
        await self.envelopes.tell(message)

    async def ask(self, message):
        """Sends a request. Returns the answer, or the refusal."""
        return await self.envelopes.ask(message)

    async def receive(self):
        """Waits for the next message."""
        return await self.envelopes.received.get()


class Box(Messenger):
    unlinked = Messenger.unlinked | {"forget", "listened", "written", "stay", "refuse"}

    def __init__(self, device, key):
        super().__init__(device, key)
        self.listener = asyncio.Event()
        self.outbox = characteristic(FROM_BOX, NOTIFY)
        inbox = characteristic(
            TO_BOX, WRITE | WRITE_WITHOUT_RESPONSE, CharacteristicValue(write=self.written_to)
        )
        probe = characteristic(PROBE, READ, b"box", permissions=ENCRYPTED)
        self.put = []
        self.refuses = False
        shelf = characteristic(
            SHELF,
            READ | WRITE | WRITE_WITHOUT_RESPONSE,
            CharacteristicValue(read=self.last_put, write=self.keep),
        )
        device.add_service(service(SERVICE, inbox, self.outbox, probe, shelf))
        self.outbox.on("subscription", self.subscribed)

    def adopt(self, connection):
        super().adopt(connection)
        self.listener.clear()
        self.envelopes = Envelopes(self.notify, self.key, echoes=True)

    async def refuse(self):
        """Refuses all messages from now on, until a client subscribes again."""
        self.refuses = True

    def written_to(self, connection, value):
        if self.refuses:
            raise att.ATT_Error(att.ErrorCode.WRITE_NOT_PERMITTED)
        self.envelopes.receive(value)

    def keep(self, connection, value):
        self.put.append(bytes(value))

    def last_put(self, connection):
        return self.put[-1] if self.put else b""

    async def written(self, count):
        """Waits until this many bytes were written to the shelf. Returns the lengths of the writes,
        and the bytes."""
        while sum(map(len, self.put)) < count:
            await asyncio.sleep(0.02)
        put, self.put = self.put, self.put[-1:]
        return {"lengths": [len(each) for each in put], "value": b"".join(put).hex()}

    async def stay(self, seconds):
        """Keeps running for this many seconds."""
        await asyncio.sleep(seconds)

    def subscribed(self, bearer, notifies, indicates):
        if notifies:
            self.refuses = False
            self.listener.set()

    async def notify(self, data):
        size = self.connection.att_mtu - 3
        for start in range(0, len(data), size):
            chunk = data[start : start + size]
            await self.device.notify_subscriber(self.connection, self.outbox, chunk)

    async def listened(self):
        """Waits until a client is subscribed."""
        await self.listener.wait()

    async def forget(self):
        """Loses all bonds, and ends the link if there is one, because it has lost its keys."""
        await self.device.keystore.delete_all()
        if self.procedures is not None:
            await self.disconnect()

    async def open_for_all(self):
        await self.device.start_advertising(
            auto_restart=True,
            own_address_type=hci.OwnAddressType.RANDOM,
            advertising_interval_min=ADVERTISING_INTERVAL,
            advertising_interval_max=ADVERTISING_INTERVAL,
        )


class Central(Messenger):
    async def enter(self):
        """Discovers the box at the other end of the link, and subscribes to it."""
        # Notifications go to Bumble's own client, and not to the queue for commands.
        device = self.device
        device.l2cap_channel_manager.register_fixed_channel(att.ATT_CID, device.on_gatt_pdu)
        peer = Peer(self.connection)
        await peer.request_mtu(MTU)
        await peer.discover_service(UUID(SERVICE))
        await peer.discover_characteristics()
        inbox, outbox = (
            peer.get_characteristics_by_uuid(UUID(each))[0] for each in (TO_BOX, FROM_BOX)
        )

        async def write(data):
            size = self.connection.att_mtu - 3
            for start in range(0, len(data), size):
                await inbox.write_value(data[start : start + size], with_response=True)

        self.envelopes = Envelopes(write, self.key)
        await outbox.subscribe(self.envelopes.receive)


def prepare(device, arguments):
    """Sets the device's advertisement, and lets the device pair with any peer."""
    fields = [(AdvertisingData.FLAGS, b"\x06")]
    kind = AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS
    fields += [(kind, UUID(SERVICE).to_pdu_bytes())]
    if arguments.id:
        own = COMPANY + bytes.fromhex(arguments.id)
        fields += [(AdvertisingData.MANUFACTURER_SPECIFIC_DATA, own)]
    else:
        fields += [(AdvertisingData.COMPLETE_LOCAL_NAME, arguments.name.encode())]
    device.advertising_data = bytes(AdvertisingData(fields))
    device.gatt_server.max_mtu = MTU
    store = arguments.store
    device.keystore = JsonKeyStore("messages", store) if store else MemoryKeyStore()
    device.pairing_config_factory = lambda connection: PairingConfig(
        mitm=False,
        identity_address_type=PairingConfig.AddressType.RANDOM,
        delegate=PairingDelegate(PairingDelegate.NO_OUTPUT_NO_INPUT),
    )


async def main(arguments, commands):
    transport = await open_adapter(arguments.adapter)
    device = make_device(arguments, transport)
    prepare(device, arguments)
    key = bytes.fromhex(arguments.key) if arguments.key else None
    messenger = (Box if arguments.part == "box" else Central)(device, key)
    opening = commands
    if arguments.part == "box":
        opening = Opening(messenger, commands)
    await serve(messenger, transport, opening, {"address": arguments.address})


class Opening:
    """The queue of commands. The box begins to advertise when the first command is awaited, because
    the controller is ready then."""

    def __init__(self, box, commands):
        self.box, self.commands, self.is_open = box, commands, False

    async def get(self):
        if not self.is_open:
            self.is_open = True
            await self.box.open_for_all()
        return await self.commands.get()


def parse():
    parser = argparse.ArgumentParser(description="A message box, or a Central that uses it")
    add_options(parser, "Box")
    parser.add_argument("--store", help="the file with the bonds")
    parser.add_argument("--key", help="the key that seals messages, in hexadecimal")
    parser.add_argument("--id", help="the identifier of the box: one byte, in hexadecimal")
    parser.add_argument("part", choices=["box", "central"])
    return parser.parse_args()


if __name__ == "__main__":
    arguments = parse()
    commands = asyncio.Queue()
    run(lambda: main(arguments, commands), receive=commands.put_nowait)
