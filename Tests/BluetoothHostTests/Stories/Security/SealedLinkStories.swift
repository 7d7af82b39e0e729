// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Links to bonded peers before encryption")
struct SealedLinkStories {
    private let address = Bonded.peer.address
    private let read = LinkRequest.gatt(.read(ModelServer.readableHandle))

    @Test("The Central gets a Security Request after a pause, and not before")
    func reminder() throws {
        var bench = try Bench.bonded()
        _ = try bench.accept(address)
        bench.advance(by: LinkCore.encryptionPause - .milliseconds(1))
        #expect(bench.security(heardBy: address).isEmpty)
        bench.advance(by: .milliseconds(1))
        // Bonding and LE Secure Connections, as in the bond, without protection (Vol 3, Part H,
        // 3.5.1).
        #expect(bench.security(heardBy: address) == [[0x0B, 0x09]])
        bench.advance(by: .seconds(60))
        #expect(bench.security(heardBy: address).count == 1)
        // A slow Central must not count as a failed attempt.
        bench.controller.requestKey(from: address)
        bench.drive()
        #expect(bench.core.security(of: try bench.onlyLink()) == Bonded.security)
        #expect(bench.core.context.attempts.count == 0)
    }

    @Test("Removing a bond ends its link")
    func removal() throws {
        var bench = try Bench.bonded()
        let link = try bench.accept(address)
        let id = bench.ask(read, of: link)
        bench.core.disconnect(bonded: address, now: bench.now)
        bench.core.dropBond(of: address, now: bench.now)
        bench.drive()
        #expect(bench.ends[link] != nil && bench.error(id) != nil)
        #expect(bench.controller.dataPackets.isEmpty && bench.toldOfBonds == ["bond removed"])
    }

    @Test("A removed bond grants no access before its link has ended")
    func closing() throws {
        var bench = try Bench.bonded()
        bench.controller.endlessCommands = [.disconnect]
        let service = try bench.publish(Clinic.definition)
        let link = try bench.accept(address)
        bench.core.disconnect(bonded: address, now: bench.now)
        bench.core.dropBond(of: address, now: bench.now)
        bench.drive()
        let refusal = ATT.PDU.refusal(.readRequest, service.value(0), .insufficientEncryption)
        #expect(bench.read(service.value(0), by: address) == [refusal])
        bench.controller.notify([1], from: address)
        bench.drive()
        #expect(bench.notifications.isEmpty)
        bench.controller.requestKey(from: address)
        bench.drive()
        #expect(bench.controller.commands.last == .leLongTermKeyRequestNegativeReply)
        #expect(bench.core.security(of: link)?.isEncrypted == false)
    }

    @Test("A key that was already in use authenticates no peer after its bond is removed")
    func lateEncryption() throws {
        var bench = try Bench.bonded()
        bench.controller.endlessCommands = [.leEnableEncryption, .disconnect]
        _ = bench.dial(address)
        bench.drive()
        let link = try bench.onlyLink()
        bench.core.disconnect(bonded: address, now: bench.now)
        bench.core.dropBond(of: address, now: bench.now)
        bench.controller.changeEncryption(on: try #require(bench.controller.handle(of: address)))
        bench.drive()
        #expect(bench.core.security(of: link)?.isEncrypted == false)
        #expect(bench.controller.dataPackets.isEmpty && bench.core.provenBond(of: link) == nil)
    }

    @Test("A Central that encrypts gets no Security Request")
    func noReminder() throws {
        var bench = try Bench.bonded()
        let link = try bench.acceptEncrypted(address)
        bench.advance(by: .seconds(60))
        #expect(bench.security(heardBy: address).isEmpty)
        #expect(bench.core.security(of: link) == Bonded.security)
    }

    @Test("Requests of the application wait, and are sent in order after encryption")
    func waiting() throws {
        var bench = try Bench.bonded()
        let link = try bench.accept(address)
        let asked = [read, .gatt(.write(ModelServer.writableHandle, [7])), .database]
        let ids = asked.map { bench.ask($0, of: link) }
        bench.drive()
        #expect(bench.controller.dataPackets.isEmpty, "something left in clear")
        #expect(ids.allSatisfy { bench.isPending($0) })
        bench.controller.requestKey(from: address)
        bench.drive()
        for id in ids { #expect(throws: Never.self) { try bench.answer(id) } }
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("Waiting requests fail without encryption in time, and beyond their limit at once")
    func bounds() throws {
        var bench = try Bench.bonded()
        let link = try bench.accept(address)
        let ids = (0...HeldRequests.limit).map { _ in bench.ask(read, of: link) }
        #expect(bench.error(try #require(ids.last)) == .tooManyRequests)
        bench.core.cancelRequest(ids[0], of: link, now: bench.now)
        bench.advance(by: LinkCore.encryptionLimit)
        #expect(bench.isPending(ids[0]), "nothing is said of what was cancelled")
        #expect(ids[1..<HeldRequests.limit].allSatisfy { bench.error($0) == .notEncrypted })
        #expect(bench.ends.isEmpty)
    }

    @Test("Waiting requests fail at the end of the link")
    func ended() throws {
        var bench = try Bench.bonded()
        let link = try bench.accept(address)
        let ids = [read, .pair(Pairing.Policy())].map { bench.ask($0, of: link) }
        bench.controller.dropLink(to: address, .remoteUserTerminatedConnection)
        bench.drive()
        #expect(
            ids.allSatisfy { bench.error($0) == .disconnected(.remoteUserTerminatedConnection) }
        )
    }

    @Test("Channels and enhanced bearers are opened only after encryption")
    func channels() throws {
        var bench = try Bench.bonded()
        let link = try bench.accept(address)
        let (channel, bearers) = (bench.takeRequest(), bench.takeRequest())
        bench.core.request(
            .open(.init(rawValue: 0x80), .credit, count: 1, .init()),
            of: link,
            id: channel,
            now: bench.now
        )
        bench.core.openEnhancedBearers(1, on: link, id: bearers, now: bench.now)
        bench.drive()
        #expect(bench.controller.dataPackets.isEmpty)
        #expect(bench.isPending(channel) && bench.isPending(bearers))
        bench.controller.requestKey(from: address)
        bench.drive()
        #expect(!bench.controller.dataPackets.isEmpty)
    }

    @Test("Notifications before encryption are dropped and logged")
    func notifications() throws {
        var bench = try Bench.bonded()
        _ = try bench.accept(address)
        bench.controller.notify([1], from: address)
        bench.drive()
        #expect(bench.notifications.isEmpty)
        #expect(bench.log.contains { $0.contains("before encryption") })
        bench.controller.requestKey(from: address)
        bench.drive()
        bench.controller.notify([2], from: address)
        bench.drive()
        #expect(bench.notifications.map(\.value) == [[2]])
    }

    @Test("Before encryption values are neither sent nor accessible to the peer")
    func server() throws {
        var bench = try Bench.bonded()
        let service = try bench.publish(Clinic.definition)
        let link = try bench.accept(address)
        let handle = service.value(0)
        let id = bench.notify([(handle, [1])], on: link)
        #expect(bench.error(id) == .notEncrypted)
        #expect(throws: HostError.notEncrypted) {
            try bench.core.tryNotify([1], of: handle, on: link, now: bench.now)
        }
        let refusals = bench.read(handle, by: address) + bench.write([1], to: handle, by: address)
        #expect(
            refusals == [
                .refusal(.readRequest, handle, .insufficientEncryption),
                .refusal(.writeRequest, handle, .insufficientEncryption),
            ]
        )
        bench.controller.requestKey(from: address)
        bench.drive()
        #expect(bench.read(handle, by: address) == [.value([1, 2, 3])])
    }

    @Test("The link is reported at once, and the peer's identity after its authentication")
    func announcement() throws {
        var bench = try Bench.bonded()
        let link = try bench.accept(address)
        #expect(bench.incomingLinks.map(\.link) == [link])
        #expect(bench.core.provenBond(of: link) == nil)
        bench.controller.requestKey(from: address)
        bench.drive()
        #expect(bench.core.provenBond(of: link)?.peer == address)
    }

    @Test("A pairing request completes with encryption if the bond is strong enough")
    func pairing() throws {
        var bench = try Bench.bonded()
        let link = try bench.accept(address)
        let wish = bench.ask(.pair(Pairing.Policy()), of: link)
        bench.drive()
        #expect(bench.security(heardBy: address) == [[0x0B, 0x09]], "the Central is asked at once")
        bench.controller.requestKey(from: address)
        bench.drive()
        guard case .security(let security) = try bench.answer(wish) else {
            throw Bench.UnexpectedAnswer()
        }
        #expect(security == Bonded.security)
    }

    @Test("A bond that is too weak is used for encryption before the pairing")
    func upgrade() throws {
        var bench = try Bench.bonded { $0.pairingDelegate = SilentDelegate() }
        let link = try bench.connect(address)
        var policy = Pairing.Policy()
        policy.requiresAuthentication = true
        policy.ioCapability = .displayYesNo
        let wish = bench.ask(.pair(policy), of: link)
        bench.drive()
        #expect(bench.isPending(wish))
        #expect(bench.security(heardBy: address).last?.first == 0x01)
        #expect(bench.core.security(of: link) == Bonded.security, "as long as nothing is agreed")
    }
}
