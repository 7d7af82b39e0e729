# SPDX-License-Identifier: Apache-2.0
"""A client of bluetoothd on bleak, which the tests start inside the machine.

usage: bleak_client.py NAME

The client connects to the peripheral with this name, and prints `connected`. Each line of the
client's input is a command. The client ends when its input ends.

    subscribe UUID          prints `subscribed`, and each value as `value DIGITS`
    unsubscribe UUID        prints `unsubscribed`
    send UUID COUNT LENGTH  writes values without response, each with its number first, and prints `sent`
    count UUID COUNT        prints `subscribed`, and then `counted` after every COUNT values. Prints
                            `not NUMBER: DIGITS` for a value that does not begin with the next number
"""

import asyncio
import itertools
import sys

from bleak import BleakClient, BleakScanner

# The time for finding the peripheral, in seconds. The test has a shorter one.
SCAN_LIMIT = 300


def say(line):
    print(line, flush=True)


async def subscribe(client, uuid):
    await client.start_notify(uuid, lambda _, value: say(f"value {value.hex()}"))
    say("subscribed")


async def unsubscribe(client, uuid):
    await client.stop_notify(uuid)
    say("unsubscribed")


async def send(client, uuid, count, length):
    characteristic = client.services.get_characteristic(uuid)
    rest = bytes(int(length) - 4)
    for number in range(int(count)):
        await client.write_gatt_char(characteristic, number.to_bytes(4, "big") + rest, False)
    say("sent")


async def count(client, uuid, burst):
    numbers = itertools.count()

    def receive(_, value):
        number = next(numbers)
        if value[:4] != number.to_bytes(4, "big"):
            say(f"not {number}: {value.hex()}")
        if (number + 1) % int(burst) == 0:
            say("counted")

    await client.start_notify(uuid, receive)
    say("subscribed")


COMMANDS = {function.__name__: function for function in (subscribe, unsubscribe, send, count)}


async def main(name):
    device = await BleakScanner.find_device_by_filter(
        lambda _, advertisement: advertisement.local_name == name, SCAN_LIMIT
    )
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), sys.stdin
    )
    async with BleakClient(device) as client:
        say("connected")
        while line := await lines.readline():
            verb, *arguments = line.decode().split()
            await COMMANDS[verb](client, *arguments)


asyncio.run(main(sys.argv[1]))
