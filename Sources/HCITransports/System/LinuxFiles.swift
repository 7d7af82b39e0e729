// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The files of the system on which this process runs.
struct LinuxFiles: SystemFiles {
    /// The number of bytes after which the reading of a file stops.
    static let lengthLimit = 65_536
    /// The number of names after which the reading of a directory stops.
    static let nameLimit = 65_536

    func text(of path: String) -> String? {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return nil }
        let file = Descriptor(owning: number)
        var text: [UInt8] = []
        // The kernel may return only one page in each read.
        while text.count < Self.lengthLimit {
            let part = [UInt8](unsafeUninitializedCapacity: Self.lengthLimit) { buffer, count in
                count = max(0, read(file.number, buffer.baseAddress, buffer.count))
            }
            guard !part.isEmpty else { break }
            text += part
        }
        return String(decoding: text, as: UTF8.self)
    }

    func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < Self.nameLimit, let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func target(of link: String) -> String? {
        let limit = Int(PATH_MAX)
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = buffer.withMemoryRebound(to: CChar.self) { buffer in
                buffer.baseAddress.map { max(0, readlink(link, $0, limit)) } ?? 0
            }
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
