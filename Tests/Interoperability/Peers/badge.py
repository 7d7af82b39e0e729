#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Bumble badge of Examples/Kiosk, which answers sealed notes.

usage: badge.py --adapter tcp:HOST:PORT|unix:PATH [--name NAME] [--address ADDRESS]
                --id HEXADECIMAL --key HEXADECIMAL --authentication HEXADECIMAL

The badge advertises its service and its identifier, four bytes of manufacturer data, and its name in
the scan response. 1F01 takes sealed notes, and 1F02 notifies the sealed answers. It prints
`ready {"address":…}`, and takes lines as client.py does; the commands are the methods of `Badge`.
"""

import argparse
import asyncio

from bumble.core import UUID, AdvertisingData
from bumble.gatt import CharacteristicValue

from envelopes import Envelopes, Keys
from lifetime import run
from messages import COMPANY, MTU, Box, Opening
from presence import Presence, add_options, make_device
from profiles.attributes import NOTIFY, WRITE, characteristic, service, uuid
from session import open_adapter, serve

SERVICE, TO_BADGE, FROM_BADGE = (uuid(0x1F00 + index) for index in range(3))


class Notes(Envelopes):
    """Notes, which the badge answers with its name."""

    def __init__(self, send, keys, name):
        super().__init__(send, keys)
        self.name = name

    def reply(self, question, number):
        note = {"text": f"{self.name} read {question['text']}"}
        self.post({"answer": note, "id": number})


class Badge(Presence):
    unlinked = Presence.unlinked | {"written", "unopened"}

    def __init__(self, device, keys, name):
        super().__init__(device)
        self.keys, self.name = keys, name
        self.envelopes = None
        self.chunks = []
        self.refused = asyncio.Event()
        self.outbox = characteristic(FROM_BADGE, NOTIFY)
        inbox = characteristic(TO_BADGE, WRITE, CharacteristicValue(write=self.written_to))
        device.add_service(service(SERVICE, inbox, self.outbox))

    def adopt(self, connection):
        super().adopt(connection)
        self.envelopes = Notes(self.notify, self.keys, self.name)

    def written_to(self, connection, value):
        self.chunks.append(bytes(value))
        try:
            self.envelopes.receive(value)
        except ValueError:
            self.refused.set()

    async def written(self):
        """Returns all bytes that were written."""
        return {"value": b"".join(self.chunks).hex()}

    async def unopened(self):
        """Waits until a note could not be opened."""
        await self.refused.wait()

    notify = Box.notify
    open_for_all = Box.open_for_all


def prepare(device, arguments):
    """Sets the badge's advertisement."""
    services = AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS
    fields = [
        (AdvertisingData.FLAGS, b"\x06"),
        (services, UUID(SERVICE).to_pdu_bytes()),
        (AdvertisingData.MANUFACTURER_SPECIFIC_DATA, COMPANY + bytes.fromhex(arguments.id)),
    ]
    name = [(AdvertisingData.COMPLETE_LOCAL_NAME, arguments.name.encode())]
    device.advertising_data = bytes(AdvertisingData(fields))
    device.scan_response_data = bytes(AdvertisingData(name))
    device.gatt_server.max_mtu = MTU


async def main(arguments, commands):
    transport = await open_adapter(arguments.adapter)
    device = make_device(arguments, transport)
    prepare(device, arguments)
    keys = Keys(bytes.fromhex(arguments.key), bytes.fromhex(arguments.authentication))
    badge = Badge(device, keys, arguments.name)
    await serve(badge, transport, Opening(badge, commands), {"address": arguments.address})


def parse():
    parser = argparse.ArgumentParser(description="A badge that answers sealed notes")
    add_options(parser, "Badge")
    parser.add_argument("--id", required=True, help="four bytes, in hexadecimal")
    parser.add_argument("--key", required=True, help="the key for AES, in hexadecimal")
    parser.add_argument("--authentication", required=True, help="the key for HMAC, in hexadecimal")
    return parser.parse_args()


if __name__ == "__main__":
    arguments = parse()
    commands = asyncio.Queue()
    run(lambda: main(arguments, commands), receive=commands.put_nowait)
