// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import Foundation

/// An advertisement in the form in which delegates get it.
enum AdvertisementDictionary {
    static func make(_ advertisement: Advertisement) -> [String: Any] {
        var dictionary: [String: Any] = [:]
        let data = advertisement.data
        dictionary[CBAdvertisementDataIsConnectable] =
            NSNumber(value: advertisement.isConnectable)
        if let name = data.localName { dictionary[CBAdvertisementDataLocalNameKey] = name }
        return dictionary
    }
}
