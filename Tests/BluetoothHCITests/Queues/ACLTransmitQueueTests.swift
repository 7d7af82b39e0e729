// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHCI

@Suite("ACL transmit queue") struct ACLTransmitQueueTests {
    static let first = ConnectionHandle(rawValue: 1)
    static let second = ConnectionHandle(rawValue: 2)
    static let third = ConnectionHandle(rawValue: 3)

    private func makeQueue(
        packetLength: Int = 4,
        packetCount: Int = 100,
        links: [ConnectionHandle] = [first]
    ) -> ACLTransmitQueue {
        var queue = ACLTransmitQueue()
        queue.configure(packetLength: packetLength, packetCount: packetCount)
        for link in links { queue.open(link) }
        return queue
    }

    /// Returns the packets that the queue can send now.
    private func drain(_ queue: inout ACLTransmitQueue) throws -> [HCI.ACLPacket] {
        var packets: [HCI.ACLPacket] = []
        while let bytes = queue.nextPacket() {
            packets.append(try HCI.ACLPacket(parsing: bytes.dropFirst()))
        }
        return packets
    }

    @Test("A frame is split into fragments of the controller's buffer size")
    func fragments() throws {
        var queue = makeQueue()
        #expect(queue.enqueue([1, 2, 3, 4, 5, 6, 7, 8, 9], on: Self.first) == true)
        #expect(queue.nextPacket() == [0x02, 1, 0x00, 4, 0, 1, 2, 3, 4])
        #expect(queue.nextPacket() == [0x02, 1, 0x10, 4, 0, 5, 6, 7, 8])
        #expect(queue.nextPacket() == [0x02, 1, 0x10, 1, 0, 9])
        #expect(queue.nextPacket() == nil)
    }

    @Test("A frame that fits into a packet leaves with the header that its sender has written")
    func wholePacket() {
        var queue = makeQueue(packetLength: 4)
        var packet: [UInt8] = []
        HCI.ACLPacket.appendHeader(of: 4, on: Self.first, to: &packet)
        packet += [1, 2, 3, 4]
        #expect(queue.enqueue(packet: packet, on: Self.first) == true)
        #expect(queue.nextPacket() == [0x02, 1, 0x00, 4, 0, 1, 2, 3, 4])
        let header = Array(packet.prefix(5))
        #expect(queue.enqueue(packet: header, on: Self.first) == false, "The frame is empty")
    }

    @Test("A frame that is longer than the length field of a packet is split")
    func longestFrame() throws {
        var queue = makeQueue(packetLength: 60_000)
        let frame = [UInt8](repeating: 7, count: 65_539)
        #expect(queue.enqueue(frame, on: Self.first) == true)
        let packets = try drain(&queue)
        #expect(packets.map(\.payload.count) == [60_000, 5_539])
        #expect(packets.map(\.boundary) == [.firstNonFlushable, .continuing])
    }

    @Test("The queue reports whether the controller has sent all data up to a frame")
    func passing() {
        var queue = makeQueue(packetCount: 3)
        queue.enqueue([1, 2, 3], on: Self.first)
        let end = queue.end(of: [4, 5, 6, 7, 8], on: Self.first)
        queue.enqueue([4, 5, 6, 7, 8], on: Self.first)
        queue.enqueue([9], on: Self.first)
        #expect(queue.hasPassed(0, on: Self.first) && !queue.hasPassed(end, on: Self.first))
        while queue.nextPacket() != nil {}
        #expect(queue.packetsCompleted(Self.first, count: 2) == .accepted)
        #expect(!queue.hasPassed(end, on: Self.first))
        #expect(queue.packetsCompleted(Self.first, count: 1) == .accepted)
        #expect(queue.hasPassed(end, on: Self.first))
        #expect(queue.end(of: [1], on: Self.first) == end + 2)
    }

    @Test("Fragments of every buffer size reassemble to the original frames", arguments: 1...30)
    func everySize(packetLength: Int) throws {
        var queue = makeQueue(packetLength: packetLength)
        let frames: [[UInt8]] = [Array(0..<27), [1], Array(5..<9)]
        for frame in frames { #expect(queue.enqueue(frame, on: Self.first) == true) }
        var rebuilt: [[UInt8]] = []
        for packet in try drain(&queue) {
            #expect(packet.payload.count <= packetLength)
            if packet.boundary == .firstNonFlushable { rebuilt.append([]) }
            rebuilt[rebuilt.count - 1] += packet.payload
        }
        #expect(rebuilt == frames)
    }

    @Test("The queue uses only the available buffers until the controller returns some")
    func credits() {
        var queue = makeQueue(packetCount: 2)
        queue.enqueue(Array(1...12), on: Self.first)
        #expect(queue.nextPacket() != nil)
        #expect(queue.nextPacket() != nil)
        #expect(queue.nextPacket() == nil)
        #expect(queue.outstanding(Self.first) == 2)
        #expect(queue.packetsCompleted(Self.first, count: 1) == .accepted)
        #expect(queue.nextPacket() != nil)
        #expect(queue.nextPacket() == nil)
    }

    @Test("Links take turns packet by packet") func fairness() throws {
        var queue = makeQueue(links: [Self.first, Self.second, Self.third])
        queue.enqueue(Array(1...12), on: Self.first)
        queue.enqueue(Array(1...12), on: Self.second)
        queue.enqueue(Array(1...4), on: Self.third)
        let order = try drain(&queue).map(\.connectionHandle.rawValue)
        #expect(order == [1, 2, 3, 1, 2, 1, 2])
    }

    @Test("A link cannot use the last of several buffers if another link is open")
    func reserve() throws {
        var queue = makeQueue(packetCount: 4, links: [Self.first, Self.second])
        for _ in 0..<4 { queue.enqueue([1], on: Self.first) }
        #expect(try drain(&queue).count == 3)
        queue.enqueue([1], on: Self.second)
        #expect(try drain(&queue).map(\.connectionHandle) == [Self.second])
    }

    @Test("The links that have data share the buffers") func share() throws {
        var queue = makeQueue(packetCount: 4, links: [Self.first, Self.second])
        for link in [Self.first, Self.second] {
            for _ in 0..<4 { queue.enqueue([1], on: link) }
        }
        #expect(try drain(&queue).count == 4)
        #expect(queue.packetsCompleted(Self.second, count: 2) == .accepted)
        #expect(try drain(&queue).map(\.connectionHandle) == [Self.second, Self.second])
    }

    @Test("Every link is served even if there are fewer buffers than links") func scarce() throws {
        let links = [Self.first, Self.second, Self.third]
        var queue = makeQueue(packetCount: 1, links: links)
        for link in links { queue.enqueue([1], on: link) }
        for link in links {
            #expect(try drain(&queue).map(\.connectionHandle) == [link])
            #expect(queue.packetsCompleted(link, count: 1) == .accepted)
        }
    }

    @Test("The queue accepts a limited number of frames for each link") func frameLimit() {
        var queue = makeQueue()
        for _ in 0..<ACLTransmitQueue.frameLimit {
            #expect(queue.hasRoom(Self.first))
            #expect(queue.enqueue([1], on: Self.first) == true)
        }
        #expect(!queue.hasRoom(Self.first))
        #expect(queue.enqueue([1], on: Self.first) == false)
        for _ in ACLTransmitQueue.refillCount..<ACLTransmitQueue.frameLimit {
            #expect(!queue.hasRoom(Self.first), "A full queue is refilled with several frames")
            _ = queue.nextPacket()
        }
        #expect(queue.hasRoom(Self.first))
    }

    @Test("A frame that fits into one packet can take a free buffer without being queued")
    func direct() throws {
        var queue = makeQueue(packetCount: 3, links: [Self.first, Self.second])
        var taken: [Bool] = []
        taken.append(queue.takeBuffer(forFrameOf: 4, on: Self.first))
        #expect(queue.outstanding(Self.first) == 1)
        #expect(queue.end(of: [1], on: Self.first) == 2)
        // The first frame needs two packets, and the second is for a link that is not open.
        taken.append(queue.takeBuffer(forFrameOf: 5, on: Self.first))
        taken.append(queue.takeBuffer(forFrameOf: 1, on: Self.third))
        taken.append(queue.takeBuffer(forFrameOf: 1, on: Self.first))
        // The last buffer is for the other link.
        taken.append(queue.takeBuffer(forFrameOf: 1, on: Self.first))
        taken.append(queue.takeBuffer(forFrameOf: 1, on: Self.second))
        #expect(taken == [true, false, false, true, false, true])
        #expect(queue.packetsCompleted(Self.first, count: 2) == .accepted)
        queue.enqueue([1, 2, 3, 4, 5], on: Self.first)
        let overtakes = queue.takeBuffer(forFrameOf: 1, on: Self.first)
        #expect(!overtakes)
        #expect(try drain(&queue).count == 1, "The two links share three buffers")
    }

    @Test("Closing a link frees its buffers and drops its frames") func close() throws {
        var queue = makeQueue(packetCount: 2, links: [Self.first, Self.second])
        queue.enqueue(Array(1...12), on: Self.first)
        _ = queue.nextPacket()
        queue.enqueue([1], on: Self.second)
        queue.close(Self.first)
        #expect(queue.outstanding(Self.first) == 0)
        #expect(!queue.hasRoom(Self.first))
        queue.enqueue([2], on: Self.second)
        #expect(try drain(&queue).map(\.payload) == [[1], [2]])
        #expect(queue.packetsCompleted(Self.first, count: 1) == .unknownHandle)
    }

    @Test("Reopening a handle that was not closed resets its state")
    func reopened() throws {
        var queue = makeQueue(packetCount: 1)
        queue.enqueue([1, 2, 3, 4, 5], on: Self.first)
        _ = queue.nextPacket()
        queue.open(Self.first)
        #expect(queue.outstanding(Self.first) == 0)
        queue.enqueue([9], on: Self.first)
        #expect(try drain(&queue).map(\.payload) == [[9]])
    }

    @Test("The queue ignores completions beyond the number of packets sent") func moreThanSent() {
        var queue = makeQueue(packetCount: 2)
        queue.enqueue(Array(1...12), on: Self.first)
        _ = queue.nextPacket()
        #expect(queue.packetsCompleted(Self.first, count: 65535) == .moreThanSent(ignored: 65534))
        #expect(queue.outstanding(Self.first) == 0)
        #expect(queue.nextPacket() != nil)
        #expect(queue.nextPacket() != nil)
        #expect(queue.nextPacket() == nil, "The controller has two buffers")
        #expect(queue.packetsCompleted(Self.third, count: 1) == .unknownHandle)
        #expect(queue.packetsCompleted(Self.first, count: 0) == .accepted)
    }

    @Test(
        "The queue sends nothing to a controller without buffers",
        arguments: [(0, 5), (27, 0), (-1, 5), (27, -1)]
    )
    func noBuffers(packetLength: Int, packetCount: Int) {
        var queue = makeQueue(packetLength: packetLength, packetCount: packetCount)
        #expect(!queue.hasRoom(Self.first))
        #expect(queue.enqueue([1], on: Self.first) == false)
        #expect(queue.nextPacket() == nil)
    }

    @Test("The queue refuses empty frames and links that are not open") func refusals() {
        var queue = makeQueue()
        #expect(queue.enqueue([], on: Self.first) == false)
        #expect(queue.enqueue([1], on: Self.second) == false)
        queue.close(Self.second)
    }

    @Test(
        "The queue never uses more buffers than the controller has",
        arguments: RunSeed.seeds(1)
    ) func invariant(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let handles = (1...5).map(ConnectionHandle.init(rawValue:))
        for _ in 0..<100 {
            let packetCount = Int.random(in: 1...6, using: &generator)
            var queue = makeQueue(packetCount: packetCount, links: handles)
            for _ in 0..<200 {
                let handle = handles.randomElement(using: &generator) ?? Self.first
                switch Int.random(in: 0...9, using: &generator) {
                case 0: queue.close(handle)
                case 1: queue.open(handle)
                case 2...4: queue.enqueue(generator.bytes(9), on: handle)
                case 5...7: _ = queue.nextPacket()
                default:
                    let count = Int.random(in: 0...3, using: &generator)
                    _ = queue.packetsCompleted(handle, count: count)
                }
                let occupied = handles.reduce(0) { $0 + queue.outstanding($1) }
                #expect(occupied <= packetCount)
            }
        }
    }
}
