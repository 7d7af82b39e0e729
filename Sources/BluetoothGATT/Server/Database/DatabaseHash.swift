// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothCrypto
import BluetoothTypes

/// The hash by which a client recognizes a database (Vol 3, Part G, 7.3.1). It is a message
/// authentication code, with a key of zeros, of all declarations and of the descriptors that GATT
/// defines. It does not depend on the values of characteristics and of most descriptors.
enum DatabaseHash {
    static let empty = hash(of: [Attribute]())

    /// Computes the hash in transmission order. The specification defines it as a 128-bit number,
    /// and numbers are transmitted least significant byte first.
    static func hash(of attributes: [Attribute]) -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: AES128.blockLength)
        let code = AES128(key: zeros)?.authenticationCode(of: message(of: attributes))
        return (code ?? zeros).reversed()
    }

    /// Returns the message from which the code is computed.
    private static func message(of attributes: [Attribute]) -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 12 * attributes.count)
        for attribute in attributes {
            guard let part = part(of: attribute.type) else { continue }
            writer.write(attribute.handle)
            writer.write(contentsOf: attribute.type.attBytes)
            if part == .withValue { writer.write(contentsOf: attribute.value.bytes) }
        }
        return writer.bytes
    }

    /// The part of an attribute that is included in the hash.
    private enum Part {
        case withValue
        case withoutValue
    }

    private static func part(of type: BluetoothUUID) -> Part? {
        switch type {
        case GATT.AttributeType.primaryService, GATT.AttributeType.secondaryService,
            GATT.AttributeType.include, GATT.AttributeType.characteristic,
            GATT.AttributeType.characteristicExtendedProperties:
            .withValue
        case GATT.AttributeType.characteristicUserDescription,
            GATT.AttributeType.clientCharacteristicConfiguration,
            GATT.AttributeType.serverCharacteristicConfiguration,
            GATT.AttributeType.characteristicPresentationFormat,
            GATT.AttributeType.characteristicAggregateFormat:
            .withoutValue
        default: nil
        }
    }
}

extension Attribute.Value {
    /// The bytes in the database, empty if the value is elsewhere.
    var bytes: [UInt8] {
        switch self {
        case .fixed(let value), .stored(let value, _): value
        case .dynamic, .clientConfiguration, .clientSupportedFeatures, .databaseHash: []
        }
    }
}
