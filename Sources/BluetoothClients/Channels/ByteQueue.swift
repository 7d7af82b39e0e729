// SPDX-License-Identifier: Apache-2.0

/// A queue of bytes.
struct ByteQueue: Equatable, Sendable {
    private var storage: [UInt8] = []
    /// The number of bytes at the start of `storage` that were taken.
    private var taken = 0

    var count: Int { storage.count - taken }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ bytes: some Collection<UInt8>) {
        storage.append(contentsOf: bytes)
    }

    /// Removes and returns the first bytes, at most `limit`.
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

    /// Frees the space of taken bytes once they are more than the waiting bytes. Each taken byte
    /// thus causes at most one byte to move.
    private mutating func moveUp() {
        guard taken > storage.count / 2 else { return }
        storage.removeFirst(taken)
        taken = 0
    }

    static func == (left: ByteQueue, right: ByteQueue) -> Bool {
        left.storage.dropFirst(left.taken).elementsEqual(right.storage.dropFirst(right.taken))
    }
}
