#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A serial port with a controller behind it, and a line between them that can have errors.

usage: uart.py --to tcp:HOST:PORT|unix:PATH [--seed N]

The port is a pseudo-terminal: `ready {"adapters": ["serial:/dev/pts/7@1000000"]}`. Each command
on standard input changes the serial line, and is answered with `{"done": true}`:

    {"do": "noise", "kind": "insert"|"drop"|"flip", "odds": N, "to": "host"|"controller", "count": N}
                               one byte in N is changed, among the next `count` (all, if left out)
    {"do": "cut", "length": N, "pause": SECONDS}    packets for the host arrive in pieces, with pauses
    {"do": "say", "data": "HEX"}                  bytes for the host that no controller sent
    {"do": "mute", "on": true|false}                the controller's bytes do not pass to the host
    {"do": "clear"}                                 ends all errors

Toward the controller, the UART follows Vol 4, Part A, 4: when it has lost synchronization, it sends
Hardware Error, and waits for an HCI Reset.
"""

import argparse
import asyncio
import collections
import fcntl
import json
import os
import random
import struct
import tty

from lifetime import adapter_address, announce, answer, run

CHUNK = 4096
RESET = bytes.fromhex("01030c00")
HARDWARE_ERROR = bytes.fromhex("04100100")

# For each type of packet: the length of its header, and the format of the length field in it.
HEADERS = {1: (4, "<3xB"), 2: (5, "<3xH"), 3: (4, "<3xB"), 5: (5, "<3xH")}


class Noise:
    def __init__(self, kind, odds, count, generator):
        self.kind, self.odds, self.left, self.random = kind, odds, count, generator

    def strike(self, data):
        struck = bytearray()
        for byte in data:
            if self.left is not None and self.left <= 0 or self.random.randrange(self.odds):
                struck.append(byte)
            elif self.kind == "insert":
                struck += bytes([self.random.randrange(256), byte])
            elif self.kind == "flip":
                struck.append(byte ^ 1 << self.random.randrange(8))
            if self.left is not None:
                self.left -= 1
        return bytes(struck)


class Framing:
    """The controller's side of the UART, which combines the received bytes into whole packets."""

    def __init__(self, hardware_error):
        self.buffer = bytearray()
        self.is_lost = False
        self.hardware_error = hardware_error

    def packets(self, data):
        self.buffer += data
        while self.buffer:
            if self.is_lost:
                start = self.buffer.find(RESET)
                if start < 0:
                    del self.buffer[: -len(RESET) + 1]
                    return
                del self.buffer[:start]
                self.is_lost = False
            if self.buffer[0] not in HEADERS:
                self.is_lost = True
                self.hardware_error()
                continue
            length = self.length()
            if length is None or len(self.buffer) < length:
                return
            yield bytes(self.buffer[:length])
            del self.buffer[:length]

    def length(self):
        header, field = HEADERS[self.buffer[0]]
        if len(self.buffer) < header:
            return None
        return header + struct.unpack_from(field, self.buffer)[0]


class Line:
    def __init__(self, descriptor, writer, seed):
        self.descriptor = descriptor
        self.writer = writer
        self.random = random.Random(seed)
        self.framing = Framing(lambda: self.deliver(HARDWARE_ERROR))
        self.waiting = collections.deque()
        self.is_sending = False
        self.clear()

    def clear(self):
        self.noise = {"host": None, "controller": None}
        self.length = None
        self.pause = 0
        self.is_mute = False

    def receive(self, text):
        command = json.loads(text)
        match command["do"]:
            case "noise":
                self.noise[command["to"]] = Noise(
                    command["kind"], command["odds"], command.get("count"), self.random
                )
            case "cut":
                self.length, self.pause = command["length"], command["pause"]
            case "say":
                self.deliver(bytes.fromhex(command["data"]))
            case "mute":
                self.is_mute = command["on"]
            case "clear":
                self.clear()
        answer({"done": True})

    def from_host(self):
        try:
            data = os.read(self.descriptor, CHUNK)
        except BlockingIOError:
            return
        if noise := self.noise["controller"]:
            data = noise.strike(data)
        for packet in self.framing.packets(data):
            self.writer.write(packet)

    def from_controller(self, data):
        if self.is_mute:
            return
        if noise := self.noise["host"]:
            data = noise.strike(data)
        self.deliver(data)

    def deliver(self, data):
        step = self.length or max(1, len(data))
        self.waiting.extend(data[start : start + step] for start in range(0, len(data), step))
        if not self.is_sending:
            self.send()

    def send(self):
        self.is_sending = bool(self.waiting)
        if not self.waiting:
            return
        piece = self.waiting.popleft()
        try:
            sent = os.write(self.descriptor, piece)
        except BlockingIOError:
            sent = 0
        if sent < len(piece):
            self.waiting.appendleft(piece[sent:])
        rest = self.pause if sent == len(piece) else 0.001
        if rest:
            asyncio.get_running_loop().call_later(rest, self.send)
        else:
            asyncio.get_running_loop().call_soon(self.send)


def make_terminal():
    """Returns a new pseudo-terminal: the near end's descriptor, and the far end's path."""
    near, far = os.openpty()
    tty.setraw(far)
    fcntl.fcntl(near, fcntl.F_SETFL, fcntl.fcntl(near, fcntl.F_GETFL) | os.O_NONBLOCK)
    # The far end stays open here. Otherwise the near end fails whenever no host has opened it.
    return near, os.ttyname(far)


async def connect(target):
    kind, place = adapter_address(target)
    if kind == "unix":
        return await asyncio.open_unix_connection(place)
    return await asyncio.open_connection("127.0.0.1", place)


async def main(arguments, lines):
    reader, writer = await connect(arguments.to)
    descriptor, name = make_terminal()
    line = Line(descriptor, writer, arguments.seed)
    lines.append(line)
    asyncio.get_running_loop().add_reader(descriptor, line.from_host)
    announce({"adapters": [f"serial:{name}@1000000"]})
    while data := await reader.read(CHUNK):
        line.from_controller(data)
    raise SystemExit("the controller has closed the connection")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A controller behind a serial port")
    parser.add_argument("--to", required=True, help="the controller's adapter")
    parser.add_argument("--seed", type=int, default=1, help="the random seed of the noise (1)")
    parsed = parser.parse_args()
    made = []
    run(lambda: main(parsed, made), receive=lambda text: made[0].receive(text))
