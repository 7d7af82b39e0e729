// SPDX-License-Identifier: Apache-2.0

/// The parameters of a scan. The port reports all devices.
package struct PortScan: Hashable, Sendable {
    /// Whether an advertisement is reported again although its data has not changed.
    package var reportsDuplicates: Bool
    /// Whether the scan saves energy, with a duty cycle of about 10 % if the port can choose it.
    package var isInBackground: Bool

    package init(reportsDuplicates: Bool = false, isInBackground: Bool = false) {
        self.reportsDuplicates = reportsDuplicates
        self.isInBackground = isInBackground
    }
}

/// A request to a link.
package enum PortRequest: Sendable {
    /// An operation on the peer's server. If the peer refuses it because the link lacks protection,
    /// the port protects the link and repeats the operation, unless `securesOnDemand` is `false`.
    case gatt(GATT.Operation, securesOnDemand: Bool = true)
    /// The peer's whole database. If the database has changed, `PortEvent.servicesChanged` precedes
    /// the answer.
    case database
    case readRSSI
    /// Change the connection parameters. As a central, the adapter chooses them from these limits.
    /// As a peripheral, the adapter requests them from the peer.
    case updateParameters(interval: ClosedRange<Duration>, peripheralLatency: Int)
    /// Pair, or encrypt the link with the keys of a bond. The adapter chooses the requirements.
    case pair
    case disconnect
}

/// The result of a request to a link.
package enum PortAnswer: Sendable {
    case done
    case gatt(GATT.Outcome)
    case database(GATT.Database)
    /// The signal strength in dBm; `nil` if it is not available.
    case rssi(Int?)
}

/// A bonded peer.
package struct PortBond: Hashable, Sendable {
    package let peer: PeerIdentifier
    package let identity: DeviceAddress
    /// The Device Name that was read last.
    package let name: String?

    package init(peer: PeerIdentifier, identity: DeviceAddress, name: String?) {
        self.peer = peer
        self.identity = identity
        self.name = name
    }
}
