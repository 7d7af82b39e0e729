// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCITransports
import LanyardTestSupport
import Testing

/// A serial line to a controller on which a test can cause errors; see Peers/uart.py.
struct FaultySerialLine: Sendable {
    /// An error on the line.
    enum Noise: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case insert, drop, flip

        var testDescription: String { rawValue }
    }

    let process: ChildProcess

    /// The serial port at the host's end.
    let adapter: String

    /// Applies an error to about one in `odds` of the next `count` bytes for the host.
    func inject(_ noise: Noise, oneIn odds: Int, of count: Int? = nil) async throws {
        var command: [String: JSON] = [
            "kind": .string(noise.rawValue), "odds": .number(Double(odds)), "to": .string("host"),
        ]
        command["count"] = count.map { .number(Double($0)) }
        try await perform("noise", command)
    }

    /// Cuts the data for the host into pieces.
    func cut(into length: Int, pause: Double) async throws {
        try await perform("cut", ["length": .number(Double(length)), "pause": .number(pause)])
    }

    /// Sends bytes to the host that did not come from the controller.
    func send(_ bytes: String) async throws {
        try await perform("say", ["data": .string(bytes)])
    }

    /// Ends all errors on the line.
    func clear() async throws {
        try await perform("clear")
    }

    private func perform(_ what: String, _ details: [String: JSON] = [:]) async throws {
        let command = JSON.object(details.merging(["do": .string(what)]) { $1 })
        process.write(line: try command.line)
        guard try await process.nextLine(within: HostFixture.limit) != nil else {
            throw ProcessError.ended("the line ended", log: process.log)
        }
    }
}

extension PeerGroup {
    /// Puts a serial port before an adapter.
    func line(to adapter: String) async throws -> FaultySerialLine {
        let script = PeerInstallation.scripts + "uart.py"
        let peer = try await start(
            PeerInstallation.python,
            [script, "--to", adapter, "--seed", "\(RunSeed.value)"]
        )
        let adapters = peer.facts["adapters"].elements.compactMap(\.text)
        return FaultySerialLine(process: peer.process, adapter: try #require(adapters.first))
    }
}

/// Our host at a serial port, with a controller behind it and an accessory in range.
struct SerialFixture: Sendable {
    let host: BluetoothHost
    let line: FaultySerialLine
    let accessory: Accessory

    /// Returns the accessory's whole database, as our host discovers it.
    func explore() async throws -> JSON {
        try await within(HostFixture.limit * 2, "an exploration") { [host] in
            let options = ConnectOptions(timeout: HostFixture.limit)
            let link = try await host.connect(to: HostFixture.address(), options: options)
            let services = try await LinkDescription(link: link).services()
            try await link.disconnect()
            return services
        }
    }

    /// Waits until the state of the host's adapter satisfies the condition.
    func wait(
        _ what: String,
        until condition: @escaping @Sendable (AdapterState) -> Bool
    ) async throws {
        try await within(HostFixture.limit, what) { [host] in
            for await state in host.states where condition(state) { return }
        }
    }
}

/// Gives `body` a serial fixture on controllers of a kind.
func withSerialFixture(
    on kind: ControllerKind,
    _ body: (SerialFixture) async throws -> Void
) async throws {
    try await withPeers { peers in
        let controllers = try await peers.controllers(kind)
        let accessory = try await peers.accessory(.demo, on: controllers.adapters[1])
        let line = try await peers.line(to: controllers.adapters[0])
        let adapter = try AdapterSpecification(line.adapter)
        let host = BluetoothHost(transport: adapter.makeTransport())
        do {
            try await host.start()
            try await body(SerialFixture(host: host, line: line, accessory: accessory))
        } catch {
            await host.shutdown()
            throw error
        }
        await host.shutdown()
    }
}
