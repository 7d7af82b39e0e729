// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import BluetoothTypes
import Foundation

extension RequestedScan {
    /// Creates the parameters from those of `scanForPeripherals`.
    init(_ services: [CBUUID]?, _ options: [String: Any]?) {
        let solicited = options?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID]
        self.init(
            services: services?.map(\.written),
            allowsDuplicates: options?.flag(CBCentralManagerScanOptionAllowDuplicatesKey),
            solicited: solicited?.map(\.written)
        )
    }
}

extension ConnectionEventRequest {
    /// Creates the registration from options; `nil` if there are none.
    init?(_ options: [CBConnectionEventMatchingOption: Any]?) {
        guard let options else { return nil }
        let services = options[.serviceUUIDs] as? [CBUUID] ?? []
        if services.count > Self.serviceLimit {
            Misuse.warn(
                "registerForConnectionEvents takes \(Self.serviceLimit) services at most - "
                    + "ignoring the others"
            )
        }
        let peers = options[.peripheralUUIDs] as? [UUID] ?? []
        self.init(
            services: Set(services.prefix(Self.serviceLimit).map(\.value)),
            peers: Set(peers.map { PeerIdentifier($0) })
        )
    }
}

extension UUIDFilter {
    init(matching uuids: [CBUUID]?) {
        self.init(uuids?.map(\.value))
    }
}
