# SPDX-License-Identifier: Apache-2.0
"""A small accessory for the demo and most tests. It has values to read, to write and to subscribe to."""

import asyncio
import itertools
import logging
import struct

from bumble import hci
from bumble.att import ATT_Error, ErrorCode
from bumble.gatt import CharacteristicValue

from profiles.attributes import (
    INDICATE,
    NOTIFY,
    READ,
    WRITE,
    WRITE_WITHOUT_RESPONSE,
    characteristic,
    descriptor,
    pattern,
    service,
    uuid,
)
from profiles.subscription import while_subscribed

logger = logging.getLogger("demo")

HEART_RATE_PERIOD = 0.1
INDICATION_PERIOD = 0.25

# Commands of the control point, written as <command: 1><count: 2><size: 2>, little-endian.
RESET_COUNTER, NOTIFY_BURST, INDICATE_BURST, DISCONNECT, UPDATE_PARAMETERS, GROW = range(6)


class Demo:
    mtu = 247

    def __init__(self, arguments):
        self.device = None
        self.written = 0
        self.heart_rate = characteristic("2A37", NOTIFY)
        self.burst = characteristic(uuid(4), NOTIFY, b"", descriptor("2901", b"Burst"))
        self.indicated = characteristic(uuid(5), INDICATE, b"", descriptor("2901", b"Ticks"))
        self.writable = characteristic(
            uuid(3), READ | WRITE | WRITE_WITHOUT_RESPONSE, b"", descriptor("2901", b"Writable")
        )
        self.control = characteristic(
            uuid(6),
            READ | WRITE | WRITE_WITHOUT_RESPONSE,
            CharacteristicValue(read=self.read_counter, write=self.obey),
        )

    def services(self):
        self.writable.on("write", self.count_write)
        return [
            service("180F", characteristic("2A19", READ | NOTIFY, bytes([87]))),
            service(
                "180D",
                self.heart_rate,
                characteristic("2A38", READ, b"\x02"),
                characteristic("2A39", WRITE, CharacteristicValue(write=self.control_heart_rate)),
            ),
            service(
                "180A",
                characteristic("2A29", READ, b"Lanyard"),
                characteristic("2A24", READ, b"Demo"),
                characteristic("2A25", READ, b"0001"),
                characteristic("2A26", READ, b"1.2.3"),
                characteristic("2A50", READ, bytes.fromhex("02ffff01000302")),
            ),
            service(
                uuid(0),
                characteristic(uuid(1), READ, pattern(20)),
                characteristic(uuid(2), READ, pattern(512)),
                self.writable,
                self.burst,
                self.indicated,
                self.control,
            ),
        ]

    def connected(self, device, connection):
        self.device = device
        while_subscribed(self.heart_rate, connection, lambda: self.beat(connection))
        while_subscribed(self.indicated, connection, lambda: self.tick(connection))

    async def beat(self, connection):
        """Notifies a heart rate, every fourth time with the energy expended."""
        for count in itertools.count():
            rate = 60 + count % 40
            plain, energy = struct.pack("<BB", 0, rate), struct.pack("<BBH", 8, rate, count)
            await self.device.notify_subscriber(
                connection, self.heart_rate, plain if count % 4 else energy
            )
            await asyncio.sleep(HEART_RATE_PERIOD)

    async def tick(self, connection):
        """Indicates a counter."""
        for count in itertools.count():
            value = struct.pack("<I", count)
            await self.device.indicate_subscriber(connection, self.indicated, value)
            await asyncio.sleep(INDICATION_PERIOD)

    def control_heart_rate(self, connection, value):
        if value != b"\x01":
            raise ATT_Error(ErrorCode(0x80))

    def count_write(self, connection, value):
        self.written += 1

    def read_counter(self, connection):
        return struct.pack("<I", self.written)

    def obey(self, connection, value):
        if len(value) != 5:
            raise ATT_Error(ErrorCode.INVALID_ATTRIBUTE_LENGTH)
        command, count, size = struct.unpack("<BHH", value)
        if command > GROW:
            raise ATT_Error(ErrorCode(0x81))
        asyncio.ensure_future(self.carry_out(connection, command, count, size))

    async def carry_out(self, connection, command, count, size):
        if command == RESET_COUNTER:
            self.written = 0
        elif command == NOTIFY_BURST:
            for index in range(count):
                value = struct.pack("<I", index) + pattern(max(size - 4, 0))
                await self.device.notify_subscriber(connection, self.burst, value)
        elif command == INDICATE_BURST:
            for index in range(count):
                value = struct.pack("<I", index) + pattern(max(size - 4, 0))
                await self.device.indicate_subscriber(connection, self.indicated, value)
        elif command == DISCONNECT:
            await connection.disconnect(hci.HCI_REMOTE_USER_TERMINATED_CONNECTION_ERROR)
        elif command == UPDATE_PARAMETERS:
            await self.request_parameters(connection, interval=count)
        elif command == GROW:
            await self.grow(connection)

    async def request_parameters(self, connection, interval):
        """Requests a connection interval (in milliseconds) over L2CAP, as a peripheral does."""
        try:
            await self.device.update_connection_parameters(
                connection, interval, interval, 0, 4000, use_l2cap=True
            )
        except Exception as error:  # the central may refuse
            logger.warning("connection parameters refused: %s", error)

    async def grow(self, connection):
        """Adds a service, and sends its handles to the client (Service Changed, Vol 3, Part G,
        7.1)."""
        added = service(uuid(0x10), characteristic(uuid(0x11), READ, b"new"))
        self.device.add_service(added)
        range = struct.pack("<HH", added.handle, added.end_group_handle)
        changed = self.device.gatt_service.service_changed_characteristic
        await self.device.indicate_subscriber(connection, changed, range)
