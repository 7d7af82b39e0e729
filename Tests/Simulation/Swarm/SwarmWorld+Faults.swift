// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Lanyard
import LanyardTesting
import VirtualAdapters
import VirtualRadio

// The faults of the devices.
extension SwarmWorld {
    /// Performs the fault of a step.
    func perform(_ step: SwarmScenario.Step) async throws {
        app.world.story.note("\(step.fault.rawValue) \(step.target) \(step.amount)")
        switch step.fault {
        case .walkAway, .comeBack, .stepAside, .reboot, .switchOff, .switchOn, .dropLink,
            .disturbAccessory:
            performOnStrap(step)
        case .powerCycle:
            app.adapter.isPoweredOn = false
            try await app.world.advance(by: .milliseconds(Int(step.amount * 3_000)))
            app.adapter.isPoweredOn = true
        case .restartApp:
            try await app.endApp()
            app.beginApp()
        case .disconnect:
            guard let accessory = accessory(step) else { return }
            // Another fault can end the request, for example Bluetooth that is switched off.
            try? await accessory.disconnect()
        case .connect: accessory(step)?.connect()
        case .disturbRadio, .restartController, .hangController, .slowWire, .loseRadio,
            .regainRadio:
            performOnRadio(step)
        case .dropClients, .notifyClients, .changeTable, .restartGateway,
            .disturbGateway, .restartClient, .disturbClient, .separate, .join:
            try await performOnGateway(step)
        case .nothing: break
        }
    }

    /// Ends all faults.
    func endFaults() {
        for (room, controller) in radios.enumerated() {
            var faults = faults(of: controller)
            faults.loss = .none
            // A hang ends with a restart of the controller. A later fault may have replaced that
            // restart, so another one is planned.
            if scenario.steps.contains(where: { $0.fault == .hangController }) {
                faults.restart = radio.now + .milliseconds(1)
            }
            radio.setFaults(faults, of: controller)
            app.corridor?.plugIn(room)
        }
        radio.join(group: 0, with: 1)
        if let gateway {
            for controller in gateway.clients + [gateway.controller] {
                radio.switchOn(controller)
                radio.setFaults(.none, of: controller)
            }
        }
        app.endFaults()
    }

    private func accessory(_ step: SwarmScenario.Step) -> Accessory? {
        let accessories = app.accessories
        return accessories.isEmpty ? nil : accessories[step.target % accessories.count]
    }

    private func performOnStrap(_ step: SwarmScenario.Step) {
        let strap = app.straps[step.target % app.straps.count]
        switch step.fault {
        case .walkAway: strap.walk(to: .outOfRange, over: .seconds(5))
        case .comeBack: strap.comeBack(over: .seconds(5))
        case .stepAside: strap.walk(to: .meters(5 + step.amount * 55))
        case .reboot: strap.reboot(after: .milliseconds(50 + Int(step.amount * 5_000)))
        case .switchOff: strap.switchOff()
        case .switchOn: strap.switchOn()
        case .dropLink: strap.dropLink()
        default: strap.disturb(losing: step.amount * 0.6)
        }
    }

    // MARK: Radios

    /// The controllers of the app.
    private var radios: [ControllerID] { app.corridor?.rooms ?? [app.world.phone.controller] }

    /// Returns the faults of a controller. A change of one fault keeps the latency of the wire,
    /// because later packets could otherwise overtake earlier ones.
    private func faults(of controller: ControllerID) -> FaultPlan {
        radio.status.controllers.first { $0.id == controller }?.faults ?? .none
    }

    private func performOnRadio(_ step: SwarmScenario.Step) {
        let room = step.target % radios.count
        var faults = faults(of: radios[room])
        switch step.fault {
        case .disturbRadio: faults.loss = LossPlan(constantLoss: step.amount * 0.6)
        case .restartController: faults.restart = radio.now + .milliseconds(1)
        case .hangController:
            // A watchdog restarts the controller.
            faults.hang = Hang(.at(radio.now + .milliseconds(1)), radioGoesOn: step.amount < 0.5)
            faults.restart = radio.now + .milliseconds(500 + Int(step.amount * 20_000))
        case .slowWire:
            let jitter = Duration.milliseconds(Int(step.amount * 30))
            faults.toHost = WireLatency(fixed: .milliseconds(1), jitter: jitter)
            faults.toController = WireLatency(fixed: .milliseconds(1), jitter: jitter)
        case .loseRadio:
            app.corridor?.unplug(room)
            return
        default:
            app.corridor?.plugIn(room)
            return
        }
        radio.setFaults(faults, of: radios[room])
    }

    // MARK: The gateway

    private func performOnGateway(_ step: SwarmScenario.Step) async throws {
        guard let gateway else { return }
        let client = gateway.clients[step.target % gateway.clients.count]
        var restart = FaultPlan()
        restart.restart = radio.now + .milliseconds(1)
        let loss = LossPlan(constantLoss: step.amount * 0.6)
        switch step.fault {
        case .dropClients: await gateway.dropClients()
        case .notifyClients: await gateway.notify()
        case .changeTable: try await gateway.changeTable()
        case .restartGateway: radio.setFaults(restart, of: gateway.controller)
        case .disturbGateway: radio.setLoss(loss, at: gateway.controller)
        case .restartClient: radio.setFaults(restart, of: client)
        case .disturbClient: radio.setLoss(loss, at: client)
        case .separate: radio.separate(group: 0, from: 1)
        default: radio.join(group: 0, with: 1)
        }
    }
}
