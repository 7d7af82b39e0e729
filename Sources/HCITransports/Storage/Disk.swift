// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A name in an open directory.
struct DirectoryEntry: Sendable {
    /// The directory's descriptor. If it is `AT_FDCWD`, the name is a path.
    let folder: Int32
    let name: String
    /// The complete path, for errors.
    let path: String
}

extension DirectoryEntry {
    init(path: String) {
        self.init(folder: AT_FDCWD, name: path, path: path)
    }
}

/// The system calls that determine which data remains after a power failure.
///
/// A file's contents are on the disk only after the file was synchronized, and its name only after
/// its directory was synchronized. Tests replace `SystemDisk` to simulate a power failure.
protocol Disk: Sendable {
    /// Creates a directory with access for its owner only. Returns `false` if the name exists.
    func makeFolder(_ entry: DirectoryEntry) throws(TransportError) -> Bool
    /// Creates a file with access for its owner only, open for writing.
    func makeFile(_ entry: DirectoryEntry) throws(TransportError) -> Descriptor
    /// Writes all bytes to a file.
    func write(_ bytes: [UInt8], to file: Descriptor, _ path: String) throws(TransportError)
    /// Writes the contents of a file, or the names in a directory, to the disk.
    func synchronize(_ descriptor: Descriptor, _ path: String) throws(TransportError)
    /// Renames a file in one atomic step. Replaces a file that already has the new name.
    func rename(_ entry: DirectoryEntry, to newEntry: DirectoryEntry) throws(TransportError)
    /// Removes a file. Returns `false` if there is none.
    func remove(_ entry: DirectoryEntry) throws(TransportError) -> Bool
}

/// The disk of the system.
struct SystemDisk: Disk {
    func makeFolder(_ entry: DirectoryEntry) throws(TransportError) -> Bool {
        guard mkdirat(entry.folder, entry.name, 0o700) != 0 else { return true }
        guard errno == EEXIST else { throw StoreFolder.creationError(entry.path) }
        return false
    }

    func makeFile(_ entry: DirectoryEntry) throws(TransportError) -> Descriptor {
        try Descriptor.open(entry, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, to: "create")
    }

    func write(_ bytes: [UInt8], to file: Descriptor, _ path: String) throws(TransportError) {
        try file.writeAll(bytes, to: path)
    }

    func synchronize(_ descriptor: Descriptor, _ path: String) throws(TransportError) {
        #if !os(Linux)
            // On Apple's platforms, `fsync` leaves the bytes in the cache of the drive.
            if fcntl(descriptor.number, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor.number) == 0 else { throw StoreFolder.error("write", path) }
    }

    func rename(_ entry: DirectoryEntry, to newEntry: DirectoryEntry) throws(TransportError) {
        guard renameat(entry.folder, entry.name, newEntry.folder, newEntry.name) == 0 else {
            throw StoreFolder.error("rename", entry.path)
        }
    }

    func remove(_ entry: DirectoryEntry) throws(TransportError) -> Bool {
        guard unlinkat(entry.folder, entry.name, 0) != 0 else { return true }
        guard errno == ENOENT else { throw StoreFolder.error("remove", entry.path) }
        return false
    }
}
