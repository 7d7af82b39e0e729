// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluetoothTypes

@Suite("Open codes") struct OpenCodeTests {
    struct Color: OpenCode {
        let rawValue: UInt16
        static let names: [UInt16: String] = [1: "red"]
    }

    struct Switch: OpenCode {
        let rawValue: UInt8
        static let names: [UInt8: String] = [:]
    }

    @Test("A code prints its name, or its value with as many digits as its width has")
    func description() {
        #expect("\(Color(rawValue: 1))" == "red")
        #expect("\(Color(rawValue: 0xAB))" == "0x00AB")
        #expect("\(Switch(rawValue: 0xAB))" == "0xAB")
        #expect("\(Switch(rawValue: 0))" == "0x00")
    }

    @Test("Codes without a name are kept and compared by value") func unknown() {
        #expect(Color(rawValue: 2) != Color(rawValue: 3))
        #expect(Set([Color(rawValue: 2), Color(rawValue: 2)]).count == 1)
    }

    @Test("The three PHYs have names") func phys() {
        #expect("\(PHY.le1M) \(PHY.le2M) \(PHY.leCoded)" == "LE 1M LE 2M LE Coded")
        #expect("\(PHY(rawValue: 9))" == "0x09")
    }
}
