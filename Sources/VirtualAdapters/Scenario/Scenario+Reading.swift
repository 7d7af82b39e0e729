// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import JSONText
import VirtualRadio

extension Scenario {
    /// The largest coordinate of a device, in meters.
    private static let farthest = 100_000.0

    /// Parses a scenario. Unknown keys are errors.
    ///
    /// - Parameters:
    ///   - text: The JSON text.
    ///   - accessories: The kinds of accessories that a device may have.
    /// - Throws: ``ScenarioError`` if the text is not a valid scenario.
    public init(
        parsing text: String,
        accessories: [String]
    ) throws(ScenarioError) {
        do throws(JSONError) {
            try self.init(JSONNode(parsing: text), accessories)
        } catch {
            throw ScenarioError(place: error.place, problem: error.problem)
        }
    }

    private init(_ node: JSONNode, _ accessories: [String]) throws(JSONError) {
        self.init()
        let members = try node.members(
            "seed",
            "pathLoss",
            "shadowing",
            "devices",
            "losses",
            "partitions"
        )
        if let node = members["seed"] {
            seed = UInt64(try node.wholeNumber(in: 0...9_007_199_254_740_991))
        }
        if let node = members["pathLoss"] { pathLoss = try Self.pathLoss(node) }
        if let node = members["shadowing"] { shadowing = try Self.shadowing(node) }
        for node in try members["devices"]?.elements(limit: Self.deviceLimit) ?? [] {
            let device = try Self.device(node, accessories)
            guard !devices.contains(where: { $0.name == device.name }) else {
                throw node.error("two devices have the name \"\(device.name)\"")
            }
            devices.append(device)
        }
        for node in try members["losses"]?.elements(limit: Self.changeLimit) ?? [] {
            losses.append(try loss(node))
        }
        for node in try members["partitions"]?.elements(limit: Self.changeLimit) ?? [] {
            partitions.append(try partition(node))
        }
    }

    // MARK: The radio

    private static func pathLoss(_ node: JSONNode) throws(JSONError) -> PathLoss {
        if case .string(let name) = node.value {
            switch name {
            case "freeSpace": return .freeSpace
            case "indoors": return .indoors
            case "obstructed": return .obstructed
            default: throw node.error("freeSpace, indoors or obstructed should be here")
            }
        }
        let members = try node.members("reference", "exponent")
        var loss = PathLoss(exponent: try members.require("exponent").number(in: 0...10))
        if let node = members["reference"] { loss.reference = try node.number(in: 0...200) }
        return loss
    }

    private static func shadowing(_ node: JSONNode) throws(JSONError) -> Shadowing {
        let members = try node.members("deviation", "period")
        let deviation = try members.require("deviation").number(in: 0...50)
        return Shadowing(deviation: deviation, period: try members["period"]?.time)
    }

    private func loss(_ node: JSONNode) throws(JSONError) -> Loss {
        let members = try node.members("between", "at", "decibels")
        let decibels = try members.require("decibels")
        return Loss(
            between: try pair(members.require("between"), of: devices.map(\.name), "device"),
            at: try members["at"]?.time ?? .zero,
            decibels: decibels.value == .null ? nil : try decibels.number(in: 0...300)
        )
    }

    private func partition(_ node: JSONNode) throws(JSONError) -> Partition {
        let members = try node.members("between", "from", "to")
        let groups = devices.compactMap(\.group)
        let partition = Partition(
            between: try pair(members.require("between"), of: groups, "group"),
            from: try members["from"]?.time ?? .zero,
            to: try members["to"]?.time
        )
        if let node = members["to"], let end = partition.to, end < partition.from {
            throw node.error("the partition ends before it begins")
        }
        return partition
    }

    /// Returns two names, both of which must be known.
    private func pair(
        _ node: JSONNode,
        of known: [String],
        _ kind: String
    ) throws(JSONError) -> [String] {
        var names: [String] = []
        for element in try node.elements(limit: 2) {
            let name = try element.text
            guard known.contains(name) else {
                throw element.error("no \(kind) is called \"\(name)\"")
            }
            names.append(name)
        }
        guard names.count == 2 else { throw node.error("two names should be here") }
        return names
    }

    // MARK: Devices

    private static func device(
        _ node: JSONNode,
        _ accessories: [String]
    ) throws(JSONError) -> Device {
        let members = try node.members(
            "name",
            "accessory",
            "pairing",
            "address",
            "bluetooth",
            "position",
            "path",
            "transmitPower",
            "loss",
            "burstLoss",
            "group",
            "switch",
            "faults"
        )
        let name = try members.require("name")
        var device = Device(name: try name.text)
        guard !device.name.isEmpty else { throw name.error("a device needs a name") }
        device.accessory = try members["accessory"].map { (node) throws(JSONError) in
            try kind(node, accessories)
        }
        if let node = members["pairing"] {
            guard device.accessory != nil else {
                throw node.error("only a device with \"accessory\" can have a pairing")
            }
            device.pairing = try node.pairing
        }
        device.address = try members["address"].map(address)
        device.isOld = try members["bluetooth"].map(isOld) ?? false
        device.path = try path(members)
        if let node = members["transmitPower"] {
            device.transmitPower = try node.number(in: -127...20)
        }
        if let node = members["faults"] { device.faults = try node.faults }
        if let node = members["loss"] { device.faults.loss.constantLoss = try node.probability }
        device.faults.loss.burstLoss = try members["burstLoss"].map(burstLoss)
        device.group = try members["group"].map { (node) throws(JSONError) in try node.text }
        for node in try members["switch"]?.elements(limit: changeLimit) ?? [] {
            device.switches.append(try switching(node))
        }
        return device
    }

    private static func kind(
        _ node: JSONNode,
        _ accessories: [String]
    ) throws(JSONError) -> String {
        let kind = try node.text
        guard accessories.contains(kind) else {
            throw node.error("one of \(JSONNode.list(accessories)) should be here")
        }
        return kind
    }

    private static func address(_ node: JSONNode) throws(JSONError) -> DeviceAddress {
        guard let address = DeviceAddress(try node.text, kind: .public) else {
            throw node.error("an address such as C4:F0:00:00:00:01 should be here")
        }
        return address
    }

    /// Returns whether the version of Bluetooth is the old one, 4.2.
    private static func isOld(_ node: JSONNode) throws(JSONError) -> Bool {
        switch try node.text {
        case "4.2": return true
        case "5.4": return false
        default: throw node.error("\"4.2\" or \"5.4\" should be here")
        }
    }

    private static func path(_ members: JSONMembers) throws(JSONError) -> Path {
        guard let node = members["path"] else {
            return Path(try members["position"].map(position) ?? .origin)
        }
        guard members["position"] == nil else {
            throw node.error("a device has a position or a path, not both")
        }
        var waypoints: [Path.Waypoint] = []
        for element in try node.elements(limit: changeLimit) {
            let members = try element.members("at", "position")
            let instant = try members.require("at").instant
            waypoints.append(
                Path.Waypoint(try position(members.require("position")), at: instant)
            )
        }
        return Path(waypoints)
    }

    private static func position(_ node: JSONNode) throws(JSONError) -> Position {
        var coordinates: [Double] = []
        for element in try node.elements(limit: 3) {
            coordinates.append(try element.number(in: -farthest...farthest))
        }
        guard coordinates.count >= 2 else {
            throw node.error("meters to the east and to the north should be here")
        }
        let height = coordinates.count == 3 ? coordinates[2] : 0
        return Position(x: coordinates[0], y: coordinates[1], z: height)
    }

    private static func burstLoss(_ node: JSONNode) throws(JSONError) -> BurstLoss {
        let members = try node.members("start", "end", "lossWhenGood", "lossWhenBad")
        return BurstLoss(
            startProbability: try members.require("start").probability,
            endProbability: try members.require("end").probability,
            lossWhenGood: try members["lossWhenGood"]?.probability ?? 0,
            lossWhenBad: try members["lossWhenBad"]?.probability ?? 1
        )
    }

    private static func switching(_ node: JSONNode) throws(JSONError) -> Switch {
        let members = try node.members("at", "to")
        let target = try members.require("to")
        let isOn: Bool
        switch try target.text {
        case "on": isOn = true
        case "off": isOn = false
        default: throw target.error("on or off should be here")
        }
        return Switch(at: try members.require("at").time, isOn: isOn)
    }
}
