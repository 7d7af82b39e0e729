// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A store that keeps each entry in a file of its own, in one directory. Only the owner of the
/// files has access to them.
///
/// ```swift
/// var configuration = HostConfiguration()
/// configuration.store = try FileStore(directory: "/var/lib/thermostat/bluetooth")
/// ```
///
/// A saved value is on the disk when `save` returns. The value is first written to a file with
/// another name, which then replaces the old file in one atomic step, so that neither a crash nor a
/// power failure leaves an incomplete value.
///
/// Until the object is closed or released, it has exclusive use of the directory. Another store for
/// the same directory, in this or another process, is refused.
public final class FileStore: HostStore {
    /// The maximum length of a value in bytes. A longer file is not read.
    public static let valueLimit = 1 << 20

    /// The maximum number of files in a directory. If the directory contains more, the initializer
    /// and `keys()` fail.
    public static let fileLimit = 16_384

    /// The maximum number of files that are set aside. When it is reached, further files stay where
    /// they are.
    public static let setAsideLimit = 256

    /// The directory of the files.
    public let directory: String

    private let folder: StoreFolder
    /// Whether the store reads without the lock, and changes nothing.
    private let isReadOnly: Bool
    /// The locked descriptor of the directory, or `nil` while the store is closed.
    private let hold: Lock<Descriptor?>

    /// Creates a store of the files in a directory. A missing directory is created with access for
    /// its owner only.
    ///
    /// - Parameters:
    ///   - directory: The path of the directory.
    ///   - makingParents: Whether to create missing parent directories as well.
    /// - Throws: ``TransportError`` if the directory can neither be created nor used, if other
    ///   users can write to it, or, with `addressInUse`, if another store uses it.
    public convenience init(
        directory: String,
        makingParents: Bool = false
    ) throws(TransportError) {
        try self.init(directory: directory, makingParents: makingParents, on: SystemDisk())
    }

    /// Creates a store of the files in a directory of the given disk.
    init(
        directory: String,
        makingParents: Bool = false,
        on disk: any Disk
    ) throws(TransportError) {
        if makingParents { try Self.makeParents(of: directory, on: disk) }
        self.directory = directory
        isReadOnly = false
        folder = try StoreFolder(directory, on: disk)
        hold = Lock(try Self.take(folder))
        try removeTemporaries()
    }

    /// Creates a store that only reads the files, while another store may use the directory. Each
    /// value is the old or the new one, because the other store replaces files in one atomic step.
    ///
    /// - Parameter directory: The path of an existing directory.
    /// - Throws: ``TransportError`` if the directory cannot be used, or if other users can write to
    ///   it.
    package init(reading directory: String) throws(TransportError) {
        self.directory = directory
        isReadOnly = true
        folder = try StoreFolder(directory, on: SystemDisk())
        hold = Lock(nil)
    }

    private static func take(_ folder: StoreFolder) throws(TransportError) -> Descriptor {
        let lock = try folder.openEnd(of: ".lock")
        guard flock(lock.number, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw StoreFolder.error("lock", folder.path) }
            throw .addressInUse(folder.path)
        }
        return lock
    }

    /// Releases the directory for another store. A later use of this store locks the directory
    /// again, or throws `addressInUse` if another store uses it.
    public func close() {
        hold.withLock { lock in
            // The explicit unlock is necessary, because a child process that is being started may
            // have a copy of the descriptor.
            if let lock { _ = flock(lock.number, LOCK_UN) }
            lock = nil
        }
    }

    /// Runs `body` with exclusive use of the files. Locks the directory first if this store does
    /// not have the lock. A store that only reads does not need the lock.
    private func use<Value: Sendable>(
        _ body: () throws(TransportError) -> Value
    ) throws(TransportError) -> Value {
        try hold.withLock { lock throws(TransportError) in
            if lock == nil, !isReadOnly { lock = try Self.take(folder) }
            return try body()
        }
    }

    /// Runs `body`, which changes files, with exclusive use of the files.
    private func change(_ body: () throws(TransportError) -> Void) throws(TransportError) {
        guard !isReadOnly else { throw StoreFolder.refusal(directory, "it is open for reading") }
        try use(body)
    }

    /// Returns the value that was last saved with this key, or `nil` if there is none.
    ///
    /// - Throws: ``TransportError`` if the file cannot be read, is longer than `valueLimit`, is not
    ///   a regular file, belongs to another user, or is accessible to other users.
    public func load(_ key: StoreKey) throws(TransportError) -> [UInt8]? {
        try use { () throws(TransportError) in try read(key) }
    }

    private func read(_ key: StoreKey) throws(TransportError) -> [UInt8]? {
        guard let file = try folder.openFile(key.description) else { return nil }
        let path = "\(directory)/\(key)"
        let status = try file.status(of: path)
        guard status.isRegular else { throw StoreFolder.refusal(path, "it is not a regular file") }
        guard status.isOurs else { throw StoreFolder.refusal(path, "it belongs to another user") }
        guard status.mode & 0o077 == 0 else {
            throw StoreFolder.refusal(path, "other users have access to it; run 'chmod 600' on it")
        }
        return try file.readAll(of: path, limit: Self.valueLimit)
    }

    /// Saves a value.
    ///
    /// - Throws: ``TransportError``, for example if the disk is full. The entry then has the old
    ///   value, or the new one if only the synchronization of the directory failed.
    public func save(_ bytes: [UInt8], as key: StoreKey) throws(TransportError) {
        guard bytes.count <= Self.valueLimit else {
            throw .system(operation: "save \(key)", code: EFBIG, text: "the value is too long")
        }
        try change { () throws(TransportError) in
            let temporary = Self.temporaryName(for: key)
            do throws(TransportError) {
                try folder.write(bytes, to: temporary)
                try folder.rename(temporary, to: key.description)
            } catch {
                _ = try? folder.remove(temporary)
                throw error
            }
            try folder.synchronizeNames()
        }
    }

    /// Removes an entry.
    ///
    /// - Throws: ``TransportError`` if the file cannot be removed.
    public func remove(_ key: StoreKey) throws(TransportError) {
        try change { () throws(TransportError) in
            if try folder.remove(key.description) { try folder.synchronizeNames() }
        }
    }

    /// Returns the keys of all entries.
    ///
    /// - Throws: ``TransportError`` if the directory cannot be read, or if it contains more than
    ///   `fileLimit` files.
    public func keys() throws(TransportError) -> [StoreKey] {
        try use { () throws(TransportError) in
            try folder.names(limit: Self.fileLimit).compactMap { StoreKey($0) }
        }
    }

    /// Moves an entry to the directory `set_aside`, with a number appended to its name, and appends
    /// the reason to the file `reasons` there if possible.
    ///
    /// - Throws: ``TransportError`` if that directory is full, in which case the entry stays where
    ///   it is, or if the disk reports an error.
    public func setAside(_ key: StoreKey, because reason: String) throws(TransportError) {
        try change { () throws(TransportError) in
            let place = try folder.folder(Self.setAsideName)
            // One of the names is that of the file `reasons`, so there may be one name more than
            // entries.
            let names = Set(try place.names(limit: 2 * Self.setAsideLimit))
            let numbers = 1...Self.setAsideLimit
            let name = numbers.lazy.map { "\(key).\($0)" }.first { !names.contains($0) }
            guard names.count <= Self.setAsideLimit, let name else {
                throw .system(
                    operation: "use \(place.path)",
                    code: ENOSPC,
                    text: "the directory is full"
                )
            }
            try folder.rename(key.description, to: name, in: place)
            try? place.openEnd(of: "reasons")
                .writeAll(Array("\(name): \(reason)\n".utf8), to: place.path)
            try place.synchronizeNames()
            try folder.synchronizeNames()
        }
    }

    /// The directory for entries that are set aside. No key contains an underscore, so the name
    /// cannot be that of an entry.
    private static let setAsideName = "set_aside"

    /// Returns the name of the temporary file for an entry. No key starts with a period, so the
    /// name cannot be that of an entry.
    private static func temporaryName(for key: StoreKey) -> String { ".\(key).new" }

    /// Removes temporary files of processes that were killed. No other store writes while this one
    /// has the lock.
    private func removeTemporaries() throws(TransportError) {
        for name in try folder.names(limit: Self.fileLimit)
        where name.hasPrefix(".") && name.hasSuffix(".new") {
            try folder.remove(name)
        }
    }
}
