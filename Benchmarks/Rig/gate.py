# SPDX-License-Identifier: Apache-2.0
"""The gate for changes of the data path: the cost of the host, compared with a committed table.

A row is the CPU time of the host for one operation as a ratio to the floor, which is the CPU time of a
program that sends prepared bytes for the same work in the same round. Unlike times, ratios can be
compared between machines. A second table has the number of allocations for one operation.
"""

import dataclasses
import json
import pathlib
import statistics
import struct

import crowds

TABLE = pathlib.Path(__file__).parent / "gate.json"
FLOOR = "no host (prepared bytes)"
TOLERANCE = 1.15  # a round is worse if its ratio exceeds this multiple of the table's value
ROUNDS = 3  # a row fails when it is worse in each of this many rounds
ALLOCATION_TOLERANCE = 0.2  # allocations for one operation
# With a task on another thread, the number of calls that share a wake-up, and thus the number of
# allocations, varies with the load of the machine.
ALLOCATION_TOLERANCE_ELSEWHERE = 0.5
ELSEWHERE = "from another thread"
CROWD = "crowd"  # the name of the controller crowd.c in the table


@dataclasses.dataclass
class Row:
    """The ratios of one row, one for each round."""

    ratios: list
    allowed: float

    def is_worse(self):
        return all(ratio > self.allowed * TOLERANCE for ratio in self.ratios)


class Allocations:
    """The counter of allocations.c in a file, and the environment that uses it."""

    def __init__(self, tools, scratch):
        self.path = scratch / "allocations"
        self.path.write_bytes(bytes(8))
        self.environment = {
            "LD_PRELOAD": str(tools / "allocations.so"),
            "RIG_ALLOCATIONS": str(self.path),
        }

    def count(self):
        return struct.unpack("<Q", self.path.read_bytes())[0]


def ratio(host, floor, row):
    """Returns the ratio of two CPU times. Raises an error if the rig measured nothing."""
    if host <= 0 or floor <= 0:
        raise ValueError(f"{row}: measured nothing: {host} µs, floor {floor} µs")
    return host / floor


def link_ratios(samples, tested):
    """Returns the ratios of one round on a controller, by row. `samples` are (host, work, sample)."""
    times = {(host, work.name): getattr(sample, tested) for host, work, sample in samples}
    return {
        (host, work): ratio(time, times[FLOOR, work], (host, work))
        for (host, work), time in times.items()
        if host != FLOOR
    }


def crowd_ratios(commands, floor_command, place):
    """Returns the ratios of one round of a server in a crowd, by row. The floor has one central."""
    floors = crowds.samples([floor_command], place, 1)
    found = {}
    for name, command in commands.items():
        for size in crowds.SIZES:
            for work, sample in crowds.samples(command, place, size).items():
                row = f"{name}, {size} central{'s' if size > 1 else ''}"
                found[row, work] = ratio(sample.host, floors[work].host, (row, work))
    return found


def crowd_allocations(commands, place):
    """Returns the allocations for one operation of a server with one central, by row."""
    counter = Allocations(*place[:2])
    found = {}
    for name, command in commands.items():
        for work, sample in crowds.samples(command, place, 1, counter).items():
            found[name, work] = sample.allocations
    return found


def load():
    return json.loads(TABLE.read_text()) if TABLE.exists() else {}


def record(controller, kind, values):
    """Writes the medians of the rows to the table."""
    table = load()
    table.setdefault(controller, {})[kind] = {
        f"{host}: {work}": round(statistics.median(found), 2)
        for (host, work), found in sorted(values.items())
    }
    TABLE.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n")


def verdict(controller, kind, values):
    """Prints all rows of a kind. Returns the descriptions of those that are worse."""
    allowed = load().get(controller, {}).get(kind, {})
    worse = []
    print(f"\n{kind}, {controller}:")
    for (host, work), found in sorted(values.items()):
        name = f"{host}: {work}"
        if name not in allowed:
            worse.append(f"{name}: no value in {TABLE.name}; add it with --record")
            continue
        row = Row(found, allowed[name])
        text = ", ".join(f"{value:.2f}" for value in found)
        print(f"  {name}: {text} (table: {allowed[name]:.2f})")
        tolerance = ALLOCATION_TOLERANCE_ELSEWHERE if ELSEWHERE in host else ALLOCATION_TOLERANCE
        limit = row.allowed + tolerance
        is_worse = min(found) > limit if kind == "allocations" else row.is_worse()
        if is_worse:
            worse.append(f"{kind}: {name}: {text} instead of {allowed[name]:.2f}")
    missing = set(allowed) - {f"{host}: {work}" for host, work in values}
    return worse + [f"{kind}: {name}: not measured" for name in sorted(missing)]
