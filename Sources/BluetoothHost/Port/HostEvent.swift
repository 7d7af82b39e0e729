// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothTypes

/// What happens to a host without having been asked for by a request of its own: what `HostObserver`
/// is told.
///
/// Of each link `linkOpened` is the first news and `disconnected` the last, and all that waited on the
/// link has been completed before that.
package enum HostEvent: Sendable {
    /// The adapter is in another state; told first of all when the observer is attached.
    case stateChanged(AdapterState)
    /// A scan that was begun by `beginScan` found this.
    case advertised(scan: RequestIdentifier, Advertisement)
    /// There is a link, whoever made it: one that others made at once, one of ours when it is usable,
    /// or as soon as the peer itself says something that is told here. If a dial made it, the
    /// completion of that follows.
    case linkOpened(LinkIdentifier, DeviceAddress, LinkRole)
    /// A peer sent the value of this handle, as a notification or as an indication, which has been
    /// confirmed. Told of every value, whether or not anybody subscribed to it.
    case notified(LinkIdentifier, AttributeHandle, ArraySlice<UInt8>)
    /// A peer says that its table changed within this range (Vol 3, Part G, 7.1); see
    /// `BluetoothHost.begin(_:on:then:)` for what makes it say so.
    case servicesChanged(LinkIdentifier, ClosedRange<AttributeHandle>)
    /// The ATT MTU of the link's first bearer has become known, or larger: until it is told it is 23.
    case mtuChanged(LinkIdentifier, Int)
    /// A client of the host's server did something, or can be sent something. Never
    /// `ServerNews.connected`, which `linkOpened` says. A question is to be answered by
    /// `BluetoothHost.answer(_:_:)`; it comes here only while nobody reads `serverEvents()`.
    case served(LinkIdentifier, ServerNews)
    /// A set that was advertised, or was to be, is over.
    case advertisingEnded(RequestIdentifier, AdvertisingEnd)
    /// What became of a bond.
    case security(SecurityEvent)
    /// A link is gone, for this reason.
    case disconnected(LinkIdentifier, HostError)
}
