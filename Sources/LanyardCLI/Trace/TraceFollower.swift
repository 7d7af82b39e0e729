// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports

/// A reader of a packet log while another process writes it.
///
/// A file that does not exist yet counts as empty. If the file was replaced or shortened, because
/// the other process has begun a new log, reading begins again at the start of the new one.
struct TraceFollower: Sendable {
    /// The maximum number of bytes of one reading.
    static let readLimit = 1 << 20

    private let path: String
    private var file: FileHandle?
    private var reader = BtsnoopReader()
    private var position: Int64 = 0
    /// The first bytes of the log, which contain the time of its first record. They show whether
    /// the file still contains the same log.
    private var beginning: [UInt8] = []

    /// The number of bytes before the packet of the first record.
    private static let beginningLength = 40

    /// Creates a follower that has read nothing.
    init(_ path: String) {
        self.path = path
    }

    /// Passes the complete records that were not read yet to `body`, in order.
    ///
    /// - Returns: Whether the reading has reached its limit, so that there may be more records.
    /// - Throws: `ProgramFailure` if the file cannot be read, and `BtsnoopError` if it is not a log
    ///   or is damaged.
    mutating func readOn(_ body: (Btsnoop.Record) throws -> Void) throws -> Bool {
        try reopen()
        guard let file else { return false }
        let part = WaitingCall.perform { try? file.read(upToCount: Self.readLimit) ?? Data() }
        guard let bytes = part else { throw failure }
        position += Int64(bytes.count)
        beginning += bytes.prefix(Self.beginningLength - beginning.count)
        reader.append(Array(bytes)[...])
        while let record = try reader.next() { try body(record) }
        return bytes.count == Self.readLimit
    }

    /// Opens the file at first, and again if another log is in its place.
    private mutating func reopen() throws(ProgramFailure) {
        var present = stat()
        guard stat(path, &present) == 0 else {
            guard errno != ENOENT else { return }
            throw failure
        }
        if let file, isSame(file.fileDescriptor, present) { return }
        let opened = WaitingCall.perform { FileHandle(forReadingAtPath: path) }
        guard let file = opened else { throw failure }
        (self.file, reader, position, beginning) = (file, BtsnoopReader(), 0, [])
    }

    /// Returns whether the path still names the open file, and the file still begins with the log
    /// that was read.
    private func isSame(_ descriptor: Int32, _ present: stat) -> Bool {
        var own = stat()
        guard fstat(descriptor, &own) == 0, own.st_ino == present.st_ino,
            own.st_dev == present.st_dev, own.st_size >= position
        else { return false }
        var bytes = [UInt8](repeating: 0, count: beginning.count)
        return pread(descriptor, &bytes, bytes.count, 0) == bytes.count && bytes == beginning
    }

    private var failure: ProgramFailure {
        ProgramFailure(
            .inputOutput,
            "\(TerminalText.escape(path)) cannot be read",
            advice: "check its permissions"
        )
    }
}
