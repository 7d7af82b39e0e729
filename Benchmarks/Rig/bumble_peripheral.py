# SPDX-License-Identifier: Apache-2.0
"""Bumble as a peripheral of the rig: `bumble_peripheral.py PATH`. It serves the database
of peripheral.c."""

import asyncio
import struct
import sys

from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from bumble.host import Host
from bumble.transport import open_transport

OPEN = Characteristic.READABLE | Characteristic.WRITEABLE
ADDRESS = "F0:F1:F2:F3:F4:F5"


class Peripheral:
    """A device that sends as many notifications as the central requests."""

    def __init__(self, source, sink):
        data = bytes(AdvertisingData([(AdvertisingData.FLAGS, b"\x06")]))
        self.device = Device(name="peripheral", address=Address(ADDRESS), host=Host(source, sink))
        self.device.advertising_data = data
        self.device.gatt_server.max_mtu = 247
        kinds = Characteristic.Properties
        self.notifying = Characteristic("FFF2", kinds.NOTIFY, OPEN, b"")
        grants = CharacteristicValue(write=self.granted)
        self.device.add_service(
            Service(
                "FFF0",
                [
                    Characteristic("FFF1", kinds.READ | kinds.WRITE, OPEN, b"exactly twenty bytes"),
                    self.notifying,
                    Characteristic("FFF3", kinds.WRITE_WITHOUT_RESPONSE, OPEN, grants),
                ],
            )
        )
        self.sent = 0

    def granted(self, connection, value):
        asyncio.ensure_future(self.notify(connection, *struct.unpack("<HH", value)))

    async def notify(self, connection, count, size):
        for _ in range(count):
            value = struct.pack("<I", self.sent) + bytes(size - 4)
            self.sent += 1
            await self.device.notify_subscriber(connection, self.notifying, value)

    async def advertise(self):
        """Starts advertising, and restarts it with each new link, for the next central."""
        await self.device.power_on()
        self.device.on("connection", lambda _: asyncio.ensure_future(self.call()))
        await self.call()

    async def call(self):
        await self.device.start_advertising()


async def main(path):
    transport = await open_transport(f"unix:{path}")
    await Peripheral(transport.source, transport.sink).advertise()
    print(f"ready {ADDRESS}/random", flush=True)
    await transport.source.terminated


asyncio.run(main(sys.argv[1]))
