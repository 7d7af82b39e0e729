// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A listening socket in place of a broker. The test itself reads and writes the bytes.
final class RawBroker: Sendable {
    /// The longest time for which `packet()` and `nextConnection()` wait, in seconds.
    private static let limit = 20

    private let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let port: UInt16

    /// Begins to listen.
    init() throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        Self.limitTime(of: listener)
        let isListening = withUnsafeMutableBytes(of: &address) { bytes -> Bool in
            let start = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            return bind(listener, start, length) == 0 && listen(listener, 8) == 0
                && getsockname(listener, start, &length) == 0
        }
        try #require(isListening)
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(listener) }

    /// Returns the next connection.
    func nextConnection() throws -> Connection {
        let descriptor = accept(listener, nil, nil)
        try #require(descriptor >= 0, "no connection arrived")
        Self.limitTime(of: descriptor)
        return Connection(descriptor: descriptor)
    }

    private static func limitTime(of descriptor: Int32) {
        var limit = timeval(tv_sec: limit, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    }

    final class Connection: Sendable {
        private let descriptor: Int32

        fileprivate init(descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }

        func write(_ bytes: [UInt8]) {
            _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }

        /// Reads an MQTT packet. Returns its first byte; `nil` at the end of the connection.
        func packet() throws -> UInt8? {
            guard let kind = try byte() else { return nil }
            var (length, shift, next) = (0, 0, UInt8(0x80))
            while next & 0x80 != 0 {
                next = try #require(try byte())
                length |= Int(next & 0x7F) << shift
                shift += 7
            }
            for _ in 0..<length { _ = try #require(try byte()) }
            return kind
        }

        private func byte() throws -> UInt8? {
            var byte: UInt8 = 0
            let count = recv(descriptor, &byte, 1, 0)
            try #require(count >= 0, "no byte arrived")
            return count == 0 ? nil : byte
        }
    }
}
