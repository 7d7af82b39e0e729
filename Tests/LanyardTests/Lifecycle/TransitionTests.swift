// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Lanyard

/// Every event in every state.
struct TransitionTests {
    @Test("Each event leads to the expected state or is ignored", arguments: StateKind.allCases)
    func transitions(situation: StateKind) {
        let expected = ExpectedTransitions.row(situation)
        for occurrence in EventKind.allCases {
            let outcome = TransitionTable.outcome(of: occurrence, in: situation)?.outcome
            #expect(
                outcome == expected[occurrence],
                "\(situation.rawValue), \(occurrence.rawValue)"
            )
        }
    }

    @Test("An ignored event changes nothing", arguments: StateKind.allCases)
    func ignoredEvents(situation: StateKind) {
        for occurrence in EventKind.allCases
        where TransitionTable.outcome(of: occurrence, in: situation) == nil {
            var harness = MachineHarness(
                TransitionTable.settings,
                isRemembered: true,
                state: situation.state
            )
            #expect(harness.send(occurrence.event).isEmpty)
            #expect(harness.machine.state == situation.state)
        }
    }

    @Test(
        "A state arms its countdown on entry and cancels it on exit",
        arguments: StateKind.allCases
    )
    func armedCountdowns(situation: StateKind) {
        let old = situation.state.countdown
        for occurrence in EventKind.allCases {
            guard let (_, actions, state) = TransitionTable.outcome(of: occurrence, in: situation)
            else { continue }
            let isUnchanged = old == state.countdown
            let armed: [Machine.Action] =
                isUnchanged ? [] : state.countdown.map { [.arm($0)] } ?? []
            let cancelled: [Machine.Action] =
                isUnchanged ? [] : old.map { [.cancelCountdown($0)] } ?? []
            let countdowns = actions.filter {
                switch $0 {
                case .arm, .cancelCountdown: true
                default: false
                }
            }
            #expect(countdowns == cancelled + armed, "\(occurrence.rawValue)")
        }
    }

    @Test(
        "The machine reports each visible state change once, as its last action",
        arguments: StateKind.allCases
    )
    func stateReports(situation: StateKind) {
        let before = situation.state.accessoryState
        for occurrence in EventKind.allCases {
            guard let (_, actions, state) = TransitionTable.outcome(of: occurrence, in: situation)
            else { continue }
            let reports = actions.reports
            #expect(reports.count <= 1)
            if state.accessoryState != before {
                #expect(actions.last?.reports(state.accessoryState) ?? false)
            }
        }
    }

    @Test("The machine ignores link events of another peripheral", arguments: StateKind.allCases)
    func foreignEvents(situation: StateKind) {
        for occurrence in EventKind.allCases {
            guard case .link(_, let event) = occurrence.event else { continue }
            var harness = MachineHarness(isRemembered: true, state: situation.state)
            #expect(harness.send(.link("stranger", event)).isEmpty)
            #expect(harness.machine.state == situation.state)
        }
    }

    @Test("Each sample state has its own kind", arguments: StateKind.allCases)
    func samples(situation: StateKind) {
        #expect(StateKind(situation.state) == situation)
    }

    @Test("After a command to forget, each state leads to idle", arguments: StateKind.allCases)
    func forget(situation: StateKind) {
        var harness = MachineHarness(isRemembered: true, state: situation.state)
        harness.send(.command(.forget), .available)
        if let peripheral = harness.machine.state.peripheral {
            harness.send(.link(peripheral, .disconnected(nil, isReconnecting: false)))
        }
        #expect(harness.machine.accessoryState == .idle)
        #expect(!harness.machine.isRemembered)
    }
}
