# SPDX-License-Identifier: Apache-2.0
"""A glucose meter with a Record Access Control Point, and a heart rate sensor with a control point.

The meter has five records with the sequence numbers 0 to 4. A report of all records ends only by an
abort, and until then the meter refuses other procedures.
"""

import asyncio
import struct

from bumble.att import ATT_Error, ErrorCode
from bumble.gatt import CharacteristicValue

from profiles.attributes import INDICATE, NOTIFY, WRITE, characteristic, service

RECORDS = 5

REPORT, DELETE, ABORT, COUNT, COUNT_RESPONSE, RESPONSE = range(1, 7)
ALL, THROUGH, FROM = 1, 2, 3
SUCCESS, OP_CODE_NOT_SUPPORTED, OPERATOR_NOT_SUPPORTED, NO_RECORDS = 1, 2, 4, 6
PROCEDURE_ALREADY_IN_PROGRESS = ErrorCode(0xFE)


class Meter:
    mtu = 247

    def __init__(self, arguments):
        self.device = None
        self.reporting = None
        self.measurement = characteristic("2A18", NOTIFY)
        self.records = characteristic(
            "2A52", WRITE | INDICATE, CharacteristicValue(write=self.command)
        )

    def services(self):
        return [
            service("1808", self.measurement, self.records),
            service(
                "180D",
                characteristic("2A39", WRITE, CharacteristicValue(write=self.control_heart_rate)),
            ),
        ]

    def connected(self, device, connection):
        self.device = device
        self.reporting = None

    def control_heart_rate(self, connection, value):
        if value != b"\x01":
            raise ATT_Error(ErrorCode(0x80))

    def command(self, connection, value):
        if self.reporting and value[0] != ABORT:
            raise ATT_Error(PROCEDURE_ALREADY_IN_PROGRESS)
        task = asyncio.ensure_future(self.carry_out(connection, value))
        if value[:2] == bytes([REPORT, ALL]):
            self.reporting = task

    async def carry_out(self, connection, value):
        op_code, selection = value[0], self.selected(value)
        if op_code == ABORT:
            if self.reporting:
                self.reporting.cancel()
                self.reporting = None
            await self.respond(connection, op_code, SUCCESS)
        elif selection is None:
            await self.respond(connection, op_code, OPERATOR_NOT_SUPPORTED)
        elif op_code == COUNT:
            await self.answer(connection, struct.pack("<BBH", COUNT_RESPONSE, 0, len(selection)))
        elif op_code == REPORT and not selection:
            await self.respond(connection, op_code, NO_RECORDS)
        elif op_code == REPORT:
            await self.report(connection, selection)
            if value[1] == ALL:
                await asyncio.Event().wait()  # until an abort
            await self.respond(connection, op_code, SUCCESS)
        else:
            await self.respond(connection, op_code, OP_CODE_NOT_SUPPORTED)

    def selected(self, value):
        """Returns the sequence numbers that a command selects, or None for another operator."""
        numbers = list(range(RECORDS))
        if value[1] == ALL:
            return numbers
        if value[1] in (FROM, THROUGH) and value[2:3] == b"\x01":
            limit = struct.unpack("<H", value[3:5])[0]
            return [n for n in numbers if (n >= limit if value[1] == FROM else n <= limit)]
        return None

    async def report(self, connection, numbers):
        for number in numbers:
            record = struct.pack("<BHHBBBBB", 0, number, 2026, 11, 24, 12, number, 0)
            await self.device.notify_subscriber(connection, self.measurement, record)

    async def respond(self, connection, op_code, result):
        await self.answer(connection, bytes([RESPONSE, 0, op_code, result]))

    async def answer(self, connection, value):
        await self.device.indicate_subscriber(connection, self.records, value)
