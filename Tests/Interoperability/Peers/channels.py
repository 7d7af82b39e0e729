#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Bumble peripheral, or central, with credit-based L2CAP channels.

usage: channels.py --adapter tcp:HOST:PORT|unix:PATH [--address A] [--connect NAME] [options]

Listens for 0x0080 (echo: returns what it receives), 0x0081 (sink: compares what it receives with
the pattern, and answers each mark, an SDU of one byte, with the number of bytes so far and the
position of the first wrong byte), 0x0082 (source: sends as many bytes of the pattern as the first
SDU says, and closes) and 0x0083 (turn: returns 100,000 bytes, and closes). Advertises, or connects
with --connect, and prints `ready {…}`.

Lines on standard input, each answered by one line of JSON:
  open SPSM               opens a channel to the other side
  several SPSM COUNT      opens this many enhanced channels
  send BYTES              writes this many bytes of the pattern into the last opened channel
  drained                 answers when all written data has been sent
  state                   the state of the last opened channel: credits, and bytes received
  close                   closes the last opened channel
"""

import argparse
import asyncio
import logging

from bumble import hci, l2cap
from bumble.core import AdvertisingData
from bumble.device import Device, DeviceConfiguration
from bumble.transport import open_transport

from lifetime import adapter_address, announce, answer, run

logger = logging.getLogger("channels")

# The time limit for a step, in seconds: machines may be busy.
STEP_LIMIT = 120


def pattern(start, count):
    """Returns the bytes that all sides send. Each depends on its position."""
    return bytes((place + (place >> 8)) & 0xFF for place in range(start, start + count))


class Received:
    """The data received on one channel, compared with the pattern."""

    def __init__(self):
        self.count = 0
        self.wrong = None

    def take(self, sdu):
        if self.wrong is None and sdu != pattern(self.count, len(sdu)):
            expected = pattern(self.count, len(sdu))
            first = next(i for i in range(len(sdu)) if sdu[i] != expected[i])
            self.wrong = self.count + first
        self.count += len(sdu)

    def facts(self):
        return {"data": self.count, "wrong": self.wrong}


def echo(channel):
    channel.sink = channel.write


def sink(channel):
    received = Received()

    def take(sdu):
        if len(sdu) > 1:
            return received.take(sdu)
        wrong = "none" if received.wrong is None else str(received.wrong)
        channel.write(f"{received.count} {wrong}".encode())

    channel.sink = take


def source(channel):
    async def send(count):
        channel.write(pattern(0, count))
        await channel.drain()
        await channel.disconnect()

    def take(sdu):
        asyncio.get_running_loop().create_task(send(int(sdu.decode())))

    channel.sink = take


def turn(channel):
    async def close():
        await channel.drain()
        await channel.disconnect()

    count = 0

    def take(sdu):
        nonlocal count
        channel.write(sdu)
        count += len(sdu)
        if count >= 100_000:
            asyncio.get_running_loop().create_task(close())

    channel.sink = take


class Host:
    """One device, its link, and the last opened channel."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.connection = None
        self.channel = None
        self.received = Received()
        self.closed = False

    def spec(self, psm):
        arguments = self.arguments
        return l2cap.LeCreditBasedChannelSpec(
            psm=psm, mtu=arguments.mtu, mps=arguments.mps, max_credits=arguments.credits
        )

    def prepare(self, device):
        self.device = device
        for psm, serve in ((0x80, echo), (0x81, sink), (0x82, source), (0x83, turn)):
            device.create_l2cap_server(self.spec(psm), serve)
        device.on("connection", self.connected)

    def connected(self, connection):
        logger.info("connected to %s", connection.peer_address)
        self.connection = connection

    def adopt(self, channel):
        self.channel, self.received, self.closed = channel, Received(), False
        channel.sink = self.received.take
        channel.on("close", lambda: setattr(self, "closed", True))

    async def open(self, psm):
        manager = self.device.l2cap_channel_manager
        self.adopt(
            await manager.create_le_credit_based_channel(self.connection, self.spec(int(psm, 0)))
        )
        return {"opened": 1}

    async def several(self, psm, count):
        manager = self.device.l2cap_channel_manager
        channels = await manager.create_enhanced_credit_based_channels(
            self.connection, self.spec(int(psm, 0)), int(count)
        )
        self.adopt(channels[0])
        return {"opened": len(channels)}

    async def send(self, count):
        self.channel.write(pattern(0, int(count)))
        return {"written": int(count)}

    async def drained(self):
        await self.channel.drain()
        return {"drained": True}

    async def state(self):
        channel = self.channel
        return {"credits": channel.credits, "closed": self.closed, **self.received.facts()}

    async def close(self):
        await self.channel.disconnect()
        return {"closed": True}

    async def obey(self, line):
        word, *rest = line.split()
        requests = {
            "open": self.open,
            "several": self.several,
            "send": self.send,
            "drained": self.drained,
            "state": self.state,
            "close": self.close,
        }
        try:
            answer(await asyncio.wait_for(requests[word](*rest), STEP_LIMIT))
        except l2cap.L2capError as error:
            answer({"refused": int(error.error_code)})
        except Exception as error:  # the test receives any error
            logger.exception("cannot %s", line)
            answer({"error": f"{type(error).__name__}: {error}"})


def configuration(arguments):
    name = arguments.name.encode()
    return DeviceConfiguration(
        name=arguments.name,
        address=hci.Address(arguments.address),
        advertising_interval_min=30,
        advertising_interval_max=30,
        advertising_data=bytes(
            AdvertisingData(
                [(AdvertisingData.FLAGS, b"\x06"), (AdvertisingData.COMPLETE_LOCAL_NAME, name)]
            )
        ),
    )


async def find(device, name):
    """Returns the address of the device that advertises this name."""
    found = asyncio.get_running_loop().create_future()

    def received(advertisement):
        received_name = advertisement.data.get(AdvertisingData.COMPLETE_LOCAL_NAME)
        if received_name == name and not found.done():
            found.set_result(advertisement.address)

    device.on("advertisement", received)
    await device.start_scanning(filter_duplicates=False)
    address = await asyncio.wait_for(found, STEP_LIMIT)
    await device.stop_scanning()
    return address


async def serve(arguments, host):
    kind, place = adapter_address(arguments.adapter)
    name = f"unix:{place}" if kind == "unix" else f"tcp-client:127.0.0.1:{place}"
    transport = await open_transport(name)
    device = Device.from_config_with_hci(
        configuration(arguments), transport.source, transport.sink
    )
    host.prepare(device)
    await device.power_on()
    if arguments.connect:
        address = await find(device, arguments.connect)
        await asyncio.wait_for(device.connect(address), STEP_LIMIT)
    else:
        await device.start_advertising(auto_restart=True)
    announce({"address": arguments.address, "name": arguments.name})
    await transport.source.terminated
    raise SystemExit("channels: the controller was lost")


def parse():
    parser = argparse.ArgumentParser(description="A Bumble host with channels")
    parser.add_argument("--adapter", required=True, help="tcp:HOST:PORT or unix:PATH")
    parser.add_argument("--name", default="Lanyard Demo")
    parser.add_argument("--address", default="F1:A0:00:00:00:01", help="a random static address")
    parser.add_argument("--connect", help="the name of a peripheral to connect to")
    parser.add_argument("--mtu", type=int, default=2048, help="the longest SDU to accept (2048)")
    parser.add_argument("--mps", type=int, default=2048, help="the longest frame to accept (2048)")
    parser.add_argument("--credits", type=int, default=256, help="the credits to grant (256)")
    return parser.parse_args()


def main():
    arguments = parse()
    host = Host(arguments)

    # One command after the other, in the order of the lines.
    requests = asyncio.Queue()

    async def work():
        async def obey():
            while True:
                await host.obey(await requests.get())

        obeying = asyncio.ensure_future(obey())
        try:
            await serve(arguments, host)
        finally:
            obeying.cancel()

    run(work, receive=requests.put_nowait)


if __name__ == "__main__":
    main()
