// SPDX-License-Identifier: Apache-2.0

import Lanyard
import LanyardTesting
import Synchronization

/// An observer of every state change of an accessory, which reports those that are not allowed.
final class StateWatch: Sendable {
    private struct Seen {
        var state: AccessoryState?
        var number = 0
        var violation: String?
        var observation: ObservationToken?
    }

    private let seen = Mutex(Seen())
    private let name: String

    init(_ accessory: Accessory, in world: TestWorld?) {
        name = accessory.description.kind
        let observation = accessory.onChange { [weak self, weak world] change in
            guard let self else { return }
            world?.story.note("\(name): \(change.state) (\(change.reason))")
            follow(change)
        }
        seen.withLock { $0.observation = observation }
    }

    /// The first change that is not allowed.
    var violation: String? { seen.withLock { $0.violation } }

    private func follow(_ change: AccessoryChange) {
        seen.withLock { seen in
            if let state = seen.state {
                let isLegal = Self.next(after: state).contains(change.state)
                if !isLegal { note("\(name) went from \(state) to \(change.state)", &seen) }
                if change.number != seen.number + 1 { note("\(name) missed a change", &seen) }
            }
            seen.state = change.state
            seen.number = change.number
        }
    }

    private func note(_ text: String, _ seen: inout Seen) {
        if seen.violation == nil { seen.violation = text }
    }

    /// Returns the states that may follow a state. Bluetooth can become unavailable in every state,
    /// and the end of a connection request can leave the accessory idle.
    private static func next(after state: AccessoryState) -> Set<AccessoryState> {
        let always: Set<AccessoryState> = [
            .waitingForBluetooth, .poweredOff, .unauthorized, .unsupported, .idle, .disconnecting,
        ]
        return always.union(steps(from: state))
    }

    /// Returns the states that may follow a state, besides those that may follow every state.
    private static func steps(from state: AccessoryState) -> Set<AccessoryState> {
        let onLink: Set<AccessoryState> = [
            .discoveringServices, .discoveringCharacteristics, .subscribing, .connected, .ready,
        ]
        let lost: Set<AccessoryState> = [.outOfRange, .connecting]
        return switch state {
        case .waitingForBluetooth, .poweredOff, .unauthorized, .unsupported:
            [.restoring, .scanning, .connecting, .outOfRange]
        // A call of `disconnect()` during the restoration takes effect after it.
        case .restoring: onLink.union(lost).union([.scanning, .restoring])
        case .idle: [.restoring, .scanning, .connecting, .outOfRange]
        case .scanning: [.connecting, .restoring]
        case .connecting: onLink.union(lost).subtracting([.ready])
        case .discoveringServices: lost.union([.discoveringServices, .discoveringCharacteristics])
        case .discoveringCharacteristics:
            lost.union([.discoveringServices, .subscribing, .connected, .ready])
        case .subscribing: lost.union([.discoveringServices, .connected, .ready])
        case .connected: lost.union([.discoveringServices, .subscribing, .ready])
        case .ready: lost.union([.discoveringServices, .subscribing])
        case .outOfRange: onLink.union(lost).subtracting([.ready])
        case .disconnecting: lost.union([.scanning])
        }
    }
}
