// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP

/// How a connection is to be made.
public struct ConnectOptions: Sendable, Hashable {
    /// How the peer is sought.
    public enum Approach: Sendable, Hashable {
        /// At once and with the radio's full attention, for `timeout`.
        case direct
        /// Whenever the peer comes into range, however long that takes, through the controller's
        /// Filter Accept List (Vol 4, Part E, 7.8.16). Survives a reset of the controller.
        case whenAvailable
    }

    /// How the peer is sought; `direct` by default.
    public var approach = Approach.direct

    /// How long to try, from the call until the link is usable; nil for ever. By default ten
    /// seconds; not looked at by `whenAvailable`.
    public var timeout: Duration?

    /// Timing of the new link.
    public var parameters: ConnectParameters

    /// Makes options; by default those of a direct connection.
    public init(
        timeout: Duration? = .seconds(10),
        parameters: ConnectParameters = ConnectParameters()
    ) {
        self.timeout = timeout
        self.parameters = parameters
    }

    /// Waits for the peer for as long as it takes.
    public static var whenAvailable: ConnectOptions {
        var options = ConnectOptions(timeout: nil)
        options.approach = .whenAvailable
        return options
    }
}
