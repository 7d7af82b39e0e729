# SPDX-License-Identifier: Apache-2.0
"""The control line: JSON objects, one per line, on a port of the machine.

Commands arrive as {"id": 7, "do": "read", ...}. Each is answered once, in any order: {"id": 7,
"done": {...}} or {"id": 7, "refused": "org.bluez.Error.Failed", "text": "..."}. Events are sent
between the answers: {"event": "changed", ...}.
"""

import asyncio
import json
import os
import threading


class Refusal(Exception):
    """The reason why a command failed: the name of a D-Bus error, and its message."""

    def __init__(self, name, text):
        super().__init__(f"{name}: {text}")
        self.name = name
        self.text = text


class Line:
    """Both directions of the port."""

    CHUNK = 65_536

    def __init__(self, path):
        self.descriptor = os.open(path, os.O_RDWR)
        self.orders = asyncio.Queue()
        self.loop = asyncio.get_running_loop()
        # An event loop cannot wait for such a port, so a thread waits.
        threading.Thread(target=self._read, daemon=True).start()

    def emit(self, event, **details):
        """Sends an event."""
        self._write({"event": event, **details})

    def answer(self, identifier, done):
        self._write({"id": identifier, "done": done})

    def refuse(self, identifier, refusal):
        self._write({"id": identifier, "refused": refusal.name, "text": refusal.text})

    def _write(self, value):
        rest = memoryview(json.dumps(value).encode() + b"\n")
        while rest:
            rest = rest[os.write(self.descriptor, rest):]

    def _read(self):
        """Puts each command into the queue. When the line ends, the process exits at
        once: a write to a port without another end blocks forever."""
        unread = b""
        while chunk := os.read(self.descriptor, self.CHUNK):
            *lines, unread = (unread + chunk).split(b"\n")
            for line in lines:
                self._put(json.loads(line))
        os._exit(0)

    def _put(self, order):
        self.loop.call_soon_threadsafe(self.orders.put_nowait, order)
