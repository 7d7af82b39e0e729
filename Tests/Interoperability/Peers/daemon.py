#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Bluetooth daemon without hardware: BlueZoo on a message bus of its own, with a heart rate sensor.

BlueZoo (PyPI) implements the interfaces of BlueZ. Its adapter hci0 is for the test. On hci1 this process
registers the sensor, as any other program would, and sends a value ten times a second to subscribers.

The ready line has the address of the bus. The lines `stop` and `start` on standard input kill the daemon and
start it again, and the end of standard input ends everything.
"""

import asyncio
import ctypes
import json
import os
import signal
import subprocess
import sys
import uuid

import sdbus
SERVICE = "/sensor/service"
HEART_RATE = "0000180d-0000-1000-8000-00805f9b34fb"


class Service(sdbus.DbusInterfaceCommonAsync, interface_name="org.bluez.GattService1"):
    @sdbus.dbus_property_async("s")
    def UUID(self):
        return HEART_RATE

    @sdbus.dbus_property_async("b")
    def Primary(self):
        return True

    @sdbus.dbus_property_async("q")
    def Handle(self):
        return 0x10


class Characteristic(sdbus.DbusInterfaceCommonAsync, interface_name="org.bluez.GattCharacteristic1"):
    """A characteristic without AcquireWrite and AcquireNotify. BlueZoo therefore refuses calls of these methods."""

    def __init__(self, number, handle, flags, value):
        super().__init__()
        self.number, self.handle, self.flags, self.value = number, handle, flags, value
        self.notifying = False

    @sdbus.dbus_property_async("s")
    def UUID(self):
        return f"0000{self.number}-0000-1000-8000-00805f9b34fb"

    @sdbus.dbus_property_async("o")
    def Service(self):
        return SERVICE

    @sdbus.dbus_property_async("as")
    def Flags(self):
        return self.flags

    @sdbus.dbus_property_async("q")
    def Handle(self):
        return self.handle

    @sdbus.dbus_property_async("b")
    def Notifying(self):
        return self.notifying

    @sdbus.dbus_property_async("ay", flags=sdbus.DbusPropertyEmitsChangeFlag)
    def Value(self):
        return self.value

    @Value.setter_private
    def set_value(self, value):
        self.value = value

    @sdbus.dbus_method_async("a{sv}", "ay")
    async def ReadValue(self, options):
        return self.value

    @sdbus.dbus_method_async("aya{sv}")
    async def WriteValue(self, value, options):
        self.value = value

    @sdbus.dbus_method_async()
    async def StartNotify(self):
        self.notifying = True

    @sdbus.dbus_method_async()
    async def StopNotify(self):
        self.notifying = False

    @sdbus.dbus_method_async()
    async def Confirm(self):
        pass


class Advertisement(sdbus.DbusInterfaceCommonAsync, interface_name="org.bluez.LEAdvertisement1"):
    @sdbus.dbus_method_async()
    async def Release(self):
        pass

    @sdbus.dbus_property_async("s")
    def Type(self):
        return "peripheral"

    @sdbus.dbus_property_async("as")
    def ServiceUUIDs(self):
        return [HEART_RATE]

    @sdbus.dbus_property_async("s")
    def LocalName(self):
        return "Sensor of the daemon"

    @sdbus.dbus_property_async("b")
    def Discoverable(self):
        return True


class Manager(sdbus.DbusObjectManagerInterfaceAsync):
    pass


def end_with_parent():
    """Makes the kernel kill this process when its parent has ended, however it ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def start_bus():
    # An abstract name leaves no file.
    address = f"unix:abstract=lanyard-{uuid.uuid4()}"
    process = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address=1", f"--address={address}"],
        stdout=subprocess.PIPE, text=True, preexec_fn=end_with_parent)
    process.stdout.readline()
    return process, address


def start_daemon():
    adapters = ["--adapter", "00:00:00:00:00:01", "--adapter", "00:00:00:00:00:02"]
    program = os.path.join(os.path.dirname(sys.executable), "bluezoo")
    return subprocess.Popen(
        [program, "-q", "-q", "--auto-enable", "--scan-interval", "1", *adapters], preexec_fn=end_with_parent)


async def until_there(bus):
    """Waits until the daemon has its adapters."""
    while True:
        manager = sdbus.DbusObjectManagerInterfaceAsync.new_proxy("org.bluez", "/", bus)
        try:
            if "/org/bluez/hci1" in await manager.get_managed_objects():
                return
        except sdbus.SdBusBaseError:
            pass
        await asyncio.sleep(0.1)


class Calls(sdbus.DbusInterfaceCommonAsync, interface_name="org.bluez.GattManager1"):
    @sdbus.dbus_method_async("oa{sv}")
    async def RegisterApplication(self, path, options):
        raise NotImplementedError


class Advertising(sdbus.DbusInterfaceCommonAsync, interface_name="org.bluez.LEAdvertisingManager1"):
    @sdbus.dbus_method_async("oa{sv}")
    async def RegisterAdvertisement(self, path, options):
        raise NotImplementedError


async def register(bus):
    await until_there(bus)
    adapter = "/org/bluez/hci1"
    await Calls.new_proxy("org.bluez", adapter, bus).RegisterApplication("/sensor", {})
    await Advertising.new_proxy("org.bluez", adapter, bus).RegisterAdvertisement("/sensor/advertisement", {})


async def send_values(rate):
    number = 60
    while True:
        if rate.notifying:
            number = 60 + (number - 59) % 100
            await rate.Value.set_async(bytes([0, number]))
        await asyncio.sleep(0.1)


async def run(address):
    os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = address
    daemon = start_daemon()
    bus = sdbus.sd_bus_open_system()
    sdbus.set_default_bus(bus)
    manager = Manager()
    manager.export_to_dbus("/sensor", bus)
    rate = Characteristic("2a37", 0x11, ["notify"], b"\0\x3c")
    place = Characteristic("2a38", 0x14, ["read"], b"\x01")
    control = Characteristic("2a39", 0x17, ["write"], b"")
    manager.export_with_manager(SERVICE, Service(), bus)
    for number, value in enumerate([rate, place, control]):
        manager.export_with_manager(f"{SERVICE}/value{number}", value, bus)
    advertisement = Advertisement()
    advertisement.export_to_dbus("/sensor/advertisement", bus)
    await register(bus)
    sender = asyncio.create_task(send_values(rate))
    print("ready " + json.dumps({"bus": address}), flush=True)
    try:
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            if line.strip() == b"stop":
                daemon.kill()
                daemon.wait()
                rate.notifying = False
                print("stopped", flush=True)
            elif line.strip() == b"start":
                daemon = start_daemon()
                await register(bus)
                print("started", flush=True)
    finally:
        sender.cancel()
        daemon.kill()
        daemon.wait()


def main():
    process, address = start_bus()
    try:
        asyncio.run(run(address))
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    main()
