#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bumble's software controllers on one simulated link, each behind its own H4 endpoint.

usage: controllers.py [--acl-length BYTES] ENDPOINT...

An ENDPOINT is `tcp:PORT` (on 127.0.0.1; port 0 takes any free one) or `unix:PATH`. Prints
`ready {"adapters": ["tcp:127.0.0.1:PORT", ...]}` in the order of the arguments.

A connection to an endpoint plugs a controller in: it starts fresh, with the address of its
endpoint. Closing the connection unplugs it: the links that the controller had are lost.
"""

import argparse
import asyncio
import logging

from bumble import hci, ll
from bumble.controller import Controller
from bumble.core import InvalidPacketError
from bumble.link import LocalLink
from bumble.transport.common import PacketParser

from lifetime import adapter_address, announce, run

logger = logging.getLogger("controllers")


class Plug(asyncio.Protocol):
    """One host's connection to an endpoint, with the controller that lives as long as the
    connection."""

    def __init__(self, endpoint):
        self.endpoint = endpoint
        self.parser = PacketParser()
        self.controller = None
        self.transport = None

    def connection_made(self, transport):
        self.transport = transport
        self.endpoint.replace(self)
        self.controller = self.endpoint.make_controller(host=self)
        self.parser.set_packet_sink(self.controller)

    def data_received(self, data):
        try:
            self.parser.feed_data(data)
        except InvalidPacketError as error:
            logger.warning("%s: %s; unplugged", self.endpoint.name, error)
            self.transport.close()

    def connection_lost(self, error):
        self.unplug()

    def on_packet(self, packet):
        """Sends a packet of the controller to the host."""
        if not self.transport.is_closing():
            self.transport.write(packet)

    def unplug(self):
        if self.controller is not None:
            switch_off(self.controller)
            self.controller = None
            self.transport.close()


class Endpoint:
    """The place where a host finds a controller; a new host replaces the last one."""

    def __init__(self, name, index, link, acl_length):
        self.name = name
        self.link = link
        self.acl_length = acl_length
        self.public_address = f"C4:F0:00:00:00:{index + 1:02X}"
        self.plug = None

    def replace(self, plug):
        if self.plug is not None:
            self.plug.unplug()
        self.plug = plug

    def make_controller(self, host):
        controller = Controller(
            self.name, host_sink=host, link=self.link, public_address=self.public_address
        )
        if self.acl_length is not None:
            controller.le_acl_data_packet_length = self.acl_length
        return controller


def switch_off(controller):
    """Removes a controller; the peers of its links get a connection timeout."""
    controller.le_legacy_advertiser.stop()
    for advertising_set in controller.advertising_sets.values():
        advertising_set.stop()
    timeout = ll.TerminateInd(hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
    for connection in controller.le_connections.values():
        if controller.link.find_le_controller(connection.peer_address):
            connection.send_ll_control_pdu(timeout)
    controller.host = None
    controller.link.remove_controller(controller)


async def serve(endpoint, make_plug):
    """Starts listening. Returns the address of the endpoint."""
    loop = asyncio.get_running_loop()
    kind, place = adapter_address(endpoint)
    if kind == "unix":
        return await loop.create_unix_server(make_plug, place), endpoint
    server = await loop.create_server(make_plug, "127.0.0.1", place)
    return server, f"tcp:127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def main(arguments):
    link = LocalLink()
    servers, names = [], []
    for index, name in enumerate(arguments.endpoints):
        endpoint = Endpoint(f"controller {index + 1}", index, link, arguments.acl_length)
        server, reached = await serve(name, lambda endpoint=endpoint: Plug(endpoint))
        servers.append(server)
        names.append(reached)
    announce({"adapters": names})
    await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Bumble controllers on one simulated link")
    parser.add_argument("--acl-length", type=int, help="LE ACL data packet length (27)")
    parser.add_argument("endpoints", nargs="+", metavar="tcp:PORT|unix:PATH")
    arguments = parser.parse_args()
    run(lambda: main(arguments))
