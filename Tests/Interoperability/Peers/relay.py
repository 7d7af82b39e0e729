#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A wire between a host and a controller that fails once, at a chosen point.

usage: relay.py --to tcp:HOST:PORT|unix:PATH [--at BYTES --do close|hang|hold]

Prints `ready {"adapters": ["tcp:127.0.0.1:PORT"]}`. When BYTES bytes have passed to the host, it
prints `reached`, and closes both sides (close), stops passing bytes to the host (hang), or stops
until SIGUSR1 (hold). Later connections pass unchanged. After each connection, it prints
`passed BYTES`.
"""

import argparse
import asyncio
import signal

from lifetime import adapter_address, announce, run

CHUNK = 4096


class Relay:
    def __init__(self, arguments):
        self.target = adapter_address(arguments.to)
        self.point = arguments.at
        self.action = arguments.do
        self.released = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, self.released.set)

    async def connect(self):
        kind, place = self.target
        if kind == "unix":
            return await asyncio.open_unix_connection(place)
        return await asyncio.open_connection("127.0.0.1", place)

    async def serve(self, from_host, to_host):
        from_controller, to_controller = await self.connect()
        passed = 0

        async def toward_controller():
            while data := await from_host.read(CHUNK):
                to_controller.write(data)

        async def toward_host():
            nonlocal passed
            while data := await from_controller.read(self.free_length(passed)):
                to_host.write(data)
                passed += len(data)
                if passed == self.point and not await self.break_off(to_host):
                    return

        ways = [asyncio.ensure_future(toward_controller()), asyncio.ensure_future(toward_host())]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            for side in (to_host, to_controller):
                side.close()
        print("passed", passed, flush=True)

    def free_length(self, passed):
        """Returns the number of bytes that may be read without passing the point."""
        return CHUNK if self.point is None else min(CHUNK, self.point - passed)

    async def break_off(self, to_host):
        """Acts at the point, once. Returns whether the connection continues."""
        self.point = None
        await to_host.drain()
        print("reached", flush=True)
        if self.action == "hang":
            await asyncio.Event().wait()
        if self.action == "hold":
            await self.released.wait()
        return self.action == "hold"


async def main(arguments):
    relay = Relay(arguments)
    server = await asyncio.start_server(relay.serve, "127.0.0.1", 0)
    announce({"adapters": [f"tcp:127.0.0.1:{server.sockets[0].getsockname()[1]}"]})
    await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A wire that breaks once")
    parser.add_argument("--to", required=True, help="the controller's adapter")
    parser.add_argument("--at", type=int, help="the point, in bytes toward the host")
    parser.add_argument("--do", choices=["close", "hang", "hold"], default="close")
    arguments = parser.parse_args()
    run(lambda: main(arguments))
