// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// Hears what happens to a host, by `BluetoothHost.attach(_:)`.
package protocol HostObserver: AnyObject, Sendable {
    /// Something happened. Called on the host's executor, in the order in which things happened, and
    /// before the host takes the next input. Whatever the host's port offers may be called from
    /// within: it takes effect in order, after this has returned.
    func hostDid(_ event: HostEvent)
}

/// What the host's port remembers.
struct HostPort {
    weak var observer: (any HostObserver)?
    /// The scans that were begun here: all others have a stream.
    var scans: Set<RequestIdentifier> = []
    /// The links that an observer knows of, or will be told of when it is attached, oldest first.
    private(set) var links: [(identifier: LinkIdentifier, peer: DeviceAddress, role: LinkRole)] = []
    /// Completions that are due without the core's doing.
    private var owed: [(BluetoothHost.Completion, Result<HostAnswer, any Error>)] = []

    mutating func linkOpened(_ link: LinkIdentifier, _ peer: DeviceAddress, _ role: LinkRole) {
        links.append((link, peer, role))
    }

    /// Forgets a link; whether it was known.
    mutating func linkEnded(_ link: LinkIdentifier) -> Bool {
        guard let place = links.firstIndex(where: { $0.identifier == link }) else { return false }
        links.remove(at: place)
        return true
    }

    var owesNothing: Bool { owed.isEmpty }

    mutating func owe(
        _ completion: @escaping BluetoothHost.Completion,
        _ result: Result<HostAnswer, any Error>
    ) {
        owed.append((completion, result))
    }

    /// Takes out what is due.
    mutating func takeOwed() -> [(BluetoothHost.Completion, Result<HostAnswer, any Error>)] {
        defer { owed = [] }
        return owed
    }
}
