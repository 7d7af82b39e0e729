// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothSMP

/// The sample data of Vol 3, Part H, Appendix D, as printed: most significant byte first.
@Suite("Functions of LE Secure Connections")
struct SecureConnectionsFunctionTests {
    let u = "20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6"
    let v = "55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd"
    let secret = "ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698"
    let n1 = "d5cb8454d177733effffb2ec712baeab"
    let n2 = "a6e8e7cc25a75f6e216583f7ff3dc4cf"
    let a1 = DeviceAddress(value: 0x5612_3737_BFCE, kind: .public)
    let a2 = DeviceAddress(value: 0xA713_702D_CFC1, kind: .public)
    let checkKey = "2965f176a1084a02fd3f6a20ce636e20"

    @Test("f4 matches the sample data (D.2)")
    func f4() throws {
        let made = SMP.Toolbox.f4(try coordinate(u), try coordinate(v), try value(n1), 0x00)
        #expect(try made == value("f2c916f107a9bd1cf1eda1bea974872d"))
    }

    @Test("f4 depends on the bit of the passkey")
    func f4Bits() throws {
        let made = try [0x00, 0x80, 0x81].map {
            SMP.Toolbox.f4(try coordinate(u), try coordinate(v), try value(n1), $0)
        }
        #expect(Set(made).count == 3)
    }

    @Test("f5 matches the sample data (D.3)")
    func f5() throws {
        let secret = try #require(HCI.SharedSecret256(secret.bytes.reversed()))
        let made = SMP.Toolbox.f5(secret, try value(n1), try value(n2), a1, a2)
        #expect(try made.checkKey == key(checkKey))
        #expect(try made.longTermKey == key("6986791169d7cd23980522b594750a38"))
    }

    @Test("f5 includes the types of the addresses")
    func f5AddressTypes() throws {
        let secret = try #require(HCI.SharedSecret256(secret.bytes.reversed()))
        let random = DeviceAddress(value: a1.value, kind: .random)
        let made = SMP.Toolbox.f5(secret, try value(n1), try value(n2), random, a2)
        #expect(try made.longTermKey != key("6986791169d7cd23980522b594750a38"))
    }

    @Test("f6 matches the sample data (D.4)")
    func f6() throws {
        // IOcap is printed as 010102: AuthReq, out-of-band flag, IO capability.
        let features = SMP.PairingFeatures(
            ioCapability: .keyboardOnly,
            hasOutOfBandData: true,
            requirements: .bonding
        )
        let made = SMP.Toolbox.f6(
            try key(checkKey),
            try value(n1),
            try value(n2),
            try value("12a3343bb453bb5408da42d20c2d0fc8"),
            features,
            a1,
            a2
        )
        #expect(try made == value("e3c473989cd0e8c5d26c0b09da958f61"))
    }

    @Test("g2 matches the sample data (D.5)")
    func g2() throws {
        let made = SMP.Toolbox.g2(
            try coordinate(u),
            try coordinate(v),
            try value(n1),
            try value(n2)
        )
        #expect(made == 0x2F9E_D5BA)
        #expect(SMP.Toolbox.digits(of: made) == 0x2F9E_D5BA % 1_000_000)
    }

    @Test(
        "A displayed number has at most six digits",
        arguments: [(0, 0), (999_999, 999_999), (1_000_000, 0), (.max, 967_295)]
    )
    func digits(number: UInt32, expected: UInt32) {
        #expect(SMP.Toolbox.digits(of: number) == expected)
    }
}

/// Returns a value that is written most significant byte first.
func value(_ text: String) throws -> SMP.Value128 {
    try #require(SMP.Value128(text.bytes.reversed()))
}

/// Returns a key that is written most significant byte first.
func key(_ text: String) throws -> HCI.Key128 {
    try #require(HCI.Key128(text.bytes.reversed()))
}

/// Returns a coordinate that is written most significant byte first.
func coordinate(_ text: String) throws -> HCI.Coordinate256 {
    try #require(HCI.Coordinate256(text.bytes.reversed()))
}
