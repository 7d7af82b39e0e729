// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A directory by its descriptor: what is done with the files in it is done there, whatever becomes
/// of its path meanwhile.
struct StoreFolder: Sendable {
    /// What was done with files, in order: what a power cut leaves depends on it.
    enum Step: Hashable, Sendable {
        case write(String)
        case synchronize(String)
        case rename(String, to: String)
        case remove(String)
        /// The names are on the disk.
        case synchronizeNames
    }

    let path: String
    private let descriptor: Descriptor
    private let observe: @Sendable (Step) -> Void

    /// Opens a directory, and makes it if it is not there.
    init(
        _ path: String,
        observe: @escaping @Sendable (Step) -> Void = { _ in }
    ) throws(TransportError) {
        self.path = path
        self.observe = observe
        let isNew = mkdir(path, 0o700) == 0
        guard isNew || errno == EEXIST else { throw Self.error("create", path) }
        descriptor = try Self.open(path)
        try requireSafety()
        if isNew { try Self.synchronize(try Self.open("\(path)/.."), "\(path)/..") }
    }

    private init(_ path: String, _ descriptor: Descriptor, _ parent: StoreFolder) {
        self.path = path
        self.descriptor = descriptor
        observe = parent.observe
    }

    private static func open(_ path: String) throws(TransportError) -> Descriptor {
        #if canImport(Darwin)
            let number = Darwin.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #elseif canImport(Glibc)
            let number = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #elseif canImport(Musl)
            let number = Musl.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #endif
        guard number >= 0 else { throw error("open", path) }
        return Descriptor(owning: number)
    }

    /// Whoever may write here could put other keys in the place of ours.
    private func requireSafety() throws(TransportError) {
        let status = try descriptor.status(of: path)
        guard status.isOurs else { throw Self.refusal(path, "belongs to somebody else") }
        guard status.mode & 0o022 == 0 else {
            throw Self.refusal(path, "others may write there; chmod 700 it")
        }
    }

    // MARK: Files

    /// Opens a file that is there; nil if it is not. Never follows a link, never waits.
    func openFile(_ name: String) throws(TransportError) -> Descriptor? {
        let number = openat(descriptor.number, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard number >= 0 else {
            guard errno == ENOENT else { throw Self.error("open", "\(path)/\(name)") }
            return nil
        }
        return Descriptor(owning: number)
    }

    /// Writes a new file, to the disk.
    func write(_ bytes: [UInt8], to name: String) throws(TransportError) {
        let place = "\(path)/\(name)"
        _ = unlinkat(descriptor.number, name, 0)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let number = openat(descriptor.number, name, flags, 0o600)
        guard number >= 0 else { throw Self.error("create", place) }
        let file = Descriptor(owning: number)
        try file.writeAll(bytes, to: place)
        observe(.write(name))
        try Self.synchronize(file, place)
        observe(.synchronize(name))
    }

    /// Opens a file to write at its end, and makes it if it is not there.
    func openEnd(of name: String) throws(TransportError) -> Descriptor {
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let number = openat(descriptor.number, name, flags, 0o600)
        guard number >= 0 else { throw Self.error("open", "\(path)/\(name)") }
        return Descriptor(owning: number)
    }

    /// Gives a file the place of another, in one step.
    func rename(
        _ name: String,
        to newName: String,
        in folder: StoreFolder? = nil
    ) throws(TransportError) {
        let target = (folder ?? self).descriptor.number
        guard renameat(descriptor.number, name, target, newName) == 0 else {
            throw Self.error("rename", "\(path)/\(name)")
        }
        observe(.rename(name, to: newName))
    }

    /// Removes a file. False if there is none.
    @discardableResult
    func remove(_ name: String) throws(TransportError) -> Bool {
        guard unlinkat(descriptor.number, name, 0) != 0 else {
            observe(.remove(name))
            return true
        }
        guard errno == ENOENT else { throw Self.error("remove", "\(path)/\(name)") }
        return false
    }

    /// The name of a file is on the disk only when the directory that it is in is.
    func synchronizeNames() throws(TransportError) {
        try Self.synchronize(descriptor, path)
        observe(.synchronizeNames)
    }

    /// A directory in this one, made if it is not there.
    func folder(_ name: String) throws(TransportError) -> StoreFolder {
        let place = "\(path)/\(name)"
        guard mkdirat(descriptor.number, name, 0o700) == 0 || errno == EEXIST else {
            throw Self.error("create", place)
        }
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW
        let number = openat(descriptor.number, name, flags)
        guard number >= 0 else { throw Self.error("open", place) }
        return StoreFolder(place, Descriptor(owning: number), self)
    }

    // MARK: Names

    /// The names of all files. Throws if there are more than `limit`.
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
                throw Self.refusal(path, "there are more than \(limit) files; it is no store")
            }
        }
        guard errno == 0 else { throw Self.error("list", path) }
        return names
    }

    // MARK: Failures

    private static func synchronize(
        _ descriptor: Descriptor,
        _ path: String
    ) throws(TransportError) {
        #if canImport(Darwin)
            // There, fsync leaves the octets in the drive's own memory.
            if fcntl(descriptor.number, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor.number) == 0 else { throw error("write", path) }
    }

    static func error(_ operation: String, _ path: String) -> TransportError {
        SystemError.last.transportError(operation, name: path, path: path)
    }

    static func refusal(_ path: String, _ reason: String) -> TransportError {
        .system(operation: "use \(path)", code: EPERM, text: reason)
    }
}

/// What there is to be known of a file before it is trusted.
struct FileStatus {
    let mode: UInt32
    let size: Int64
    /// Whether it belongs to who runs us; to the superuser, who may do all, everything does.
    let isOurs: Bool

    var isRegular: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFREG) }
}

extension Descriptor {
    /// How many octets are read at once.
    private static let readLimit = 16_384

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

    /// All octets of a file, as long as there are no more than `limit`.
    func readAll(of path: String, limit: Int) throws(TransportError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let part = try readPart(of: path)
            guard !part.isEmpty else { return bytes }
            bytes += part
        }
        throw .system(operation: "read \(path)", code: EFBIG, text: "the value is too long")
    }

    /// The next octets of a file; none at its end.
    private func readPart(of path: String) throws(TransportError) -> [UInt8] {
        var result = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.readLimit) { buffer, count in
            repeat {
                result = read(number, buffer.baseAddress, Self.readLimit)
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
