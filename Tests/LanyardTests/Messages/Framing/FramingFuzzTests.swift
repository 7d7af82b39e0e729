// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTestSupport
import Testing

/// Whatever comes: no trap, no growth, and the next good message is found.
@Suite("Framings and garbage")
struct FramingFuzzTests {
    private static let octetCount = 1_200_000
    private static let good = Data(#"{"tell":"good"}"#.utf8)

    /// Octets of which every second one is a control, a zero or a small length.
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

    @Test("Random octets never trap, and nothing longer than the limit comes of them")
    func random() async {
        for (seed, tested) in TestedFraming.allCases.enumerated() {
            var random = SplitMix64(seed: UInt64(seed))
            var framing = tested.make()
            var count = 0
            while count < Self.octetCount {
                // Other tests have their turn: the threads for tests are few.
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
        "A good frame is found after any garbage",
        arguments: [TestedFraming.startEnd, .cobs]
    )
    func recovery(_ tested: TestedFraming) throws {
        var random = SplitMix64(seed: 7)
        var framing = tested.make()
        // What began in the garbage ends with a delimiter; STX needs none.
        let delimiter = tested == .cobs ? Data([0]) : Data()
        let frame = delimiter + (try framing.frame(Self.good))
        for _ in 0..<4_000 {
            _ = framing.receive(Self.garbage(.random(in: 0...500, using: &random), &random))
            let cut = Int.random(in: 0...frame.count, using: &random)
            let found = framing.receive(frame.prefix(cut)) + framing.receive(frame.dropFirst(cut))
            #expect(found.last == .message(Self.good))
        }
    }

    @Test("Cut at random, a stream gives all of its messages", arguments: TestedFraming.allCases)
    func randomCuts(_ tested: TestedFraming) throws {
        var random = SplitMix64(seed: 11)
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
