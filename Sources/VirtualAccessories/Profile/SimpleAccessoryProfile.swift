// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothGAP
import BluetoothGATT
import BluetoothTypes

/// The definition of a simple accessory: its advertising, its services and its behavior.
///
/// ```swift
/// let battery = SimpleAccessoryProfile.Characteristic(
///     BluetoothUUID(0x2A19),
///     [.read, .notify],
///     value: [87]
/// )
/// let profile = SimpleAccessoryProfile(
///     name: "Lamp",
///     services: [.init(BluetoothUUID(0x180F), [battery])]
/// )
/// world.attach(SimpleAccessory(profile), to: controller)
/// ```
///
/// Before the services of the profile, the accessory has those that every device has, unless the
/// profile defines them: Generic Access with name and appearance, and Generic Attribute with
/// Service Changed.
public struct SimpleAccessoryProfile: Sendable {
    /// The name. The advertisement has as much of it as fits.
    public var name: String
    /// The appearance (Assigned Numbers, 2.6).
    public var appearance: UInt16
    /// The services.
    public var services: [Service]
    /// The service UUIDs to advertise. The advertisement has as many of them, in order, as fit.
    public var advertisedServices: [BluetoothUUID]
    /// The manufacturer data in the scan response; `nil` for none.
    public var manufacturerData: AdvertisingData.ManufacturerData?
    /// The advertising interval.
    public var advertisingInterval: Duration
    /// The address from which the accessory advertises.
    public var address: AccessoryAddress
    /// The largest ATT PDU that the accessory receives: 23 to 517 bytes.
    public var mtu: UInt16
    /// The pairing behavior; `nil` if the accessory does not pair.
    public var pairing: AccessoryPairing?

    /// Creates a profile. By default it advertises the UUIDs of all its primary services.
    public init(
        name: String,
        appearance: UInt16 = 0,
        services: [Service],
        advertisedServices: [BluetoothUUID]? = nil,
        manufacturerData: AdvertisingData.ManufacturerData? = nil,
        advertisingInterval: Duration = .milliseconds(100),
        address: AccessoryAddress = .randomStatic,
        mtu: UInt16 = 247,
        pairing: AccessoryPairing? = nil
    ) {
        self.name = name
        self.appearance = appearance
        self.services = services
        self.advertisedServices = advertisedServices ?? services.filter(\.isPrimary).map(\.uuid)
        self.manufacturerData = manufacturerData
        self.advertisingInterval = advertisingInterval
        self.address = address
        self.mtu = min(max(mtu, 23), 517)
        self.pairing = pairing
    }

    /// Protects the values of the profile's own services. A requirement with authentication
    /// replaces the requirement of every value. Any other requirement applies only to values that
    /// had none.
    public mutating func protectValues(_ requirement: SecurityRequirement) {
        for service in services.indices {
            for value in services[service].characteristics.indices
            where services[service].characteristics[value].requirement == .open
                || requirement.needsAuthentication
            {
                services[service].characteristics[value].requirement = requirement
            }
        }
    }

    /// A service with its characteristics.
    public struct Service: Sendable {
        /// The UUID of the service.
        public var uuid: BluetoothUUID
        /// The characteristics, in order.
        public var characteristics: [Characteristic]
        /// Whether the service is primary.
        public var isPrimary: Bool
        /// The UUIDs of the services that this service includes. They must come before it in the
        /// profile.
        public var includes: [BluetoothUUID]

        /// Creates a service with these characteristics.
        public init(
            _ uuid: BluetoothUUID,
            _ characteristics: [Characteristic],
            isPrimary: Bool = true,
            includes: [BluetoothUUID] = []
        ) {
            self.uuid = uuid
            self.characteristics = characteristics
            self.isPrimary = isPrimary
            self.includes = includes
        }
    }

    /// A characteristic and its behavior.
    public struct Characteristic: Sendable {
        /// The UUID of the characteristic.
        public var uuid: BluetoothUUID
        /// The properties. The server refuses every use of the value that they do not allow.
        public var properties: GATT.CharacteristicProperties
        /// The initial value: at most 512 bytes.
        public var value: [UInt8]
        /// The descriptors. If the value can be notified or indicated, the server adds the Client
        /// Characteristic Configuration descriptor after them.
        public var descriptors: [GATT.DescriptorDefinition]
        /// The values that a client gets while it is subscribed; `nil` for none.
        public var stream: ValueStream?
        /// The reaction to a write; `nil` to store the written value.
        public var reaction: WriteReaction?
        /// The security that the link must have for reading and writing the value and for
        /// subscribing to it.
        public var requirement: SecurityRequirement

        /// Creates a characteristic with this value.
        public init(
            _ uuid: BluetoothUUID,
            _ properties: GATT.CharacteristicProperties,
            value: [UInt8] = [],
            descriptors: [GATT.DescriptorDefinition] = [],
            stream: ValueStream? = nil,
            reaction: WriteReaction? = nil,
            requirement: SecurityRequirement = .open
        ) {
            self.uuid = uuid
            self.properties = properties
            self.value = Array(value.prefix(ATT.valueLengthLimit))
            self.descriptors = descriptors
            self.stream = stream
            self.reaction = reaction
            self.requirement = requirement
        }
    }
}
