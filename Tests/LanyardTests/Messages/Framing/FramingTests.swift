// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import Testing

/// Properties of every framing.
@Suite("Framings")
struct FramingTests {
    @Test(
        "A stream of frames gives its messages, wherever it is cut",
        arguments: TestedFraming.allCases
    )
    func everySplit(_ tested: TestedFraming) throws {
        let stream = try tested.make().stream(of: sampleMessages)
        let whole = sampleMessages.map(FramingEvent.message)
        #expect(events(of: tested.make(), in: stream) == whole)
        for cut in 0...stream.count {
            let found = events(of: tested.make(), in: stream.prefix(cut), stream.dropFirst(cut))
            #expect(found == whole, "cut at \(cut)")
        }
    }

    @Test("A stream gives its messages byte by byte", arguments: TestedFraming.allCases)
    func dripFeed(_ tested: TestedFraming) throws {
        var framing = tested.make()
        let stream = try framing.stream(of: sampleMessages)
        let found = stream.flatMap { framing.receive(Data([$0])) }
        #expect(found == sampleMessages.map(FramingEvent.message))
    }

    @Test("An empty chunk gives no event", arguments: TestedFraming.allCases)
    func emptyChunk(_ tested: TestedFraming) {
        #expect(events(of: tested.make(), in: Data(), Data()) == [])
    }

    @Test("A message that is too long is not framed", arguments: TestedFraming.allCases)
    func frameLimit(_ tested: TestedFraming) throws {
        let framing = tested.make()
        let longest = Data(repeating: 0x41, count: TestedFraming.limit)
        #expect(events(of: framing, in: try framing.frame(longest)) == [.message(longest)])
        #expect(throws: MessageError.tooLarge(count: 101, limit: 100)) {
            try framing.frame(longest + Data([0x41]))
        }
    }

    @Test(
        "A message that is too long is reported once, and the next is found, wherever it is cut",
        arguments: TestedFraming.allCases
    )
    func oversize(_ tested: TestedFraming) throws {
        let tooLong = Data(repeating: 0x41, count: 300)
        let good = Data("good".utf8)
        let stream = try tested.make(limit: 1_000).stream(of: [tooLong, good])
        for cut in 0...stream.count {
            let found = events(of: tested.make(), in: stream.prefix(cut), stream.dropFirst(cut))
            #expect(found == [.oversize(limit: 100), .message(good)], "cut at \(cut)")
        }
    }

    @Test("An incomplete message is discarded with its link", arguments: TestedFraming.allCases)
    func reset(_ tested: TestedFraming) throws {
        let good = Data("good".utf8)
        for length in [20, 300] {
            let lost = try tested.make(limit: 1_000).frame(Data(repeating: 0x42, count: length))
            for cut in 0..<lost.count {
                var framing = tested.make()
                _ = framing.receive(lost.prefix(cut))
                framing.reset()
                let found = framing.receive(try framing.frame(good))
                #expect(found == [.message(good)], "lost after \(cut)")
            }
        }
    }

    @Test("A slice of data gives the same result", arguments: TestedFraming.allCases)
    func slices(_ tested: TestedFraming) throws {
        let framing = tested.make()
        let message = Data("--in the middle--".utf8).dropFirst(2).dropLast(2)
        let frame = try framing.frame(message)
        let within = (Data(repeating: 0x7F, count: 5) + frame + Data([0x7F])).dropFirst(5)
            .dropLast()
        #expect(events(of: framing, in: within) == [.message(Data("in the middle".utf8))])
    }
}
