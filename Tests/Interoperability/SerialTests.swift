// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Third-party controllers behind a serial port, on a line with errors.
@Suite(.needsPeers) struct SerialTests {
    @Test(arguments: ControllerKind.available)
    func aControllerBehindASerialPortIsUsedAsAnyOther(kind: ControllerKind) async throws {
        try await withSerialEncounter(on: kind) { encounter in
            let services = encounter.accessory.database["services"]
            let found = try await encounter.explore()
            #expect(found.differences(from: services) == [])
        }
    }

    @Test(arguments: ControllerKind.available)
    func halfPacketsAndPausesAreNothingToAHost(kind: ControllerKind) async throws {
        try await withSerialEncounter(on: kind) { encounter in
            try await encounter.line.cut(into: 6, pause: 0.004)
            let services = encounter.accessory.database["services"]
            let found = try await encounter.explore()
            #expect(found.differences(from: services) == [])
            #expect(await encounter.host.state == .ready)
        }
    }

    /// Without a link, because third-party controllers keep a link when their host resets them.
    @Test(arguments: ControllerKind.available)
    func noiseEndsWithAResetAndThenAllIsAsItWas(kind: ControllerKind) async throws {
        try await withSerialEncounter(on: kind) { encounter in
            let services = encounter.accessory.database["services"]
            for noise in BadLine.Noise.allCases {
                try await encounter.isReset(during: noise.rawValue) { line in
                    try await line.strike(noise, oneIn: 20)
                }
                try await encounter.line.clear()
                try await encounter.wait("the adapter") { $0 == .ready }
                // A reset corrects what undetected errors have changed.
                try await encounter.isReset(during: "nonsense") { try await $0.say("EE") }
                try await encounter.wait("the adapter") { $0 == .ready }
                let found = try await encounter.explore()
                #expect(found.differences(from: services) == [], "after \(noise)")
            }
        }
    }
}

extension SerialEncounter {
    /// Waits until the host has detected what `disturb` does to the line while the host scans.
    fileprivate func isReset(
        during what: String,
        _ disturb: (BadLine) async throws -> Void
    ) async throws {
        let states = host.states
        // Traffic for the errors to affect: every advertisement is reported repeatedly.
        let scan = host.scan(reportsDuplicates: true)
        try await disturb(line)
        try await within(Encounter.limit, "a reset during \(what)") {
            for await state in states where state != .ready { return }
        }
        withExtendedLifetime(scan) {}
    }
}
