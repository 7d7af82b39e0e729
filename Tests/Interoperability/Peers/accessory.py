#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Bumble accessory on any controller.

usage: accessory.py --adapter tcp:HOST:PORT|unix:PATH [--profile NAME] [options]
       accessory.py --dump [--profile ...]

Prints `ready {"address", "addressType", "name", "mtu", "services": [...]}`: the exact database, as
`lanyard explore --json` must print it. With --dump, only the JSON is printed, and no controller is
needed. Advertises while no client is connected. Ends when standard input or the controller closes.
"""

import argparse
import asyncio
import json
import logging
import struct

from bumble import hci
from bumble.core import AdvertisingData
from bumble.device import Device, DeviceConfiguration
from bumble.gatt import Characteristic, IncludedServiceDeclaration, Service
from bumble.transport import open_transport

import association
from database import describe
from lifetime import adapter_address, announce, run
from profiles import PROFILES

logger = logging.getLogger("accessory")


def configuration(arguments, services):
    return DeviceConfiguration(
        name=arguments.name,
        address=hci.Address(arguments.address),
        advertising_interval_min=arguments.interval,
        advertising_interval_max=arguments.interval,
        advertising_data=advertising_data(arguments.name, services),
        scan_response_data=bytes(
            AdvertisingData([(AdvertisingData.MANUFACTURER_SPECIFIC_DATA, b"\xff\xffLanyard")])
        ),
        **association.configuration(arguments),
    )


def advertising_data(name, services):
    """Returns the flags, the name, and as many 16-bit service UUIDs as fit into 31 bytes."""
    fields = [(AdvertisingData.FLAGS, b"\x06"), (AdvertisingData.COMPLETE_LOCAL_NAME, name.encode())]
    room = (31 - len(bytes(AdvertisingData(fields))) - 2) // 2
    uuids = [s.uuid.to_pdu_bytes() for s in services if s.primary]
    short = [uuid for uuid in uuids if len(uuid) == 2]
    kind = AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS
    if len(short) > room:
        kind = AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS
    if short and room > 0:
        fields.append((kind, b"".join(short[:room])))
    return bytes(AdvertisingData(fields))


def omit_long_include_uuids(server):
    """Removes 128-bit UUIDs from include declarations (Vol 3, Part G, 3.2).

    Bumble 0.0.236 writes the first two bytes of such a UUID, which are the UUID of another service.
    """
    for attribute in server.attributes:
        if isinstance(attribute, IncludedServiceDeclaration):
            if len(attribute.service.uuid.to_pdu_bytes()) != 2:
                service = attribute.service
                attribute.value = struct.pack("<HH", service.handle, service.end_group_handle)


def grow(device):
    """Adds a service just before a client subscribes to Service Changed, so that no indication
    reports the service."""
    branch = Service("FEED", [Characteristic("FEEE", Characteristic.Properties.READ, Characteristic.READABLE, b"\x01")])

    def subscribed(_bearer, characteristic, _notifies, indicates):
        is_change = characteristic is device.gatt_service.service_changed_characteristic
        if is_change and indicates and branch not in device.gatt_server.services:
            device.add_service(branch)

    device.gatt_server.on(device.gatt_server.EVENT_CHARACTERISTIC_SUBSCRIPTION, subscribed)


def make_device(arguments, source, sink):
    profile = PROFILES[arguments.profile](arguments)
    services = profile.services()
    device = Device.from_config_with_hci(configuration(arguments, services), source, sink)
    device.gatt_server.max_mtu = arguments.mtu or profile.mtu
    for service in services:
        if service not in device.gatt_server.services:  # included services are added already
            device.add_service(service)
    omit_long_include_uuids(device.gatt_server)
    if arguments.grows:
        grow(device)
    device.association = association.Association(arguments)
    device.association.prepare(device)
    device.on("connection", lambda connection: welcome(device, profile, connection))
    return device


def welcome(device, profile, connection):
    logger.info("connected to %s", connection.peer_address)
    connection.on("disconnection", lambda reason: logger.info("disconnected: 0x%02x", reason))
    connection.on(
        "pairing", lambda keys: report("paired", device.association.facts(connection, keys))
    )
    profile.connected(device, connection)


def report(name, facts):
    print(name, json.dumps(facts), flush=True)


async def serve(arguments):
    kind, place = adapter_address(arguments.adapter)
    name = f"unix:{place}" if kind == "unix" else f"tcp-client:127.0.0.1:{place}"
    transport = await open_transport(name)
    device = make_device(arguments, transport.source, transport.sink)
    await device.power_on()
    await device.start_advertising(
        auto_restart=True, own_address_type=association.own_address_type(arguments)
    )
    announce(await describe(device))
    if arguments.oob:
        report("oob", device.association.shared())
    await transport.source.terminated
    raise SystemExit("accessory: the controller was lost")


async def dump(arguments):
    device = make_device(arguments, None, None)
    print(json.dumps(await describe(device), indent=2))


def parse():
    parser = argparse.ArgumentParser(description="A Bumble accessory")
    parser.add_argument("--adapter", help="tcp:HOST:PORT or unix:PATH")
    parser.add_argument("--profile", choices=PROFILES, default="demo")
    parser.add_argument("--name", default="Lanyard Demo")
    parser.add_argument("--address", default="F1:A0:00:00:00:01", help="a random static address")
    parser.add_argument("--mtu", type=int, help="the largest ATT MTU that the accessory accepts")
    parser.add_argument("--interval", type=int, default=30, help="advertising interval, ms (30)")
    parser.add_argument("--size", type=int, default=20, help="stream: bytes of a value (20)")
    parser.add_argument("--count", type=int, help="stream: values to send (no end)")
    parser.add_argument("--grows", action="store_true", help="add a service when a client subscribes to changes")
    parser.add_argument("--dump", action="store_true", help="print the database and end")
    association.add_options(parser)
    arguments = parser.parse_args()
    if not arguments.dump and not arguments.adapter:
        parser.error("--adapter is needed, except with --dump")
    return arguments


if __name__ == "__main__":
    arguments = parse()
    if arguments.dump:
        asyncio.run(dump(arguments))
    else:
        run(lambda: serve(arguments))
