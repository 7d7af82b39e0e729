// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Testing
import VirtualRadio

@testable import VirtualAdapters

@Suite("The text of a scenario")
struct ScenarioTextTests {
    private func read(_ text: String) throws -> Scenario {
        try Scenario(parsing: text, accessories: ["demo", "beacon"])
    }

    @Test("A scenario may be empty")
    func empty() throws {
        #expect(try read("{}") == Scenario())
    }

    @Test("A scenario describes devices, their paths and losses, and partitions")
    func full() throws {
        let scenario = try read(
            """
            {
              "seed": 7,
              "pathLoss": {"reference": 41, "exponent": 3},
              "shadowing": {"deviation": 4, "period": 10},
              "devices": [
                {"name": "phone", "position": [1, 2, 3], "transmitPower": 4,
                 "bluetooth": "4.2", "address": "C4:F0:00:00:00:01", "group": "kitchen"},
                {"name": "demo", "accessory": "demo", "loss": 0.1, "group": "hall",
                 "burstLoss": {"start": 0.01, "end": 0.5, "lossWhenBad": 0.9},
                 "path": [{"at": 0, "position": [0, 0]}, {"at": 60, "position": [30, 0]}],
                 "switch": [{"at": 1.5, "to": "off"}, {"at": 2, "to": "on"}]}
              ],
              "losses": [{"between": ["phone", "demo"], "decibels": 80, "at": 5},
                         {"between": ["phone", "demo"], "decibels": null, "at": 6}],
              "partitions": [{"between": ["kitchen", "hall"], "from": 1, "to": 2}]
            }
            """
        )
        #expect(scenario.seed == 7)
        #expect(scenario.pathLoss == PathLoss(reference: 41, exponent: 3))
        #expect(scenario.shadowing == Shadowing(deviation: 4, period: .seconds(10)))
        let (phone, demo) = (scenario.devices[0], scenario.devices[1])
        #expect(phone.accessory == nil && demo.accessory == "demo")
        #expect(phone.address == DeviceAddress("C4:F0:00:00:00:01", kind: .public))
        #expect(phone.path == Path(Position(x: 1, y: 2, z: 3)) && phone.transmitPower == 4)
        #expect(phone.isOld && !demo.isOld)
        #expect(demo.path.position(at: .zero + .seconds(30)) == Position(x: 15, y: 0))
        #expect(demo.switches.map(\.at) == [.milliseconds(1_500), .seconds(2)])
        #expect(
            demo.faults.loss.constantLoss == 0.1 && demo.faults.loss.burstLoss?.lossWhenBad == 0.9
        )
        #expect(scenario.losses.map(\.decibels) == [80, nil])
        #expect(scenario.partitions[0].to == .seconds(2))
    }

    @Test("A scenario describes how an accessory pairs")
    func pairing() throws {
        let scenario = try read(
            """
            {"devices": [
              {"name": "a", "accessory": "demo", "pairing": {"io": "display-only"}},
              {"name": "b", "accessory": "demo", "pairing": {
                "io": "keyboard-only", "passkey": 123456, "authenticated": true, "legacy": true,
                "keySize": 7, "bonds": false, "asks": true, "protects": "authenticated"}}
            ]}
            """
        )
        let plain = Scenario.Pairing(ioCapability: "display-only")
        #expect(plain.isBonding && plain.keySize == 16 && plain.protection == .encrypted)
        var full = Scenario.Pairing(ioCapability: "keyboard-only")
        full.passkey = 123_456
        full.requiresAuthentication = true
        full.allowsLegacyPairing = true
        full.keySize = 7
        full.isBonding = false
        full.sendsSecurityRequest = true
        full.protection = .authenticated
        #expect(scenario.devices.map(\.pairing) == [plain, full])
    }

    @Test("A text and a program can describe the same scenario")
    func program() throws {
        let text = try read(
            """
            {"devices": [{"name": "a", "group": "x", "switch": [{"at": 1, "to": "off"}]},
                         {"name": "b", "group": "y"}],
             "losses": [{"between": ["a", "b"], "decibels": 80}],
             "partitions": [{"between": ["x", "y"], "to": 2}]}
            """
        )
        var scenario = Scenario()
        scenario.devices = [.init(name: "a"), .init(name: "b")]
        scenario.devices[0].group = "x"
        scenario.devices[0].switches = [.init(at: .seconds(1), isOn: false)]
        scenario.devices[1].group = "y"
        scenario.losses = [.init(between: ["a", "b"], decibels: 80)]
        scenario.partitions = [.init(between: ["x", "y"], to: .seconds(2))]
        #expect(text == scenario)
    }

    @Test("A scenario describes the faults of a controller")
    func faults() throws {
        let scenario = try read(
            """
            {"devices": [{"name": "a", "loss": 0.5, "faults": {
              "toHost": {"fixed": 0.005, "jitter": 0.02}, "toController": {"fixed": 1},
              "events": {"drop": 0.1, "duplicate": 0.2, "delay": 0.3, "delayTime": 2,
                         "corrupt": 0.4, "bits": 3},
              "hang": {"afterCommands": 40, "radioGoesOn": true},
              "restart": 10, "hardwareError": {"at": 3, "code": 66}}}]}
            """
        )
        var plan = FaultPlan(loss: LossPlan(constantLoss: 0.5))
        plan.toHost = WireLatency(fixed: .milliseconds(5), jitter: .milliseconds(20))
        plan.toController = WireLatency(fixed: .seconds(1))
        plan.events.dropProbability = 0.1
        plan.events.duplicateProbability = 0.2
        plan.events.delayProbability = 0.3
        plan.events.delay = .seconds(2)
        plan.events.corruptProbability = 0.4
        plan.events.corruptBitCount = 3
        plan.hang = Hang(.afterCommands(40), radioGoesOn: true)
        plan.restart = .zero + .seconds(10)
        plan.hardwareError = HardwareFault(at: .zero + .seconds(3), code: 66)
        #expect(scenario.devices[0].faults == plan)
    }

    @Test(
        "An invalid scenario is refused with the place of the mistake",
        arguments: [
            ("[]", "", "an object"),
            (#"{"device": []}"#, "", "\"device\" is not known"),
            (#"{"seed": -1}"#, "seed", "from 0 to"),
            (#"{"seed": 1.5}"#, "seed", "whole"),
            (#"{"seed": true}"#, "seed", "a number"),
            (#"{"pathLoss": "outdoors"}"#, "pathLoss", "freeSpace"),
            (#"{"pathLoss": {}}"#, "pathLoss", "\"exponent\" is missing"),
            (#"{"shadowing": {"deviation": 99}}"#, "shadowing.deviation", "0 to 50"),
            (#"{"devices": {}}"#, "devices", "a list"),
            (#"{"devices": [{}]}"#, "devices[0]", "\"name\" is missing"),
            (#"{"devices": [{"name": ""}]}"#, "devices[0].name", "needs a name"),
            (#"{"devices": [{"name": 1}]}"#, "devices[0].name", "a text"),
            (#"{"devices": [{"name": "a"}, {"name": "a"}]}"#, "devices[1]", "two devices have"),
            (
                #"{"devices": [{"name": "a", "accessory": "toaster"}]}"#, "devices[0].accessory",
                "one of demo, beacon"
            ),
            (#"{"devices": [{"name": "a", "address": "x"}]}"#, "devices[0].address", "an address"),
            (
                #"{"devices": [{"name": "a", "bluetooth": 5}]}"#, "devices[0].bluetooth", "a text"
            ),
            (
                #"{"devices": [{"name": "a", "bluetooth": "6"}]}"#, "devices[0].bluetooth",
                "\"4.2\" or \"5.4\""
            ),
            (#"{"devices": [{"name": "a", "position": [1]}]}"#, "devices[0].position", "meters"),
            (
                #"{"devices": [{"name": "a", "position": [1, "2"]}]}"#, "devices[0].position[1]",
                "a number"
            ),
            (
                #"{"devices": [{"name": "a", "position": [1, 2, 3, 4]}]}"#, "devices[0].position",
                "at most 3"
            ),
            (
                #"{"devices": [{"name": "a", "path": [{"at": "0"}]}]}"#, "devices[0].path[0].at",
                "a number"
            ),
            (
                #"{"devices": [{"name": "a", "position": [0, 0], "path": []}]}"#,
                "devices[0].path", "not both"
            ),
            (
                #"{"devices": [{"name": "a", "switch": [{"at": 1, "to": "up"}]}]}"#,
                "devices[0].switch[0].to", "on or off"
            ),
            (
                #"{"devices": [{"name": "a", "faults": {"hang": {}}}]}"#,
                "devices[0].faults.hang", "either"
            ),
            (
                #"{"devices": [{"name": "a", "faults": {"hardwareError": {"at": 1, "code": 256}}}]}"#,
                "devices[0].faults.hardwareError.code", "0 to 255"
            ),
            (#"{"devices": [{"name": "a", "loss": 2}]}"#, "devices[0].loss", "0 to 1"),
            (
                #"{"devices": [{"name": "a", "pairing": {"io": "display-only"}}]}"#,
                "devices[0].pairing", "accessory"
            ),
            (
                #"{"devices": [{"name": "a", "accessory": "demo", "pairing": {"io": "loud"}}]}"#,
                "devices[0].pairing.io", "keyboard-display"
            ),
            (
                #"{"devices": [{"name": "a"}], "losses": [{"between": ["a", "b"], "decibels": 1}]}"#,
                "losses[0].between[1]", "no device is called \"b\""
            ),
            (
                #"{"devices": [{"name": "a"}], "losses": [{"between": ["a"], "decibels": 1}]}"#,
                "losses[0].between", "two names"
            ),
            (
                #"{"partitions": [{"between": ["a", "b"]}]}"#, "partitions[0].between[0]",
                "no group"
            ),
            (
                #"{"devices": [{"name": "a", "group": "x"}, {"name": "b", "group": "y"}], "#
                    + #""partitions": [{"between": ["x", "y"], "from": 20, "to": 10}]}"#,
                "partitions[0].to", "before"
            ),
            ("{\"seed\": 1,\n  \"seed\": 2}", "line 2, column 3", "second time"),
            ("{\"seed\": 01}", "line 1, column 10", "not a value"),
        ]
    )
    func wrong(text: String, place: String, problem: String) throws {
        let error = try #require(throws: ScenarioError.self) { try read(text) }
        #expect(error.place == place)
        #expect(error.problem.contains(problem))
    }
}

@Suite("A scenario in a world")
struct ScenarioPlaybackTests {
    private func playback(
        _ text: String
    ) throws -> (air: SimulatedAir, playback: ScenarioPlayback) {
        let scenario = try Scenario(parsing: text, accessories: [])
        let world = scenario.makeWorld(seed: 1)
        let playback = try scenario.populate(world) { _ in nil }
        let air = SimulatedAir(world)
        air.play(playback)
        return (air, playback)
    }

    @Test("Devices are switched at their instants, and at instant 0 before the world runs")
    func switches() async throws {
        let (air, playback) = try playback(
            #"{"devices": [{"name": "a", "switch": [{"at": 2, "to": "on"}, {"at": 0, "to": "off"}]}]}"#
        )
        let device = try #require(playback.controllers["a"])
        #expect(!air.world.isOn(device))
        try await air.run {
            try await air.sleep(for: .milliseconds(1_999))
            #expect(!air.world.isOn(device))
            try await air.sleep(for: .milliseconds(2))
            #expect(air.world.isOn(device))
        }
    }

    @Test("A device gets a controller of the Bluetooth version in the scenario")
    func version() throws {
        let (air, playback) = try playback(
            #"{"devices": [{"name": "a", "bluetooth": "4.2"}, {"name": "b", "bluetooth": "5.4"}]}"#
        )
        // LE Read PHY came with 5.0 (Vol 4, Part E, 7.8.47).
        let command: [UInt8] = [0x01, 0x30, 0x20, 0x02, 0x00, 0x00]
        for (name, isOffered) in [("a", false), ("b", true)] {
            let device = try #require(playback.controllers[name])
            air.world.send(command, to: device)
            air.world.run(for: .milliseconds(10))
            let answer = try #require(air.world.takeOutput(of: device).first)
            let isUnknown = answer == [0x04, 0x0F, 0x04, 0x01, 0x01, 0x30, 0x20]
            #expect(isUnknown != isOffered, "\(answer)")
        }
    }

    @Test("Losses and partitions are set and removed")
    func lossesAndPartitions() async throws {
        let (air, playback) = try playback(
            """
            {"devices": [{"name": "a", "group": "g"}, {"name": "b", "group": "h"}],
             "losses": [{"between": ["a", "b"], "decibels": 70, "at": 1},
                        {"between": ["a", "b"], "decibels": null, "at": 4}],
             "partitions": [{"between": ["g", "h"], "from": 2, "to": 3}]}
            """
        )
        let a = try #require(playback.controllers["a"])
        let b = try #require(playback.controllers["b"])
        let near = air.world.power(from: a, to: b)
        try await air.run {
            try await air.sleep(for: .milliseconds(1_500))
            #expect(air.world.power(from: a, to: b) == -70)
            try await air.sleep(for: .seconds(1))
            #expect(air.world.power(from: a, to: b) == nil)
            try await air.sleep(for: .seconds(1))
            #expect(air.world.power(from: a, to: b) == -70)
            try await air.sleep(for: .seconds(1))
            #expect(air.world.power(from: a, to: b) == near)
        }
    }

    @Test("Two groups stay apart until the last of their partitions that overlap has ended")
    func overlappingPartitions() async throws {
        let (air, playback) = try playback(
            """
            {"devices": [{"name": "a", "group": "g"}, {"name": "b", "group": "h"}],
             "partitions": [{"between": ["h", "g"], "from": 3, "to": 5},
                            {"between": ["g", "h"], "from": 1, "to": 3},
                            {"between": ["g", "h"], "from": 1, "to": 2}]}
            """
        )
        let a = try #require(playback.controllers["a"])
        let b = try #require(playback.controllers["b"])
        try await air.run {
            try await air.sleep(for: .milliseconds(500))
            #expect(air.world.power(from: a, to: b) != nil)
            for _ in 1...4 {
                try await air.sleep(for: .seconds(1))
                #expect(air.world.power(from: a, to: b) == nil)
            }
            try await air.sleep(for: .seconds(1))
            #expect(air.world.power(from: a, to: b) != nil)
        }
    }

    @Test("The controllers that wait for hosts are reported in order")
    func waiting() throws {
        let (air, playback) = try playback(#"{"devices": [{"name": "b"}, {"name": "a"}]}"#)
        #expect(playback.waiting.map { air.world.name(of: $0) } == ["b", "a"])
    }
}
