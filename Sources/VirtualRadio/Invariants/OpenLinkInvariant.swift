// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The rule that data passes only on open links, in both directions.
package struct OpenLinkInvariant: Invariant {
    package let rule = "nothing is sent on a closed link"
    private var open: Set<ConnectionHandle> = []

    package init() {}

    package mutating func observe(
        _ packet: HCI.Packet,
        _ direction: WireDirection,
        now: Instant
    ) -> String? {
        if case .acl(let packet) = packet, !open.contains(packet.connectionHandle) {
            return "data on \(packet.connectionHandle), which is not open"
        }
        guard direction == .toHost, let event = packet.event else { return nil }
        return observe(event)
    }

    private mutating func observe(_ event: HCI.Event) -> String? {
        switch event {
        case .connectionComplete(let event) where event.status == .success:
            return opened(event.connectionHandle)
        case .enhancedConnectionComplete(let event) where event.status == .success:
            return opened(event.connectionHandle)
        case .enhancedConnectionCompleteV2(let event) where event.connection.status == .success:
            return opened(event.connection.connectionHandle)
        case .disconnectionComplete(let event) where event.status == .success:
            guard open.remove(event.connectionHandle) == nil else { return nil }
            return "the end of \(event.connectionHandle), which was not open"
        case .commandComplete(let event) where event.opcode == .reset: open = []
        default: break
        }
        return nil
    }

    private mutating func opened(_ handle: ConnectionHandle) -> String? {
        open.insert(handle).inserted ? nil : "\(handle) opened twice"
    }
}
