# SPDX-License-Identifier: Apache-2.0
"""An accessory whose database has the structures that discovery has to handle.

20 services in all; 16- and 128-bit UUIDs, mixed within one service; a service without any
characteristic, one with forty; the same UUID twice; a secondary service; included services with
UUIDs of both sizes; values of 0 to 512 bytes, among them one that exactly fills a Read Response;
many descriptors of the specification, protected ones too.
"""

from bumble.att import ATT_Error, ErrorCode
from bumble.gatt import CharacteristicValue

from profiles.attributes import (
    AUTHENTICATED,
    AUTHORIZED,
    BROADCAST,
    ENCRYPTED,
    EXTENDED,
    INDICATE,
    NOTIFY,
    READ,
    SIGNED_WRITE,
    WRITE,
    WRITE_WITHOUT_RESPONSE,
    characteristic,
    descriptor,
    pattern,
    service,
    uuid,
)


class Large:
    # Small enough that 512 bytes need Read Blob Requests.
    mtu = 185

    def __init__(self, arguments):
        pass

    def services(self):
        secondary, included = self.secondary(), self.included()
        return [
            service("180F", characteristic("2A19", READ | NOTIFY, b"\x64")),
            self.device_information(),
            self.environmental_sensing(),
            secondary,
            included,
            service(uuid(0x0300), includes=[secondary]),
            service(
                "1812",
                characteristic("2A4A", READ, bytes.fromhex("11010003")),
                includes=[secondary, included],
            ),
            service("1802"),
            self.lengths(),
            self.all_properties(),
            self.all_descriptors(),
            self.protected(),
            self.protected_descriptors(),
            self.mixed_uuids(),
            self.repeated(),
            self.forty(),
            service("181C", characteristic("2A8A", READ, "Zoë ☂".encode())),
            service(uuid(0x0D00), characteristic(uuid(0x0D01), READ, pattern(512, start=128))),
        ]

    def connected(self, device, connection):
        """Starts no work, because tests only explore this accessory."""

    def secondary(self):
        return service("FFF0", characteristic("FFF1", READ, b"secondary"), primary=False)

    def included(self):
        return service(uuid(0x0200), characteristic(uuid(0x0201), READ | WRITE, pattern(33)))

    def device_information(self):
        texts = {"2A29": "Lanyard", "2A24": "Large", "2A25": "0002", "2A26": "1", "2A27": "2"}
        return service(
            "180A",
            *(characteristic(uuid, READ, text.encode()) for uuid, text in texts.items()),
            characteristic("2A23", READ, bytes.fromhex("0102030405060708")),
        )

    def environmental_sensing(self):
        celsius = bytes.fromhex("0efe2f27010000")
        percent = bytes.fromhex("06fead27010000")
        return service(
            "181A",
            characteristic("2A6E", READ | NOTIFY, b"\x34\x08", descriptor("2904", celsius)),
            characteristic("2A6E", READ | NOTIFY, b"\x10\xf6", descriptor("2904", celsius)),
            characteristic("2A6F", READ, b"\x88\x13", descriptor("2904", percent)),
            characteristic("2A6D", READ | INDICATE, bytes.fromhex("cd760f00")),
        )

    def lengths(self):
        """Returns values with lengths at the limits of the smallest MTU, of `mtu`, and of ATT."""
        edges = [0, 1, 19, 20, 21, 22, 23, 183, 184, 185, 368, 511, 512]
        return service(
            uuid(0x0400),
            *(
                characteristic(uuid(0x0401 + index), READ, pattern(length, start=index))
                for index, length in enumerate(edges)
            ),
        )

    def all_properties(self):
        every = [
            READ, WRITE, WRITE_WITHOUT_RESPONSE, NOTIFY, INDICATE, SIGNED_WRITE,
            READ | BROADCAST, READ | WRITE | WRITE_WITHOUT_RESPONSE | NOTIFY | INDICATE,
        ]
        return service(
            uuid(0x0500),
            *(
                characteristic(uuid(0x0501 + index), properties, pattern(8))
                for index, properties in enumerate(every)
            ),
            characteristic(
                uuid(0x0510), READ | WRITE | EXTENDED, b"reliable", descriptor("2900", b"\x01\x00")
            ),
        )

    def all_descriptors(self):
        values = {
            "2901": "Every kind of descriptor".encode(),
            "2903": b"\x00\x00",
            "2904": bytes.fromhex("04000127010000"),
            "2905": b"\x01\x00\x02\x00",
            "2906": b"\x00\xff",
            "2907": b"\x6e\x2a",
            "2908": b"\x01\x01",
            "2909": b"\x08",
            "290A": b"\x00",
            "290B": b"\x01",
            "290C": pattern(11),
            "290D": b"\x03",
            "290E": b"\x01\x0a\x00\x00",
            uuid(0x06FF): b"custom",
            "2912": b"",
            uuid(0x06FE): pattern(300),
        }
        return service(
            uuid(0x0600),
            characteristic(
                uuid(0x0601),
                READ | NOTIFY | INDICATE,
                b"described",
                *(descriptor(uuid, value) for uuid, value in values.items()),
            ),
        )

    def protected(self):
        def refuse(connection):
            raise ATT_Error(ErrorCode(0x80))

        secret = b"secret"
        return service(
            uuid(0x0700),
            characteristic(uuid(0x0701), READ | WRITE, secret, permissions=ENCRYPTED),
            characteristic(uuid(0x0702), READ | WRITE, secret, permissions=AUTHENTICATED),
            characteristic(uuid(0x0703), READ | WRITE, secret, permissions=AUTHORIZED),
            characteristic(uuid(0x0704), READ, CharacteristicValue(read=refuse)),
            characteristic(uuid(0x0705), READ, b"open to all"),
        )

    def protected_descriptors(self):
        kinds = [ENCRYPTED, AUTHENTICATED, AUTHORIZED]
        return service(
            "FFF8",
            *(
                characteristic(
                    f"FF{index:02X}", READ | NOTIFY, b"open", descriptor("2901", b"closed", kind)
                )
                for index, kind in enumerate(kinds, start=1)
            ),
        )

    def mixed_uuids(self):
        """Returns UUIDs of both sizes: each change of size ends a Read By Type or Find Information
        Response early."""
        uuids = ["FFA1", uuid(0x0801), "FFA2", "FFA3", uuid(0x0802), uuid(0x0803), "FFA4"]
        return service(
            "FFA0",
            *(
                characteristic(
                    name, READ, pattern(5), descriptor(uuid(0x0810), b"a"), descriptor("2901", b"b")
                )
                for name in uuids
            ),
        )

    def repeated(self):
        same = uuid(0x0901)
        return service(uuid(0x0900), *(characteristic(same, READ, pattern(n)) for n in range(4)))

    def forty(self):
        return service(
            uuid(0x0A00),
            *(characteristic(uuid(0x0A01 + n), READ, bytes([n])) for n in range(40)),
        )
