# SPDX-License-Identifier: Apache-2.0
"""Describes a Bumble accessory's own GATT database, as `lanyard explore --json` must print it.

The description is made from Bumble's attribute table and not from received packets. An unpaired
client that reads every attribute has to find the same.
"""

from bumble import att, gatt, hci

PROPERTIES = {
    0x01: "broadcast",
    0x02: "read",
    0x04: "writeWithoutResponse",
    0x08: "write",
    0x10: "notify",
    0x20: "indicate",
    0x40: "authenticatedSignedWrites",
    0x80: "extendedProperties",
}

ERRORS = {
    att.ATT_INSUFFICIENT_AUTHENTICATION_ERROR: "Insufficient Authentication",
    att.ATT_INSUFFICIENT_AUTHORIZATION_ERROR: "Insufficient Authorization",
    att.ATT_INSUFFICIENT_ENCRYPTION_ERROR: "Insufficient Encryption",
}


class UnpairedClient:
    """A client that is neither encrypted, nor authenticated, nor subscribed."""

    encryption = 0
    authenticated = False

    def __init__(self, device):
        self.device = device


async def describe(device, client_mtu=517):
    """Returns the whole database of `device`, for a client whose receive MTU is `client_mtu`."""
    server, client = device.gatt_server, UnpairedClient(device)
    address = device.random_address
    return {
        "address": address.to_string(with_type_qualifier=False),
        "addressType": "public" if address.is_public else "random",
        "name": device.name,
        "mtu": min(client_mtu, server.max_mtu),
        "services": [
            await describe_service(server, attribute, client)
            for attribute in server.attributes
            if isinstance(attribute, gatt.Service)
        ],
    }


async def describe_service(server, service, client):
    members = [
        attribute
        for attribute in server.attributes
        if service.handle < attribute.handle <= service.end_group_handle
    ]
    return {
        "uuid": uuid_text(service.uuid),
        "primary": service.primary,
        "handle": service.handle,
        "endHandle": service.end_group_handle,
        "includes": [
            describe_include(member)
            for member in members
            if isinstance(member, gatt.IncludedServiceDeclaration)
        ],
        "characteristics": [
            await describe_characteristic(member, members, client)
            for member in members
            if isinstance(member, gatt.CharacteristicDeclaration)
        ],
    }


def describe_include(declaration):
    return {
        "uuid": uuid_text(declaration.service.uuid),
        "handle": declaration.handle,
        "serviceHandle": declaration.service.handle,
        "serviceEndHandle": declaration.service.end_group_handle,
    }


async def describe_characteristic(declaration, members, client):
    characteristic = declaration.characteristic
    description = {
        "uuid": uuid_text(characteristic.uuid),
        "handle": declaration.handle,
        "valueHandle": characteristic.handle,
        "properties": [
            name for bit, name in PROPERTIES.items() if characteristic.properties & bit
        ],
        "value": None,
    }
    if characteristic.properties & gatt.Characteristic.Properties.READ:
        description |= await read(characteristic, client)
    description["descriptors"] = [
        {"uuid": uuid_text(member.type), "handle": member.handle} | await read(member, client)
        for member in members
        if characteristic.handle < member.handle <= characteristic.end_group_handle
    ]
    return description


async def read(attribute, client):
    """Returns the value in hexadecimal digits, or null and the name of the error."""
    try:
        return {"value": (await attribute.read_value(client)).hex()}
    except att.ATT_Error as error:
        name = ERRORS.get(error.error_code, f"0x{error.error_code:02X}")
        return {"value": None, "error": name}


def uuid_text(uuid):
    """Returns a UUID in uppercase: 4 digits for a 16-bit one, otherwise 32 with hyphens."""
    return uuid.to_hex_str("-").upper()
