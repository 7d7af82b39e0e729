# SPDX-License-Identifier: Apache-2.0
"""BlueZ as an advertiser.

An advertisement has only the properties that the test gives: BlueZ would advertise an empty value
as well. It is therefore not an object of the D-Bus library, which has all properties or none.
"""

from dbus_fast import Message, MessageType, Variant

from bus import ADAPTER, PROPERTIES
from commands import command

MANAGER = "org.bluez.LEAdvertisingManager1"

# The properties that a command can give an advertisement: the name in the command, BlueZ's name,
# and the D-Bus type.
KNOWN = {
    "type": ("Type", "s"),
    "name": ("LocalName", "s"),
    "uuids": ("ServiceUUIDs", "as"),
    "interval": ("MinInterval", "u"),
    "secondary": ("SecondaryChannel", "s"),
}

# The same for properties that map keys to bytes. The last element is the function that converts a
# key from its text in the command.
KEYED = {
    "manufacturer": ("ManufacturerData", "a{qv}", int),
    "service_data": ("ServiceData", "a{sv}", str),
}


def _properties(details):
    properties = {"Type": Variant("s", "peripheral")}
    for key, value in details.items():
        if key in KNOWN:
            name, signature = KNOWN[key]
            properties[name] = Variant(signature, value)
        else:
            name, signature, make_key = KEYED[key]
            data = {make_key(k): Variant("ay", bytes.fromhex(v)) for k, v in value.items()}
            properties[name] = Variant(signature, data)
    if "interval" in details:
        properties["MaxInterval"] = Variant("u", details["interval"])
    return properties


def _answerer(peer, path, properties):
    """Returns a handler that answers BlueZ's requests for the advertisement at this path."""

    def handle(message):
        if message.path != path or message.message_type is not MessageType.METHOD_CALL:
            return None
        if (message.interface, message.member) == (PROPERTIES, "GetAll"):
            return Message.new_method_return(message, "a{sv}", [properties])
        if message.member == "Release":
            return Message.new_method_return(message)
        return None

    return handle


# The number of an advertisement if the command gives none.
FIRST = 1


@command
async def advertise(peer, number=FIRST, **details):
    """Starts an advertisement; `number` distinguishes several."""
    path = f"/peer/advertisement{number}"
    handler = _answerer(peer, path, _properties(details))
    peer.advertisements[number] = handler
    peer.bus.connection.add_message_handler(handler)
    await peer.bus.invoke(ADAPTER, MANAGER, "RegisterAdvertisement", "oa{sv}", path, {})
    return {}


@command
async def stop_advertising(peer):
    """Stops the advertisement without a given number."""
    path = f"/peer/advertisement{FIRST}"
    peer.bus.connection.remove_message_handler(peer.advertisements.pop(FIRST))
    await peer.bus.invoke(ADAPTER, MANAGER, "UnregisterAdvertisement", "o", path)
    return {}
