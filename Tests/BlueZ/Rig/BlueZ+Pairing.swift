// SPDX-License-Identifier: Apache-2.0

import ProcessTestSupport

/// The adapter, and pairing.
extension BlueZ {
    /// What BlueZ's user can do when asked.
    enum InputOutput: String, CaseIterable, Sendable {
        case noInputNoOutput = "NoInputNoOutput"
        case displayOnly = "DisplayOnly"
        case displayYesNo = "DisplayYesNo"
        case keyboardOnly = "KeyboardOnly"
        case keyboardDisplay = "KeyboardDisplay"
    }

    /// Powers the adapter; its properties.
    @discardableResult
    func powerOn(
        io: InputOutput = .noInputNoOutput,
        name: String = "bluez-peer",
        isBondable: Bool = true
    ) async throws -> JSON {
        let arguments: [String: JSON] = [
            "io": .string(io.rawValue), "name": .string(name), "bondable": .boolean(isBondable),
        ]
        return try await call("power_on", arguments)
    }

    /// Powers the adapter off, which ends all links.
    func powerOff() async throws { try await call("power_off") }

    /// Whether questions of yes or no are the test's to answer, or else whether BlueZ's user accepts.
    func setAgent(asks: Bool = false, accepts: Bool = true) async throws {
        try await call("agent", ["asks": .boolean(asks), "accepts": .boolean(accepts)])
    }

    /// Waits until BlueZ asks or shows its user something: `passkey`, `confirm`, `authorize`, `display`,
    /// `cancel`.
    func question(_ what: String, within limit: Duration = Limits.step) async throws -> JSON {
        try await event("agent", within: limit) { $0["what"].text == what }
    }

    /// Answers what BlueZ asks.
    func answer(_ isYes: Bool) async throws { try await call("answer", ["value": .boolean(isYes)]) }

    /// Answers with a passkey.
    func answer(passkey: Int) async throws {
        try await call("answer", ["value": .number(Double(passkey))])
    }

    /// Has BlueZ pair with a device that it has; returns when that is done, by itself perhaps.
    func pair(_ path: String) async throws {
        do {
            try await call("pair", ["path": .string(path)])
        } catch let refusal as Refusal where refusal.name == "org.bluez.Error.AlreadyExists" {}
    }

    /// Has BlueZ forget a device: bond, cache, all.
    func forget(_ path: String) async throws { try await call("forget", ["path": .string(path)]) }
}
