// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The data about an accessory that a store keeps from one launch to the next.
public struct RememberedAccessory: Hashable, Sendable {
    /// The identity of the accessory.
    public var identity: AccessoryIdentity
    /// The latest system identifier of the accessory. With it the system finds the accessory
    /// without a scan, if the address has not changed or the accessory is bonded.
    public var systemIdentifier: UUID
    /// The kind of the accessory's description.
    public var kind: String
    /// The name of the device; `nil` if it is unknown.
    public var name: String?
    /// The name that a person gave the accessory (``Accessory/rename(to:)``); `nil` if there is
    /// none.
    public var givenName: String?
    /// The date of the pairing.
    public var rememberedSince: Date
    /// The date when the central last saved this data because the accessory was ready; `nil` if it
    /// never did.
    public var lastReady: Date?
    /// Additional data of the app. While a central uses the store, set it with
    /// ``Accessory/setNote(_:for:)``, because the central writes its own copy.
    public var notes: [String: String]

    /// Creates the data of an accessory.
    ///
    /// - Parameters:
    ///   - identity: The identity of the accessory.
    ///   - systemIdentifier: The latest system identifier of the accessory.
    ///   - kind: The kind of the accessory's description.
    ///   - name: The name of the device; `nil` if it is unknown.
    ///   - givenName: The name that a person gave the accessory; `nil` if there is none.
    ///   - rememberedSince: The date of the pairing.
    ///   - lastReady: The date when the central last saved this data because the accessory was
    ///     ready; `nil` if it never did.
    ///   - notes: Additional data of the app.
    public init(
        identity: AccessoryIdentity,
        systemIdentifier: UUID,
        kind: String,
        name: String? = nil,
        givenName: String? = nil,
        rememberedSince: Date,
        lastReady: Date? = nil,
        notes: [String: String] = [:]
    ) {
        self.identity = identity
        self.systemIdentifier = systemIdentifier
        self.kind = kind
        self.name = name
        self.givenName = givenName
        self.rememberedSince = rememberedSince
        self.lastReady = lastReady
        self.notes = notes
    }
}
