// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import Testing

/// Our host pairs with Bumble in every way: with all input and output capabilities on both sides,
/// with LE Secure Connections and legacy pairing, with and without protection against a man in the
/// middle, and in both roles. Each time the two sides have to agree on the method of the
/// specification's table, or our host has to refuse for the right reason. Then a value that
/// requires encryption is read. The controllers compare the keys of the two sides.
@Suite(.needsPeers) struct PairingMatrixTests {
    @Test(
        "The host as central pairs by the method of the specification's table",
        arguments: PairingCase.Generation.allCases
    )
    func asCentral(generation: PairingCase.Generation) async throws {
        try await withPeerHarness { harness in
            let companion = try await harness.companion()
            let person = Person()
            var configuration = HostConfiguration()
            configuration.pairingDelegate = person
            try await harness.withHost(configuration) { host in
                let central = PairingCentral(host: host, person: person, companion: companion)
                for protection in PairingCase.Protection.allCases {
                    try await fill(.central, generation, protection) { pairing, address in
                        try await central.pair(pairing, with: address)
                    }
                }
            }
        }
    }

    @Test(
        "The host as peripheral pairs by the method of the specification's table",
        arguments: PairingCase.Generation.allCases
    )
    func asPeripheral(generation: PairingCase.Generation) async throws {
        try await withPeerHarness { harness in
            let companion = try await harness.companion()
            for protection in PairingCase.Protection.allCases {
                try await fill(.peripheral, generation, protection) { pairing, address in
                    try await PairingPeripheral.pair(pairing, with: address, companion, on: harness)
                }
            }
        }
    }

    /// Each method once, on third-party controllers. RootCanal's do not compare keys.
    @Test(
        "The host pairs by each method on third-party controllers",
        arguments: ControllerKind.available.filter { $0 != .lanyard },
        Combination.all
    )
    func otherControllers(kind: ControllerKind, combination: Combination) async throws {
        try await withPeerHarness(on: kind) { harness in
            let companion = try await harness.companion()
            let pairing = combination.pairing
            let address = PeerHarness.address(at: 1)
            let report: PairingReport
            if combination.role == .central {
                let person = Person()
                var configuration = HostConfiguration()
                configuration.pairingDelegate = person
                report = try await harness.withHost(configuration) { host in
                    try await PairingCentral(host: host, person: person, companion: companion)
                        .pair(pairing, with: address)
                }
            } else {
                report = try await PairingPeripheral.pair(
                    pairing,
                    with: address,
                    companion,
                    on: harness
                )
            }
            expect(report, pairing)
        }
    }

    /// Fills a matrix, checks it, and prints it.
    private func fill(
        _ role: LinkRole,
        _ generation: PairingCase.Generation,
        _ protection: PairingCase.Protection,
        _ pair: (PairingCase, DeviceAddress) async throws -> PairingReport
    ) async throws {
        let side = role == .central ? "Central" : "Peripheral"
        var matrix = PairingMatrix("our \(side), \(generation.rawValue), \(protection.rawValue)")
        var place = 0
        for ours in PairingTable.capabilities {
            for theirs in PairingTable.capabilities {
                place += 1
                let pairing = PairingCase(
                    role: role,
                    generation: generation,
                    protection: protection,
                    ours: ours,
                    theirs: theirs,
                    passkey: UInt32(400_000 + 7_919 * place)
                )
                // Another device each time, because a device whose pairing failed has to wait.
                let address = DeviceAddress(
                    value: 0xF1B0_0000_0000 + UInt64(protection.number * 100 + place),
                    kind: .random
                )
                let report = try await pair(pairing, address)
                matrix[ours, theirs] = report.cell(role: role)
                expect(report, pairing)
            }
        }
        print(matrix)
    }

    private func expect(_ report: PairingReport, _ pairing: PairingCase) {
        let comment: Comment =
            "\(pairing.ours) with \(pairing.theirs), \(pairing.protection): \(report)"
        #expect(report.cell(role: pairing.role) == pairing.expected, comment)
        guard case .success(let security) = report.result else { return }
        #expect(security == pairing.security, comment)
        let facts = report.outcome.facts
        #expect(facts?.isAuthenticated == security.isAuthenticated, comment)
        #expect(facts?.usesSecureConnections == security.usesSecureConnections, comment)
        #expect(facts?.keySize == security.keySize, comment)
    }
}

extension PairingMatrixTests {
    /// A method, a pairing generation, and a role.
    struct Combination: Sendable, CustomTestStringConvertible {
        let role: LinkRole
        let generation: PairingCase.Generation
        let ours: Pairing.IOCapability
        let theirs: Pairing.IOCapability

        static let all: [Combination] = [LinkRole.central, .peripheral].flatMap { role in
            PairingCase.Generation.allCases.flatMap { generation in
                capabilities.map { ours, theirs in
                    Combination(role: role, generation: generation, ours: ours, theirs: theirs)
                }
            }
        }

        /// One pair of capabilities for each method.
        private static let capabilities: [(Pairing.IOCapability, Pairing.IOCapability)] = [
            (.noInputNoOutput, .noInputNoOutput), (.displayYesNo, .displayYesNo),
            (.displayOnly, .keyboardOnly), (.keyboardOnly, .displayOnly),
            (.keyboardOnly, .keyboardOnly),
        ]

        var pairing: PairingCase {
            PairingCase(
                role: role,
                generation: generation,
                protection: .ours,
                ours: ours,
                theirs: theirs,
                passkey: 271_828
            )
        }

        var testDescription: String {
            "\(role), \(generation.rawValue), \(ours) with \(theirs)"
        }
    }
}

extension PairingCase.Protection {
    fileprivate var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension PairingPeripheral {
    /// Pairs once, on a new host, because each host has a limit on its peers' pairing requests.
    static func pair(
        _ pairing: PairingCase,
        with address: DeviceAddress,
        _ companion: Companion,
        on harness: PeerHarness
    ) async throws -> PairingReport {
        let person = Person()
        var configuration = HostConfiguration()
        configuration.address = Self.address
        configuration.pairing = pairing.policy
        configuration.pairingDelegate = person
        return try await harness.withHost(configuration) { host in
            try await PairingPeripheral(host, person: person, companion: companion)
                .pair(pairing, with: address)
        }
    }
}
