// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("A queue of bytes")
struct ByteQueueTests {
    @Test("Bytes leave the queue in the order in which they were appended")
    func firstInFirstOut() {
        var queue = ByteQueue()
        queue.append([1, 2, 3])
        queue.append([4, 5])
        #expect(Array(queue.take(upTo: 2)) == [1, 2])
        #expect(Array(queue.take(upTo: 2)) == [3, 4])
        #expect(Array(queue.take(upTo: 2)) == [5])
        #expect(queue.isEmpty)
    }

    @Test("A take with a limit of 0 or less removes no bytes", arguments: [-1, 0])
    func zeroLimit(limit: Int) {
        var queue = ByteQueue()
        queue.append([1])
        #expect(queue.take(upTo: limit).isEmpty)
        #expect(queue.count == 1)
    }

    @Test("A take from an empty queue returns no bytes")
    func emptyQueue() {
        var queue = ByteQueue()
        #expect(queue.take(upTo: 10).isEmpty)
    }

    @Test("Queues with the same remaining bytes are equal")
    func equality() {
        var left = ByteQueue()
        left.append([9, 1, 2, 3])
        _ = left.take(upTo: 1)
        var right = ByteQueue()
        right.append([1, 2, 3])
        #expect(left == right)
        _ = right.take(upTo: 1)
        #expect(left != right)
    }

    @Test("A queue is empty after removeAll and accepts new bytes")
    func removal() {
        var queue = ByteQueue()
        queue.append([1, 2, 3])
        _ = queue.take(upTo: 1)
        queue.removeAll()
        #expect(queue.isEmpty)
        queue.append([4])
        #expect(Array(queue.take(upTo: 9)) == [4])
    }

    @Test("Random takes return the same bytes as an array", arguments: RunSeed.seeds(20))
    func randomTakes(seed: UInt64) {
        var chance = SplitMix64(seed: seed)
        var queue = ByteQueue()
        var model: [UInt8] = []
        for _ in 0..<500 {
            if chance.next() % 2 == 0 {
                let bytes = chance.bytes(upTo: 40)
                queue.append(bytes)
                model += bytes
            } else {
                let limit = Int(chance.next() % 50)
                #expect(Array(queue.take(upTo: limit)) == Array(model.prefix(limit)))
                model.removeFirst(min(limit, model.count))
            }
            #expect(queue.count == model.count)
        }
    }
}
