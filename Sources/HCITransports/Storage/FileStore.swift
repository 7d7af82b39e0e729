// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A store of files in one directory, an entry in each, which nobody but their owner may read.
///
/// ```swift
/// var configuration = HostConfiguration()
/// configuration.store = try FileStore(directory: "/var/lib/thermostat/bluetooth")
/// ```
///
/// A value that was saved is on the disk when `save` returns: it is written to a file of another
/// name first, and takes the place of the old one in one step, so that neither a crash nor a power
/// cut leaves half a value. That costs milliseconds, and happens when something is paired, or a
/// bonded client configures something: rarely.
///
/// Until the object is closed or let go, the directory is its own: another one for the same directory,
/// in this process or another, is refused.
public final class FileStore: HostStore {
    /// The longest value, in octets; a longer file is not read.
    public static let valueLimit = 1 << 20

    /// The most files in a directory; one with more is not looked through.
    public static let fileLimit = 16_384

    /// The most files that are set aside; one more stays where it is.
    public static let setAsideLimit = 256

    /// Where the files are.
    public let directory: String

    private let folder: StoreFolder
    /// What holds the directory; nil while the store is closed.
    private let hold: Mutex<Descriptor?>

    /// Makes a store of the files in a directory, which is made if it is not there, for its owner
    /// alone.
    ///
    /// Throws a `TransportError` if the directory can be neither made nor used, if others may write
    /// in it, or, `addressInUse`, if another store has it.
    ///
    /// - Parameter makingParents: whether to make what the directory is in as well.
    public convenience init(
        directory: String,
        makingParents: Bool = false
    ) throws(TransportError) {
        if makingParents { try Self.makeParents(of: directory) }
        try self.init(directory: directory) { _ in }
    }

    /// The same; `observe` is told of every step, on the way.
    init(
        directory: String,
        observe: @escaping @Sendable (StoreFolder.Step) -> Void
    ) throws(TransportError) {
        self.directory = directory
        folder = try StoreFolder(directory, observe: observe)
        hold = Mutex(try Self.take(folder))
        try removeTemporaries()
    }

    private static func take(_ folder: StoreFolder) throws(TransportError) -> Descriptor {
        let lock = try folder.openEnd(of: ".lock")
        guard flock(lock.number, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw StoreFolder.error("lock", folder.path) }
            throw .addressInUse(folder.path)
        }
        return lock
    }

    /// Lets another store have the directory. One that is used after that takes it back, or throws
    /// `addressInUse` if another has it.
    public func close() {
        hold.withLock { lock in
            // Said: a child process that is just being started may have the descriptor, too.
            if let lock { _ = flock(lock.number, LOCK_UN) }
            lock = nil
        }
    }

    /// Uses the files, one at a time, while the directory is this store's.
    private func use<Value: Sendable>(
        _ body: () throws(TransportError) -> Value
    ) throws(TransportError) -> Value {
        try hold.withLock { lock throws(TransportError) in
            if lock == nil { lock = try Self.take(folder) }
            return try body()
        }
    }

    /// What was saved last with this key. Throws a `TransportError` if the file cannot be read, is no
    /// file, or may be read or written by others than its owner.
    public func load(_ key: StoreKey) throws(TransportError) -> [UInt8]? {
        try use { () throws(TransportError) in try read(key) }
    }

    private func read(_ key: StoreKey) throws(TransportError) -> [UInt8]? {
        guard let file = try folder.openFile(key.description) else { return nil }
        let path = "\(directory)/\(key)"
        let status = try file.status(of: path)
        guard status.isRegular else { throw StoreFolder.refusal(path, "it is not a file") }
        guard status.isOurs else { throw StoreFolder.refusal(path, "belongs to somebody else") }
        guard status.mode & 0o077 == 0 else {
            throw StoreFolder.refusal(path, "it is not its owner's alone; chmod 600 it")
        }
        return try file.readAll(of: path, limit: Self.valueLimit)
    }

    /// Keeps `bytes`. Throws a `TransportError` if the disk is full, for example; the old value is
    /// there still.
    public func save(_ bytes: [UInt8], as key: StoreKey) throws(TransportError) {
        guard bytes.count <= Self.valueLimit else {
            throw .system(operation: "save \(key)", code: EFBIG, text: "the value is too long")
        }
        try use { () throws(TransportError) in
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

    /// Forgets an entry. Throws a `TransportError` if its file cannot be removed.
    public func remove(_ key: StoreKey) throws(TransportError) {
        try use { () throws(TransportError) in
            if try folder.remove(key.description) { try folder.synchronizeNames() }
        }
    }

    /// The entries that there are. Throws a `TransportError` if there are more than `fileLimit`.
    public func keys() throws(TransportError) -> [StoreKey] {
        try use { () throws(TransportError) in
            try folder.names(limit: Self.fileLimit).compactMap { StoreKey($0) }
        }
    }

    /// Moves an entry to the directory `set_aside`, under its name with a number, and writes down why
    /// in the file `reasons` there. Throws a `TransportError` if that is full; the entry stays then.
    public func setAside(_ key: StoreKey, because reason: String) throws(TransportError) {
        try use { () throws(TransportError) in
            let place = try folder.folder(Self.setAsideName)
            // The reasons are one of them.
            let names = Set(try place.names(limit: 2 * Self.setAsideLimit))
            let numbers = 1...Self.setAsideLimit
            let name = numbers.lazy.map { "\(key).\($0)" }.first { !names.contains($0) }
            guard names.count <= Self.setAsideLimit, let name else {
                throw .system(operation: "use \(place.path)", code: ENOSPC, text: "it is full")
            }
            try folder.rename(key.description, to: name, in: place)
            try? place.openEnd(of: "reasons")
                .writeAll(Array("\(name): \(reason)\n".utf8), to: place.path)
            try place.synchronizeNames()
            try folder.synchronizeNames()
        }
    }

    /// No key has a line in it, so that this is nobody's file.
    private static let setAsideName = "set_aside"

    /// No key begins with a point, so that this is nobody's file.
    private static func temporaryName(for key: StoreKey) -> String { ".\(key).new" }

    /// What writers have left that were killed. Nobody writes while we have the lock.
    private func removeTemporaries() throws(TransportError) {
        for name in try folder.names(limit: Self.fileLimit)
        where name.hasPrefix(".") && name.hasSuffix(".new") {
            try folder.remove(name)
        }
    }
}
