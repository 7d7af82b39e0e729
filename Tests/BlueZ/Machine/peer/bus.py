# SPDX-License-Identifier: Apache-2.0
"""A connection to the system's D-Bus, with what a client of BlueZ needs.

Interfaces are not introspected: BlueZ's interfaces are known, and reading them takes an emulated
processor longer than pairing.
"""

import asyncio
import contextlib

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from line import Refusal

BLUEZ = "org.bluez"
ADAPTER = "/org/bluez/hci0"
PROPERTIES = "org.freedesktop.DBus.Properties"
OBJECTS = "org.freedesktop.DBus.ObjectManager"
# Each attribute object of a device has one of these interfaces.
ATTRIBUTES = {"org.bluez.GattService1", "org.bluez.GattCharacteristic1", "org.bluez.GattDescriptor1"}


def plain(value):
    """A D-Bus value as JSON. Bytes become hexadecimal digits."""
    if isinstance(value, Variant):
        return plain(value.value)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    if isinstance(value, dict):
        return {str(key): plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [plain(element) for element in value]
    return value


class Bus:
    """One connection. When it ends, BlueZ drops all registrations made through it."""

    def __init__(self, line):
        self.line = line
        self.changed = asyncio.Event()
        self.connection = None

    async def connect(self):
        self.connection = await MessageBus(bus_type=BusType.SYSTEM).connect()
        self.connection.add_message_handler(self._signaled)
        for rule in (
            "type='signal',sender='org.bluez'",
            "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.bluez'",
        ):
            await self._of_bus("org.freedesktop.DBus", "AddMatch", "s", rule)
        return self

    def disconnect(self):
        self.connection.disconnect()

    async def invoke(self, path, interface, member, signature="", *arguments):
        """Calls a method of BlueZ's, and returns its result."""
        return await self._call(BLUEZ, path, interface, member, signature, *arguments)

    async def get(self, path, interface):
        """All properties of an interface."""
        return plain(await self.invoke(path, PROPERTIES, "GetAll", "s", interface))

    async def set(self, path, interface, name, signature, value):
        variant = Variant(signature, value)
        await self.invoke(path, PROPERTIES, "Set", "ssv", interface, name, variant)

    async def objects(self):
        """All objects of BlueZ: path, interface, property."""
        return plain(await self.invoke("/", OBJECTS, "GetManagedObjects"))

    async def wait_for(self, *paths):
        """Waits until BlueZ has objects at these paths; BlueZ itself may still be starting."""
        while True:
            self.changed.clear()
            with contextlib.suppress(Refusal):
                if set(paths) <= set(await self.objects()):
                    return
            await self.changed.wait()

    async def match_rules(self, process):
        """The number of match rules of a process's connections, from the statistics of the bus."""
        count = 0
        for name in await self._of_bus("org.freedesktop.DBus", "ListNames"):
            if not name.startswith(":"):
                continue
            with contextlib.suppress(Refusal):  # the connection may have ended
                owner = await self._of_bus(
                    "org.freedesktop.DBus", "GetConnectionUnixProcessID", "s", name
                )
                if owner == process:
                    facts = await self._of_bus(
                        "org.freedesktop.DBus.Debug.Stats", "GetConnectionStats", "s", name
                    )
                    count += plain(facts)["MatchRules"]
        return count

    async def _of_bus(self, interface, member, signature="", *arguments):
        return await self._call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", interface, member, signature, *arguments
        )

    async def _call(self, destination, path, interface, member, signature, *arguments):
        reply = await self.connection.call(Message(
            destination=destination, path=path, interface=interface, member=member,
            signature=signature, body=list(arguments),
        ))
        if reply.message_type is MessageType.ERROR:
            raise Refusal(reply.error_name, str(reply.body[0]) if reply.body else "")
        return reply.body[0] if len(reply.body) == 1 else reply.body

    def _signaled(self, message):
        """Emits events for BlueZ's signals about devices, adapters, attributes and properties."""
        if message.message_type is not MessageType.SIGNAL:
            return
        self.changed.set()
        if message.member == "InterfacesAdded":
            path, interfaces = message.body
            if device := interfaces.get("org.bluez.Device1"):
                self.line.emit("device", path=path, properties=plain(device))
            if adapter := interfaces.get("org.bluez.Adapter1"):
                self.line.emit("adapter", path=path, properties=plain(adapter))
            for interface in ATTRIBUTES & interfaces.keys():
                self.line.emit("added", path=path, uuid=plain(interfaces[interface]["UUID"]))
        elif message.member == "InterfacesRemoved":
            path, interfaces = message.body
            if "org.bluez.Adapter1" in interfaces:
                self.line.emit("adapter_removed", path=path)
            if ATTRIBUTES & set(interfaces):
                self.line.emit("removed", path=path)
        elif message.member == "PropertiesChanged":
            interface, properties, _ = message.body
            self.line.emit(
                "changed", path=message.path, interface=interface, properties=plain(properties)
            )
