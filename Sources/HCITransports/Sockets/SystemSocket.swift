// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The kinds of sockets, as the system's functions require them.
///
/// On Linux, close-on-exec is set at creation. Otherwise, a process that another thread forks in
/// between would keep the connection open.
enum SocketKind {
    #if !os(Linux)
        static let stream = SOCK_STREAM
        static let packets = SOCK_SEQPACKET
    #elseif canImport(Glibc)
        static let stream = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        static let packets = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        static let raw = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)
    #else
        static let stream = SOCK_STREAM | SOCK_CLOEXEC
        static let packets = SOCK_SEQPACKET | SOCK_CLOEXEC
        static let raw = SOCK_RAW | SOCK_CLOEXEC
    #endif
}

extension Descriptor {
    /// Creates a socket of a `SocketKind`, which may block.
    static func makeSocket(
        family: Int32,
        kind: Int32,
        protocolNumber: Int32 = 0
    ) throws(SystemError) -> Descriptor {
        let number = socket(family, kind, protocolNumber)
        guard number >= 0 else { throw .last }
        return Descriptor(owning: number)
    }

    /// Creates two connected Unix sockets of a `SocketKind`, which may block.
    static func makeSocketPair(kind: Int32) throws(SystemError) -> (Descriptor, Descriptor) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .last }
        return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
    }

    /// Creates a non-blocking stream socket of an address family.
    static func streamSocket(family: Int32) throws(SystemError) -> Descriptor {
        let descriptor = try makeSocket(family: family, kind: SocketKind.stream)
        descriptor.makeStreamSocketReady()
        return descriptor
    }

    /// Sets the options that all streams of this module need: non-blocking, with immediate
    /// transmission of small packets, and on Apple's platforms without SIGPIPE. On Linux,
    /// `sendWithoutSignal` and `sendPassing` prevent SIGPIPE.
    func makeStreamSocketReady() {
        makeNonBlocking()
        // A socket that is not TCP refuses this option, and does not delay packets.
        set(Int32(IPPROTO_TCP), TCP_NODELAY)
        #if !os(Linux)
            set(SOL_SOCKET, SO_NOSIGPIPE)
        #endif
    }

    /// Turns on a socket option.
    func set(_ level: Int32, _ option: Int32) {
        var on: Int32 = 1
        _ = setsockopt(number, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The error with which a connection attempt ended, or `nil` if the connection exists.
    var connectionError: SystemError? {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return .last }
        return code == 0 ? nil : SystemError(code: code)
    }

    /// Writes without SIGPIPE if the peer has closed. Returns the count, or -1 with the error in
    /// `errno`.
    func sendWithoutSignal(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if !os(Linux)
            write(number, bytes.baseAddress, bytes.count)
        #else
            send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }
}
