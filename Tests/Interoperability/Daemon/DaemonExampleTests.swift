// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import Foundation
    import Testing

    extension Trait where Self == ConditionTrait {
        /// The test uses BlueZoo on a message bus of its own.
        static var needsDaemon: Self {
            .enabled(
                if: PeerInstallation.isContinuousIntegration
                    || FileManager.default.isExecutableFile(
                        atPath: PeerInstallation.directory + "/venv/bin/bluezoo"
                    ) && PeerInstallation.find("dbus-daemon") != nil,
                "BlueZoo is not installed: Scripts/install-peers"
            )
        }
    }

    /// The programs in Examples/ over a Bluetooth daemon. They contain no code for a daemon.
    @Suite(.needsDaemon) struct DaemonExampleTests {
        /// Starts a daemon with a heart rate sensor.
        private static func startDaemon(
            _ peers: PeerGroup
        ) async throws -> (daemon: Peer, environment: [String: String]) {
            let script = PeerInstallation.scripts + "daemon.py"
            let daemon = try await peers.start(PeerInstallation.python, [script])
            var environment = LanyardTool.environment(adapter: "bluez:hci0")
            environment["DBUS_SYSTEM_BUS_ADDRESS"] = daemon.facts["bus"].text
            return (daemon, environment)
        }

        @Test("The heart rate monitor shows the values of a sensor through the daemon")
        func heartRate() async throws {
            try await withPeers { peers in
                let (_, environment) = try await Self.startDaemon(peers)
                let name = ExampleProgram.Name.heartRateMonitor
                let monitor = try ExampleProgram(name, ["5"], environment: environment)
                let (lines, ending) = try await monitor.end()
                #expect(ending == .exited(0), "\(monitor.process.log)")
                #expect(lines.prefix(2) == ["Bluetooth is on", "Looking for a heart rate sensor"])
                #expect(lines.contains("Connected to Sensor of the daemon"))
                #expect(lines.count { $0.hasSuffix("beats per minute") } == 5)
            }
        }

        @Test("The heart rate monitor continues within 10 seconds after a killed daemon restarts")
        func killedDaemon() async throws {
            try await withPeers { peers in
                let (daemon, environment) = try await Self.startDaemon(peers)
                let name = ExampleProgram.Name.heartRateMonitor
                let monitor = try ExampleProgram(name, environment: environment)
                try await monitor.awaitOutput(ending: "beats per minute")
                daemon.process.write(line: "stop")
                try await monitor.awaitOutput("Bluetooth is off")
                daemon.process.write(line: "start")
                #expect(try await daemon.process.nextLine(within: Peer.readyLimit) == "stopped")
                #expect(try await daemon.process.nextLine(within: Peer.readyLimit) == "started")
                let returnTime = ContinuousClock.now
                try await monitor.awaitOutput(ending: "beats per minute")
                #expect(.now - returnTime < .seconds(10))
            }
        }
    }
#endif
