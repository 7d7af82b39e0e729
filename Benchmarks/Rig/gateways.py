# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of gateways on loopback: the cost of a link through a gateway, compared with a link
on the same controller without one, and the cost of 5,000 advertising reports a second from twelve
gateways. All processes run on one core.

On the host's machine, a gateway costs the time of the host's process and of the program
`lanyard-gateway connect`, which the host starts. On the gateway, it costs the time of
`lanyard-gateway serve`.
"""

import argparse
import contextlib
import os
import pathlib
import statistics
import subprocess
import tempfile

from processes import Process, await_socket, place_on, precedence

GATEWAYS = 12
RATE = 5_000
ADVERTISERS = 500
SECONDS = 4
WORKS = [
    ("read, 20 bytes", "read {}", 4_000),
    ("notification, 20 bytes", "notify {} 20", 10_000),
    ("notification, 244 bytes", "notify {} 244", 5_000),
]


class Rig:
    """The programs and the folders of one run."""

    def __init__(self, options, scratch):
        self.tools, self.core, self.scratch = options.tools, options.core, scratch
        self.central, self.program = options.hosts / "RigCentral", options.gateway
        self.environment = {"XDG_STATE_HOME": str(scratch / "host"), "LANYARD_GATEWAY": str(self.program)}

    def run(self, *arguments):
        return subprocess.run(
            [self.program, *arguments], env={**os.environ, **self.environment}, check=True, text=True,
            capture_output=True, preexec_fn=lambda: place_on(self.core),
        ).stdout.strip()

    @contextlib.contextmanager
    def gateway(self, controller, number=0):
        """Starts a gateway for a controller's socket, and enrolls the host. Yields its process and the adapter's name."""
        state = ["--state", str(self.scratch / f"gateway-{number}")]
        command = [self.program, "serve", "--name", f"gateway-{number}", "--adapter", f"unix:{controller}",
                   "--listen", "127.0.0.1:0", *state]
        with Process(command, self.core) as process:
            address = process.expect("ready:")
            self.run("enroll", address, self.run("code", *state).splitlines()[-1].split()[-1], "--name", "host")
            yield process, f"gateway:{address}"


def cpu_of_children(process):
    """Returns the CPU time of the processes that a process has started and that still run."""
    total = 0.0
    for task in pathlib.Path(f"/proc/{process.child.pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            for part in pathlib.Path(f"/proc/{child}/task").iterdir():
                total += int((part / "schedstat").read_text().split()[0]) / 1e9
    return total


def measure(central, gateway, request, count):
    """Returns the microseconds of CPU time for one operation: of the host's process, of the program that it has started,
    and of the gateway."""
    def spent():
        return [central.cpu_seconds(), cpu_of_children(central), gateway.cpu_seconds() if gateway else 0.0]

    central.ask(request.format(count // 10))
    before = spent()
    answer = central.ask(request.format(count))
    if not answer.startswith("done "):
        raise ValueError(f"the host says {answer!r}")
    return [(late - early) / count * 1e6 for early, late in zip(before, spent())]


def link_round(rig, through_gateway):
    """Returns the costs of each work on a link."""
    path = rig.scratch / "pair"
    path.unlink(missing_ok=True)
    with contextlib.ExitStack() as stack:
        stack.enter_context(Process([rig.tools / "pair", path], rig.core)).expect("ready")
        peripheral = stack.enter_context(Process([rig.tools / "peripheral", path], rig.core))
        address, gateway, adapter = peripheral.expect("ready "), None, path
        if through_gateway:
            gateway, adapter = stack.enter_context(rig.gateway(path))
        central = stack.enter_context(Process([rig.central, adapter, address], rig.core, rig.environment))
        central.expect("ready")
        return {name: measure(central, gateway, request, count) for name, request, count in WORKS}


def links(rig, rounds):
    """Returns the costs of links as Markdown."""
    local = [link_round(rig, False) for _ in range(rounds)]
    remote = [link_round(rig, True) for _ in range(rounds)]
    lines = [
        "| work | local link | host process | `connect` | host's machine | ratio | gateway |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name, _, _ in WORKS:
        base = statistics.median(row[name][0] for row in local)
        host, program, gateway = (statistics.median(row[name][part] for row in remote) for part in range(3))
        lines.append(f"| {name} | {base:.1f} | {host:.1f} | {program:.1f} | {host + program:.1f}"
                     f" | {(host + program) / base:.2f} | {gateway:.1f} |")
    return "\n".join(lines)


def reports_round(rig, every, are_apart):
    """Returns the shares of a core, and the reports a second that an application gets."""
    with contextlib.ExitStack() as stack:
        gateways = []
        for number in range(GATEWAYS):
            path = rig.scratch / f"advertisers-{number}"
            path.unlink(missing_ok=True)
            first = number * ADVERTISERS if are_apart else 0
            rate = RATE // GATEWAYS
            command = [rig.tools / "advertisers", path, rate, ADVERTISERS, first]
            stack.enter_context(Process(command, rig.core)).expect("ready")
            await_socket(path)
            gateways.append(stack.enter_context(rig.gateway(path, number)))
        names = "+".join(name for _, name in gateways)
        host = stack.enter_context(Process([rig.central, names, "-"], rig.core, rig.environment))
        host.expect("ready")
        processes = [process for process, _ in gateways]

        def spent():
            return [host.cpu_seconds(), cpu_of_children(host), sum(process.cpu_seconds() for process in processes)]

        before = spent()
        count = int(host.ask(f"scan {SECONDS} {int(every)}").split()[-1])
        if count == 0:
            raise ValueError("the host reported no advertisement")
        return [(late - early) / SECONDS for early, late in zip(before, spent())] + [count / SECONDS]


def reports(rig, rounds):
    """Returns the costs of advertising reports as Markdown."""
    lines = [
        f"{RATE} reports a second from {GATEWAYS} gateways, in shares of a core:",
        "",
        "| devices | wanted | reported a second | host process | `connect`, all | host's machine | a gateway |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for are_apart in (False, True):
        devices = f"{ADVERTISERS * GATEWAYS:,}, each at one gateway" if are_apart else f"{ADVERTISERS}, at every gateway"
        for every in (True, False):
            rows = [reports_round(rig, every, are_apart) for _ in range(rounds)]
            host, program, all_gateways, count = (statistics.median(column) for column in zip(*rows))
            wanted = "every report" if every else "each device once"
            lines.append(f"| {devices} | {wanted} | {count:,.0f} | {host:.1%} | {program:.1%} | {host + program:.1%}"
                         f" | {all_gateways / GATEWAYS:.2%} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="Scripts/benchmark-gateways", description=__doc__)
    parser.add_argument("--tools", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--hosts", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--gateway", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--only", choices=["links", "reports"], help="by default both")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, precedence():
        rig = Rig(options, pathlib.Path(folder))
        if options.only != "reports":
            print("Microseconds of CPU time for one operation:\n")
            print(links(rig, options.rounds), flush=True)
        if options.only != "links":
            print()
            print(reports(rig, options.rounds))


main()
