// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

// The peer as a client of this host's server. The properties throw the reason why the link ended if
// it is not open.
extension Link {
    /// Sends a value to the peer as a notification or an indication, whichever the peer has
    /// subscribed to.
    ///
    /// The call returns when the value is sent. A notification (Vol 3, Part G, 4.10.1) counts as
    /// sent when it is in the controller's buffers or in the queue of at most eight frames before
    /// them, so that a loop of these calls runs at the speed of the link. An indication (4.11.1)
    /// counts as sent when the peer has confirmed it, and further indications wait until then.
    /// Bytes beyond `mtu - 3` are cut off, and the client has to read the complete value. The
    /// stored value of the server does not change. Canceling the task cancels a value that has not
    /// left.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - handle: The handle of the value.
    /// - Throws: ``HostError/notSubscribed``; ``HostError/notPermitted(_:)`` if the link's security
    ///   is below the value's permissions; ``HostError/outOfSync`` until the client knows of a
    ///   change of the database, if it has enabled Robust Caching; ``HostError/notEncrypted`` if
    ///   the peer is bonded and the link is not encrypted; ``HostError/tooManyRequests`` if too
    ///   many values wait; the reason why the link ended (see ``Link``). `GATT.Failure.timedOut` if
    ///   the peer does not confirm an indication within 30 seconds, which ends the link (Vol 3,
    ///   Part F, 3.3.3). `CancellationError` if the task is canceled.
    public func notify(_ value: [UInt8], of handle: AttributeHandle) async throws {
        try Task.checkCancellation()
        if try host.notifyWithoutSuspension(value, of: handle, on: identifier) { return }
        try await host.notify(value, of: handle, on: identifier)
    }

    /// Sends several values to the peer in as few packets as possible. Values that fit together
    /// leave in one notification if the client supports that (Vol 3, Part G, 4.10.2), and otherwise
    /// one by one.
    ///
    /// Returns when all values are sent, or at once if there are none. If one value cannot be sent,
    /// the host sends none.
    ///
    /// - Parameter values: The values with their handles, in the order in which they leave.
    /// - Throws: The errors of ``notify(_:of:)``.
    public func notify(_ values: [GATT.AttributeValue]) async throws {
        guard !values.isEmpty else { return }
        try await host.notify(values, on: identifier)
    }

    /// Sends a value to the peer if there is room for it, and does not wait.
    ///
    /// - Parameters:
    ///   - value: The value. Bytes beyond `mtu - 3` are cut off.
    ///   - handle: The handle of the value.
    /// - Returns: Whether the value was accepted. If not, ``ServerEvent/readyToNotify(_:)`` follows
    ///   as soon as there is room.
    /// - Throws: ``HostError/notSubscribed``, ``HostError/notPermitted(_:)``,
    ///   ``HostError/outOfSync`` and ``HostError/notEncrypted`` for the reasons of
    ///   ``notify(_:of:)``, and the reason why the link ended (see ``Link``) if it is not open.
    public func tryNotify(_ value: [UInt8], of handle: AttributeHandle) async throws -> Bool {
        try await host.tryNotify(value, of: handle, on: identifier)
    }

    /// The peer's subscriptions: handles of values, and whether the peer subscribed to
    /// notifications or to indications.
    public var subscriptions: [AttributeHandle: GATT.SubscriptionKind] {
        get async throws { try await host.subscriptions(of: identifier) }
    }

    /// Grants or withdraws the application's authorization of the peer
    /// (`SecurityRequirement.needsAuthorization`).
    ///
    /// - Parameter isAuthorized: Whether the peer is authorized, until the link ends.
    /// - Throws: The reason why the link ended (see ``Link``) if it is not open.
    public func authorize(_ isAuthorized: Bool = true) async throws {
        try await host.authorize(isAuthorized, on: identifier)
    }

    /// The current security of the link.
    public var security: LinkSecurity {
        get async throws { try await host.security(of: identifier) }
    }
}
