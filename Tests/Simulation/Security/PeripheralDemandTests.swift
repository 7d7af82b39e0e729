// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothSMP
import BluetoothTypes
import Testing

@testable import BluetoothHost

/// A peripheral whose request the central's server refuses. The peripheral asks the central to pair
/// and repeats the request (Vol 3, Part C, 10.3.2).
@Suite("Requests of a peripheral that are refused for insufficient security")
struct PeripheralDemandTests {
    typealias Side = HostPairingHarness.Side

    /// A way to pair, and the security of the link after it.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let strap: Pairing.IOCapability
        let phone: Pairing.IOCapability
        let method: Pairing.Method
        let requirement: SecurityRequirement
        /// Whether both hosts refuse legacy pairing.
        let isSecureOnly: Bool
        var testDescription: String { "\(name), \(method)" }
    }

    private static let cases: [Case] = [
        .init(
            name: "GAP/SEC/AUT/BV-18-C",
            strap: .displayYesNo,
            phone: .displayYesNo,
            method: .numericComparison,
            requirement: .authenticated,
            isSecureOnly: false
        ),
        .init(
            name: "GAP/SEC/SEM/BV-21-C",
            strap: .keyboardDisplay,
            phone: .displayYesNo,
            method: .numericComparison,
            requirement: .authenticated,
            isSecureOnly: true
        ),
        .init(
            name: "GAP/SEC/SEM/BV-21-C",
            strap: .keyboardOnly,
            phone: .displayOnly,
            method: .passkeyEntry,
            requirement: .authenticated,
            isSecureOnly: true
        ),
        .init(
            name: "GAP/SEC/SEM/BV-37-C",
            strap: .noInputNoOutput,
            phone: .displayYesNo,
            method: .justWorks,
            requirement: .encrypted,
            isSecureOnly: true
        ),
        .init(
            name: "GAP/SEC/SEM/BV-38-C",
            strap: .displayOnly,
            phone: .keyboardOnly,
            method: .passkeyEntry,
            requirement: .authenticated,
            isSecureOnly: true
        ),
    ]

    @Test("A refused read is repeated after the central has paired", arguments: cases)
    func reading(_ one: Case) async throws {
        let harness = try HostPairingHarness()
        let adjust: @Sendable (inout HostConfiguration) -> Void = { configuration in
            configuration.pairing.allowsLegacyPairing = !one.isSecureOnly
            configuration.pairing.requiresAuthentication = one.method.isAuthenticated
        }
        try await harness.run(
            strap: Side(one.strap, adjust),
            phone: Side(one.phone, adjust)
        ) { session in
            let service = try await session.phone.publish(
                .init(
                    BluetoothUUID(0xEE00),
                    [
                        .init(
                            BluetoothUUID(0xEE01),
                            .read,
                            permissions: .init(read: one.requirement),
                            value: .stored([7])
                        )
                    ]
                )
            )
            let handle = service.characteristics[0].valueHandle
            #expect(try await session.toPhone.read(handle) == [7])
            let security = try await session.toPhone.security
            #expect(security.isEncrypted && security.usesSecureConnections)
            #expect(security.isAuthenticated == one.method.isAuthenticated)
            #expect(security.keySize == 16)
            #expect(harness.users.asked.contains(one.method))
            let count = harness.wire.pairingCount
            #expect(try await session.toPhone.read(handle) == [7])
            #expect(harness.wire.pairingCount == count, "the link is paired once")
        }
    }
}
