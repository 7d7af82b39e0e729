// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothSMP

@Suite("Pairing features")
struct PairingFeaturesTests {
    private func features(_ octets: [UInt8]) throws -> SMP.PairingFeatures {
        guard case .pairingRequest(let features) = try SMP.PDU(parsing: ([0x01] + octets)[...])
        else { throw MalformedBytes.invalid(field: "code") }
        return features
    }

    @Test("Every byte survives a round trip, including reserved values", arguments: 0..<6)
    func everyOctet(place: Int) throws {
        for value in 0...255 as ClosedRange<UInt8> {
            var octets: [UInt8] = [0x03, 0x00, 0x01, 0x10, 0x01, 0x01]
            octets[place] = value
            #expect(try features(octets).bytes == octets)
        }
    }

    @Test("An IO capability is one of five", arguments: 0...255 as ClosedRange<UInt8>)
    func capability(octet: UInt8) throws {
        let capability = try features([octet, 0x00, 0x01, 0x10, 0, 0]).ioCapability
        #expect(capability?.rawValue == (octet < 5 ? octet : nil))
    }

    @Test(
        "Out-of-band data is present or not",
        arguments: [(0, false), (1, true), (2, nil), (255, nil)]
    )
    func outOfBand(octet: UInt8, expected: Bool?) throws {
        #expect(try features([0x03, octet, 0x01, 0x10, 0, 0]).hasOutOfBandData == expected)
    }

    @Test("Bonding is a field of two bits, of which only 1 means bonding")
    func bonding() {
        for octet in 0...255 as ClosedRange<UInt8> {
            let requirements = SMP.AuthenticationRequirements(rawValue: octet)
            #expect(requirements.isBonding == (octet % 4 == 1))
            #expect(requirements.contains(.protection) == (octet & 0x04 != 0))
            #expect(requirements.contains(.secureConnections) == (octet & 0x08 != 0))
            #expect(requirements.contains(.keypress) == (octet & 0x10 != 0))
        }
    }

    @Test(
        "Features encode to the bytes of their names",
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
