// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The content of a connection request (Vol 6, Part B, 2.3.3.1).
package struct LinkProposal: Sendable {
    /// The radio that sends the request.
    package var central: RadioID
    /// The central's address on the air.
    package var centralAddress: DeviceAddress
    /// The peripheral's address on the air.
    package var peripheralAddress: DeviceAddress
    /// The initial connection interval, latency and supervision timeout.
    package var parameters: LinkParameters
    /// The initial modulation.
    package var modulation: Modulation
    /// The data channels, with one bit for each.
    package var channelMap: UInt64
    /// Whether both devices support Channel Selection Algorithm #2.
    package var usesChannelSelection2: Bool
    /// Whether the request is an AUX_CONNECT_REQ, after which the transmit window begins later.
    package var isAuxiliary: Bool

    /// Creates a connection request.
    package init(
        central: RadioID,
        centralAddress: DeviceAddress,
        peripheralAddress: DeviceAddress,
        parameters: LinkParameters,
        modulation: Modulation = .le1M,
        channelMap: UInt64 = ChannelMap.all.rawValue,
        usesChannelSelection2: Bool = true,
        isAuxiliary: Bool = false
    ) {
        self.central = central
        self.centralAddress = centralAddress
        self.peripheralAddress = peripheralAddress
        self.parameters = parameters
        self.modulation = modulation
        self.channelMap = channelMap
        self.usesChannelSelection2 = usesChannelSelection2
        self.isAuxiliary = isAuxiliary
    }

    /// The time between the request and the transmit window (Vol 6, Part B, 4.5.3).
    package var windowDelay: Duration {
        guard isAuxiliary else { return .microseconds(1_250) }
        return .microseconds(modulation.phy == .leCoded ? 3_750 : 2_500)
    }
}

/// The connection parameters of a link.
package struct LinkParameters: Hashable, Sendable {
    /// The connection interval, a multiple of 1.25 ms.
    package var interval: Duration
    /// The number of connection events that the peripheral may skip.
    package var latency: Int
    /// The supervision timeout, a multiple of 10 ms.
    package var supervisionTimeout: Duration

    /// Creates connection parameters.
    package init(interval: Duration, latency: Int, supervisionTimeout: Duration) {
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }
}

/// The identities of a link, as the host at one end gets them.
package struct LinkIdentity: Sendable {
    /// The identity address of the peer if the controller resolved it, or the address on the air.
    package var peer: DeviceAddress
    /// Whether `peer` is a resolved identity address (address types 0x02 and 0x03).
    package var isPeerResolved: Bool
    /// The peer's address on the air, if it is a resolvable private address that the controller
    /// resolved.
    package var peerPrivateAddress: DeviceAddress?
    /// The controller's own address on the air, if it is a resolvable private address that the
    /// controller made.
    package var localPrivateAddress: DeviceAddress?

    /// Creates the identities.
    package init(
        peer: DeviceAddress,
        isPeerResolved: Bool = false,
        peerPrivateAddress: DeviceAddress? = nil,
        localPrivateAddress: DeviceAddress? = nil
    ) {
        self.peer = peer
        self.isPeerResolved = isPeerResolved
        self.peerPrivateAddress = peerPrivateAddress
        self.localPrivateAddress = localPrivateAddress
    }
}
