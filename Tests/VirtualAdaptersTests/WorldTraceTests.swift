// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Foundation
import HCITransports
import Testing
import VirtualRadio

@testable import VirtualAdapters

@Suite("The packet logs of a world")
struct WorldTraceTests {
    private func withDirectory(_ body: (String) async throws -> Void) async throws {
        let path = NSTemporaryDirectory() + "lanyard-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(path)
    }

    @Test("The logs contain the whole packets of each controller, in the world's time")
    func packets() async throws {
        try await withDirectory { directory in
            let air = SimulatedAir(seed: 1)
            air.trace(into: directory)
            let adapter = try air.addAdapter(ControllerConfiguration(name: "my phone/../x"))
            try await air.run {
                try await adapter.open(on: air.executor) { _ in }
                try await air.sleep(for: .seconds(3))
                adapter.send(VirtualTransportTests.reset.map { [$0] })
                try await air.sleep(for: .seconds(1))
            }
            var records: [Btsnoop.Record] = []
            try TraceFile.read(directory + "/0-my-phone----x.btsnoop") { records.append($0) }
            #expect(
                records.map { Array($0.packet) } == [
                    VirtualTransportTests.reset, VirtualTransportTests.resetComplete,
                ]
            )
            #expect(records.map(\.direction) == [.sent, .received])
            #expect(records.map(\.microsecondsSince1970) == [3_000_000, 3_000_000])
        }
    }

    @Test("Too many logs are refused, and closing some makes room")
    func limit() async throws {
        try await withDirectory { directory in
            let world = World(seed: 1)
            let trace = WorldTrace(directory: directory, fileLimit: 1)
            trace.observe(world)
            let controllers = try [world.addController(), world.addController()]
            for controller in controllers {
                world.send(VirtualTransportTests.reset, to: controller)
            }
            world.run(for: .seconds(1))
            #expect(trace.failure == .tooManyLogs(limit: 1))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 1)
            trace.close(controllers[0], label: "")
            world.send(VirtualTransportTests.reset, to: controllers[1])
            world.run(for: .seconds(1))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 2)
            #expect(trace.failure == .tooManyLogs(limit: 1))
        }
    }

    @Test("A log that cannot be written reports the reason and does not stop the world")
    func failure() throws {
        let world = World(seed: 1)
        let trace = WorldTrace(directory: "/nonexistent")
        trace.observe(world)
        let controller = try world.addController()
        world.send(VirtualTransportTests.reset, to: controller)
        world.run(for: .seconds(1))
        #expect(trace.failure != nil)
        #expect(world.takeOutput(of: controller).count == 1)
    }
}
