#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Bumble host that uses an accessory as it is told, line by line.

usage: client.py --adapter tcp:HOST:PORT|unix:PATH [--address ADDRESS]

Says `ready {"address":…}`, and then does what each line of standard input asks for, in order:
`{"do":"read","handle":3}`. Each line is answered by one: `{"done":…}` with what came of it,
`{"refused":CODE}` with the peer's Error Response, or `{"failed":"…"}`. What there is to do is what
the methods of `Client`, `Session` (the link) and `Procedures` (attributes) are called. Values are
hexadecimal. Ends when standard input or the controller goes.
"""

import argparse
import asyncio

from bumble import hci
from bumble.device import Device, DeviceConfiguration
from bumble.keys import MemoryKeyStore, PairingKeys

from lifetime import run
from session import Session, open_adapter, serve


class Client(Session):
    async def encrypt(self, key):
        """Encrypts the link with a key that both sides know from before."""
        keys = PairingKeys(ltk=PairingKeys.Key(bytes.fromhex(key)))
        await self.device.keystore.update(str(self.connection.peer_address), keys)
        await self.connection.encrypt()
        return {"encrypted": bool(self.connection.encryption)}


async def main(arguments, orders):
    transport = await open_adapter(arguments.adapter)
    settings = DeviceConfiguration(name="Client", address=hci.Address(arguments.address))
    device = Device.from_config_with_hci(settings, transport.source, transport.sink)
    device.keystore = MemoryKeyStore()
    await serve(Client(device), transport, orders, {"address": arguments.address})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A Bumble GATT client")
    parser.add_argument("--adapter", required=True, help="tcp:HOST:PORT or unix:PATH")
    parser.add_argument("--address", default="F1:C0:00:00:00:01", help="a random static address")
    arguments = parser.parse_args()
    orders = asyncio.Queue()
    run(lambda: main(arguments, orders), hear=orders.put_nowait)
