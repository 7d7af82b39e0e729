// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport

@testable import Lanyard

typealias Machine = AccessoryMachine<String>

/// A state machine whose peripherals are names, with a clock that is set by hand.
struct MachineHarness {
    var machine: Machine
    var now = Duration.zero
    private var generator = SplitMix64(seed: 7)

    init(
        _ settings: LifecycleSettings = .strap,
        isRemembered: Bool = false,
        state: Machine.State? = nil
    ) {
        machine =
            state.map {
                Machine(settings: settings, isRemembered: isRemembered, state: $0)
            } ?? Machine(settings: settings, isRemembered: isRemembered)
    }

    /// Passes events to the machine and returns the actions of the last one.
    @discardableResult
    mutating func send(_ events: Machine.Event...) -> [Machine.Action] {
        var actions: [Machine.Action] = []
        for event in events { actions = machine.receive(event, at: now, using: &generator) }
        return actions
    }

    /// Passes events of the default peripheral to the machine.
    @discardableResult
    mutating func linkReports(_ events: AccessoryLinkEvent...) -> [Machine.Action] {
        var actions: [Machine.Action] = []
        for event in events { actions = send(.link("strap", event)) }
        return actions
    }

    /// Advances the clock to the end of the state's countdown, if there is one.
    @discardableResult
    mutating func wait() -> [Machine.Action] {
        guard let countdown = machine.state.countdown else { return [] }
        now = max(now, countdown.deadline)
        return send(.countdownEnded(countdown))
    }

    /// Passes the events after which a connected strap that needs no pairing is ready.
    @discardableResult
    mutating func getReady() -> [Machine.Action] {
        linkReports(
            .servicesDiscovered(["180D", "180F"]),
            .characteristicsDiscovered(of: "180D", ["2A37", "2A38"]),
            .characteristicsDiscovered(of: "180F", ["2A19"]),
            .subscriptionChanged(.measurement, .confirmed),
            .subscriptionChanged(.battery, .confirmed)
        )
    }

    /// Returns a machine whose strap is ready and remembered.
    static func ready(_ settings: LifecycleSettings = .strap) -> MachineHarness {
        var harness = MachineHarness(settings)
        harness.send(.available, .command(.pair), .retrieved(nil), .found("strap", rssi: -60))
        harness.send(.slot(.granted))
        harness.linkReports(.connected(known: []))
        harness.getReady()
        if settings.protected != nil { harness.linkReports(.probed(nil)) }
        return harness
    }
}

extension LifecycleSettings {
    /// A heart rate strap: its measurement is required, its sensor location and battery are
    /// optional.
    static let strap = LifecycleSettings(
        AccessoryDescription(
            kind: "strap",
            matching: .service("180D"),
            services: [
                ServiceDescription(
                    "180D",
                    [
                        .subscribe("2A37"),
                        CharacteristicDescription("2A38", [.read], isRequired: false),
                    ]
                ),
                ServiceDescription("180F", [.subscribe("2A19")], isRequired: false),
            ]
        )
    )

    /// A strap that must be paired before its sensor location can be read.
    static let lockedStrap: LifecycleSettings = {
        var settings = strap
        settings.protected = "2A38"
        return settings
    }()
}

extension CharacteristicPath {
    static let measurement = CharacteristicPath("180D", "2A37")
    static let place = CharacteristicPath("180D", "2A38")
    static let battery = CharacteristicPath("180F", "2A19")
}

extension Set<CharacteristicPath> {
    static let all: Self = [.measurement, .place, .battery]
}

extension LinkFailure {
    static let lost = LinkFailure(.linkLoss, code: .link(6), "not received any more")
    static let closed = LinkFailure(.remoteClosed, code: .link(7), "the accessory ended the link")
    static let strange = LinkFailure(.unknown, code: .link(0), "an unknown cause")
    static let full = LinkFailure(.capacity, code: .link(11), "too many links")
    static let bondLost = LinkFailure(.unpaired, code: .link(14), "the keys are gone")
    static let unauthenticated = LinkFailure(.notPaired, code: .attribute(5), "not for you")
}

extension Machine.Action {
    /// Returns whether the action reports this state.
    func reports(_ state: AccessoryState) -> Bool {
        guard case .report(state, _) = self else { return false }
        return true
    }

    /// The record in the action, if there is one.
    var record: AttemptRecord? {
        guard case .record(let record) = self else { return nil }
        return record
    }
}

extension [Machine.Action] {
    /// The actions other than reports and records.
    var effects: [Machine.Action] {
        filter {
            switch $0 {
            case .report, .record: false
            default: true
            }
        }
    }

    /// The reports.
    var reports: [Machine.Action] {
        filter {
            guard case .report = $0 else { return false }
            return true
        }
    }
}
