// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// Where the store of an adapter is, if nobody says it.
extension FileStore {
    /// The longest name of an adapter's directory, in octets.
    private static let nameLimit = 200

    /// The directory for an adapter's store: `$XDG_STATE_HOME/lanyard/tcp+localhost+9000`, or the
    /// same in `~/.local/state` (XDG Base Directory Specification). Nil if the environment names no
    /// home either.
    ///
    /// Nothing is made or looked at. Different adapters have different directories.
    ///
    /// - Parameters:
    ///   - adapter: what the adapter is called: `tcp:localhost:9000`.
    ///   - environment: the variables of the process.
    public static func defaultDirectory(
        for adapter: String,
        environment: [String: String]
    ) -> String? {
        // A path that depends on where the process runs is to be ignored, the specification says.
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            return directory(for: adapter, in: "\(state)/lanyard")
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return directory(for: adapter, in: "\(home)/.local/state/lanyard")
    }

    /// The directory for an adapter's store among those of others.
    package static func directory(for adapter: String, in parent: String) -> String {
        "\(parent)/\(fileName(for: adapter))"
    }

    /// Letters, digits, hyphens and points stay; a colon becomes `+`; and everything else, as well as
    /// a point in front, becomes `_` and two hexadecimal digits for each octet.
    private static func fileName(for adapter: String) -> String {
        var name = ""
        for (index, octet) in adapter.utf8.enumerated() {
            let character = Character(UnicodeScalar(octet))
            let isPlain = octet < 128 && (character.isLetter || character.isNumber)
            if isPlain || character == "-" || character == "." && index > 0 {
                name.append(character)
            } else {
                name += character == ":" ? "+" : "_" + [octet].hexadecimal
            }
        }
        guard name.utf8.count > nameLimit else { return name.isEmpty ? "_" : name }
        return "\(name.prefix(nameLimit))~\(String(hash(of: name), radix: 16))"
    }

    /// FNV-1a: the same for the same text, on every machine.
    private static func hash(of text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }
    }

    /// Makes all directories that a path goes through, but for the last.
    static func makeParents(of path: String) throws(TransportError) {
        for index in path.indices.dropFirst() where path[index] == "/" {
            let parent = String(path[..<index])
            guard mkdir(parent, 0o700) == 0 || errno == EEXIST || isDirectory(parent) else {
                throw StoreFolder.error("create", parent)
            }
        }
    }

    /// Where nothing may be made, something may be all the same.
    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        let error = errno
        defer { errno = error }
        return stat(path, &status) == 0
    }
}
