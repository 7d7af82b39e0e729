// SPDX-License-Identifier: Apache-2.0

import ProcessTestSupport

/// Programs in the machine, and the machine's logs.
extension BlueZ {
    /// Runs a shell command to its end. Returns its standard output and standard error.
    ///
    /// - Throws: `Refusal("Failed")` if the exit status is not zero.
    @discardableResult
    func shell(_ line: String, within limit: Duration = Limits.step) async throws -> String {
        let seconds = JSON.number(Double(limit.components.seconds))
        let arguments: [String: JSON] = ["line": .string(line), "seconds": seconds]
        let result = try await call("shell", arguments, within: limit * 2)
        let output = result["output"].text ?? ""
        guard result["status"].integer == 0 else { throw Refusal("Failed", text: output) }
        return output
    }

    /// Starts a shell command in the background. Its lines arrive as events `output`, its end as
    /// the event `ended`.
    func spawn(_ line: String, as name: String) async throws {
        try await call("spawn", ["line": .string(line), "name": .string(name)])
    }

    /// Waits for a matching line of a background command.
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

    /// Writes to the standard input of a background command.
    func write(_ text: String, to name: String) async throws {
        try await call("write", ["name": .string(name), "text": .string(text)])
    }

    /// Ends a background command by a signal, and waits for its end.
    func end(_ name: String, by signal: Int32 = 15) async throws {
        try await call("end", ["name": .string(name), "number": .number(Double(signal))])
    }

    // MARK: Logs

    /// A line of the kernel's log.
    struct KernelLine: Sendable {
        /// The severity from 0 to 7: 0 is an emergency, 3 an error, and 4 a warning.
        let level: Int
        let text: String
    }

    /// Returns the kernel's log since the scenario began.
    func kernelLog() async throws -> [KernelLine] {
        try await call("logs")["kernel"].elements.map {
            KernelLine(level: $0["level"].integer ?? 0, text: $0["text"].text ?? "")
        }
    }

    /// Returns the log of bluetoothd since its start.
    func daemonLog() async throws -> [String] {
        try await call("logs")["daemon"].elements.compactMap(\.text)
    }

    // MARK: Controllers, bluetoothd, and the power

    /// Removes the controllers, as if they were unplugged.
    func pullOutAdapters() async throws { try await call("stop_radio") }

    /// Plugs the controllers in again. BlueZ may never see the second controller, because our host
    /// takes it first.
    func putBackAdapters() async throws {
        let arguments: [String: JSON] = [
            "radio": .string(radioName),
            "adapters": .array([.string("/org/bluez/hci0")]),
        ]
        try await call("start_radio", arguments, within: Limits.reset)
    }

    /// Restarts bluetoothd. Bonds remain unless `forgets` is `true`; registrations are lost.
    func restartDaemon(forgets: Bool = false) async throws {
        try await call("restart_daemon", ["forgets": .boolean(forgets)], within: Limits.reset)
    }

    /// Cuts the machine's power if it is on, and starts the machine with its stored state and
    /// BlueZ.
    func restartMachine() async throws {
        machine.cutPower()
        disconnectRadio()
        try await machine.powerOn()
        try await reset(keepsState: true)
    }
}
