// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

/// An event of the host's server, from `BluetoothHost.serverEvents()`.
///
/// The events of one link are in the order in which they happened. `connected` is the first, and
/// `disconnected` the last.
public enum ServerEvent: Sendable {
    /// A link is open, whichever side made it, and its peer can use the server. A stream begins
    /// with this event for each open link.
    case connected(Link)

    /// A link has ended for this reason. The subscriptions of a client that is not bonded end with
    /// it. Those of a bonded client apply again when it reconnects.
    case disconnected(Link, HostError)

    /// A client reads an attribute whose value is `dynamic`.
    case read(ReadRequest)

    /// A client writes attributes, at least one of which has a `dynamic` value.
    case write(WriteRequest)

    /// A client has written one or several values that the server stores. They have changed
    /// already.
    case written(Link, [GATT.WriteEntry])

    /// A client has subscribed to notifications or to indications of the value with this handle or,
    /// with `nil`, has unsubscribed. The event also occurs for subscriptions that apply again when
    /// a bonded client reconnects.
    case subscribed(Link, AttributeHandle, GATT.SubscriptionKind?)

    /// The link has room for notifications again, after `Link.tryNotify(_:of:)` returned `false`.
    case readyToNotify(Link)
}
