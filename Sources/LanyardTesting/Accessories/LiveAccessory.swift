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
        var changes: [RepeatingTimer] = []
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
        beginChanges()
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

    private func beginChanges() {
        let timers = description.services.flatMap(\.characteristics).compactMap { value in
            value.change.map { change in
                RepeatingTimer(on: world.executor, every: change.period) {
                    [weak self, weak world = self.world] in
                    guard let self, let world else { return }
                    world.act { [self] _ in self.change(value.identifier, by: change) }
                }
            }
        }
        state.withLock { $0.changes = timers }
        for timer in timers { timer.begin() }
    }

    /// Changes and sends the value, unless the accessory is off. Switches the accessory off at the
    /// last value.
    private func change(_ identifier: BluetoothID, by change: TimedChange) {
        guard let controller, world.radio.isOn(controller) else { return }
        let value = change.next(currentValue(of: identifier))
        send(value, of: identifier)
        guard value == change.last else { return }
        switchOff()
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
