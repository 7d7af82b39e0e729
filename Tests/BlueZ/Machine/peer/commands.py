# SPDX-License-Identifier: Apache-2.0
"""The orders that the peer knows, by name."""

_known = {}


def command(function):
    """Makes `function` an order; its arguments are the members of the order."""
    _known[function.__name__] = function
    return function


def find(name):
    """The function that carries out an order; None if there is no such."""
    return _known.get(name)
