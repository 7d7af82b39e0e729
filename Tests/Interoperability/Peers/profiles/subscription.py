# SPDX-License-Identifier: Apache-2.0
"""Work that runs as long as a client is subscribed."""

import asyncio


def while_subscribed(characteristic, connection, work):
    """Runs the coroutine `work()` from each subscription on `connection` to its end."""
    running = None

    def stop():
        nonlocal running
        if running is not None:
            running.cancel()
            running = None

    def subscribed(bearer, notify, indicate):
        nonlocal running
        if bearer is not connection:
            return
        stop()
        if notify or indicate:
            running = asyncio.ensure_future(work())

    def disconnected(reason):
        characteristic.remove_listener("subscription", subscribed)
        stop()

    characteristic.on("subscription", subscribed)
    connection.on("disconnection", disconnected)
