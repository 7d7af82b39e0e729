// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import Testing

import struct BluetoothHost.Link

@testable import BluetoothHost

@Suite("A strap and a phone that pair, in virtual time")
struct MethodTests {
    typealias Side = HostPairingHarness.Side

    struct Case: Sendable, CustomStringConvertible {
        let phone: Pairing.IOCapability
        let strap: Pairing.IOCapability
        let method: Pairing.Method
        var description: String { "\(phone) with \(strap): \(method)" }
    }

    static let cases: [Case] = [
        .init(phone: .noInputNoOutput, strap: .noInputNoOutput, method: .justWorks),
        .init(phone: .displayYesNo, strap: .displayYesNo, method: .numericComparison),
        .init(phone: .keyboardDisplay, strap: .keyboardDisplay, method: .numericComparison),
        .init(phone: .displayOnly, strap: .keyboardOnly, method: .passkeyDisplay),
        .init(phone: .keyboardOnly, strap: .displayOnly, method: .passkeyEntry),
        .init(phone: .keyboardOnly, strap: .keyboardOnly, method: .passkeyEntryOnBoth),
    ]

    @Test(
        "Two hosts pair by each method without out-of-band data, and reconnect encrypted",
        arguments: cases
    )
    func methods(_ one: Case) async throws {
        for beginsAtStrap in [false, true] {
            let harness = try HostPairingHarness()
            try await harness.run(strap: Side(one.strap), phone: Side(one.phone)) { session in
                let first = beginsAtStrap ? session.toPhone : session.toStrap
                let security = try await first.pair()
                #expect(security.isEncrypted && security.isBonded)
                #expect(security.isAuthenticated == one.method.isAuthenticated)
                #expect(security.usesSecureConnections && security.keySize == 16)
                try await harness.settle()
                let asked = harness.users.asked.count
                #expect(
                    harness.users.asked.allSatisfy {
                        $0.isAuthenticated || one.method == .justWorks
                    }
                )
                try await Self.expectBonds(session)
                let again = try await harness.reconnect(session)
                #expect(try await again.toStrap.security == security)
                #expect(try await again.toPhone.security.isEncrypted)
                #expect(try await again.toStrap.read(again.handle(.secret)) == [42])
                #expect(harness.users.asked.count == asked, "neither user is asked again")
            }
        }
    }

    /// Expects that each host has one bond, with the other host.
    static func expectBonds(_ session: Session) async throws {
        #expect(await session.phone.bonds.map(\.identity) == [HostServingHarness.strap])
        #expect(await session.strap.bonds.map(\.identity) == [HostServingHarness.phone])
        #expect(try await session.toStrap.bondedPeer?.identity == HostServingHarness.strap)
        #expect(try await session.toPhone.bondedPeer?.identity == HostServingHarness.phone)
    }

    @Test("A pairing that one user declines fails on both sides")
    func declined() async throws {
        let harness = try HostPairingHarness()
        harness.users.state.withLock { $0.agrees = false }
        try await harness.run(strap: Side(.displayYesNo), phone: Side(.displayYesNo)) { session in
            await #expect(throws: Pairing.Failure.self) { try await session.toStrap.pair() }
            #expect(await session.phone.bonds.isEmpty)
            #expect(await session.strap.bonds.isEmpty)
            let security = try await session.toStrap.security
            #expect(!security.isEncrypted)
        }
    }

    @Test("A pairing soon after a failure is refused, and a later one works")
    func repeatedAttempts() async throws {
        let harness = try HostPairingHarness()
        harness.users.state.withLock { $0.agrees = false }
        try await harness.run(strap: Side(.displayYesNo), phone: Side(.displayYesNo)) { session in
            await #expect(throws: Pairing.Failure.self) { try await session.toStrap.pair() }
            harness.users.state.withLock { $0.agrees = true }
            var wait: Duration?
            do {
                _ = try await session.toStrap.pair()
            } catch Pairing.Failure.tooSoon(let left) {
                wait = left
            }
            try await harness.air.sleep(for: try #require(wait) + .seconds(1))
            #expect(try await session.toStrap.pair().isAuthenticated)
        }
    }

    @Test("A pairing that stalls fails after 30 seconds, and no other succeeds on the link")
    func timeout() async throws {
        let harness = try HostPairingHarness()
        try await harness.run(strap: Side(.keyboardOnly), phone: Side(.displayOnly)) { session in
            // The displayed number is hidden from the other user.
            harness.users.state.withLock { $0.hides = true }
            let start = harness.air.now
            await #expect(throws: Pairing.Failure.timedOut) { try await session.toStrap.pair() }
            #expect(harness.air.now - start >= .seconds(30))
            #expect(harness.air.now - start < .seconds(32))
            harness.users.state.withLock { $0.hides = false }
            await #expect(throws: Pairing.Failure.self) { try await session.toStrap.pair() }
            #expect(await session.phone.bonds.isEmpty)
            #expect(await session.strap.bonds.isEmpty)
        }
    }
}
