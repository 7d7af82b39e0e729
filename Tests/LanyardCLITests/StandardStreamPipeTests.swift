// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Synchronization
import Testing

@testable import LanyardCLI

@Suite("A channel joined with standard input and output")
struct StandardStreamPipeTests {
    /// A channel that echoes each SDU, and closes after `limit` of them. A strict channel closes
    /// only when it receives one more.
    private final class EchoChannel: StandardStreamPipe.Channel {
        private struct State {
            var sent: [[UInt8]] = []
            var isClosed = false
        }

        private let state = Mutex(State())
        private let echoes: AsyncStream<[UInt8]>
        private let feed: AsyncStream<[UInt8]>.Continuation
        private let limit: Int
        private let isStrict: Bool

        init(limit: Int = .max, isStrict: Bool = false) {
            (echoes, feed) = AsyncStream.makeStream(of: [UInt8].self)
            self.limit = limit
            if limit == 0 { feed.finish() }
            self.isStrict = isStrict
        }

        var sent: [[UInt8]] { state.withLock { $0.sent } }
        var isClosed: Bool { state.withLock { $0.isClosed } }

        var sendLimit: Int {
            get async throws {
                if isClosed { throw L2CAP.Failure.closed }
                if sent.count >= limit { throw L2CAP.Failure.closedByPeer }
                return 10
            }
        }

        func send(_ sdu: [UInt8]) async throws {
            if sent.count >= limit {
                feed.finish()
                throw L2CAP.Failure.closedByPeer
            }
            state.withLock { $0.sent.append(sdu) }
            feed.yield(sdu)
            if sent.count >= limit, !isStrict { feed.finish() }
        }

        func receive() async throws -> [UInt8]? {
            for await echo in echoes { return echo }
            return nil
        }

        func close() async {
            state.withLock { $0.isClosed = true }
            feed.finish()
        }
    }

    /// Standard input whose bytes can all be read at once.
    private final class Input: Sendable {
        private let rest: Mutex<ArraySlice<UInt8>>

        init(_ bytes: [UInt8]) { rest = Mutex(bytes[...]) }

        func read(_ count: Int) -> [UInt8]? {
            rest.withLock { rest in
                guard !rest.isEmpty else { return nil }
                defer { rest = rest.dropFirst(count) }
                return Array(rest.prefix(count))
            }
        }
    }

    private final class Output: Sendable {
        private let bytes = Mutex<[UInt8]>([])

        func write(_ more: [UInt8]) { bytes.withLock { $0 += more } }

        var written: [UInt8] { bytes.withLock { $0 } }
    }

    private func pipe(
        _ channel: EchoChannel,
        _ input: [UInt8],
        to output: Output,
        outlivesInput: Bool = false
    ) -> StandardStreamPipe {
        let input = Input(input)
        return StandardStreamPipe(
            channel: channel,
            read: { input.read($0) },
            write: { output.write($0) },
            outlivesInput: outlivesInput
        )
    }

    @Test("Input is sent in SDUs that fit the peer, and its end closes the channel")
    func inputEnds() async throws {
        let (channel, output) = (EchoChannel(), Output())
        try await pipe(channel, Array(0..<25), to: output).run()
        #expect(channel.sent == [Array(0..<10), Array(10..<20), Array(20..<25)])
        #expect(channel.isClosed)
    }

    @Test("The pipe ends with the channel, after all output was written")
    func channelEnds() async throws {
        let (channel, output) = (EchoChannel(limit: 2), Output())
        try await pipe(channel, Array(0..<20), to: output, outlivesInput: true).run()
        #expect(output.written == Array(0..<20))
    }

    @Test("Input left over when the peer closes the channel is an error, reported after the output")
    func cutOff() async {
        let (channel, output) = (EchoChannel(limit: 2, isStrict: true), Output())
        let pipe = pipe(channel, Array(0..<100), to: output)
        let failure = await #expect(throws: ProgramFailure.self) { try await pipe.run() }
        #expect(failure?.status == .inputOutput)
        #expect(output.written == Array(0..<20))
    }

    @Test(
        "Input that is left over when the peer closes the channel at once is an error",
        arguments: [false, true]
    )
    func cutOffAtOnce(outlivesInput: Bool) async {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let input = Input(Array(0..<100))
        let pipe = StandardStreamPipe(
            channel: EchoChannel(limit: 0),
            // The input is read only after the output has ended.
            read: { count in
                for await _ in begun { break }
                return input.read(count)
            },
            write: { _ in },
            outlivesInput: outlivesInput,
            isInputReady: {
                begin.finish()
                return true
            }
        )
        let failure = await #expect(throws: ProgramFailure.self) { try await pipe.run() }
        #expect(failure?.status == .inputOutput)
    }

    @Test("A peer that closes the channel at once ends a pipe whose input has ended")
    func endsAtOnce() async throws {
        let pipe = StandardStreamPipe(
            channel: EchoChannel(limit: 0),
            read: { _ in nil },
            write: { _ in },
            outlivesInput: true,
            isInputReady: { true }
        )
        try await pipe.run()
    }

    @Test("With `outlivesInput`, a pipe continues after the end of its input until the peer closes")
    func waits() async throws {
        let (channel, output) = (EchoChannel(limit: 3), Output())
        try await pipe(channel, Array(0..<30), to: output, outlivesInput: true).run()
        #expect(output.written == Array(0..<30))
        #expect(!channel.isClosed)
    }

    @Test("A closed output closes the channel and is reported")
    func outputFails() async {
        let channel = EchoChannel()
        let input = Input(Array(0..<30))
        let pipe = StandardStreamPipe(
            channel: channel,
            read: { input.read($0) },
            write: { _ in throw ProgramFailure.outputClosed },
            outlivesInput: true
        )
        await #expect(throws: ProgramFailure.outputClosed) { try await pipe.run() }
        #expect(channel.isClosed)
    }

    @Test(
        "Numbers may be decimal or hexadecimal",
        arguments: [("128", 128), ("0x80", 128), ("1", 1)]
    )
    func numbers(text: String, number: UInt16) throws {
        let options = try ChannelOptions.parse(["--psm", text])
        #expect(try options.number.rawValue == number)
    }

    @Test("A number out of range is a usage error", arguments: ["0", "256", "0x100", "-1", "psm"])
    func wrongNumbers(text: String) throws {
        let options = try ChannelOptions.parse(["--psm=\(text)"])
        let failure = #expect(throws: ProgramFailure.self) { try options.number }
        #expect(failure?.status == .usage)
    }
}
