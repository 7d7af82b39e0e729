# SPDX-License-Identifier: Apache-2.0
"""An accessory that is carried from radio to radio.

A Central reads its secret only on an encrypted link. To a subscriber it sends a counter twice a
second, which begins at zero with each subscription.
"""

import asyncio
import struct

from profiles.attributes import ENCRYPTED, NOTIFY, READ, characteristic, service, uuid
from profiles.subscription import while_subscribed

PERIOD = 0.5  # seconds


class Walker:
    mtu = 247

    def __init__(self, arguments):
        self.counter = characteristic(uuid(0x31), NOTIFY, b"")
        self.secret = characteristic(uuid(0x32), READ, b"secret", permissions=ENCRYPTED)

    def services(self):
        return [service(uuid(0x30), self.counter, self.secret)]

    def connected(self, device, connection):
        while_subscribed(self.counter, connection, lambda: self.send(device, connection))

    async def send(self, device, connection):
        number = 0
        while True:
            value = struct.pack("<I", number & 0xFFFF_FFFF)
            await device.notify_subscriber(connection, self.counter, value)
            number += 1
            await asyncio.sleep(PERIOD)
