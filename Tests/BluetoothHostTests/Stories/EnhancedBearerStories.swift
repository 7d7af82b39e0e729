// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothL2CAP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Enhanced ATT bearers")
struct EnhancedBearerStories {
    private let peer: ModelPeer

    init() {
        var peer = ModelPeer(1)
        peer.channels = .listening(for: .enhancedATT)
        self.peer = peer
    }

    private func connected(isEncrypted: Bool = true) throws -> (Bench, LinkIdentifier) {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        if isEncrypted {
            bench.core.withLink(link, now: bench.now) { link, _ in
                link.security = LinkSecurity(isEncrypted: true, keySize: 16)
            }
        }
        return (bench, link)
    }

    private func withBearers(_ count: Int) throws -> (Bench, LinkIdentifier) {
        var (bench, link) = try connected()
        let id = bench.takeRequest()
        bench.core.openEnhancedBearers(count, on: link, id: id, now: bench.now)
        bench.drive()
        #expect(throws: Never.self) { try bench.answer(id) }
        #expect(bench.core.enhancedBearerCount(of: link) == count)
        return (bench, link)
    }

    private func readDeviceName(_ range: String = "0100FFFF") -> [UInt8] {
        [0x08] + ([UInt8](hexadecimal: range) ?? []) + [0x00, 0x2A]
    }

    @Test("A peer's request is answered on its bearer")
    func serves() throws {
        var (bench, link) = try connected()
        bench.channels(of: peer.address) { channels in
            channels.open(.enhancedATT, .enhanced, count: 2)
        }
        #expect(bench.core.enhancedBearerCount(of: link) == 2)
        let ends = bench.controller.peers[peer.address]?.channels?.link.openChannels ?? []
        try #require(ends.count == 2)
        // Both requests are sent at once, and neither waits for the other.
        bench.channels(of: peer.address) { channels in
            for end in ends { channels.send(readDeviceName(), on: end) }
        }
        bench.channels(of: peer.address) { channels in
            for end in ends {
                let answer = channels.link.take(from: end)
                #expect(answer?.first == 0x09)
                #expect(answer?.suffix(7) == Array("Lanyard".utf8)[...])
            }
        }
    }

    @Test("The MTU is that of the channel and cannot be exchanged")
    func exchangesNoMTU() throws {
        var (bench, _) = try connected()
        bench.channels(of: peer.address) { channels in
            channels.open(.enhancedATT, .enhanced)
        }
        bench.channels(of: peer.address) { channels in channels.send([0x02, 0x00, 0x02]) }
        bench.channels(of: peer.address) { channels in
            let answer = channels.take()
            #expect(answer == [0x01, 0x02, 0x00, 0x00, 0x06])
        }
    }

    @Test("Enhanced bearers require encryption and the enhanced mode")
    func needsEncryption() throws {
        var (bench, link) = try connected(isEncrypted: false)
        bench.channels(of: peer.address) { channels in
            channels.open(.enhancedATT, .enhanced)
        }
        bench.channels(of: peer.address) { channels in channels.open(.enhancedATT, .credit) }
        let told = bench.controller.peers[peer.address]?.channels?.told ?? []
        #expect(
            told == [
                .refused(1, .refused(.insufficientAuthentication)),
                .refused(1, .refused(.spsmNotSupported)),
            ]
        )
        #expect(bench.core.enhancedBearerCount(of: link) == 0)
    }

    @Test("A peer gets at most five enhanced bearers")
    func limit() throws {
        var (bench, link) = try connected()
        for _ in 0..<2 {
            bench.channels(of: peer.address) { channels in
                channels.open(.enhancedATT, .enhanced, count: 3)
            }
        }
        #expect(bench.core.enhancedBearerCount(of: link) == EnhancedBearers.limit)
    }

    @Test("An indication of Service Changed counts on every bearer")
    func serviceChanged() throws {
        var (bench, link) = try withBearers(1)
        bench.core.withLink(link, now: bench.now) { link, _ in
            link.bearer.client.expectServiceChanged(at: AttributeHandle(3))
        }
        bench.channels(of: peer.address) { channels in
            channels.send([0x1D, 0x03, 0x00, 0x10, 0x00, 0x2F, 0x00])
        }
        let changes = bench.events.compactMap { event in
            if case .servicesChanged(link, let handles) = event { handles } else { nil }
        }
        #expect(changes == [AttributeHandle(0x10)...AttributeHandle(0x2F)])
        bench.channels(of: peer.address) { channels in
            #expect(channels.take() == [0x1E])
        }
    }

    @Test("A read uses a bearer that is not busy, and its response arrives there")
    func overtakes() throws {
        var (bench, link) = try withBearers(1)
        bench.controller.peers[peer.address]?.isSilent = true
        let slow = bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        let quick = bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        bench.drive()
        bench.channels(of: peer.address) { channels in
            let request = channels.take()
            #expect(request?.first == 0x0A)
            channels.send([0x0B, 1, 2, 3])
        }
        guard case .gatt(.value(let value)) = try bench.answer(quick) else {
            throw Bench.UnexpectedAnswer()
        }
        #expect(value == [1, 2, 3])
        #expect(bench.isPending(slow))
    }

    @Test("Writes keep their order on the first bearer")
    func keepsOrder() throws {
        var (bench, link) = try withBearers(2)
        let writes = (0..<6).map { number in
            bench.ask(.gatt(.write(ModelServer.writableHandle, [UInt8(number)])), of: link)
        }
        bench.drive()
        #expect(bench.unfinished(writes).isEmpty)
        let told = bench.controller.peers[peer.address]?.channels?.told ?? []
        #expect(!told.contains { if case .arrived = $0 { true } else { false } })
    }

    @Test("A bearer that ends fails only its own requests")
    func ends() throws {
        var (bench, link) = try withBearers(1)
        bench.controller.peers[peer.address]?.isSilent = true
        let slow = bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        let lost = bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        bench.drive()
        bench.channels(of: peer.address) { channels in channels.close() }
        guard case .failure(let error)? = bench.result(lost) else {
            Issue.record("not told")
            return
        }
        #expect(error as? GATT.Failure == .bearerClosed)
        #expect(bench.isPending(slow))
        #expect(bench.core.enhancedBearerCount(of: link) == 0)
    }

    @Test("A bearer with an unanswered request is closed, and the link remains")
    func hangs() throws {
        var (bench, link) = try withBearers(1)
        bench.controller.peers[peer.address]?.isSilent = true
        let slow = bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        bench.drive()
        let hanging = bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        bench.drive()
        bench.controller.sendPDU(.readResponse(.init(value: [9])), from: peer.address)
        bench.drive()
        #expect(throws: Never.self) { try bench.answer(slow) }
        bench.advance(by: .seconds(31))
        #expect(!bench.isPending(hanging))
        #expect(bench.core.enhancedBearerCount(of: link) == 0)
        #expect(bench.ends[link] == nil)
    }

    @Test("Waiting requests on every bearer fail once the peer's table has changed")
    func staleHandles() throws {
        var (bench, link) = try withBearers(1)
        _ = bench.ask(.database, of: link)
        bench.drive()
        bench.controller.peers[peer.address]?.isSilent = true
        let reads = (0..<4).map { _ in
            bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        }
        bench.drive()
        let now = bench.now
        let load = bench.core.look(at: link) { $0.enhanced[0].load }
        #expect(load == 2)
        bench.core.withLink(link, now: now) { $0.databaseChanged(&$1) }
        bench.drive()
        // One request on each bearer is at the peer, which refuses it.
        #expect(reads.map { bench.isPending($0) } == [true, true, false, false])
        let refusal = GATT.Failure.attribute(
            .databaseOutOfSync,
            handle: ModelServer.readableHandle
        )
        for read in reads.suffix(2) {
            #expect(throws: refusal) { try bench.answer(read) }
        }
    }

    @Test("The end of the link ends bearers and their requests")
    func linkEnds() throws {
        var (bench, link) = try withBearers(2)
        bench.controller.peers[peer.address]?.isSilent = true
        let reads = (0..<6).map { _ in
            bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        }
        bench.drive()
        bench.controller.dropLink(to: peer.address, .connectionTimeout)
        bench.drive()
        for read in reads { #expect(bench.error(read) == .disconnected(.connectionTimeout)) }
    }
}
