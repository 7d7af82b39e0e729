// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP

/// The options of a connection request.
public struct ConnectOptions: Sendable, Hashable {
    /// The way in which the controller looks for the peer.
    public enum Approach: Sendable, Hashable {
        /// The host expects the peer in range. The request ends after `timeout`, or when the
        /// adapter fails. While other requests wait, the requests take turns of 2.6 seconds.
        case direct
        /// The controller connects when the peer comes into range. Several such requests share the
        /// Filter Accept List (Vol 4, Part E, 7.8.16). The request has no time limit and survives a
        /// reset of the controller. It fails if the controller has no room for another link when the
        /// request begins. Later, it waits for room.
        case whenAvailable
    }

    /// The way in which the controller looks for the peer; `direct` by default.
    public var approach = Approach.direct

    /// The time from the call until the link must be usable; `nil` for no limit. Ten seconds by
    /// default. Requests of the approach `whenAvailable` ignore it. The limit ends if the peer has
    /// lost its bond and the host asks whether to pair again, or pairs again.
    public var timeout: Duration?

    /// The timing of the new link.
    public var parameters: ConnectParameters

    /// Creates the options of a direct connection.
    ///
    /// - Parameters:
    ///   - timeout: The time from the call until the link must be usable; `nil` for no limit.
    ///   - parameters: The timing of the new link.
    public init(
        timeout: Duration? = .seconds(10),
        parameters: ConnectParameters = ConnectParameters()
    ) {
        self.timeout = timeout
        self.parameters = parameters
    }

    /// The options of a connection request that has no time limit.
    public static var whenAvailable: ConnectOptions {
        var options = ConnectOptions(timeout: nil)
        options.approach = .whenAvailable
        return options
    }
}
