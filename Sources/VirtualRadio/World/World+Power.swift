// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

extension World {
    /// Takes the power from the controller. It forgets everything, and neither sends nor answers;
    /// who has a link to it finds out by the supervision timeout.
    public func switchOff(_ controller: ControllerID) {
        core.switchOff(controller.radio)
    }

    /// Gives the controller power: it is as new, and waits for commands. A scripted host starts
    /// again. Nothing happens if it is on.
    public func switchOn(_ controller: ControllerID) {
        core.switchOn(controller.radio)
    }

    /// Whether the controller has power.
    public func isOn(_ controller: ControllerID) -> Bool {
        core.isOn(controller.radio)
    }

    /// Takes the controller out of the world, as if by switching it off for good. Its number may be
    /// given to another, so that its name must not be used any more.
    public func remove(_ controller: ControllerID) {
        attach(controller, nil)
        core.remove(controller.radio)
    }

    /// How many controllers have had the number and were taken out: tells whether it is still the
    /// same one.
    package func tenure(of controller: ControllerID) -> Int {
        core.tenures[controller.number, default: 0]
    }
}

extension WorldCore {
    /// Whether the radio is in the world and has power.
    func isOn(_ radio: RadioID) -> Bool {
        ether.surroundings[radio]?.isOn ?? false
    }

    /// Takes the power from the radio and from its controller.
    mutating func switchOff(_ radio: RadioID) {
        guard isOn(radio) else { return }
        ether.surroundings[radio]?.isOn = false
        ether.reset(radio)
        scriptedHosts.stop(radio, &ether)
        ether.timeline.cancelAll { $0.radio == radio }
        ether.watch?.forget(ControllerID(radio))
        outputs[radio.index] = HostOutbox()
        renew(radio)
    }

    /// Gives the radio and its controller power.
    mutating func switchOn(_ radio: RadioID) {
        guard ether.surroundings[radio] != nil, !isOn(radio) else { return }
        // What its host said to a controller without power was said to nobody.
        ether.timeline.cancelAll { $0.radio == radio }
        ether.watch?.forget(ControllerID(radio))
        ether.surroundings[radio]?.isOn = true
        setFaults(ether.wires[radio.index].plan, of: radio)
        scriptedHosts.start(radio, &ether)
    }

    /// Takes the radio and its controller out of the world.
    mutating func remove(_ radio: RadioID) {
        guard ether.surroundings[radio] != nil else { return }
        switchOff(radio)
        ether.surroundings[radio] = nil
        tenures[radio.index, default: 0] += 1
        vacancies.append(radio)
    }

    /// Beyond what Reset makes new: the controller and its wire are as from the factory, and what
    /// was on its way to the host is lost.
    private mutating func renew(_ radio: RadioID) {
        let configuration = controllers[radio.index].configuration
        ether.ports[radio.index] = HostPort()
        ether.links.accounts[radio.index] = LinkAccount(configuration)
        controllers[radio.index] = makeController(configuration, radio: radio)
    }
}
