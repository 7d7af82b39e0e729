// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothTypes

/// An event of a host that is not the result of a request.
///
/// The first event of each link is `linkOpened`, and the last is `disconnected`. The completions of
/// requests to the link are called before `disconnected`, with one exception. A request such as
/// `readRSSI` completes when the controller answers its command, even if that is after
/// `disconnected`.
package enum HostEvent: Sendable {
    /// The adapter's state has changed. A new observer gets the current state first.
    case stateChanged(AdapterState)
    /// A scan from `beginScan` has received an advertisement.
    case advertised(scan: RequestIdentifier, Advertisement)
    /// A link has opened. In the peripheral role, the peer initiated it.
    ///
    /// A link that a peer initiated is reported at once. A link that this host initiated is
    /// reported when it is usable, or earlier if the peer causes another event first. The
    /// completion of the connection request follows.
    case linkOpened(LinkIdentifier, DeviceAddress, LinkRole)
    /// A peer sent the value with this handle, as a notification or as an indication, which the
    /// host confirms. The event occurs with or without a subscription. Values that arrive while the
    /// link awaits encryption are dropped.
    case notified(LinkIdentifier, AttributeHandle, ArraySlice<UInt8>)
    /// The services in these ranges of a peer's database are no longer valid.
    ///
    /// The flag is `true` if the peer has reported the change (Vol 3, Part G, 7.1; see
    /// `BluetoothHost.begin(_:on:then:)` for the conditions) or the event follows
    /// `databaseOutdated`. It is `false` if the host has found that the database differs from the
    /// last known one, usually that of an earlier link. The event then precedes the answer to
    /// `.database`.
    case servicesChanged(LinkIdentifier, [ClosedRange<AttributeHandle>], isReported: Bool)
    /// A peer's database changed after it was discovered and before the host had subscribed to
    /// Service Changed. `.database` returns the new database, after `servicesChanged` has reported
    /// the change.
    case databaseOutdated(LinkIdentifier)
    /// The ATT MTU of the link's first bearer, in bytes, has changed. It is 23 before the first
    /// event. A new observer gets the event for each open link with a larger MTU.
    case mtuChanged(LinkIdentifier, Int)
    /// The controller applies other connection parameters to a link from now on.
    case parametersChanged(LinkIdentifier, ConnectionParameters)
    /// An event of a client of the host's server.
    ///
    /// A request must be answered with `BluetoothHost.answer(_:_:at:)`. Requests are reported here
    /// only while `serverEvents()` has no reader.
    case served(LinkIdentifier, ClientEvent)
    /// An advertising set has ended, or its start has failed.
    case advertisingEnded(RequestIdentifier, AdvertisingEnd)
    /// A bond or the store has changed.
    case security(SecurityEvent)
    /// A link has ended for this reason.
    case disconnected(LinkIdentifier, HostError)
}
