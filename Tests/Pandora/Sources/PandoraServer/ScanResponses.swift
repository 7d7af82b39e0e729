// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// The advertisements of scannable devices until their scan responses arrive, because the interface
/// reports an advertisement and its response in one message.
///
/// An advertisement without a response is reported when the device's next advertisement arrives.
struct ScanResponses {
    /// The maximum number of devices whose advertisement is held. Advertisements of further devices
    /// are reported at once.
    static let limit = 256

    private struct Advertiser: Hashable {
        let address: DeviceAddress
        let setIdentifier: UInt8?
    }

    private var held: [Advertiser: Advertisement] = [:]

    /// Returns the advertisement to report, if there is one.
    ///
    /// - Parameter found: The newest advertisement or scan response of a device.
    mutating func take(_ found: Advertisement) -> Advertisement? {
        let advertiser = Advertiser(address: found.address, setIdentifier: found.setIdentifier)
        if found.isScanResponse {
            held[advertiser] = nil
            return found
        }
        guard found.isScannable else { return found }
        guard held[advertiser] != nil || held.count < Self.limit else { return found }
        return held.updateValue(found, forKey: advertiser)
    }
}
