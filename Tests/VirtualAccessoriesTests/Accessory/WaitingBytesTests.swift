// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Testing

@testable import VirtualAccessories

@Suite struct WaitingBytesTests {
    private let first = AttributeHandle(rawValue: 1)
    private let second = AttributeHandle(rawValue: 2)

    @Test("The bytes are sent in order, in parts that fit into a value")
    func parts() {
        var waiting = WaitingBytes()
        waiting.append([1, 2, 3], of: first)
        waiting.append([4], of: second)
        var sent: [[UInt8]] = []
        while let (bytes, _) = waiting.next(length: 2) {
            sent.append(bytes)
            waiting.removeNext(length: 2)
        }
        #expect(sent == [[1, 2], [3], [4]])
    }

    @Test("A value that does not fit is dropped as a whole")
    func limit() {
        var waiting = WaitingBytes()
        let lot = [UInt8](repeating: 7, count: WaitingBytes.limit - 1)
        waiting.append(lot, of: first)
        waiting.append([1, 2], of: first)
        waiting.append([3], of: first)
        waiting.append([4], of: first)
        waiting.removeNext(length: lot.count)
        #expect(waiting.next(length: 20)?.0 == [3])
        waiting.append([5, 6], of: first)
        waiting.removeNext(length: 20)
        #expect(waiting.next(length: 20)?.0 == [5, 6])
    }

    @Test("The bytes of an ended subscription are removed")
    func unsubscribe() {
        var waiting = WaitingBytes()
        waiting.append([1, 2], of: first)
        waiting.append([3], of: second)
        waiting.remove(of: first)
        #expect(waiting.next(length: 20)?.0 == [3])
        waiting.removeNext(length: 20)
        #expect(waiting.next(length: 20) == nil)
    }
}
