// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// A snapshot of an adapter's state for other threads.
package struct AdapterFacts: Sendable {
    /// The bonded peers.
    var bonds: [PeerIdentifier: DeviceAddress] = [:]
    /// The connected peers, each with the services that it is known to have.
    var links: [PeerIdentifier: Set<BluetoothUUID>] = [:]
    /// The ATT MTUs of the links to the peers, in bytes.
    package var mtus: [PeerIdentifier: Int] = [:]
    /// The maximum length in bytes of a notified or indicated value, for each connected peer.
    package var valueLengths: [PeerIdentifier: Int] = [:]
    /// The names and services that peers advertised or reported.
    var cache = PeerCache()
    /// The capabilities that the port had when the managers' state last changed. Empty before the
    /// first change.
    package var capabilities: PortCapabilities = []
}

/// The state of an adapter for its clients. The numbers are those of Core Bluetooth.
package enum ManagerState: Int, Sendable {
    case unknown = 0
    /// The connection to the controller was lost for a moment.
    case resetting = 1
    case unsupported = 2
    case unauthorized = 3
    case poweredOff = 4
    case poweredOn = 5
}

extension ManagerState {
    /// Creates the state that managers see.
    ///
    /// - Parameter former: The state that the managers saw before. If it was `poweredOff` or
    ///   `unsupported`, it stays so while the adapter is being opened.
    init(_ state: PortState, _ switches: AdapterSwitches, after former: ManagerState) {
        guard switches.authorization == .allowedAlways else {
            self = .unauthorized
            return
        }
        guard switches.isPoweredOn else {
            self = .poweredOff
            return
        }
        self =
            switch state {
            case .starting: former == .poweredOff || former == .unsupported ? former : .unknown
            case .ready: .poweredOn
            case .resetting: .resetting
            case .unsuitable, .closed: .unsupported
            case .unavailable: .poweredOff
            }
    }
}
