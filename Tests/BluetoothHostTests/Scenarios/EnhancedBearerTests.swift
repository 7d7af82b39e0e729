// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothL2CAP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Enhanced ATT bearers")
struct EnhancedBearerTests {
    private let peer: ModelPeer

    init() {
        var peer = ModelPeer(1)
        peer.channels = .listening(for: .enhancedATT)
        self.peer = peer
    }

    private func connected(isEncrypted: Bool = true) throws -> (Harness, LinkIdentifier) {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        if isEncrypted {
            harness.core.withLink(link, now: harness.now) { link, _ in
                link.security = LinkSecurity(isEncrypted: true, keySize: 16)
            }
        }
        return (harness, link)
    }

    private func withBearers(_ count: Int) throws -> (Harness, LinkIdentifier) {
        var (harness, link) = try connected()
        let id = harness.takeRequest()
        harness.core.request(.enhancedBearers(count), of: link, id: id, now: harness.now)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(id) }
        #expect(harness.core.enhancedBearerCount(of: link) == count)
        return (harness, link)
    }

    private func readDeviceName(_ range: String = "0100FFFF") -> [UInt8] {
        [0x08] + ([UInt8](hexadecimal: range) ?? []) + [0x00, 0x2A]
    }

    @Test("A request of the peer is answered on the bearer that carried it")
    func serves() throws {
        var (harness, link) = try connected()
        harness.channels(of: peer.address) { channels in
            channels.open(.enhancedATT, .enhanced, count: 2)
        }
        #expect(harness.core.enhancedBearerCount(of: link) == 2)
        let ends = harness.controller.peers[peer.address]?.channels?.link.openChannels ?? []
        try #require(ends.count == 2)
        // Both requests are sent at once, and neither waits for the other.
        harness.channels(of: peer.address) { channels in
            for end in ends { channels.send(readDeviceName(), on: end) }
        }
        harness.channels(of: peer.address) { channels in
            for end in ends {
                let answer = channels.link.take(from: end)
                #expect(answer?.first == 0x09)
                #expect(answer?.suffix(7) == Array("Lanyard".utf8)[...])
            }
        }
    }

    @Test("A request to exchange the MTU of an enhanced bearer is refused")
    func exchangesNoMTU() throws {
        var (harness, _) = try connected()
        harness.channels(of: peer.address) { channels in
            channels.open(.enhancedATT, .enhanced)
        }
        harness.channels(of: peer.address) { channels in channels.send([0x02, 0x00, 0x02]) }
        harness.channels(of: peer.address) { channels in
            let answer = channels.take()
            #expect(answer == [0x01, 0x02, 0x00, 0x00, 0x06])
        }
    }

    @Test("Enhanced bearers require encryption and the enhanced mode")
    func needsEncryption() throws {
        var (harness, link) = try connected(isEncrypted: false)
        harness.channels(of: peer.address) { channels in
            channels.open(.enhancedATT, .enhanced)
        }
        harness.channels(of: peer.address) { channels in channels.open(.enhancedATT, .credit) }
        let reports = harness.controller.peers[peer.address]?.channels?.reports ?? []
        #expect(
            reports == [
                .refused(1, .refused(.insufficientAuthentication)),
                .refused(1, .refused(.spsmNotSupported)),
            ]
        )
        #expect(harness.core.enhancedBearerCount(of: link) == 0)
    }

    @Test("A peer gets at most five enhanced bearers")
    func limit() throws {
        var (harness, link) = try connected()
        for _ in 0..<2 {
            harness.channels(of: peer.address) { channels in
                channels.open(.enhancedATT, .enhanced, count: 3)
            }
        }
        #expect(harness.core.enhancedBearerCount(of: link) == EnhancedBearers.limit)
    }

    @Test("An indication of Service Changed on an enhanced bearer is reported and confirmed")
    func serviceChanged() throws {
        var (harness, link) = try withBearers(1)
        harness.core.withLink(link, now: harness.now) { link, _ in
            link.bearer.client.expectServiceChanged(at: AttributeHandle(3))
        }
        harness.channels(of: peer.address) { channels in
            channels.send([0x1D, 0x03, 0x00, 0x10, 0x00, 0x2F, 0x00])
        }
        let changes = harness.events.compactMap { event in
            if case .servicesChanged(link, let handles, true) = event { handles } else { nil }
        }
        #expect(changes == [[AttributeHandle(0x10)...AttributeHandle(0x2F)]])
        harness.channels(of: peer.address) { channels in
            #expect(channels.take() == [0x1E])
        }
    }

    @Test("A read uses a bearer that is not busy, and gets its response on that bearer")
    func overtakes() throws {
        var (harness, link) = try withBearers(1)
        harness.controller.peers[peer.address]?.isSilent = true
        let slow = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        let quick = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        harness.drive()
        harness.channels(of: peer.address) { channels in
            let request = channels.take()
            #expect(request?.first == 0x0A)
            channels.send([0x0B, 1, 2, 3])
        }
        guard case .gatt(.value(let value)) = try harness.answer(quick) else {
            throw Harness.UnexpectedAnswer()
        }
        #expect(value == [1, 2, 3])
        #expect(harness.isPending(slow))
    }

    /// Returns a response with one byte for each value, the low byte of its handle.
    private func response(to request: [UInt8]?) throws -> [UInt8] {
        let request = try #require(request)
        #expect(request.first == 0x20)
        var response: [UInt8] = [0x21]
        for place in stride(from: 1, to: request.count, by: 2) {
            response += [1, 0, request[place]]
        }
        return response
    }

    @Test("Each response with several values completes its own request", arguments: [1, 2])
    func readsAtOnce(_ count: Int) throws {
        var (harness, link) = try withBearers(count)
        harness.controller.peers[peer.address]?.isSilent = true
        let reads = (0...UInt16(count)).map { number in
            let handles = [AttributeHandle(0x20 + number), AttributeHandle(0x30 + number)]
            return harness.ask(.gatt(.readMultipleVariable(handles)), of: link)
        }
        harness.drive()
        var channels = try #require(harness.controller.peers[peer.address]?.channels)
        let ends = channels.link.openChannels
        let requests = ends.map { channels.link.take(from: $0) }
        #expect(requests.count == count)
        let responses = try requests.map { try response(to: $0) }
        harness.channels(of: peer.address) { channels in
            for (end, response) in zip(ends, responses) { channels.send(response, on: end) }
        }
        // The first read is on the unenhanced bearer, and the peer answers it last.
        #expect(
            reads.map { harness.isPending($0) } == [true] + Array(repeating: false, count: count)
        )
        let handle = try #require(harness.controller.handle(of: peer.address))
        let last: [UInt8] = [0x21, 1, 0, 0x20, 1, 0, 0x30]
        harness.controller.sendFrame(L2CAPFrame.encode(last, on: .att), on: handle)
        harness.drive()
        for (number, read) in reads.enumerated() {
            guard case .gatt(.values(let values)) = try harness.answer(read) else {
                throw Harness.UnexpectedAnswer()
            }
            #expect(values.map(\.value) == [[UInt8(0x20 + number)], [UInt8(0x30 + number)]])
        }
    }

    @Test("All writes use the unenhanced bearer")
    func keepsOrder() throws {
        var (harness, link) = try withBearers(2)
        let writes = (0..<6).map { number in
            harness.ask(.gatt(.write(ModelServer.writableHandle, [UInt8(number)])), of: link)
        }
        harness.drive()
        #expect(harness.unfinished(writes).isEmpty)
        let reports = harness.controller.peers[peer.address]?.channels?.reports ?? []
        #expect(!reports.contains { if case .arrived = $0 { true } else { false } })
    }

    @Test("A bearer that ends fails only its own requests")
    func ends() throws {
        var (harness, link) = try withBearers(1)
        harness.controller.peers[peer.address]?.isSilent = true
        let slow = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        let lost = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        harness.drive()
        harness.channels(of: peer.address) { channels in channels.close() }
        guard case .failure(let error)? = harness.result(lost) else {
            Issue.record("The second read has no error")
            return
        }
        #expect(error as? GATT.Failure == .bearerClosed)
        #expect(harness.isPending(slow))
        #expect(harness.core.enhancedBearerCount(of: link) == 0)
    }

    @Test("A bearer with an unanswered request is closed, and the link remains")
    func hangs() throws {
        var (harness, link) = try withBearers(1)
        harness.controller.peers[peer.address]?.isSilent = true
        let slow = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        harness.drive()
        let hanging = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        harness.drive()
        harness.controller.sendPDU(.readResponse(.init(value: [9])), from: peer.address)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(slow) }
        harness.advance(by: .seconds(31))
        #expect(!harness.isPending(hanging))
        #expect(harness.core.enhancedBearerCount(of: link) == 0)
        #expect(harness.ends[link] == nil)
    }

    @Test("Waiting requests on every bearer fail once the peer's database has changed")
    func staleHandles() throws {
        var (harness, link) = try withBearers(1)
        _ = harness.ask(.database, of: link)
        harness.drive()
        harness.controller.peers[peer.address]?.isSilent = true
        let reads = (0..<4).map { _ in
            harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        }
        harness.drive()
        let now = harness.now
        let load = harness.core.look(at: link) { $0.enhanced[0].load }
        #expect(load == 2)
        harness.core.withLink(link, now: now) { $0.databaseChanged(&$1) }
        harness.drive()
        // One request on each bearer was already sent, and waits for the peer's response.
        #expect(reads.map { harness.isPending($0) } == [true, true, false, false])
        let refusal = GATT.Failure.attribute(
            .databaseOutOfSync,
            handle: ModelServer.readableHandle
        )
        for read in reads.suffix(2) {
            #expect(throws: refusal) { try harness.answer(read) }
        }
    }

    @Test("GATT/CL/GPM/BV-11-C: The hash is read first after Database Out Of Sync on both bearers")
    func outOfSync() throws {
        var (harness, link) = try withBearers(1)
        _ = harness.ask(.database, of: link)
        harness.drive()
        harness.controller.peers[peer.address]?.isSilent = true
        let read = GATT.Operation.read(ModelServer.readableHandle)
        let reads = (0..<2).map { _ in harness.ask(.gatt(read), of: link) }
        harness.drive()
        let handle = UInt8(ModelServer.readableHandle.rawValue)
        let refusal: [UInt8] = [0x01, 0x0A, handle, 0x00, 0x12]
        harness.channels(of: peer.address) { channels in
            #expect(channels.take() == [0x0A, handle, 0x00])
            channels.send(refusal)
        }
        let count = harness.controller.peers[peer.address]?.server.received.count ?? 0
        harness.controller.peers[peer.address]?.isSilent = false
        let connection = try #require(harness.controller.handle(of: peer.address))
        harness.controller.sendFrame(L2CAPFrame.encode(refusal, on: .att), on: connection)
        harness.drive()
        for read in reads {
            #expect(
                throws: GATT.Failure.attribute(
                    .databaseOutOfSync,
                    handle: ModelServer.readableHandle
                )
            ) { try harness.answer(read) }
        }
        // A read of an old handle fails without a request, until the database is requested again.
        let early = harness.ask(.gatt(read), of: link)
        harness.drive()
        #expect(throws: GATT.Failure.self) { try harness.answer(early) }
        _ = harness.ask(.database, of: link)
        harness.drive()
        let received = harness.controller.peers[peer.address]?.server.received.dropFirst(count)
        let hash = ATT.ReadByTypeRequest(
            start: .first,
            end: .last,
            type: GATT.AttributeType.databaseHash
        )
        #expect(received?.first == .readByTypeRequest(hash))
    }

    @Test("The end of the link fails the requests on all bearers")
    func linkEnds() throws {
        var (harness, link) = try withBearers(2)
        harness.controller.peers[peer.address]?.isSilent = true
        let reads = (0..<6).map { _ in
            harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        }
        harness.drive()
        harness.controller.dropLink(to: peer.address, .connectionTimeout)
        harness.drive()
        for read in reads { #expect(harness.error(read) == .disconnected(.connectionTimeout)) }
    }
}
