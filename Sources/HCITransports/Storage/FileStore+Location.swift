// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// The default location of an adapter's store.
extension FileStore {
    /// The maximum length in bytes of a directory's name without a hash. A longer name is truncated
    /// to it, and gets a hash of the complete name.
    private static let nameLimit = 200

    /// Returns the directory for an adapter's store: `$XDG_STATE_HOME/lanyard/tcp+localhost+9000`,
    /// or the same in `~/.local/state` (XDG Base Directory Specification).
    ///
    /// The method does not access the file system. Different adapters have different directories.
    ///
    /// - Parameters:
    ///   - adapter: The name of the adapter, such as `tcp:localhost:9000`.
    ///   - environment: The environment variables of the process.
    /// - Returns: The directory, or `nil` if neither `XDG_STATE_HOME` nor `HOME` contains an
    ///   absolute path.
    public static func defaultDirectory(
        for adapter: String,
        environment: [String: String]
    ) -> String? {
        // The specification requires that relative paths are ignored.
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            return directory(for: adapter, in: "\(state)/lanyard")
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return directory(for: adapter, in: "\(home)/.local/state/lanyard")
    }

    /// Returns the directory for an adapter's store within a directory for all stores.
    package static func directory(for adapter: String, in parent: String) -> String {
        "\(parent)/\(fileName(for: adapter))"
    }

    /// Returns the name of an adapter's directory. ASCII letters and digits, hyphens and periods
    /// are unchanged, a colon becomes `+`, and any other character, or a period at the start,
    /// becomes `_` and two hexadecimal digits for each byte.
    private static func fileName(for adapter: String) -> String {
        var name = ""
        for (index, byte) in adapter.utf8.enumerated() {
            let character = Character(UnicodeScalar(byte))
            let isPlain = byte < 128 && (character.isLetter || character.isNumber)
            if isPlain || character == "-" || character == "." && index > 0 {
                name.append(character)
            } else {
                name += character == ":" ? "+" : "_" + [byte].hexadecimal
            }
        }
        guard name.utf8.count > nameLimit else { return name.isEmpty ? "_" : name }
        return "\(name.prefix(nameLimit))~\(String(hash(of: name), radix: 16))"
    }

    /// Computes FNV-1a, which is the same for the same text on every machine.
    private static func hash(of text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }
    }

    /// Creates the missing directories in a path, except for the last one.
    static func makeParents(of path: String, on disk: any Disk) throws(TransportError) {
        for index in path.indices.dropFirst() where path[index] == "/" {
            let parent = String(path[..<index])
            if exists(parent) { continue }
            if try disk.makeFolder(DirectoryEntry(path: parent)) {
                try StoreFolder.synchronizeParent(of: parent, on: disk)
            }
        }
    }

    /// Returns whether a path exists. The check comes before the creation, because the process may
    /// use an existing directory in a place where it may not create one.
    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0
    }
}
