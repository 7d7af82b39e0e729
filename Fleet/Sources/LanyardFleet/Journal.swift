// SPDX-License-Identifier: Apache-2.0

import Foundation

enum JournalRecord: Hashable, Sendable {
    /// A message that the broker has not yet acknowledged.
    case message(UInt64, FleetMessage)
    /// The message with this number is finished: acknowledged or dropped.
    case finished(UInt64)
    /// A command was accepted, and will be executed.
    case accepted(AcceptedCommand)
    /// The command was answered.
    case answered(AcceptedCommand.Key)
    /// The next message gets this number or a higher one. A rewritten journal contains this record,
    /// so that no number is used twice.
    case next(UInt64)
}

/// A file of records, each written to the disk before the program acts on it.
///
/// A record is its length, its checksum and its bytes. When the file is opened, a record that a
/// crash cut off is removed. The program has not acted on such a record.
struct Journal: ~Copyable {
    /// The maximum size of a record in bytes.
    static let recordLimit = 64 << 10
    /// The size in bytes that the file must exceed to be rewritten. It must also have more than
    /// doubled since it was last rewritten.
    static let compactionSize = 1 << 20
    /// The maximum number of attempts to open the file. Each one fails if another process replaces
    /// the file meanwhile.
    private static let replacementLimit = 16

    let path: String
    private var descriptor: Int32
    private(set) var size: Int
    /// The number of bytes after the last whole record, which were removed when the file was
    /// opened.
    let removedCount: Int
    /// The size in bytes above which the file is rewritten next.
    private var nextCompaction = Journal.compactionSize

    /// Opens or creates a journal, and reads its records.
    ///
    /// - Throws: `JournalError` if another process uses the journal or the file cannot be prepared,
    ///   or the error of Foundation if the file cannot be read.
    init(opening path: String, records: inout [JournalRecord]) throws {
        let descriptor = try Self.openLocked(path)
        do {
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
            let bytes = try [UInt8](file.readToEnd() ?? Data())
            let end: Int
            (records, end) = Self.read(bytes)
            // The next record follows the last whole one.
            guard ftruncate(descriptor, off_t(end)) == 0, lseek(descriptor, 0, SEEK_END) >= 0,
                fsync(descriptor) == 0
            else { throw JournalError("prepare", path) }
            try Self.synchronizeFolder(of: path)
            (self.path, self.descriptor, size) = (path, descriptor, end)
            removedCount = bytes.count - end
        } catch {
            Self.release(descriptor)
            throw error
        }
    }

    private static func openLocked(_ path: String) throws -> Int32 {
        for _ in 0..<replacementLimit {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw JournalError("open", path) }
            do {
                if try lock(descriptor, of: path) { return descriptor }
                release(descriptor)
            } catch {
                release(descriptor)
                throw error
            }
        }
        throw JournalError.inUse(path)
    }

    /// Locks the open file of a journal.
    ///
    /// - Returns: `false` if the path now leads to another file. Another process can rewrite its
    ///   journal after this process has opened the file, and then locks only the new file.
    /// - Throws: `JournalError` if another process has locked the file.
    static func lock(_ descriptor: Int32, of path: String) throws -> Bool {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? JournalError.inUse(path) : JournalError("lock", path)
        }
        var (own, present) = (stat(), stat())
        guard fstat(descriptor, &own) == 0 else { throw JournalError("lock", path) }
        return lstat(path, &present) == 0 && present.st_ino == own.st_ino
            && present.st_dev == own.st_dev
    }

    deinit { Self.release(descriptor) }

    /// Unlocks and closes a journal's file. The unlock is explicit, because a child process that is
    /// being started may have a copy of the descriptor, and with it the lock.
    private static func release(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Writes records to the disk.
    ///
    /// - Throws: `JournalError`. The program then must not act on the records.
    mutating func append(_ records: [JournalRecord]) throws {
        guard !records.isEmpty else { return }
        try Self.writeAll(records.flatMap(Self.encode), to: descriptor, path)
        guard fdatasync(descriptor) == 0 else { throw JournalError("synchronize", path) }
        size += records.reduce(0) { $0 + Self.encode($1).count }
    }

    /// Whether the file should be rewritten.
    var needsCompaction: Bool { size > nextCompaction }

    /// Replaces the file by one with these records.
    mutating func compact(to records: [JournalRecord]) throws {
        let temporary = path + ".new"
        unlink(temporary)
        let other = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard other >= 0 else { throw JournalError("create", temporary) }
        let bytes = records.flatMap(Self.encode)
        do {
            try Self.writeAll(bytes, to: other, temporary)
            guard flock(other, LOCK_EX | LOCK_NB) == 0, fsync(other) == 0,
                rename(temporary, path) == 0
            else { throw JournalError("replace", path) }
            try Self.synchronizeFolder(of: path)
        } catch {
            // On a full disk, the incomplete file would take the space that a later run needs.
            unlink(temporary)
            Self.release(other)
            throw error
        }
        Self.release(descriptor)
        (descriptor, size) = (other, bytes.count)
        nextCompaction = max(Self.compactionSize, 2 * bytes.count)
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw JournalError("write", path) }
            rest = rest.dropFirst(count)
        }
    }

    private static func synchronizeFolder(of path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw JournalError("open", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw JournalError("synchronize", folder) }
    }
}

struct JournalError: Error, CustomStringConvertible {
    let description: String

    init(_ action: String, _ path: String) {
        description = "Cannot \(action) \(path): \(String(cString: strerror(errno)))."
    }

    private init(_ description: String) { self.description = description }

    static func inUse(_ path: String) -> Self {
        Self("Another process uses \(path). Give each host a state folder of its own.")
    }
}
