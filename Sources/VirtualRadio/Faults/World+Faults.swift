// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

extension World {
    /// Has other things go wrong with the controller from now on. Instants that are past do not
    /// matter any more, and commands are counted afresh; packets that are under way arrive when
    /// they would have. A controller that hangs goes on hanging.
    public func setFaults(_ plan: FaultPlan, of controller: ControllerID) {
        core.setFaults(plan, of: controller.radio)
    }
}

extension WorldCore {
    /// Has the plan do its work from now on.
    mutating func setFaults(_ plan: FaultPlan, of radio: RadioID) {
        ether.timeline.cancelAll { event in
            guard case .fault(radio) = event else { return false }
            return true
        }
        ether.receivers[radio.index].loss.plan = plan.loss
        let wire = HostWireFaults(plan, seed: ether.seed, radio: radio, now: ether.now)
        for instant in wire.instants { ether.timeline.schedule(.fault(radio), at: instant) }
        ether.wires[radio.index] = wire
    }

    /// Does what the plan has for this instant.
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
    /// Stops to work with the host; and with the air, if that stops as well.
    mutating func hang(_ hang: Hang, _ ether: inout Ether) {
        if !hang.radioGoesOn { reset(&ether) }
        ether.ports[radio.index].setHung(true)
    }
}

extension Ether {
    /// The controller's packet goes on its way to the host, on a wire with faults.
    mutating func sendToHost(_ packet: [UInt8], from radio: RadioID) {
        var arrivals: [(packet: [UInt8], instant: Instant)] = []
        wires[radio.index].send(packet, now: now) { arrivals.append(($0, $1)) }
        for arrival in arrivals {
            timeline.schedule(.controllerSent(arrival.packet, radio), at: arrival.instant)
        }
    }
}
