// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The state of a fault plan between one controller and its host, with the timed faults that have
/// not happened yet.
package struct HostWireFaults: Sendable {
    /// A fault at an instant.
    enum TimedFault: Equatable, Sendable {
        case hang(Hang)
        case restart
        case hardwareError(UInt8)
    }

    /// The fault plan.
    package internal(set) var plan: FaultPlan
    var toController: WireLane
    var toHost: WireLane
    private var decider: EventFaultDecider
    private var pending: [(instant: Instant, fault: TimedFault)]
    private var performedCount = 0

    /// Starts the plan on the radio's wire. Faults whose instants have passed do not happen.
    init(_ plan: FaultPlan, seed: WorldSeed, radio: RadioID, now: Instant) {
        self.plan = plan
        let number = radio.rawValue
        toController = WireLane(plan.toController, generator: seed.stream("to controller", number))
        toHost = WireLane(plan.toHost, generator: seed.stream("to host", number))
        decider = EventFaultDecider(plan.events, generator: seed.stream("event faults", number))
        pending = plan.timedFaults.filter { $0.instant >= now }
    }

    /// Whether a packet that the controller sends now reaches the host at once and unchanged.
    var deliversUnchanged: Bool { toHost.isImmediate && plan.events == .none }

    /// Takes over the packets under way on the earlier wire, which this wire replaces.
    mutating func replace(_ earlier: HostWireFaults) {
        toController.replace(earlier.toController)
        toHost.replace(earlier.toHost)
    }

    /// The instants at which faults are due.
    var instants: [Instant] { pending.map(\.instant) }

    /// Returns and removes the faults that are due, in the order of their instants.
    mutating func takeFaults(dueAt now: Instant) -> [TimedFault] {
        let due = pending.prefix { $0.instant <= now }
        pending.removeFirst(due.count)
        return due.map(\.fault)
    }

    /// Counts a command that was performed.
    ///
    /// - Returns: The hang that begins after this command, if any.
    mutating func commandPerformed() -> Hang? {
        performedCount &+= 1
        guard let hang = plan.hang, case .afterCommands(let count) = hang.trigger else {
            return nil
        }
        return performedCount >= count ? hang : nil
    }

    /// Sends a packet from the controller now: calls `arrive` with each packet that reaches the
    /// host, and the instant of its arrival.
    mutating func send(_ packet: [UInt8], now: Instant, _ arrive: ([UInt8], Instant) -> Void) {
        let isEvent = packet.first == HCI.PacketType.event.rawValue
        let outcome = isEvent ? decider.decide(packet) : EventFaultDecider.Outcome(packet: packet)
        for _ in 0..<outcome.count {
            guard let instant = toHost.send(now: now) else { return }
            arrive(outcome.packet, instant + outcome.delay)
        }
    }
}

extension FaultPlan {
    /// The faults that have an instant, in order.
    fileprivate var timedFaults: [(instant: Instant, fault: HostWireFaults.TimedFault)] {
        var faults: [(instant: Instant, fault: HostWireFaults.TimedFault)] = []
        if let hang, case .at(let instant) = hang.trigger { faults.append((instant, .hang(hang))) }
        if let restart { faults.append((restart, .restart)) }
        if let hardwareError {
            faults.append((hardwareError.instant, .hardwareError(hardwareError.code)))
        }
        // The sort is stable: of two faults at the same instant, the one that was appended first
        // comes first.
        return faults.sorted { $0.instant < $1.instant }
    }
}
