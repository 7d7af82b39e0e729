// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A rule that must hold for every packet between a host and its controller, whatever their
/// implementation.
///
/// Each controller has its own value, which gets the packets in the order in which the host sends
/// and receives them. So the faults of the wire are between the invariant and the controller.
package protocol Invariant: Sendable {
    /// The rule in words.
    var rule: String { get }

    /// Checks the next packet.
    ///
    /// - Returns: A description of the violation; `nil` if there is none.
    mutating func observe(_ packet: HCI.Packet, _ direction: WireDirection, now: Instant) -> String?

    /// Checks, at the end of a simulation, for required events that have not happened.
    ///
    /// - Returns: A description of the violation; `nil` if there is none.
    mutating func finish(now: Instant) -> String?
}

extension Invariant {
    package mutating func finish(now: Instant) -> String? { nil }
}

/// A violation of a rule.
public struct Violation: Hashable, Sendable, CustomStringConvertible {
    /// The controller.
    public let controller: ControllerID
    /// The instant of the violation.
    public let instant: Instant
    /// The rule that did not hold.
    public let rule: String
    /// The event that violated the rule.
    public let event: String

    /// All properties in one line.
    public var description: String { "\(instant) \(controller): \(event) (rule: \(rule))" }
}

/// The invariants of every controller of a world.
struct InvariantWatch: Sendable {
    /// The maximum number of violations that are kept. A broken rule often breaks again with every
    /// packet.
    static let violationLimit = 100

    /// The violations, the oldest first.
    private(set) var violations: [Violation] = []
    fileprivate var controllers: [ControllerID: Watched] = [:]

    /// The state of the checks for one controller.
    fileprivate struct Watched: Sendable {
        var fromHost = H4Deframer()
        var toHost = H4Deframer()
        var invariants: [any Invariant] = [
            CommandInvariant(), CreditInvariant(), OpenLinkInvariant(), OneRequestInvariant(),
        ]
    }

    /// Checks bytes that pass between a controller and its host.
    mutating func observe(
        _ bytes: [UInt8],
        _ direction: WireDirection,
        of controller: ControllerID,
        now: Instant
    ) {
        var watched = controllers[controller] ?? Watched()
        for packet in watched.packets(bytes, direction) {
            for index in watched.invariants.indices {
                let event = watched.invariants[index].observe(packet, direction, now: now)
                note(event, watched.invariants[index].rule, of: controller, now: now)
            }
        }
        controllers[controller] = watched
    }

    /// Discards the state of the checks for a controller that loses or gets power, because none of
    /// its procedures continues.
    mutating func forget(_ controller: ControllerID) {
        controllers[controller] = nil
    }

    /// Runs the checks at the end of the simulation.
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
    /// Returns the whole packets in the bytes that passed. After malformed bytes there are no more
    /// packets.
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
    /// The event in the packet; `nil` if the packet is not an event, or malformed.
    var event: HCI.Event? {
        guard case .event(let code, let parameters) = self else { return nil }
        return try? HCI.Event(code: code, parameters: parameters)
    }
}
