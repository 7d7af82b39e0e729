// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A fault plan at work between one controller and its host, and the faults that are due.
package struct HostWireFaults: Sendable {
    /// A fault that has an instant.
    enum TimedFault: Equatable, Sendable {
        case hang(Hang)
        case restart
        case hardwareError(UInt8)
    }

    /// What goes wrong.
    package internal(set) var plan: FaultPlan
    /// Whether the host gets every packet at once, and as it is.
    let isPlainToHost: Bool
    var toController: WireLane
    var toHost: WireLane
    private var fate: EventFate
    private var pending: [(instant: Instant, fault: TimedFault)]
    private var performedCount = 0

    /// The plan for the radio's wire from now on. What is past already does not happen.
    init(_ plan: FaultPlan, seed: WorldSeed, radio: RadioID, now: Instant) {
        self.plan = plan
        let number = radio.rawValue
        toController = WireLane(plan.toController, dice: seed.stream("to controller", number))
        toHost = WireLane(plan.toHost, dice: seed.stream("to host", number))
        fate = EventFate(plan.events, dice: seed.stream("event faults", number))
        isPlainToHost = plan.toHost == .none && plan.events == .none
        pending = plan.timedFaults.filter { $0.instant >= now }
    }

    /// When faults are due.
    var instants: [Instant] { pending.map(\.instant) }

    /// Takes out the faults that are due, in the order of their instants.
    mutating func takeFaults(dueAt now: Instant) -> [TimedFault] {
        let due = pending.prefix { $0.instant <= now }
        pending.removeFirst(due.count)
        return due.map(\.fault)
    }

    /// A command has been performed: how the controller hangs after it, if it does.
    mutating func commandPerformed() -> Hang? {
        performedCount &+= 1
        guard let hang = plan.hang, case .afterCommands(let count) = hang.trigger else {
            return nil
        }
        return performedCount >= count ? hang : nil
    }

    /// The controller sends a packet now: what arrives at the host, and when.
    mutating func send(_ packet: [UInt8], now: Instant, _ arrive: ([UInt8], Instant) -> Void) {
        let isEvent = packet.first == HCI.PacketType.event.rawValue
        let outcome = isEvent ? fate.decide(packet) : EventFate.Outcome(packet: packet)
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
        // Of two at the same instant, the one that is named first here: the sort is stable.
        return faults.sorted { $0.instant < $1.instant }
    }
}
