// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

extension World {
    // MARK: Places

    /// Has the controller move along the path from now on.
    public func move(_ controller: ControllerID, along path: Path) {
        change(controller) { $0.path = path }
    }

    /// Puts the controller somewhere else, where it stays.
    public func move(_ controller: ControllerID, to position: Position) {
        move(controller, along: Path(position))
    }

    /// Changes the power with which the controller sends, in dBm.
    public func setTransmitPower(_ power: Double, of controller: ControllerID) {
        change(controller) { $0.transmitPower = power }
    }

    /// Fixes how much is lost between two controllers, in decibels and both ways, wherever they are.
    /// Nil makes it follow from their positions again.
    public func setLoss(
        _ decibels: Double?,
        between one: ControllerID,
        and other: ControllerID
    ) {
        core.ether.surroundings.setLoss(decibels, between: one.radio, and: other.radio)
    }

    /// Changes what chance takes away from what the controller hears, beyond what physics does: the
    /// `loss` of its faults, while the others go on.
    public func setLoss(_ plan: LossPlan, at controller: ControllerID) {
        core.ether.wires[controller.radio.index].plan.loss = plan
        core.ether.receivers[controller.radio.index].loss.plan = plan
    }

    /// How strong what one controller sends now arrives at the other, in dBm; nil if nothing does.
    public func power(from sender: ControllerID, to receiver: ControllerID) -> Double? {
        core.ether.surroundings.power(from: sender.radio, to: receiver.radio, at: now)?.decibels
    }

    // MARK: Partitions

    /// Puts the controller into a group; all begin in group 0.
    public func assign(_ controller: ControllerID, toGroup group: Int) {
        change(controller) { $0.group = group }
    }

    /// Puts a wall between two groups that no signal passes. Between a group and itself, none of
    /// its controllers hear each other.
    public func separate(group: Int, from other: Int) {
        core.ether.surroundings.separate(group: group, from: other)
    }

    /// Takes the wall between two groups away.
    public func join(group: Int, with other: Int) {
        core.ether.surroundings.join(group: group, with: other)
    }

    private func change(_ controller: ControllerID, _ body: (inout Station) -> Void) {
        guard var station = core.ether.surroundings[controller.radio] else { return }
        body(&station)
        core.ether.surroundings[controller.radio] = station
    }
}
