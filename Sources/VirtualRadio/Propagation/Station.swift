// SPDX-License-Identifier: Apache-2.0

/// The physical properties of a radio: its position, transmit power and sensitivity.
package struct Station: Hashable, Sendable {
    /// The position over time.
    package var path: Path
    /// The transmit power, in dBm.
    package var transmitPower: Double
    /// The sensitivity of the receiver.
    package var reception: Reception
    /// The group of the radio in a partitioned world.
    package var group: Int
    /// Whether the radio has power. A radio that is off neither sends nor receives.
    package var isOn: Bool

    /// Creates a station on the path; by default it is switched on and in group 0.
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
