# SPDX-License-Identifier: Apache-2.0
"""BlueZ as a Central and client: finds devices, connects, and uses their attributes."""

from dbus_fast import Variant

from bus import ADAPTER, plain
from commands import command
from line import Refusal

DEVICE = "org.bluez.Device1"
CHARACTERISTIC = "org.bluez.GattCharacteristic1"
DESCRIPTOR = "org.bluez.GattDescriptor1"


@command
async def scan(peer):
    """Starts a discovery. Its results are the events `device` and `changed`."""
    described = {"Transport": Variant("s", "le"), "DuplicateData": Variant("b", False)}
    adapter = "org.bluez.Adapter1"
    await peer.bus.invoke(ADAPTER, adapter, "SetDiscoveryFilter", "a{sv}", described)
    await peer.bus.invoke(ADAPTER, adapter, "StartDiscovery")
    await peer.radio.scan_anew()
    return {}


@command
async def stop_scan(peer):
    await peer.bus.invoke(ADAPTER, "org.bluez.Adapter1", "StopDiscovery")
    return {}


@command
async def devices(peer):
    """All devices that BlueZ knows, by path."""
    found = await peer.bus.objects()
    return {path: object[DEVICE] for path, object in found.items() if DEVICE in object}


@command
async def device(peer, path):
    """The properties of one device."""
    return await peer.bus.get(path, DEVICE)


@command
async def connect(peer, path):
    await peer.bus.invoke(path, DEVICE, "Connect")
    return {}


@command
async def disconnect(peer, path):
    await peer.bus.invoke(path, DEVICE, "Disconnect")
    return {}


@command
async def tree(peer, path):
    """The D-Bus objects of a device's attributes, by path."""
    found = await peer.bus.objects()
    return {
        place: {name: values for name, values in object.items() if ".Gatt" in name}
        for place, object in found.items()
        if place.startswith(path + "/")
    }


@command
async def read(peer, path, uuid, offset, of=None):
    """Reads a characteristic's value, or, with `of`, that of its descriptor `uuid`."""
    place, interface = await _find(peer, path, uuid, of)
    options = {"offset": Variant("q", offset)} if offset else {}
    data = await peer.bus.invoke(place, interface, "ReadValue", "a{sv}", options)
    return {"value": plain(data)}


@command
async def write_value(peer, path, uuid, value, type=None):
    """Writes a characteristic's value with the type `request`, `command` or `reliable`, or, without
    one, with the type that BlueZ chooses."""
    place, interface = await _find(peer, path, uuid)
    options = {"type": Variant("s", type)} if type else {}
    data = bytes.fromhex(value)
    await peer.bus.invoke(place, interface, "WriteValue", "aya{sv}", data, options)
    return {}


@command
async def subscribe(peer, path, uuid):
    """Subscribes. Values arrive as events `changed` of the characteristic."""
    place, interface = await _find(peer, path, uuid)
    await peer.bus.invoke(place, interface, "StartNotify")
    return {"path": place}


@command
async def unsubscribe(peer, path, uuid):
    place, interface = await _find(peer, path, uuid)
    await peer.bus.invoke(place, interface, "StopNotify")
    return {}


async def _find(peer, path, uuid, of=None):
    """The path and the interface of a device's characteristic, or of a characteristic's descriptor."""
    found = await peer.bus.objects()
    interface = CHARACTERISTIC
    if of is not None:
        path, _ = await _find(peer, path, of)
        interface = DESCRIPTOR
    for place, object in sorted(found.items()):
        if place.startswith(path + "/") and object.get(interface, {}).get("UUID") == uuid:
            return place, interface
    raise Refusal("Unknown", f"{path} has no attribute with the UUID {uuid}")
