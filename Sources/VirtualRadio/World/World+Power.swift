// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

extension World {
    /// Switches the controller off. The controller loses all its state and neither sends nor
    /// answers. Packets that wait for `takeOutput(of:)` are lost. Peers that have a link to it
    /// detect the loss by the supervision timeout.
    public func switchOff(_ controller: ControllerID) {
        core.switchOff(controller.radio)
    }

    /// Switches the controller on, in its initial state, and starts its scripted host again. Does
    /// nothing if the controller is on.
    public func switchOn(_ controller: ControllerID) {
        core.switchOn(controller.radio)
    }

    /// Returns whether the controller has power.
    public func isOn(_ controller: ControllerID) -> Bool {
        core.isOn(controller.radio)
    }

    /// Switches the controller off, and removes it and its host from the world. Another controller
    /// may get its number, so its `ControllerID` must no longer be used.
    public func remove(_ controller: ControllerID) {
        attach(controller, nil)
        core.remove(controller.radio)
    }

    /// Returns how many controllers with this number were removed. As long as the result stays the
    /// same, the number identifies the same controller.
    package func removalCount(of controller: ControllerID) -> Int {
        core.removalCounts[controller.number, default: 0]
    }
}

extension WorldCore {
    /// Returns whether the radio is in the world and has power.
    func isOn(_ radio: RadioID) -> Bool {
        ether.environment[radio]?.isOn ?? false
    }

    /// Switches off the radio and its controller.
    mutating func switchOff(_ radio: RadioID) {
        guard isOn(radio) else { return }
        ether.environment[radio]?.isOn = false
        ether.reset(radio)
        scriptedHosts.stop(radio, &ether)
        cancelEvents(of: radio)
        ether.watch?.forget(ControllerID(radio))
        outputs[radio.index] = HostOutbox()
        renew(radio)
    }

    /// Switches on the radio and its controller.
    mutating func switchOn(_ radio: RadioID) {
        guard ether.environment[radio] != nil, !isOn(radio) else { return }
        // Bytes that the host sent while the controller had no power are lost.
        cancelEvents(of: radio)
        ether.watch?.forget(ControllerID(radio))
        ether.environment[radio]?.isOn = true
        setFaults(ether.wires[radio.index].plan, of: radio)
        scriptedHosts.start(radio, &ether)
    }

    /// Removes the radio and its controller from the world.
    mutating func remove(_ radio: RadioID) {
        guard ether.environment[radio] != nil else { return }
        switchOff(radio)
        ether.environment[radio] = nil
        removalCounts[radio.index, default: 0] += 1
        freeRadios.append(radio)
    }

    /// Cancels the events of the radio. The packets between its controller and its host are lost.
    private mutating func cancelEvents(of radio: RadioID) {
        ether.timeline.cancelAll { $0.radio == radio }
        ether.wires[radio.index].toController.loseAll()
        ether.wires[radio.index].toHost.loseAll()
    }

    /// Restores the initial state of the controller and its wire, including the parts that a Reset
    /// leaves unchanged. Output to the host is lost.
    private mutating func renew(_ radio: RadioID) {
        let configuration = controllers[radio.index].configuration
        ether.ports[radio.index] = HostWire()
        ether.links.resources[radio.index] = LinkResources(configuration)
        controllers[radio.index] = makeController(configuration, radio: radio)
    }
}
