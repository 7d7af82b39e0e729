// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Controllers behind a serial port, on a line with errors.
@Suite(.needsPeers) struct SerialTests {
    @Test("The host uses a controller behind a serial port", arguments: ControllerKind.available)
    func serialPort(kind: ControllerKind) async throws {
        try await withSerialFixture(on: kind) { fixture in
            let services = fixture.accessory.database["services"]
            let found = try await fixture.explore()
            #expect(found.differences(from: services) == [])
        }
    }

    @Test("The host combines packets that arrive in pieces", arguments: ControllerKind.available)
    func fragments(kind: ControllerKind) async throws {
        try await withSerialFixture(on: kind) { fixture in
            try await fixture.line.cut(into: 6, pause: 0.004)
            let services = fixture.accessory.database["services"]
            let found = try await fixture.explore()
            #expect(found.differences(from: services) == [])
            #expect(await fixture.host.state == .ready)
        }
    }

    /// There is no link during the noise, because third-party controllers keep a link when their
    /// host resets them.
    @Test(
        "The host resets the controller after noise on the line and works again",
        arguments: ControllerKind.available
    )
    func lineNoise(kind: ControllerKind) async throws {
        try await withSerialFixture(on: kind) { fixture in
            let services = fixture.accessory.database["services"]
            for noise in FaultySerialLine.Noise.allCases {
                try await fixture.isReset(during: noise.rawValue) { line in
                    try await line.inject(noise, oneIn: 20)
                }
                try await fixture.line.clear()
                try await fixture.wait("the adapter") { $0 == .ready }
                // A reset corrects the effects of undetected errors.
                try await fixture.isReset(during: "an invalid packet type") {
                    try await $0.send("EE")
                }
                try await fixture.wait("the adapter") { $0 == .ready }
                let found = try await fixture.explore()
                #expect(found.differences(from: services) == [], "after \(noise)")
            }
        }
    }
}

extension SerialFixture {
    /// Waits until the host, which scans, has detected the errors that `disturb` causes.
    fileprivate func isReset(
        during what: String,
        _ disturb: (FaultySerialLine) async throws -> Void
    ) async throws {
        let states = host.states
        // Traffic for the errors to affect: every advertisement is reported repeatedly. The errors
        // begin with the reports, because a changed status of a command would end the scan.
        let scan = host.scan(reportsDuplicates: true)
        try await within(HostFixture.limit, "a discovery before \(what)") {
            for try await _ in scan { return }
        }
        try await disturb(line)
        try await within(HostFixture.limit, "a reset during \(what)") {
            for await state in states where state != .ready { return }
        }
        withExtendedLifetime(scan) {}
    }
}
