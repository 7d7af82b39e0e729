// SPDX-License-Identifier: Apache-2.0

/// The typed declaration of an accessory: its services, the characteristics that an app uses, and
/// the use and the value type of each.
///
/// ```swift
/// struct HeartStrap: AccessoryProfile {
///     static let kind = "strap"
///     static let service: BluetoothID = "180D"
///
///     let measurement = Subscribed<HeartRateMeasurement>()
///     let location = Readable<BodySensorLocation>()
///     let control = Writable<HeartRateControlPoint>()
///     let battery = Readable<BatteryLevel>(in: "180F", isRequired: false)
/// }
///
/// let central = AccessoryCentral(for: [HeartStrap.description])
/// let strap = try await central.accessory(HeartStrap.self)
/// for try await beat in strap.measurement { print(beat.rate) }
/// ```
///
/// The stored properties are the declaration. ``description`` is the ``AccessoryDescription`` that
/// follows from them, and a ``TypedAccessory`` has a member for each of them: a property that is
/// ``Readable`` can only be read. The compiler refuses another use, another type, and a name that
/// the profile does not declare. Untyped access remains, through ``TypedAccessory/accessory``.
///
/// ### Rules
///
/// - A ``Readable``, ``Writable`` or ``Subscribed`` property declares one use of a characteristic.
///   A characteristic with several uses can have several properties, each with its own value type.
/// - The UUID of the characteristic is that of the value's type, unless the property names another.
///   The service is the profile's ``service``, unless the property names another.
/// - A characteristic is in one service of the profile.
/// - Only stored properties count, because `Mirror` lists no others. A characteristic that only a
///   computed property declares is missing in the description, so its use throws
///   ``AccessoryError/unknownCharacteristic(_:)``.
public protocol AccessoryProfile: Sendable {
    /// Creates the declaration. Swift provides this initializer for a structure whose properties
    /// all have default values.
    init()

    /// The name of this kind of accessory in the store. Keep it in every version of the app,
    /// because the central finds the description of a remembered accessory by this name.
    static var kind: String { get }

    /// The main service: the service of each property that names none.
    static var service: BluetoothID { get }

    /// The rule that selects the accessories of this kind; by default those that advertise
    /// ``service``.
    static var matcher: AccessoryMatcher { get }

    /// Sets the properties of the description that do not follow from the declaration, such as
    /// pairing, timeouts, identity and priority. Does nothing by default.
    ///
    /// - Parameter description: The description that follows from the declaration.
    static func configure(_ description: inout AccessoryDescription)
}

extension AccessoryProfile {
    /// The rule that selects the accessories that advertise ``service``.
    public static var matcher: AccessoryMatcher { .service(service) }

    /// Changes nothing.
    ///
    /// - Parameter description: The description that follows from the declaration.
    public static func configure(_ description: inout AccessoryDescription) {}

    /// The description of the accessory, for an ``AccessoryCentral``.
    ///
    /// - Precondition: No characteristic is declared in two services.
    public static var description: AccessoryDescription {
        var description = AccessoryDescription(
            kind: kind,
            matching: matcher,
            services: CharacteristicUse.services(uses)
        )
        configure(&description)
        return description
    }

    /// The uses that the stored properties declare, in their order.
    static var uses: [CharacteristicUse] {
        Mirror(reflecting: Self()).children.flatMap { child in
            (child.value as? any CharacteristicUseProvider)?.uses(in: service) ?? []
        }
    }
}

extension PairingRequirement {
    /// Returns the requirement that the library reads this property of the profile before the
    /// accessory is ready, so that the accessory is paired: `.required(probing: Lock().secret)`.
    ///
    /// - Parameter property: The property, whose characteristic only paired centrals can read.
    public static func required<Value>(probing property: Readable<Value>) -> Self {
        .required(probing: property.identifier)
    }
}
