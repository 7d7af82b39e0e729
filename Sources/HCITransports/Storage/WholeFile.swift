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
            let number = open(path, O_RDONLY | O_CLOEXEC)
            guard number >= 0 else { throw StoreFolder.error("open", path) }
            do throws(TransportError) {
                return try Descriptor(owning: number).readAll(of: path, limit: limit)
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
