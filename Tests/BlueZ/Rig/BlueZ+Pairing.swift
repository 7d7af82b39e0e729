// SPDX-License-Identifier: Apache-2.0

import ProcessTestSupport

/// The adapter, and pairing.
extension BlueZ {
    /// The IO capability of BlueZ's user.
    enum InputOutput: String, Sendable {
        case noInputNoOutput = "NoInputNoOutput"
        case displayOnly = "DisplayOnly"
        case displayYesNo = "DisplayYesNo"
        case keyboardOnly = "KeyboardOnly"
    }

    /// Powers the adapter on. Returns its properties.
    @discardableResult
    func powerOn(
        io: InputOutput = .noInputNoOutput,
        name: String = "bluez-peer"
    ) async throws -> JSON {
        try await call("power_on", ["io": .string(io.rawValue), "name": .string(name)])
    }

    /// Powers the adapter off, which ends all links.
    func powerOff() async throws { try await call("power_off") }

    /// Sets whether BlueZ's user accepts requests.
    func setAgent(accepts: Bool) async throws {
        try await call("agent", ["accepts": .boolean(accepts)])
    }

    /// Waits until BlueZ asks its user or displays a number: `passkey`, `confirm`, `authorize`,
    /// `display`, `cancel`.
    func question(_ what: String) async throws -> JSON {
        try await event("agent") { $0["what"].text == what }
    }

    /// Answers with a passkey.
    func answer(passkey: Int) async throws {
        try await call("answer", ["value": .number(Double(passkey))])
    }

    /// Makes BlueZ pair with a device that it knows, and waits for the result. Returns `false` if
    /// BlueZ had already paired by itself.
    @discardableResult
    func pair(_ path: String) async throws -> Bool {
        do {
            try await call("pair", ["path": .string(path)])
            return true
        } catch let refusal as Refusal where refusal.name == "org.bluez.Error.AlreadyExists" {
            return false
        }
    }

    /// Makes BlueZ remove a device with its bond and its cache.
    func forget(_ path: String) async throws { try await call("forget", ["path": .string(path)]) }
}
