// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The raw round trip: two threads, a socket between them, a plain write and a plain read at each
/// end. Keep the process on one core (`taskset`): with two cores it would measure how fast they
/// wake up.
public enum SocketEcho {
    private static let warmUp = 2_000

    /// Returns the duration of one round trip of `size` bytes, measured over `count`, or `nil` if
    /// the system has no sockets left.
    public static func roundTrip(size: Int, count: Int = 20_000) -> Duration? {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return nil }
        let near = ends[0]
        let far = ends[1]
        let echo = startThread {
            var bytes = [UInt8](repeating: 0, count: size)
            while receive(&bytes, from: far) { send(bytes, to: far) }
        }
        exchange(size: size, count: warmUp, on: near)
        let duration = ContinuousClock().measure { exchange(size: size, count: count, on: near) }
        close(near)
        pthread_join(echo, nil)
        close(far)
        return duration / count
    }

    private static func exchange(size: Int, count: Int, on descriptor: Int32) {
        var bytes = [UInt8](repeating: 0, count: size)
        for _ in 0..<count {
            send(bytes, to: descriptor)
            _ = receive(&bytes, from: descriptor)
        }
    }

    private static func send(_ bytes: [UInt8], to descriptor: Int32) {
        _ = write(descriptor, bytes, bytes.count)
    }

    /// Fills `bytes`. Returns `false` when the other end has closed.
    private static func receive(_ bytes: inout [UInt8], from descriptor: Int32) -> Bool {
        let count = bytes.count
        return bytes.withUnsafeMutableBytes { buffer in
            var done = 0
            while done < count {
                let part = read(descriptor, buffer.baseAddress?.advanced(by: done), count - done)
                guard part > 0 else { return false }
                done += part
            }
            return true
        }
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private static func startThread(_ run: @escaping @Sendable () -> Void) -> pthread_t {
        var thread = pthread_t()
        let body = Unmanaged.passRetained(Body(run)).toOpaque()
        pthread_create(
            &thread,
            nil,
            { body in
                if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
                return nil
            },
            body
        )
        return thread
    }
}
