// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A packet log on the disk.
///
/// Records are buffered, and written on request, when `bufferLimit` is reached, or when the object
/// is released. Each write ends with a complete record.
package final class TraceFile: Sendable {
    /// The number of bytes in the buffer at which they are written.
    static let bufferLimit = 65_536

    private struct State {
        var buffer: [UInt8]
        /// The redaction of keys, or `nil` to keep them in the log.
        var redaction: KeyRedaction?
        var failure: TransportError?
    }

    private let path: String
    private let descriptor: Descriptor
    private let isPipe: Bool
    private let state: Lock<State>

    /// Creates the file, or truncates an existing one. Only the owner can then read a regular file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - includesKeys: Whether the log contains keys. If not, zeros replace them.
    /// - Throws: ``TransportError`` if the file cannot be created or written.
    package init(
        creatingAt path: String,
        includesKeys: Bool = false
    ) throws(TransportError) {
        self.path = path
        descriptor = try Self.open("create", path, O_WRONLY | O_CREAT | O_TRUNC)
        let number = descriptor.number
        // An existing file keeps its mode, so the mode is set here. A device or a pipe is left
        // unchanged, because it does not belong to the log.
        var status = stat()
        let kind = fstat(number, &status) == 0 ? status.st_mode & S_IFMT : 0
        if kind == S_IFREG { fchmod(number, 0o600) }
        isPipe = kind == S_IFIFO
        #if !os(Linux)
            // A pipe without a reader is an error, and not a signal that ends the process.
            if isPipe { _ = fcntl(number, F_SETNOSIGPIPE, 1) }
        #endif
        state = Lock(
            State(buffer: Btsnoop.header, redaction: includesKeys ? nil : KeyRedaction())
        )
        flush()
        if let failure { throw failure }
    }

    deinit {
        flush()
    }

    /// The error that stopped the log, for example because the disk is full, or `nil`. The logged
    /// transport continues.
    package var failure: TransportError? { state.withLock { $0.failure } }

    /// Appends a packet with the current time.
    package func append(_ packet: ArraySlice<UInt8>, _ direction: Btsnoop.Direction) {
        append(
            Btsnoop.Record(
                microsecondsSince1970: SystemClock.nanosecondsSince1970 / 1000,
                direction: direction,
                packet: packet
            )
        )
    }

    /// Appends a record with the time that it contains, which may be virtual.
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

    /// Writes the buffered records.
    package func flush() {
        state.withLock { write(&$0) }
    }

    private func write(_ state: inout State) {
        var rest = state.buffer[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                isPipe
                    ? withoutPipeSignal { systemWrite(descriptor, bytes) }
                    : systemWrite(descriptor, bytes)
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if !SystemError.last.isTemporary {
                state.failure = StoreFolder.error("write", path)
                break
            }
        }
        state.buffer.removeAll(keepingCapacity: true)
    }

    private static func open(
        _ operation: String,
        _ path: String,
        _ flags: Int32
    ) throws(TransportError) -> Descriptor {
        try WaitingCall.perform { () throws(TransportError) in
            try Descriptor.open(DirectoryEntry(path: path), flags, to: operation)
        }
    }
}

extension TraceFile {
    /// The maximum number of bytes in one read.
    private static let readLimit = 65_536

    /// Passes every record of a log to `body`, in order.
    ///
    /// - Parameters:
    ///   - path: The path of the log, which may be a pipe.
    ///   - willRead: The closure that is called before each read, which may wait for more bytes of
    ///     a pipe.
    /// - Throws: ``TransportError`` if the file cannot be opened or read, ``BtsnoopError`` if it is
    ///   not a log or is damaged, and the errors of the closures. The records before the damage
    ///   are passed to `body`.
    package static func read(
        _ path: String,
        willRead: () throws -> Void = {},
        _ body: (Btsnoop.Record) throws -> Void
    ) throws {
        let descriptor = try open("open", path, O_RDONLY)
        var reader = BtsnoopReader()
        while true {
            try willRead()
            let bytes = try WaitingCall.perform { () throws(TransportError) in
                try descriptor.readPart(of: path, limit: readLimit)
            }
            guard !bytes.isEmpty else { return try reader.finish() }
            reader.append(bytes[...])
            while let record = try reader.next() { try body(record) }
        }
    }
}

/// Runs a write to a pipe. If the pipe has no reader, the write fails, and SIGPIPE does not end the
/// process. The error in `errno` is kept.
private func withoutPipeSignal(_ write: () -> Int) -> Int {
    #if os(Linux)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        var pending = sigset_t()
        sigpending(&pending)
        var former = sigset_t()
        pthread_sigmask(SIG_BLOCK, &signals, &former)
        let count = write()
        let error = errno
        // A signal that was pending before the write is not removed.
        if count < 0, error == EPIPE, sigismember(&pending, SIGPIPE) == 0 {
            var limit = timespec()
            while sigtimedwait(&signals, nil, &limit) < 0, errno == EINTR {}
        }
        pthread_sigmask(SIG_SETMASK, &former, nil)
        errno = error
        return count
    #else
        return write()
    #endif
}
