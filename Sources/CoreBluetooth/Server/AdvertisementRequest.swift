// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The advertisement of a peripheral manager.
struct AdvertisementRequest: Hashable, Sendable {
    var localName: String?
    /// The UUIDs as text, in the width in which the application made them, which is the advertised
    /// width.
    var services: [String] = []
    /// Whether the rules for applications in the background apply. It is not stored.
    var hasBackgroundRules = false

    /// The keys that can be advertised. Others are ignored.
    static let acceptedKeys: Set<String> = [
        CBAdvertisementDataLocalNameKey, CBAdvertisementDataServiceUUIDsKey,
    ]

    init(localName: String? = nil, services: [String] = [], hasBackgroundRules: Bool = false) {
        self.localName = localName
        self.services = services
        self.hasBackgroundRules = hasBackgroundRules
    }

    /// Makes the advertisement from the application's dictionary. Logs keys that cannot be
    /// advertised.
    init(_ dictionary: [String: Any], hasBackgroundRules: Bool) {
        self.hasBackgroundRules = hasBackgroundRules
        localName = dictionary[CBAdvertisementDataLocalNameKey] as? String
        let services = dictionary[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID]
        self.services = (services ?? []).map(\.uuidString)
        for key in dictionary.keys.sorted() where !Self.acceptedKeys.contains(key) {
            Misuse.warn("The advertisement key '\(key)' is not allowed")
        }
    }

    /// The dictionary of the application, without keys that cannot be advertised.
    var dictionary: [String: Any] {
        var dictionary: [String: Any] = [:]
        dictionary[CBAdvertisementDataLocalNameKey] = localName
        if !services.isEmpty {
            dictionary[CBAdvertisementDataServiceUUIDsKey] = services.map { CBUUID(string: $0) }
        }
        return dictionary
    }
}
