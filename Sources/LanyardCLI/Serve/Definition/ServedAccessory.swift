// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothGATT
import BluetoothHost
import BluetoothTypes

/// The accessory that a database file describes: its name, its advertising, its services, and the
/// behavior of its values. `docs/SERVING.md` describes every key of the file.
struct ServedAccessory: Equatable, Sendable {
    /// The maximum number of services of a file.
    static let serviceLimit = 256
    /// The maximum number of characteristics of a service.
    static let characteristicLimit = 1_024
    /// The maximum number of descriptors of a characteristic.
    static let descriptorLimit = 64
    /// The maximum length of a name in bytes. A name that does not fit into an advertisement is
    /// shortened there (Vol 3, Part C, 12.1).
    static let nameLimit = 248

    /// The device name.
    var name: String
    /// The appearance, an assigned number.
    var appearance: UInt16 = 0
    var advertising = ServedAdvertising()
    /// The services in the order of publication.
    var services: [ServedService] = []
}

/// A service of a database file.
struct ServedService: Equatable, Sendable {
    /// The definition for the server. The server asks for the value of a characteristic at each
    /// read and write, so that both are reported.
    var definition: GATT.ServiceDefinition
    /// The behavior of the characteristics' values, in the order of the definition.
    var values: [ServedValue] = []
}

/// The value of a characteristic of a database file, and its behavior. `ServedValues` holds the
/// current value.
struct ServedValue: Equatable, Sendable {
    /// The description of the value.
    var template: ValueTemplate
    /// The maximum length in bytes of a value that a write may set.
    var maximumLength = GATT.valueLengthLimit
    /// The period at which the value is sent. If the value can change, it also changes with this
    /// period. Without a period, it changes when it is read.
    var period: Duration?
    /// The characteristic on which a written value is sent back to its writer.
    var echo: Echo?

    /// A characteristic that sends a written value back.
    enum Echo: Equatable, Sendable {
        /// The written characteristic.
        case itself
        /// The first characteristic with that UUID, preferably of the same service.
        case other(BluetoothUUID)
    }
}

/// The advertising that a database file describes.
struct ServedAdvertising: Equatable, Sendable {
    /// The name in the advertisement; `nil` for the device name.
    var name: String?
    /// Whether the advertisement has a name.
    var hasName = true
    /// The advertised services; `nil` for the primary services of the file, without the two generic
    /// services.
    var services: [BluetoothUUID]?
    var serviceData: [AdvertisingContent.ServiceData] = []
    var manufacturerData: AdvertisingData.ManufacturerData?
    /// The shortest and the longest advertising interval; `nil` for the default.
    var interval: ClosedRange<Duration>?
    var isExtended = false
    var isConnectable = true
}

/// The identity of a host that serves an accessory.
struct ServedIdentity: Equatable, Sendable {
    /// The address; `nil` for the address in the host's store, or a new one if the store has none.
    let address: DeviceAddress?
    let name: String
    let appearance: UInt16

    /// Creates the identity of the accessory at this address.
    init(of accessory: ServedAccessory, at address: DeviceAddress?) {
        self.address = address
        name = accessory.name
        appearance = accessory.appearance
    }

    func apply(to configuration: inout HostConfiguration) {
        configuration.address = address
        configuration.name = name
        configuration.appearance = appearance
    }
}

extension DeviceAddress {
    /// Parses a random static address: the two highest bits are set, and the others are neither all
    /// zero nor all one (Vol 6, Part B, 1.3.2.1).
    static func randomStatic(_ text: String) throws(ProgramFailure) -> DeviceAddress {
        let digits = text.lowercased().hasSuffix("/random") ? text.dropLast(7) : text[...]
        let range: ClosedRange<UInt64> = 0xC000_0000_0001...0xFFFF_FFFF_FFFE
        guard let address = DeviceAddress(digits, kind: .random), range.contains(address.value)
        else {
            throw .usage(
                "'\(TerminalText.escape(text))' is not a random static address",
                advice: "use one from C0:00:00:00:00:01 to FF:FF:FF:FF:FF:FE"
            )
        }
        return address
    }
}
