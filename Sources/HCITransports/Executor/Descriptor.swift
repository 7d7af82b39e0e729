// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file descriptor that is closed when nobody holds it any more: none can leak.
final class Descriptor: Sendable {
    /// The number by which the system knows it.
    let number: Int32

    /// Takes over a descriptor that nobody else closes.
    init(owning number: Int32) {
        self.number = number
    }

    deinit {
        _ = close(number)
    }

    /// Makes reads and writes return instead of wait, and keeps the descriptor from child processes.
    func makeNonBlocking() {
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }
}

/// Writes what there is room for, for things that are no sockets; the count, or -1 and `errno`.
func systemWrite(_ descriptor: Descriptor, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor.number, bytes.baseAddress, bytes.count)
}

/// What the last system call that failed said, as a value.
struct SystemError: Error, Equatable {
    let code: Int32

    /// The error of the last call of this thread.
    static var last: SystemError { SystemError(code: errno) }

    /// ERFKILL of Linux, which no other system has: a switch keeps the radio silent.
    static let radioOff: Int32 = 132

    var isTemporary: Bool { code == EAGAIN || code == EWOULDBLOCK || code == EINTR }

    /// The error in words of this room, for something called `name` at an optional path.
    func transportError(_ operation: String, name: String, path: String? = nil) -> TransportError {
        switch code {
        case ECONNREFUSED: .refused(name)
        case ENOENT: .noSuchFile(path: path ?? name)
        case EACCES, EPERM: .permissionDenied(name)
        case EADDRINUSE: .addressInUse(name)
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL: .unreachable(name)
        case ETIMEDOUT: .unreachable(name)
        case ECONNRESET, EPIPE: .closedByPeer(name)
        default:
            .system(
                operation: "\(operation) \(name)",
                code: code,
                text: String(cString: strerror(code))
            )
        }
    }
}
