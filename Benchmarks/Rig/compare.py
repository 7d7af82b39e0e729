# SPDX-License-Identifier: Apache-2.0
"""Measures hosts against each other on one virtual controller, everything on one core.

Each round runs every host in turn, with a fresh controller and peripheral, and the raw round trip
beside it. What is printed is the median of the rounds.
"""

import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import controllers
import scans
from processes import Process, place_on, precedence

RIG = pathlib.Path(__file__).parent
NO_HOST = "no host (prepared bytes)"


@dataclasses.dataclass
class Work:
    """One thing to measure: what to ask a central, and how often it is to do it."""

    name: str
    request: str
    count: int

    def line(self, count):
        return self.request.format(count)


@dataclasses.dataclass
class Sample:
    """What one operation took, in microseconds: time, and work of each process."""

    time: float
    central: float
    controller: float
    peripheral: float
    raw: float


WORKS = [
    Work("read, 20 octets", "read {}", 10_000),
    Work("notification, 20 octets", "notify {} 20", 20_000),
    Work("notification, 244 octets", "notify {} 244", 10_000),
]


def centrals(tools, host, peers):
    """The hosts under test, by name, as commands that take a path and an address."""
    return {
        NO_HOST: [tools / "central"],
        "Lanyard": [host],
        "Lanyard, from another thread": [host, "--from-another-thread"],
        "Bumble": [peers / "venv/bin/python", RIG / "bumble_central.py"],
    }


def raw_round_trip(tools, core, size=32, count=20_000):
    """Microseconds of one round trip between two processes over a Unix socket."""
    command = [str(tools / "echo"), str(size), str(count)]
    seconds = subprocess.check_output(command, preexec_fn=lambda: place_on(core))
    return float(seconds) / count * 1e6


def measure(central, controller, peripheral, work, raw):
    """Asks the central for the work and bills all three processes."""
    count = work.count
    central.ask(work.line(count // 10))  # to be warm
    processes = (central, controller, peripheral)
    before = [process.cpu_seconds() for process in processes]
    answer = central.ask(work.line(count))
    after = [process.cpu_seconds() for process in processes]
    if not answer.startswith("done "):
        raise ValueError(f"{central.command[0]} says {answer!r}")
    spent = [(late - early) / count * 1e6 for early, late in zip(before, after)]
    return Sample(float(answer.split()[1]) / count * 1e6, *spent, raw)


def run_round(start_controller, place, works, hosts):
    """One round: every host on a fresh controller; yields (host, work, sample)."""
    tools, _, core = place
    for name, command in hosts.items():
        raw = raw_round_trip(tools, core)
        with contextlib.ExitStack() as stack:
            controller, path = stack.enter_context(start_controller(*place))
            peripheral = stack.enter_context(Process([tools / "peripheral", path], core))
            address = peripheral.expect("ready ")
            central = stack.enter_context(Process([*command, path, address], core))
            central.expect("ready")
            for work in works:
                yield name, work, measure(central, controller, peripheral, work, raw)


def median(samples, field):
    return statistics.median(getattr(sample, field) for sample in samples)


def spread(samples):
    """Half of how far the rounds lie apart, as a share of their median."""
    times = [sample.time for sample in samples]
    return (max(times) - min(times)) / 2 / statistics.median(times)


def table(results, works):
    """The medians as Markdown."""
    lines = []
    for work in works:
        lines += [
            f"### {work.name}",
            "",
            "| host | time, µs | ± | raw round trips | CPU of the host | controller | peripheral |",
            "|---|--:|--:|--:|--:|--:|--:|",
        ]
        for (name, measured), samples in results.items():
            if measured != work.name:
                continue
            time = median(samples, "time")
            lines.append(
                f"| {name} | {time:.1f} | {spread(samples):.0%} | {time / median(samples, 'raw'):.1f}"
                f" | {median(samples, 'central'):.1f} | {median(samples, 'controller'):.1f}"
                f" | {median(samples, 'peripheral'):.1f} |"
            )
        lines.append("")
    return "\n".join(lines)


def arguments():
    parser = argparse.ArgumentParser(prog="Scripts/benchmark-hosts", description=__doc__)
    parser.add_argument("--tools", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--host", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--peers", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--controller", choices=["btvirt", "rootcanal"], help="by default the fastest")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--only", help="hosts whose name contains this")
    parser.add_argument("--json", type=pathlib.Path, help="write every sample to this file too")
    return parser.parse_args()


def main():
    options = arguments()
    available = controllers.available(options.peers)
    chosen = options.controller or next(iter(available), None)
    if chosen not in available:
        sys.exit(f"benchmark-hosts: no {chosen or 'controller'} here; on Debian: apt-get install bluez-test-tools")
    hosts = centrals(options.tools, options.host, options.peers)
    hosts = {name: host for name, host in hosts.items() if not options.only or options.only in name}
    results = {}
    with tempfile.TemporaryDirectory() as scratch, precedence():
        place = (options.tools, pathlib.Path(scratch), options.core)
        for number in range(1, options.rounds + 1):
            print(f"round {number} of {options.rounds}", file=sys.stderr)
            for name, work, sample in run_round(available[chosen], place, WORKS, hosts):
                results.setdefault((name, work.name), []).append(sample)
        scanning = {name: command for name, command in hosts.items() if name != NO_HOST}
        crowd = scans.table(scanning, place, min(3, options.rounds))
    raw = statistics.median(sample.raw for samples in results.values() for sample in samples)
    print(f"controller: {chosen}; raw round trip of 32 octets: {raw:.1f} µs\n")
    print(table(results, WORKS))
    print(crowd)
    if options.json:
        samples = [
            {"host": name, "work": work, **dataclasses.asdict(sample)}
            for (name, work), measured in results.items()
            for sample in measured
        ]
        options.json.write_text(json.dumps({"controller": chosen, "samples": samples}, indent=1))


if __name__ == "__main__":
    main()
