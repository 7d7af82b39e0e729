// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Descriptor {
    /// Makes a non-blocking stream socket of the address family.
    static func streamSocket(family: Int32) throws(SystemError) -> Descriptor {
        // On Linux close-on-exec is set from the first moment: a process forked by another thread
        // in between would keep the connection open.
        #if canImport(Darwin)
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

    /// Sets what every stream of this room wants: never wait, never be killed by SIGPIPE, and send
    /// small packets at once.
    func makeStreamSocketReady() {
        makeNonBlocking()
        // Refused by a socket that is not TCP, which never delays.
        set(Int32(IPPROTO_TCP), TCP_NODELAY)
        #if canImport(Darwin)
            set(SOL_SOCKET, SO_NOSIGPIPE)
        #endif
    }

    /// Switches a socket option on.
    func set(_ level: Int32, _ option: Int32) {
        var on: Int32 = 1
        _ = setsockopt(number, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The error that a connection in progress ended with; nil if it stands.
    var connectionError: SystemError? {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return .last }
        return code == 0 ? nil : SystemError(code: code)
    }

    /// Writes without raising SIGPIPE when the other side has gone; the count, or -1 and `errno`.
    func sendWithoutSignal(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            write(number, bytes.baseAddress, bytes.count)
        #else
            send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }
}
