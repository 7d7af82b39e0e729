// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The address of a socket, as the system's functions require it (`sockaddr`).
struct SocketAddress: @unchecked Sendable {
    // The conformance is unchecked because C structures are not marked as Sendable. The memory
    // contains no references.
    private var storage = sockaddr_storage()
    private var length: socklen_t

    /// The maximum length of a Unix socket's path in bytes, without the final zero.
    static let pathLengthLimit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Creates the address of a Unix socket.
    init(path: String) throws(TransportError) {
        guard path.utf8.count <= Self.pathLengthLimit else {
            throw .pathTooLong(path: path, limit: Self.pathLengthLimit)
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        self.init(address)
    }

    /// Copies the structure of an address family, which must fit in `sockaddr_storage`.
    init<Structure: BitwiseCopyable>(_ structure: Structure) {
        length = socklen_t(MemoryLayout<Structure>.size)
        withUnsafeMutableBytes(of: &storage) { storage in
            withUnsafeBytes(of: structure) { storage.copyMemory(from: $0) }
        }
    }

    /// Returns the address as the structure of its family.
    func structure<Structure: BitwiseCopyable>() -> Structure {
        withUnsafeBytes(of: storage) { $0.loadUnaligned(as: Structure.self) }
    }

    /// Creates the address of a Unix socket in Linux's abstract namespace: a zero before the name,
    /// and no zero after it. The length of the address determines where the name ends.
    init(abstract name: String) throws(TransportError) {
        try self.init(path: "@" + name)
        let pathOffset = MemoryLayout<sockaddr_un>.size - Self.pathLengthLimit - 1
        withUnsafeMutableBytes(of: &storage) { $0[pathOffset] = 0 }
        length = socklen_t(pathOffset + 1 + name.utf8.count)
    }

    /// Copies an address from the system, or returns `nil` if it is too long.
    init?(copying address: UnsafePointer<sockaddr>, length: socklen_t) {
        guard Int(length) <= MemoryLayout<sockaddr_storage>.size else { return nil }
        self.length = length
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
        }
    }

    /// Reads the address to which a socket is bound, or returns `nil` if that fails.
    init?(boundTo descriptor: Descriptor) {
        let (address, result) = Self.stored { getsockname(descriptor.number, $0, $1) }
        guard result == 0 else { return nil }
        self = address
    }

    /// Returns the address that a system call stores, and the result of the call.
    static func stored(
        by call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> (address: SocketAddress, result: Int32) {
        var storage = sockaddr_storage()
        let result = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
                return call(address, &length)
            }
        }
        return (SocketAddress(storage), result)
    }

    var family: Int32 { Int32(storage.ss_family) }

    /// The port of a TCP address, or `nil` for any other.
    var port: UInt16? {
        guard family == AF_INET || family == AF_INET6 else { return nil }
        // IPv4 and IPv6 addresses have the port at the same offset, most significant byte first.
        return withUnsafeBytes(of: storage) { UInt16($0[2]) << 8 | UInt16($0[3]) }
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
