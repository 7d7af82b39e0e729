# SPDX-License-Identifier: Apache-2.0
"""Runs RootCanal's tests of the Link Layer on a controller, and prints a line for each.

usage: rootcanal_suite.py CHECKOUT PACKAGE --library PATH [--log] [PATTERN...]
       rootcanal_suite.py CHECKOUT PACKAGE --program PATH [--old] [--log] [PATTERN[=DEVIATION,...]...]

CHECKOUT is a checkout of RootCanal, with the tests and the class that they drive. PACKAGE is its Python
package from PyPI, with the packets. The controller is that of a library, RootCanal's own, or that of our
program LinkLayerTester, which takes the place of the library. A pattern is the beginning of a name, such as
LL.DDI. The packets of its tests are translated by the named deviations of deviations.py.

Each line has the name of the test, PASS, FAIL or SKIP, and the last line of the reason. With --log, the packets of
each test follow on standard error.
"""

import contextlib
import ctypes
import importlib
import io
import os
import pathlib
import runpy
import subprocess
import sys
import types
import unittest

from deviations import DEVIATIONS

SET_LE_EVENT_MASK = bytes([0x01, 0x01, 0x20, 8])


class Library:
    """A stand-in for RootCanal's library: the functions that RootCanal's Python class calls, with our controllers."""

    def __init__(self, command):
        self.command = command
        self.controllers = []
        self.address_maker = None
        # The deviations of the present test.
        self.deviations = []

        # Functions and not methods, because the class of RootCanal sets their `restype`.
        def new(address, to_host, to_air, *_):
            self.controllers.append(Controller(command, to_host, to_air, self.deviations))
            self.controllers[-1].ask(f"address {hexadecimal(address, 6, reverse=True)}")
            return len(self.controllers)

        def delete(instance):
            self.controllers[instance.value - 1].end()

        def receive_hci(instance, indicator, data, count):
            packet = readable(bytes([indicator.value]) + ctypes.string_at(data, count.value))
            self.ask(instance, f"hci {packet.hex()}")

        def receive_ll(instance, data, count, phy, strength):
            packet = translated(ctypes.string_at(data, count.value), self.deviations, "from_air")
            self.ask(instance, f"air {strength.value} {packet.hex()}")

        def tick(instance):
            self.ask(instance, "pass")

        def generate_rpa(key, buffer):
            # One process for all addresses, because each process repeats the same random numbers.
            self.address_maker = self.address_maker or Controller(command, None, None, [])
            buffer.raw = self.address_maker.ask(f"resolvable {hexadecimal(key, 16)}")

        self.ffi_controller_new = new
        self.ffi_controller_delete = delete
        self.ffi_controller_receive_hci = receive_hci
        self.ffi_controller_receive_ll = receive_ll
        self.ffi_controller_tick = tick
        self.ffi_generate_rpa = generate_rpa

    def ask(self, instance, request):
        self.controllers[instance.value - 1].ask(request)


class Controller:
    """A process of LinkLayerTester. The first comment of that program describes the lines."""

    def __init__(self, command, to_host, to_air, deviations):
        self.to_host, self.to_air, self.deviations = to_host, to_air, deviations
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    def ask(self, request):
        """Passes the packets of the answer on, and returns the address in it, if there is one."""
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        address = None
        while line := self.process.stdout.readline().strip():
            kind, _, value = line.partition(" ")
            if kind == "hci":
                packet = translated(bytes.fromhex(value), self.deviations, "to_host")
                if packet:
                    self.to_host(None, packet[0], (ctypes.c_ubyte * len(packet))(*packet[1:]), len(packet) - 1)
            elif kind == "air":
                packet = translated(bytes.fromhex(value), self.deviations, "to_air")
                self.to_air(None, (ctypes.c_ubyte * len(packet))(*packet), len(packet), 0, 0)
            elif kind == "address":
                address = bytes.fromhex(value)
            else:
                raise ValueError(f"LinkLayerTester: {line}")
        if self.process.poll() is not None:
            raise ValueError(f"LinkLayerTester ended with status {self.process.returncode}")
        return address

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(10)


def translated(packet, deviations, direction):
    """Returns the packet after all deviations, or None if one of them drops it."""
    for deviation in deviations:
        packet = packet and getattr(deviation, direction)(packet)
    return packet


def readable(packet):
    """Returns a packet of the tests' host. In LE Set Event Mask, masks version 2 of LE Enhanced Connection Complete:
    the host unmasks every LE event, but the tests know only version 1, which version 2 would replace."""
    if packet.startswith(SET_LE_EVENT_MASK):
        mask = int.from_bytes(packet[4:], "little") & ~(1 << 0x28)
        return packet[:4] + mask.to_bytes(8, "little")
    return packet


def hexadecimal(pointer, count, reverse=False):
    """Returns the bytes at a pointer as hexadecimal digits. The pointer's `value` ends at the first zero."""
    content = ctypes.string_at(pointer, count)
    return (content[::-1] if reverse else content).hex()


def package(name, path):
    """Makes the folder a package, even if another package, such as Python's own `test`, has its name."""
    module = types.ModuleType(name)
    module.__path__ = [str(path)]
    sys.modules[name] = module
    return module


def load(checkout, packets, path, command):
    """Loads RootCanal's modules with the controller. Returns the names of its tests and our stand-in for the
    library, or None in place of the stand-in if the tests run on RootCanal's library."""
    package("test", checkout / "test")
    rootcanal = package("rootcanal", checkout / "py/src/rootcanal")
    package("rootcanal.packets", packets / "rootcanal/packets")
    rootcanal.binaries = sys.modules["rootcanal.binaries"] = types.ModuleType("rootcanal.binaries")
    rootcanal.binaries.get_package_binary_resource_path = lambda name: contextlib.nullcontext(path)
    load_library = ctypes.cdll.LoadLibrary
    library = Library(command) if command else None
    if library:
        ctypes.cdll.LoadLibrary = lambda name: library
    importlib.import_module("rootcanal.controller")
    ctypes.cdll.LoadLibrary = load_library
    return runpy.run_path(str(checkout / "test/main.py"), run_name="suite")["tests"], library


class Result(unittest.TestResult):
    """Prints a line for each test."""

    def __init__(self, output):
        super().__init__()
        self.output = output
        self.named = set()

    def say(self, test, outcome, reason=""):
        name = test.id().removeprefix("test.").removesuffix(".Test.test").replace(".Test.", ".")
        last = reason.strip().splitlines()[-1] if reason.strip() else ""
        # A test can fail twice, in its body and after it.
        if name in self.named:
            return
        self.named.add(name)
        print("\t".join([name, outcome, last]), file=self.output, flush=True)

    def addSuccess(self, test):
        self.say(test, "PASS")

    def addSkip(self, test, reason):
        self.say(test, "SKIP", reason)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.say(test, "FAIL", self.failures[-1][1])

    def addError(self, test, error):
        super().addError(test, error)
        self.say(test, "FAIL", self.errors[-1][1])


def main():
    checkout, packets, option, path, *rest = sys.argv[1:]
    command = [path] + [word for word in rest if word == "--old"] if option == "--program" else None
    patterns = [word.partition("=") for word in rest if not word.startswith("--")] or [("LL.", "", "")]
    # RootCanal's library prints to the standard output by itself.
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    names, library = load(pathlib.Path(checkout), pathlib.Path(packets), path, command)
    result = Result(output)
    for name in names:
        deviations = next((deviations for pattern, _, deviations in patterns if name.startswith(pattern)), None)
        if deviations is not None:
            if library:
                library.deviations = [DEVIATIONS[name]() for name in deviations.split(",") if name]
            suite = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(f"test.{name}"))
            # The tests print each packet.
            log = io.StringIO()
            with contextlib.redirect_stdout(log):
                suite.run(result)
            if "--log" in rest:
                print(log.getvalue(), file=sys.stderr)


if __name__ == "__main__":
    main()
