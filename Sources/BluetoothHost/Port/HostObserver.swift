// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// An observer of a host's events. See `BluetoothHost.attach(_:)`.
package protocol HostObserver: AnyObject, Sendable {
    /// Receives an event.
    ///
    /// The host calls it on its executor, in the order of the events, before it processes the next
    /// input. The implementation may call all methods of the host's port, which take effect in
    /// order after it has returned.
    func hostDid(_ event: HostEvent)
}

/// The state of the host's port.
struct HostPort {
    weak var observer: (any HostObserver)?
    /// The scans of the port. All other scans have a stream.
    var scans: Set<RequestIdentifier> = []
    /// The open links that were reported to the streams and to the observer, oldest first.
    private(set) var links: [(identifier: LinkIdentifier, peer: DeviceAddress, role: LinkRole)] = []
    /// The completions to call with a result that does not come from the core, such as that of a
    /// canceled request.
    private var pendingResults: [(BluetoothHost.Completion, Result<HostAnswer, any Error>)] = []

    /// Returns the observer. The method is `mutating`, because a read would copy all properties.
    mutating func readObserver() -> (any HostObserver)? { observer }

    mutating func linkOpened(_ link: LinkIdentifier, _ peer: DeviceAddress, _ role: LinkRole) {
        links.append((link, peer, role))
    }

    /// Removes a link. Returns its peer, or `nil` if the link was not known.
    mutating func linkEnded(_ link: LinkIdentifier) -> DeviceAddress? {
        guard let place = links.firstIndex(where: { $0.identifier == link }) else { return nil }
        return links.remove(at: place).peer
    }

    /// Returns the peer of an open link. The method is `mutating` for the reason of `readObserver`.
    mutating func readPeer(of link: LinkIdentifier) -> DeviceAddress? {
        links.first { $0.identifier == link }?.peer
    }

    var hasNoPendingResults: Bool { pendingResults.isEmpty }

    mutating func addPendingResult(
        _ completion: @escaping BluetoothHost.Completion,
        _ result: Result<HostAnswer, any Error>
    ) {
        pendingResults.append((completion, result))
    }

    /// Removes and returns the due results.
    mutating func takePendingResults() -> [(
        BluetoothHost.Completion, Result<HostAnswer, any Error>
    )] {
        defer { pendingResults = [] }
        return pendingResults
    }
}
