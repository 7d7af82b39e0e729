// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothTypes

extension AccessoryProfile {
    /// How the accessory makes itself known: flags, name and then as many service UUIDs as fit; in
    /// the scan response its appearance and its maker's data, and the services if none fitted before.
    func advertisingPlan(publicAddress: DeviceAddress?) -> AdvertisingPlan {
        AdvertisingPlan(
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
        // Where the name takes all the room.
        if advertisement.serviceUUIDs.isEmpty { appendServices(to: &builder) }
        return builder.data
    }

    /// As many of them as fit.
    private func appendServices(to builder: inout AdvertisingData.Builder) {
        for count in advertisedServices.indices.map({ $0 + 1 }).reversed() {
            let isAll = count == advertisedServices.count
            let uuids = Array(advertisedServices.prefix(count))
            guard (try? builder.append(serviceUUIDs: uuids, areAll: isAll)) == nil else { break }
        }
    }
}
