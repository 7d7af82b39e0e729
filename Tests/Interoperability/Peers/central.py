#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Bumble host that finds an accessory, explores it, pairs with it, and reconnects.

usage: central.py --adapter tcp:HOST:PORT|unix:PATH [--name NAME] [--pair] [--return] [options]
       central.py --adapter … --look SECONDS

Performs the steps that its options select, and then prints `ready {…}` with the results. If a
step fails, the script ends with an error. The accessory has the demo profile. With --look, it only
scans, and prints the devices that it discovered. Ends when standard input or the controller closes.
"""

import argparse
import asyncio
import logging

from bumble import hci
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.transport import open_transport

import association
from lifetime import adapter_address, announce, run
from profiles.attributes import pattern, uuid

logger = logging.getLogger("central")

# The time limit for a step, in seconds: machines may be busy.
STEP_LIMIT = 20


def step(work):
    return asyncio.wait_for(work, STEP_LIMIT)


def name_of(advertisement):
    return advertisement.data.get(AdvertisingData.COMPLETE_LOCAL_NAME)


async def find(device, arguments, is_sought):
    """Returns the first advertisement that matches."""
    found = asyncio.get_running_loop().create_future()

    def received(advertisement):
        if not found.done() and is_sought(advertisement):
            found.set_result(advertisement)

    device.on("advertisement", received)
    await device.start_scanning(
        filter_duplicates=False, own_address_type=association.own_address_type(arguments)
    )
    advertisement = await step(found)
    await device.stop_scanning()
    device.remove_listener("advertisement", received)
    return advertisement


async def look(device, arguments):
    """Returns the devices that are discovered in `arguments.look` seconds, with their names,
    addresses and signal strengths."""
    seen = {}

    def received(advertisement):
        seen[str(advertisement.address)] = {
            "address": str(advertisement.address).split("/")[0],
            "name": name_of(advertisement),
            "rssi": advertisement.rssi,
        }

    device.on("advertisement", received)
    await device.start_scanning(filter_duplicates=False)
    await asyncio.sleep(arguments.look)
    await device.stop_scanning()
    return {"seen": list(seen.values())}


async def connect(device, arguments, advertisement):
    connection = await step(
        device.connect(
            advertisement.address, own_address_type=association.own_address_type(arguments)
        )
    )
    return connection


def describe(connection, advertisement):
    """Returns the addresses of both sides on this link."""
    private = connection.peer_resolvable_address
    return {
        "received": str(advertisement.address).split("/")[0],
        "receivedResolvable": advertisement.address.is_resolvable,
        "peer": str(connection.peer_address).split("/")[0],
        "peerPrivate": private and str(private).split("/")[0],
        "rssi": advertisement.rssi,
    }


def characteristic(peer, name):
    return peer.get_characteristics_by_uuid(UUID(name))[0]


async def explore(connection):
    """Discovers everything, reads, writes, and receives notifications and indications."""
    peer = Peer(connection)
    mtu = await step(peer.request_mtu(247))
    await step(peer.discover_all())
    named = {number: characteristic(peer, uuid(number)) for number in range(1, 7)}
    short = await step(named[1].read_value())
    long = await step(named[2].read_value())
    for count, response in enumerate((True, False)):
        await step(named[3].write_value(bytes([count, 42]), with_response=response))
    return {
        "mtu": mtu,
        "services": [str(service.uuid.to_hex_str()).upper() for service in peer.services],
        "short": short == pattern(20),
        "long": long == pattern(512),
        "written": (await step(named[3].read_value())).hex(),
        "writeCount": int.from_bytes(await step(named[6].read_value()), "little"),
        "notified": await collect(characteristic(peer, "2A37"), 5),
        "indicated": await collect(named[5], 3),
    }


async def collect(characteristic, count):
    """Returns the first values of a subscription."""
    values = []
    enough = asyncio.Event()

    def received(value):
        values.append(bytes(value).hex())
        if len(values) >= count:
            enough.set()

    await step(characteristic.subscribe(received))
    await step(enough.wait())
    await step(characteristic.unsubscribe(received))
    return values[:count]


async def come_back(device, arguments, connection):
    """Disconnects, finds the accessory again by the keys of the pairing, and encrypts with the
    stored key."""
    identity = connection.peer_address
    gone = asyncio.get_running_loop().create_future()
    connection.on("disconnection", lambda reason: gone.set_result(reason))
    await step(connection.disconnect())
    await step(gone)

    def is_sought(advertisement):
        address = advertisement.address
        resolver = device.address_resolver
        resolved = resolver and address.is_resolvable and resolver.resolve(address)
        return identity in (address, resolved)

    advertisement = await find(device, arguments, is_sought)
    connection = await connect(device, arguments, advertisement)
    facts = describe(connection, advertisement)
    await step(connection.encrypt())
    peer = Peer(connection)
    await step(peer.discover_all())
    value = await step(characteristic(peer, uuid(1)).read_value())
    return {**facts, "encrypted": bool(connection.encryption), "short": value == pattern(20)}


async def visit(device, arguments):
    advertisement = await find(device, arguments, lambda ad: name_of(ad) == arguments.name)
    connection = await connect(device, arguments, advertisement)
    facts = {"found": describe(connection, advertisement), "explored": await explore(connection)}
    if arguments.pair:
        keys = await step(association.paired(connection, connection.pair))
        facts["pairing"] = device.association.facts(connection, keys)
        facts["exploredEncrypted"] = await explore(connection)
    if arguments.come_back:
        facts["returned"] = await come_back(device, arguments, connection)
    return facts


async def main(arguments):
    kind, place = adapter_address(arguments.adapter)
    name = f"unix:{place}" if kind == "unix" else f"tcp-client:127.0.0.1:{place}"
    transport = await open_transport(name)
    settings = DeviceConfiguration(
        name="Central",
        address=hci.Address(arguments.address),
        **association.configuration(arguments),
    )
    device = Device.from_config_with_hci(settings, transport.source, transport.sink)
    device.association = association.Association(arguments)
    device.association.prepare(device)
    await step(device.power_on())
    announce(await (look if arguments.look else visit)(device, arguments))
    await transport.source.terminated
    raise SystemExit("central: the controller was lost")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A Bumble Central")
    parser.add_argument("--adapter", required=True, help="tcp:HOST:PORT or unix:PATH")
    parser.add_argument("--name", default="Lanyard Demo", help="the name of the accessory")
    parser.add_argument("--address", default="F1:C0:00:00:00:01", help="a random static address")
    parser.add_argument("--look", type=float, help="only scan, for this many seconds")
    parser.add_argument("--pair", action="store_true")
    parser.add_argument("--return", action="store_true", dest="come_back", help="reconnect")
    association.add_options(parser)
    arguments = parser.parse_args()
    run(lambda: main(arguments))
