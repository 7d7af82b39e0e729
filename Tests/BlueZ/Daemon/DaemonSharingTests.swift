// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Apps that use a peripheral that another client of bluetoothd uses as well.
@Suite(.machines) struct DaemonSharingTests {
    @Test(
        "Another client keeps its connection and its notifications",
        arguments: Setting.eachRelease,
        OtherClient.Kind.allCases
    )
    func shares(_ setting: Setting, _ kind: OtherClient.Kind) async throws {
        let name = "daemon: beside \(kind.rawValue)"
        try await withKernel(setting, as: .central, name) { fixture in
            let accessory = try await DaemonAccessory(in: fixture)
            try await fixture.bluez.powerOn()
            let other = try await OtherClient(kind, in: fixture.bluez)
            try await other.subscribe(to: DaemonAccessory.ticker, of: accessory)
            let link = try await accessory.application.link()
            try await accessory.application.subscription(of: accessory.ticker, .notification)
            let shared = SharedTicker(other: other, link: link, handle: accessory.ticker)

            let program = try await DaemonProgram(in: fixture.bluez)
            try await shared.ticks(1)
            try await program.connect(to: DaemonAccessory.name)
            try await shared.ticks(2)
            try await program.perform("subscribe FFE3", until: "subscribed FFE3")
            try await shared.ticks(3, to: program)
            try await program.perform("unsubscribe FFE3", until: "not subscribed FFE3")
            try await shared.ticks(4)
            try await program.perform("subscribe FFE3", until: "subscribed FFE3")
            try await shared.ticks(5, to: program)
            #expect(try await program.perform("disconnect", until: "disconnected") == "")
            try await shared.ticks(6)

            // If a program ends without unsubscribing, the daemon ends the subscription.
            try await program.perform("connect", until: "connected")
            try await program.perform("discover", until: "discovered all")
            try await program.perform("subscribe FFE3", until: "subscribed FFE3")
            try await shared.ticks(7, to: program)
            try await program.kill()
            try await shared.ticks(8)

            let next = try await DaemonProgram(in: fixture.bluez)
            try await next.connect(to: DaemonAccessory.name)
            try await next.perform("subscribe FFE3", until: "subscribed FFE3")
            try await shared.ticks(9, to: next)
            try await next.end()
            try await shared.ticks(10)
            #expect(await accessory.host.links == [link])
            let changeCount = await accessory.application.changeCount(
                of: accessory.ticker
            )
            #expect(changeCount == 0)
        }
    }

    @Test(
        "An app keeps its notifications when another client ends its own",
        arguments: Setting.eachRelease,
        OtherClient.Kind.allCases
    )
    func takesOver(_ setting: Setting, _ kind: OtherClient.Kind) async throws {
        let name = "daemon: after \(kind.rawValue)"
        try await withKernel(setting, as: .central, name) { fixture in
            let accessory = try await DaemonAccessory(in: fixture)
            try await fixture.bluez.powerOn()
            let other = try await OtherClient(kind, in: fixture.bluez)
            try await other.subscribe(to: DaemonAccessory.ticker, of: accessory)
            let link = try await accessory.application.link()
            try await accessory.application.subscription(of: accessory.ticker, .notification)
            let shared = SharedTicker(other: other, link: link, handle: accessory.ticker)

            let program = try await DaemonProgram(in: fixture.bluez)
            try await program.connect(to: DaemonAccessory.name)
            try await program.perform("subscribe FFE3", until: "subscribed FFE3")
            try await shared.ticks(1, to: program)
            try await other.unsubscribe(from: DaemonAccessory.ticker)
            // The daemon unsubscribes for the other client, and subscribes for the app.
            try await accessory.application.subscription(of: accessory.ticker, nil)
            try await accessory.application.subscription(of: accessory.ticker, .notification)
            for number in 2...5 as ClosedRange<UInt8> {
                try await link.notify([number], of: accessory.ticker)
                try await program.receives([number], of: "FFE3")
            }
            try await program.perform("unsubscribe FFE3", until: "not subscribed FFE3")
            try await accessory.application.subscription(of: accessory.ticker, nil)
            try await program.end()
            #expect(await accessory.host.links == [link])
        }
    }
}

/// The notifications of an accessory to another client, over a link that has to stay.
private struct SharedTicker {
    let other: OtherClient
    let link: Link
    let handle: AttributeHandle

    /// Notifies a value, and expects that the other client receives it. With `program`, expects
    /// that the program receives the value too.
    func ticks(_ number: UInt8, to program: DaemonProgram? = nil) async throws {
        // Bytes that occur in no other output.
        let value: [UInt8] = [0xA5, 0xC3, number]
        try await link.notify(value, of: handle)
        try await other.receives(value)
        try await program?.receives(value, of: "FFE3")
    }
}
