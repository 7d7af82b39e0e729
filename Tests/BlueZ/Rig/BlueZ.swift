// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCITransports
import ProcessTestSupport
import Synchronization

/// BlueZ for the duration of a scenario: freshly started, without state from another scenario.
///
/// The extensions group its commands by topic. `call` and `event` send and receive all others.
final class BlueZ: Sendable {
    /// Where BlueZ's controller is. Machine/README.md describes both layouts.
    enum Site: Sendable {
        /// Inside the machine, beside a second controller that our host borrows (layout A).
        case inside
        /// Outside the machine, at a socket with this address that carries H4 packets (layout B).
        case outside(AdapterSpecification)
    }

    let setting: Setting
    let machine: Machine
    private let site: Site
    /// The machine's control line, from the first reset to the end of the scenario.
    private let controlLine = Mutex<ControlLine?>(nil)
    private let wire = Mutex<Wire?>(nil)
    private let hosts = Mutex<[BluetoothHost]>([])
    private let traces = Mutex<[String]>([])
    private let logFolders = Mutex<[String]>([])
    private let seenFault = Mutex<String?>(nil)

    init(_ setting: Setting, at site: Site, in machine: Machine) {
        self.setting = setting
        self.site = site
        self.machine = machine
    }

    // MARK: Commands and events

    /// Sends the peer in the machine a command; see Machine/peer for all commands.
    ///
    /// - Throws: `Refusal` with BlueZ's error.
    @discardableResult
    func call(
        _ order: String,
        _ arguments: [String: JSON] = [:],
        within limit: Duration = Limits.step
    ) async throws -> JSON {
        try await line.call(order, arguments, within: limit)
    }

    /// The line for commands and events.
    var line: ControlLine {
        get throws {
            guard let line = controlLine.withLock({ $0 }) else {
                throw ProcessError.ended("the scenario is over", log: "")
            }
            return line
        }
    }

    /// Waits for the first matching event with this name, and removes it. Earlier events of the
    /// scenario count.
    func event(
        _ name: String,
        within limit: Duration = Limits.step,
        where choose: @escaping @Sendable (JSON) -> Bool = { _ in true }
    ) async throws -> JSON {
        try await line.event("the event \(name)", within: limit) {
            $0["event"].text == name && choose($0)
        }
    }

    /// Returns the received events with this name that no call has removed.
    func pendingEvents(_ name: String) throws -> [JSON] {
        try line.pendingEvents { $0["event"].text == name }
    }

    /// The first known fault of Linux 6.1, of btvirt or of bluetoothd that has occurred, or `nil`
    /// if none has. Machine/peer names all known faults. After a fault has occurred, this property
    /// always contains it.
    var knownFault: String? {
        let faults = (try? line.faults) ?? []
        let known = faults.first { fault in
            fault["event"].text != "kernel_fault" || setting.release == .bookworm
        }
        return seenFault.withLock { seen in
            seen = seen ?? known?["what"].text
            return seen
        }
    }

    // MARK: Our side

    /// The specification of the controller that our host borrows. Waits until the last borrower has
    /// returned the controller to BlueZ, because the bridge could lose packets that arrive earlier.
    var adapter: AdapterSpecification {
        get async throws {
            try await call("wait_for_adapter", ["path": .string("/org/bluez/hci1")])
            return .unix(path: machine.lentPath)
        }
    }

    /// Creates and starts a host on the borrowed controller. The host shuts down at the end
    /// of the scenario at the latest.
    ///
    /// - Parameter wrap: Inserts a transport between the host and the wire.
    func makeHost(
        _ configuration: HostConfiguration = HostConfiguration(),
        wrapping wrap: (any HCITransport) -> any HCITransport = { $0 }
    ) async throws -> BluetoothHost {
        let transport = wrap(try await makeTransport())
        let host = BluetoothHost(transport: transport, configuration: configuration)
        hosts.withLock { $0.append(host) }
        try await within(Limits.step, "a host of ours") { try await host.start() }
        return host
    }

    /// Returns a transport to the borrowed controller, for a host of any kind. Its packet log is
    /// kept if the scenario fails.
    func makeTransport() async throws -> any HCITransport {
        let path = traces.withLock { traces in
            traces.append(machine.folder + "/host-\(traces.count).btsnoop")
            return traces[traces.count - 1]
        }
        return try TracingTransport(wrapping: await adapter.makeTransport(), path: path)
    }

    // MARK: Beginning and end

    /// Restarts the controllers and BlueZ, and the machine as well if the previous scenario has
    /// broken its kernel.
    ///
    /// - Parameter keepsState: Whether BlueZ keeps its stored state.
    func reset(
        _ configuration: BlueZConfiguration = BlueZConfiguration(),
        keepsState: Bool = false
    ) async throws {
        do {
            try await resetOnce(configuration, keepsState: keepsState)
            guard machine.isBroken else { return try line.forgetEverything() }
        } catch {
            guard machine.isBroken else { throw error }
        }
        machine.cutPower()
        disconnectRadio()
        try await machine.powerOn()
        try await resetOnce(configuration, keepsState: keepsState)
        try line.forgetEverything()
    }

    private func resetOnce(_ configuration: BlueZConfiguration, keepsState: Bool) async throws {
        let line = try machine.line
        controlLine.withLock { $0 = line }
        try connectRadio()
        let arguments: [String: JSON] = [
            "radio": .string(radioName), "configuration": .string(configuration.text),
            "is_talkative": .boolean(configuration.isTalkative),
            "keeps_state": .boolean(keepsState),
        ]
        try await call("reset", arguments, within: Limits.reset)
    }

    /// The name of the controllers for the peer in the machine.
    var radioName: String {
        switch site {
        case .inside: setting.generation.rawValue
        case .outside: "outside"
        }
    }

    /// Connects the machine to its controller, if that is outside.
    private func connectRadio() throws {
        guard case .outside(let specification) = site else { return }
        let new = try Wire(from: machine.drivenPath, to: specification)
        wire.withLock { wire in
            wire?.cut()
            wire = new
        }
    }

    /// Disconnects the machine from a controller outside.
    func disconnectRadio() {
        wire.withLock { wire in
            wire?.cut()
            wire = nil
        }
    }

    /// Shuts down the hosts and transports of the scenario.
    func end() async {
        for host in takeHosts() { await host.shutdown() }
        disconnectRadio()
        controlLine.withLock { $0 = nil }
    }

    /// Removes and returns the hosts, so that there is no retain cycle. The user of a host may
    /// retain this object, which would otherwise retain the host, and the host its user.
    private func takeHosts() -> [BluetoothHost] {
        hosts.withLock { hosts in
            defer { hosts = [] }
            return hosts
        }
    }

    /// Adds a folder with packet logs that are kept if the scenario fails.
    func keep(logsIn folder: String) { logFolders.withLock { $0.append(folder) } }

    /// The packet logs of our side and of the scenario.
    private var packetLogs: [String] {
        let others = logFolders.withLock { $0 }.flatMap { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.filter { $0.hasSuffix(".btsnoop") }.map { "\(folder)/\($0)" }
        }
        return traces.withLock { $0 } + others
    }

    /// Writes all logs into a folder. Returns their last lines as text.
    func saveLogs(to folder: String) async -> String {
        try? FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true
        )
        for path in packetLogs {
            let name = URL(fileURLWithPath: path).lastPathComponent
            try? FileManager.default.copyItem(atPath: path, toPath: "\(folder)/\(name)")
        }
        let logs = try? await call("logs")
        let kernel = logs?["kernel"].elements.compactMap { $0["text"].text } ?? ["not available"]
        let daemon = logs?["daemon"].elements.compactMap(\.text) ?? ["not available"]
        let radio = logs?["radio"].elements.compactMap(\.text) ?? []
        // Faults and unconsumed events, one line each.
        let pending = ((try? line.faults) ?? []) + ((try? line.pendingEvents { _ in true }) ?? [])
        let events = pending.compactMap { try? $0.line }
        let texts = [
            "kernel": kernel, "bluetoothd": daemon, "console": [machine.console], "events": events,
            "radio": radio,
        ]
        for (name, lines) in texts {
            let text = lines.joined(separator: "\n")
            try? Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name).log"))
        }
        return (kernel.suffix(20) + daemon.suffix(40)).joined(separator: "\n")
    }
}
