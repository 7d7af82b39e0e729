// SPDX-License-Identifier: Apache-2.0

import ProcessTestSupport

/// Programs in the machine, and what the machine writes down.
extension BlueZ {
    /// Runs a line of shell to its end; its output of both kinds.
    ///
    /// - Throws: `Refusal("Failed")` if it ends with another status than zero.
    @discardableResult
    func shell(_ line: String, within limit: Duration = Limits.step) async throws -> String {
        let seconds = JSON.number(Double(limit.components.seconds))
        let arguments: [String: JSON] = ["line": .string(line), "seconds": seconds]
        let result = try await call("shell", arguments, within: limit * 2)
        let output = result["output"].text ?? ""
        guard result["status"].integer == 0 else { throw Refusal("Failed", text: output) }
        return output
    }

    /// Starts a line of shell that stays; its lines are events `output`, its end the event `ended`.
    func spawn(_ line: String, as name: String) async throws {
        try await call("spawn", ["line": .string(line), "name": .string(name)])
    }

    /// Waits for a line of what was spawned that is such.
    func output(
        of name: String,
        within limit: Duration = Limits.step,
        where choose: @escaping @Sendable (String) -> Bool = { _ in true }
    ) async throws -> String {
        let found = try await event("output", within: limit) {
            $0["name"].text == name && choose($0["line"].text ?? "")
        }
        return found["line"].text ?? ""
    }

    /// Writes to the standard input of what was spawned.
    func write(_ text: String, to name: String) async throws {
        try await call("write", ["name": .string(name), "text": .string(text)])
    }

    /// Ends what was spawned by a signal, and waits for that.
    func end(_ name: String, by signal: Int32 = 15) async throws {
        try await call("end", ["name": .string(name), "number": .number(Double(signal))])
    }

    // MARK: Logs

    /// A line of the kernel's.
    struct KernelLine: Sendable {
        /// From 0 for an emergency, 3 for an error, 4 for a warning, to 7.
        let level: Int
        let text: String
    }

    /// What the kernel wrote since the scenario began.
    func kernelLog() async throws -> [KernelLine] {
        try await call("logs")["kernel"].elements.map {
            KernelLine(level: $0["level"].integer ?? 0, text: $0["text"].text ?? "")
        }
    }

    /// What bluetoothd wrote since it was started.
    func daemonLog() async throws -> [String] {
        try await call("logs")["daemon"].elements.compactMap(\.text)
    }

    // MARK: Controllers, bluetoothd, and the power

    /// Takes the controllers away, as if they were pulled out.
    func pullOutAdapters() async throws { try await call("stop_radio") }

    /// Brings them back. BlueZ may never see the second one: we are faster.
    func putBackAdapters() async throws {
        let arguments: [String: JSON] = [
            "radio": .string(setting.generation.rawValue),
            "adapters": .array([.string("/org/bluez/hci0")]),
        ]
        try await call("start_radio", arguments, within: Limits.reset)
    }

    /// Starts bluetoothd again; bonds stay unless it `forgets`, what was registered is gone.
    func restartDaemon(forgets: Bool = false) async throws {
        try await call("restart_daemon", ["forgets": .boolean(forgets)], within: Limits.reset)
    }

    /// Starts a machine whose plug was pulled: with its old memory, and BlueZ in it.
    func restartMachine() async throws {
        machine.cutPower()
        disconnectRadio()
        try await machine.powerOn()
        try await reset(keepsState: true)
    }
}
