// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

/// What clients of the host's server do, from `BluetoothHost.serverEvents()`.
///
/// Events of one link are in the order in which things happened: `connected` is its first,
/// `disconnected` its last.
public enum ServerEvent: Sendable {
    /// A link can be served. A stream begins with these, one for each link that there is.
    case connected(Link)

    /// A link has ended, for this reason. Subscriptions of a client that is not bonded end with it;
    /// those of a bonded one rest until it is back.
    case disconnected(Link, HostError)

    /// A client wants the value of an attribute whose value is `dynamic`.
    case read(ReadRequest)

    /// A client wants to write attributes of which one at least is `dynamic`.
    case write(WriteRequest)

    /// A client has written values that the server keeps, one value or several at once; they are
    /// in force already.
    case written(Link, [GATT.WriteEntry])

    /// A client has subscribed to the value of this handle, in this way; nil if it has
    /// unsubscribed. Told as well of subscriptions that a bonded client brings back with it.
    case subscribed(Link, AttributeHandle, GATT.SubscriptionKind?)

    /// A link that had no room for a notification, and said so to `Link.tryNotify(_:of:)`, has
    /// room again.
    case readyToNotify(Link)
}
