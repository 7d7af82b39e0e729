// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The version of the specification that a controller implements (Assigned Numbers, 2.1).
    package struct Version: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let core4_0 = Version(rawValue: 0x06)
        package static let core4_1 = Version(rawValue: 0x07)
        package static let core4_2 = Version(rawValue: 0x08)
        package static let core5_0 = Version(rawValue: 0x09)
        package static let core5_1 = Version(rawValue: 0x0A)
        package static let core5_2 = Version(rawValue: 0x0B)
        package static let core5_3 = Version(rawValue: 0x0C)
        package static let core5_4 = Version(rawValue: 0x0D)
        package static let core6_0 = Version(rawValue: 0x0E)
        package static let core6_1 = Version(rawValue: 0x0F)

        package static let names: [UInt8: String] = [
            0x06: "4.0",
            0x07: "4.1",
            0x08: "4.2",
            0x09: "5.0",
            0x0A: "5.1",
            0x0B: "5.2",
            0x0C: "5.3",
            0x0D: "5.4",
            0x0E: "6.0",
            0x0F: "6.1",
        ]
    }
}
