# SPDX-License-Identifier: Apache-2.0
"""The lifetime of every peer: it prints `ready …` once, and ends when its standard input closes.

A test that crashes closes the pipe to its peers, so no peer outlives the test that started it.
"""

import asyncio
import json
import logging
import os
import sys
import threading


def announce(facts):
    """Prints the line that the parent process awaits: `ready` and a JSON object."""
    print("ready", json.dumps(facts, separators=(",", ":")), flush=True)


def adapter_address(endpoint):
    """Splits `tcp:PORT`, `tcp:HOST:PORT` or `unix:PATH`; only loopback hosts are accepted."""
    kind, _, rest = endpoint.partition(":")
    if kind == "unix" and rest:
        return kind, rest
    host, _, port = rest.rpartition(":")
    if kind != "tcp" or host not in ("", "localhost", "127.0.0.1") or not port.isdigit():
        raise SystemExit(f"not an adapter: {endpoint!r}; use tcp:PORT or unix:PATH")
    return kind, int(port)


def answer(facts):
    """Prints one line that answers a line on standard input."""
    print(json.dumps(facts, separators=(",", ":")), flush=True)


def run(main, receive=None):
    """Runs the coroutine `main()` until it ends, fails, or standard input closes.

    `receive(line)` is called in the event loop with each line of standard input.
    """
    logging.basicConfig(
        stream=sys.stderr,
        level=os.environ.get("LANYARD_PEER_LOG", "WARNING"),
        format="%(asctime)s %(name)s: %(message)s",
    )
    try:
        asyncio.run(_until_stdin_closes(main, receive or (lambda line: None)))
    except KeyboardInterrupt:
        pass


async def _until_stdin_closes(main, receive):
    loop = asyncio.get_running_loop()
    closed = asyncio.Event()

    # A thread, because standard input may be a terminal, a pipe, a file or /dev/null, and only a
    # blocking read works with all of them.
    def watch():
        unread = b""
        while part := os.read(0, 4096):
            *lines, unread = (unread + part).split(b"\n")
            for line in lines:
                loop.call_soon_threadsafe(receive, line.decode())
        loop.call_soon_threadsafe(closed.set)

    threading.Thread(target=watch, daemon=True).start()
    work = asyncio.ensure_future(main())
    end = asyncio.ensure_future(closed.wait())
    await asyncio.wait((work, end), return_when=asyncio.FIRST_COMPLETED)
    if work.done():
        work.result()
