// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCITransports
import ProcessTestSupport
import Synchronization

/// BlueZ for the time of a scenario: freshly started, with nothing that another scenario left.
///
/// What it can be told is in the extensions, by what it is about; what none of them has, `call` and
/// `event` have.
final class BlueZ: Sendable {
    /// Where the controller of BlueZ is.
    enum Site: Sendable {
        /// In the machine, beside one that is lent to our host (layout A).
        case inside
        /// Outside, at this address, where a controller speaks H4 (layout B).
        case outside(AdapterSpecification)
    }

    let setting: Setting
    let machine: Machine
    private let site: Site
    /// The machine's control line, from the first reset on until the scenario has ended.
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

    // MARK: Orders and events

    /// Gives the peer in the machine an order; see Machine/peer for all that there are.
    ///
    /// - Throws: `Refusal` with the error of BlueZ's.
    @discardableResult
    func call(
        _ order: String,
        _ arguments: [String: JSON] = [:],
        within limit: Duration = Limits.step
    ) async throws -> JSON {
        try await line.call(order, arguments, within: limit)
    }

    /// Where orders go, and events come from.
    var line: ControlLine {
        get throws {
            guard let line = controlLine.withLock({ $0 }) else {
                throw ProcessError.ended("the scenario is over", log: "")
            }
            return line
        }
    }

    /// Waits for the first event of that name that is such, and takes it out; those that came before,
    /// since the scenario began, count.
    func event(
        _ name: String,
        within limit: Duration = Limits.step,
        where choose: @escaping @Sendable (JSON) -> Bool = { _ in true }
    ) async throws -> JSON {
        try await line.event("the event \(name)", within: limit) {
            $0["event"].text == name && choose($0)
        }
    }

    /// The events of that name that came and that nobody has asked for.
    func pendingEvents(_ name: String) throws -> [JSON] {
        try line.pendingEvents { $0["event"].text == name }
    }

    /// What went wrong by a known fault of Linux 6.1's, or, on btvirt's air, of btvirt's or bluetoothd's, all
    /// of which are named in Machine/peer; nil if nothing did. Once seen, it stays.
    var knownFault: String? {
        let faults = (try? line.faults) ?? []
        let known = faults.first { fault in
            if fault["event"].text == "kernel_fault" { return setting.release == .bookworm }
            if case .inside = site { return true }
            return false
        }
        return seenFault.withLock { seen in
            seen = seen ?? known?["what"].text
            return seen
        }
    }

    // MARK: Our side

    /// The controller that is lent to us, as any user of Lanyard would name it, once whoever had it last
    /// has given it back: then BlueZ has it. What came to the bridge sooner could be lost.
    var adapter: AdapterSpecification {
        get async throws {
            try await call("wait_for_adapter", ["path": .string("/org/bluez/hci1")])
            return .unix(path: machine.lentPath)
        }
    }

    /// Makes a host of ours on the controller that is lent to us, started; it is shut down when the
    /// scenario ends, if it has not been before.
    ///
    /// - Parameter wrap: puts something between the host and the wire.
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

    /// The controller that is lent to us, for a host of any make; what passes on it is kept if the scenario
    /// fails.
    func makeTransport() async throws -> any HCITransport {
        let path = traces.withLock { traces in
            traces.append(machine.folder + "/host-\(traces.count).btsnoop")
            return traces[traces.count - 1]
        }
        return try TracingTransport(wrapping: await adapter.makeTransport(), path: path)
    }

    // MARK: Beginning and end

    /// Starts controllers and BlueZ anew; the machine, too, if what the scenario before has left breaks its
    /// kernel now.
    ///
    /// - Parameter keepsState: whether BlueZ still knows what it knew.
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

    private var radioName: String {
        switch site {
        case .inside: setting.generation.rawValue
        case .outside: "outside"
        }
    }

    /// Puts a wire between the machine and its controller, where that is outside.
    private func connectRadio() throws {
        guard case .outside(let specification) = site else { return }
        let new = try Wire(from: machine.drivenPath, to: specification)
        wire.withLock { wire in
            wire?.cut()
            wire = new
        }
    }

    /// Cuts the wire between the machine and a controller outside.
    func disconnectRadio() {
        wire.withLock { wire in
            wire?.cut()
            wire = nil
        }
    }

    /// Ends what the scenario had of ours.
    func end() async {
        for host in takeHosts() { await host.shutdown() }
        disconnectRadio()
        controlLine.withLock { $0 = nil }
    }

    /// Lets go of the hosts: a host's person may hold this object, and each would keep the other alive.
    private func takeHosts() -> [BluetoothHost] {
        hosts.withLock { hosts in
            defer { hosts = [] }
            return hosts
        }
    }

    /// Has the packet logs of a folder, too, kept if the scenario fails.
    func keep(logsIn folder: String) { logFolders.withLock { $0.append(folder) } }

    /// The packet logs of our side, and those of a scenario's own.
    private var packetLogs: [String] {
        let others = logFolders.withLock { $0 }.flatMap { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.filter { $0.hasSuffix(".btsnoop") }.map { "\(folder)/\($0)" }
        }
        return traces.withLock { $0 } + others
    }

    /// Writes all that may tell what went wrong into a folder; the last of it as text.
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
        let kernel = logs?["kernel"].elements.compactMap { $0["text"].text } ?? ["not to be had"]
        let daemon = logs?["daemon"].elements.compactMap(\.text) ?? ["not to be had"]
        let radio = logs?["radio"].elements.compactMap(\.text) ?? []
        // Faults, and what nobody has asked for, as the lines of programs.
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
