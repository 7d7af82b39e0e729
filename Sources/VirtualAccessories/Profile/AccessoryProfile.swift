// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothGAP
import BluetoothGATT
import BluetoothTypes

/// What a simple accessory is: what it advertises, what it serves, and how it behaves.
///
/// ```swift
/// let battery = AccessoryProfile.Characteristic(
///     BluetoothUUID(0x2A19),
///     [.read, .notify],
///     value: [87]
/// )
/// let profile = AccessoryProfile(
///     name: "Lamp",
///     services: [.init(BluetoothUUID(0x180F), [battery])]
/// )
/// world.attach(SimpleAccessory(profile), to: controller)
/// ```
///
/// The services that every device has (Generic Access with name and appearance, Generic Attribute
/// with Service Changed) come by themselves, before the others.
public struct AccessoryProfile: Sendable {
    /// How it is called; as much of it as fits is advertised.
    public var name: String
    /// What it looks like (Assigned Numbers, 2.6).
    public var appearance: UInt16
    /// What it serves.
    public var services: [Service]
    /// Whose UUIDs are advertised; as many of them, in order, as fit.
    public var advertisedServices: [BluetoothUUID]
    /// What the scan response holds.
    public var manufacturerData: AdvertisingData.ManufacturerData?
    /// How often it advertises.
    public var advertisingInterval: Duration
    /// From which address it advertises.
    public var address: AccessoryAddress
    /// The longest PDU of the Attribute Protocol that it receives: 23 to 517 octets.
    public var mtu: UInt16
    /// How it pairs; nil if it does not.
    public var pairing: AccessoryPairing?

    /// A profile that advertises the UUIDs of all its services, if nothing else is said.
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
        self.advertisedServices = advertisedServices ?? services.map(\.uuid)
        self.manufacturerData = manufacturerData
        self.advertisingInterval = advertisingInterval
        self.address = address
        self.mtu = min(max(mtu, 23), 517)
        self.pairing = pairing
    }

    /// Lets all values of its own services ask this of a link, where they ask for less.
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

    /// A service and what is in it.
    public struct Service: Sendable {
        /// What the service is.
        public var uuid: BluetoothUUID
        /// What is in it, in order.
        public var characteristics: [Characteristic]
        /// Whether it is primary, as most are.
        public var isPrimary: Bool

        /// A service with these characteristics.
        public init(
            _ uuid: BluetoothUUID,
            _ characteristics: [Characteristic],
            isPrimary: Bool = true
        ) {
            self.uuid = uuid
            self.characteristics = characteristics
            self.isPrimary = isPrimary
        }
    }

    /// A characteristic, and what it does of itself.
    public struct Characteristic: Sendable {
        /// What the value means.
        public var uuid: BluetoothUUID
        /// What can be done with it: nothing else is allowed.
        public var properties: GATT.CharacteristicProperties
        /// What it is at first: 512 octets at most.
        public var value: [UInt8]
        /// Its descriptors. The one that clients subscribe by comes by itself, after the others.
        public var descriptors: [Descriptor]
        /// What a client gets for as long as it is subscribed.
        public var stream: ValueStream?
        /// What happens when a client writes; nil to keep what was written.
        public var reaction: WriteReaction?
        /// What the link must have before the value is given or taken.
        public var requirement: SecurityRequirement

        /// A characteristic with this value.
        public init(
            _ uuid: BluetoothUUID,
            _ properties: GATT.CharacteristicProperties,
            value: [UInt8] = [],
            descriptors: [Descriptor] = [],
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

    /// A descriptor, which can be read.
    public struct Descriptor: Sendable {
        /// What it says about its characteristic.
        public var uuid: BluetoothUUID
        /// What it is: 512 octets at most.
        public var value: [UInt8]

        /// A descriptor with this value.
        public init(_ uuid: BluetoothUUID, value: [UInt8]) {
            self.uuid = uuid
            self.value = Array(value.prefix(ATT.valueLengthLimit))
        }

        /// What people read about the characteristic.
        public static func userDescription(_ text: String) -> Descriptor {
            Descriptor(GATT.AttributeType.characteristicUserDescription, value: Array(text.utf8))
        }
    }
}
