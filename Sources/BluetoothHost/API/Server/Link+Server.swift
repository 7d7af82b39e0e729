// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

// The peer as a client of this host's server.
//
// All of these throw why the link ended if there is no link any more.
extension Link {
    /// Sends the peer a value in the way in which it has subscribed.
    ///
    /// A notification (Vol 3, Part G, 4.10.1) has been sent when it left for the controller's
    /// buffers: a loop of these runs at the speed of the link. An indication (4.11.1) has been sent
    /// when the peer has confirmed it; while one is not confirmed, others wait. Values leave in the
    /// order of the calls. What does not fit, more than `mtu - 3` octets, is cut off: the client
    /// reads the rest. The value that the server keeps stays what it is.
    ///
    /// Throws `HostError.notSubscribed`; `HostError.notPermitted` if the link is not as well
    /// protected as the value's permissions ask for; `HostError.outOfSync` until a client that has
    /// asked for that knows of a change of the table; `HostError.tooManyRequests` if thousands of
    /// values wait already; `HostError.disconnected` if the link ends first, and
    /// `GATT.Failure.timedOut` if an indication is not confirmed within 30 s, which ends the link
    /// (Vol 3, Part F, 3.3.3). Cancelling the task takes back a value that has not left.
    public func notify(_ value: [UInt8], of handle: AttributeHandle) async throws {
        try await host.notify([GATT.AttributeValue(handle: handle, value: value)], on: identifier)
    }

    /// Sends the peer several values in as few packets as it takes: as one where the client knows
    /// how to take them apart (Vol 3, Part G, 4.10.2) and they fit together, one by one elsewhere.
    ///
    /// Returns when all have been sent. Throws as `notify(_:of:)` does; if one value cannot be
    /// sent, none is.
    public func notify(_ values: [GATT.AttributeValue]) async throws {
        guard !values.isEmpty else { return }
        try await host.notify(values, on: identifier)
    }

    /// Sends the peer a value if there is room for it, and does not wait.
    ///
    /// - Returns: whether the value is on its way. If not, the link's next event is `readyToNotify`
    ///   as soon as there is room.
    ///
    /// Throws as `notify(_:of:)` does.
    public func tryNotify(_ value: [UInt8], of handle: AttributeHandle) async throws -> Bool {
        try await host.tryNotify(value, of: handle, on: identifier)
    }

    /// What the peer has subscribed to: handles of values, and how it wants to be sent them.
    public var subscriptions: [AttributeHandle: GATT.SubscriptionKind] {
        get async throws { try await host.subscriptions(of: identifier) }
    }

    /// Lets the peer use, until the link ends, what needs the application's authorization
    /// (`SecurityRequirement.needsAuthorization`), or, with false, no longer.
    public func authorize(_ isAuthorized: Bool = true) async throws {
        try await host.authorize(isAuthorized, on: identifier)
    }

    /// How well the link is protected now.
    public var security: LinkSecurity {
        get async throws { try await host.security(of: identifier) }
    }
}
