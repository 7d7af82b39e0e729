# SPDX-License-Identifier: Apache-2.0
"""The profiles of an accessory, each with a database. A profile is a class:

- `mtu`: the receive MTU of its ATT server;
- `services()`: its services, besides Generic Access and Generic Attribute;
- `connected(device, connection)`: called on each new link; optional behavior.
"""

from profiles.demo import Demo
from profiles.large import Large
from profiles.meter import Meter
from profiles.stream import Stream
from profiles.walker import Walker

PROFILES = {"demo": Demo, "large": Large, "meter": Meter, "stream": Stream, "walker": Walker}
