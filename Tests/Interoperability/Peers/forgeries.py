# SPDX-License-Identifier: Apache-2.0
"""The values that an attacker sends in place of the correct ones.

A forgery is a function of the correct PDU and of the `ForgedPairing`, which has the earlier PDUs of
the pairing. It returns the PDU to send, or None to send none.
"""

from bumble import smp

# The field and the curve of P-256 (FIPS 186-4, D.1.2.3).
PRIME = 2**256 - 2**224 + 2**192 + 2**96 - 1
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B

PUBLIC_KEY = b"\x0c"


def root(x):
    """Returns the ordinate of a point with this abscissa, or None if there is none."""
    square = (x**3 - 3 * x + B) % PRIME
    y = pow(square, (PRIME + 1) // 4, PRIME)
    return y if y * y % PRIME == square else None


def key(x, y):
    return PUBLIC_KEY + x.to_bytes(32, "little") + y.to_bytes(32, "little")


def point(pdu):
    return int.from_bytes(pdu[1:33], "little"), int.from_bytes(pdu[33:65], "little")


def first(is_such):
    """Returns the smallest abscissa for which `is_such` returns true."""
    x = 1
    while not is_such(x):
        x += 1
    return x


# Public keys


def reflected(pdu, pairing):
    """Returns the peer's own key."""
    return pairing.received_last(PUBLIC_KEY)


def negated(pdu, pairing):
    """Returns the negated key of the peer: the same abscissa with the opposite ordinate."""
    x, y = point(pairing.received_last(PUBLIC_KEY))
    return key(x, PRIME - y)


def off_curve(pdu, pairing):
    x, y = point(pdu)
    return key(x, y ^ 1)


def on_twist(pdu, pairing):
    """Returns a point on the twist of the curve: no point of the curve has its abscissa."""
    return key(first(lambda x: root(x) is None), 5)


def zero_key(pdu, pairing):
    return key(0, 0)


def zero_abscissa(pdu, pairing):
    return key(0, 1)


def large_abscissa(pdu, pairing):
    """Returns a point that is on the curve only if its abscissa is reduced modulo the prime."""
    x = first(root)
    return key(x + PRIME, root(x))


def large_ordinate(pdu, pairing):
    x, _ = point(pdu)
    return key(x, 2**256 - 1)


def printed_key(pdu, pairing):
    """Returns the public key of the specification's debug key (Vol 3, Part H, 2.3.5.6.1)."""
    pairing.take_printed_key()
    return pairing.public_key()


def earlier_key(pdu, pairing):
    """Returns the key that the peer used in the last pairing."""
    return pairing.earlier_key or pdu


# Values


def echoed(pdu, pairing):
    """Returns the PDU that the peer has sent in the same step."""
    return pairing.received_last(pdu[:1]) or pdu


def zero(pdu, pairing):
    return pdu[:1] + bytes(len(pdu) - 1)


def wrong(pdu, pairing):
    return pdu[:-1] + bytes([pdu[-1] ^ 1])


def none(pdu, pairing):
    return None


def short(pdu, pairing):
    return pdu[:-1]


def long(pdu, pairing):
    return pdu + b"\0"


FORGERIES = {
    "reflected": reflected,
    "negated": negated,
    "offCurve": off_curve,
    "onTwist": on_twist,
    "zeroKey": zero_key,
    "zeroAbscissa": zero_abscissa,
    "largeAbscissa": large_abscissa,
    "largeOrdinate": large_ordinate,
    "printedKey": printed_key,
    "earlierKey": earlier_key,
    "echoed": echoed,
    "zero": zero,
    "wrong": wrong,
    "none": none,
    "short": short,
    "long": long,
}

PRINTED_KEY = smp.SMP_DEBUG_KEY_PRIVATE
