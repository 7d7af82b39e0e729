// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What a connection request says (Vol 6, Part B, 2.3.3.1).
package struct LinkProposal: Sendable {
    /// Who asks.
    package var central: RadioID
    /// The Central's address, as it is on the air.
    package var centralAddress: DeviceAddress
    /// The Peripheral's address, as it is on the air.
    package var peripheralAddress: DeviceAddress
    /// How the link begins: connection interval, latency, supervision timeout.
    package var parameters: LinkParameters
    /// On which PHY it begins.
    package var modulation: Modulation
    /// The data channels, a bit for each.
    package var channelMap: UInt64
    /// Whether both know Channel Selection Algorithm #2.
    package var usesChannelSelection2: Bool
    /// Whether the request is an AUX_CONNECT_REQ, after which the first packet comes later.
    package var isAuxiliary: Bool

    /// A request that says this.
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

    /// The pause between the request and the transmit window (Vol 6, Part B, 4.5.3).
    package var windowDelay: Duration {
        guard isAuxiliary else { return .microseconds(1_250) }
        return .microseconds(modulation.phy == .leCoded ? 3_750 : 2_500)
    }
}

/// The pace of a link.
package struct LinkParameters: Hashable, Sendable {
    /// The connection interval, a multiple of 1.25 ms.
    package var interval: Duration
    /// How many connection events the Peripheral may pass over.
    package var latency: Int
    /// How long an end waits for a packet before it gives the link up, a multiple of 10 ms.
    package var supervisionTimeout: Duration

    /// The pace of these.
    package init(interval: Duration, latency: Int, supervisionTimeout: Duration) {
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }
}

/// Who is at one end of a link, as its host is told.
package struct LinkIdentity: Sendable {
    /// The peer: its identity address where that is known, else what is on the air.
    package var peer: DeviceAddress
    /// Whether `peer` is an identity that was resolved (address types 0x02 and 0x03).
    package var isPeerResolved: Bool
    /// The peer's address on the air, if that is a resolvable private one which was resolved.
    package var peerPrivateAddress: DeviceAddress?
    /// The own address on the air, if the controller made it: a resolvable private one.
    package var localPrivateAddress: DeviceAddress?

    /// Who is there.
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
