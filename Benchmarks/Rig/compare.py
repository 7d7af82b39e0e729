# SPDX-License-Identifier: Apache-2.0
"""Compares hosts on one virtual controller: as centrals that read and receive notifications, and as
peripherals that answer and notify.

The programs in this folder are the *rig*: a controller, a peripheral and a central, all on one core.
The host under test is one end of the link, and the other end sends prepared bytes. Each round runs
every host in turn, with a new controller and a new peer. It also measures a raw round trip: a packet
of 32 bytes from one process to another over a Unix socket and back. The output is the median of the
rounds.
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
import crowds
import gate
import scans
from processes import Process, place_on, precedence

RIG = pathlib.Path(__file__).parent
NO_HOST = gate.FLOOR


@dataclasses.dataclass
class Work:
    """One measurement: the command for a central, and its number of operations."""

    name: str
    request: str
    count: int

    def line(self, count):
        return self.request.format(count)


@dataclasses.dataclass
class Sample:
    """The cost of one operation in microseconds: time, CPU time of each process, and the
    allocations of the host under test, if they are counted."""

    time: float
    central: float
    controller: float
    peripheral: float
    raw: float
    allocations: float = 0.0


@dataclasses.dataclass
class Role:
    """The end of the link that the hosts under test take: central or server."""

    name: str
    works: list
    hosts: dict  # by name, the commands of the peripheral and of the central. The rig adds the path of the
    #              controller to both, and the address of the peripheral to that of the central.
    tested: str  # the field of a sample with the host's CPU time
    other: str


READ = Work("read, 20 bytes", "read {}", 10_000)
WRITE = Work("write, 20 bytes", "write {}", 10_000)
NOTIFICATIONS = [
    Work("notification, 20 bytes", "notify {} 20", 20_000),
    Work("notification, 244 bytes", "notify {} 244", 10_000),
]


def centrals(tools, hosts, peers):
    """Returns the hosts under test as centrals, with a scripted peripheral."""
    host = hosts / "RigCentral"
    commands = {
        NO_HOST: [tools / "central"],
        "Lanyard": [host],
        "Lanyard, from another thread": [host, "--from-another-thread"],
        "Bumble": [peers / "venv/bin/python", RIG / "bumble_central.py"],
    }
    pairs = {name: ([tools / "peripheral"], command) for name, command in commands.items()}
    return Role("central", [READ, *NOTIFICATIONS], pairs, "central", "peripheral")


def servers(tools, hosts, peers):
    """Returns the hosts under test as peripherals with a server, with a scripted central."""
    host = hosts / "RigPeripheral"
    commands = {
        NO_HOST: [tools / "peripheral"],
        "Lanyard": [host],
        "Lanyard, the application answers": [host, "--dynamic"],
        "Lanyard, from another thread": [host, "--from-another-thread"],
        "Bumble": [peers / "venv/bin/python", RIG / "bumble_peripheral.py"],
    }
    pairs = {name: (command, [tools / "central"]) for name, command in commands.items()}
    return Role("server", [READ, WRITE, *NOTIFICATIONS], pairs, "peripheral", "central")


def raw_round_trip(tools, core, size=32, count=20_000):
    """Returns the microseconds of one round trip between two processes over a Unix socket."""
    command = [str(tools / "echo"), str(size), str(count)]
    seconds = subprocess.check_output(command, preexec_fn=lambda: place_on(core))
    return float(seconds) / count * 1e6


def measure(central, controller, peripheral, work, raw, counter=None):
    """Sends the central its command, and measures all three processes."""
    count = work.count
    central.ask(work.line(count // 10))  # to warm up
    allocated = counter.count() if counter else 0
    processes = (central, controller, peripheral)
    before = [process.cpu_seconds() for process in processes]
    answer = central.ask(work.line(count))
    after = [process.cpu_seconds() for process in processes]
    if not answer.startswith("done "):
        raise ValueError(f"{central.command[0]} says {answer!r}")
    spent = [(late - early) / count * 1e6 for early, late in zip(before, after)]
    if min(spent) <= 0:
        raise ValueError(f"{work.name}: a process used no CPU time: {spent}")
    allocations = (counter.count() - allocated) / count if counter else 0.0
    return Sample(float(answer.split()[1]) / count * 1e6, *spent, raw, allocations)


def run_round(start_controller, place, role, counter=None):
    """Runs every host on a new controller. Yields (host, work, sample). A counter counts
    the allocations of the hosts under test."""
    environment = counter.environment if counter else None
    environments = [environment if end == role.tested else None for end in ("peripheral", "central")]
    tools, _, core = place
    for name, (served, command) in role.hosts.items():
        raw = raw_round_trip(tools, core)
        with contextlib.ExitStack() as stack:
            controller, path = stack.enter_context(start_controller(*place))
            peripheral = stack.enter_context(Process([*served, path], core, environments[0]))
            address = peripheral.expect("ready ")
            central = stack.enter_context(Process([*command, path, address], core, environments[1]))
            central.expect("ready")
            for work in role.works:
                yield name, work, measure(central, controller, peripheral, work, raw, counter)


def median(samples, field):
    return statistics.median(getattr(sample, field) for sample in samples)


def spread(samples):
    """Returns half the range of the rounds, as a share of their median."""
    times = [sample.time for sample in samples]
    return (max(times) - min(times)) / 2 / statistics.median(times)


def table(results, role):
    """Returns the medians as Markdown."""
    lines = []
    for work in role.works:
        lines += [
            f"### {role.name}: {work.name}",
            "",
            "| host | a second | time, µs | ± | raw round trips | CPU of the host | controller"
            f" | {role.other} |",
            "|---|--:|--:|--:|--:|--:|--:|--:|",
        ]
        for (name, measured), samples in results.items():
            if measured != work.name:
                continue
            time = median(samples, "time")
            lines.append(
                f"| {name} | {1e6 / time:,.0f} | {time:.1f} | {spread(samples):.0%}"
                f" | {time / median(samples, 'raw'):.1f}"
                f" | {median(samples, role.tested):.1f} | {median(samples, 'controller'):.1f}"
                f" | {median(samples, role.other):.1f} |"
            )
        lines.append("")
    return "\n".join(lines)


def arguments():
    parser = argparse.ArgumentParser(prog="Scripts/benchmark-hosts", description=__doc__)
    parser.add_argument("--tools", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--hosts", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--peers", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--controller", choices=["pair", "btvirt", "rootcanal"], help="by default the fastest")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--role", choices=["central", "server"], help="by default both")
    parser.add_argument("--only", help="hosts whose name contains this")
    parser.add_argument(
        "--check",
        action="store_true",
        help="compare Lanyard's rows with the committed table, and fail if one is worse",
    )
    parser.add_argument(
        "--record", action="store_true", help="write Lanyard's rows to the committed table"
    )
    parser.add_argument("--json", type=pathlib.Path, help="write every sample to this file too")
    return parser.parse_args()


def roles(options):
    """Returns the roles to measure, with the selected hosts."""
    both = [
        make(options.tools, options.hosts, options.peers)
        for make in (centrals, servers)
    ]
    for role in both:
        if options.only:
            role.hosts = {name: pair for name, pair in role.hosts.items() if options.only in name}
    return [role for role in both if options.role in (None, role.name)]


def measure_role(role, start_controller, place, rounds):
    """Returns the samples of all rounds, by host and work."""
    results = {}
    for number in range(1, rounds + 1):
        print(f"{role.name}: round {number} of {rounds}", file=sys.stderr)
        for name, work, sample in run_round(start_controller, place, role):
            results.setdefault((name, work.name), []).append(sample)
    return results


def report(role, results, chosen):
    raw = statistics.median(sample.raw for samples in results.values() for sample in samples)
    print(f"controller: {chosen}; raw round trip of 32 bytes: {raw:.1f} µs\n")
    print(table(results, role))


def crowd_table(role, place, rounds):
    """Returns the cost of a crowd: of advertisers for a central, of centrals for a server."""
    hosts = {name: pair for name, pair in role.hosts.items() if name != NO_HOST}
    if role.name == "central":
        return scans.table({name: central for name, (_, central) in hosts.items()}, place, rounds)
    servers = {name: server for name, (server, _) in hosts.items()}
    return crowds.table(servers, place, rounds, lambda: raw_round_trip(place[0], place[2]))


def run_gate(options, start_controller, chosen, place):
    """Measures Lanyard and the floor. Returns the descriptions of the rows that are worse."""
    ratios, crowded, allocations, crowd_allocations = {}, {}, {}, {}
    floor = options.tools / "peripheral"
    counter = gate.Allocations(*place[:2])
    chosen_roles = roles(options)
    for role in chosen_roles:
        role.hosts = {name: pair for name, pair in role.hosts.items() if "Bumble" not in name}
        for number in range(1, gate.ROUNDS + 1):
            print(f"{role.name}: round {number} of {gate.ROUNDS}", file=sys.stderr)
            samples = list(run_round(start_controller, place, role))
            for (host, work), value in gate.link_ratios(samples, role.tested).items():
                ratios.setdefault((f"{role.name}, {host}", work), []).append(value)
            if role.name == "server":
                servers = {name: end for name, (end, _) in role.hosts.items() if name != NO_HOST}
                for row, value in gate.crowd_ratios(servers, floor, place).items():
                    crowded.setdefault(row, []).append(value)
        for host, work, sample in run_round(start_controller, place, role, counter):
            if host != NO_HOST:
                allocations[f"{role.name}, {host}", work.name] = [sample.allocations]
        if role.name == "server":
            counts = gate.crowd_allocations(servers, place)
            crowd_allocations = {row: [value] for row, value in counts.items()}
    worse = []
    for controller, kind, values in (
        (chosen, "ratios", ratios),
        (gate.CROWD, "ratios", crowded),
        (chosen, "allocations", allocations),
        (gate.CROWD, "allocations", crowd_allocations),
    ):
        if options.record:
            gate.record(controller, kind, values)
        worse += gate.verdict(controller, kind, values)
    return worse


def main():
    options = arguments()
    available = controllers.available(options.peers)
    chosen = options.controller or next(iter(available), None)
    if chosen not in available:
        sys.exit(f"benchmark-hosts: the controller {chosen} is not installed; btvirt is in bluez-test-tools")
    samples = []
    with tempfile.TemporaryDirectory() as scratch, precedence():
        place = (options.tools, pathlib.Path(scratch), options.core)
        if options.check or options.record:
            worse = run_gate(options, available[chosen], chosen, place)
            sys.exit("\nbenchmark-hosts: worse than the table:\n" + "\n".join(worse) if worse else 0)
        for role in roles(options):
            results = measure_role(role, available[chosen], place, options.rounds)
            report(role, results, chosen)
            print(crowd_table(role, place, min(3, options.rounds)), end="\n\n")
            samples += [
                {"role": role.name, "host": name, "work": work, **dataclasses.asdict(sample)}
                for (name, work), measured in results.items()
                for sample in measured
            ]
    if options.json:
        options.json.write_text(json.dumps({"controller": chosen, "samples": samples}, indent=1))


if __name__ == "__main__":
    main()
