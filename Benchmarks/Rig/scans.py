# SPDX-License-Identifier: Apache-2.0
"""The cost of a host in a crowd: 5,000 advertising reports a second from 500 devices."""

import statistics

from processes import Process, await_socket

RATE = 5_000
ADVERTISERS = 500
SECONDS = 4


def share_of_core(command, place, every):
    """Scans once. Returns the host's share of a core, and the advertisements per second.

    With `every`, the host reports each advertisement; otherwise each device once.
    """
    tools, scratch, core = place
    path = scratch / "advertisers"
    path.unlink(missing_ok=True)
    with Process([tools / "advertisers", path, RATE, ADVERTISERS], core) as controller:
        controller.expect("ready")
        await_socket(path)
        with Process([*command, path, "-"], core) as host:
            host.expect("ready")
            before = host.cpu_seconds()
            yielded = host.ask(f"scan {SECONDS} {int(every)}").split()[-1]
            if int(yielded) == 0:
                raise ValueError(f"{command[0]} yielded no advertisement")
            return (host.cpu_seconds() - before) / SECONDS, int(yielded) / SECONDS


def table(commands, place, rounds):
    """Returns the medians of all hosts as Markdown."""
    lines = [
        f"### {RATE} advertising reports a second from {ADVERTISERS} devices",
        "",
        "| host | wanted | yielded a second | share of a core |",
        "|---|---|--:|--:|",
    ]
    for name, command in commands.items():
        for every in (True, False):
            scans = [share_of_core(command, place, every) for _ in range(rounds)]
            share, yielded = (statistics.median(column) for column in zip(*scans))
            wanted = "every report" if every else "each device once"
            lines.append(f"| {name} | {wanted} | {yielded:.0f} | {share:.1%} |")
    return "\n".join(lines)
