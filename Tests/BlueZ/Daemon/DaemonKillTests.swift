// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import ProcessTestSupport
import Testing

/// An app whose bluetoothd is killed during calls that it has not answered.
@Suite(.machines) struct DaemonKillTests {
    /// The time within which a scan works again after bluetoothd has started. It does not depend on
    /// the speed of the machine.
    private static let recoveryLimit = Duration.seconds(10)

    @Test(
        "Pending calls end when bluetoothd is killed, and a scan works within 10 s of its return",
        arguments: Setting.eachRelease
    )
    func killed(_ setting: Setting) async throws {
        // The adapter is on when bluetoothd starts again.
        let allowances = [Allowance.privacyOfReturnedAdapter]
        let name = "daemon: killed"
        try await withKernel(setting, as: .central, name, allowing: allowances) { fixture in
            let accessory = try await SilentAccessory(in: fixture)
            try await fixture.bluez.powerOn()
            let program = try await DaemonProgram(in: fixture.bluez)
            // A scan of the app, and a read of another program, which the accessory does not
            // answer.
            try await program.perform("scan Absent")
            let reader = try await InsideProgram(in: fixture.bluez)
            try await reader.setCapability(false)
            let options = ["--adapter", "bluez", "--timeout", "3600"]
            try await reader.start(["read", SilentAccessory.name, "FFE1"] + options, as: "read")
            try await accessory.isAsked()

            try await fixture.bluez.call("kill_daemon")
            #expect(try await reader.end(of: "read") != 0)
            try await program.prints("state 4")

            await accessory.answer()
            // The kernel ends the link two seconds after the end of bluetoothd. Before that, a new
            // bluetoothd still reports the link.
            try await accessory.isLeft()
            try await fixture.bluez.call("start_daemon", within: Limits.reset)
            let start = ContinuousClock.now
            try await program.prints("on", within: Self.recoveryLimit)
            try await program.perform("scan \(SilentAccessory.name)")
            try await program.prints("discovered ", within: Self.recoveryLimit)
            let duration = start.duration(to: .now)
            #expect(duration < Self.recoveryLimit)
            print("\(setting): a device is discovered \(duration) after the return of bluetoothd")
            try await program.connect(to: SilentAccessory.name)
            try await program.perform("read FFE1")
            #expect(try await program.prints("value FFE1 ") == "07")
            try await program.end()
            await accessory.end()
        }
    }
}

/// An accessory of ours that answers reads only after the test has allowed it.
private actor SilentAccessory {
    static let name = "Silent"

    private var isSilent = true
    /// The open requests, which would be refused if they were released.
    private var requests: [ReadRequest] = []
    private let (asked, ask) = AsyncStream.makeStream(of: Void.self)
    private let (left, leave) = AsyncStream.makeStream(of: Void.self)
    private var work: Task<Void, Never>?

    init(in fixture: KernelFixture) async throws {
        let host = try await fixture.kernelAir.makeHost()
        try await host.publish(
            GATT.ServiceDefinition(
                BluetoothUUID(0xFFE0),
                [
                    .init(BluetoothUUID(0xFFE1), [.read, .write, .writeWithoutResponse]),
                    .init(BluetoothUUID(0xFFE3), [.notify], value: .stored([0])),
                ]
            )
        )
        let events = try await host.serverEvents()
        work = Task { [weak self] in
            for await event in events { await self?.receive(event) }
        }
        let content = AdvertisingContent(
            localName: Self.name,
            serviceUUIDs: [BluetoothUUID(0xFFE0)]
        )
        var advertising = Advertising(content)
        advertising.interval = .milliseconds(30) ... .milliseconds(40)
        _ = try await host.advertise(advertising)
    }

    private func receive(_ event: ServerEvent) {
        switch event {
        case .read(let request) where isSilent:
            requests.append(request)
            ask.yield()
        case .read(let request): request.respond(with: [7])
        case .write(let request): request.accept()
        case .disconnected: leave.yield()
        default: break
        }
    }

    /// Waits until a client has asked for a value.
    func isAsked() async throws {
        try await within(Limits.step, "a request") { [asked] in
            for await _ in asked { return }
        }
    }

    /// Waits until a client's link has ended.
    func isLeft() async throws {
        try await within(Limits.step, "the end of a link") { [left] in
            for await _ in left { return }
        }
    }

    /// Answers requests from now on.
    func answer() { isSilent = false }

    func end() { work?.cancel() }
}
