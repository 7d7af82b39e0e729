// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Descriptor {
    /// Creates a non-blocking stream socket of an address family.
    static func streamSocket(family: Int32) throws(SystemError) -> Descriptor {
        // On Linux, close-on-exec is set at creation. Otherwise, a process that another thread
        // forks in between would keep the connection open.
        #if !os(Linux)
            let kind = SOCK_STREAM
        #elseif canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #else
            let kind = SOCK_STREAM | SOCK_CLOEXEC
        #endif
        let number = socket(family, kind, 0)
        guard number >= 0 else { throw .last }
        let descriptor = Descriptor(owning: number)
        descriptor.makeStreamSocketReady()
        return descriptor
    }

    /// Sets the options that all streams of this module need: non-blocking, without SIGPIPE, and
    /// with immediate transmission of small packets.
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
