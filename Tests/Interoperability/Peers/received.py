# SPDX-License-Identifier: Apache-2.0
"""The values that a GATT server sends to our client, kept until a command consumes them."""

import asyncio
import struct

from bumble import att

NOTIFICATION, INDICATION, MULTIPLE = 0x1B, 0x1D, 0x23
KINDS = {NOTIFICATION: "notification", INDICATION: "indication", MULTIPLE: "multiple"}
CONFIRMATION = b"\x1e"


class Received:
    """A layer between the ATT channel and Bumble. It keeps values, and answers to raw PDUs."""

    def __init__(self, device):
        self.device = device
        self.values = []
        self.came = asyncio.Event()
        self.answers = None  # a queue during an exchange of raw PDUs
        self.confirms = True
        device.l2cap_channel_manager.register_fixed_channel(att.ATT_CID, self.receive)

    def receive(self, handle, pdu):
        if pdu and pdu[0] in KINDS:
            return self.take(handle, pdu)
        if self.answers is not None:
            return self.answers.put_nowait(pdu)
        self.device.on_gatt_pdu(handle, pdu)

    def take(self, handle, pdu):
        for attribute, value in parts(pdu):
            self.values.append({"handle": attribute, "kind": KINDS[pdu[0]], "value": value.hex()})
        self.came.set()
        if pdu[0] == INDICATION and self.confirms:
            self.device.send_l2cap_pdu(handle, att.ATT_CID, CONFIRMATION)

    async def collect(self, handle, count):
        """Consumes the first `count` values of an attribute, or of all."""
        while True:
            fitting = [entry for entry in self.values if handle in (None, entry["handle"])]
            if len(fitting) >= count:
                taken = fitting[:count]
                self.values = [entry for entry in self.values if not any(entry is t for t in taken)]
                return taken
            self.came.clear()
            await self.came.wait()


def parts(pdu):
    """Returns the handles and values of a notification or indication."""
    if pdu[0] != MULTIPLE:
        return [(struct.unpack_from("<H", pdu, 1)[0], pdu[3:])]
    found, offset = [], 1
    while offset < len(pdu):
        handle, length = struct.unpack_from("<HH", pdu, offset)
        found.append((handle, pdu[offset + 4 : offset + 4 + length]))
        offset += 4 + length
    return found
