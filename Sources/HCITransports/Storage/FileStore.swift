// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A store of files in one directory, an entry in each, which nobody but their owner may read.
///
/// A value that was saved is on the disk when `save` returns: it is written to a file of another
/// name first, and takes the place of the old one in one step, so that neither a crash nor a power
/// cut leaves half a value. That costs milliseconds, and happens when a bonded client configures
/// something: rarely. Two hosts must not use the same directory.
public final class FileStore: HostStore {
    /// The longest value, in octets; a longer file is not read.
    public static let valueLimit = 1 << 20

    /// Where the files are.
    public let directory: String

    /// Makes a store of the files in a directory, which is made if it is not there; that which it
    /// is in must be there. Throws a `TransportError` if it can be neither made nor used.
    public init(directory: String) throws(TransportError) {
        self.directory = directory
        guard mkdir(directory, 0o700) != 0 else {
            try Self.synchronize("\(directory)/..")
            return
        }
        guard errno == EEXIST else { throw Self.error("create", directory) }
        guard access(directory, R_OK | W_OK | X_OK) == 0 else {
            throw Self.error("use", directory)
        }
    }

    /// What was saved last with this key. Throws a `TransportError` if the file cannot be read.
    public func load(_ key: StoreKey) throws(TransportError) -> [UInt8]? {
        let path = path(of: key)
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard number >= 0 else {
            guard errno == ENOENT else { throw Self.error("open", path) }
            return nil
        }
        let descriptor = Descriptor(owning: number)
        var bytes: [UInt8] = []
        while bytes.count <= Self.valueLimit {
            let part = try descriptor.readPart(of: path)
            guard !part.isEmpty else { return bytes }
            bytes += part
        }
        throw .system(operation: "read \(path)", code: EFBIG, text: "the value is too long")
    }

    /// Keeps `bytes`. Throws a `TransportError` if the disk is full, for example; the old value is
    /// there still.
    public func save(_ bytes: [UInt8], as key: StoreKey) throws(TransportError) {
        guard bytes.count <= Self.valueLimit else {
            throw .system(operation: "save \(key)", code: EFBIG, text: "the value is too long")
        }
        // No key begins with a point, so that this is nobody's file. One may be left of a crash.
        let temporary = "\(directory)/.\(key).new"
        do throws(TransportError) {
            try write(bytes, to: temporary)
            guard rename(temporary, path(of: key)) == 0 else {
                throw Self.error("replace", path(of: key))
            }
        } catch {
            _ = unlink(temporary)
            throw error
        }
        try Self.synchronize(directory)
    }

    /// Forgets an entry. Throws a `TransportError` if its file cannot be removed.
    public func remove(_ key: StoreKey) throws(TransportError) {
        guard unlink(path(of: key)) != 0 else { return try Self.synchronize(directory) }
        guard errno == ENOENT else { throw Self.error("remove", path(of: key)) }
    }

    /// The entries that there are.
    public func keys() throws(TransportError) -> [StoreKey] { [] }

    /// Moves an entry away.
    public func setAside(_ key: StoreKey, because reason: String) throws(TransportError) {}

    private func path(of key: StoreKey) -> String { "\(directory)/\(key)" }

    private func write(_ bytes: [UInt8], to path: String) throws(TransportError) {
        _ = unlink(path)
        let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw Self.error("create", path) }
        let descriptor = Descriptor(owning: number)
        try descriptor.writeAll(bytes, to: path)
        guard fsync(number) == 0 else { throw Self.error("write", path) }
    }

    /// The name of a file, or of a directory, is on the disk only when the directory that it is in is.
    private static func synchronize(_ directory: String) throws(TransportError) {
        let number = open(directory, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw error("open", directory) }
        let descriptor = Descriptor(owning: number)
        guard fsync(descriptor.number) == 0 else { throw error("write", directory) }
    }

    fileprivate static func error(_ operation: String, _ path: String) -> TransportError {
        SystemError.last.transportError(operation, name: path, path: path)
    }
}

extension Descriptor {
    /// How many octets are read at once.
    private static let readLimit = 16_384

    /// The next octets of a file; none at its end.
    fileprivate func readPart(of path: String) throws(TransportError) -> [UInt8] {
        var result = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.readLimit) { buffer, count in
            repeat {
                result = read(number, buffer.baseAddress, Self.readLimit)
            } while result < 0 && errno == EINTR
            count = max(0, result)
        }
        guard result >= 0 else { throw FileStore.error("read", path) }
        return bytes
    }

    fileprivate func writeAll(_ bytes: [UInt8], to path: String) throws(TransportError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw FileStore.error("write", path)
            }
        }
    }
}
