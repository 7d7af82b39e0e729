// SPDX-License-Identifier: Apache-2.0

/// An observer of a port's events.
package protocol PortObserver: AnyObject, Sendable {
    /// Receives an event, on the port's executor, in the order of the events.
    func portDid(_ event: PortEvent)
}

/// An event of a port that is not the result of a request.
///
/// The first event of each link is `linkOpened`, and the last is `linkClosed`. The completions of
/// all `PortRequest`s to the link are called before `linkClosed`.
package enum PortEvent: Sendable {
    case stateChanged(PortState)
    /// A scan discovered a device.
    case advertised(scan: RequestIdentifier, Advertisement)
    /// A link opened, by a connection request or by the peer.
    case linkOpened(LinkIdentifier, PeerIdentifier, isIncoming: Bool)
    /// A peer sent a value in a notification or indication.
    case notified(LinkIdentifier, AttributeHandle, ArraySlice<UInt8>)
    /// The services in these ranges of a peer's database are no longer valid. `isReported` is
    /// `false` if the port found the change itself, by comparing the database with that of an
    /// earlier link.
    case servicesChanged(LinkIdentifier, [ClosedRange<AttributeHandle>], isReported: Bool)
    /// A peer's database changed. To get the new database, make the request `PortRequest.database`.
    /// The event `servicesChanged` precedes the answer.
    case databaseOutdated(LinkIdentifier)
    /// The ATT MTU of a link in bytes. It is 23 before the first event.
    case mtuChanged(LinkIdentifier, Int)
    /// A client of the published services made a request. `BluetoothPort.answer(_:_:at:)` answers
    /// it.
    case asked(LinkIdentifier, GATTServer.RequestID, GATTServer.Question)
    /// A client subscribed to a value or, with `nil`, unsubscribed.
    case subscribed(LinkIdentifier, AttributeHandle, GATT.SubscriptionKind?)
    /// A service that was published could not be offered to clients after all, and is no longer
    /// published.
    case publishingFailed(GATT.DiscoveredService, PortError)
    /// An advertising set ended by itself. An implementation may also report a set that failed to
    /// start or that `BluetoothPort.endAdvertising(_:)` ended.
    case advertisingEnded(RequestIdentifier)
    /// The list of bonds may have changed.
    case bondsChanged
    /// A link ended.
    case linkClosed(LinkIdentifier, PortError)
}

/// The state of an adapter.
package enum PortState: Hashable, Sendable {
    /// The adapter is being opened.
    case starting
    case ready
    /// The adapter failed and is being reset. All links have ended. Scans, advertising and
    /// connection requests continue afterward.
    case resetting
    /// The adapter cannot be reached or is switched off. The port keeps trying.
    case unavailable
    /// The adapter lacks a feature that the port needs.
    case unsuitable
    /// The port was shut down.
    case closed
}
