// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport

@testable import Lanyard

/// The machine's reaction to each kind of event in each kind of state, found by running the
/// machine.
///
/// The accessory of the table was paired before, has one service with one characteristic that is
/// subscribed to, and requires pairing only in the states of pairing.
struct TransitionTable {
    /// The result of an event.
    struct Outcome: Equatable, CustomStringConvertible {
        var next: StateKind
        /// The actions, without countdowns and reports.
        var actions: [String]

        static func to(_ next: StateKind, _ actions: String...) -> Outcome {
            Outcome(next: next, actions: actions)
        }

        var description: String { "\(next.rawValue): \(actions.joined(separator: ", "))" }
    }

    /// The settings of the accessory.
    static let settings: LifecycleSettings = {
        var settings = LifecycleSettings()
        settings.services = [ServiceDescription("180D", [.subscribe("2A37")])]
        return settings
    }()

    /// Returns a machine in a state of this kind.
    static func machine(in situation: StateKind) -> Machine {
        var settings = settings
        if situation == .probing || situation == .refused { settings.protected = "2A37" }
        return Machine(settings: settings, isRemembered: true, state: situation.state)
    }

    /// Returns the actions for an event and the state after it; `nil` if the event is ignored.
    static func outcome(
        of occurrence: EventKind,
        in situation: StateKind
    ) -> (outcome: Outcome, actions: [Machine.Action], state: Machine.State)? {
        var machine = machine(in: situation)
        guard machine.decide(occurrence.event) != .ignore else { return nil }
        var generator = SplitMix64(seed: 1)
        let actions = machine.receive(occurrence.event, at: .seconds(10), using: &generator)
        let summaries = actions.compactMap(\.summary)
        return (
            Outcome(next: StateKind(machine.state), actions: summaries), actions, machine.state
        )
    }

    /// A table for each kind of state. Events that are not in it are ignored.
    static var markdown: String {
        StateKind.allCases.map(section).joined(separator: "\n")
    }

    private static func section(_ situation: StateKind) -> String {
        let rows = EventKind.allCases.compactMap { occurrence in
            outcome(of: occurrence, in: situation).map { row(occurrence, $0.outcome) }
        }
        return """
            ### \(situation.rawValue)

            | event | next | actions |
            | --- | --- | --- |
            \(rows.joined(separator: "\n"))

            """
    }

    private static func row(_ occurrence: EventKind, _ outcome: Outcome) -> String {
        "| \(occurrence.rawValue) | \(outcome.next.rawValue) | "
            + "\(outcome.actions.joined(separator: ", ")) |"
    }
}

extension Machine.Action {
    /// The action in a few words; `nil` for countdowns, which follow from the state, and for
    /// reports.
    var summary: String? {
        switch self {
        case .retrieve(.remembered): "retrieve the stored peripheral"
        case .retrieve(.heldBySystem): "retrieve connected peripherals"
        case .scan: "scan"
        case .stopScan: "stop the scan"
        case .connect(_, .direct): "connect"
        case .connect(_, .pending(.zero)): "pending connection"
        case .connect(_, .pending): "pending connection after a pause"
        case .cancelConnection: "cancel the connection"
        case .discoverServices: "discover services"
        case .discoverCharacteristics: "discover characteristics"
        case .subscribe: "subscribe"
        case .unsubscribe: "unsubscribe"
        case .probe: "probe"
        case .reserveSlot(.request): "reserve a slot"
        case .reserveSlot(.existingLink): "claim a slot"
        case .releaseSlot: "release the slot"
        case .save: "save"
        case .erase: "erase"
        case .arm, .cancelCountdown, .report, .record: nil
        }
    }
}
