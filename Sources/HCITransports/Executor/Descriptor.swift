// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file descriptor that is closed when its last reference is released.
final class Descriptor: Sendable {
    /// The number of the descriptor in this process.
    let number: Int32

    /// Creates a descriptor from a number that no other code closes.
    init(owning number: Int32) {
        self.number = number
    }

    deinit {
        _ = close(number)
    }

    /// Makes the descriptor non-blocking, and prevents child processes from inheriting it.
    func makeNonBlocking() {
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }
}

/// Writes as many bytes as fit to a descriptor that is not a socket. Returns the count, or -1 with
/// the error in `errno`.
func systemWrite(_ descriptor: Descriptor, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor.number, bytes.baseAddress, bytes.count)
}

/// The error of a failed system call, as a value.
struct SystemError: Error, Equatable {
    let code: Int32

    /// The error of the last system call of this thread.
    static var last: SystemError { SystemError(code: errno) }

    /// ERFKILL, which only Linux has: a switch has turned the radio off.
    static let radioOff: Int32 = 132

    var isTemporary: Bool { code == EAGAIN || code == EWOULDBLOCK || code == EINTR }

    /// Returns the transport error for an operation on a file or directory, which is not a socket.
    func fileError(_ operation: String, _ path: String) -> TransportError {
        guard code == ENOENT else { return transportError(operation, name: path) }
        let text = "no such file or directory"
        return .system(operation: "\(operation) \(path)", code: code, text: text)
    }

    /// Returns the transport error for an operation on an object with a name and an optional path.
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
