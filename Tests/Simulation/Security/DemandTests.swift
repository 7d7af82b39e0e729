// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothL2CAP
import BluetoothSMP
import BluetoothTypes
import Testing

import struct BluetoothHost.Link

@testable import BluetoothHost

@Suite("Requests that are refused for insufficient security")
struct DemandTests {
    typealias Side = HostPairingHarness.Side

    private static let comparing = Side(.displayYesNo)

    @Test("A refused read is repeated after pairing, and the application sees one result")
    func reading() async throws {
        let harness = try HostPairingHarness()
        try await harness.run(strap: Self.comparing, phone: Self.comparing) { session in
            #expect(try await session.toStrap.read(session.handle(.secret)) == [42])
            #expect(try await session.toStrap.security.isAuthenticated)
            #expect(harness.users.asked.count == 2, "each user is asked once")
            try await session.toStrap.write([43], to: session.handle(.secret))
            #expect(try await session.toStrap.read(session.handle(.secret)) == [43])
            #expect(harness.users.asked.count == 2)
        }
    }

    @Test("Several refused requests share one pairing")
    func several() async throws {
        let harness = try HostPairingHarness()
        try await harness.run(strap: Self.comparing, phone: Self.comparing) { session in
            let secret = session.handle(.secret)
            let readings = (0..<8).map { _ in
                harness.task { try await session.toStrap.read(secret) }
            }
            for reading in readings {
                let value = try await reading.value
                #expect(value == [42])
            }
            #expect(harness.users.asked.count == 2)
        }
    }

    @Test("A request whose pairing fails is reported with the peer's refusal")
    func declined() async throws {
        let harness = try HostPairingHarness()
        harness.users.state.withLock { $0.agrees = false }
        try await harness.run(strap: Self.comparing, phone: Self.comparing) { session in
            let secret = session.handle(.secret)
            do {
                _ = try await session.toStrap.read(secret)
                Issue.record("the value was read")
            } catch let refusal as SecurityRefusal {
                #expect(refusal.answer == .attribute(.insufficientAuthentication, handle: secret))
            }
            let security = try await session.toStrap.security
            #expect(!security.isEncrypted)
        }
    }

    /// A user who declines everything.
    private struct DecliningUser: PairingDelegate {}

    @Test("A peer's refusal does not lead to Just Works without the user's consent")
    func unconsented() async throws {
        let harness = try HostPairingHarness()
        let phone = Side { $0.pairingDelegate = DecliningUser() }
        try await harness.run(phone: phone) { session in
            let listener = try await session.strap.listen(psm: 0x0086, requirement: .encrypted)
            await #expect(throws: SecurityRefusal.self) {
                try await session.toStrap.openChannel(psm: listener.psm)
            }
            let security = try await session.toStrap.security
            #expect(!security.isEncrypted)
        }
    }

    @Test("A refusal is final if the host does not pair on demand or has no user")
    func switchedOff() async throws {
        for phone in [
            Side { $0.securesOnDemand = false }, Side { $0.pairingDelegate = nil },
        ] {
            let harness = try HostPairingHarness()
            try await harness.run(phone: phone) { session in
                let secret = session.handle(.secret)
                do {
                    _ = try await session.toStrap.read(secret)
                    Issue.record("the value was read")
                } catch GATT.Failure.attribute(let code, let handle) {
                    #expect(code == .insufficientAuthentication && handle == secret)
                }
                #expect(harness.wire.pairingCount == 0)
            }
        }
    }

    @Test("A request is repeated only once if the better security is still insufficient")
    func once() async throws {
        let harness = try HostPairingHarness()
        try await harness.run { session in
            let type = BluetoothUUID(0xEE01)
            let service = try await session.strap.publish(
                .init(
                    BluetoothUUID(0xEE00),
                    [
                        .init(
                            type,
                            .read,
                            permissions: .init(read: .authenticated),
                            value: .stored([7])
                        )
                    ]
                )
            )
            let handle = service.characteristics[0].valueHandle
            do {
                _ = try await session.toStrap.read(handle)
                Issue.record("the value was read")
            } catch GATT.Failure.attribute(let code, _) {
                #expect(code == .insufficientAuthentication)
            }
            #expect(try await session.toStrap.security.isEncrypted)
            let count = harness.wire.pairingCount
            // A second pairing could only be Just Works again.
            await #expect(throws: (any Error).self) { try await session.toStrap.read(handle) }
            #expect(harness.wire.pairingCount <= count + 4)
        }
    }

    @Test("A refused channel is opened again after pairing")
    func channel() async throws {
        let harness = try HostPairingHarness()
        try await harness.run(strap: Self.comparing, phone: Self.comparing) { session in
            let listener = try await session.strap.listen(psm: 0x0086, requirement: .encrypted)
            let channel = try await session.toStrap.openChannel(psm: 0x0086)
            #expect(try await channel.properties.psm == listener.psm)
            #expect(try await session.toStrap.security.isEncrypted)
        }
    }

    @Test("A refused request fails if the link ends before the pairing ends")
    func ended() async throws {
        let harness = try HostPairingHarness()
        let phone = Side(.keyboardOnly)
        try await harness.run(strap: Side(.displayOnly), phone: phone) { session in
            harness.users.state.withLock { $0.hides = true }
            let secret = session.handle(.secret)
            let reading = harness.task { try await session.toStrap.read(secret) }
            try await harness.settle()
            try await session.toPhone.disconnect()
            await #expect(throws: (any Error).self) { try await reading.value }
            #expect(await session.phone.bonds.isEmpty)
        }
    }
}
