// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import CoreBluetooth

@Suite struct ByteQueueTests {
    @Test func bytesLeaveInTheOrderInWhichTheyCame() {
        var queue = ByteQueue()
        queue.append([1, 2, 3])
        queue.append([4, 5])
        #expect(Array(queue.take(upTo: 2)) == [1, 2])
        #expect(Array(queue.take(upTo: 2)) == [3, 4])
        #expect(Array(queue.take(upTo: 2)) == [5])
        #expect(queue.isEmpty)
    }

    @Test(arguments: [-1, 0]) func takingNothingTakesNothing(limit: Int) {
        var queue = ByteQueue()
        queue.append([1])
        #expect(queue.take(upTo: limit).isEmpty)
        #expect(queue.count == 1)
    }

    @Test func takingFromAnEmptyQueueGivesNothing() {
        var queue = ByteQueue()
        #expect(queue.take(upTo: 10).isEmpty)
    }

    @Test func queuesAreEqualByWhatTheyHold() {
        var left = ByteQueue()
        left.append([9, 1, 2, 3])
        _ = left.take(upTo: 1)
        var right = ByteQueue()
        right.append([1, 2, 3])
        #expect(left == right)
        _ = right.take(upTo: 1)
        #expect(left != right)
    }

    @Test func nothingIsLeftAfterRemovingAll() {
        var queue = ByteQueue()
        queue.append([1, 2, 3])
        _ = queue.take(upTo: 1)
        queue.removeAll()
        #expect(queue.isEmpty)
        queue.append([4])
        #expect(Array(queue.take(upTo: 9)) == [4])
    }

    @Test(arguments: RunSeed.seeds(20))
    func anyTakingGivesWhatAnArrayWouldGive(seed: UInt64) {
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
