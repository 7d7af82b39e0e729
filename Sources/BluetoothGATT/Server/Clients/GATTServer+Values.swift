// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

// Values that the server manages without the application: those in the database, and those in a
// client's record.

extension GATTServer {
    /// Returns the complete value of an attribute for this client, or `nil` if the application
    /// provides it. Permissions are not checked.
    package func value(of attribute: Attribute, for client: ClientID) -> [UInt8]? {
        switch attribute.value {
        case .fixed(let value), .stored(let value, _): value
        case .dynamic: nil
        case .clientConfiguration:
            (clients[client]?.clientRecord.configurations[attribute.handle]?.bits ?? 0).bytes
        case .clientSupportedFeatures: [clients[client]?.clientRecord.supportedFeatures ?? 0]
        case .databaseHash: database.hash
        }
    }

    /// Returns the reason to refuse a write of the complete value of an attribute, or `nil` to
    /// accept it.
    ///
    /// Write permissions are not checked. The result is `nil` for a value that the application
    /// provides.
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

    /// Writes the complete value of an attribute whose value the server manages. Nothing is
    /// checked, so call `refusal(ofWriting:to:by:)` first.
    ///
    /// - Returns: The resulting actions without `report(.written)`, which the caller adds for the
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
                clients[client]?.clientRecord.supportedFeatures != features
            else { return [] }
            clients[client]?.clientRecord.supportedFeatures = features
            return remember(client)
        }
    }

    private func refusal(
        ofStoring value: [UInt8],
        in attribute: Attribute,
        maximumLength: Int
    ) -> ATT.ErrorCode? {
        // The value is a bit field of exactly two bytes (Vol 3, Part G, 3.3.3.4).
        let isBroadcast = attribute.type == GATT.AttributeType.serverCharacteristicConfiguration
        let lengths = isBroadcast ? 2...2 : 0...maximumLength
        return lengths.contains(value.count) ? nil : .invalidAttributeValueLength
    }

    /// Returns the reason to refuse Client Supported Features, or `nil`. A client may not clear a
    /// bit (Vol 3, Part G, 7.2). Bytes without a meaning for this server are ignored.
    private func refusal(ofFeatures value: [UInt8], of client: ClientID) -> ATT.ErrorCode? {
        guard let features = value.first else { return .invalidAttributeValueLength }
        let current = clients[client]?.clientRecord.supportedFeatures ?? 0
        return current & ~features == 0 ? nil : .valueNotAllowed
    }
}

extension UInt16 {
    /// The bytes of the number, least significant byte first.
    var bytes: [UInt8] { [UInt8(truncatingIfNeeded: self), UInt8(self >> 8)] }
}
