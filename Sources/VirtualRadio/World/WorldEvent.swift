// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// An event that can be due in a world.
package enum WorldEvent: Sendable {
    /// A timer that a controller has set.
    case timer(ControllerTimer, RadioID)
    /// The end of a packet on an advertising channel: controllers that received it can act on it.
    case packetEnds(AdvertisingPacket)
    /// A timer of a link.
    case link(LinkTimer, LinkID)
    /// The arrival of bytes from the host at its controller.
    case hostSent([UInt8], RadioID)
    /// The arrival of a controller's packet, in H4 form, at its host.
    case controllerSent([UInt8], RadioID)
    /// The deadline of a scripted host.
    case scriptedHostDue(RadioID)
    /// The next action of the controller's fault plan.
    case fault(RadioID)
}

extension WorldEvent {
    /// The controller without which the event cannot happen; `nil` for a link, which has two.
    var radio: RadioID? {
        switch self {
        case .timer(_, let radio), .hostSent(_, let radio), .controllerSent(_, let radio),
            .scriptedHostDue(let radio), .fault(let radio):
            radio
        case .packetEnds(let packet): packet.sender
        case .link: nil
        }
    }
}

/// A timer of a controller.
package enum ControllerTimer: Hashable, Sendable {
    /// The next advertising event of the set begins, or a request during the event has ended.
    case advertise(set: UInt8)
    /// The set has advertised for the requested duration.
    case advertisingEnds(set: UInt8)
    /// The next period of scanning begins (Vol 4, Part E, 7.8.65).
    case scanPeriod
    /// Scanning has lasted for the requested duration.
    case scanEnds
    /// A scanner or initiator stops waiting for an auxiliary packet or an answer.
    case listen(UInt64)
    /// The resolvable private addresses must be replaced.
    case privateAddresses
    /// A command that takes some time (P-256) is finished.
    case computation
}

/// A timer of a link.
package enum LinkTimer: Hashable, Sendable {
    /// An anchor point: the next connection event begins.
    case connectionEvent
    /// The end of the packet that is on the air.
    case packetEnds
    /// The supervision timeout or a procedure timeout of the central's end.
    case centralDeadline
    /// The supervision timeout or a procedure timeout of the peripheral's end.
    case peripheralDeadline
}
