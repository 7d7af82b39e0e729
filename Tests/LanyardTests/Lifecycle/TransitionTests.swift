// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Lanyard

/// Every event in every state.
struct TransitionTests {
    @Test(arguments: Situation.allCases)
    func `each event leads where it should, or is ignored`(situation: Situation) {
        let expected = ExpectedTransitions.row(situation)
        for occurrence in Occurrence.allCases {
            let outcome = TransitionTable.outcome(of: occurrence, in: situation)?.outcome
            #expect(
                outcome == expected[occurrence],
                "\(situation.rawValue), \(occurrence.rawValue)"
            )
        }
    }

    @Test(arguments: Situation.allCases)
    func `what is ignored changes nothing`(situation: Situation) {
        for occurrence in Occurrence.allCases
        where TransitionTable.outcome(of: occurrence, in: situation) == nil {
            var harness = MachineHarness(isRemembered: true, state: situation.state)
            #expect(harness.tell(occurrence.event).isEmpty)
            #expect(harness.machine.state == situation.state)
        }
    }

    @Test(arguments: Situation.allCases)
    func `a countdown is armed by the state that has it, and cancelled by leaving that`(
        situation: Situation
    ) {
        let old = situation.state.countdown
        for occurrence in Occurrence.allCases {
            guard let (_, actions, state) = TransitionTable.outcome(of: occurrence, in: situation)
            else { continue }
            let isKept = old == state.countdown
            let armed: [Machine.Action] = isKept ? [] : state.countdown.map { [.arm($0)] } ?? []
            let cancelled: [Machine.Action] = isKept ? [] : old.map { [.cancelCountdown($0)] } ?? []
            let countdowns = actions.filter {
                switch $0 {
                case .arm, .cancelCountdown: true
                default: false
                }
            }
            #expect(countdowns == cancelled + armed, "\(occurrence.rawValue)")
        }
    }

    @Test(arguments: Situation.allCases)
    func `each change that an application can see is told to it once, at last`(
        situation: Situation
    ) {
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

    @Test(arguments: Situation.allCases)
    func `what is told of another peripheral is ignored`(situation: Situation) {
        for occurrence in Occurrence.allCases {
            guard case .link(_, let event) = occurrence.event else { continue }
            var harness = MachineHarness(isRemembered: true, state: situation.state)
            #expect(harness.tell(.link("stranger", event)).isEmpty)
            #expect(harness.machine.state == situation.state)
        }
    }

    @Test(arguments: Situation.allCases)
    func `a specimen is of its own kind`(situation: Situation) {
        #expect(Situation(situation.state) == situation)
    }

    @Test(arguments: Situation.allCases)
    func `forgetting leads to idle from everywhere`(situation: Situation) {
        var harness = MachineHarness(isRemembered: true, state: situation.state)
        harness.tell(.command(.forget), .available)
        if let peripheral = harness.machine.state.peripheral {
            harness.tell(.link(peripheral, .disconnected(nil, isReconnecting: false)))
        }
        #expect(harness.machine.accessoryState == .idle)
        #expect(!harness.machine.isRemembered)
    }
}
