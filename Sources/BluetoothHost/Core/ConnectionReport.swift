// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The result of a connection attempt. Three events can report it: LE Connection Complete and both
/// versions of LE Enhanced Connection Complete.
struct ConnectionReport {
    let status: HCI.ErrorCode
    let handle: ConnectionHandle
    let role: HCI.Role
    /// The address that the peer used on the air.
    let peer: DeviceAddress
    /// The peer's identity address, if the controller has resolved `peer`.
    let resolvedIdentity: DeviceAddress?
    /// The private address that the controller generated for this host, or `nil` if it generated
    /// none.
    let localPrivateAddress: DeviceAddress?
    /// The advertising set that led to the link, if the event contains it.
    let advertisingHandle: UInt8?
    let parameters: ConnectionParameters

    /// The advertising handle that stands for no set (Vol 4, Part E, 7.7.65.10).
    private static let noSet: UInt8 = 0xFF

    init(_ event: HCI.LEConnectionComplete) {
        status = event.status
        handle = event.connectionHandle
        role = event.role
        peer = event.peerAddress.connectedAddress
        resolvedIdentity = event.peerAddress.isIdentity ? peer : nil
        localPrivateAddress = nil
        advertisingHandle = nil
        parameters = ConnectionParameters(
            interval: event.interval.duration,
            latency: event.peripheralLatency,
            supervisionTimeout: event.supervisionTimeout.duration
        )
    }

    init(_ event: HCI.LEEnhancedConnectionCompleteV2) {
        let set = event.advertisingHandle
        self.init(event.connection, advertisingHandle: set == Self.noSet ? nil : set)
    }

    init(_ event: HCI.LEEnhancedConnectionComplete, advertisingHandle: UInt8? = nil) {
        status = event.status
        handle = event.connectionHandle
        role = event.role
        let reported = event.peerAddress.connectedAddress
        peer = event.peerPrivateAddress.privateAddress ?? reported
        resolvedIdentity = event.peerAddress.isIdentity ? reported : nil
        localPrivateAddress = event.localPrivateAddress.privateAddress
        self.advertisingHandle = advertisingHandle
        parameters = ConnectionParameters(
            interval: event.interval.duration,
            latency: event.peripheralLatency,
            supervisionTimeout: event.supervisionTimeout.duration
        )
    }
}

extension HCI.BareAddress {
    /// The private address, or `nil` if the value is zero, which stands for no address.
    fileprivate var privateAddress: DeviceAddress? { value == 0 ? nil : deviceAddress(.random) }
}

extension HCI.PeerAddress {
    /// The address of a connected peer. An unknown type is read as random.
    fileprivate var connectedAddress: DeviceAddress {
        deviceAddress ?? DeviceAddress(value: value, kind: .random)
    }
}
