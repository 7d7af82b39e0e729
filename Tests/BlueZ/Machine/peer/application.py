# SPDX-License-Identifier: Apache-2.0
"""BlueZ as a server: the test gives the values, and each write and subscription is an event."""

from dbus_fast import DBusError
from dbus_fast.constants import PropertyAccess
from dbus_fast.service import ServiceInterface, dbus_property, method

from bus import ADAPTER, plain
from commands import command
from line import Refusal

PATH = "/peer/application"
MANAGER = "org.bluez.GattManager1"
READ = PropertyAccess.READ


class Service(ServiceInterface):
    def __init__(self, uuid, primary, includes):
        super().__init__("org.bluez.GattService1")
        self.uuid = uuid
        self.primary = primary
        self.includes = includes

    @dbus_property(access=READ)
    def UUID(self) -> "s":
        return self.uuid

    @dbus_property(access=READ)
    def Primary(self) -> "b":
        return self.primary

    @dbus_property(access=READ)
    def Includes(self) -> "ao":
        return self.includes


class Attribute(ServiceInterface):
    """The common part of characteristics and descriptors: a value, and the error for refusals."""

    def __init__(self, interface, line, description):
        super().__init__(interface)
        self.line = line
        self.uuid = description["uuid"]
        self.flags = description["flags"]
        self.value = bytes.fromhex(description.get("value", ""))
        self.refusal = None

    def read(self, options):
        self._refuse_if_requested()
        return self.value[plain(options).get("offset", 0):]

    def write(self, data, options):
        options = plain(options)
        self._refuse_if_requested()
        offset = options.get("offset", 0)
        self.value = self.value[:offset] + data
        self.report("written", value=data.hex(), **options)

    def report(self, event, **details):
        self.line.emit(event, uuid=self.uuid, **details)

    def _refuse_if_requested(self):
        if self.refusal:
            raise DBusError(self.refusal, "the test refuses")


class Characteristic(Attribute):
    def __init__(self, line, service, description):
        super().__init__("org.bluez.GattCharacteristic1", line, description)
        self.service = service

    @dbus_property(access=READ)
    def UUID(self) -> "s":
        return self.uuid

    @dbus_property(access=READ)
    def Service(self) -> "o":
        return self.service

    @dbus_property(access=READ)
    def Flags(self) -> "as":
        return self.flags

    @dbus_property(access=READ)
    def Value(self) -> "ay":
        return self.value

    @method()
    def ReadValue(self, options: "a{sv}") -> "ay":
        return self.read(options)

    @method()
    def WriteValue(self, value: "ay", options: "a{sv}"):
        self.write(value, options)

    @method()
    def StartNotify(self):
        self.report("subscribed")

    @method()
    def StopNotify(self):
        self.report("unsubscribed")

    @method()
    def Confirm(self):
        self.report("confirmed")


class Descriptor(Attribute):
    def __init__(self, line, characteristic, description):
        super().__init__("org.bluez.GattDescriptor1", line, description)
        self.characteristic = characteristic

    @dbus_property(access=READ)
    def UUID(self) -> "s":
        return self.uuid

    @dbus_property(access=READ)
    def Characteristic(self) -> "o":
        return self.characteristic

    @dbus_property(access=READ)
    def Flags(self) -> "as":
        return self.flags

    @method()
    def ReadValue(self, options: "a{sv}") -> "ay":
        return self.read(options)

    @method()
    def WriteValue(self, value: "ay", options: "a{sv}"):
        self.write(value, options)


@command
async def serve(peer, services, name):
    """Registers services: {uuid, primary?, includes?, characteristics: [{uuid, flags, value?,
    descriptors?: [...]}]}. Each application name is a registration of its own."""
    root = f"{PATH}/{name}"
    export = peer.bus.connection.export
    for place, service in enumerate(services):
        path = f"{root}/service{place}"
        includes = [f"{root}/service{other}" for other in service.get("includes", [])]
        export(path, Service(service["uuid"], service.get("primary", True), includes))
        for number, description in enumerate(service.get("characteristics", [])):
            _export(peer, f"{path}/characteristic{number}", path, description)
    await peer.bus.invoke(ADAPTER, MANAGER, "RegisterApplication", "oa{sv}", root, {})
    return {}


def _export(peer, path, service, description):
    characteristic = Characteristic(peer.line, service, description)
    peer.characteristics[characteristic.uuid] = characteristic
    peer.bus.connection.export(path, characteristic)
    for number, detail in enumerate(description.get("descriptors", [])):
        descriptor = Descriptor(peer.line, path, detail)
        peer.characteristics[descriptor.uuid] = descriptor
        peer.bus.connection.export(f"{path}/descriptor{number}", descriptor)


@command
async def stop_serving(peer, name):
    """Removes an application's services."""
    root = f"{PATH}/{name}"
    await peer.bus.invoke(ADAPTER, MANAGER, "UnregisterApplication", "o", root)
    exports = peer.bus.connection
    for path in [path for path in _paths(exports) if path.startswith(root)]:
        exports.unexport(path)
    return {}


def _paths(connection):
    return list(connection._path_exports)


@command
async def value(peer, uuid):
    """The current value of an attribute."""
    return {"value": _find(peer, uuid).value.hex()}


@command
async def refuse(peer, uuid, refusal):
    """Makes an attribute refuse requests with a D-Bus error."""
    _find(peer, uuid).refusal = refusal
    return {}


@command
async def notify(peer, uuid, values):
    """Sends values to subscribers, one after the other, as notifications or indications."""
    characteristic = _find(peer, uuid)
    for text in values:
        characteristic.value = bytes.fromhex(text)
        characteristic.emit_properties_changed({"Value": characteristic.value})
    return {}


def _find(peer, uuid):
    if attribute := peer.characteristics.get(uuid):
        return attribute
    raise Refusal("Unknown", f"no served attribute has the UUID {uuid}")
