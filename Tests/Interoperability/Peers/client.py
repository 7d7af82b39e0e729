#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Bumble host that uses an accessory as commanded, line by line.

usage: client.py --adapter tcp:HOST:PORT|unix:PATH [--address ADDRESS]

Prints `ready {"address":…}`, and then executes the command in each line of standard input, in
order: `{"do":"read","handle":3}`. The answer to each line is one line: `{"done":…}` with the
result, `{"refused":CODE}` with the peer's Error Response, or `{"failed":"…"}`. The commands are the
methods of `Client`, `Session` (the link) and `Procedures` (attributes). Values are hexadecimal.
Ends when standard input or the controller closes.
"""

import argparse
import asyncio

from bumble import hci
from bumble.device import Device, DeviceConfiguration
from bumble.keys import MemoryKeyStore, PairingKeys
from bumble.pairing import PairingConfig

from lifetime import run
from session import Session, open_adapter, serve


class Client(Session):
    async def pair(self):
        """Pairs by Just Works."""
        self.device.pairing_config_factory = lambda connection: PairingConfig(
            mitm=False, identity_address_type=PairingConfig.AddressType.RANDOM
        )
        await self.connection.pair()
        return {"encrypted": bool(self.connection.encryption)}

    async def encrypt(self, key):
        """Encrypts the link with a key that both sides have already."""
        keys = PairingKeys(ltk=PairingKeys.Key(bytes.fromhex(key)))
        await self.device.keystore.update(str(self.connection.peer_address), keys)
        await self.connection.encrypt()
        return {"encrypted": bool(self.connection.encryption)}


async def main(arguments, commands):
    transport = await open_adapter(arguments.adapter)
    settings = DeviceConfiguration(name="Client", address=hci.Address(arguments.address))
    device = Device.from_config_with_hci(settings, transport.source, transport.sink)
    device.keystore = MemoryKeyStore()
    await serve(Client(device), transport, commands, {"address": arguments.address})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A Bumble GATT client")
    parser.add_argument("--adapter", required=True, help="tcp:HOST:PORT or unix:PATH")
    parser.add_argument("--address", default="F1:C0:00:00:00:01", help="a random static address")
    arguments = parser.parse_args()
    commands = asyncio.Queue()
    run(lambda: main(arguments, commands), receive=commands.put_nowait)
