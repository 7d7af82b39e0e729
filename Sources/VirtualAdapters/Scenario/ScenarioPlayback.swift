// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import VirtualRadio

/// A scenario in a world: the controllers of its devices, and the changes that are still to come.
public struct ScenarioPlayback: Sendable {
    /// A change of the world.
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
    /// The changes to come, the earliest first, and in the order of the scenario at the same
    /// instant.
    private(set) var changes: [(instant: Instant, change: Change)] = []
    private var groups: [String: Int] = [:]

    /// The instant of the next change; `nil` if there is none.
    var nextInstant: Instant? { changes.first?.instant }

    /// Performs the changes that are due.
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
    /// Creates the world of the scenario, without devices.
    ///
    /// - Parameter seed: The seed if the scenario has none.
    public func makeWorld(seed: UInt64) -> World {
        World(seed: self.seed ?? seed, pathLoss: pathLoss, shadowing: shadowing)
    }

    /// Adds the devices to the world.
    ///
    /// - Parameters:
    ///   - world: The world.
    ///   - makeAccessory: A closure that returns the host of an accessory, or `nil` if the kind of
    ///     accessory is unknown. It is not called for a device without an accessory.
    /// - Returns: The playback with the changes that are still to come.
    /// - Throws: ``WorldFullError`` if the world cannot have all devices.
    public func populate(
        _ world: World,
        makeAccessory: (Device) -> (any ScriptedHost)?
    ) throws(WorldFullError) -> ScenarioPlayback {
        var playback = ScenarioPlayback()
        for device in devices {
            let controller = try world.addController(device.configuration)
            playback.add(controller, of: device, in: world)
            guard device.accessory != nil, let host = makeAccessory(device) else { continue }
            world.attach(host, to: controller)
        }
        playback.add(losses)
        playback.add(partitions)
        playback.sort()
        playback.play(in: world)
        return playback
    }
}

extension Scenario.Device {
    /// The configuration of the device's controller.
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

extension Scenario.Partition {
    /// Returns whether this partition keeps the groups of another partition apart at the end of
    /// that partition.
    fileprivate func continues(after end: Duration, of other: Scenario.Partition) -> Bool {
        Set(between) == Set(other.between) && from <= end && to.map { $0 > end } ?? true
    }
}

extension ScenarioPlayback {
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
            guard let end = partition.to else { continue }
            let isCovered = partitions.contains { $0.continues(after: end, of: partition) }
            if !isCovered { add(.joining(first, second), at: end) }
        }
    }

    /// Sorts the changes by their instants, and keeps the order of changes at the same instant.
    fileprivate mutating func sort() {
        let order = changes.indices.sorted {
            (changes[$0].instant, $0) < (changes[$1].instant, $1)
        }
        changes = order.map { changes[$0] }
    }

    private mutating func add(_ change: Change, at moment: Duration) {
        changes.append((.zero + moment, change))
    }

    /// Returns the number of a group. Devices without a group are in group 0.
    private mutating func number(of group: String) -> Int {
        if let number = groups[group] { return number }
        groups[group] = groups.count + 1
        return groups.count
    }
}
