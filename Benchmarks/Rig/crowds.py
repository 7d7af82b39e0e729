# SPDX-License-Identifier: Apache-2.0
"""The cost of a server with one central and with twenty: answers and notifications."""

import dataclasses
import statistics

from processes import Process, await_socket

SIZES = (1, 20)
WORKS = {
    "read, 20 bytes": ("read {}", 20_000),
    "notification, 20 bytes": ("notify {} 20", 40_000),
    "notification, 244 bytes": ("notify {} 244", 20_000),
}


@dataclasses.dataclass
class Sample:
    """The time and the CPU times of one operation in microseconds, and the number of operations of the
    slowest central divided by that of the fastest."""

    time: float
    host: float
    crowd: float
    share: float
    allocations: float = 0.0  # of the host, if they are counted


def measure(crowd, host, request, count, counter=None):
    crowd.ask(request.format(count // 10))  # to warm up
    allocated = counter.count() if counter else 0
    before = host.cpu_seconds(), crowd.cpu_seconds()
    seconds, least, most = crowd.ask(request.format(count)).removeprefix("done ").split()
    spent = host.cpu_seconds() - before[0], crowd.cpu_seconds() - before[1]
    if int(most) == 0:
        raise ValueError(f"{host.command[0]} did nothing for {request!r}")
    allocations = (counter.count() - allocated) / count if counter else 0.0
    times = (value / count * 1e6 for value in (float(seconds), *spent))
    return Sample(*times, int(least) / int(most), allocations)


def samples(command, place, size, counter=None):
    """Takes one sample of each measurement, for a server with this many centrals. A counter counts the
    allocations of the server."""
    tools, scratch, core = place
    path = scratch / "crowd"
    path.unlink(missing_ok=True)
    with Process([tools / "crowd", path, size], core) as crowd:
        crowd.expect("ready")
        await_socket(path)
        environment = counter.environment if counter else None
        with Process([*command, path], core, environment) as host:
            host.expect("ready")
            crowd.expect("crowded")
            return {
                name: measure(crowd, host, request, count, counter)
                for name, (request, count) in WORKS.items()
            }


def table(commands, place, rounds, raw):
    """Returns the medians of all servers as Markdown; `raw()` measures a raw round trip."""
    lines = [
        "### server: one central and twenty",
        "",
        "| host | work | centrals | a second | time, µs | raw round trips | CPU of the host"
        " | slowest / fastest |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name, command in commands.items():
        for size in SIZES:
            echo = raw()
            runs = [samples(command, place, size) for _ in range(rounds)]
            for work in WORKS:
                time, cpu, _, share, _ = (
                    statistics.median(column)
                    for column in zip(*(dataclasses.astuple(run[work]) for run in runs))
                )
                lines.append(
                    f"| {name} | {work} | {size} | {1e6 / time:,.0f} | {time:.1f}"
                    f" | {time / echo:.1f} | {cpu:.1f} | {share:.0%} |"
                )
    return "\n".join(lines)
