// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothCrypto
import BluetoothTypes

/// The hash by which a client knows a table again (Vol 3, Part G, 7.3.1): a message authentication
/// code, under a key of zeros, of everything that says how the table is built, and of no value that
/// means something to a user.
enum DatabaseHash {
    /// The hash of a table before anything is in it.
    static let ofNothing = hash(of: [Attribute]())

    /// The hash as it travels. The specification calls it a number of 128 bits, and numbers travel
    /// with the least significant octet first.
    static func hash(of attributes: [Attribute]) -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: AES128.blockLength)
        let code = AES128(key: zeros)?.authenticationCode(of: message(of: attributes))
        return (code ?? zeros).reversed()
    }

    /// What the code is made of.
    private static func message(of attributes: [Attribute]) -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 12 * attributes.count)
        for attribute in attributes {
            guard let part = part(of: attribute.type) else { continue }
            writer.write(attribute.handle)
            writer.write(contentsOf: attribute.type.attBytes)
            if part == .withValue { writer.write(contentsOf: attribute.value.octets) }
        }
        return writer.bytes
    }

    /// How much of an attribute goes into the hash.
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
    /// The octets that the table keeps; none if they are elsewhere.
    var octets: [UInt8] {
        switch self {
        case .fixed(let value), .stored(let value, _): value
        case .dynamic, .clientConfiguration, .clientSupportedFeatures, .databaseHash: []
        }
    }
}
