// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The address of a socket as the system wants it.
struct SocketAddress: @unchecked Sendable {
    // Unchecked because C structures are not marked; it is plain memory.
    private var storage = sockaddr_storage()
    private var length: socklen_t

    /// The longest path a Unix socket can have, in bytes: room must be left for a final zero.
    static let pathLengthLimit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// The address of a Unix socket.
    init(path: String) throws(TransportError) {
        guard path.utf8.count <= Self.pathLengthLimit else {
            throw .pathTooLong(path: path, limit: Self.pathLengthLimit)
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        length = socklen_t(MemoryLayout<sockaddr_un>.size)
        withUnsafeMutableBytes(of: &storage) { storage in
            withUnsafeBytes(of: &address) { storage.copyMemory(from: $0) }
        }
    }

    /// A copy of an address that the system gave; nil if it is too long to be one.
    init?(copying address: UnsafePointer<sockaddr>, length: socklen_t) {
        guard Int(length) <= MemoryLayout<sockaddr_storage>.size else { return nil }
        self.length = length
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
        }
    }

    /// The address a socket is bound to.
    init?(boundTo descriptor: Descriptor) {
        length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { [length] storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                var room = length
                return getsockname(descriptor.number, address, &room)
            }
        }
        guard result == 0 else { return nil }
    }

    /// The address family.
    var family: Int32 { Int32(storage.ss_family) }

    /// The port of a TCP address; nil for another.
    var port: UInt16? {
        guard family == AF_INET || family == AF_INET6 else { return nil }
        // At the same place in both forms, most significant octet first.
        return withUnsafeBytes(of: storage) { UInt16($0[2]) << 8 | UInt16($0[3]) }
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
