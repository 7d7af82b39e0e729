// SPDX-License-Identifier: Apache-2.0

import FlyingSocks

/// The chunks of a response in the form in which FlyingFox reads them. If they end with an error,
/// FlyingFox closes the connection.
struct ChunkSequence: AsyncBufferedSequence {
    typealias Chunks = AsyncThrowingStream<[UInt8], any Error>

    private let chunks: Chunks

    init(_ chunks: Chunks) {
        self.chunks = chunks
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(chunks: chunks.makeAsyncIterator())
    }

    struct Iterator: AsyncBufferedIteratorProtocol {
        fileprivate var chunks: Chunks.Iterator
        /// The bytes of the last chunk that were not returned.
        private var rest: ArraySlice<UInt8> = []

        fileprivate init(chunks: Chunks.Iterator) {
            self.chunks = chunks
        }

        mutating func next() async throws -> UInt8? {
            try await fill() ? rest.popFirst() : nil
        }

        /// Returns a whole chunk, of any length.
        mutating func nextBuffer(suggested count: Int) async throws -> ArraySlice<UInt8>? {
            guard try await fill() else { return nil }
            defer { rest = [] }
            return rest
        }

        /// Waits for bytes. Returns false at the end.
        private mutating func fill() async throws -> Bool {
            while rest.isEmpty {
                guard let chunk = try await chunks.next() else { return false }
                rest = chunk[...]
            }
            return true
        }
    }
}
