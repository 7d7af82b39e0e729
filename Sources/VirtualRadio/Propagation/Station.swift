// SPDX-License-Identifier: Apache-2.0

/// A radio as the surroundings know it: where it is, how loud it is and how well it hears.
package struct Station: Hashable, Sendable {
    /// Where it is, and when.
    package var path: Path
    /// The power with which it sends, in dBm.
    package var transmitPower: Double
    /// How well it hears.
    package var reception: Reception
    /// The group that it belongs to, when the world is partitioned.
    package var group: Int
    /// Whether it has power. A radio that is off neither sends nor hears.
    package var isOn: Bool

    /// A radio on the path; switched on, and in group 0, if nothing else is said.
    package init(
        _ path: Path,
        transmitPower: Double = 0,
        reception: Reception = Reception(),
        group: Int = 0,
        isOn: Bool = true
    ) {
        self.path = path
        self.transmitPower = transmitPower
        self.reception = reception
        self.group = group
        self.isOn = isOn
    }
}
