// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// What can be due in a world.
package enum WorldEvent: Sendable {
    /// A controller set itself this timer.
    case timer(ControllerTimer, RadioID)
    /// A packet on an advertising channel has been sent to its end: who heard it may act on it.
    case packetEnds(AdvertisingPacket)
    /// A link has something to do.
    case link(LinkTimer, LinkID)
    /// Octets from the host come to its controller.
    case hostSent([UInt8], RadioID)
    /// A controller's packet, in H4 form, comes to its host.
    case controllerSent([UInt8], RadioID)
    /// A scripted host has something to do.
    case scriptedHostDue(RadioID)
    /// The controller's faults have something to do.
    case fault(RadioID)
}

extension WorldEvent {
    /// The controller without which it cannot happen; nil for a link, which has two.
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

/// What a controller wants to be woken for.
package enum ControllerTimer: Hashable, Sendable {
    /// The next advertising event of the set begins, or the next packet of the event.
    case advertise(set: UInt8)
    /// The set has advertised for as long as it was asked to.
    case advertisingEnds(set: UInt8)
    /// The next period of scanning begins (Vol 4, Part E, 7.8.64), or the only one ends.
    case scanPeriod
    /// Scanning has lasted as long as it was asked to.
    case scanEnds
    /// A scanner or initiator turns to an auxiliary packet, or gives up waiting for an answer.
    case listen(UInt64)
    /// The resolvable private addresses are to be replaced.
    case privateAddresses
    /// A command that takes a while (P-256) is finished.
    case computation
}

/// What a link wants to be woken for.
package enum LinkTimer: Hashable, Sendable {
    /// An anchor point: the next connection event begins.
    case connectionEvent
    /// The packet that one of the ends is sending ends.
    case packetEnds
    /// The supervision timeout, or a procedure's, of the Central's end.
    case centralDeadline
    /// The same of the Peripheral's end.
    case peripheralDeadline
}
