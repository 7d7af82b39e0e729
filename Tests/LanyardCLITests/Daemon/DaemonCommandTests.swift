// SPDX-License-Identifier: Apache-2.0

import BusTestSupport
import DBus
import Foundation
import ProcessTestSupport
import Testing

@testable import LanyardCLI

/// The program on the system's Bluetooth daemon, which the test simulates.
@Suite("Commands on the Bluetooth daemon", .timeLimit(.minutes(2)))
struct DaemonCommandTests {
    @Test("A scan lists devices that match the filter, again with new data, and ends the discovery")
    func scans() async throws {
        try await DaemonRun.with(FakeDaemon()) { daemon in
            let process = try DaemonRun.start(["scan", "--service", "180D", "--json"], on: daemon)
            let first = try #require(try await process.nextLine(within: DaemonRun.limit))
            let device = try JSON(parsing: first)
            #expect(device["address"].text == "C4:F0:00:00:00:01")
            #expect(device["name"].text == "Sensor")
            #expect(device["rssi"].integer == -61)
            daemon.changeDevice(["RSSI": .int16(-50), "Name": .string("Renamed")])
            let second = try #require(try await process.nextLine(within: DaemonRun.limit))
            #expect(try JSON(parsing: second)["name"].text == "Renamed")
            process.send(signal: SIGINT)
            let (_, ending) = try await process.waitUntilEnd(within: DaemonRun.limit)
            #expect(ending == .exited(ProcessStatus.interrupted.rawValue))
            await daemon.called("StopDiscovery")
        }
    }

    @Test("Explore lists services, characteristics, descriptors and values")
    func explores() async throws {
        try await DaemonRun.with(FakeDaemon()) { daemon in
            let (output, log, status) = try await DaemonRun.run(["explore", "Sensor"], on: daemon)
            #expect(status == .success, "\(log)")
            for part in ["180D", "2A37", "read, notify", "2A39", "2901", "MTU 100"] {
                #expect(output.contains(part), "\(part) is not in\n\(output)")
            }
            await daemon.called("Disconnect")
        }
    }

    @Test("A value is read, even from a device that another program keeps connected")
    func reads() async throws {
        try await DaemonRun.with(FakeDaemon()) { daemon in
            let own = try await DaemonRun.run(["read", "Sensor", "2A37"], on: daemon)
            #expect(own.status == .success && own.output.hasPrefix("010203"), "\(own)")
            await daemon.called("Disconnect")
            daemon.connectDevice()
            let shared = try await DaemonRun.run(["read", "Sensor", "2A37", "--json"], on: daemon)
            #expect(shared.status == .success, "\(shared)")
            let value = try JSON(parsing: shared.output)["value"].text
            #expect(value == "010203")
            #expect(daemon.calls.filter { $0 == "Connect" }.count == 1)
            #expect(daemon.calls.filter { $0 == "Disconnect" }.count == 1)
        }
    }

    @Test("Values are written, with and without response", arguments: [true, false])
    func writes(withResponse: Bool) async throws {
        try await DaemonRun.with(FakeDaemon()) { daemon in
            let (calls, feed) = AsyncStream.makeStream(of: [DBusValue].self)
            daemon.on("WriteValue") { call, daemon in
                feed.yield(call.body)
                daemon.bus.reply(to: call)
            }
            let option = withResponse ? [] : ["--without-response"]
            let run = try await DaemonRun.run(
                ["write", "Sensor", "2A39", "0a0b"] + option,
                on: daemon
            )
            #expect(run.status == .success, "\(run)")
            var iterator = calls.makeAsyncIterator()
            let body = try #require(await iterator.next())
            #expect(body.first == .bytes([10, 11]))
            let kind = withResponse ? "request" : "command"
            #expect(body.last?.properties?["type"] == .string(kind))
            // After a write without response, a read ensures that the value is sent before the
            // link ends.
            #expect(daemon.calls.contains("ReadValue") == !withResponse)
        }
    }

    @Test("Subscribed values are printed, and the command ends when the daemon ends")
    func subscribes() async throws {
        try await DaemonRun.with(FakeDaemon()) { daemon in
            let process = try DaemonRun.start(["subscribe", "Sensor", "2A37"], on: daemon)
            await daemon.called("StartNotify")
            let characteristic = "org.bluez.GattCharacteristic1"
            for value: UInt8 in 1...3 {
                daemon.change(FakeDaemon.rate, characteristic, ["Value": .bytes([0, 70 + value])])
                let line = try #require(try await process.nextLine(within: DaemonRun.limit))
                #expect(line.contains("\(70 + value)"), "\(line)")
            }
            daemon.bus.setOwned("org.bluez", false)
            let (_, ending) = try await process.waitUntilEnd(within: DaemonRun.limit)
            // The end of the link or that of the adapter arrives first.
            let statuses: [ProcessStatus] = [.inputOutput, .adapterUnavailable]
            let isReported = statuses.contains { ending == .exited($0.rawValue) }
            #expect(isReported, "\(ending): \(process.log)")
        }
    }

    @Test("A refusal has the name of the error, and the link ends")
    func refusal() async throws {
        try await DaemonRun.with(FakeDaemon()) { daemon in
            daemon.on("ReadValue") { call, daemon in
                daemon.bus.refuse(call, "org.bluez.Error.NotPermitted", "Read not permitted")
            }
            let run = try await DaemonRun.run(["read", "Sensor", "2A37"], on: daemon)
            #expect(run.status == .refused)
            #expect(run.log.contains("Read Not Permitted"), "\(run.log)")
            await daemon.called("Disconnect")
        }
    }

    @Test("A missing daemon and an adapter that is off are errors with the remedy")
    func unavailable() async throws {
        try await DaemonRun.with(FakeDaemon(isRunning: false)) { daemon in
            let run = try await DaemonRun.run(["scan"], on: daemon)
            #expect(run.status == .adapterUnavailable)
            #expect(run.log.contains("systemctl start bluetooth"), "\(run.log)")
        }
        var objects = FakeDaemon.standard
        objects[FakeDaemon.adapter]?["org.bluez.Adapter1"]?["Powered"] = .boolean(false)
        try await DaemonRun.with(FakeDaemon(objects: objects)) { daemon in
            let run = try await DaemonRun.run(["read", "Sensor", "2A37"], on: daemon)
            #expect(run.status == .adapterUnavailable)
            #expect(run.log.contains("bluetoothctl power on"), "\(run.log)")
        }
    }

    @Test(
        "Options and commands that need a controller are refused",
        arguments: [
            ["read", "Sensor", "2A37", "--trace", "file"], ["scan", "--passive"],
            ["read", "Sensor", "2A37", "--store", "folder"], ["live"],
            ["bonds", "--adapter", "bluez", "--store", "folder"], ["pair", "Sensor", "--mitm"],
            ["pair", "Sensor", "--oob", "file"], ["channel", "open", "Sensor", "--psm", "128"],
        ]
    )
    func refused(arguments: [String]) async throws {
        try await DaemonRun.with(FakeDaemon()) { daemon in
            let run = try await DaemonRun.run(arguments, on: daemon)
            #expect(run.status == .usage, "\(run)")
            #expect(run.log.contains("Bluetooth daemon"), "\(run.log)")
            #expect(!daemon.calls.contains("Connect"))
        }
    }
}
