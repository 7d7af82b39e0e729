// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Controllers of others behind a serial port, on a line that is not always good.
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

    /// While there is no link: other controllers keep one whose host has reset them.
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
                // What noise has changed without that being noticed ends with a reset.
                try await encounter.isReset(during: "nonsense") { try await $0.say("EE") }
                try await encounter.wait("the adapter") { $0 == .ready }
                let found = try await encounter.explore()
                #expect(found.differences(from: services) == [], "after \(noise)")
            }
        }
    }
}

extension SerialEncounter {
    /// Waits until the host has noticed what `disturb` does to the line while it scans.
    fileprivate func isReset(
        during what: String,
        _ disturb: (BadLine) async throws -> Void
    ) async throws {
        let states = host.states
        // Something for noise to strike: every advertisement, again and again.
        let scan = host.scan(reportsDuplicates: true)
        try await disturb(line)
        try await within(Encounter.limit, "a reset during \(what)") {
            for await state in states where state != .ready { return }
        }
        withExtendedLifetime(scan) {}
    }
}
