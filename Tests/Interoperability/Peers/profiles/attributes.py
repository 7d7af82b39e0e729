# SPDX-License-Identifier: Apache-2.0
"""Short forms for Bumble's attributes, with which the profiles are written."""

from bumble.att import Attribute
from bumble.gatt import Characteristic, Descriptor, Service

READ = Characteristic.Properties.READ
WRITE = Characteristic.Properties.WRITE
WRITE_WITHOUT_RESPONSE = Characteristic.Properties.WRITE_WITHOUT_RESPONSE
NOTIFY = Characteristic.Properties.NOTIFY
INDICATE = Characteristic.Properties.INDICATE
BROADCAST = Characteristic.Properties.BROADCAST
SIGNED_WRITE = Characteristic.Properties.AUTHENTICATED_SIGNED_WRITES
EXTENDED = Characteristic.Properties.EXTENDED_PROPERTIES

OPEN = Attribute.READABLE | Attribute.WRITEABLE
ENCRYPTED = OPEN | Attribute.READ_REQUIRES_ENCRYPTION | Attribute.WRITE_REQUIRES_ENCRYPTION
AUTHENTICATED = (
    OPEN | Attribute.READ_REQUIRES_AUTHENTICATION | Attribute.WRITE_REQUIRES_AUTHENTICATION
)
AUTHORIZED = OPEN | Attribute.READ_REQUIRES_AUTHORIZATION | Attribute.WRITE_REQUIRES_AUTHORIZATION


def uuid(number):
    """Returns a 128-bit UUID of the test accessories; `number` fills its last 16 bits."""
    return f"4C414E59-4152-4400-A000-00000000{number:04X}"


def service(uuid, *characteristics, primary=True, includes=()):
    return Service(uuid, characteristics, primary=primary, included_services=includes)


def characteristic(uuid, properties, value=b"", *descriptors, permissions=OPEN):
    return Characteristic(uuid, properties, permissions, value, descriptors)


def descriptor(uuid, value, permissions=OPEN):
    return Descriptor(uuid, permissions, value)


def pattern(count, start=0):
    """Returns `count` bytes that count upward, so that a lost or repeated part shows."""
    return bytes((start + index) & 0xFF for index in range(count))
