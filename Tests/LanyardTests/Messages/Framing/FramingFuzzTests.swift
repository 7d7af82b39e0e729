// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import Lanyard
import LanyardTestSupport
import Testing

/// Garbage causes no trap and no message beyond the limit.
@Suite("Framings and garbage")
struct FramingFuzzTests {
    private static let byteCount = 1_200_000
    private static let good = Data(#"{"tell":"good"}"#.utf8)

    /// Returns random bytes. About half of them are control characters, zeros or small lengths.
    private static func garbage(
        _ count: Int,
        _ random: inout some RandomNumberGenerator
    ) -> Data {
        Data(
            (0..<count).map { _ in
                Bool.random(using: &random)
                    ? UInt8.random(in: 0...4, using: &random) : .random(in: 0...255, using: &random)
            }
        )
    }

    @Test(
        "Random bytes do not trap, and no result exceeds the limit",
        arguments: RunSeed.seeds(1)
    )
    func random(seed: UInt64) async {
        for tested in TestedFraming.allCases {
            var random = SplitMix64(seed: seed)
            var framing = tested.make()
            var count = 0
            while count < Self.byteCount {
                // This long test yields, because few threads run all tests.
                await Task.yield()
                let length = Int.random(in: 0...600, using: &random)
                for case .message(let message) in framing.receive(Self.garbage(length, &random)) {
                    #expect(message.count <= TestedFraming.limit)
                }
                count += length
            }
        }
    }

    @Test(
        "A valid frame is found after any garbage",
        arguments: [TestedFraming.startEnd, .cobs],
        RunSeed.seeds(1)
    )
    func recovery(_ tested: TestedFraming, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var framing = tested.make()
        // A COBS delimiter ends a message that began in the garbage. An STX begins a new message by
        // itself.
        let delimiter = tested == .cobs ? Data([0]) : Data()
        let frame = delimiter + (try framing.frame(Self.good))
        for _ in 0..<4_000 {
            _ = framing.receive(Self.garbage(.random(in: 0...500, using: &random), &random))
            let cut = Int.random(in: 0...frame.count, using: &random)
            let found = framing.receive(frame.prefix(cut)) + framing.receive(frame.dropFirst(cut))
            #expect(found.last == .message(Self.good))
        }
    }

    @Test(
        "A stream in pieces of random length yields all of its messages",
        arguments: TestedFraming.allCases,
        RunSeed.seeds(1)
    )
    func randomCuts(_ tested: TestedFraming, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var framing = tested.make()
        let messages = (0..<2_000).map { _ in
            Data(
                (0..<Int.random(in: 0...100, using: &random)).map { _ in
                    UInt8.random(in: 4...255, using: &random)
                }
            )
        }
        var rest = try framing.stream(of: messages)[...]
        var found: [FramingEvent] = []
        while !rest.isEmpty {
            let length = Int.random(in: 1...244, using: &random)
            found += framing.receive(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        #expect(found == messages.map(FramingEvent.message))
    }
}
