// SPDX-License-Identifier: Apache-2.0

import Glibc
import HCITransports
import Synchronization

/// Two connected packet sockets, one of which is passed to a client.
package final class PacketPair: Sendable {
    private let other: Mutex<PassedDescriptor?>
    private let own: Int32

    package init() {
        var ends: [Int32] = [-1, -1]
        let result = socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends)
        precondition(result == 0, "no free file descriptors")
        other = Mutex(PassedDescriptor(owning: ends[0]))
        own = ends[1]
    }

    deinit { close(own) }

    /// The end to pass, until it is released.
    package var passed: [PassedDescriptor] { other.withLock { $0.map { [$0] } ?? [] } }

    /// Closes this process's copy of the passed end.
    package func releasePassed() { other.withLock { $0 = nil } }

    /// Sends a packet to the client.
    package func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes {
            Glibc.send(own, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Returns the next packet of the client, or `nil` if none arrives within a second.
    package func receive() -> [UInt8]? {
        var interest = pollfd(fd: own, events: Int16(POLLIN), revents: 0)
        guard poll(&interest, 1, 1_000) > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 1_024)
        let count = recv(own, &buffer, buffer.count, 0)
        return count >= 0 ? Array(buffer[..<count]) : nil
    }

    /// Ends the connection.
    package func end() { shutdown(own, Int32(SHUT_RDWR)) }
}
