// SPDX-License-Identifier: Apache-2.0

import FlyingFox
import JSONText

/// The responses that are not complete: the streams of events, and the results of commands.
///
/// A response that waits sends a mark without a meaning every few seconds. The mark distinguishes it
/// from a connection without a complete request, which `LiveRelay` closes.
actor LiveStreams {
    /// The maximum number of chunks that wait until FlyingFox takes them. It passes them to the relay
    /// at once, and the relay closes the connection of a page that does not read.
    static let chunkLimit = 64
    /// The time between two marks.
    static let markPeriod = Duration.seconds(3)

    private struct Stream {
        let feed: ChunkSequence.Chunks.Continuation
        /// A comment in a stream of events (HTML, 9.2.5), a space before a value of JSON.
        let mark: [UInt8]
        let hasEvents: Bool
    }

    private var streams: [Int: Stream] = [:]
    private var last = 0
    private let present: @Sendable () -> String

    /// The number of responses that are not complete.
    var count: Int { streams.count }

    /// - Parameter present: Returns the event with which a stream begins.
    init(present: @escaping @Sendable () -> String) {
        self.present = present
    }

    /// Returns the response with a stream of events, which begins with the present state and does not
    /// end.
    func events() -> HTTPResponse {
        let (number, body) = open(mark: ":\n\n", hasEvents: true)
        send(Self.message(present()), to: number)
        return .stream(body, type: "text/event-stream")
    }

    /// Returns the response with the result of a command, which is sent when the command ends.
    func result(of command: @escaping @Sendable () async -> JSON) -> HTTPResponse {
        let (number, body) = open(mark: " ", hasEvents: false)
        Task {
            let text = await command().compact
            send(Array(text.utf8), to: number)
            streams.removeValue(forKey: number)?.feed.finish()
        }
        return .stream(body, type: "application/json")
    }

    /// Sends an event to every stream of events.
    ///
    /// - Parameter event: Returns the event; nil for none. Called after the beginnings of earlier
    ///   streams and before those of later ones.
    func publish(_ event: @Sendable () -> String?) {
        guard let text = event() else { return }
        let bytes = Self.message(text)
        for (number, stream) in streams where stream.hasEvents { send(bytes, to: number) }
    }

    /// Sends a mark to every stream.
    func mark() {
        for (number, stream) in streams { send(stream.mark, to: number) }
    }

    private func open(mark: String, hasEvents: Bool) -> (Int, HTTPBodySequence) {
        let (chunks, feed) = ChunkSequence.Chunks.makeStream(
            bufferingPolicy: .bufferingOldest(Self.chunkLimit)
        )
        last += 1
        let number = last
        streams[number] = Stream(feed: feed, mark: Array(mark.utf8), hasEvents: hasEvents)
        feed.onTermination = { [weak self] _ in
            Task { await self?.remove(number) }
        }
        return (number, HTTPBodySequence(from: ChunkSequence(chunks)))
    }

    private func send(_ bytes: [UInt8], to number: Int) {
        guard case .dropped = streams[number]?.feed.yield(bytes) else { return }
        // A stream with a gap would show a wrong state. The page opens a new one.
        streams.removeValue(forKey: number)?.feed.finish(throwing: CancellationError())
    }

    private func remove(_ number: Int) {
        streams[number] = nil
    }

    private static func message(_ text: String) -> [UInt8] { Array("data: \(text)\n\n".utf8) }
}
