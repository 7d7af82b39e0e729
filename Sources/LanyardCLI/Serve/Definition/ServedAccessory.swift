// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// The accessory that a database file describes: what it is called, what it advertises, which
/// services it has, and how their values live. `docs/SERVING.md` tells every key of the file.
struct ServedAccessory: Equatable, Sendable {
    /// How many services a file may have.
    static let serviceLimit = 256
    /// How many characteristics a service may have.
    static let characteristicLimit = 1_024
    /// How many descriptors a characteristic may have.
    static let descriptorLimit = 64
    /// The longest name, in octets: one more than fits into an advertisement is cut there only
    /// (Vol 3, Part C, 12.1).
    static let nameLimit = 248

    /// The device name.
    var name: String
    /// What it looks like: a number that the Bluetooth SIG assigned.
    var appearance: UInt16 = 0
    var advertising = ServedAdvertising()
    /// In the order in which they are published.
    var services: [ServedService] = []
}

/// A service of a database file.
struct ServedService: Equatable, Sendable {
    let uuid: BluetoothUUID
    var isPrimary = true
    var includes: [GATT.ServiceReference] = []
    var handle: AttributeHandle?
    var characteristics: [ServedCharacteristic] = []

    /// What is published.
    var definition: GATT.ServiceDefinition {
        GATT.ServiceDefinition(
            uuid,
            isPrimary: isPrimary,
            includes: includes,
            characteristics.map(\.definition),
            handle: handle
        )
    }
}

/// A characteristic of a database file. Its value is asked for each time it is read or written,
/// so that it can be told; the value itself is on the `ValueBoard`.
struct ServedCharacteristic: Equatable, Sendable {
    let definition: GATT.CharacteristicDefinition
    /// What the value is.
    let template: ValueTemplate
    /// The longest value that a write may make it, in octets.
    var maximumLength = HexArgument.lengthLimit
    /// How often the value is sent, and moves if it can. Without, it moves whenever it is read.
    var period: Duration?
    /// Where what is written is sent back to who wrote it.
    var echo: Echo?

    /// A characteristic that sends back.
    enum Echo: Equatable, Sendable {
        /// The one that was written.
        case itself
        /// The first of that UUID, of the same service before others.
        case other(BluetoothUUID)
    }
}

/// What a database file says of advertising.
struct ServedAdvertising: Equatable, Sendable {
    /// The name in the advertisement: nil for the device's own.
    var name: String?
    /// Whether a name is there at all.
    var hasName = true
    /// The services that are announced; nil for the primary ones of the file.
    var services: [BluetoothUUID]?
    var serviceData: [ServiceData] = []
    var manufacturerData: ManufacturerData?
    /// The shortest and the longest time between two advertisements; nil for the usual.
    var interval: ClosedRange<Duration>?
    var isExtended = false
    var isConnectable = true

    /// What is said of one service.
    struct ServiceData: Equatable, Sendable {
        let uuid: BluetoothUUID
        let data: [UInt8]
    }

    /// What a company says as it likes.
    struct ManufacturerData: Equatable, Sendable {
        let company: UInt16
        let data: [UInt8]
    }
}
