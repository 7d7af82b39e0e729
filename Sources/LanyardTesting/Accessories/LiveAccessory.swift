// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import HCITransports
import Lanyard
import Synchronization
import VirtualAccessories
import VirtualRadio

/// An accessory in a world: what happens to it is for the test to say.
///
/// All of its methods may be called on any thread. What they say happens at the present instant of the
/// world, and is a line of its story.
public final class LiveAccessory: Sendable {
    private struct State {
        var controller: ControllerID?
        var path: Path
        var changes: [RepeatingTimer] = []
    }

    /// How it is called.
    public let name: String
    /// What it was made of.
    public let description: VirtualAccessory

    /// The direction in which it is seen from the middle: others are in others.
    let direction: Position
    let home: Distance
    let record = WriteRecord()
    unowned let world: TestWorld
    private let state: Mutex<State>

    init(
        _ description: VirtualAccessory,
        number: Int,
        at home: Distance,
        in world: TestWorld
    ) {
        self.description = description
        self.home = home
        self.world = world
        name = description.name
        let angle = Double(number) * 2.4
        direction = Position(x: cos(angle), y: sin(angle))
        state = Mutex(State(path: Path(Position(home, in: direction))))
    }

    /// Its controller, for the layers below; nil as long as it has none.
    package var controller: ControllerID? { state.withLock { $0.controller } }

    /// Puts it into the world.
    func enter(_ radioWorld: World) {
        let host = SimpleAccessory(description.profile(noting: record))
        let place = ControllerConfiguration(name: name, path: state.withLock { $0.path })
        do throws(WorldFullError) {
            let controller = try radioWorld.addController(place, host: host)
            state.withLock { $0.controller = controller }
        } catch {
            preconditionFailure("\(error): \(name) finds no room in it")
        }
        beginChanges()
    }

    // MARK: What it needs of its world

    /// Does something with its controller, as soon as the world can.
    func act(_ note: String, _ work: @escaping @Sendable (World, ControllerID) -> Void) {
        world.act { [self] radioWorld in
            guard let controller else { return }
            world.story.note("\(name) \(note)")
            work(radioWorld, controller)
        }
    }

    /// Does something of itself.
    func perform(_ note: String, _ deeds: AccessoryDeed...) {
        act(note) { [self] _, _ in for deed in deeds { perform(deed) } }
    }

    /// On the thread of the world.
    func perform(_ deed: AccessoryDeed) {
        guard let controller else { return }
        world.air.world.perform(at: controller, as: SimpleAccessory.self) { accessory, now in
            accessory.perform(deed, now: now)
        }
    }

    /// Where it is, and where it goes.
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

    // MARK: What changes by itself

    private func beginChanges() {
        let timers = description.services.flatMap(\.characteristics).compactMap { value in
            value.change.map { change in
                RepeatingTimer(on: world.air.executor, every: change.period) { [weak self] in
                    self?.change(value.identifier, by: change)
                }
            }
        }
        state.withLock { $0.changes = timers }
        for timer in timers { timer.begin() }
    }

    /// As long as it has power.
    private func change(_ identifier: BluetoothID, by change: TimedChange) {
        guard let controller, world.air.world.isOn(controller) else { return }
        let value = change.next(currentValue(of: identifier))
        send(value, of: identifier)
        guard value == change.last else { return }
        switchOff()
    }

    /// On the thread of the world.
    func currentValue(of identifier: BluetoothID) -> [UInt8] {
        var value: [UInt8] = []
        guard let controller else { return value }
        world.air.world.perform(at: controller, as: SimpleAccessory.self) { accessory, _ in
            value = accessory.value(of: identifier.bluetoothUUID)
            return []
        }
        return value
    }

    /// On the thread of the world: changes a value, and tells who is subscribed.
    func send(_ value: [UInt8], of identifier: BluetoothID) {
        let uuid = identifier.bluetoothUUID
        perform(.setValue(value, of: uuid))
        perform(.send(ValueStream(every: .zero, limit: 1) { _ in value }, of: uuid))
    }
}

extension Position {
    fileprivate init(_ distance: Distance, in direction: Position) {
        self.init(x: direction.x * distance.metres, y: direction.y * distance.metres)
    }
}
