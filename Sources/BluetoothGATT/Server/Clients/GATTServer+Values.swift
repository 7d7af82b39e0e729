// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

// Values that the server answers for by itself: those in the table, and those in a client's record.

extension GATTServer {
    /// The whole value of an attribute as this client sees it; nil if the application has to be
    /// asked. Permissions are not looked at.
    package func value(of attribute: Attribute, for client: ClientID) -> [UInt8]? {
        switch attribute.value {
        case .fixed(let value), .stored(let value, _): value
        case .dynamic: nil
        case .clientConfiguration:
            (clients[client]?.memory.configurations[attribute.handle]?.bits ?? 0).octets
        case .clientSupportedFeatures: [clients[client]?.memory.supportedFeatures ?? 0]
        case .databaseHash: database.hash
        }
    }

    /// Why the client may not make `value` the whole value of an attribute; nil if it may. The write
    /// permission is not looked at, and nothing is said of a value that the application keeps.
    package func refusal(
        ofWriting value: [UInt8],
        to attribute: Attribute,
        by client: ClientID
    ) -> ATT.ErrorCode? {
        switch attribute.value {
        case .dynamic: nil
        case .fixed, .databaseHash: .writeNotPermitted
        case .stored(_, let maximumLength):
            refusal(ofStoring: value, in: attribute, maximumLength: maximumLength)
        case .clientConfiguration(let valueHandle):
            refusal(ofConfiguring: valueHandle, with: value, by: client)
        case .clientSupportedFeatures: refusal(ofFeatures: value, of: client)
        }
    }

    /// Makes `value` the whole value of an attribute that the server keeps. Nothing is checked: call
    /// `refusal(ofWriting:to:by:)` before.
    ///
    /// - Returns: What comes of it. `told(.written)` is not among it: that is for whoever knows the
    ///   whole request.
    package mutating func write(
        _ value: [UInt8],
        to attribute: Attribute,
        by client: ClientID
    ) -> [Action] {
        switch attribute.value {
        case .dynamic, .fixed, .databaseHash: return []
        case .stored:
            database.store(value, at: attribute.handle)
            return []
        case .clientConfiguration(let valueHandle):
            return configure(attribute.handle, of: valueHandle, with: value, by: client)
        case .clientSupportedFeatures:
            guard let features = value.first.map({ $0 & ClientFeatures.all }),
                clients[client]?.memory.supportedFeatures != features
            else { return [] }
            clients[client]?.memory.supportedFeatures = features
            return remember(client)
        }
    }

    private func refusal(
        ofStoring value: [UInt8],
        in attribute: Attribute,
        maximumLength: Int
    ) -> ATT.ErrorCode? {
        // A bit field of two octets, never less (Vol 3, Part G, 3.3.3.4).
        let isBroadcast = attribute.type == GATT.AttributeType.serverCharacteristicConfiguration
        let lengths = isBroadcast ? 2...2 : 0...maximumLength
        return lengths.contains(value.count) ? nil : .invalidAttributeValueLength
    }

    /// Bits once set stay set (Vol 3, Part G, 7.2). Octets that this server has no use for are
    /// ignored.
    private func refusal(ofFeatures value: [UInt8], of client: ClientID) -> ATT.ErrorCode? {
        guard let features = value.first else { return .invalidAttributeValueLength }
        let kept = clients[client]?.memory.supportedFeatures ?? 0
        return kept & ~features == 0 ? nil : .valueNotAllowed
    }
}

extension UInt16 {
    /// The number as it travels.
    var octets: [UInt8] { [UInt8(truncatingIfNeeded: self), UInt8(self >> 8)] }
}
