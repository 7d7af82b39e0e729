// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothL2CAP
import BluetoothSMP
import Dispatch
import Foundation
import Testing

@testable import CoreBluetooth

/// Behavior 14.6: channels that a peripheral manager accepts.
@Suite struct PublishedChannelTests {
    /// Publishes a channel with a peripheral manager on the phone.
    private func publish(
        _ stage: Stage,
        isEncrypted: Bool = false
    ) async throws -> (CBPeripheralManager, ChannelKeeper, L2CAP.SPSM) {
        let keeper = ChannelKeeper()
        let manager = CBPeripheralManager(
            delegate: keeper,
            queue: DispatchQueue(label: "app"),
            options: [CBManagerOptionAdapterKey: stage.adapter]
        )
        await keeper.journal.wait(for: "state poweredOn")
        manager.publishL2CAPChannel(withEncryption: isEncrypted)
        await keeper.journal.wait(for: "published")
        let words = try #require(keeper.journal.lines.last).split(separator: " ")
        return (manager, keeper, L2CAP.SPSM(rawValue: try #require(UInt16(words[1]))))
    }

    @Test("14.6 The system chooses a PSM of the dynamic range, another one each time")
    func numbers() async throws {
        let stage = try ChannelStage()
        try await stage.run { _ in
            let (manager, keeper, first) = try await publish(stage.stage)
            #expect(L2CAP.SPSM.dynamicRange.contains(first.rawValue))
            manager.publishL2CAPChannel(withEncryption: false)
            await keeper.journal.wait(for: "published", count: 2)
            #expect(Set(keeper.journal.lines).count == 3)
        }
    }

    @Test("14.6 Each channel that a central opens is reported and transfers bytes")
    func echo() async throws {
        let stage = try ChannelStage(seed: 2)
        try await stage.run { meeting in
            let (manager, keeper, psm) = try await publish(stage.stage)
            let channel = try await meeting.link.openChannel(psm: psm)
            await keeper.journal.wait(for: "opened \(psm.rawValue) ok")
            keeper.withChannel { #expect($0.peer is CBCentral) }
            let identifier = keeper.withChannel { $0.peer.identifier }
            #expect(identifier == meeting.phone["Lamp"]?.identifier)
            let app = try ChannelApp(keeper)
            await app.start { ($0.reads, $0.pours) = (64, true) }
            app.write(Array("from the phone".utf8))
            #expect(try await channel.receive() == Array("from the phone".utf8))
            try await channel.send(Array("from the lamp".utf8))
            await app.received(13)
            #expect(app.read == Array("from the lamp".utf8))
            _ = try await meeting.link.openChannel(psm: psm)
            await keeper.journal.wait(for: "opened", count: 2)
            withExtendedLifetime(manager) {}
        }
    }

    @Test("14.6 Unpublishing closes the accepted channels and accepts no more")
    func unpublishing() async throws {
        let stage = try ChannelStage(seed: 3)
        try await stage.run { meeting in
            let (manager, keeper, psm) = try await publish(stage.stage)
            let channel = try await meeting.link.openChannel(psm: psm)
            await keeper.journal.wait(for: "opened \(psm.rawValue) ok")
            manager.unpublishL2CAPChannel(psm.rawValue)
            await keeper.journal.wait(for: "unpublished \(psm.rawValue) ok")
            #expect(try await channel.ended() == .closedByPeer)
            await #expect(throws: L2CAP.Failure.refused(.spsmNotSupported)) {
                try await meeting.link.openChannel(psm: psm)
            }
        }
    }

    @Test("14.6 A PSM that was not published cannot be unpublished")
    func unknownNumber() async throws {
        let stage = try ChannelStage(seed: 4)
        try await stage.run { _ in
            let (manager, keeper, psm) = try await publish(stage.stage)
            let (other, otherKeeper, _) = try await publish(stage.stage)
            other.unpublishL2CAPChannel(psm.rawValue)
            let code = CBError.Code.invalidParameters.rawValue
            await otherKeeper.journal.wait(for: "unpublished \(psm.rawValue) CBError \(code)")
            manager.unpublishL2CAPChannel(psm.rawValue)
            await keeper.journal.wait(for: "unpublished \(psm.rawValue) ok")
        }
    }

    @Test("14.6 Releasing a manager unpublishes its channels")
    func managerGone() async throws {
        let stage = try ChannelStage(seed: 5)
        try await stage.run { meeting in
            var (manager, keeper, psm): (CBPeripheralManager?, ChannelKeeper, L2CAP.SPSM) =
                try await publish(stage.stage)
            let channel = try await meeting.link.openChannel(psm: psm)
            await keeper.journal.wait(for: "opened \(psm.rawValue) ok")
            manager = nil
            #expect(manager == nil)
            #expect(try await channel.ended() == .closedByPeer)
        }
    }

    @Test("8.5 A channel published with encryption is refused on an unencrypted link")
    func refusal() async throws {
        try await publishToVisitors { published, visitor in
            await #expect(throws: L2CAP.Failure.refused(.insufficientAuthentication)) {
                try await visitor.link.openChannel(psm: published.psm)
            }
            #expect(!published.keeper.journal.lines.contains { $0.hasPrefix("opened") })
        }
    }

    @Test("8.5 A central that pairs gets a channel that was published with encryption")
    func encryption() async throws {
        try await publishToVisitors(configure: { $0.pairingDelegate = Willing() }) {
            published,
            visitor in
            // The refusal makes the central pair and request the channel again.
            _ = try await visitor.link.openChannel(psm: published.psm)
            await published.keeper.journal.wait(for: "opened \(published.psm.rawValue) ok")
            #expect(try await visitor.link.security.isEncrypted)
        }
    }

    @Test("8.5 A central cannot pair for a channel that is no longer published")
    func protectionEnds() async throws {
        try await publishToVisitors(configure: { $0.pairingDelegate = Willing() }) {
            published,
            visitor in
            published.manager.unpublishL2CAPChannel(published.psm.rawValue)
            await published.keeper.journal.wait(for: "unpublished \(published.psm.rawValue) ok")
            await #expect(throws: Pairing.Failure.refusedByPeer(.pairingNotSupported)) {
                try await visitor.link.pair()
            }
        }
    }

    /// Runs an application that has only published a channel with encryption, and a central that
    /// connects to it.
    private func publishToVisitors(
        configure: @escaping @Sendable (inout HostConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (Publication, Visitor) async throws -> Void
    ) async throws {
        let stage = try Stage(seed: 6)
        try await stage.run {
            let (manager, keeper, psm) = try await publish(stage, isEncrypted: true)
            manager.startAdvertising(nil)
            await keeper.journal.wait(for: "advertising ok")
            try await stage.visitor(configure: configure) { visitor in
                try await body(Publication(manager: manager, keeper: keeper, psm: psm), visitor)
            }
        }
    }

    private struct Publication: Sendable {
        // Safe: its methods may be called on any thread.
        nonisolated(unsafe) let manager: CBPeripheralManager
        let keeper: ChannelKeeper
        let psm: L2CAP.SPSM
    }

    private struct Willing: PairingDelegate {
        func consents(to pairing: PairingRequest) async -> Bool { true }
    }
}
