// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

extension World {
    // MARK: Places

    /// Makes the controller move along the path from now on.
    public func move(_ controller: ControllerID, along path: Path) {
        change(controller) { $0.path = path }
    }

    /// Moves the controller to another position, where it stays.
    public func move(_ controller: ControllerID, to position: Position) {
        move(controller, along: Path(position))
    }

    /// Changes the transmit power of the controller, in dBm.
    public func setTransmitPower(_ power: Double, of controller: ControllerID) {
        change(controller) { $0.transmitPower = power }
    }

    /// Fixes the loss between two controllers, in decibels in both directions, whatever their
    /// positions and without shadowing. `nil` makes the loss follow from their positions again.
    public func setLoss(
        _ decibels: Double?,
        between one: ControllerID,
        and other: ControllerID
    ) {
        core.ether.environment.setLoss(decibels, between: one.radio, and: other.radio)
    }

    /// Changes the random losses at the controller that are added to those of the physical model:
    /// the `loss` of its fault plan. Its other faults continue.
    public func setLoss(_ plan: LossPlan, at controller: ControllerID) {
        core.ether.wires[controller.radio.index].plan.loss = plan
        core.ether.receivers[controller.radio.index].loss.plan = plan
    }

    /// Returns the current power of one controller at the other, in dBm; `nil` if no signal
    /// arrives.
    public func power(from sender: ControllerID, to receiver: ControllerID) -> Double? {
        core.ether.environment.power(from: sender.radio, to: receiver.radio, at: now)?.decibels
    }

    // MARK: Partitions

    /// Assigns the controller to a group. Every controller is in group 0 at first.
    public func assign(_ controller: ControllerID, toGroup group: Int) {
        change(controller) { $0.group = group }
    }

    /// Blocks all signals between two groups. If both are the same group, its controllers do not
    /// receive each other.
    public func separate(group: Int, from other: Int) {
        core.ether.environment.separate(group: group, from: other)
    }

    /// Removes the block between two groups.
    public func join(group: Int, with other: Int) {
        core.ether.environment.join(group: group, with: other)
    }

    private func change(_ controller: ControllerID, _ body: (inout Station) -> Void) {
        guard var station = core.ether.environment[controller.radio] else { return }
        body(&station)
        core.ether.environment[controller.radio] = station
    }
}
