// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import PairingTestSupport
import ProcessTestSupport
import Testing

/// Apps of an ordinary user that use peripherals, through bluetoothd or a host of their own.
@Suite(.machines) struct DaemonCentralTests {
    @Test(
        "An app uses a peripheral on either back end",
        arguments: Setting.eachRelease,
        DaemonProgram.BackEnd.allCases
    )
    func usesPeripheral(_ setting: Setting, _ backEnd: DaemonProgram.BackEnd) async throws {
        let name = "peripheral: on \(backEnd.rawValue)"
        let allowances = backEnd.allowances
        try await withKernel(setting, as: .central, name, allowing: allowances) { fixture in
            let accessory = try await DaemonAccessory(in: fixture)
            try await fixture.bluez.powerOn()
            let program = try await DaemonProgram(in: fixture.bluez, on: backEnd)
            try await program.perform("scan \(DaemonAccessory.name)")
            let discovery = try await program.prints("discovered ", within: Limits.discovery)
            #expect(discovery.hasSuffix(" FFE0") && discovery.hasPrefix("-"))
            try await program.perform("connect")
            try await program.prints("connected", within: Limits.discovery)
            let link = try await accessory.application.link()
            try await program.perform("discover")
            let table = try await program.prints("service FFE0: ")
            #expect(table == "FFE1[2901] FFE2[] FFE3[2902]")
            let length = try await program.prints("discovered all, ")
            #expect(length == "512")
            #expect(try await program.perform("includes FFE0", until: "included ") == "FFD0")
            #expect(try await program.perform("read FFE1", until: "value FFE1 ") == "cafe")
            let label = try await program.perform("describe FFE1", until: "descriptor ")
            #expect(label == "2901 Value")
            #expect(try await program.perform("write FFE1 0102", until: "written FFE1") == "")
            #expect(try await program.perform("read FFE1", until: "value FFE1 ") == "0102")
            let rssi = try await program.perform("rssi", until: "rssi ")
            switch backEnd {
            // The daemon reports no signal strength without a scan.
            case .daemon: #expect(rssi == "127")
            case .host: #expect(rssi.hasPrefix("-"))
            }
            try await sendsCommands(program, accessory)
            try await receivesNotifications(program, accessory, link)
            // The daemon pairs by itself, and its default agent answers. Our host pairs as well.
            let secret = try await program.perform("read FFE2", until: "value FFE2 ")
            #expect(secret == "5ec2")
            #expect(try await link.security.isEncrypted)
            #expect(try await program.perform("disconnect", until: "disconnected") == "")
            try await accessory.application.disconnection(of: link)
            try await program.end()
        }
    }

    /// Expects that writes without response arrive in order and without loss.
    private func sendsCommands(_ program: DaemonProgram, _ accessory: DaemonAccessory) async throws
    {
        for number in 1...20 { try await program.perform("command FFE1 \(hexadecimal(number))") }
        // The first write was one with a response.
        var received: [[UInt8]] = []
        while received.last != [20] {
            received += try await accessory.application.written(accessory.value).map(\.value)
        }
        #expect(received == [[1, 2]] + (1...20).map { [$0] })
    }

    /// Expects that the app subscribes, receives the values in order, and unsubscribes.
    private func receivesNotifications(
        _ program: DaemonProgram,
        _ accessory: DaemonAccessory,
        _ link: Link
    ) async throws {
        try await program.perform("subscribe FFE3", until: "subscribed FFE3")
        try await accessory.application.subscription(of: accessory.ticker, .notification)
        for number in 1...20 { try await link.notify([UInt8(number)], of: accessory.ticker) }
        for number in 1...20 {
            #expect(try await program.prints("value FFE3 ") == hexadecimal(number))
        }
        try await program.perform("unsubscribe FFE3", until: "not subscribed FFE3")
        try await accessory.application.subscription(of: accessory.ticker, nil)
    }

    private func hexadecimal(_ number: Int) -> String {
        (number < 16 ? "0" : "") + String(number, radix: 16)
    }

    @Test(
        "bluetoothd has the pairing delegate of the app compare digits",
        arguments: Setting.eachRelease
    )
    func comparesDigits(_ setting: Setting) async throws {
        try await withKernel(setting, as: .central, "daemon: digits") { fixture in
            let accessory = try await DaemonAccessory(in: fixture) {
                $0.pairing.ioCapability = .displayYesNo
            }
            // Without an agent of another program.
            try await fixture.bluez.shell("bluetoothctl power on")
            let program = try await DaemonProgram(in: fixture.bluez, approves: true)
            try await program.connect(to: DaemonAccessory.name)
            let link = try await accessory.application.link()
            try await program.perform("read FFE2")
            let digits = try await program.prints("confirms ")
            #expect(try await program.prints("value FFE2 ") == "5ec2")
            #expect(accessory.person.experiences == [.compared(UInt32(digits) ?? .max)])
            #expect(try await link.security.isAuthenticated)
            try await program.end()
            try await accessory.application.disconnection(of: link)
        }
    }

    @Test("A channel carries data through the kernel's sockets", arguments: Setting.eachRelease)
    func opensChannel(_ setting: Setting) async throws {
        try await withKernel(setting, as: .central, "daemon: channels") { fixture in
            let accessory = try await DaemonAccessory(in: fixture)
            let listener = try await accessory.host.listen()
            try await fixture.bluez.powerOn()
            let program = try await DaemonProgram(in: fixture.bluez)
            try await program.connect(to: DaemonAccessory.name)
            let number = listener.psm.rawValue
            #expect(try await program.perform("open \(number)", until: "channel ") == "\(number)")
            let channel = try #require(
                try await within(Limits.step, "a channel") { try await listener.accept() }
            )
            try await program.perform("transmit 010203", until: "transmitted 3")
            let sdu = try await within(Limits.step, "an SDU") { try await channel.receive() }
            #expect(sdu == [1, 2, 3])
            try await channel.send([4, 5])
            #expect(try await program.prints("received ") == "0405")
            await channel.close()
            try await program.prints("channel ended")
            // A number without a listener.
            #expect(try await program.perform("open 255", until: "channel refused") != "")
            try await program.end()
        }
    }

    @Test(
        "An app uses a Bumble accessory on either back end",
        .needsBumble,
        arguments: Setting.eachRelease,
        DaemonProgram.BackEnd.allCases
    )
    func usesBumble(_ setting: Setting, _ backEnd: DaemonProgram.BackEnd) async throws {
        let name = "Bumble: on \(backEnd.rawValue)"
        let allowances = backEnd.allowances
        try await withKernel(setting, as: .central, name, allowing: allowances) { fixture in
            let accessory = try await BumbleAccessory(in: fixture)
            try await fixture.bluez.powerOn()
            let program = try await DaemonProgram(in: fixture.bluez, on: backEnd)
            try await program.connect(to: BumbleAccessory.name)
            try await program.perform("subscribe 2A37", until: "subscribed 2A37")
            for _ in 1...5 { try await program.prints("value 2A37 ") }
            let value = BumbleAccessory.value
            #expect(try await program.perform("write \(value) 0102", until: "written ") == value)
            #expect(try await program.perform("read \(value)", until: "value \(value) ") == "0102")
            try await program.end()
            try await accessory.end()
        }
    }
}
