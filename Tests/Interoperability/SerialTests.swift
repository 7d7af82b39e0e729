// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Controllers behind a serial port, on a line with errors.
@Suite(.needsPeers) struct SerialTests {
    @Test("The host uses a controller behind a serial port", arguments: ControllerKind.available)
    func serialPort(kind: ControllerKind) async throws {
        try await withSerialEncounter(on: kind) { encounter in
            let services = encounter.accessory.database["services"]
            let found = try await encounter.explore()
            #expect(found.differences(from: services) == [])
        }
    }

    @Test("The host combines packets that arrive in pieces", arguments: ControllerKind.available)
    func fragments(kind: ControllerKind) async throws {
        try await withSerialEncounter(on: kind) { encounter in
            try await encounter.line.cut(into: 6, pause: 0.004)
            let services = encounter.accessory.database["services"]
            let found = try await encounter.explore()
            #expect(found.differences(from: services) == [])
            #expect(await encounter.host.state == .ready)
        }
    }

    /// There is no link during the noise, because third-party controllers keep a link when their
    /// host resets them.
    @Test(
        "The host resets the controller after noise on the line and works again",
        arguments: ControllerKind.available
    )
    func lineNoise(kind: ControllerKind) async throws {
        try await withSerialEncounter(on: kind) { encounter in
            let services = encounter.accessory.database["services"]
            for noise in BadLine.Noise.allCases {
                try await encounter.isReset(during: noise.rawValue) { line in
                    try await line.strike(noise, oneIn: 20)
                }
                try await encounter.line.clear()
                try await encounter.wait("the adapter") { $0 == .ready }
                // A reset corrects the effects of undetected errors.
                try await encounter.isReset(during: "an invalid packet type") {
                    try await $0.say("EE")
                }
                try await encounter.wait("the adapter") { $0 == .ready }
                let found = try await encounter.explore()
                #expect(found.differences(from: services) == [], "after \(noise)")
            }
        }
    }
}

extension SerialEncounter {
    /// Waits until the host, which scans, has detected the errors that `disturb` causes.
    fileprivate func isReset(
        during what: String,
        _ disturb: (BadLine) async throws -> Void
    ) async throws {
        let states = host.states
        // Traffic for the errors to affect: every advertisement is reported repeatedly. The errors
        // begin with the reports, because a changed status of a command would end the scan.
        let scan = host.scan(reportsDuplicates: true)
        try await within(Encounter.limit, "a discovery before \(what)") {
            for try await _ in scan { return }
        }
        try await disturb(line)
        try await within(Encounter.limit, "a reset during \(what)") {
            for await state in states where state != .ready { return }
        }
        withExtendedLifetime(scan) {}
    }
}
