// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The signal strength that applications get if the actual one is not known.
enum SignalStrength {
    /// The value that controllers use (Vol 4, Part E, 7.5.4).
    static let unknown = 127
}

/// A discovery: an advertisement that matches a scan.
struct ScanMatch: Sendable {
    let advertisement: Advertisement
    /// The services of the scan whose bits are set in the advertiser's overflow area.
    var overflowServices: [CBUUID.Form] = []
    /// The time of the advertisement in seconds since the reference date.
    let timestamp: Double
}
