// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A packet log on disk.
///
/// Records are gathered and written when asked, or when `bufferLimit` is reached; only whole records
/// are written, so that a process that is killed leaves a file that can be read.
package final class TraceFile: Sendable {
    /// How many bytes are gathered at most before they are written.
    static let bufferLimit = 65_536

    private struct State {
        var buffer: [UInt8]
        /// What blanks keys; nil leaves them.
        var redaction: KeyRedaction?
        var failure: TransportError?
    }

    private let path: String
    private let descriptor: Descriptor
    private let state: Mutex<State>

    /// Makes the file, or empties the one that is there. Only its owner may read it: a log holds
    /// what passes, with zeros in place of keys, unless they are to be in it.
    package init(
        creatingAt path: String,
        includesKeys: Bool = false
    ) throws(TransportError) {
        let number = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw Self.error("create", path) }
        self.path = path
        descriptor = Descriptor(owning: number)
        state = Mutex(
            State(buffer: Btsnoop.header, redaction: includesKeys ? nil : KeyRedaction())
        )
        flush()
        if let failure { throw failure }
    }

    deinit {
        flush()
    }

    /// Why nothing is written any more: the disk is full, say. What it observes goes on.
    package var failure: TransportError? { state.withLock { $0.failure } }

    /// Appends a packet with the time of now.
    package func append(_ packet: ArraySlice<UInt8>, _ direction: Btsnoop.Direction) {
        append(
            Btsnoop.Record(
                microsecondsSince1970: SystemClock.nanosecondsSince1970 / 1000,
                direction: direction,
                packet: packet
            )
        )
    }

    /// Appends a packet that carries its own time, as those of a world with a time of its own do.
    package func append(_ record: Btsnoop.Record) {
        state.withLock { state in
            guard state.failure == nil else { return }
            var record = record
            if let blanked = state.redaction?.blank(record.packet, record.direction) {
                record.packet = blanked
            }
            Btsnoop.append(record, to: &state.buffer)
            if state.buffer.count >= Self.bufferLimit { write(&state) }
        }
    }

    /// Writes what is gathered.
    package func flush() {
        state.withLock { write(&$0) }
    }

    private func write(_ state: inout State) {
        var rest = state.buffer[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor.number, $0) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if !SystemError.last.isTemporary {
                state.failure = Self.error("write", path)
                break
            }
        }
        state.buffer.removeAll(keepingCapacity: true)
    }

    private static func error(_ operation: String, _ path: String) -> TransportError {
        SystemError.last.transportError(operation, name: path, path: path)
    }
}

extension TraceFile {
    /// How many bytes are read at once.
    private static let readLimit = 65_536

    /// Hands every record of a log to `body`, in order.
    ///
    /// Throws a `TransportError` if the file cannot be read, and a `BtsnoopError` if it is no log
    /// or is damaged; the records before the damage were handed out.
    package static func read(
        _ path: String,
        _ body: (Btsnoop.Record) throws -> Void
    ) throws {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw error("open", path) }
        let descriptor = Descriptor(owning: number)
        var reader = BtsnoopReader()
        while true {
            let bytes = [UInt8](unsafeUninitializedCapacity: readLimit) { buffer, count in
                count = max(0, systemRead(descriptor.number, buffer.baseAddress, readLimit))
            }
            guard !bytes.isEmpty else { return try reader.finish() }
            reader.append(bytes[...])
            while let record = try reader.next() { try body(record) }
        }
    }
}

// The C functions, where methods of the same name hide them.

private func systemWrite(_ number: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(number, bytes.baseAddress, bytes.count)
}

private func systemRead(_ number: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int)
    -> Int
{
    read(number, buffer, count)
}
