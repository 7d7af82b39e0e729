// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothTypes

extension SimpleAccessoryProfile {
    /// Returns the advertising plan of the accessory. The advertisement has flags, the name, and as
    /// many service UUIDs as fit. The scan response has the appearance, the manufacturer data, and
    /// the service UUIDs if none fit into the advertisement.
    func advertisingPlan(publicAddress: DeviceAddress?) -> AccessoryAdvertisingPlan {
        AccessoryAdvertisingPlan(
            data: advertisement,
            scanResponse: scanResponse,
            interval: advertisingInterval,
            randomAddress: address.randomAddress(publicAddress: publicAddress)
        )
    }

    private var advertisement: AdvertisingData {
        var builder = AdvertisingData.Builder()
        try? builder.append(flags: [.generalDiscoverable, .brEdrNotSupported])
        builder.appendLocalName(name)
        appendServices(to: &builder)
        return builder.data
    }

    private var scanResponse: AdvertisingData {
        var builder = AdvertisingData.Builder()
        if appearance != 0 { try? builder.append(appearance: appearance) }
        if let manufacturerData { try? builder.append(manufacturerData: manufacturerData) }
        // The UUIDs are here if the name leaves no room for them in the advertisement.
        if advertisement.serviceUUIDs.isEmpty { appendServices(to: &builder) }
        return builder.data
    }

    /// Appends as many service UUIDs as fit.
    private func appendServices(to builder: inout AdvertisingData.Builder) {
        for count in advertisedServices.indices.map({ $0 + 1 }).reversed() {
            let isAll = count == advertisedServices.count
            let uuids = Array(advertisedServices.prefix(count))
            guard (try? builder.append(serviceUUIDs: uuids, areAll: isAll)) == nil else { break }
        }
    }
}
