// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothSMP

@Suite("Pairing features")
struct PairingFeaturesTests {
    private func features(_ bytes: [UInt8]) throws -> SMP.PairingFeatures {
        guard case .pairingRequest(let features) = try SMP.PDU(parsing: ([0x01] + bytes)[...])
        else { throw MalformedBytes.invalid(field: "code") }
        return features
    }

    @Test("Every byte survives a round trip, including reserved values", arguments: 0..<6)
    func everyByte(place: Int) throws {
        for value in 0...255 as ClosedRange<UInt8> {
            var bytes: [UInt8] = [0x03, 0x00, 0x01, 0x10, 0x01, 0x01]
            bytes[place] = value
            #expect(try features(bytes).bytes == bytes)
        }
    }

    @Test("An IO capability is one of five", arguments: 0...255 as ClosedRange<UInt8>)
    func capability(byte: UInt8) throws {
        let capability = try features([byte, 0x00, 0x01, 0x10, 0, 0]).ioCapability
        #expect(capability?.rawValue == (byte < 5 ? byte : nil))
    }

    @Test(
        "Out-of-band data is present or not",
        arguments: [(0, false), (1, true), (2, nil), (255, nil)]
    )
    func outOfBand(byte: UInt8, expected: Bool?) throws {
        #expect(try features([0x03, byte, 0x01, 0x10, 0, 0]).hasOutOfBandData == expected)
    }

    @Test("Bonding is a field of two bits, and only the value 1 means bonding")
    func bonding() {
        for byte in 0...255 as ClosedRange<UInt8> {
            let requirements = SMP.AuthenticationRequirements(rawValue: byte)
            #expect(requirements.isBonding == (byte % 4 == 1))
            #expect(requirements.contains(.protection) == (byte & 0x04 != 0))
            #expect(requirements.contains(.secureConnections) == (byte & 0x08 != 0))
            #expect(requirements.contains(.keypress) == (byte & 0x10 != 0))
        }
    }

    @Test(
        "Features are encoded in six bytes",
        arguments: Pairing.IOCapability.allCases
    )
    func make(capability: Pairing.IOCapability) {
        let features = SMP.PairingFeatures(
            ioCapability: capability,
            requirements: [.bonding, .secureConnections],
            maximumKeySize: 7,
            initiatorKeys: .identityKey,
            responderKeys: [.identityKey, .signingKey]
        )
        #expect(features.bytes == [capability.rawValue, 0x00, 0x09, 0x07, 0x02, 0x06])
        #expect(features.ioCapability == capability)
        #expect(features.hasOutOfBandData == false)
    }

    @Test("A key size beyond the range of a byte does not trap")
    func clamps() {
        let features = SMP.PairingFeatures(
            ioCapability: .displayOnly,
            requirements: [],
            maximumKeySize: 1_000
        )
        #expect(features.maximumKeySize == 255)
    }
}
