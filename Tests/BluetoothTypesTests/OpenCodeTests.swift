// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluetoothTypes

@Suite("An open code") struct OpenCodeTests {
    struct Colour: OpenCode {
        let rawValue: UInt16
        static let names: [UInt16: String] = [1: "red"]
    }

    struct Switch: OpenCode {
        let rawValue: UInt8
        static let names: [UInt8: String] = [:]
    }

    @Test("prints its name, or as many digits as it is wide") func description() {
        #expect("\(Colour(rawValue: 1))" == "red")
        #expect("\(Colour(rawValue: 0xAB))" == "0x00AB")
        #expect("\(Switch(rawValue: 0xAB))" == "0xAB")
        #expect("\(Switch(rawValue: 0))" == "0x00")
    }

    @Test("keeps values that have no name, and tells them apart") func unknown() {
        #expect(Colour(rawValue: 2) != Colour(rawValue: 3))
        #expect(Set([Colour(rawValue: 2), Colour(rawValue: 2)]).count == 1)
    }

    @Test("for PHYs names the three there are") func phys() {
        #expect("\(PHY.le1M) \(PHY.le2M) \(PHY.leCoded)" == "LE 1M LE 2M LE Coded")
        #expect("\(PHY(rawValue: 9))" == "0x09")
    }
}
