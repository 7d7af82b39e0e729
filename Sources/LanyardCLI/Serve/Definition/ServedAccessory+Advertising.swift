// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

extension ServedAccessory {
    /// The name by which others find it; nil if it advertises none.
    var advertisedName: String? { advertising.hasName ? advertising.name ?? name : nil }

    /// What a host is to advertise.
    var hostAdvertising: Advertising {
        var content = AdvertisingContent()
        content.localName = advertisedName
        content.serviceUUIDs =
            advertising.services ?? services.filter(\.isAnnounced).map(\.uuid)
        content.manufacturerData =
            advertising.manufacturerData.map {
                [AdvertisingData.ManufacturerData(company: $0.company, bytes: $0.data)]
            } ?? []
        content.serviceData = advertising.serviceData.map {
            AdvertisingContent.ServiceData(uuid: $0.uuid, bytes: $0.data)
        }
        content.appearance = appearance == 0 ? nil : appearance
        var result = Advertising(
            content,
            kind: advertising.isConnectable ? .connectable : .scannable,
            form: advertising.isExtended ? .extended : .legacy
        )
        if let interval = advertising.interval { result.interval = interval }
        return result
    }
}

extension ServedService {
    /// Whether it is worth announcing: every device has the two generic ones.
    fileprivate var isAnnounced: Bool {
        isPrimary && uuid != BluetoothUUID(0x1800) && uuid != BluetoothUUID(0x1801)
    }
}
