// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that a person has written, which is read as a whole.
package enum WholeFile {
    /// Returns all bytes of a file, or `nil` if there are more than `limit`.
    ///
    /// - Throws: ``TransportError`` if the file cannot be read.
    package static func read(_ path: String, limit: Int) throws(TransportError) -> [UInt8]? {
        try WaitingCall.perform { () throws(TransportError) in
            let file = try Descriptor.open(DirectoryEntry(path: path), O_RDONLY)
            do throws(TransportError) {
                return try file.readAll(of: path, limit: limit)
            } catch {
                if case .system(_, EFBIG, _) = error { return nil }
                throw error
            }
        }
    }
}

extension TransportError {
    /// The reason for an error of a file operation, without the operation and the path.
    package var fileReason: String {
        switch self {
        case .system(_, _, let text): text.prefix(1).lowercased() + text.dropFirst()
        case .permissionDenied: "permission denied"
        default: description
        }
    }
}
