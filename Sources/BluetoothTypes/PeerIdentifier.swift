// SPDX-License-Identifier: Apache-2.0

/// What an application knows a bonded peer by: 128 bits that mean nothing outside this host. Addresses
/// change, this does not; a peer that is bonded anew keeps it.
public struct PeerIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// How many octets there are.
    public static let length = 16

    /// The octets, in the order in which the text has them.
    public let bytes: [UInt8]

    /// A new one: a random UUID (RFC 9562, 5.4).
    public init(using generator: inout some RandomNumberGenerator) {
        var bytes = (0..<Self.length).map { _ in UInt8.random(in: .min ... .max, using: &generator)
        }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        self.bytes = bytes
    }

    /// For octets whose number is known: what is missing is zero, what is too much is left out.
    package init(octets: some Collection<UInt8>) {
        let bytes = Array(octets.prefix(Self.length))
        self.bytes = bytes + [UInt8](repeating: 0, count: Self.length - bytes.count)
    }

    /// One that was stored; nil if there are not 16 octets.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = Array(bytes)
    }

    /// One from text such as `6F9619FF-8B86-4011-B42D-00C04FC964FF`; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map({ $0.utf8.count }) == [8, 4, 4, 4, 12],
            let bytes = [UInt8](hexadecimal: parts.joined())
        else { return nil }
        self.init(bytes)
    }

    /// The text of a UUID, in upper case.
    public var description: String {
        let digits = Array(bytes.hexadecimal.uppercased())
        let bounds = [0, 8, 12, 16, 20, 32]
        return zip(bounds, bounds.dropFirst()).map { String(digits[$0..<$1]) }
            .joined(separator: "-")
    }
}
