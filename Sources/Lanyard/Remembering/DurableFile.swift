// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file that is read and replaced as a whole. After a crash or a power failure, and for every
/// reader, it has either its old or its new contents.
package struct DurableFile: Sendable {
    /// The maximum length of the file in bytes; a longer file is refused.
    static let sizeLimit = 16 << 20
    /// The maximum number of unreadable files that are preserved.
    static let setAsideLimit = 8

    let url: URL

    /// Creates a value for the file at a location. The file does not have to exist.
    package init(url: URL) {
        self.url = url
    }

    private var folder: URL { url.deletingLastPathComponent() }

    /// Returns the contents of the file; `nil` if it does not exist.
    func read() throws -> Data? {
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw failure("open", url) }
            return nil
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let data = try file.read(upToCount: Self.sizeLimit + 1) ?? Data()
        guard data.count <= Self.sizeLimit else {
            throw AccessoryStoreFailure(operation: "read", path: url.path, code: EFBIG)
        }
        return data
    }

    /// Runs `body` while no other process or thread runs it for this file.
    func withLock<Result>(_ body: () throws -> Result) throws -> Result {
        try makeFolder(folder)
        let lock = url.appendingPathExtension("lock")
        let descriptor = open(lock.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("open", lock) }
        // The explicit unlock is necessary, because a child process that is being started may have
        // a copy of the descriptor.
        defer {
            _ = flock(descriptor, LOCK_UN)
            close(descriptor)
        }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure("lock", lock) }
        }
        return try body()
    }

    /// Replaces the contents, unless they are longer than ``sizeLimit``. Call it within `withLock`.
    /// Without the lock, the caller must ensure that no other process uses the file and that only
    /// one thread at a time replaces it.
    package func replace(with data: Data) throws {
        guard data.count <= Self.sizeLimit else {
            throw AccessoryStoreFailure(operation: "write", path: url.path, code: EFBIG)
        }
        let draft = url.appendingPathExtension("new")
        unlink(draft.path)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(draft.path, flags, 0o600)
        guard descriptor >= 0 else { throw failure("create", draft) }
        // After a failure, no part of the new contents stays. After the move, there is no draft.
        defer { unlink(draft.path) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: data)
        try synchronize(descriptor, of: draft)
        try file.close()
        try move(draft, to: url)
    }

    /// Moves the file aside and returns its new location. If ``setAsideLimit`` files are there
    /// already, replaces the last one. Call it only within `withLock`.
    func setAside() throws -> URL {
        let places = (1...Self.setAsideLimit).map { url.appendingPathExtension("damaged-\($0)") }
        let free = places.first { !FileManager.default.fileExists(atPath: $0.path) }
        let place = free ?? places[places.count - 1]
        try move(url, to: place)
        return place
    }

    /// Creates a directory and its parents. The name of a new directory is on the disk before the
    /// directory is used.
    private func makeFolder(_ folder: URL) throws {
        guard !FileManager.default.fileExists(atPath: folder.path) else { return }
        let parent = folder.deletingLastPathComponent()
        if parent.path != folder.path { try makeFolder(parent) }
        guard mkdir(folder.path, 0o700) == 0 else {
            // Another process may have created it meanwhile.
            guard errno == EEXIST else { throw failure("create", folder) }
            return
        }
        try synchronizeNames(in: parent)
    }

    private func move(_ source: URL, to target: URL) throws {
        guard rename(source.path, target.path) == 0 else { throw failure("rename", source) }
        try synchronizeNames(in: folder)
    }

    /// Writes the names of a directory to the disk.
    private func synchronizeNames(in folder: URL) throws {
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", folder) }
        defer { close(descriptor) }
        try synchronize(descriptor, of: folder)
    }

    /// Writes the contents of a file, or the names of a directory, to the disk.
    private func synchronize(_ descriptor: Int32, of url: URL) throws {
        #if !os(Linux)
            // On Apple's platforms, fsync may leave the bytes in the memory of the drive.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw failure("write", url) }
    }

    private func failure(_ operation: String, _ url: URL) -> AccessoryStoreFailure {
        AccessoryStoreFailure(operation: operation, path: url.path, code: errno)
    }
}

/// The failure of an operation on a store's file.
public struct AccessoryStoreFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operation.
    public let operation: String
    /// The path of the file.
    public let path: String
    /// The system's error code, a value of `errno`.
    public let code: Int32

    /// The failure in words.
    public var description: String {
        "cannot \(operation) \(path): \(String(cString: strerror(code)))"
    }
}
