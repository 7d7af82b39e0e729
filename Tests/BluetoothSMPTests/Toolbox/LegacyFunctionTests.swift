// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothSMP

@Suite("Functions of legacy pairing")
struct LegacyFunctionTests {
    /// Returns c1 of the sample data (Vol 3, Part H, 2.2.3) after a change.
    private func confirm(
        _ change: (inout SMP.PairingFeatures, inout DeviceAddress) -> Void = { _, _ in }
    ) throws -> SMP.Value128 {
        var response = try sampleResponse()
        var initiator = DeviceAddress(value: 0xA1A2_A3A4_A5A6, kind: .random)
        change(&response, &initiator)
        return SMP.Toolbox.c1(
            try key("00000000000000000000000000000000"),
            try value("5783d52156ad6f0e6388274ec6702ee0"),
            request: try sampleRequest(),
            response: response,
            initiator: initiator,
            responder: DeviceAddress(value: 0xB1B2_B3B4_B5B6, kind: .public)
        )
    }

    /// Returns 0x07071000000101, most significant byte first and with the code.
    private func sampleRequest() throws -> SMP.PairingFeatures {
        guard
            case .pairingRequest(let features) = try SMP.PDU(
                parsing: "07071000000101".bytes.reversed()[...]
            )
        else { throw MalformedBytes.invalid(field: "code") }
        return features
    }

    /// Returns 0x05000800000302, most significant byte first and with the code.
    private func sampleResponse() throws -> SMP.PairingFeatures {
        guard
            case .pairingResponse(let features) = try SMP.PDU(
                parsing: "05000800000302".bytes.reversed()[...]
            )
        else { throw MalformedBytes.invalid(field: "code") }
        return features
    }

    @Test("c1 matches the sample data")
    func c1() throws {
        #expect(try confirm() == value("1e1e3fef878988ead2a74dc5bef13b86"))
    }

    @Test("c1 includes the reserved bits of the features")
    func c1ReservedBits() throws {
        let sample = try confirm()
        #expect(try confirm { response, _ in response.outOfBandByte = 0x80 } != sample)
        #expect(
            try confirm { response, _ in
                response.requirements = SMP.AuthenticationRequirements(rawValue: 0xC0)
            } != sample
        )
        #expect(
            try confirm { response, _ in
                response.initiatorKeys = SMP.KeyDistribution(rawValue: 0xF0)
            } != sample
        )
    }

    @Test("c1 includes the types of the addresses")
    func c1AddressTypes() throws {
        let other = try confirm { _, initiator in
            initiator = DeviceAddress(value: initiator.value, kind: .public)
        }
        #expect(try other != confirm())
    }

    @Test("s1 matches the sample data")
    func s1() throws {
        let made = SMP.Toolbox.s1(
            try key("00000000000000000000000000000000"),
            responder: try value("000f0e0d0c0b0a091122334455667788"),
            initiator: try value("010203040506070899aabbccddeeff00")
        )
        #expect(try made == key("9a1fe1f0e8b0f49b5b4216ae796da062"))
    }
}
