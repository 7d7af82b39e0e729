#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Bumble host that records advertising reports, and connects if requested.

usage: observer.py --adapter tcp:HOST:PORT|unix:PATH --until COUNT [--of ADDRESS] [--connect]

Scans actively until it has received COUNT different reports, of one device if --of is given. With
--connect, it then connects to the first of them. Prints `ready {…}` with the reports as its
controller sent them, each once, and its role on the link. Keeps the link until standard input or
the controller closes.
"""

import argparse
import asyncio

from bumble import hci
from bumble.device import Device, DeviceConfiguration
from bumble.transport import open_transport

from lifetime import adapter_address, announce, run

# The time limit for a step, in seconds: machines may be busy.
STEP_LIMIT = 20


def step(work):
    return asyncio.wait_for(work, STEP_LIMIT)


LEGACY = hci.HCI_LE_Advertising_Report_Event.EventType

# The meaning of each legacy report: connectable, scannable, directed, scan response.
LEGACY_KINDS = {
    LEGACY.ADV_IND: (True, True, False, False),
    LEGACY.ADV_DIRECT_IND: (True, False, True, False),
    LEGACY.ADV_SCAN_IND: (False, True, False, False),
    LEGACY.ADV_NONCONN_IND: (False, False, False, False),
    LEGACY.SCAN_RSP: (False, False, False, True),
}


class Listener:
    """Combines fragments, and keeps every report once."""

    def __init__(self, wanted, address):
        self.wanted = wanted
        self.address = address
        self.reports = []
        self.addresses = []
        self.fragments = {}
        self.enough = asyncio.Event()

    def received(self, report):
        if isinstance(report, hci.HCI_LE_Advertising_Report_Event.Report):
            self.keep(report, LEGACY_KINDS[LEGACY(report.event_type)], True, report.data)
            return
        bits = int(report.event_type)
        kind = tuple(bool(bits & 1 << place) for place in (0, 1, 2, 3))
        key = (str(report.address), report.advertising_sid, kind)
        data = self.fragments.pop(key, b"") + report.data
        status = bits >> 5 & 3
        if status == 1:
            self.fragments[key] = data
        elif status == 0:
            self.keep(report, kind, bool(bits & 1 << 4), data)

    def keep(self, report, kind, is_legacy, data):
        address = str(report.address).split("/")[0]
        if self.address and address != self.address:
            return
        facts = {
            "address": address,
            "isPublic": report.address.is_public,
            "isLegacy": is_legacy,
            "isConnectable": kind[0],
            "isScannable": kind[1],
            "isDirected": kind[2],
            "isScanResponse": kind[3],
            "data": bytes(data).hex(),
        }
        if not is_legacy:
            facts["sid"] = report.advertising_sid
        if facts not in self.reports:
            self.reports.append(facts)
            self.addresses.append(report.address)
        if len(self.reports) >= self.wanted:
            self.enough.set()


async def main(arguments):
    kind, place = adapter_address(arguments.adapter)
    name = f"unix:{place}" if kind == "unix" else f"tcp-client:127.0.0.1:{place}"
    transport = await open_transport(name)
    settings = DeviceConfiguration(name="Observer", address=hci.Address(arguments.address))
    device = Device.from_config_with_hci(settings, transport.source, transport.sink)
    await step(device.power_on())
    listener = Listener(arguments.until, arguments.of)
    device.host.on("advertising_report", listener.received)
    await step(device.start_scanning(filter_duplicates=False))
    await step(listener.enough.wait())
    await step(device.stop_scanning())
    facts = {"reports": listener.reports}
    if arguments.connect:
        connection = await step(device.connect(listener.addresses[0]))
        facts["role"] = hci.Role(connection.role).name
        facts["peer"] = str(connection.peer_address).split("/")[0]
    announce(facts)
    await transport.source.terminated
    raise SystemExit("observer: the controller was lost")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A Bumble host that scans")
    parser.add_argument("--adapter", required=True, help="tcp:HOST:PORT or unix:PATH")
    parser.add_argument("--until", type=int, default=1, help="the number of different reports")
    parser.add_argument("--of", help="the address of the device")
    parser.add_argument("--connect", action="store_true", help="connect to the first device")
    parser.add_argument("--address", default="F1:C0:00:00:00:01", help="a random static address")
    arguments = parser.parse_args()
    run(lambda: main(arguments))
