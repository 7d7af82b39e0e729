// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

extension World {
    /// Replaces the fault plan of the controller from now on. Instants in the past have no effect,
    /// and commands are counted from 0 again. Packets that are under way arrive at the same time as
    /// without the change. Later packets can overtake only those events among them that the former
    /// plan delays. A hang continues.
    public func setFaults(_ plan: FaultPlan, of controller: ControllerID) {
        core.setFaults(plan, of: controller.radio)
    }
}

extension WorldCore {
    /// Replaces the fault plan of the radio from now on.
    mutating func setFaults(_ plan: FaultPlan, of radio: RadioID) {
        ether.timeline.cancelAll { event in
            guard case .fault(radio) = event else { return false }
            return true
        }
        ether.receivers[radio.index].loss.plan = plan.loss
        var wire = HostWireFaults(plan, seed: ether.seed, radio: radio, now: ether.now)
        wire.replace(ether.wires[radio.index])
        for instant in wire.instants { ether.timeline.schedule(.fault(radio), at: instant) }
        ether.wires[radio.index] = wire
    }

    /// Performs the faults that are due at this instant.
    mutating func performFaults(of radio: RadioID) {
        for fault in ether.wires[radio.index].takeFaults(dueAt: ether.now) {
            switch fault {
            case .hang(let hang): controllers[radio.index].hang(hang, &ether)
            case .restart:
                controllers[radio.index].restart(&ether)
                ether.emit(HardwareErrorCode.restarted.event, to: radio)
            case .hardwareError(let code):
                ether.emit(.hardwareError(HCI.HardwareError(code: code)), to: radio)
            }
        }
    }
}

extension VirtualController {
    /// Makes the controller hang, and makes its radio silent unless the radio continues.
    mutating func hang(_ hang: Hang, _ ether: inout Ether) {
        if !hang.radioGoesOn { reset(&ether) }
        ether.ports[radio.index].setHung(true)
    }
}

extension Ether {
    /// Sends the controller's packet to the host over a wire with faults.
    mutating func sendToHost(_ packet: [UInt8], from radio: RadioID) {
        var arrivals: [(packet: [UInt8], instant: Instant)] = []
        wires[radio.index].send(packet, now: now) { arrivals.append(($0, $1)) }
        for arrival in arrivals {
            timeline.schedule(.controllerSent(arrival.packet, radio), at: arrival.instant)
        }
    }
}
