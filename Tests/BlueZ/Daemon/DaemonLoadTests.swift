// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import ProcessTestSupport
import Testing
import VirtualAccessories

/// Many connections through bluetoothd, and many devices.
@Suite(.machines) struct DaemonLoadTests {
    /// The number of connections.
    private static let count = number("LANYARD_BLUEZ_CONNECTS") ?? 20
    /// The number of centrals of the program, each with an accessory of its own.
    private static let centralCount = 4
    /// The number of devices.
    private static let deviceCount = number("LANYARD_BLUEZ_DEVICES") ?? 100

    private static func number(_ variable: String) -> Int? {
        ProcessInfo.processInfo.environment[variable].flatMap(Int.init)
    }

    @Test("A scan reports each of many devices once", arguments: Setting.latestOnly)
    func discoversMany(_ setting: Setting) async throws {
        let count = Self.deviceCount
        let limit = Limits.scenario + .seconds(2 * count)
        let name = "daemon: many devices"
        try await withKernel(setting, as: .central, name, within: limit) { fixture in
            for number in 1...count {
                let name = "Device \(number)"
                // About 100 advertisements per second.
                let interval = Duration.milliseconds(min(max(10 * count, 1_000), 10_240))
                let profile = SimpleAccessoryProfile(
                    name: name,
                    services: [],
                    advertisingInterval: interval
                )
                try await fixture.kernelAir.add(profile, named: name)
            }
            try await fixture.bluez.powerOn()
            let program = try await DaemonProgram(in: fixture.bluez)
            let before = try await Usage(of: "daemon-program", in: fixture.bluez)
            let start = ContinuousClock.now
            try await program.perform("survey \(count)")
            let result = try await program.prints("surveyed ", within: limit)
            let duration = start.duration(to: .now)
            let after = try await Usage(of: "daemon-program", in: fixture.bluez)
            print("\(count) devices in \(duration)")
            print("before: \(before.text)")
            print("after:  \(after.text)")
            #expect(result == "\(count) in \(count) reports")
            #expect(after.descriptors == before.descriptors)
            #expect(after.matchRules == before.matchRules)
            let limit = Usage.growthLimit + count * Usage.kilobytesPerDevice
            #expect(after.kilobytes - before.kilobytes <= limit)
            try await program.end()
        }
    }

    @Test("Many connections leak no descriptors, objects or memory", arguments: Setting.latestOnly)
    func connectsOften(_ setting: Setting) async throws {
        let count = Self.count
        try await withKernel(
            setting,
            as: .central,
            "daemon: many connections",
            within: Limits.scenario + .seconds(10 * count),
            allowing: [.featuresOfEndedLink]
        ) { fixture in
            let names = (1...Self.centralCount).map { "\(DaemonAccessory.name) \($0)" }
            var accessories: [DaemonAccessory] = []
            for name in names {
                accessories.append(try await DaemonAccessory(in: fixture, named: name))
            }
            try await fixture.bluez.powerOn()
            let program = try await DaemonProgram(in: fixture.bluez)
            var cycles: [Cycle] = []
            for (number, accessory) in accessories.enumerated() {
                let central = try await program.central(number)
                try await central.connect(to: names[number])
                try await central.perform("disconnect", until: "disconnected")
                cycles.append(Cycle(program: central, accessory: accessory))
            }
            // The first links fill caches.
            try await Self.run(cycles, 5 * cycles.count)
            let before = try await Usage(of: "daemon-program", in: fixture.bluez)
            let start = ContinuousClock.now
            try await Self.run(cycles, count)
            let duration = start.duration(to: .now)
            let after = try await Usage(of: "daemon-program", in: fixture.bluez)
            print("\(count) connections in \(duration)")
            print("before: \(before.text)")
            print("after:  \(after.text)")
            #expect(after.descriptors == before.descriptors)
            #expect(after.matchRules == before.matchRules)
            #expect(after.objects == before.objects)
            #expect(after.kilobytes - before.kilobytes <= Usage.growthLimit)
            try await program.end()
        }
    }

    /// Makes links with all accessories side by side, because bluetoothd waits for two seconds
    /// before it disconnects.
    ///
    /// - Parameter count: The number of links.
    private static func run(_ cycles: [Cycle], _ count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, cycle) in cycles.enumerated() {
                let rest = number < count % cycles.count ? 1 : 0
                group.addTask { try await cycle.run(count / cycles.count + rest) }
            }
            // The first error ends the others.
            for try await _ in group {}
        }
    }

    /// Links of an app with one accessory, which are made and used one after the other.
    private struct Cycle: Sendable {
        let program: DaemonProgram
        let accessory: DaemonAccessory

        /// Connects, discovers, subscribes, reads and disconnects.
        func run(_ count: Int) async throws {
            for _ in 0..<count {
                try await program.perform("connect")
                try await program.prints("connected", within: Limits.discovery)
                try await program.perform("discover", until: "discovered all")
                try await program.perform("subscribe FFE3", until: "subscribed FFE3")
                try await program.perform("read FFE1", until: "value FFE1 ")
                let link = try await accessory.application.link()
                try await program.perform("disconnect", until: "disconnected")
                try await accessory.application.disconnection(of: link)
            }
        }
    }
}

/// The resources that a program in the machine uses.
private struct Usage: Sendable {
    /// The growth in kilobytes that a run may cause: the allocator keeps some pages.
    static let growthLimit = 4_096
    /// The growth in kilobytes that each discovered device may cause.
    static let kilobytesPerDevice = 8

    let kilobytes: Int
    let descriptors: Int
    /// The number of match rules of its connections to the bus.
    let matchRules: Int
    /// The number of objects that bluetoothd shows.
    let objects: Int

    init(of program: String, in bluez: BlueZ) async throws {
        let line = """
            number=$(pidof \(program)) && echo $number \
            && awk '/^VmRSS/ { print $2 }' /proc/$number/status && ls /proc/$number/fd | wc -l
            """
        let numbers = try await bluez.shell(line).split(whereSeparator: \.isWhitespace)
            .compactMap { Int($0) }
        try #require(numbers.count == 3, "\(numbers)")
        (kilobytes, descriptors) = (numbers[1], numbers[2])
        let process = JSON.number(Double(numbers[0]))
        let rules = try await bluez.call("match_rules", ["process": process])
        matchRules = try #require(rules["count"].integer)
        objects = try #require(try await bluez.call("objects")["count"].integer)
    }

    var text: String {
        "\(kilobytes) kB, \(descriptors) descriptors, \(matchRules) match rules, "
            + "\(objects) objects of bluetoothd"
    }
}
