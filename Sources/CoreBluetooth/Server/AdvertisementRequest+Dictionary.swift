// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import Foundation

// Conversion from and to the app's dictionary.
extension AdvertisementRequest {
    /// The keys that can be advertised. Other keys are ignored.
    static let acceptedKeys: Set<String> = [
        CBAdvertisementDataLocalNameKey, CBAdvertisementDataServiceUUIDsKey,
    ]

    /// Creates the advertisement from the app's dictionary. Logs keys that cannot be
    /// advertised.
    init(_ dictionary: [String: Any], hasBackgroundRules: Bool) {
        let services = dictionary[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID]
        self.init(
            localName: dictionary[CBAdvertisementDataLocalNameKey] as? String,
            services: (services ?? []).map(\.uuidString),
            hasBackgroundRules: hasBackgroundRules
        )
        for key in dictionary.keys.sorted() where !Self.acceptedKeys.contains(key) {
            Misuse.warn("The advertisement key '\(key)' is not allowed")
        }
    }

    /// The dictionary of the app, without keys that cannot be advertised.
    var dictionary: [String: Any] {
        var dictionary: [String: Any] = [:]
        dictionary[CBAdvertisementDataLocalNameKey] = localName
        if !services.isEmpty {
            dictionary[CBAdvertisementDataServiceUUIDsKey] = services.map { CBUUID(string: $0) }
        }
        return dictionary
    }
}
