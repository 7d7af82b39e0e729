#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bumble's counterpart of Examples/FileDrop, in either role.

usage: drop.py --adapter tcp:HOST:PORT|unix:PATH receive [--vanish BYTES]
       drop.py --adapter … send NAME COUNT [--broken]

A parcel consists of the lengths of the name and of the content (2 and 8 bytes, most significant
byte first), the name, the content, and the content's FNV-1a checksum (8 bytes). The answer to a
parcel is one byte, 6 or 21.

`receive` is the Peripheral. It prints `ready {}`, then a line {"name":…,"count":…,"whole":…} for
each parcel. With --vanish, it exits without disconnecting after this many bytes. `send` is the
Central. It finds a receiver, sends COUNT bytes that count upward, and prints `ready {"answer":…}`.
With --broken, the checksum is wrong.
"""

import argparse
import asyncio
import os

from bumble import hci, l2cap
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, DeviceConfiguration, Peer

from lifetime import announce, answer, run
from profiles.attributes import READ, characteristic, pattern, service
from session import open_adapter

SERVICE = "5D0A0001-6F64-4B6B-9C7A-41A4F1F0B5E2"
PSM_CHARACTERISTIC = "ABDD3056-28FA-441D-A470-55A75A52553A"
PSM = 0x0091
ACCEPTED, REFUSED = 6, 21

# The time limit for a step, in seconds: machines may be busy.
STEP_LIMIT = 60


def checksum(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def parcel(name, content, is_broken):
    total = checksum(content) ^ is_broken
    head = len(name).to_bytes(2, "big") + len(content).to_bytes(8, "big")
    return head + name + content + total.to_bytes(8, "big")


class Reception:
    """The data received on one channel."""

    def __init__(self, channel, vanish):
        self.channel, self.vanish, self.data = channel, vanish, b""
        channel.sink = self.take

    def take(self, sdu):
        self.data += sdu
        if self.vanish and len(self.data) >= self.vanish:
            os._exit(1)
        if len(self.data) < 10:
            return
        name_end = 10 + int.from_bytes(self.data[:2], "big")
        end = name_end + int.from_bytes(self.data[2:10], "big")
        if len(self.data) >= end + 8:
            content = self.data[name_end:end]
            whole = checksum(content) == int.from_bytes(self.data[end:], "big")
            answer({"name": self.data[10:name_end].decode(), "count": end - name_end, "whole": whole})
            self.channel.write(bytes([ACCEPTED if whole else REFUSED]))


def configuration(address):
    return DeviceConfiguration(
        name="Drop",
        address=hci.Address(address),
        advertising_interval_min=30,
        advertising_interval_max=30,
        advertising_data=bytes(
            AdvertisingData(
                [
                    (AdvertisingData.FLAGS, b"\x06"),
                    (
                        AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
                        UUID(SERVICE).to_pdu_bytes(),
                    ),
                    (AdvertisingData.COMPLETE_LOCAL_NAME, b"Drop"),
                ]
            )
        ),
    )


async def receive(device, arguments):
    spec = l2cap.LeCreditBasedChannelSpec(psm=PSM, mtu=500, mps=247, max_credits=10)
    device.create_l2cap_server(spec, lambda channel: Reception(channel, arguments.vanish))
    number = characteristic(PSM_CHARACTERISTIC, READ, PSM.to_bytes(2, "little"))
    device.add_service(service(SERVICE, number))
    await device.power_on()
    await device.start_advertising(auto_restart=True)
    announce({})
    await asyncio.get_running_loop().create_future()


async def find(device):
    """Returns the address of the device that offers the service."""
    found = asyncio.get_running_loop().create_future()

    def received(advertisement):
        kind = AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS
        if UUID(SERVICE) in (advertisement.data.get(kind) or []) and not found.done():
            found.set_result(advertisement.address)

    device.on("advertisement", received)
    await device.start_scanning(filter_duplicates=False)
    address = await found
    await device.stop_scanning()
    return address


async def send(device, arguments):
    await device.power_on()
    connection = await device.connect(await find(device))
    peer = Peer(connection)
    await peer.discover_services()
    await peer.discover_characteristics()
    number = peer.get_characteristics_by_uuid(UUID(PSM_CHARACTERISTIC))[0]
    psm = int.from_bytes(await number.read_value(), "little")
    spec = l2cap.LeCreditBasedChannelSpec(psm=psm, mtu=500, mps=247, max_credits=10)
    channel = await connection.create_l2cap_channel(spec)
    answered = asyncio.get_running_loop().create_future()
    channel.sink = lambda sdu: answered.done() or answered.set_result(sdu[0])
    content = pattern(arguments.count)
    channel.write(parcel(arguments.name.encode(), content, arguments.broken))
    announce({"answer": await answered, "psm": psm})
    await channel.disconnect()
    await connection.disconnect()


async def main(arguments):
    transport = await open_adapter(arguments.adapter)
    address = "F1:D0:00:00:00:01" if arguments.work is receive else "F1:D0:00:00:00:02"
    device = Device.from_config_with_hci(
        configuration(address), transport.source, transport.sink
    )
    work = arguments.work(device, arguments)
    if arguments.work is send:
        work = asyncio.wait_for(work, STEP_LIMIT)
    await work


def parse():
    parser = argparse.ArgumentParser(description="Sends or receives a file")
    parser.add_argument("--adapter", required=True, help="tcp:HOST:PORT or unix:PATH")
    roles = parser.add_subparsers(required=True)
    receiver = roles.add_parser("receive")
    receiver.add_argument("--vanish", type=int, help="exit after this many bytes")
    receiver.set_defaults(work=receive)
    sender = roles.add_parser("send")
    sender.add_argument("name")
    sender.add_argument("count", type=int)
    sender.add_argument("--broken", action="store_true", help="send a wrong checksum")
    sender.set_defaults(work=send)
    return parser.parse_args()


if __name__ == "__main__":
    arguments = parse()
    run(lambda: main(arguments))
