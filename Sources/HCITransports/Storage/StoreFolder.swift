// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A directory, identified by its descriptor. Operations on its files use the same directory even
/// if its path changes.
struct StoreFolder: Sendable {
    let path: String
    private let descriptor: Descriptor
    private let disk: any Disk

    /// Opens a directory, and creates it if it does not exist.
    init(_ path: String, on disk: any Disk) throws(TransportError) {
        self.path = path
        self.disk = disk
        let isNew = try disk.makeFolder(DirectoryEntry(path: path))
        descriptor = try Self.directory(path)
        try requireSafety()
        if isNew { try Self.synchronizeParent(of: path, on: disk) }
    }

    private init(_ path: String, _ descriptor: Descriptor, on disk: any Disk) {
        self.path = path
        self.descriptor = descriptor
        self.disk = disk
    }

    /// Synchronizes the name of a new directory to the disk.
    static func synchronizeParent(of path: String, on disk: any Disk) throws(TransportError) {
        try disk.synchronize(try directory("\(path)/.."), "\(path)/..")
    }

    private func entry(_ name: String) -> DirectoryEntry {
        DirectoryEntry(folder: descriptor.number, name: name, path: "\(path)/\(name)")
    }

    private static func directory(_ path: String) throws(TransportError) -> Descriptor {
        try Descriptor.open(DirectoryEntry(path: path), O_RDONLY | O_DIRECTORY)
    }

    /// Checks that the directory belongs to the user of this process, and that only its owner has
    /// write access. A process of the superuser accepts any owner. Another user with write access
    /// could replace the keys.
    private func requireSafety() throws(TransportError) {
        let status = try descriptor.status(of: path)
        guard status.isOurs else { throw Self.refusal(path, "it belongs to another user") }
        guard status.mode & 0o022 == 0 else {
            throw Self.refusal(path, "other users can write to it; run 'chmod 700' on it")
        }
    }

    // MARK: Files

    /// Opens an existing file, or returns `nil` if there is none. Never follows a symbolic link,
    /// and never blocks.
    func openFile(_ name: String) throws(TransportError) -> Descriptor? {
        let number = openat(descriptor.number, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard number >= 0 else {
            guard errno == ENOENT else { throw Self.error("open", "\(path)/\(name)") }
            return nil
        }
        return Descriptor(owning: number)
    }

    /// Creates a file, replaces an existing one, and synchronizes the contents to the disk.
    func write(_ bytes: [UInt8], to name: String) throws(TransportError) {
        let entry = entry(name)
        _ = try? disk.remove(entry)
        let file = try disk.makeFile(entry)
        try disk.write(bytes, to: file, entry.path)
        try disk.synchronize(file, entry.path)
    }

    /// Opens a file for appending, and creates it if it does not exist.
    func openEnd(of name: String) throws(TransportError) -> Descriptor {
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK
        return try Descriptor.open(entry(name), flags)
    }

    /// Renames a file in one atomic step. Replaces a file that already has the new name.
    func rename(
        _ name: String,
        to newName: String,
        in folder: StoreFolder? = nil
    ) throws(TransportError) {
        try disk.rename(entry(name), to: (folder ?? self).entry(newName))
    }

    /// Removes a file. Returns `false` if there is none.
    @discardableResult
    func remove(_ name: String) throws(TransportError) -> Bool {
        try disk.remove(entry(name))
    }

    /// Synchronizes the names of the files.
    func synchronizeNames() throws(TransportError) {
        try disk.synchronize(descriptor, path)
    }

    /// Opens a directory in this one, and creates it if it does not exist.
    func folder(_ name: String) throws(TransportError) -> StoreFolder {
        let entry = entry(name)
        if try disk.makeFolder(entry) { try synchronizeNames() }
        let folder = try Descriptor.open(entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        return StoreFolder(entry.path, folder, on: disk)
    }

    // MARK: Names

    /// Returns the names of all files, or throws if there are more than `limit`.
    func names(limit: Int) throws(TransportError) -> [String] {
        let number = openat(descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0, let stream = fdopendir(number) else { throw Self.error("list", path) }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
            guard names.count <= limit else {
                throw Self.refusal(path, "there are more than \(limit) files; it is not a store")
            }
        }
        guard errno == 0 else { throw Self.error("list", path) }
        return names
    }

    // MARK: Failures

    static func error(_ operation: String, _ path: String) -> TransportError {
        SystemError.last.fileError(operation, path)
    }

    /// Returns the reason why a directory cannot be created. Some file systems, such as `/proc`,
    /// report ENOENT although the parent directory exists.
    static func creationError(_ path: String) -> TransportError {
        let reason = SystemError.last
        let parent = path.split(separator: "/", omittingEmptySubsequences: true).dropLast()
        var status = stat()
        let isParentThere =
            stat((path.hasPrefix("/") ? "/" : "./") + parent.joined(separator: "/"), &status) == 0
        guard reason.code == ENOENT, isParentThere else {
            return reason.fileError("create the directory", path)
        }
        let text = "its file system does not permit new directories"
        return .system(operation: "create the directory \(path)", code: reason.code, text: text)
    }

    static func refusal(_ path: String, _ reason: String) -> TransportError {
        .system(operation: "use \(path)", code: EPERM, text: reason)
    }
}

/// The properties of a file that are checked before it is trusted.
struct FileStatus {
    let mode: UInt32
    let size: Int64
    /// Whether the file belongs to the user of this process. In a process of the superuser, who has
    /// access to all files, the value is always `true`.
    let isOurs: Bool

    var isRegular: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFREG) }
}

extension Descriptor {
    /// Opens an entry. With the flag `O_CREAT`, a missing file is created, and only its owner has
    /// access to it. Child processes do not inherit the descriptor.
    static func open(
        _ entry: DirectoryEntry,
        _ flags: Int32,
        to operation: String = "open"
    ) throws(TransportError) -> Descriptor {
        let number = openat(entry.folder, entry.name, flags | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw StoreFolder.error(operation, entry.path) }
        return Descriptor(owning: number)
    }

    func status(of path: String) throws(TransportError) -> FileStatus {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw StoreFolder.error("use", path) }
        let user = geteuid()
        return FileStatus(
            mode: UInt32(status.st_mode),
            size: Int64(status.st_size),
            isOurs: user == 0 || status.st_uid == user
        )
    }

    /// Returns all bytes of a file, or throws if there are more than `limit`.
    func readAll(of path: String, limit: Int) throws(TransportError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let part = try readPart(of: path, limit: 16_384)
            guard !part.isEmpty else { return bytes }
            bytes += part
        }
        throw .system(operation: "read \(path)", code: EFBIG, text: "the value is too long")
    }

    /// Returns the next bytes of a file, at most `limit`, or none at its end.
    func readPart(of path: String, limit: Int) throws(TransportError) -> [UInt8] {
        var result = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            repeat {
                result = read(number, buffer.baseAddress, limit)
            } while result < 0 && errno == EINTR
            count = max(0, result)
        }
        guard result >= 0 else { throw StoreFolder.error("read", path) }
        return bytes
    }

    func writeAll(_ bytes: [UInt8], to path: String) throws(TransportError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw StoreFolder.error("write", path)
            }
        }
    }
}
