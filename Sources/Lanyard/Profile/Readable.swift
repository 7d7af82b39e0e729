// SPDX-License-Identifier: Apache-2.0

/// A property of an ``AccessoryProfile`` that declares a characteristic whose value an app reads.
/// An app reads it with ``ReadableValue/read()``.
///
/// ```swift
/// let location = Readable<BodySensorLocation>()
/// let level = Readable<BatteryLevel>(in: "180F", isRequired: false)
/// let serial = Readable<String>("2A25", in: "180A")
/// ```
public struct Readable<Value: Sendable>: CharacteristicProperty, CharacteristicUseProvider {
    /// The UUID of the characteristic.
    public let identifier: BluetoothID
    let service: BluetoothID?
    let isRequired: Bool
    let coding: ValueCoding<Value>

    /// Declares a characteristic whose value an app reads.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the characteristic.
    ///   - service: The UUID of its service; `nil` for the main service of the profile.
    ///   - isRequired: Whether an accessory needs the characteristic to become ready. If it is not
    ///     required, its use throws ``AccessoryError/unknownCharacteristic(_:)`` on an accessory
    ///     without it.
    ///   - coding: The conversion between bytes and values.
    public init(
        _ identifier: BluetoothID,
        in service: BluetoothID?,
        isRequired: Bool,
        coding: ValueCoding<Value>
    ) {
        self.identifier = identifier
        self.service = service
        self.isRequired = isRequired
        self.coding = coding
    }

    func uses(in service: BluetoothID) -> [CharacteristicUse] {
        let path = CharacteristicPath(self.service ?? service, identifier)
        return [CharacteristicUse(path: path, role: .read, isRequired: isRequired)]
    }
}
