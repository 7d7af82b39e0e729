// SPDX-License-Identifier: Apache-2.0

/// The identifier by which an application knows a peer: 128 bits without meaning outside this host.
///
/// The address of a bonded peer may change, but its identifier does not. A peer that bonds again
/// keeps its identifier.
public struct PeerIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The number of bytes.
    public static let length = 16

    /// The bytes, in the order of the text form.
    public let bytes: [UInt8]

    /// Creates a new identifier, which is a random UUID (RFC 9562, 5.4).
    public init(using generator: inout some RandomNumberGenerator) {
        var bytes = (0..<Self.length).map { _ in UInt8.random(in: .min ... .max, using: &generator)
        }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        self.bytes = bytes
    }

    /// Creates an identifier from bytes whose count the caller has checked.
    ///
    /// Missing bytes become zero, and excess bytes are ignored.
    package init(bytes: some Collection<UInt8>) {
        let bytes = Array(bytes.prefix(Self.length))
        self.bytes = bytes + [UInt8](repeating: 0, count: Self.length - bytes.count)
    }

    /// Creates an identifier from stored bytes, or returns `nil` unless there are 16.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = Array(bytes)
    }

    /// Creates an identifier from text such as `6F9619FF-8B86-4011-B42D-00C04FC964FF`, or returns
    /// `nil` for any other form.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map({ $0.utf8.count }) == [8, 4, 4, 4, 12],
            let bytes = [UInt8](hexadecimal: parts.joined())
        else { return nil }
        self.init(bytes)
    }

    /// The identifier as the text of a UUID, in upper case.
    public var description: String {
        let digits = Array(bytes.hexadecimal.uppercased())
        let bounds = [0, 8, 12, 16, 20, 32]
        return zip(bounds, bounds.dropFirst()).map { String(digits[$0..<$1]) }
            .joined(separator: "-")
    }
}

/// The identifier of a link, which is unique until the adapter is closed. Unlike a connection
/// handle, it is not used again for another link. A newer link on the same controller has a greater
/// identifier.
package struct LinkIdentifier: Hashable, Sendable, Comparable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    // The operators are inlined, because the host searches its links for every packet.
    @inlinable
    package static func == (one: Self, other: Self) -> Bool { one.rawValue == other.rawValue }

    @inlinable
    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// The identifier of a request of the application, such as a scan or a connection request. It is
/// unique until the adapter is closed.
package struct RequestIdentifier: Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }
}
