# SPDX-License-Identifier: Apache-2.0
"""Measures Mosquitto on this machine: its CPU time for a message, and its memory for connections and
retained messages. The messages have the length of those of lanyard-fleet, and QoS 1."""

import argparse
import contextlib
import json
import math
import os
import pathlib
import re
import resource
import socket
import statistics
import subprocess
import tempfile
import time

import processes
from processes import Process, TIME_LIMIT, await_socket, precedence

SIZE = 250
MESSAGES = 50_000
RETAINED = 100_000
# A client process makes 250 connections: the library uses three descriptors for each, and waits with
# select(), which accepts only descriptors below 1,024.
CLIENTS, CONNECTIONS_OF_A_CLIENT = 8, 250
CONNECTIONS = CLIENTS * CONNECTIONS_OF_A_CLIENT
# The accessories of lanyard-fleet, each with one value a second. A virtual controller has 20 links.
STRAPS, FLEET_SECONDS = 16, 60


class Broker:
    def __init__(self, tools, core):
        self.tools, self.core = tools, core

    @contextlib.contextmanager
    def start(self, name, more=""):
        """Starts a broker with one port without TLS and one port with TLS. Yields its process."""
        with socket.socket() as first, socket.socket() as second:
            for listener in (first, second):
                listener.bind(("127.0.0.1", 0))
            plain, secure = first.getsockname()[1], second.getsockname()[1]
        folder = self.folder
        text = (f"listener {plain} 127.0.0.1\nallow_anonymous true\nlistener {secure} 127.0.0.1\nallow_anonymous true\n"
                f"cafile {folder}/broker.pem\ncertfile {folder}/broker.pem\nkeyfile {folder}/broker.key\n"
                f"max_queued_messages 0\nuser root\nlog_dest none\n{more}")
        (folder / name).write_text(text)
        with Process(["mosquitto", "-c", folder / name], self.core) as process:
            end = time.monotonic() + TIME_LIMIT
            for port in (plain, secure):
                while socket.socket().connect_ex(("127.0.0.1", port)) != 0:
                    if time.monotonic() > end:
                        raise TimeoutError("the broker does not listen")
                    time.sleep(.05)
            process.ports = {"-": plain, str(folder / "broker.pem"): secure}
            yield process

    def certificate(self):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
             self.folder / "broker.key", "-out", self.folder / "broker.pem", "-days", "2", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)

    @property
    def authorities(self):
        return {"without TLS": "-", "TLS 1.3": str(self.folder / "broker.pem")}

    def client(self, broker, authority, *arguments):
        return Process([self.tools / "broker_load", broker.ports[authority], authority, *arguments], self.core)


def memory(process):
    """Returns the resident memory of a process in KiB."""
    status = pathlib.Path(f"/proc/{process.child.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1))


def ask(process):
    process.child.stdin.write(b"\n")


def messages(rig, authority, subscribers, topic="lanyard/devices/strap-1/events/180d/2a37", count=MESSAGES):
    """Returns the microseconds of the broker's CPU time for a message, and the messages a second."""
    with rig.start("broker.conf") as broker, contextlib.ExitStack() as stack:
        readers = [stack.enter_context(rig.client(broker, authority, "subscribe", "lanyard/#", count))
                   for _ in range(subscribers)]
        writer = stack.enter_context(rig.client(broker, authority, "publish", topic, count, SIZE))
        for process in (*readers, writer):
            process.expect("ready")
        before = broker.cpu_seconds()
        for process in (*readers, writer):
            ask(process)
        seconds = max(float(process.expect("done ")) for process in (*readers, writer))
        return (broker.cpu_seconds() - before) / count * 1e6, count / seconds


def bridged(rig, authority):
    """Returns the CPU times, in microseconds, for a message that passes through two brokers: the time of the first
    broker, which forwards it, and of the second broker, which has a subscriber."""
    name = "localhost" if authority != "-" else "127.0.0.1"
    with rig.start("center.conf") as center:
        more = (f"connection center\naddress {name}:{center.ports[authority]}\ntopic lanyard/# out 1\n"
                + (f"bridge_cafile {authority}\n" if authority != "-" else ""))
        with rig.start("site.conf", more) as site, contextlib.ExitStack() as stack:
            reader = stack.enter_context(rig.client(center, authority, "subscribe", "lanyard/#", MESSAGES))
            topic = "lanyard/devices/strap-1/events/180d/2a37"
            writer = stack.enter_context(rig.client(site, authority, "publish", topic, MESSAGES, SIZE))
            for process in (reader, writer):
                process.expect("ready")
            before = [site.cpu_seconds(), center.cpu_seconds()]
            for process in (reader, writer):
                ask(process)
            for process in (reader, writer):
                process.expect("done ")
            after = [site.cpu_seconds(), center.cpu_seconds()]
            return [(late - early) / MESSAGES * 1e6 for early, late in zip(before, after)]


def connections(rig, authority):
    """Returns the KiB of the broker's memory for a connection, and its milliseconds of CPU time for a new one."""
    with rig.start("broker.conf") as broker:
        memory_before, before = memory(broker), broker.cpu_seconds()
        with contextlib.ExitStack() as stack:
            for _ in range(CLIENTS):
                stack.enter_context(rig.client(broker, authority, "idle", CONNECTIONS_OF_A_CLIENT)).expect("ready")
            spent = broker.cpu_seconds() - before
            return (memory(broker) - memory_before) / CONNECTIONS, spent / CONNECTIONS * 1e3


def retained(rig):
    """Returns the bytes of the broker's memory for a retained message."""
    with rig.start("broker.conf") as broker:
        before = memory(broker)
        with rig.client(broker, "-", "retain", "lanyard/devices/strap/status", RETAINED, SIZE) as writer:
            writer.expect("ready")
            ask(writer)
            writer.expect("done ")
        return (memory(broker) - before) * 1024 / RETAINED


def fleet(rig, authority, fleet_program, air_program):
    """Returns the microseconds of CPU time for a value that lanyard-fleet gets from an accessory and publishes, of
    lanyard-fleet and of the broker, which has one subscriber, and the memory of lanyard-fleet in KiB."""
    angles = [2 * math.pi * number / STRAPS for number in range(STRAPS)]
    devices = [{"name": f"Strap {number}", "accessory": "heart-rate", "position": [2 * math.cos(angle), 2 * math.sin(angle)]}
               for number, angle in enumerate(angles)]
    accessories = [{"id": f"strap-{number}", "name": f"Strap {number}", "match": {"service": "180D", "name": f"Strap {number}"},
                    "characteristics": [{"service": "180D", "uuid": "2A37", "roles": ["subscribe"]}]}
                   for number in range(STRAPS)]
    (rig.folder / "straps.json").write_text(json.dumps({"devices": devices}))
    (rig.folder / "fleet.json").write_text(json.dumps({"accessories": accessories}))
    socket_path, topic = f"unix:{rig.folder}/air", "lanyard/devices/+/events/#"
    with contextlib.ExitStack() as stack:
        broker = stack.enter_context(rig.start("broker.conf"))
        stack.enter_context(Process([air_program, "air", "--listen", socket_path, "--scenario", rig.folder / "straps.json"],
                                    rig.core))
        await_socket(rig.folder / "air")
        host = stack.enter_context(Process(
            [fleet_program, rig.folder / "fleet.json", "--name", "hall", "--broker", f"localhost:{broker.ports[authority]}",
             *(["--without-tls"] if authority == "-" else ["--authority", authority]),
             "--state", tempfile.mkdtemp(dir=rig.folder), "--adapter", socket_path], rig.core))
        for count, is_counted in ((STRAPS * FLEET_SECONDS // 2, False), (STRAPS * FLEET_SECONDS, True)):
            reader = stack.enter_context(rig.client(broker, authority, "subscribe", topic, count))
            reader.expect("ready")
            before = host.cpu_seconds(), broker.cpu_seconds()
            ask(reader)
            reader.expect("done ")
            if is_counted:
                after = host.cpu_seconds(), broker.cpu_seconds()
                return [(late - early) / count * 1e6 for early, late in zip(before, after)] + [memory(host)]


def medians(rounds, body):
    return [statistics.median(column) for column in zip(*(body() for _ in range(rounds)))]


def print_tables(rig, rounds, programs):
    version = subprocess.run(["mosquitto", "-h"], capture_output=True, text=True).stdout.splitlines()[0]
    print(f"{version}, messages of {SIZE} bytes with QoS 1, everything on one core. CPU time of the broker in µs:\n")
    print("| a message | without TLS | TLS 1.3 |\n|---|--:|--:|")
    for subscribers in (0, 1, 2, 4):
        costs = [medians(rounds, lambda: messages(rig, authority, subscribers)) for authority in rig.authorities.values()]
        name = "no subscriber" if subscribers == 0 else f"{subscribers} subscriber{'s'[:subscribers > 1]}"
        print(f"| {name} | {costs[0][0]:.1f} | {costs[1][0]:.1f} |", flush=True)
    ways = [medians(rounds, lambda: bridged(rig, authority)) for authority in rig.authorities.values()]
    for place, name in enumerate(("bridge: first broker", "bridge: second broker, 1 subscriber")):
        print(f"| {name} | {ways[0][place]:.1f} | {ways[1][place]:.1f} |")
    print("\n| a connection | without TLS | TLS 1.3 |\n|---|--:|--:|")
    found = [medians(rounds, lambda: connections(rig, authority)) for authority in rig.authorities.values()]
    print(f"| memory, KiB | {found[0][0]:.1f} | {found[1][0]:.1f} |")
    print(f"| CPU time of a new one, ms | {found[0][1]:.2f} | {found[1][1]:.2f} |")
    print(f"\nA retained message: {retained(rig):.0f} bytes.")
    if all(programs):
        # All straps are ready only after some time.
        processes.TIME_LIMIT = 4 * FLEET_SECONDS
        print(f"\nlanyard-fleet with {STRAPS} straps, each with a value a second:\n")
        print("| a value | without TLS | TLS 1.3 |\n|---|--:|--:|")
        found = [fleet(rig, authority, *programs) for authority in rig.authorities.values()]
        for place, name in enumerate(("`lanyard-fleet`", "Mosquitto, 1 subscriber")):
            print(f"| {name}, µs | {found[0][place]:.0f} | {found[1][place]:.0f} |")
        print(f"\nMemory of lanyard-fleet: {found[0][2] / 1024:.0f} MiB.")


def main():
    parser = argparse.ArgumentParser(prog="Scripts/benchmark-broker", description=__doc__)
    parser.add_argument("--tools", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--fleet", type=pathlib.Path, help="lanyard-fleet, to measure it too")
    parser.add_argument("--lanyard", type=pathlib.Path, help="lanyard, for the virtual radio of that measurement")
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, precedence():
        rig = Broker(options.tools, options.core)
        rig.folder = pathlib.Path(folder)
        rig.certificate()
        print_tables(rig, options.rounds, (options.fleet, options.lanyard))


main()
