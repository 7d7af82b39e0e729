// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// The contents of a stored bond, after the peer's address. The numbers are lengths in bytes.
//
//     7   this host's identity address when the bond was made
//     16  identifier
//     2   the parts that follow, and the properties of the keys: `Part`
//     1   size of the keys: the number of their bytes that are not set to zero
//     1+n name: the number of its bytes, then the bytes in UTF-8
//     26  peer's key: key, diversifier, random number
//     26  local key: key, diversifier, random number
//     16  resolving key
//     16  the peer's signing key
//     16  this host's signing key
extension Bond {
    private struct Part: OptionSet {
        let rawValue: UInt16

        static let authenticated = Part(rawValue: 1 << 0)
        static let secureConnections = Part(rawValue: 1 << 1)
        static let name = Part(rawValue: 1 << 2)
        static let peerKey = Part(rawValue: 1 << 3)
        static let localKey = Part(rawValue: 1 << 4)
        static let resolvingKey = Part(rawValue: 1 << 5)
        static let peerSigningKey = Part(rawValue: 1 << 6)
        static let localSigningKey = Part(rawValue: 1 << 7)
        static let all = Part(rawValue: (1 << 8) - 1)
    }

    /// The maximum length of a stored name in bytes: that of a Device Name (Vol 3, Part C, 12.1).
    static let nameLimit = 248

    /// Returns a name that is truncated between characters to `nameLimit` bytes.
    static func storedName(_ name: String) -> String {
        var prefix = name
        while prefix.utf8.count > nameLimit { prefix.removeLast() }
        return prefix
    }

    /// Returns the stored form of the bond.
    ///
    /// - Parameter ours: The identity of the host, used if the bond does not contain one.
    func encode(localIdentity ours: DeviceAddress) -> [UInt8] {
        let name = name.map(Self.storedName)
        return Record.encode(.bond(peer)) { writer in
            writer.write(localIdentity ?? ours)
            writer.write(contentsOf: identifier.bytes)
            writer.write(parts.rawValue)
            writer.write(UInt8(truncatingIfNeeded: keySize))
            if let name {
                writer.write(UInt8(truncatingIfNeeded: name.utf8.count))
                writer.write(contentsOf: name.utf8)
            }
            for key in [peerKey, localKey] { if let key { writer.write(key) } }
            for key in [resolvingKey, peerSigningKey, localSigningKey] {
                if let key { writer.write(contentsOf: key.bytes) }
            }
        }
    }

    private var parts: Part {
        var parts: Part = []
        if isAuthenticated { parts.insert(.authenticated) }
        if usesSecureConnections { parts.insert(.secureConnections) }
        if name != nil { parts.insert(.name) }
        if peerKey != nil { parts.insert(.peerKey) }
        if localKey != nil { parts.insert(.localKey) }
        if resolvingKey != nil { parts.insert(.resolvingKey) }
        if peerSigningKey != nil { parts.insert(.peerSigningKey) }
        if localSigningKey != nil { parts.insert(.localSigningKey) }
        return parts
    }

    /// Reads a bond with a peer.
    init(parsing bytes: [UInt8], peer: DeviceAddress) throws(RecordFault) {
        self = try Record.decode(bytes, as: .bond(peer)) { reader throws(MalformedBytes) in
            try Bond(peer: peer, from: &reader)
        }
    }

    private init(peer: DeviceAddress, from reader: inout ByteReader) throws(MalformedBytes) {
        let ours = try reader.readDeviceAddress()
        let identifier = PeerIdentifier(bytes: try reader.readBytes(PeerIdentifier.length))
        let parts = Part(rawValue: try reader.readUInt16())
        let keySize = Int(try reader.readUInt8())
        guard parts.isSubset(of: .all) else { throw .invalid(field: "parts") }
        guard LinkSecurity.keySizeRange.contains(keySize) else { throw .invalid(field: "key size") }
        self.init(identifier: identifier, peer: peer, localIdentity: ours, keySize: keySize)
        isAuthenticated = parts.contains(.authenticated)
        usesSecureConnections = parts.contains(.secureConnections)
        if parts.contains(.name) { name = try reader.readName() }
        if parts.contains(.peerKey) { peerKey = try reader.readLongTermKey() }
        if parts.contains(.localKey) { localKey = try reader.readLongTermKey() }
        if parts.contains(.resolvingKey) { resolvingKey = try HCI.Key128(from: &reader) }
        if parts.contains(.peerSigningKey) { peerSigningKey = try HCI.Key128(from: &reader) }
        if parts.contains(.localSigningKey) { localSigningKey = try HCI.Key128(from: &reader) }
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ key: LongTermKey) {
        write(contentsOf: key.value.bytes)
        write(key.diversifier)
        write(key.random)
    }
}

extension ByteReader {
    fileprivate mutating func readName() throws(MalformedBytes) -> String {
        let bytes = try readBytes(Int(try readUInt8()))
        guard let name = String(utf8: bytes) else {
            throw .invalid(field: "name")
        }
        return name
    }

    fileprivate mutating func readLongTermKey() throws(MalformedBytes) -> LongTermKey {
        LongTermKey(
            try HCI.Key128(from: &self),
            diversifier: try readUInt16(),
            random: try readUInt64()
        )
    }
}
