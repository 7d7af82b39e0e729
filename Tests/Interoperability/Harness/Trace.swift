// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import Synchronization
import Testing

/// A btsnoop file of a test, deleted with the object unless `keep` was called.
final class Trace: Sendable {
    /// The side whose packets are checked.
    enum Sides: Sendable {
        case both
        /// Only our host's packets, because the peer sends invalid ones on purpose.
        case ours
    }

    let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString).btsnoop"
    private let isKept = Atomic(false)

    deinit {
        if !isKept.load(ordering: .relaxed) { unlink(path) }
    }

    /// Keeps the file for a later analysis, and prints its path.
    func keep() {
        isKept.store(true, ordering: .relaxed)
        print("The packets are in \(path)")
    }

    /// Returns the number of packets that our own reader finds.
    func countPackets() throws -> Int {
        var reader = BtsnoopReader()
        reader.append(Array(try Data(contentsOf: URL(fileURLWithPath: path)))[...])
        var count = 0
        while try reader.next() != nil { count += 1 }
        try reader.finish()
        return count
    }

    /// Makes Wireshark's dissector read the file. It must find `count` packets and none malformed.
    ///
    /// - Parameter count: The number of packets that were written. By default, the number that our
    ///   own reader finds.
    func expectWellFormed(
        count: Int? = nil,
        of sides: Sides = .both,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let verdict = try await Dissection(of: path, judging: sides)
        let expected = try count ?? countPackets()
        #expect(verdict.packetCount == expected, sourceLocation: location)
        #expect(verdict.malformed.isEmpty, sourceLocation: location)
        #expect(try countPackets() == expected, sourceLocation: location)
    }
}
