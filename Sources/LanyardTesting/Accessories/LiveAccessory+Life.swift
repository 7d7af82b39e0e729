// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import VirtualAccessories
import VirtualRadio

// Changes of an accessory during a test.
extension LiveAccessory {
    // MARK: Position

    /// Moves the accessory in a straight line from its current position, at once if `duration` is
    /// zero.
    ///
    /// ```swift
    /// strap.walk(to: .outOfRange, over: .seconds(10))
    /// ```
    public func walk(to distance: Distance, over duration: Duration = .zero) {
        move(to: distance, over: duration)
    }

    /// Moves the accessory back to its first position.
    public func comeBack(over duration: Duration = .zero) {
        move(to: home, over: duration)
    }

    /// Disturbs the reception of the accessory.
    ///
    /// - Parameter share: The share of all packets that the accessory does not receive, from 0 to
    ///   1. Zero ends the disturbance.
    public func disturb(losing share: Double) {
        act("loses \(Int((share * 100).rounded())) % of its packets") { world, controller in
            world.setLoss(LossPlan(constantLoss: share), at: controller)
        }
    }

    // MARK: Power

    /// Switches the accessory off, as if its battery were removed. A connected phone detects the
    /// loss by the supervision timeout.
    public func switchOff() {
        act("goes off") { [endpoints] world, controller in
            world.switchOff(controller)
            endpoints.restart()
        }
    }

    /// Switches the accessory on. Written values are lost; bonds are kept.
    public func switchOn() {
        act("goes on") { world, controller in world.switchOn(controller) }
    }

    /// Switches the accessory off, and on again after a pause.
    public func reboot(after pause: Duration = .seconds(1)) {
        switchOff()
        world.later(pause) { [weak self] in self?.switchOn() }
    }

    // MARK: Bonds

    /// Deletes the accessory's bonds, as after a factory reset. The accessory rejects the key of a
    /// phone that still has the bond. Does nothing while the accessory is off.
    public func loseBonds() {
        perform("loses its bonds", .forgetBonds)
    }

    /// Advertises from another address from now on, or from the end of the current link on. Does
    /// nothing while the accessory is off.
    public func changeAddress() {
        perform("changes its address", .changeAddress)
    }

    // MARK: Link

    /// Disconnects from the phone.
    public func dropLink() {
        perform("ends the link", .disconnect)
    }

    // MARK: Values

    /// Changes a value, and sends it to a subscribed phone. Does nothing while the accessory is
    /// off.
    public func notify(_ value: [UInt8], on characteristic: BluetoothID) {
        act("sends \(characteristic)") { [self] _, _ in send(value, of: characteristic) }
    }

    /// Changes a value without a notification. Does nothing while the accessory is off.
    public func setValue(_ value: [UInt8], of characteristic: BluetoothID) {
        perform("changes \(characteristic)", .setValue(value, of: characteristic.bluetoothUUID))
    }

    /// Returns the current value of a characteristic; empty data if there is no such characteristic
    /// or the accessory is off.
    public func value(of characteristic: BluetoothID) async -> Data {
        await world.ask { [self] in Data(currentValue(of: characteristic)) }
    }

    /// Returns the values that were written to a characteristic so far, the oldest first, including
    /// values that the accessory refused. The record of an accessory has at most 100,000 values.
    public func written(to characteristic: BluetoothID) -> [Data] {
        record.values(of: characteristic)
    }

    // MARK: Services

    /// Adds a service, as after a firmware update, and indicates the change to a subscribed phone.
    /// The service remains when the accessory is switched off. Does nothing while the accessory is off.
    public func addService(_ service: VirtualService) {
        act("adds \(service.identifier)") { [self] world, controller in
            guard world.isOn(controller) else { return }
            perform(.addService(service.definition(noting: record, endpoints)))
            beginChanges(of: service)
        }
    }

    /// Removes a service and the services that include it, and indicates the change to a subscribed
    /// phone. Does nothing while the accessory is off.
    public func removeService(_ service: BluetoothID) {
        act("removes \(service)") { [self] world, controller in
            guard world.isOn(controller) else { return }
            perform(.removeServices(service.bluetoothUUID))
            endLostChanges()
        }
    }

    // MARK: Observation

    /// The number of the accessory's links: at most one.
    public var linkCount: Int {
        get async {
            await world.ask { [self] in
                guard let controller else { return 0 }
                return world.radio.status.links.count { $0.peripheral == controller }
            }
        }
    }
}
