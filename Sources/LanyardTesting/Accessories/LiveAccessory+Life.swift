// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import VirtualAccessories
import VirtualRadio

// What happens to it.
extension LiveAccessory {
    // MARK: Places

    /// Somebody carries it away, or nearer: from where it is, in a straight line.
    ///
    /// ```swift
    /// strap.walk(to: .outOfRange, over: .seconds(10))
    /// ```
    public func walk(to distance: Distance, over duration: Duration = .zero) {
        move(to: distance, over: duration)
    }

    /// It comes back to where it was put at first.
    public func comeBack(over duration: Duration = .zero) {
        move(to: home, over: duration)
    }

    /// Something disturbs what it hears: of all packets, this share is lost, from 0 to 1. Zero ends it.
    public func disturb(losing share: Double) {
        act("loses \(Int((share * 100).rounded())) % of what it hears") { world, controller in
            world.setLoss(LossPlan(constantLoss: share), at: controller)
        }
    }

    // MARK: Power

    /// Its battery is taken out. Who is connected to it finds out by the supervision time-out.
    public func switchOff() {
        act("goes off") { world, controller in world.switchOff(controller) }
    }

    /// It has power again. What was written to it is forgotten, whom it is paired with is not.
    public func switchOn() {
        act("goes on") { world, controller in world.switchOn(controller) }
    }

    /// It goes off, and on again after a while.
    public func reboot(after pause: Duration = .seconds(1)) {
        switchOff()
        world.later(pause) { [weak self] in self?.switchOn() }
    }

    // MARK: Trust

    /// It forgets with whom it is paired, as after a reset to what it was when it left the factory. A
    /// phone that comes with its key is refused.
    public func loseBonds() {
        perform("loses its bonds", .forgetBonds)
    }

    /// It advertises from another address from now on.
    public func changeAddress() {
        perform("changes its address", .changeAddress)
    }

    // MARK: The link

    /// It ends the link of its own accord.
    public func dropLink() {
        perform("ends the link", .disconnect)
    }

    // MARK: Values

    /// Changes a value, and sends it to whoever is subscribed.
    public func notify(_ value: [UInt8], on characteristic: BluetoothID) {
        act("sends \(characteristic)") { [self] _, _ in send(value, of: characteristic) }
    }

    /// Changes a value, and tells nobody.
    public func setValue(_ value: [UInt8], of characteristic: BluetoothID) {
        perform("changes \(characteristic)", .setValue(value, of: characteristic.bluetoothUUID))
    }

    /// What a characteristic's value is now; empty if there is none, or the accessory is off.
    public func value(of characteristic: BluetoothID) async -> Data {
        await world.ask { [self] in Data(currentValue(of: characteristic)) }
    }

    /// All that was written to a characteristic so far, each write for itself; also what was refused.
    public func written(to characteristic: BluetoothID) -> [Data] {
        record.values(of: characteristic)
    }

    // MARK: Services

    /// Serves something more from now on, as after an update of its software; who is connected is told.
    public func addService(_ service: VirtualService) {
        perform("adds \(service.identifier)", .addService(service.definition(noting: record)))
    }

    /// Does not serve something any more; who is connected is told.
    public func removeService(_ service: BluetoothID) {
        perform("removes \(service)", .removeServices(service.bluetoothUUID))
    }

    // MARK: Looking at it

    /// How many links it has now: one at most.
    public var linkCount: Int {
        get async {
            await world.ask { [self] in
                guard let controller else { return 0 }
                return world.air.world.status.links.count { $0.peripheral == controller }
            }
        }
    }
}
