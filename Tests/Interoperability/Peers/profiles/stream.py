# SPDX-License-Identifier: Apache-2.0
"""An accessory that notifies as fast as its controller allows, once a client is subscribed.

Each value starts with a 4-byte little-endian counter from zero: a receiver sees every loss,
repetition and change of order.
"""

import asyncio
import struct

from profiles.attributes import NOTIFY, characteristic, descriptor, pattern, service, uuid
from profiles.subscription import while_subscribed

# PDUs between the host and the controller: enough to keep the controller busy, few enough to stop
# at once.
PENDING_LIMIT = 32


class Stream:
    mtu = 247

    def __init__(self, arguments):
        self.size = max(arguments.size, 4)
        self.count = arguments.count
        self.values = characteristic(uuid(0x21), NOTIFY, b"", descriptor("2901", b"Stream"))

    def services(self):
        return [service(uuid(0x20), self.values)]

    def connected(self, device, connection):
        while_subscribed(self.values, connection, lambda: self.stream(device, connection))

    async def stream(self, device, connection):
        queue, filling = device.host.le_acl_packet_queue, pattern(self.size - 4)
        flow = asyncio.Event()
        queue.on("flow", flow.set)
        try:
            index = 0
            while self.count is None or index < self.count:
                while queue.pending >= PENDING_LIMIT:
                    flow.clear()
                    await flow.wait()
                value = struct.pack("<I", index & 0xFFFF_FFFF) + filling
                await device.notify_subscriber(connection, self.values, value)
                index += 1
                await asyncio.sleep(0)
        finally:
            queue.remove_listener("flow", flow.set)
