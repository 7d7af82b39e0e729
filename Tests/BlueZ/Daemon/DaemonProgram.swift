// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import ProcessTestSupport
import Testing

/// Tests/DaemonProgram inside the machine: an app on CoreBluetooth and Lanyard, run by an ordinary
/// user.
struct DaemonProgram: Sendable {
    /// The way in which the app uses Bluetooth.
    enum BackEnd: String, CaseIterable, Sendable, CustomTestStringConvertible {
        /// The system's daemon, without any permission.
        case daemon = "bluetoothd"
        /// A host of its own on the same controller, with the capability that this requires.
        case host = "our host"

        var testDescription: String { rawValue }

        /// The errors of the system that are expected when it is used.
        var allowances: [Allowance] {
            switch self {
            case .daemon: []
            case .host: [.privacyOfReturnedAdapter, .dataLengthOfEndedLink]
            }
        }

        fileprivate var adapter: String {
            switch self {
            case .daemon: "bluez"
            case .host: "hci0"
            }
        }
    }

    /// The time limit of a step. The program is a debug build on emulated processors.
    static let limit = Limits.step * 2

    private static let file = "daemon-program"
    /// The copy of the program that has the capability, because a shared folder cannot grant it.
    private static let privilegedFile = "/run/\(file)"
    private static let name = "application"
    /// The Unix account without any permission, on every Debian system.
    private static let account = "nobody"

    let bluez: BlueZ
    /// The text before each command and each line: empty, or the name of one of several centrals.
    private var prefix = ""

    /// Starts the program with a manager, and waits until Bluetooth is on.
    ///
    /// - Parameter approves: Whether the program has a pairing delegate, which accepts everything.
    init(
        in bluez: BlueZ,
        on backEnd: BackEnd = .daemon,
        approves: Bool = false
    ) async throws {
        self.bluez = bluez
        try await install(for: backEnd)
        try await start(on: backEnd)
        if approves { try await perform("approve") }
        try await perform("start", until: "on")
    }

    /// Starts the program as a kiosk, which has not paired any badge.
    init(kioskIn bluez: BlueZ, on backEnd: BackEnd) async throws {
        self.bluez = bluez
        try await install(for: backEnd)
        try await start(on: backEnd)
    }

    /// Puts the program into the machine, and removes the store of another scenario.
    private func install(for backEnd: BackEnd) async throws {
        try await StaticProgram.daemon.copy(to: bluez.machine.sharedFolder, as: Self.file)
        try await bluez.shell("rm -rf /tmp/store")
        guard backEnd == .host else { return }
        let line = """
            cp /share/\(Self.file) \(Self.privilegedFile) \
            && setcap cap_net_admin+ep \(Self.privilegedFile)
            """
        try await bluez.shell(line, within: Self.limit)
    }

    /// Starts the program with the store of an earlier start in the scenario.
    func start(on backEnd: BackEnd) async throws {
        let file =
            switch backEnd {
            case .daemon: "/share/\(Self.file)"
            case .host: Self.privilegedFile
            }
        let line = "LANYARD_ADAPTER=\(backEnd.adapter) LANYARD_STORE=/tmp/store exec \(file)"
        try await bluez.spawn("exec su -s /bin/sh \(Self.account) -c '\(line)'", as: Self.name)
    }

    /// Returns the program as one of several centrals, with a manager of its own.
    func central(_ number: Int) async throws -> DaemonProgram {
        var central = self
        central.prefix = "@\(number) "
        try await central.perform("start", until: "on")
        return central
    }

    /// Ends the program without killing it, so that it leaves no state behind.
    func end() async throws {
        try await bluez.call("close_input", ["name": .string(Self.name)])
        try await hasEnded()
    }

    /// Kills the program, so that it neither unsubscribes nor disconnects.
    func kill() async throws {
        try await bluez.end(Self.name, by: SIGKILL)
        try await hasEnded()
    }

    /// Waits until the program has ended, and bluetoothd has noticed that.
    private func hasEnded() async throws {
        _ = try await bluez.event("ended", within: Self.limit) { $0["name"].text == Self.name }
        // The bus reports the end to bluetoothd before it passes the second call on.
        for _ in 1...2 { try await bluez.call("devices") }
        // A program with its own host returns the adapter.
        try await bluez.call("wait_for_adapter", ["path": .string("/org/bluez/hci0")])
    }

    /// Sends a command.
    func perform(_ command: String) async throws {
        try await bluez.write(prefix + command + "\n", to: Self.name)
    }

    /// Waits for a line that begins with this text. Returns the rest of the line.
    @discardableResult
    func prints(_ text: String, within limit: Duration = Self.limit) async throws -> String {
        let prefix = prefix + text
        let line = try await bluez.output(of: Self.name, within: limit) { $0.hasPrefix(prefix) }
        return String(line.dropFirst(prefix.count))
    }

    /// Sends a command, and waits for the line with its result.
    @discardableResult
    func perform(_ command: String, until prefix: String) async throws -> String {
        try await perform(command)
        return try await prints(prefix)
    }

    /// Expects that the next notification of a value has these bytes.
    func receives(_ bytes: [UInt8], of uuid: String) async throws {
        let value = try await prints("value \(uuid) ")
        #expect(value == bytes.hexadecimal)
    }

    /// Finds a device by its name, connects to it, and discovers everything.
    func connect(to name: String) async throws {
        try await perform("scan \(name)")
        try await prints("discovered ", within: Limits.discovery)
        try await perform("connect")
        try await prints("connected", within: Limits.discovery)
        try await perform("discover", until: "discovered all")
    }
}
