// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The permission to send the values of a characteristic to a client. It is valid until the
/// database or a client changes.
package struct SendingGrant: Sendable {
    package let handle: AttributeHandle
    package let kind: GATT.SubscriptionKind
    fileprivate let revision: UInt64
}

/// The permission of a client to read a value in the database. It is valid until the database or a
/// client changes.
package struct ReadingGrant: Sendable {
    package let handle: AttributeHandle
    package let value: [UInt8]
    fileprivate let revision: UInt64
}

// Grants for values that are sent or read at a high rate. A grant is the result of the checks in
// `notification(of:value:to:)` or `receive(_:on:now:)`, which then need not be repeated.
extension GATTServer {
    /// Returns the permission to send the value to the client: the earlier grant of the same client
    /// if it is still valid, or else a new one.
    ///
    /// - Throws: The refusal of ``notification(of:value:to:)``.
    package func sendingGrant(
        for handle: AttributeHandle,
        to client: ClientID,
        earlier: SendingGrant?
    ) throws(NotificationRefusal) -> SendingGrant {
        if let earlier, earlier.revision == revision, earlier.handle == handle { return earlier }
        let kind = try subscription(to: handle, of: client)
        return SendingGrant(handle: handle, kind: kind, revision: revision)
    }

    /// Returns the permission of a client to read a value in the database: the earlier grant of the
    /// same client if it is still valid, or else a new one. Returns `nil` if `receive(_:on:now:)`
    /// must process the request, which includes all refusals.
    package func readingGrant(
        for handle: AttributeHandle,
        on bearer: BearerID,
        earlier: ReadingGrant?
    ) -> ReadingGrant? {
        guard pending.isEmpty else { return nil }
        if let earlier, earlier.revision == revision, earlier.handle == handle { return earlier }
        guard let client = clients[bearer.client], client.bearers[bearer.channel] != nil,
            client.awareness.isAware, let attribute = database.attribute(handle),
            refusal(of: .read, to: attribute, by: bearer.client) == nil
        else { return nil }
        switch attribute.value {
        case .fixed(let value), .stored(let value, _):
            return ReadingGrant(handle: handle, value: value, revision: revision)
        case .dynamic, .clientConfiguration, .clientSupportedFeatures, .databaseHash: return nil
        }
    }
}
