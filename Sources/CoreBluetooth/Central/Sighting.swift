// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

/// What applications get instead of a signal strength that is not known.
enum SignalStrength {
    /// As controllers say it (Vol 4, Part E, 7.5.4).
    static let unknown = 127
}

/// An advertisement as one scan is told of it.
struct Sighting: Sendable {
    let advertisement: Advertisement
    /// The services that were scanned for and are, by their bits, in the advertiser's overflow area.
    var overflowServices: [CBUUID.Form] = []
    /// When it was heard: seconds since the reference date.
    let timestamp: Double
}
