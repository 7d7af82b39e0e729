// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import Lanyard

/// Random sequences of events.
struct RandomWalkTests {
    /// The number of walks of each test.
    private static let walks = 2_000
    /// The number of walks between yields to other tests, because the test threads are few.
    private static let turn: UInt64 = 10
    /// The number of steps of a walk.
    private static let steps = 60
    /// The maximum number of faults that a test reports.
    private static let faultLimit = 5
    /// The maximum number of steps until an accessory is ready in a world without failures.
    private static let stepLimit = 120

    @Test(
        "Random events cause no impossible action, and the accessory becomes ready afterward",
        arguments: [false, true]
    )
    func reachesReady(isLocked: Bool) async {
        let settings = isLocked ? LifecycleSettings.lockedStrap : .strap
        var faults = 0
        for seed in RunSeed.seeds(Self.walks) where faults < Self.faultLimit {
            if seed % Self.turn == 0 { await Task.yield() }
            var world = ModelWorld(settings, seed: seed)
            do {
                for _ in 1...Self.steps { try Self.step(&world) }
                try Self.makeReady(&world)
            } catch {
                faults += 1
                Issue.record(
                    "seed \(seed): \(error), after \(world.recentEvents.joined(separator: ", "))"
                )
            }
        }
    }

    @Test("Random events that disregard the state leak no slot, scan, or countdown")
    func meaninglessEvents() async {
        for seed in RunSeed.seeds(Self.walks) {
            if seed % Self.turn == 0 { await Task.yield() }
            var tracker = ResourceTracker(seed: seed)
            for _ in 1...Self.steps {
                if let fault = tracker.sendRandomEvent() {
                    Issue.record("seed \(seed): \(fault)")
                    return
                }
            }
        }
    }

    /// Performs a random step, most often the delivery of a waiting event.
    private static func step(_ world: inout ModelWorld) throws {
        switch Int.random(in: 0..<40, using: &world.generator) {
        case 0: try world.switchBluetooth(false)
        case 1...3: try world.switchBluetooth(true)
        case 4: world.walk(in: !world.isPresent)
        case 5: world.dropAll()
        case 6: world.modifyServices()
        case 7: world.revoke()
        case 8, 9: world.grant()
        case 10: world.rotate()
        case 11...13: try world.send(.command(.pair))
        case 14: try world.send(.command(.connect))
        case 15: try world.send(.command(.disconnect))
        case 16: try world.send(.command(.forget))
        case 17...20: try world.endCountdown()
        case 21: world.refuseMessages()
        default: try world.sendNext()
        }
    }

    /// Checks that the accessory becomes ready, given power, a cooperating accessory and commands
    /// of the app.
    private static func makeReady(_ world: inout ModelWorld) throws {
        world.isFaultless = true
        try world.switchBluetooth(true)
        world.walk(in: true)
        for _ in 1...stepLimit {
            if case .ready = world.machine.state, world.callbacks.isEmpty { return }
            world.grant()
            if !world.callbacks.isEmpty {
                try world.sendNext()
            } else if world.armed != nil {
                try world.endCountdown()
            } else {
                try world.send(.command(.pair))
                if world.machine.state == .idle(.unknownToSystem) { world.advertise() }
                if world.isLost { world.walk(in: true) }
            }
        }
        throw Impossible(description: "the accessory does not become ready: \(world.machine.state)")
    }
}

extension ModelWorld {
    /// Whether a connection request is pending, perhaps under an address that the accessory no
    /// longer has.
    fileprivate var isLost: Bool { machine.accessoryState == .outOfRange }
}

/// The resources that a machine holds according to its actions, while it receives random events.
private struct ResourceTracker {
    private var machine: Machine
    private var generator: SplitMix64
    private var armed: Countdown?
    private var old: [Countdown] = []
    private var hasSlot = false
    private var isScanning = false
    private var now = Duration.zero

    init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
        let situation = StateKind.allCases.randomElement(using: &generator) ?? .ready
        let settings = seed % 2 == 0 ? LifecycleSettings.strap : .lockedStrap
        machine = Machine(
            settings: settings,
            isRemembered: generator.happens(oneIn: 2),
            state: situation.state
        )
        armed = machine.state.countdown
        hasSlot = machine.state.slotPurpose != nil
        isScanning = machine.state.isScanning
    }

    /// Passes a random event and returns the violated rule, if there is one.
    mutating func sendRandomEvent() -> String? {
        now += .milliseconds(Int.random(in: 0...2000, using: &generator))
        let event = event()
        let before = machine
        let actions = machine.receive(event, at: now, using: &generator)
        if isStale(event), before.state != machine.state {
            return "\(event) changes \(before.state)"
        }
        for action in actions {
            if let fault = track(action, before) { return "\(fault) after \(event)" }
        }
        guard armed == machine.state.countdown else { return "another countdown is armed" }
        guard hasSlot == (machine.state.slotPurpose != nil) else { return "the slot is leaked" }
        guard isScanning == machine.state.isScanning else { return "the scan is leaked" }
        return nil
    }

    private mutating func event() -> Machine.Event {
        if generator.happens(oneIn: 5), let countdown = armed { return .countdownEnded(countdown) }
        if generator.happens(oneIn: 10), let countdown = old.randomElement(using: &generator) {
            return .countdownEnded(countdown)
        }
        let event = (EventKind.allCases.randomElement(using: &generator) ?? .seen).event
        guard case .link(_, let linkEvent) = event else { return event }
        let peripheral = ["p", "q", "r"].randomElement(using: &generator) ?? "p"
        return .link(peripheral, linkEvent)
    }

    private func isStale(_ event: Machine.Event) -> Bool {
        guard case .countdownEnded(let countdown) = event else { return false }
        return countdown != armed
    }

    private mutating func track(_ action: Machine.Action, _ before: Machine) -> String? {
        switch action {
        case .arm(let countdown):
            guard armed == nil else { return "two countdowns are armed" }
            guard !old.contains(countdown) else { return "a countdown is armed twice" }
            armed = countdown
        case .cancelCountdown(let countdown):
            guard armed == countdown else { return "another countdown is canceled" }
            armed = nil
            old.append(countdown)
        case .reserveSlot:
            guard !hasSlot else { return "two slots are requested" }
            hasSlot = true
        case .releaseSlot:
            guard hasSlot else { return "a released slot is not held" }
            hasSlot = false
        case .scan, .stopScan:
            guard isScanning != (action == .scan) else { return "a scan begins or ends twice" }
            isScanning = action == .scan
        case .connect(let peripheral, _), .discoverServices(let peripheral, _),
            .discoverCharacteristics(let peripheral, _, _), .subscribe(let peripheral, _),
            .unsubscribe(let peripheral, _), .probe(let peripheral, _):
            guard peripheral == machine.state.peripheral else {
                return "\(peripheral) is not the machine's"
            }
        case .cancelConnection(let peripheral):
            guard peripheral == before.state.peripheral else {
                return "\(peripheral) is not the machine's"
            }
        case .save(let peripheral):
            guard machine.state.accessoryState == .ready, peripheral == machine.state.peripheral
            else { return "a saved accessory is not ready" }
        case .retrieve, .erase, .report, .record: break
        }
        return nil
    }
}
