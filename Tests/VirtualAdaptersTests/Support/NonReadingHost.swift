// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// A host that sends commands without end, and reads none of the answers.
final class NonReadingHost: Sendable {
    private let socket: Int32

    init(port: UInt16) throws {
        #if !os(Linux)
            socket = Foundation.socket(AF_INET, SOCK_STREAM, 0)
        #else
            socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var room: Int32 = 4_096
        setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let outcome = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(outcome == 0)
    }

    deinit {
        close(socket)
    }

    /// Sends the packet until the other side closes the connection, on a thread of its own.
    func ask(_ packet: [UInt8]) {
        let many = Array([[UInt8]](repeating: packet, count: 1_000).joined())
        Thread.detachNewThread { [self] in
            while send(socket, many, many.count, Self.noSignal) > 0 {}
        }
    }

    #if !os(Linux)
        private static let noSignal: Int32 = 0
    #else
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #endif
}
