# SPDX-License-Identifier: Apache-2.0
"""Bumble as a central of the rig: `bumble_central.py PATH ADDRESS`.

Executes the commands on its standard input: `read COUNT`, `notify COUNT SIZE`, `scan SECONDS
EVERY`. Answers with `done SECONDS`, and after a scan with the number of advertisements. With an
address of `-` it does not connect.
"""

import asyncio
import struct
import sys
import time

from bumble.core import UUID
from bumble.device import Device, Peer
from bumble.hci import Address
from bumble.host import Host
from bumble.transport import open_transport

# The maximum number of requested notifications that have not arrived yet. btvirt drops packets when
# 200 wait for a host.
WINDOW = 64


class Central:
    """A connection to the rig's peripheral."""

    async def open(self, path):
        self.transport = await open_transport(f"unix:{path}")
        host = Host(self.transport.source, self.transport.sink)
        self.device = Device(name="central", address=Address("F0:F1:F2:F3:F4:F5"), host=host)
        await self.device.power_on()

    async def connect(self, address):
        address = Address(address, Address.PUBLIC_DEVICE_ADDRESS)
        self.peer = Peer(await self.device.connect(address))
        await self.peer.request_mtu(247)
        await self.peer.discover_services()
        for service in self.peer.services:
            await service.discover_characteristics()
        self.value, self.notifying, self.grants = (
            self.peer.get_characteristics_by_uuid(UUID.from_16_bits(uuid))[0]
            for uuid in (0xFFF1, 0xFFF2, 0xFFF3)
        )
        self.wanted = 0
        await self.notifying.subscribe(self.notified)

    async def read(self, count):
        for _ in range(count):
            await self.value.read_value()

    async def notify(self, count, size):
        self.count, self.size, self.received, self.asked = count, size, 0, WINDOW
        self.finished = asyncio.get_running_loop().create_future()
        await self.grant(WINDOW)
        await self.finished

    def notified(self, _):
        self.received += 1
        if self.received == self.count:
            self.finished.set_result(None)
        elif self.asked - self.received == WINDOW // 2 and self.asked < self.count:
            self.asked += WINDOW // 2
            asyncio.ensure_future(self.grant(WINDOW // 2))

    async def grant(self, count):
        await self.grants.write_value(struct.pack("<HH", count, self.size))

    async def scan(self, seconds, every):
        yielded = 0

        def count(_):
            nonlocal yielded
            yielded += 1

        self.device.on("advertisement", count)
        await self.device.start_scanning(active=True, filter_duplicates=not every)
        await asyncio.sleep(seconds)
        return yielded


async def main(path, address):
    central = Central()
    await central.open(path)
    if address != "-":
        await central.connect(address)
    print("ready", flush=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        operation, *numbers = line.split()
        start = time.monotonic()
        result = await getattr(central, operation)(*map(int, numbers))
        print(f"done {time.monotonic() - start:.9f} {result or ''}", flush=True)


asyncio.run(main(*sys.argv[1:]))
