# SPDX-License-Identifier: Apache-2.0
"""The kernel's management interface, for requests that BlueZ's D-Bus interface does not have.

btmgmt uses the same interface.
"""

import asyncio
import ctypes
import socket
import struct
import time

from commands import command
from line import Refusal

FAMILY = 31  # AF_BLUETOOTH, which some Python builds lack
PROTOCOL = 1  # BTPROTO_HCI
CHANNEL = 3  # HCI_CHANNEL_CONTROL
NO_CONTROLLER = 0xFFFF
CONTROLLER = 0  # hci0
HEADER = struct.Struct("<HHH")
COMPLETE, STATUS = 1, 2
LIMIT = 65_536
SECONDS = 20

libc = ctypes.CDLL(None, use_errno=True)


def _connect():
    channel = socket.socket(FAMILY, socket.SOCK_RAW, PROTOCOL)
    channel.settimeout(SECONDS)
    address = HEADER.pack(FAMILY, NO_CONTROLLER, CHANNEL)
    if libc.bind(channel.fileno(), address, len(address)) != 0:
        raise OSError(ctypes.get_errno(), "no management channel")
    return channel


def _perform(code, data):
    """Sends one command. Returns its status and its answer."""
    with _connect() as channel:
        channel.send(HEADER.pack(code, CONTROLLER, len(data)) + data)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            packet = channel.recv(LIMIT)
            event, _, _ = HEADER.unpack_from(packet)
            if event in (COMPLETE, STATUS) and packet[6:8] == code.to_bytes(2, "little"):
                return packet[8], packet[9:]
    raise Refusal("TimedOut", f"command {code:#06x} was not answered")


@command
async def manage(peer, code, data):
    """Has the kernel execute a management command on BlueZ's controller."""
    loop = asyncio.get_running_loop()
    status, answer = await loop.run_in_executor(None, _perform, code, bytes.fromhex(data))
    if status != 0:
        raise Refusal("Failed", f"command {code:#06x} ended with status {status:#04x}")
    return {"data": answer.hex()}
