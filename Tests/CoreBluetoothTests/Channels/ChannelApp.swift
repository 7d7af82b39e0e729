// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// An app that uses the streams of a channel on its own thread. Each event of its stream
/// delegate is a line of its journal.
///
/// Unchecked: everything except the journal and `read` is used only on `thread`.
final class ChannelApp: NSObject, StreamDelegate, @unchecked Sendable {
    /// The reactions of the stream delegate.
    struct Reactions: Sendable {
        /// The number of bytes to read at a time. `nil` to read nothing.
        var reads: Int?
        /// Whether to continue writing when there is space.
        var continuesWriting = false
    }

    let journal = Journal()
    private let thread: LoopThread
    private let delegate: ChannelDelegate
    private var reactions = Reactions()
    private var rest: [UInt8] = []
    private let lock = NSLock()
    private var taken: [UInt8] = []

    /// Creates an app in the world of the fixture.
    init(_ delegate: ChannelDelegate, in fixture: ChannelFixture) throws {
        thread = try LoopThread(outsideWork: fixture)
        self.delegate = delegate
    }

    /// The bytes that were read.
    var read: [UInt8] { lock.withLock { taken } }

    func start(_ change: @escaping @Sendable (inout Reactions) -> Void = { _ in }) async {
        await thread.run { [self] in
            change(&reactions)
            for stream in streams {
                stream.delegate = self
                stream.schedule(in: .current, forMode: .default)
                stream.open()
            }
        }
    }

    func beginReading(_ limit: Int) async {
        await thread.run { [self] in
            reactions.reads = limit
            take(limit)
        }
    }

    func write(_ bytes: [UInt8]) {
        thread.perform { [self] in
            rest += bytes
            writeRest()
        }
    }

    func close() async {
        await thread.run { [self] in for stream in streams { stream.close() } }
    }

    func awaitEvent(_ line: String) async {
        await journal.wait(for: line)
    }

    func received(_ count: Int) async {
        await journal.wait { _ in self.read.count >= count }
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        if event == .hasBytesAvailable, let reads = reactions.reads { take(reads) }
        if event == .hasSpaceAvailable, reactions.continuesWriting { writeRest() }
        journal.add("\(stream is InputStream ? "input" : "output") \(name(event))")
    }

    private var streams: [Stream] {
        delegate.withChannel { [$0.inputStream, $0.outputStream].compactMap { $0 as Stream? } }
            ?? []
    }

    private func take(_ limit: Int) {
        let bytes = delegate.withChannel { channel in
            channel.inputStream.hasBytesAvailable ? channel.inputStream.read(limit) : nil
        }
        guard let bytes = bytes ?? nil else { return }
        lock.withLock { taken += bytes }
    }

    private func writeRest() {
        guard !rest.isEmpty else { return }
        let count = delegate.withChannel { channel in
            channel.outputStream.hasSpaceAvailable ? channel.outputStream.write(rest) : 0
        }
        rest.removeFirst(max(count ?? 0, 0))
    }

    private func name(_ event: Stream.Event) -> String {
        switch event {
        case .openCompleted: "openCompleted"
        case .hasBytesAvailable: "hasBytesAvailable"
        case .hasSpaceAvailable: "hasSpaceAvailable"
        case .errorOccurred: "errorOccurred"
        case .endEncountered: "endEncountered"
        default: "\(event.rawValue)"
        }
    }
}
