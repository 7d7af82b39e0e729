// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Links to bonded peers before encryption")
struct AwaitingEncryptionTests {
    private let address = Bonded.peer.address
    private let read = LinkRequest.gatt(.read(ModelServer.readableHandle))

    @Test("The central gets a Security Request after a pause, and not before")
    func reminder() throws {
        var harness = try Harness.bonded()
        _ = try harness.accept(address)
        harness.advance(by: LinkCore.encryptionPause - .milliseconds(1))
        #expect(harness.security(receivedBy: address).isEmpty)
        harness.advance(by: .milliseconds(1))
        // Bonding and LE Secure Connections, as in the bond, without MITM protection
        // (Vol 3, Part H, 3.5.1).
        #expect(harness.security(receivedBy: address) == [[0x0B, 0x09]])
        harness.advance(by: .seconds(60))
        #expect(harness.security(receivedBy: address).count == 1)
        // A slow central must not count as a failed attempt.
        harness.controller.requestKey(from: address)
        harness.drive()
        #expect(harness.core.security(of: try harness.onlyLink()) == Bonded.security)
        #expect(harness.core.context.attempts.count == 0)
    }

    @Test("Removing a bond ends its link")
    func removal() throws {
        var harness = try Harness.bonded()
        let link = try harness.accept(address)
        let id = harness.ask(read, of: link)
        harness.core.disconnect(bonded: address, now: harness.now)
        harness.core.dropBond(of: address, now: harness.now)
        harness.drive()
        #expect(harness.ends[link] != nil && harness.error(id) != nil)
        #expect(harness.controller.dataPackets.isEmpty && harness.bondEvents == ["bond removed"])
    }

    @Test("A removed bond grants no access before its link has ended")
    func closing() throws {
        var harness = try Harness.bonded()
        harness.controller.endlessCommands = [.disconnect]
        let service = try harness.publish(TestService.definition)
        let link = try harness.accept(address)
        harness.core.disconnect(bonded: address, now: harness.now)
        harness.core.dropBond(of: address, now: harness.now)
        harness.drive()
        let refusal = ATT.PDU.refusal(.readRequest, service.value(0), .insufficientEncryption)
        #expect(harness.read(service.value(0), by: address) == [refusal])
        harness.controller.notify([1], from: address)
        harness.drive()
        #expect(harness.notifications.isEmpty)
        harness.controller.requestKey(from: address)
        harness.drive()
        #expect(harness.controller.commands.last == .leLongTermKeyRequestNegativeReply)
        #expect(harness.core.security(of: link)?.isEncrypted == false)
    }

    @Test("Encryption that completes after its bond was removed does not authenticate the peer")
    func lateEncryption() throws {
        var harness = try Harness.bonded()
        harness.controller.endlessCommands = [.leEnableEncryption, .disconnect]
        _ = harness.requestConnection(address)
        harness.drive()
        let link = try harness.onlyLink()
        harness.core.disconnect(bonded: address, now: harness.now)
        harness.core.dropBond(of: address, now: harness.now)
        harness.controller.changeEncryption(
            on: try #require(harness.controller.handle(of: address))
        )
        harness.drive()
        #expect(harness.core.security(of: link)?.isEncrypted == false)
        #expect(
            harness.controller.dataPackets.isEmpty && harness.core.verifiedBond(of: link) == nil
        )
    }

    @Test("A central that encrypts gets no Security Request")
    func noReminder() throws {
        var harness = try Harness.bonded()
        let link = try harness.acceptEncrypted(address)
        harness.advance(by: .seconds(60))
        #expect(harness.security(receivedBy: address).isEmpty)
        #expect(harness.core.security(of: link) == Bonded.security)
    }

    @Test("Requests of the application wait, and are sent in order after encryption")
    func waiting() throws {
        var harness = try Harness.bonded()
        let link = try harness.accept(address)
        let asked = [read, .gatt(.write(ModelServer.writableHandle, [7])), .database]
        let ids = asked.map { harness.ask($0, of: link) }
        harness.drive()
        #expect(harness.controller.dataPackets.isEmpty, "The host sends no unencrypted data")
        #expect(ids.allSatisfy { harness.isPending($0) })
        harness.controller.requestKey(from: address)
        harness.drive()
        for id in ids { #expect(throws: Never.self) { try harness.answer(id) } }
        #expect(harness.controller.violations.isEmpty)
    }

    @Test(
        "Waiting requests fail if encryption takes too long, and surplus requests fail at once"
    )
    func bounds() throws {
        var harness = try Harness.bonded()
        let link = try harness.accept(address)
        let ids = (0...HeldRequests.limit).map { _ in harness.ask(read, of: link) }
        #expect(harness.error(try #require(ids.last)) == .tooManyRequests)
        harness.core.cancelRequest(ids[0], of: link, now: harness.now)
        harness.advance(by: LinkCore.encryptionLimit)
        #expect(harness.isPending(ids[0]), "A canceled request gets no result")
        #expect(ids[1..<HeldRequests.limit].allSatisfy { harness.error($0) == .notEncrypted })
        #expect(harness.ends.isEmpty)
    }

    @Test("Waiting requests fail at the end of the link")
    func ended() throws {
        var harness = try Harness.bonded()
        let link = try harness.accept(address)
        let ids = [read, .pair(Pairing.Policy())].map { harness.ask($0, of: link) }
        harness.controller.dropLink(to: address, .remoteUserTerminatedConnection)
        harness.drive()
        #expect(
            ids.allSatisfy { harness.error($0) == .disconnected(.remoteUserTerminatedConnection) }
        )
    }

    @Test("Channels and enhanced bearers are opened only after encryption")
    func channels() throws {
        var harness = try Harness.bonded()
        let link = try harness.accept(address)
        let (channel, bearers) = (harness.takeRequest(), harness.takeRequest())
        harness.core.request(
            .open(.init(rawValue: 0x80), .credit, count: 1, .init()),
            of: link,
            id: channel,
            now: harness.now
        )
        harness.core.request(.enhancedBearers(1), of: link, id: bearers, now: harness.now)
        harness.drive()
        #expect(harness.controller.dataPackets.isEmpty)
        #expect(harness.isPending(channel) && harness.isPending(bearers))
        harness.controller.requestKey(from: address)
        harness.drive()
        #expect(!harness.controller.dataPackets.isEmpty)
    }

    @Test("Notifications before encryption are dropped and logged")
    func notifications() throws {
        var harness = try Harness.bonded()
        _ = try harness.accept(address)
        harness.controller.notify([1], from: address)
        harness.drive()
        #expect(harness.notifications.isEmpty)
        #expect(harness.log.contains { $0.contains("before encryption") })
        harness.controller.requestKey(from: address)
        harness.drive()
        harness.controller.notify([2], from: address)
        harness.drive()
        #expect(harness.notifications.map(\.value) == [[2]])
    }

    @Test("An indication of Service Changed before encryption counts after encryption")
    func serviceChanged() throws {
        let handle = AttributeHandle(3)
        let changed = GATT.Characteristic(
            uuid: GATT.AttributeType.serviceChanged,
            handle: AttributeHandle(2),
            valueHandle: handle,
            properties: [.indicate],
            endHandle: AttributeHandle(4)
        )
        let service = GATT.DiscoveredService(
            service: GATT.Service(
                uuid: GATT.AttributeType.genericAttribute,
                isPrimary: true,
                handle: AttributeHandle(1),
                endHandle: AttributeHandle(4)
            ),
            characteristics: [.init(characteristic: changed)]
        )
        var record = DatabaseRecord(database: try #require(GATT.Database(services: [service])))
        record.isWatched = true
        var harness = try Harness.bonded()
        harness.core.context.databases.keep(record, of: address)
        let link = try harness.accept(address)
        let indication = ATT.HandleValueIndication(handle: handle, value: [0x10, 0, 0x2F, 0])
        harness.controller.sendPDU(.handleValueIndication(indication), from: address)
        harness.drive()
        let isReported = { (harness: Harness) in
            harness.events.contains { event in
                if case .servicesChanged(link, _, true) = event { true } else { false }
            }
        }
        #expect(!isReported(harness))
        #expect(harness.core.context.databases.record(of: address) == record)
        harness.controller.requestKey(from: address)
        harness.drive()
        #expect(isReported(harness))
        #expect(harness.core.context.databases.record(of: address) == nil)
    }

    @Test("Before encryption, values are neither sent nor accessible to the peer")
    func server() throws {
        var harness = try Harness.bonded()
        let service = try harness.publish(TestService.definition)
        let link = try harness.accept(address)
        let handle = service.value(0)
        let id = harness.notify([(handle, [1])], on: link)
        #expect(harness.error(id) == .notEncrypted)
        #expect(throws: HostError.notEncrypted) {
            try harness.core.tryNotify([1], of: handle, on: link, now: harness.now)
        }
        let refusals =
            harness.read(handle, by: address) + harness.write([1], to: handle, by: address)
        #expect(
            refusals == [
                .refusal(.readRequest, handle, .insufficientEncryption),
                .refusal(.writeRequest, handle, .insufficientEncryption),
            ]
        )
        harness.controller.requestKey(from: address)
        harness.drive()
        #expect(harness.read(handle, by: address) == [.value([1, 2, 3])])
    }

    @Test("The link is reported at once, and the peer's identity after its authentication")
    func announcement() throws {
        var harness = try Harness.bonded()
        let link = try harness.accept(address)
        #expect(harness.incomingLinks.map(\.link) == [link])
        #expect(harness.core.verifiedBond(of: link) == nil)
        harness.controller.requestKey(from: address)
        harness.drive()
        #expect(harness.core.verifiedBond(of: link)?.peer == address)
    }

    @Test("A request to pair completes after encryption if the bond is strong enough")
    func pairing() throws {
        var harness = try Harness.bonded()
        let link = try harness.accept(address)
        let request = harness.ask(.pair(Pairing.Policy()), of: link)
        harness.drive()
        #expect(
            harness.security(receivedBy: address) == [[0x0B, 0x09]],
            "The host sends a Security Request at once"
        )
        harness.controller.requestKey(from: address)
        harness.drive()
        guard case .security(let security) = try harness.answer(request) else {
            throw Harness.UnexpectedAnswer()
        }
        #expect(security == Bonded.security)
    }

    @Test("A bond that is too weak is used for encryption before the pairing")
    func upgrade() throws {
        var harness = try Harness.bonded { $0.pairingDelegate = SilentDelegate() }
        let link = try harness.connect(address)
        var policy = Pairing.Policy()
        policy.requiresAuthentication = true
        policy.ioCapability = .displayYesNo
        let request = harness.ask(.pair(policy), of: link)
        harness.drive()
        #expect(harness.isPending(request))
        #expect(harness.security(receivedBy: address).last?.first == 0x01)
        #expect(
            harness.core.security(of: link) == Bonded.security,
            "The link keeps the security of the bond until the new pairing completes"
        )
    }
}
