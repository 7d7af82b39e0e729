// SPDX-License-Identifier: Apache-2.0

import JSONText

/// A frame of the protocol that `GatewayProtocol` describes. Its encoding is one byte for its kind,
/// four for its number, four for the length of its body, and the body. Numbers are big-endian.
package enum Frame: Equatable, Sendable {
    /// The host asks for the lease of the controller.
    case hello(version: UInt8)
    /// A new host sends the secret of an enrollment code, and the name under which the gateway
    /// enrolls the host.
    case enroll(secret: [UInt8], name: String)
    /// The gateway, which has this name, has enrolled the host.
    case enrolled(name: String)
    /// The gateway, which has this name, grants the lease.
    case granted(name: String)
    /// The gateway refuses or ends the lease, for this reason. It is the last frame.
    case refused(String)
    /// Bytes of HCI packets in the H4 format. The first and the last packet may be incomplete.
    case packets([UInt8])
    /// The sender of this frame permits this many more bytes of packets.
    case credit(UInt32)
    /// Shows that the sender still runs.
    case ping

    /// The maximum length of a name, in bytes of UTF-8.
    package static let nameLimit = 64
    /// The length of the secret of an enrollment code, in bytes.
    package static let secretLength = 10
    /// The maximum length of a body, in bytes. Longer packets are split.
    package static let bodyLimit = 1 << 16
    /// The maximum length of a reason, in bytes of UTF-8.
    package static let reasonLimit = 512

    fileprivate enum Kind: UInt8 {
        case hello = 1
        case enroll, enrolled, granted, refused, packets, credit, ping
    }

    private var kind: Kind {
        switch self {
        case .hello: .hello
        case .enroll: .enroll
        case .enrolled: .enrolled
        case .granted: .granted
        case .refused: .refused
        case .packets: .packets
        case .credit: .credit
        case .ping: .ping
        }
    }

    private var body: [UInt8] {
        switch self {
        case .hello(let version): [version]
        case .enroll(let secret, let name): secret + name.utf8
        case .enrolled(let name), .granted(let name): Array(name.utf8)
        case .refused(let reason): Array(reason.utf8.prefix(Self.reasonLimit))
        case .packets(let bytes): bytes
        case .credit(let count): bigEndian(count)
        case .ping: []
        }
    }

    /// Returns the bytes of the frame with this number.
    func encoded(number: UInt32) -> [UInt8] {
        let body = body
        return [kind.rawValue] + bigEndian(number) + bigEndian(UInt32(body.count)) + body
    }

    fileprivate static func decode(
        kind: Kind,
        _ body: ArraySlice<UInt8>
    ) throws(FrameError) -> Frame {
        switch kind {
        case .hello:
            guard let version = body.first, body.count == 1 else { throw .malformed }
            return .hello(version: version)
        case .enroll:
            guard body.count > secretLength else { throw .malformed }
            let secret = Array(body.prefix(secretLength))
            return .enroll(secret: secret, name: try name(body.dropFirst(secretLength)))
        case .enrolled: return .enrolled(name: try name(body))
        case .granted: return .granted(name: try name(body))
        case .refused:
            guard body.count <= reasonLimit else { throw .malformed }
            return .refused(printable(String(decoding: body, as: UTF8.self)))
        case .packets:
            guard !body.isEmpty else { throw .malformed }
            return .packets(Array(body))
        case .credit:
            guard body.count == 4 else { throw .malformed }
            return .credit(number(body))
        case .ping:
            guard body.isEmpty else { throw .malformed }
            return .ping
        }
    }

    private static func name(_ body: ArraySlice<UInt8>) throws(FrameError) -> String {
        let name = String(decoding: body, as: UTF8.self)
        guard isName(name) else { throw .malformed }
        return name
    }

    /// Returns whether a text is a name: 1 to `nameLimit` letters, digits, dots, hyphens and
    /// underscores of ASCII, beginning with a letter or digit. A name is safe in a file's name and
    /// on a terminal.
    package static func isName(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte)
        }
        guard (1...nameLimit).contains(bytes.count), isAlphanumeric(bytes[0]) else { return false }
        return bytes.allSatisfy { isAlphanumeric($0) || [0x2D, 0x2E, 0x5F].contains($0) }
    }
}

/// The reason why bytes are not frames.
package enum FrameError: Error, Equatable, Sendable, CustomStringConvertible {
    case unknownKind(UInt8)
    case tooLong(UInt32)
    /// A frame was lost or repeated.
    case wrongNumber(UInt32, expected: UInt32)
    case malformed

    package var description: String {
        switch self {
        case .unknownKind(let kind): "a frame of the unknown kind \(kind)"
        case .tooLong(let length): "a frame of \(length) bytes"
        case .wrongNumber(let number, let expected): "frame \(number) in place of frame \(expected)"
        case .malformed: "a frame that is not well formed"
        }
    }
}

/// A splitter of the bytes of a connection into frames.
package struct FrameReader: Sendable {
    static let headerLength = 9

    private var buffer: [UInt8] = []
    private var start = 0
    private var expected: UInt32 = 0

    package init() {}

    /// Appends bytes that arrived.
    package mutating func append(_ bytes: some Collection<UInt8>) {
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer += bytes
    }

    /// Returns the next frame, or `nil` until more bytes arrive.
    ///
    /// - Throws: `FrameError`, after which the connection must end.
    package mutating func next() throws(FrameError) -> Frame? {
        let rest = buffer[start...]
        guard rest.count >= Self.headerLength else { return nil }
        let (received, length) = (
            number(rest.dropFirst(1).prefix(4)), number(rest.dropFirst(5).prefix(4))
        )
        // The header is checked first, so that the reader does not wait for the body of a frame
        // that is not valid.
        guard let kind = Frame.Kind(rawValue: rest[start]) else { throw .unknownKind(rest[start]) }
        guard received == expected else { throw .wrongNumber(received, expected: expected) }
        guard length <= UInt32(Frame.bodyLimit) else { throw .tooLong(length) }
        let end = Self.headerLength + Int(length)
        guard rest.count >= end else { return nil }
        let frame = try Frame.decode(
            kind: kind,
            rest.dropFirst(Self.headerLength).prefix(Int(length))
        )
        start += end
        expected &+= 1
        return frame
    }
}

/// A writer of frames, which gives the frames of a connection their numbers.
package struct FrameWriter: Sendable {
    private var next: UInt32 = 0

    package init() {}

    /// Returns the bytes of a frame.
    package mutating func bytes(of frame: Frame) -> [UInt8] {
        defer { next &+= 1 }
        return frame.encoded(number: next)
    }
}

private func bigEndian(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
}

private func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 | UInt32($1) }
}

/// Returns a received text, with `?` in place of each character that a terminal could interpret.
private func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isPrintable ? $0 : "?" }))
}
