// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import ProcessTestSupport
import Testing

/// Another program in the machine that uses a peripheral through bluetoothd, at the same time as an
/// app of ours.
struct OtherClient: Sendable {
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        /// BlueZ's own command line.
        case bluetoothctl
        /// Tests/BlueZ/Machine/bleak_client.py, on the Python library bleak.
        case bleak

        var testDescription: String { rawValue }
    }

    private static let name = "other"
    private static let script = "bleak_client.py"
    /// Runs bluetoothctl in a terminal, because otherwise it does not write each line at once.
    private static let shell = #"exec python3 -c 'import pty; pty.spawn(["bluetoothctl"])'"#

    let kind: Kind
    private let bluez: BlueZ

    /// Starts the program.
    init(_ kind: Kind, in bluez: BlueZ) async throws {
        self.kind = kind
        self.bluez = bluez
        switch kind {
        case .bluetoothctl: try await bluez.spawn(Self.shell, as: Self.name)
        case .bleak:
            let source = "\(LanyardTool.packageRoot)/Tests/BlueZ/Machine/\(Self.script)"
            let copy = "\(bluez.machine.sharedFolder)/\(Self.script)"
            try Data(contentsOf: URL(fileURLWithPath: source)).write(
                to: URL(fileURLWithPath: copy)
            )
            let line = "exec python3 /share/\(Self.script) \(DaemonAccessory.name)"
            try await bluez.spawn(line, as: Self.name)
        }
    }

    /// Finds the accessory, and connects to it.
    func connect(to accessory: DaemonAccessory) async throws {
        switch kind {
        case .bluetoothctl:
            let address = await accessory.host.identityAddress
            let digits = address.digits.uppercased()
            try await perform("scan le")
            try await prints("Device \(digits)", within: Limits.discovery)
            try await perform("scan off")
            try await prints("Discovery stopped")
            try await perform("connect \(digits)")
            try await prints("Connection successful", within: Limits.discovery)
            try await bluez.servicesResolved(bluez.path(of: address))
        case .bleak: try await prints("connected", within: Limits.discovery)
        }
    }

    /// Finds the accessory, connects to it, and subscribes to a value.
    func subscribe(to uuid: BluetoothUUID, of accessory: DaemonAccessory) async throws {
        try await connect(to: accessory)
        switch kind {
        case .bluetoothctl:
            try await perform("menu gatt")
            try await perform("select-attribute \(uuid.bluez)")
            try await perform("notify on")
            try await prints("Notify started")
        case .bleak:
            try await perform("subscribe \(uuid.bluez)")
            try await prints("subscribed")
        }
    }

    /// Ends its subscription, and stays connected.
    func unsubscribe(from uuid: BluetoothUUID) async throws {
        switch kind {
        case .bluetoothctl:
            try await perform("notify off")
            try await prints("Notify stopped")
        case .bleak:
            try await perform("unsubscribe \(uuid.bluez)")
            try await prints("unsubscribed")
        }
    }

    /// Expects that the next notification has this value, whose first two bytes are in no other
    /// line.
    func receives(_ value: [UInt8]) async throws {
        let line = try await prints(text(of: Array(value.prefix(2))))
        #expect(line.contains(text(of: value)))
    }

    /// Ends the program, and with it the connection.
    func end() async throws {
        try await bluez.call("close_input", ["name": .string(Self.name)])
        _ = try await bluez.event("ended", within: DaemonProgram.limit) {
            $0["name"].text == Self.name
        }
        try await bluez.isAlone()
    }

    /// Returns bytes as the program prints them.
    private func text(of bytes: [UInt8]) -> String {
        switch kind {
        case .bluetoothctl: bytes.map { [$0].hexadecimal }.joined(separator: " ")
        case .bleak: "value \(bytes.hexadecimal)"
        }
    }

    /// Sends a command.
    func perform(_ command: String) async throws {
        try await bluez.write(command + "\n", to: Self.name)
    }

    /// Waits for a line with this text, and returns it.
    @discardableResult
    func prints(_ text: String, within limit: Duration = Limits.step) async throws -> String {
        try await bluez.output(of: Self.name, within: limit) { $0.contains(text) }
    }
}
