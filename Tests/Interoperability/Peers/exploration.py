# SPDX-License-Identifier: Apache-2.0
"""Discovers a server's whole database, and describes it.

Uses Bumble's own procedures where possible. Bumble does not discover secondary services, and
fails with included services that have 128-bit UUIDs, because their declarations contain no UUID
(Vol 3, Part G, 3.2).
"""

import struct

from bumble import att
from bumble.core import UUID

from database import ERRORS, PROPERTIES, uuid_text

PRIMARY, SECONDARY, INCLUDE, DECLARATION = (UUID(name) for name in ("2800", "2801", "2802", "2803"))


async def describe(procedures, reads):
    """Returns all services in the order of their handles."""
    found = []
    for kind in (PRIMARY, SECONDARY):
        found += [(*group, kind == PRIMARY) for group in await groups(procedures, kind)]
    procedures.client.services = []
    primaries = {service.handle for service in await procedures.client.discover_services()}
    if primaries != {handle for handle, _, _, is_primary in found if is_primary}:
        raise RuntimeError("two procedures discover different services")
    found.sort(key=lambda service: service[0])
    return [await describe_service(procedures, reads, *service) for service in found]


async def groups(procedures, kind):
    """Returns the handle, end and UUID of each service of a kind."""
    found, start = [], 1
    while start <= 0xFFFF:
        request = att.ATT_Read_By_Group_Type_Request(
            starting_handle=start, ending_handle=0xFFFF, attribute_group_type=kind
        )
        entries = await entries_of(procedures, request)
        if not entries:
            break
        found += [(handle, end, UUID.from_bytes(value)) for handle, end, value in entries]
        start = entries[-1][1] + 1
    return found


async def by_type(procedures, kind, start, end):
    """Returns the handle and value of each attribute of a type in a range."""
    found = []
    while start <= end:
        request = att.ATT_Read_By_Type_Request(
            starting_handle=start, ending_handle=end, attribute_type=kind
        )
        entries = await entries_of(procedures, request)
        if not entries:
            break
        found += entries
        start = entries[-1][0] + 1
    return found


async def entries_of(procedures, request):
    """Returns the entries of a response, or none if the server reports that there are no more."""
    try:
        return (await procedures.request(request)).attributes
    except att.ATT_Error as error:
        if error.error_code != att.ATT_ATTRIBUTE_NOT_FOUND_ERROR:
            raise
        return []


async def describe_service(procedures, reads, handle, end, uuid, is_primary):
    return {
        "uuid": uuid_text(uuid),
        "primary": is_primary,
        "handle": handle,
        "endHandle": end,
        "includes": [
            await describe_include(procedures, *entry)
            for entry in await by_type(procedures, INCLUDE, handle, end)
        ],
        "characteristics": await describe_characteristics(procedures, reads, handle, end),
    }


async def describe_include(procedures, handle, value):
    first, last = struct.unpack_from("<HH", value)
    data = value[4:] or await procedures.client.read_value(first)
    return {
        "uuid": uuid_text(UUID.from_bytes(data)),
        "handle": handle,
        "serviceHandle": first,
        "serviceEndHandle": last,
    }


async def describe_characteristics(procedures, reads, handle, end):
    declarations = await by_type(procedures, DECLARATION, handle, end)
    ends = [handle - 1 for handle, _ in declarations[1:]] + [end]
    return [
        await describe_characteristic(procedures, reads, *declaration, last)
        for declaration, last in zip(declarations, ends)
    ]


async def describe_characteristic(procedures, reads, handle, declaration, end):
    properties, value_handle = struct.unpack_from("<BH", declaration)
    description = {
        "uuid": uuid_text(UUID.from_bytes(declaration[3:])),
        "handle": handle,
        "valueHandle": value_handle,
        "properties": [name for bit, name in PROPERTIES.items() if properties & bit],
        "value": None,
    }
    if reads and properties & 0x02:
        description |= await read(procedures, value_handle)
    found = []
    if value_handle < end:
        found = await procedures.client.discover_descriptors(None, value_handle + 1, end)
    description["descriptors"] = [
        {"uuid": uuid_text(descriptor.type), "handle": descriptor.handle}
        | (await read(procedures, descriptor.handle) if reads else {})
        for descriptor in found
    ]
    return description


async def read(procedures, handle):
    """Returns the value in hexadecimal digits, or null and the name of the error."""
    try:
        return {"value": (await procedures.client.read_value(handle)).hex()}
    except att.ATT_Error as error:
        name = ERRORS.get(error.error_code, f"0x{error.error_code:02X}")
        return {"value": None, "error": name}
