// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import VirtualRadio

/// A scenario in a world: who plays whom, and what is still to happen.
public struct ScenarioStage: Sendable {
    /// Something that happens to the world.
    enum Change: Hashable, Sendable {
        case switching(ControllerID, isOn: Bool)
        case loss(ControllerID, ControllerID, decibels: Double?)
        case separation(Int, Int)
        case joining(Int, Int)
    }

    /// The controllers of the devices, by name.
    public private(set) var controllers: [String: ControllerID] = [:]
    /// The controllers that wait for a host, in the order of the scenario.
    public private(set) var waiting: [ControllerID] = []
    /// What is to happen, the earliest first; in the order of the scenario, if at the same instant.
    private(set) var changes: [(instant: Instant, change: Change)] = []
    private var groups: [String: Int] = [:]

    /// When something happens next; nil if nothing does any more.
    var nextInstant: Instant? { changes.first?.instant }

    /// Lets happen what is due.
    mutating func play(in world: World) {
        let due = changes.prefix { $0.instant <= world.now }
        changes.removeFirst(due.count)
        for (_, change) in due { perform(change, in: world) }
    }

    private func perform(_ change: Change, in world: World) {
        switch change {
        case .switching(let controller, true): world.switchOn(controller)
        case .switching(let controller, false): world.switchOff(controller)
        case .loss(let one, let other, let decibels):
            world.setLoss(decibels, between: one, and: other)
        case .separation(let one, let other): world.separate(group: one, from: other)
        case .joining(let one, let other): world.join(group: one, with: other)
        }
    }
}

extension Scenario {
    /// Makes the world of the scenario, without anybody in it yet.
    ///
    /// - Parameter seed: Counts if the scenario has none of its own.
    public func makeWorld(seed: UInt64) -> World {
        World(seed: self.seed ?? seed, pathLoss: pathLoss, shadowing: shadowing)
    }

    /// Puts the devices into the world, and returns what is still to happen.
    ///
    /// - Parameter makeAccessory: Makes the host of a device that is an accessory; nil if there is
    ///   no such kind.
    /// - Throws: If the world has no room for all.
    public func populate(
        _ world: World,
        makeAccessory: (Device) -> (any ScriptedHost)?
    ) throws(WorldFullError) -> ScenarioStage {
        var stage = ScenarioStage()
        for device in devices {
            let controller = try world.addController(device.configuration)
            stage.add(controller, of: device, in: world)
            guard device.accessory != nil, let host = makeAccessory(device) else { continue }
            world.attach(host, to: controller)
        }
        stage.add(losses)
        stage.add(partitions)
        stage.sort()
        stage.play(in: world)
        return stage
    }
}

extension Scenario.Device {
    /// What its controller is.
    fileprivate var configuration: ControllerConfiguration {
        var configuration = ControllerConfiguration(
            name: name,
            publicAddress: address,
            path: path,
            transmitPower: transmitPower,
            faults: faults
        )
        configuration.isOld = isOld
        return configuration
    }
}

extension ScenarioStage {
    fileprivate mutating func add(
        _ controller: ControllerID,
        of device: Scenario.Device,
        in world: World
    ) {
        controllers[device.name] = controller
        if device.accessory == nil { waiting.append(controller) }
        if let group = device.group { world.assign(controller, toGroup: number(of: group)) }
        for moment in device.switches {
            add(.switching(controller, isOn: moment.isOn), at: moment.at)
        }
    }

    fileprivate mutating func add(_ losses: [Scenario.Loss]) {
        for loss in losses {
            guard let one = loss.between.first.flatMap({ controllers[$0] }),
                let other = loss.between.last.flatMap({ controllers[$0] })
            else { continue }
            add(.loss(one, other, decibels: loss.decibels), at: loss.at)
        }
    }

    fileprivate mutating func add(_ partitions: [Scenario.Partition]) {
        for partition in partitions {
            guard let one = partition.between.first, let other = partition.between.last else {
                continue
            }
            let (first, second) = (number(of: one), number(of: other))
            add(.separation(first, second), at: partition.from)
            if let end = partition.to { add(.joining(first, second), at: end) }
        }
    }

    /// Orders the changes by their instants, and otherwise leaves them as they are.
    fileprivate mutating func sort() {
        let order = changes.indices.sorted {
            (changes[$0].instant, $0) < (changes[$1].instant, $1)
        }
        changes = order.map { changes[$0] }
    }

    private mutating func add(_ change: Change, at moment: Duration) {
        changes.append((.zero + moment, change))
    }

    /// The number of a group; those who are in no group are in group 0.
    private mutating func number(of group: String) -> Int {
        if let number = groups[group] { return number }
        groups[group] = groups.count + 1
        return groups.count
    }
}
