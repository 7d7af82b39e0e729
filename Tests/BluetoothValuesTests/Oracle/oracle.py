# SPDX-License-Identifier: Apache-2.0
"""Decodes values of characteristics with the package bluetooth-sig from PyPI.

Each line of the file that the argument names has a UUID and the bytes of a value in hexadecimal
digits. For each line, the script prints one JSON object. The object has one of four keys: `leaves`
with the numbers and texts in the decoded value, `special` for a special value, `error` with the
text of an error, or `unknown` if the package does not know the characteristic.
"""

import datetime
import enum
import json
import logging
import signal
import sys

logging.disable(logging.CRITICAL)

from bluetooth_sig.gatt.characteristics.registry import CharacteristicRegistry  # noqa: E402
from bluetooth_sig.gatt.exceptions import SpecialValueDetectedError  # noqa: E402


def leaves(value):
    """Yields the numbers and texts in a value of any type."""
    if value is None:
        return
    if isinstance(value, enum.Enum):
        yield from leaves(value.value)
    elif isinstance(value, bool):
        yield int(value)
    elif isinstance(value, (int, str)):
        yield value
    elif isinstance(value, float):
        yield value if value == value and abs(value) != float("inf") else str(value)
    elif isinstance(value, (bytes, bytearray)):
        yield bytes(value).hex()
    elif isinstance(value, datetime.timedelta):
        yield value.total_seconds()
    elif isinstance(value, (datetime.datetime, datetime.date)):
        yield value.isoformat()
    elif isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from leaves(item)
    elif hasattr(value, "__struct_fields__"):
        for name in value.__struct_fields__:
            yield from leaves(getattr(value, name))
    elif hasattr(value, "__dict__"):
        yield from leaves(vars(value))
    else:
        yield str(value)


# The limit for one value, in seconds of processor time. The package never finishes the decoding of
# some values, such as a glucose record of size 0.
LIMIT = 1


class TooSlow(BaseException):
    pass


def stop(*_):
    raise TooSlow


def answer(characteristic, data):
    if characteristic is None:
        return {"unknown": True}
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        return {"leaves": list(leaves(characteristic.parse_value(data)))}
    except SpecialValueDetectedError:
        return {"special": True}
    except (Exception, TooSlow) as error:
        return {"error": str(error)}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def main():
    signal.signal(signal.SIGPROF, stop)
    known = {}
    for kind in CharacteristicRegistry.get_all_characteristics().values():
        try:
            characteristic = kind()
        except Exception:
            continue
        known[str(characteristic.uuid)[4:8].upper()] = characteristic
    with open(sys.argv[1]) as requests:
        for line in requests:
            uuid, _, digits = line.strip().partition(" ")
            print(json.dumps(answer(known.get(uuid), bytes.fromhex(digits))))


main()
