// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Traffic")
struct TrafficTests {
    private let peer = ModelPeer(1)

    private func connected(
        _ profile: ModelProfile = .rich,
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) throws -> (Harness, LinkIdentifier) {
        var harness = Harness.ready(profile, peers: [peer], configure: configure)
        let link = try harness.connect(peer.address)
        return (harness, link)
    }

    private func server(_ harness: Harness) -> ModelServer? {
        harness.controller.peers[peer.address]?.server
    }

    @Test(
        "A whole exploration succeeds with packets of any size",
        arguments: [ModelProfile.rich, .poor, .shared],
        [1, 3, 27, 251]
    )
    func exploration(_ profile: ModelProfile, fragmentLength: Int) throws {
        var (harness, link) = try connected(profile)
        harness.controller.fragmentLength = fragmentLength
        let long = [UInt8]((0..<400).map { UInt8(truncatingIfNeeded: $0) })
        let requests = Exploration.requests(writing: long).map { harness.ask($0, of: link) }
        harness.drive()
        for request in requests { #expect(throws: Never.self) { try harness.answer(request) } }
        #expect(server(harness)?[ModelServer.writableHandle]?.value == long)
        #expect(server(harness)?.isSubscribed == true)
        let read = harness.ask(.gatt(.readLong(ModelServer.writableHandle)), of: link)
        harness.drive()
        guard case .gatt(.value(let value)) = try harness.answer(read)
        else { throw Harness.UnexpectedAnswer() }
        #expect(value == long)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("Writes without response are sent in order, within the number of buffers")
    func oneBuffer() throws {
        var (harness, link) = try connected(.poor)
        let handle = try #require(harness.controller.handle(of: peer.address))
        harness.controller.keepsPackets = true
        let values = (0..<100).map { [UInt8($0)] }
        let writes = values.map { value in
            harness.ask(.gatt(.writeWithoutResponse(ModelServer.writableHandle, value)), of: link)
        }
        harness.drive()
        #expect(
            writes.contains { harness.isPending($0) },
            "The host buffers a limited number of writes"
        )
        for _ in values {
            harness.controller.releasePackets(1, on: handle)
            harness.drive()
        }
        #expect(harness.unfinished(writes).isEmpty)
        #expect(server(harness)?.commandValues == values)
        #expect(harness.controller.violations.isEmpty)
    }

    /// Sends a value on the path that `Link.writeWithoutResponse` tries first.
    private func writeAtOnce(
        _ value: [UInt8],
        _ harness: inout Harness,
        _ link: LinkIdentifier
    ) -> Bool {
        defer { harness.performActions() }
        let handle = ModelServer.writableHandle
        return harness.core.writeAtOnce(value, to: handle, on: link, now: harness.now)
    }

    @Test("A write without response is sent at once, in packets of any size", arguments: [12, 251])
    func atOnce(packetLength: Int) throws {
        var profile = ModelProfile.rich
        profile.aclPacketLength = packetLength
        var (harness, link) = try connected(profile)
        let values = (0..<5).map { [UInt8](repeating: $0, count: 20) }
        for value in values {
            let isSent = writeAtOnce(value, &harness, link)
            #expect(isSent)
            harness.drive()
        }
        #expect(server(harness)?.commandValues == values)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A write without response is sent at once only while no other request waits before it")
    func atOnceKeepsOrder() throws {
        var (harness, link) = try connected(.poor)
        let handle = try #require(harness.controller.handle(of: peer.address))
        harness.controller.keepsPackets = true
        var sent: UInt8 = 0
        while writeAtOnce([sent], &harness, link) {
            sent += 1
            try #require(sent < 100)
        }
        #expect(Int(sent) == ModelProfile.poor.aclPacketCount + ACLTransmitQueue.frameLimit)
        let waiting = harness.ask(
            .gatt(.writeWithoutResponse(ModelServer.writableHandle, [sent])),
            of: link
        )
        #expect(harness.isPending(waiting))
        for _ in 0...sent {
            harness.controller.releasePackets(1, on: handle)
            harness.drive()
        }
        #expect(server(harness)?.commandValues == (0...sent).map { [$0] })
        harness.controller.keepsPackets = false
        _ = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        let overtakesRead = writeAtOnce([0xFF], &harness, link)
        #expect(!overtakesRead)
        harness.drive()
        let isTooLong = !writeAtOnce([UInt8](repeating: 0, count: 513), &harness, link)
        #expect(isTooLong)
        let hasLink = writeAtOnce([1], &harness, LinkIdentifier(rawValue: 99))
        #expect(!hasLink)
    }

    @Test("When a response arrives, the requests that waited for it fill every buffer at once")
    func everyBuffer() throws {
        var profile = ModelProfile.rich
        profile.aclPacketCount = 2 * ACLTransmitQueue.frameLimit + 3
        var (harness, link) = try connected(profile)
        let handle = try #require(harness.controller.handle(of: peer.address))
        harness.controller.keepsPackets = true
        // The second read waits for the first one. The writes wait until the second read is sent.
        for _ in 0..<2 { _ = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link) }
        for number in 0..<UInt8(profile.aclPacketCount + 1) {
            _ = harness.ask(
                .gatt(.writeWithoutResponse(ModelServer.writableHandle, [number])),
                of: link
            )
        }
        harness.drive()
        #expect(harness.controller.links[handle]?.heldPackets.count == 1)
        harness.controller.releasePackets(1, on: handle)
        harness.drive()
        #expect(harness.controller.links[handle]?.heldPackets.count == profile.aclPacketCount)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("Reads and writes without response keep their order")
    func order() throws {
        var (harness, link) = try connected()
        let requests: [LinkRequest] = (0..<30).map { number in
            let handle = ModelServer.writableHandle
            return number.isMultiple(of: 3)
                ? .gatt(.read(handle)) : .gatt(.writeWithoutResponse(handle, [UInt8(number)]))
        }
        let asked = requests.map { harness.ask($0, of: link) }
        harness.drive()
        for (number, request) in asked.enumerated() where number.isMultiple(of: 3) {
            guard case .gatt(.value(let value)) = try harness.answer(request)
            else { throw Harness.UnexpectedAnswer() }
            #expect(value == (number == 0 ? [] : [UInt8(number - 1)]))
        }
    }

    @Test("An Error Response of the peer fails the request")
    func refusedRead() throws {
        var (harness, link) = try connected()
        harness.controller.peers[peer.address]?.server.refusals = [
            ModelServer.readableHandle: .insufficientEncryption
        ]
        let read = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        harness.drive()
        guard case .failure(let error)? = harness.result(read) else {
            throw Harness.UnexpectedAnswer()
        }
        #expect(
            error as? GATT.Failure
                == .attribute(.insufficientEncryption, handle: ModelServer.readableHandle)
        )
    }

    @Test("A peer that stops responding loses its link after thirty seconds")
    func silentPeer() throws {
        var (harness, link) = try connected()
        harness.controller.peers[peer.address]?.isSilent = true
        let reads = (0..<3).map { _ in
            harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        }
        harness.advance(by: .seconds(31))
        #expect(harness.unfinished(reads).isEmpty)
        #expect(harness.core.linkList.isEmpty)
        #expect(harness.ends[link]?.count == 1)
        #expect(harness.core.nextDeadline == nil)
    }

    @Test(
        "Notifications arrive completely and in order, with packets of any size",
        arguments: [1, 7, 27]
    )
    func notifications(fragmentLength: Int) throws {
        var (harness, link) = try connected()
        harness.controller.fragmentLength = fragmentLength
        let values = (0..<100).map { [UInt8](repeating: UInt8($0), count: 1 + $0 * 2) }
        for value in values { harness.controller.notify(value, from: peer.address) }
        harness.drive()
        #expect(harness.notifications.map(\.value) == values)
        #expect(harness.notifications.allSatisfy { $0.link == link })
    }

    @Test("Invalid packets are ignored, and the link remains")
    func strayData() throws {
        var (harness, link) = try connected()
        let handle = try #require(harness.controller.handle(of: peer.address))
        let stray = HCI.ACLPacket(
            connectionHandle: ConnectionHandle(rawValue: 0x0EE),
            boundary: .firstFlushable,
            payload: [1, 0, 4, 0, 0x1B]
        )
        let orphan = HCI.ACLPacket(
            connectionHandle: handle,
            boundary: .continuing,
            payload: [1, 2, 3]
        )
        harness.feed(stray.h4Bytes + orphan.h4Bytes)
        for frame in [
            L2CAPFrame.encode([1, 2, 3], on: ChannelIdentifier(rawValue: 0x0077)),
            L2CAPFrame.encode([], on: .att), L2CAPFrame.encode([0x1B, 3], on: .att),
            L2CAPFrame.encode([0xFF, 1, 2], on: .att), L2CAPFrame.encode([0x0B, 1], on: .att),
        ] { harness.controller.sendFrame(frame, on: handle) }
        let read = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(read) }
        #expect(harness.log.count >= 4)
        #expect(harness.core.state == .ready)
    }
}

@Suite("Flow control")
struct FlowTests {
    @Test("Four links at full speed are served equally, and no packet is lost", arguments: 1...9)
    func fairness(bufferCount: Int) throws {
        var profile = ModelProfile.rich
        profile.aclPacketCount = bufferCount
        let peers = (1...4).map { ModelPeer($0) }
        var harness = Harness.ready(profile, peers: peers)
        let links = try peers.map { try harness.connect($0.address) }
        let handles = peers.compactMap { harness.controller.handle(of: $0.address) }
        harness.controller.keepsPackets = true
        let before = harness.controller.dataPackets.count
        var writes: [RequestIdentifier] = []
        for link in links {
            for number in 0..<60 {
                let value = [UInt8](repeating: UInt8(number), count: 20)
                writes.append(
                    harness.ask(
                        .gatt(.writeWithoutResponse(ModelServer.writableHandle, value)),
                        of: link
                    )
                )
            }
        }
        // The controller passes packets on one at a time, in the order of their arrival.
        var passed = before
        while passed < harness.controller.dataPackets.count {
            harness.controller.releasePackets(1, on: harness.controller.dataPackets[passed])
            passed += 1
            for peer in peers {
                harness.controller.notify([UInt8(passed & 0xFF)], from: peer.address)
            }
            harness.drive()
        }
        #expect(harness.unfinished(writes).isEmpty)
        for peer in peers {
            let values = harness.controller.peers[peer.address]?.server.commandValues ?? []
            #expect(values.map(\.first) == (0..<60).map { UInt8($0) })
        }
        #expect(harness.notifications.count == 4 * (passed - before))
        #expect(harness.controller.violations.isEmpty)
        // While all links had data, no link was far ahead of another.
        let busy = harness.controller.dataPackets.dropFirst(max(before, passed - 240)).prefix(200)
        for handle in handles {
            #expect(
                (30...70).contains(busy.count { $0 == handle }),
                "Each link sends 30 to 70 of 200 packets"
            )
        }
    }

    @Test("Wrong numbers of completed packets from the controller have no effect")
    func wrongCounts() throws {
        let peer = ModelPeer(1)
        var profile = ModelProfile.rich
        profile.aclPacketCount = 2
        var harness = Harness.ready(profile, peers: [peer])
        let link = try harness.connect(peer.address)
        let handle = try #require(harness.controller.handle(of: peer.address))
        for (reported, count) in [
            (handle, UInt16(9)), (.init(rawValue: 0xABC), 1), (handle, 0xFFFF),
        ] {
            harness.controller.send(
                .numberOfCompletedPackets(
                    .init(completed: [.init(connectionHandle: reported, count: count)])
                )
            )
        }
        harness.drive()
        harness.controller.keepsPackets = true
        let writes = (0..<20).map { number in
            harness.ask(
                .gatt(.writeWithoutResponse(ModelServer.writableHandle, [UInt8(number)])),
                of: link
            )
        }
        harness.drive()
        #expect(harness.controller.violations.isEmpty)
        #expect(harness.core.context.transmitQueue.outstanding(handle) == 2)
        for _ in 0..<20 {
            harness.controller.releasePackets(1, on: handle)
            harness.drive()
        }
        #expect(harness.unfinished(writes).isEmpty)
        #expect(harness.core.context.transmitQueue.outstanding(handle) == 0)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("The buffers of a lost link become available to the remaining link")
    func lostLink() throws {
        var profile = ModelProfile.rich
        profile.aclPacketCount = 2
        let peers = (1...2).map { ModelPeer($0) }
        var harness = Harness.ready(profile, peers: peers)
        let links = try peers.map { try harness.connect($0.address) }
        harness.controller.keepsPackets = true
        let writes = links.map { link in
            (0..<10).map { number in
                harness.ask(
                    .gatt(.writeWithoutResponse(ModelServer.writableHandle, [UInt8(number)])),
                    of: link
                )
            }
        }
        harness.drive()
        harness.controller.dropLink(to: peers[0].address, .connectionTimeout)
        harness.controller.keepsPackets = false
        let handle = try #require(harness.controller.handle(of: peers[1].address))
        harness.controller.releasePackets(10, on: handle)
        harness.drive()
        #expect(harness.unfinished(writes.joined()).isEmpty)
        #expect(harness.controller.peers[peers[1].address]?.server.commandValues.count == 10)
        #expect(harness.controller.violations.isEmpty)
    }
}
