// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothL2CAP
import BluetoothSMP
import Dispatch
import Foundation
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

/// Behavior 14.6: channels that a peripheral manager accepts.
@Suite("Channels that a peripheral manager accepts")
struct PublishedChannelTests {
    /// Publishes a channel with a peripheral manager on the phone.
    private func publish(
        _ fixture: Fixture,
        isEncrypted: Bool = false
    ) async throws -> (CBPeripheralManager, ChannelDelegate, L2CAP.SPSM) {
        let delegate = ChannelDelegate()
        let manager = CBPeripheralManager(
            delegate: delegate,
            queue: DispatchQueue(label: "app"),
            options: [CBManagerOptionAdapterKey: fixture.adapter]
        )
        await delegate.journal.wait(for: "state poweredOn")
        manager.publishL2CAPChannel(withEncryption: isEncrypted)
        await delegate.journal.wait(for: "published")
        let words = try #require(delegate.journal.lines.last).split(separator: " ")
        return (manager, delegate, L2CAP.SPSM(rawValue: try #require(UInt16(words[1]))))
    }

    @Test("14.6 The system chooses a PSM of the dynamic range, a different one each time")
    func numbers() async throws {
        let fixture = try ChannelFixture()
        try await fixture.run { _ in
            let (manager, delegate, first) = try await publish(fixture.fixture)
            #expect(L2CAP.SPSM.dynamicRange.contains(first.rawValue))
            manager.publishL2CAPChannel(withEncryption: false)
            await delegate.journal.wait(for: "published", count: 2)
            #expect(Set(delegate.journal.lines).count == 3)
        }
    }

    @Test("14.6 Each channel that a central opens is reported and transfers bytes")
    func echo() async throws {
        let fixture = try ChannelFixture(seed: 2)
        try await fixture.run { connection in
            let (manager, delegate, psm) = try await publish(fixture.fixture)
            let channel = try await connection.link.openChannel(psm: psm)
            await delegate.journal.wait(for: "opened \(psm.rawValue) ok")
            delegate.withChannel { #expect($0.peer is CBCentral) }
            let identifier = delegate.withChannel { $0.peer.identifier }
            #expect(identifier == connection.phone["Lamp"]?.identifier)
            let app = try ChannelApp(delegate, in: fixture)
            await app.start { ($0.reads, $0.continuesWriting) = (64, true) }
            app.write(Array("from the phone".utf8))
            #expect(try await channel.receive() == Array("from the phone".utf8))
            try await channel.send(Array("from the lamp".utf8))
            await app.received(13)
            #expect(app.read == Array("from the lamp".utf8))
            _ = try await connection.link.openChannel(psm: psm)
            await delegate.journal.wait(for: "opened", count: 2)
            withExtendedLifetime(manager) {}
        }
    }

    @Test("14.6 Unpublishing closes the accepted channels and accepts no more")
    func unpublishing() async throws {
        let fixture = try ChannelFixture(seed: 3)
        try await fixture.run { connection in
            let (manager, delegate, psm) = try await publish(fixture.fixture)
            let channel = try await connection.link.openChannel(psm: psm)
            await delegate.journal.wait(for: "opened \(psm.rawValue) ok")
            manager.unpublishL2CAPChannel(psm.rawValue)
            await delegate.journal.wait(for: "unpublished \(psm.rawValue) ok")
            #expect(try await channel.ended() == .closedByPeer)
            await #expect(throws: L2CAP.Failure.refused(.spsmNotSupported)) {
                try await connection.link.openChannel(psm: psm)
            }
        }
    }

    @Test("14.6 A PSM that was not published cannot be unpublished")
    func unknownNumber() async throws {
        let fixture = try ChannelFixture(seed: 4)
        try await fixture.run { _ in
            let (manager, delegate, psm) = try await publish(fixture.fixture)
            let (other, otherDelegate, _) = try await publish(fixture.fixture)
            other.unpublishL2CAPChannel(psm.rawValue)
            let code = CBError.Code.invalidParameters.rawValue
            await otherDelegate.journal.wait(for: "unpublished \(psm.rawValue) CBError \(code)")
            manager.unpublishL2CAPChannel(psm.rawValue)
            await delegate.journal.wait(for: "unpublished \(psm.rawValue) ok")
        }
    }

    @Test("14.6 Releasing a manager unpublishes its channels")
    func managerGone() async throws {
        let fixture = try ChannelFixture(seed: 5)
        try await fixture.run { connection in
            var (manager, delegate, psm): (CBPeripheralManager?, ChannelDelegate, L2CAP.SPSM) =
                try await publish(fixture.fixture)
            let channel = try await connection.link.openChannel(psm: psm)
            await delegate.journal.wait(for: "opened \(psm.rawValue) ok")
            manager = nil
            #expect(manager == nil)
            #expect(try await channel.ended() == .closedByPeer)
        }
    }

    @Test("8.5 A channel published with encryption is refused on an unencrypted link")
    func refusal() async throws {
        try await publishToClients { published, client in
            await #expect(throws: L2CAP.Failure.refused(.insufficientAuthentication)) {
                try await client.link.openChannel(psm: published.psm)
            }
            #expect(!published.delegate.journal.lines.contains { $0.hasPrefix("opened") })
        }
    }

    @Test("8.5 A central that pairs gets a channel that was published with encryption")
    func encryption() async throws {
        try await publishToClients(configure: { $0.pairingDelegate = ConsentingDelegate() }) {
            published,
            client in
            // The refusal makes the central pair and request the channel again.
            _ = try await client.link.openChannel(psm: published.psm)
            await published.delegate.journal.wait(for: "opened \(published.psm.rawValue) ok")
            #expect(try await client.link.security.isEncrypted)
        }
    }

    @Test("8.5 A central cannot pair for a channel that is no longer published")
    func protectionEnds() async throws {
        try await publishToClients(configure: { $0.pairingDelegate = ConsentingDelegate() }) {
            published,
            client in
            published.manager.unpublishL2CAPChannel(published.psm.rawValue)
            await published.delegate.journal.wait(for: "unpublished \(published.psm.rawValue) ok")
            await #expect(throws: Pairing.Failure.refusedByPeer(.pairingNotSupported)) {
                try await client.link.pair()
            }
        }
    }

    /// Runs an app that has only published a channel with encryption, and a central that
    /// connects to it.
    private func publishToClients(
        configure: @escaping @Sendable (inout HostConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (Publication, Client) async throws -> Void
    ) async throws {
        let fixture = try Fixture(seed: 6)
        try await fixture.run {
            let (manager, delegate, psm) = try await publish(fixture, isEncrypted: true)
            manager.startAdvertising(nil)
            await delegate.journal.wait(for: "advertising ok")
            try await fixture.client(configure: configure) { client in
                try await body(Publication(manager: manager, delegate: delegate, psm: psm), client)
            }
        }
    }

    private struct Publication: Sendable {
        // Safe: its methods may be called on any thread.
        nonisolated(unsafe) let manager: CBPeripheralManager
        let delegate: ChannelDelegate
        let psm: L2CAP.SPSM
    }

    private struct ConsentingDelegate: PairingDelegate {
        func consents(to pairing: PairingRequest) async -> Bool { true }
    }
}
