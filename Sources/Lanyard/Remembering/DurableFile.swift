// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file that is read whole and replaced whole: whoever reads it, and whenever the power fails, it is
/// what it was before or what it was to become.
struct DurableFile: Sendable {
    /// How long such a file may be, in octets; a longer one is none of ours.
    static let sizeLimit = 16 << 20
    /// How many files of the same name that could not be understood are kept.
    static let setAsideLimit = 8

    let url: URL

    private var folder: URL { url.deletingLastPathComponent() }

    /// What is in it; nil if it is not there.
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

    /// Runs `body` while no other process, nor another thread of this one, does.
    func withLock<Result>(_ body: () throws -> Result) throws -> Result {
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let lock = url.appendingPathExtension("lock")
        let descriptor = open(lock.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("open", lock) }
        // Closing it lets go of the lock.
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure("lock", lock) }
        }
        return try body()
    }

    /// Gives it new contents. Only in `withLock`.
    func replace(with data: Data) throws {
        let draft = url.appendingPathExtension("new")
        unlink(draft.path)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(draft.path, flags, 0o600)
        guard descriptor >= 0 else { throw failure("create", draft) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: data)
        try file.synchronize()
        try file.close()
        try move(draft, to: url)
    }

    /// Moves it out of the way, and says where it is then. Only in `withLock`.
    func setAside() throws -> URL {
        let places = (1...Self.setAsideLimit).map { url.appendingPathExtension("damaged-\($0)") }
        let free = places.first { !FileManager.default.fileExists(atPath: $0.path) }
        let place = free ?? places[places.count - 1]
        try move(url, to: place)
        return place
    }

    private func move(_ source: URL, to target: URL) throws {
        guard rename(source.path, target.path) == 0 else { throw failure("rename", source) }
        // The name is on the disk only when the directory is.
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("write", folder) }
    }

    private func failure(_ operation: String, _ url: URL) -> AccessoryStoreFailure {
        AccessoryStoreFailure(operation: operation, path: url.path, code: errno)
    }
}

/// A file of a store could not be used.
public struct AccessoryStoreFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was to be done with it.
    public let operation: String
    /// Which file.
    public let path: String
    /// What the system says: a value of `errno`.
    public let code: Int32

    /// All of that in words.
    public var description: String {
        "cannot \(operation) \(path): \(String(cString: strerror(code)))"
    }
}
