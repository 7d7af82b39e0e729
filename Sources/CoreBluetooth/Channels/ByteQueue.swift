// SPDX-License-Identifier: Apache-2.0

/// Bytes that wait, in the order in which they came.
struct ByteQueue: Equatable, Sendable {
    private var storage: [UInt8] = []
    /// How many of the first bytes of `storage` have been taken.
    private var taken = 0

    var count: Int { storage.count - taken }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ bytes: some Collection<UInt8>) {
        storage.append(contentsOf: bytes)
    }

    /// Takes up to `limit` bytes out.
    mutating func take(upTo limit: Int) -> ArraySlice<UInt8> {
        let length = min(max(limit, 0), count)
        let bytes = storage[taken..<taken + length]
        taken += length
        moveUp()
        return bytes
    }

    mutating func removeAll() {
        storage.removeAll()
        taken = 0
    }

    /// Gives the room of taken bytes back once it is more than the bytes that wait, so that each
    /// byte is moved at most once for each that was taken.
    private mutating func moveUp() {
        guard taken > storage.count / 2 else { return }
        storage.removeFirst(taken)
        taken = 0
    }

    static func == (left: ByteQueue, right: ByteQueue) -> Bool {
        left.storage.dropFirst(left.taken).elementsEqual(right.storage.dropFirst(right.taken))
    }
}
