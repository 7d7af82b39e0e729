// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The signal strength that applications get if the actual one is not known.
package enum SignalStrength {
    /// The value that controllers use (Vol 4, Part E, 7.5.4).
    package static let unknown = 127
}

/// A discovery: an advertisement that matches a scan.
package struct ScanMatch: Sendable {
    package let advertisement: Advertisement
    /// The services of the scan whose bits are set in the advertiser's overflow area.
    package var overflowServices: [UUIDForm] = []
    /// The time of the advertisement in seconds since the reference date.
    package let timestamp: Double
}
