// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Lanyard

/// Every event in every state.
struct TransitionTests {
    @Test("Each event leads to the expected state or is ignored", arguments: Situation.allCases)
    func transitions(situation: Situation) {
        let expected = ExpectedTransitions.row(situation)
        for occurrence in Occurrence.allCases {
            let outcome = TransitionTable.outcome(of: occurrence, in: situation)?.outcome
            #expect(
                outcome == expected[occurrence],
                "\(situation.rawValue), \(occurrence.rawValue)"
            )
        }
    }

    @Test("An ignored event changes nothing", arguments: Situation.allCases)
    func ignoredEvents(situation: Situation) {
        for occurrence in Occurrence.allCases
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
        arguments: Situation.allCases
    )
    func armedCountdowns(situation: Situation) {
        let old = situation.state.countdown
        for occurrence in Occurrence.allCases {
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
        arguments: Situation.allCases
    )
    func stateReports(situation: Situation) {
        let before = situation.state.accessoryState
        for occurrence in Occurrence.allCases {
            guard let (_, actions, state) = TransitionTable.outcome(of: occurrence, in: situation)
            else { continue }
            let reports = actions.reports
            #expect(reports.count <= 1)
            if state.accessoryState != before {
                #expect(actions.last?.reports(state.accessoryState) ?? false)
            }
        }
    }

    @Test("The machine ignores link events of another peripheral", arguments: Situation.allCases)
    func foreignEvents(situation: Situation) {
        for occurrence in Occurrence.allCases {
            guard case .link(_, let event) = occurrence.event else { continue }
            var harness = MachineHarness(isRemembered: true, state: situation.state)
            #expect(harness.send(.link("stranger", event)).isEmpty)
            #expect(harness.machine.state == situation.state)
        }
    }

    @Test("Each sample state has its own kind", arguments: Situation.allCases)
    func samples(situation: Situation) {
        #expect(Situation(situation.state) == situation)
    }

    @Test("After a command to forget, each state leads to idle", arguments: Situation.allCases)
    func forget(situation: Situation) {
        var harness = MachineHarness(isRemembered: true, state: situation.state)
        harness.send(.command(.forget), .available)
        if let peripheral = harness.machine.state.peripheral {
            harness.send(.link(peripheral, .disconnected(nil, isReconnecting: false)))
        }
        #expect(harness.machine.accessoryState == .idle)
        #expect(!harness.machine.isRemembered)
    }
}
