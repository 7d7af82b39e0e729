// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import Testing

import struct BluetoothHost.Link

@testable import BluetoothHost

@Suite("A strap and a phone that pair, in virtual time")
struct MethodTests {
    typealias Side = PairingScene.Side

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
        "Two hosts pair by every method and from either side, and reconnect encrypted",
        arguments: cases
    )
    func methods(_ one: Case) async throws {
        for beginsAtStrap in [false, true] {
            let scene = try PairingScene()
            try await scene.run(strap: Side(one.strap), phone: Side(one.phone)) { meeting in
                let first = beginsAtStrap ? meeting.toPhone : meeting.toStrap
                let security = try await first.pair()
                #expect(security.isEncrypted && security.isBonded)
                #expect(security.isAuthenticated == one.method.isAuthenticated)
                #expect(security.usesSecureConnections && security.keySize == 16)
                try await scene.settle()
                let asked = scene.desk.asked.count
                #expect(
                    scene.desk.asked.allSatisfy { $0.isAuthenticated || one.method == .justWorks }
                )
                try await Self.expectBonds(meeting)
                let again = try await scene.meetAgain(meeting)
                #expect(try await again.toStrap.security == security)
                #expect(try await again.toPhone.security.isEncrypted)
                #expect(try await again.toStrap.read(again.handle(.secret)) == [42])
                #expect(scene.desk.asked.count == asked, "neither user is asked again")
            }
        }
    }

    /// Expects that each host has one bond, with the other.
    static func expectBonds(_ meeting: Meeting) async throws {
        #expect(await meeting.phone.bonds.map(\.identity) == [ServingScene.strap])
        #expect(await meeting.strap.bonds.map(\.identity) == [ServingScene.phone])
        #expect(try await meeting.toStrap.bondedPeer?.identity == ServingScene.strap)
        #expect(try await meeting.toPhone.bondedPeer?.identity == ServingScene.phone)
    }

    @Test("A pairing that one user declines fails on both sides")
    func declined() async throws {
        let scene = try PairingScene()
        scene.desk.state.withLock { $0.agrees = false }
        try await scene.run(strap: Side(.displayYesNo), phone: Side(.displayYesNo)) { meeting in
            await #expect(throws: Pairing.Failure.self) { try await meeting.toStrap.pair() }
            #expect(await meeting.phone.bonds.isEmpty)
            #expect(await meeting.strap.bonds.isEmpty)
            let security = try await meeting.toStrap.security
            #expect(!security.isEncrypted)
        }
    }

    @Test("A pairing soon after a failure is refused, and a later one works")
    func repeatedAttempts() async throws {
        let scene = try PairingScene()
        scene.desk.state.withLock { $0.agrees = false }
        try await scene.run(strap: Side(.displayYesNo), phone: Side(.displayYesNo)) { meeting in
            await #expect(throws: Pairing.Failure.self) { try await meeting.toStrap.pair() }
            scene.desk.state.withLock { $0.agrees = true }
            var wait: Duration?
            do {
                _ = try await meeting.toStrap.pair()
            } catch Pairing.Failure.tooSoon(let left) {
                wait = left
            }
            try await scene.air.sleep(for: try #require(wait) + .seconds(1))
            #expect(try await meeting.toStrap.pair().isAuthenticated)
        }
    }

    @Test("A pairing that stalls for thirty seconds fails for the rest of the link")
    func timeout() async throws {
        let scene = try PairingScene()
        try await scene.run(strap: Side(.keyboardOnly), phone: Side(.displayOnly)) { meeting in
            // The displayed number is hidden from the other user.
            scene.desk.state.withLock { $0.hides = true }
            let start = scene.air.now
            await #expect(throws: Pairing.Failure.timedOut) { try await meeting.toStrap.pair() }
            #expect(scene.air.now - start >= .seconds(30))
            #expect(scene.air.now - start < .seconds(32))
            scene.desk.state.withLock { $0.hides = false }
            await #expect(throws: Pairing.Failure.self) { try await meeting.toStrap.pair() }
            #expect(await meeting.phone.bonds.isEmpty)
            #expect(await meeting.strap.bonds.isEmpty)
        }
    }
}
