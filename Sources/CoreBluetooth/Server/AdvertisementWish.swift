// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What an application wants to advertise.
struct AdvertisementWish: Hashable, Sendable, Codable {
    var localName: String?
    /// UUIDs as texts, in the width in which the application made them: so they are to travel.
    var services: [String] = []
    /// Whether the rules for applications in the background hold.
    var hasBackgroundRules = false

    /// The keys that there are rules for; all others are not advertised.
    static let acceptedKeys: Set<String> = [
        CBAdvertisementDataLocalNameKey, CBAdvertisementDataServiceUUIDsKey,
    ]

    init(localName: String? = nil, services: [String] = [], hasBackgroundRules: Bool = false) {
        self.localName = localName
        self.services = services
        self.hasBackgroundRules = hasBackgroundRules
    }

    /// What the dictionary of an application says; what cannot be advertised is said in the log.
    init(_ dictionary: [String: Any], hasBackgroundRules: Bool) {
        self.hasBackgroundRules = hasBackgroundRules
        localName = dictionary[CBAdvertisementDataLocalNameKey] as? String
        let services = dictionary[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID]
        self.services = (services ?? []).map(\.uuidString)
        for key in dictionary.keys.sorted() where !Self.acceptedKeys.contains(key) {
            Misuse.warn("The advertisement key '\(key)' is not allowed")
        }
    }

    /// The dictionary again.
    var dictionary: [String: Any] {
        var dictionary: [String: Any] = [:]
        dictionary[CBAdvertisementDataLocalNameKey] = localName
        if !services.isEmpty {
            dictionary[CBAdvertisementDataServiceUUIDsKey] = services.map { CBUUID(string: $0) }
        }
        return dictionary
    }
}
