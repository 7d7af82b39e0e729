// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// Something that must hold of every packet between one host and its controller, whatever either
/// was built for.
///
/// There is one value for each controller, which sees its packets in order, as the host sends and
/// receives them: faults of the wire are between it and the controller.
package protocol Invariant: Sendable {
    /// What must hold, in words.
    var rule: String { get }

    /// Looks at the next packet, and says what is wrong, if something is.
    mutating func see(_ packet: HCI.Packet, _ direction: WireDirection, now: Instant) -> String?

    /// Looks at what has not happened at the end of a simulation.
    mutating func finish(now: Instant) -> String?
}

extension Invariant {
    package mutating func finish(now: Instant) -> String? { nil }
}

/// A rule that did not hold.
public struct Violation: Hashable, Sendable, CustomStringConvertible {
    /// Between which controller and its host.
    public let controller: ControllerID
    /// When.
    public let instant: Instant
    /// What should have held.
    public let rule: String
    /// What happened instead.
    public let event: String

    /// All of it in one line.
    public var description: String { "\(instant) \(controller): \(event) (rule: \(rule))" }
}

/// Every invariant, for every controller of a world.
struct InvariantWatch: Sendable {
    /// How many violations are kept; one broken rule tends to break again with every packet.
    static let violationLimit = 100

    /// What did not hold, the oldest first.
    private(set) var violations: [Violation] = []
    fileprivate var controllers: [ControllerID: Watched] = [:]

    /// What is known of one controller.
    fileprivate struct Watched: Sendable {
        var fromHost = H4Deframer()
        var toHost = H4Deframer()
        var invariants: [any Invariant] = [
            CommandInvariant(), CreditInvariant(), OpenLinkInvariant(), OneRequestInvariant(),
        ]
    }

    /// Octets pass between a controller and its host.
    mutating func see(
        _ bytes: [UInt8],
        _ direction: WireDirection,
        of controller: ControllerID,
        now: Instant
    ) {
        var watched = controllers[controller] ?? Watched()
        for packet in watched.packets(bytes, direction) {
            for index in watched.invariants.indices {
                let event = watched.invariants[index].see(packet, direction, now: now)
                note(event, watched.invariants[index].rule, of: controller, now: now)
            }
        }
        controllers[controller] = watched
    }

    /// The controller loses its power, or gets it: nothing that was begun goes on.
    mutating func forget(_ controller: ControllerID) {
        controllers[controller] = nil
    }

    /// The simulation is over.
    mutating func finish(now: Instant) {
        for controller in controllers.keys.sorted(by: { $0.radio < $1.radio }) {
            for var invariant in controllers[controller]?.invariants ?? [] {
                note(invariant.finish(now: now), invariant.rule, of: controller, now: now)
            }
        }
    }

    private mutating func note(
        _ event: String?,
        _ rule: String,
        of controller: ControllerID,
        now: Instant
    ) {
        guard let event, violations.count < Self.violationLimit else { return }
        violations.append(
            Violation(controller: controller, instant: now, rule: rule, event: event)
        )
    }
}

extension InvariantWatch.Watched {
    /// The whole packets among what has passed; none after bytes that are no packets.
    fileprivate mutating func packets(
        _ bytes: [UInt8],
        _ direction: WireDirection
    ) -> [HCI.Packet] {
        var packets: [HCI.Packet] = []
        switch direction {
        case .toController:
            fromHost.append(bytes[...])
            while let packet = try? fromHost.next() { packets.append(packet) }
        case .toHost:
            toHost.append(bytes[...])
            while let packet = try? toHost.next() { packets.append(packet) }
        }
        return packets
    }
}

extension HCI.Packet {
    /// The event in the packet; nil if it is none, or malformed.
    var event: HCI.Event? {
        guard case .event(let code, let parameters) = self else { return nil }
        return try? HCI.Event(code: code, parameters: parameters)
    }
}
