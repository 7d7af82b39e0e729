# SPDX-License-Identifier: Apache-2.0
"""The peer's commands, by name."""

_known = {}


def command(function):
    """Makes `function` a command. Its parameters are the members of the command's JSON object."""
    _known[function.__name__] = function
    return function


def find(name):
    """The function that executes a command, or None if there is no such command."""
    return _known.get(name)
