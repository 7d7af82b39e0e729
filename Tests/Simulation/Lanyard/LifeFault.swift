// SPDX-License-Identifier: Apache-2.0

import Lanyard
import LanyardTesting

/// The events that can happen to phones and accessories.
enum LifeFault: CaseIterable {
    case walkAway, comeBack, stepAside, reboot, switchOff, switchOn, dropLink
    case disturbAccessory, disturbPhone, powerCycle, resetController, restartApp, nothing
}

extension Life {
    /// Applies a fault to a random accessory or to the phone, and lets some time pass.
    func suffer(_ fault: LifeFault, using generator: inout some RandomNumberGenerator) async throws
    {
        guard let strap = straps.randomElement(using: &generator) else { return }
        let share = Double.random(in: 0...0.6, using: &generator)
        switch fault {
        case .walkAway: strap.walk(to: .outOfRange, over: .seconds(5))
        case .comeBack: strap.comeBack(over: .seconds(5))
        case .stepAside: strap.walk(to: .meters(Double.random(in: 5...60, using: &generator)))
        case .reboot:
            strap.reboot(after: .milliseconds(Int.random(in: 50...5000, using: &generator)))
        case .switchOff: strap.switchOff()
        case .switchOn: strap.switchOn()
        case .dropLink: strap.dropLink()
        case .disturbAccessory: strap.disturb(losing: share)
        case .disturbPhone: world.phone.disturb(losing: share)
        case .powerCycle: try await cyclePower(using: &generator)
        case .resetController: world.phone.resetController()
        case .restartApp: try await restart()
        case .nothing: break
        }
        let pause = Int.random(in: 10...12_000, using: &generator)
        try await world.advance(by: .milliseconds(pause))
        try await check()
    }

    private func cyclePower(using generator: inout some RandomNumberGenerator) async throws {
        world.phone.isPoweredOn = false
        try await world.advance(by: .milliseconds(Int.random(in: 0...3000, using: &generator)))
        world.phone.isPoweredOn = true
    }

    private func restart() async throws {
        try await endApp()
        beginApp()
    }

    /// Ends all faults.
    func heal() {
        world.phone.isPoweredOn = true
        world.phone.disturb(losing: 0)
        for strap in straps {
            strap.disturb(losing: 0)
            strap.switchOn()
            strap.comeBack()
        }
    }
}
