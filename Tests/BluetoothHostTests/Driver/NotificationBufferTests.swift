// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Synchronization
import Testing

@testable import BluetoothHost

@Suite("The values of a stream that wait for a reader")
struct NotificationBufferTests {
    private func value(_ number: Int) -> ArraySlice<UInt8> {
        [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)][...]
    }

    @Test("Values leave in the order of their arrival, however many wait")
    func order() {
        var queue = NotificationQueue()
        var (arrived, left) = (0, 0)
        for round in 0..<40 {
            for _ in 0..<(round % 7 + round) {
                queue.append(value(arrived))
                arrived += 1
            }
            for _ in 0..<min(queue.count, round % 5 + round / 2) {
                #expect(queue.takeFirst() == Array(value(left)))
                left += 1
            }
            #expect(queue.count == arrived - left)
        }
        while let next = queue.takeFirst() {
            #expect(next == Array(value(left)))
            left += 1
        }
        #expect(left == arrived)
        #expect(queue.isEmpty)
    }

    @Test("A queue reuses the memory of values that the reader has released")
    func memory() {
        var queue = NotificationQueue()
        var addresses: Set<Int> = []
        for number in 0..<100 {
            queue.append(value(number))
            guard let taken = queue.takeFirst() else { continue }
            addresses.insert(taken.withUnsafeBytes { Int(bitPattern: $0.baseAddress) })
        }
        #expect(addresses.count == NotificationQueue.initialSlotCount)
    }

    @Test("A value that the reader keeps does not change")
    func kept() {
        var queue = NotificationQueue()
        var kept: [[UInt8]] = []
        for number in 0..<50 {
            queue.append(value(number))
            if let taken = queue.takeFirst() { kept.append(taken) }
        }
        #expect(kept == (0..<50).map { Array(value($0)) })
    }

    @Test("A waiting reader is woken once for all values of an input")
    func wake() async throws {
        let executor = AdapterExecutor()
        let buffer = NotificationBuffer(limit: 8) {}
        let reader = Task(executorPreference: executor.taskExecutor) {
            var values: [[UInt8]] = []
            while values.count < 3, let next = try await buffer.next(isolation: nil) {
                values.append(next)
            }
            return values
        }
        // The reader was enqueued first, so it waits now.
        await withCheckedContinuation { isWaiting in executor.perform { isWaiting.resume() } }
        #expect(buffer.append(value(1)) == .awaited)
        #expect(buffer.append(value(2)) == .kept)
        #expect(buffer.append(value(3)) == .kept)
        buffer.wake()
        #expect(try await reader.value == [1, 2, 3].map { Array(value($0)) })
        executor.shutDown()
    }

    @Test("A full buffer refuses values, and its reader gets the error after the values")
    func full() async throws {
        let buffer = NotificationBuffer(limit: 2) {}
        #expect(buffer.append(value(1)) == .kept)
        #expect(buffer.append(value(2)) == .kept)
        #expect(buffer.append(value(3)) == .dropped)
        buffer.finish(throwing: HostError.notificationsOverflowed)
        #expect(try await buffer.next(isolation: nil) == Array(value(1)))
        #expect(try await buffer.next(isolation: nil) == Array(value(2)))
        await #expect(throws: HostError.notificationsOverflowed) {
            try await buffer.next(isolation: nil)
        }
        #expect(try await buffer.next(isolation: nil) == nil)
    }

    @Test("Canceling a waiting task ends the stream once, and all its readers get nil")
    func cancellation() async throws {
        let executor = AdapterExecutor()
        let ends = Count()
        let buffer = NotificationBuffer(limit: 2) { ends.value.add(1, ordering: .relaxed) }
        let readers = (0..<2).map { _ in
            Task(executorPreference: executor.taskExecutor) {
                try await buffer.next(isolation: nil)
            }
        }
        await withCheckedContinuation { isWaiting in executor.perform { isWaiting.resume() } }
        readers[0].cancel()
        for reader in readers { #expect(try await reader.value == nil) }
        buffer.close()
        #expect(ends.value.load(ordering: .relaxed) == 1)
        executor.shutDown()
    }

    @Test("A canceled task gets the values that have arrived, and then nil")
    func canceledReader() async throws {
        let buffer = NotificationBuffer(limit: 2) {}
        #expect(buffer.append(value(1)) == .kept)
        let reader = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return [
                try await buffer.next(isolation: nil), try await buffer.next(isolation: nil),
            ]
        }
        #expect(try await reader.value == [Array(value(1)), nil])
    }
}

private final class Count: Sendable {
    let value = Atomic(0)
}
