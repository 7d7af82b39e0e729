// SPDX-License-Identifier: Apache-2.0

/// An accessory with the members that its profile declares.
///
/// ```swift
/// let strap = try await central.accessory(HeartStrap.self)
/// let place = try await strap.location.read()
/// try await strap.control.write(.resetEnergyExpended)
/// for try await beat in strap.measurement { print(beat.rate) }
/// ```
///
/// Its only other members are ``accessory`` and ``id``, so that a profile can have properties of
/// any other name. The state and everything untyped belong to the accessory:
/// `strap.accessory.state`.
@dynamicMemberLookup
public struct TypedAccessory<Profile: AccessoryProfile>: Sendable, Identifiable {
    /// The accessory, for its state and for untyped access.
    public let accessory: Accessory
    private let profile = Profile()

    /// The identity of the accessory.
    public var id: Accessory.ID { accessory.id }

    /// Gives an accessory the members of a profile. The accessory can be of another kind, if its
    /// description declares all that the profile declares.
    ///
    /// - Parameters:
    ///   - accessory: The accessory.
    ///   - profile: The type of the profile.
    /// - Throws: ``AccessoryError/unknownCharacteristic(_:)`` if the accessory's description lacks
    ///   a characteristic of the profile, or one of its uses.
    public init(_ accessory: Accessory, as profile: Profile.Type) throws(AccessoryError) {
        for use in profile.uses where !accessory.description.declares(use) {
            throw .unknownCharacteristic(use.path.characteristic)
        }
        self.accessory = accessory
    }

    /// Returns the characteristic of a ``Readable`` property, to read its value.
    ///
    /// - Parameter property: The property of the profile.
    public subscript<Value>(
        dynamicMember property: KeyPath<Profile, Readable<Value>>
    ) -> ReadableValue<Value> {
        ReadableValue(accessory: accessory, property: profile[keyPath: property])
    }

    /// Returns the characteristic of a ``Writable`` property, to write its value.
    ///
    /// - Parameter property: The property of the profile.
    public subscript<Value>(
        dynamicMember property: KeyPath<Profile, Writable<Value>>
    ) -> WritableValue<Value> {
        WritableValue(accessory: accessory, property: profile[keyPath: property])
    }

    /// Returns the values of a ``Subscribed`` property, as the accessory sends them.
    ///
    /// - Parameter property: The property of the profile.
    public subscript<Value>(
        dynamicMember property: KeyPath<Profile, Subscribed<Value>>
    ) -> SubscribedValues<Value> {
        SubscribedValues(accessory: accessory, property: profile[keyPath: property])
    }

    /// Returns the message characteristics of a property.
    ///
    /// - Parameter property: The property of the profile.
    public subscript(
        dynamicMember property: KeyPath<Profile, MessagePair>
    ) -> AccessoryMessages {
        AccessoryMessages(accessory: accessory, pair: profile[keyPath: property])
    }
}

extension AccessoryCentral {
    /// Returns the known accessory of the profile's kind, or pairs a new one; see
    /// ``accessory(_:)-(AccessoryDescription)``.
    ///
    /// ```swift
    /// let strap = try await central.accessory(HeartStrap.self)
    /// ```
    ///
    /// - Parameter profile: The type of the profile.
    /// - Throws: The errors of the untyped call, and ``AccessoryError/unknownCharacteristic(_:)``
    ///   if the central has a description of this kind that lacks a characteristic of the profile.
    public func accessory<Profile: AccessoryProfile>(
        _ profile: Profile.Type
    ) async throws(AccessoryError) -> TypedAccessory<Profile> {
        try TypedAccessory(try await accessory(profile.description), as: profile)
    }

    /// Searches for an accessory of the profile's kind that is not yet known, and pairs it; see
    /// ``pair(_:)-(AccessoryDescription)``.
    ///
    /// - Parameter profile: The type of the profile.
    /// - Returns: The accessory, which was ready when the call ended.
    /// - Throws: The errors of the untyped call.
    public func pair<Profile: AccessoryProfile>(
        _ profile: Profile.Type
    ) async throws(AccessoryError) -> TypedAccessory<Profile> {
        try TypedAccessory(try await pair(profile.description), as: profile)
    }
}
