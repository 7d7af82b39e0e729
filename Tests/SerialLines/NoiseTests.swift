// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import LanyardTestSupport
import ProcessTestSupport
import Testing

/// A host on a serial line with one of our controllers at its end, with noise on the line and
/// without.
@Suite("A host on a serial line")
struct NoiseTests {
    @Test("The host works as on any other transport, and no reset occurs")
    func goodLine() async throws {
        try await withSerialHarness { harness in
            try await harness.visit()
            #expect(harness.states.all == [.starting, .ready])
        }
    }

    @Test("The host accepts packets that are cut into pieces", arguments: [1, 2, 3, 7, 16])
    func pieces(length: Int) async throws {
        try await withSerialHarness(prepare: { $0.pieceLength = length }) { harness in
            try await harness.visit()
            #expect(harness.states.all == [.starting, .ready])
        }
    }

    @Test("The host waits for the rest of a packet that arrives after a pause")
    func pauses() async throws {
        try await withSerialHarness { harness in
            // Every event of the visit is longer than five bytes.
            harness.uart.line.pieceLength = 5
            harness.uart.line.pause = .milliseconds(15)
            try await harness.visit()
            #expect(harness.states.all == [.starting, .ready])
        }
    }

    @Test("The host resets the controller after it receives corrupt bytes, and continues")
    func corruptBytes() async throws {
        try await withSerialHarness { harness in
            try await harness.visit()
            for round in 1...5 {
                let count = harness.states.all.count
                await harness.uart.sayToHost([0x80 + UInt8(round)])
                let next = try await harness.wait(from: count) {
                    $0 == .resetting(.desynchronized)
                }
                try await harness.wait(from: next) { $0 == .ready }
            }
            try await harness.visit()
            #expect(harness.states.all.allSatisfy { !$0.isUnavailable })
        }
    }

    @Test("The host resets a controller that reports a corrupt command")
    func hardwareError() async throws {
        try await withSerialHarness { harness in
            let count = harness.states.all.count
            harness.uart.line.toController = NoisyWire(.inserted, oneIn: 2, seed: 5)
            let scan = harness.host.scan()
            let next = try await harness.wait(from: count) { state in
                if case .resetting = state { true } else { false }
            }
            harness.uart.line.toController = nil
            try await harness.wait(from: next) { $0 == .ready }
            withExtendedLifetime(scan) {}
            try await harness.visit()
        }
    }

    @Test("The host finds the controller on a line that was noisy during opening")
    func noisyStart() async throws {
        try await withSerialHarness(
            prepare: { $0.toHost = NoisyWire(.inserted, oneIn: 4, seed: 11, lasting: 150) },
            { harness in try await harness.visit() }
        )
    }

    /// A kind of noise and its direction.
    struct DirectedNoise: CustomTestStringConvertible {
        let noise: Noise
        let isToHost: Bool

        static let all = Noise.allCases.flatMap { noise in
            [true, false].map { DirectedNoise(noise: noise, isToHost: $0) }
        }

        var testDescription: String {
            "\(noise.testDescription) on the way to the \(isToHost ? "host" : "controller")"
        }
    }

    @Test("The host recovers from noise of each kind and direction", arguments: DirectedNoise.all)
    func noise(directed: DirectedNoise) async throws {
        try await withSerialHarness { harness in
            for seed in 1...3 as ClosedRange<UInt64> {
                try await disturb(harness, directed, seed: seed)
                try await harness.recover()
                try await harness.visit()
            }
        }
    }

    /// Uses the host while there is noise, until the host is no longer ready or two seconds have
    /// passed.
    private func disturb(_ harness: SerialHarness, _ directed: DirectedNoise, seed: UInt64)
        async throws
    {
        let wire = NoisyWire(directed.noise, oneIn: 60, seed: seed)
        if directed.isToHost {
            harness.uart.line.toHost = wire
        } else {
            harness.uart.line.toController = wire
        }
        let count = harness.states.all.count
        let visit = Task { try? await harness.visitAtLeisure() }
        // Noise need not have any effect, so a missing state change is not a failure.
        _ = try? await within(.seconds(2), "a notice") {
            try await harness.states.wait(from: count) { $0 != .ready }
        }
        harness.uart.line.toHost = nil
        harness.uart.line.toController = nil
        visit.cancel()
        try await within(SerialHarness.limit, "the end of a visit") { await visit.value }
    }

    @Test("The host opens the line again if the controller does not answer a reset")
    func silence() async throws {
        try await withSerialHarness { harness in
            harness.uart.line.isCut = true
            let count = harness.states.all.count
            let scan = harness.host.scan()
            let next = try await harness.wait(from: count) { $0.isUnavailable }
            harness.uart.line.isCut = false
            try await harness.wait(from: next) { $0 == .ready }
            withExtendedLifetime(scan) {}
            try await harness.visit()
        }
    }

    @Test("The host detects that the adapter was unplugged and uses it when it is back")
    func unplugged() async throws {
        try await withSerialHarness { harness in
            let (scan, count) = (harness.host.scan(), harness.states.all.count)
            await harness.uart.unplug()
            let next = try await harness.wait(from: count) { state in
                guard case .unavailable(.transport(let text)) = state else { return false }
                return text.contains("plug it in again")
            }
            let absent = try await harness.wait(from: next) { state in
                guard case .unavailable(.transport(let text)) = state else { return false }
                return text.contains("no such device")
            }
            try harness.uart.terminal.plugIn()
            await harness.uart.connect()
            try await harness.wait(from: absent) { $0 == .ready }
            withExtendedLifetime(scan) {}
            try await harness.visit()
        }
    }
}

extension AdapterState {
    fileprivate var isUnavailable: Bool {
        if case .unavailable = self { true } else { false }
    }
}

extension SerialHarness {
    /// Waits until the host is ready. Makes the host reset the controller, which ends effects of
    /// the noise that the host has not detected.
    fileprivate func recover() async throws {
        try await wait(from: states.all.count - 1) { $0 == .ready }
        let count = states.all.count
        await uart.sayToHost([0xEE])
        // If the noise has begun a packet, the host detects that when the time for the rest of the
        // packet has passed.
        let next = try await wait(from: count) { $0 != .ready }
        try await wait(from: next) { $0 == .ready }
    }
}
