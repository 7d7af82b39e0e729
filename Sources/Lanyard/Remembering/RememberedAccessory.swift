// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What is kept of an accessory from one launch to the next.
public struct RememberedAccessory: Hashable, Sendable {
    /// Which accessory it is.
    public var identity: AccessoryIdentity
    /// What the system called it when it was last used: by this it is found without a scan, if its address
    /// has not changed since, or it is bonded.
    public var systemIdentifier: UUID
    /// The kind of its description.
    public var kind: String
    /// What it calls itself.
    public var name: String?
    /// When it was paired.
    public var rememberedSince: Date
    /// When it was last ready; nil if it never was.
    public var lastReady: Date?
    /// Whatever the application wants to know of it the next time.
    public var notes: [String: String]

    /// What is kept of an accessory.
    public init(
        identity: AccessoryIdentity,
        systemIdentifier: UUID,
        kind: String,
        name: String? = nil,
        rememberedSince: Date,
        lastReady: Date? = nil,
        notes: [String: String] = [:]
    ) {
        self.identity = identity
        self.systemIdentifier = systemIdentifier
        self.kind = kind
        self.name = name
        self.rememberedSince = rememberedSince
        self.lastReady = lastReady
        self.notes = notes
    }
}
