// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

extension World {
    /// Returns the scan response that a device advertises now from this address; `nil` if no device
    /// with a scannable set does. No packet is sent.
    package func scanResponse(of address: DeviceAddress) -> [UInt8]? {
        for controller in core.controllers {
            for set in controller.advertiser.sets where set.configuration.isScannable {
                if set.run?.addresses.own == address { return set.response.bytes }
            }
        }
        return nil
    }
}
