# SPDX-License-Identifier: Apache-2.0
"""A client's commands on its link: Bumble's own procedures, and single requests."""

import asyncio

from bumble import att
from bumble.core import UUID
from bumble.gatt_client import Client

import exploration

RESPONSE_LIMIT = 5  # seconds that a raw request may wait for its answer


class Procedures:
    def __init__(self, connection, received):
        self.connection = connection
        self.client = connection.gatt_client
        self.received = received
        self.found = None  # the characteristics, once a command needed one

    async def request(self, pdu):
        """Sends a request. Returns its response, or raises the error of the server."""
        response = await self.client.send_request(pdu)
        if response.op_code == att.Opcode.ATT_ERROR_RESPONSE:
            raise att.ATT_Error(error_code=response.error_code, message=response)
        return response

    async def probe(self):
        """Requests an attribute that no server has: any answer shows that the peer is there."""
        try:
            await self.request(
                att.ATT_Find_Information_Request(starting_handle=0xFFFF, ending_handle=0xFFFF)
            )
        except att.ATT_Error:
            pass

    async def enhance(self):
        """Opens an Enhanced ATT bearer (Vol 3, Part G, 5.3), and uses it from now on."""
        self.client = await Client.connect_eatt(self.connection)
        self.found = None

    async def exchange_mtu(self, mtu):
        return await self.client.request_mtu(mtu)

    async def dump(self, reads=True):
        """Returns the result of discovery in the format of `lanyard explore --json`."""
        return await exploration.describe(self, reads)

    async def handles(self, uuid):
        """Returns the handles of the values with this UUID, in order."""
        return [c.handle for c in await self.characteristics() if c.uuid == UUID(uuid)]

    # Reading

    async def read(self, handle):
        """Sends one Read Request, even if the value is longer than its response."""
        return (await self.client.read_value(handle, no_long_read=True)).hex()

    async def read_long(self, handle):
        return (await self.client.read_value(handle)).hex()

    async def read_blob(self, handle, offset):
        request = att.ATT_Read_Blob_Request(attribute_handle=handle, value_offset=offset)
        return (await self.request(request)).part_attribute_value.hex()

    async def read_multiple(self, handles):
        request = att.ATT_Read_Multiple_Request(set_of_handles=handles)
        return (await self.request(request)).set_of_values.hex()

    async def read_multiple_variable(self, handles):
        request = att.ATT_Read_Multiple_Variable_Request(set_of_handles=handles)
        response = await self.request(request)
        return [{"length": n, "value": v.hex()} for n, v in response.length_value_tuple_list]

    async def read_by_type(self, uuid, first=1, last=0xFFFF):
        """Sends one Read By Type Request. Returns the attributes in the response."""
        request = att.ATT_Read_By_Type_Request(
            starting_handle=first, ending_handle=last, attribute_type=UUID(uuid)
        )
        response = await self.request(request)
        return [{"handle": handle, "value": value.hex()} for handle, value in response.attributes]

    async def find_by_type_value(self, uuid, value, first=1, last=0xFFFF):
        request = att.ATT_Find_By_Type_Value_Request(
            starting_handle=first,
            ending_handle=last,
            attribute_type=UUID(uuid),
            attribute_value=bytes.fromhex(value),
        )
        response = await self.request(request)
        return [{"handle": first, "last": last} for first, last in response.handles_information]

    # Writing

    async def write(self, handle, value):
        """Sends a Write Request, or several if the value does not fit into one."""
        await self.client.write_value(handle, bytes.fromhex(value), with_response=True)

    async def write_command(self, handle, value):
        await self.client.write_value(handle, bytes.fromhex(value), with_response=False)

    async def write_long(self, handle, value):
        await self.client.write_long_value(handle, bytes.fromhex(value))

    async def prepare(self, handle, offset, value):
        """Sends one Prepare Write Request. Returns the echo in the server's response."""
        request = att.ATT_Prepare_Write_Request(
            attribute_handle=handle, value_offset=offset, part_attribute_value=bytes.fromhex(value)
        )
        echo = await self.request(request)
        return {
            "handle": echo.attribute_handle,
            "offset": echo.value_offset,
            "value": echo.part_attribute_value.hex(),
        }

    async def execute(self, writes=True):
        await self.request(att.ATT_Execute_Write_Request(flags=1 if writes else 0))

    # Notifications and indications

    async def subscribe(self, handle, indicates=False):
        characteristic = await self.characteristic(handle)
        await characteristic.subscribe(prefer_notify=not indicates)

    async def unsubscribe(self, handle):
        characteristic = await self.characteristic(handle)
        await characteristic.unsubscribe(force=True)

    async def values(self, count, handle=None):
        """Waits until this many values have arrived."""
        return await self.received.collect(handle, count)

    async def waiting(self):
        """Returns the number of received values that no command has consumed yet."""
        return len(self.received.values)

    async def confirm(self, yes):
        """Sets whether indications are confirmed from now on."""
        self.received.confirms = yes

    # PDUs of any kind

    async def exchange(self, pdu):
        """Sends a PDU, valid or not, and waits for any answer."""
        self.received.answers = asyncio.Queue()
        try:
            await self.send(pdu)
            return (await asyncio.wait_for(self.received.answers.get(), RESPONSE_LIMIT)).hex()
        finally:
            self.received.answers = None

    async def send(self, pdu):
        """Sends a PDU, and does not wait."""
        self.connection.send_l2cap_pdu(att.ATT_CID, bytes.fromhex(pdu))

    # Discovery

    async def characteristics(self):
        if self.found is None:
            self.client.services = []
            await self.client.discover_services()
            self.found = await self.client.discover_characteristics((), None)
        return self.found

    async def characteristic(self, handle):
        for characteristic in await self.characteristics():
            if characteristic.handle == handle:
                if not characteristic.descriptors:
                    await characteristic.discover_descriptors()
                return characteristic
        raise LookupError(f"no characteristic has its value at {handle}")

    async def forget(self):
        """Forgets the result of discovery."""
        self.found = None
