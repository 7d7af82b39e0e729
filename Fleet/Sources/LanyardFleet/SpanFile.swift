// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Synchronization
import Tracing

/// A tracer that appends each ended span to a file, as a line of OpenTelemetry's JSON. The receiver
/// `otlpjsonfile` of the OpenTelemetry Collector reads such files.
///
/// Spans do not cross processes: MQTT messages carry no trace context.
final class SpanFile: Tracer {
    /// The maximum size of the file in bytes. If a line does not fit, the tracer first appends `.1`
    /// to the file's name, replaces an earlier file of that name, and begins a new file.
    static let sizeLimit = 16 << 20

    private struct State {
        var descriptor: Int32
        var size: Int
    }

    private let path: String
    private let state: Mutex<State>

    /// Opens or creates a file.
    ///
    /// - Throws: `JournalError` with the error of the system.
    init(_ path: String) throws {
        self.path = path
        state = try Mutex(Self.opened(path))
    }

    deinit { close(state.withLock { $0.descriptor }) }

    private static func opened(_ path: String) throws -> State {
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw JournalError("open", path) }
        return State(descriptor: descriptor, size: Int(lseek(descriptor, 0, SEEK_END)))
    }

    /// Writes a line. A line that cannot be written is dropped: spans are for observation only.
    private func append(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        state.withLock { state in
            if state.size + bytes.count > Self.sizeLimit, rename(path, path + ".1") == 0,
                let next = try? Self.opened(path)
            {
                close(state.descriptor)
                state = next
            }
            let count = bytes.withUnsafeBytes {
                write(state.descriptor, $0.baseAddress, $0.count)
            }
            state.size += max(count, 0)
        }
    }

    // MARK: The tracer

    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> FileSpan {
        FileSpan(
            operationName,
            in: context(),
            kind: kind,
            start: instant().nanosecondsSinceEpoch
        ) { [self] in append($0) }
    }

    func forceFlush() {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {}

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {}
}
