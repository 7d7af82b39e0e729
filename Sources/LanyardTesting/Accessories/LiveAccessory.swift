// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import HCITransports
import Lanyard
import VirtualAccessories
import VirtualRadio

/// An accessory in a world, which the test controls.
///
/// Its methods may be called on any thread. Each of its actions happens at the current instant of
/// the world, and is a line of the world's story.
public final class LiveAccessory: Sendable {
    private struct State {
        var controller: ControllerID?
        var path: Path
        var changes: [PeriodicChange] = []
    }

    /// A value that changes periodically, with its timer.
    private struct PeriodicChange {
        let identifier: BluetoothID
        let service: BluetoothID
        let timer: RepeatingTimer
    }

    /// The name of the accessory.
    public let name: String
    /// The description from which the accessory was created.
    public let description: VirtualAccessory

    /// The direction of the accessory from the origin, in which it moves. It differs between
    /// accessories.
    let direction: Position
    let home: Distance
    let record = WriteRecord()
    let endpoints = MessageEndpoints()
    unowned let world: any AccessoryWorld
    private let state: Lock<State>

    init(
        _ description: VirtualAccessory,
        number: Int,
        at home: Distance,
        in world: any AccessoryWorld
    ) {
        self.description = description
        self.home = home
        self.world = world
        name = description.name
        let angle = Double(number) * 2.4
        direction = Position(x: cos(angle), y: sin(angle))
        state = Lock(State(path: Path(Position(home, in: direction))))
    }

    /// The accessory's controller, for the layers below; `nil` before the accessory is in the
    /// world.
    package var controller: ControllerID? { state.withLock { $0.controller } }

    /// Adds the accessory to the world.
    func join(_ radioWorld: World) {
        let host = SimpleAccessory(description.profile(noting: record, endpoints))
        let place = ControllerConfiguration(name: name, path: state.withLock { $0.path })
        do throws(WorldFullError) {
            let controller = try radioWorld.addController(place, host: host)
            state.withLock { $0.controller = controller }
        } catch {
            preconditionFailure("\(error): there is no room for \(name)")
        }
        for service in description.services { beginChanges(of: service) }
    }

    // MARK: Access to the world

    /// Runs work with the controller on the world's thread, as soon as possible, and notes it in
    /// the story.
    func act(_ note: String, _ work: @escaping @Sendable (World, ControllerID) -> Void) {
        world.act { [self] radioWorld in
            guard let controller else { return }
            world.story.note("\(name) \(note)")
            work(radioWorld, controller)
        }
    }

    /// Performs actions of the accessory, and notes them in the story.
    func perform(_ note: String, _ actions: AccessoryAction...) {
        act(note) { [self] _, _ in for action in actions { perform(action) } }
    }

    /// Performs an action of the accessory. Must be called on the world's thread.
    func perform(_ action: AccessoryAction) {
        guard let controller else { return }
        world.radio.perform(at: controller, as: SimpleAccessory.self) { accessory, now in
            accessory.perform(action, now: now)
        }
    }

    /// Moves the accessory.
    func move(to distance: Distance, over duration: Duration) {
        act(duration > .zero ? "walks \(distance)" : "is moved \(distance)") {
            [self] radio, controller in
            let now = radio.now
            let path = state.withLock { state -> Path in
                let here = state.path.position(at: now)
                let there = Position(distance, in: direction)
                state.path =
                    duration > .zero
                    ? Path([.init(here, at: now), .init(there, at: now + duration)]) : Path(there)
                return state.path
            }
            radio.move(controller, along: path)
        }
    }

    // MARK: Timed changes

    /// Starts the periodic changes of a service's values. Must be called on the world's thread, or
    /// while the world does not run.
    func beginChanges(of service: VirtualService) {
        let changes = service.characteristics.compactMap { value in
            value.change.map { change in
                let timer = RepeatingTimer(on: world.executor, every: change.period) {
                    [weak self, weak world = self.world] in
                    guard let self, let world else { return }
                    world.act { [self] _ in
                        self.change(value.identifier, of: service.identifier, by: change)
                    }
                }
                return PeriodicChange(
                    identifier: value.identifier,
                    service: service.identifier,
                    timer: timer
                )
            }
        }
        state.withLock { $0.changes += changes }
        for change in changes { change.timer.begin() }
    }

    /// Ends the periodic changes of the values that the accessory no longer has. Must be called on
    /// the world's thread while the accessory is on.
    func endLostChanges() {
        let changes = state.withLock { $0.changes }
        let kept = changes.filter { hasValue(of: $0.identifier, in: $0.service) }
        state.withLock { $0.changes = kept }
    }

    /// Changes and sends the value, unless the accessory is off or lacks it. Switches the accessory
    /// off at the last value.
    private func change(
        _ identifier: BluetoothID,
        of service: BluetoothID,
        by change: TimedChange
    ) {
        guard hasValue(of: identifier, in: service) else { return }
        let value = change.next(currentValue(of: identifier))
        send(value, of: identifier)
        guard value == change.last else { return }
        switchOff()
    }

    /// Returns whether the accessory is on, and a service of it has the characteristic. Must be
    /// called on the world's thread.
    private func hasValue(of identifier: BluetoothID, in service: BluetoothID) -> Bool {
        var hasValue = false
        guard let controller else { return hasValue }
        world.radio.perform(at: controller, as: SimpleAccessory.self) { accessory, _ in
            hasValue = accessory.hasValue(
                of: identifier.bluetoothUUID,
                in: service.bluetoothUUID
            )
            return []
        }
        return hasValue
    }

    /// Returns the current value. Must be called on the world's thread.
    func currentValue(of identifier: BluetoothID) -> [UInt8] {
        var value: [UInt8] = []
        guard let controller else { return value }
        world.radio.perform(at: controller, as: SimpleAccessory.self) { accessory, _ in
            value = accessory.value(of: identifier.bluetoothUUID)
            return []
        }
        return value
    }

    /// Changes a value, and sends it to a subscribed phone. Must be called on the world's thread.
    func send(_ value: [UInt8], of identifier: BluetoothID) {
        let uuid = identifier.bluetoothUUID
        perform(.setValue(value, of: uuid))
        perform(.send(ValueStream(every: .zero, limit: 1) { _ in value }, of: uuid))
    }
}

extension Position {
    init(_ distance: Distance, in direction: Position) {
        self.init(x: direction.x * distance.meters, y: direction.y * distance.meters)
    }
}
