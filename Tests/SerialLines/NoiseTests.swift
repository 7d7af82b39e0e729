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
        try await withWorkbench { bench in
            try await bench.visit()
            #expect(bench.states.all == [.starting, .ready])
        }
    }

    @Test(
        "The host accepts packets that are cut into pieces of any length",
        arguments: [1, 2, 3, 7, 16]
    )
    func pieces(length: Int) async throws {
        try await withWorkbench(prepare: { $0.pieceLength = length }) { bench in
            try await bench.visit()
            #expect(bench.states.all == [.starting, .ready])
        }
    }

    @Test("The host waits for the rest of a packet that arrives after a pause")
    func pauses() async throws {
        try await withWorkbench { bench in
            // Five bytes are less than every event that matters here.
            bench.uart.line.pieceLength = 5
            bench.uart.line.pause = .milliseconds(15)
            try await bench.visit()
            #expect(bench.states.all == [.starting, .ready])
        }
    }

    @Test("The host resets the controller after it receives corrupt bytes, and continues")
    func nonsense() async throws {
        try await withWorkbench { bench in
            try await bench.visit()
            for round in 1...5 {
                let count = bench.states.all.count
                await bench.uart.sayToHost([0x80 + UInt8(round)])
                let next = try await bench.wait(from: count) {
                    $0 == .resetting(.desynchronised)
                }
                try await bench.wait(from: next) { $0 == .ready }
            }
            try await bench.visit()
            #expect(bench.states.all.allSatisfy { !$0.isUnavailable })
        }
    }

    @Test("The host resets a controller that reports a corrupt command")
    func hardwareError() async throws {
        try await withWorkbench { bench in
            let count = bench.states.all.count
            bench.uart.line.toController = NoisyWire(.inserted, oneIn: 2, seed: 5)
            let scan = bench.host.scan()
            let next = try await bench.wait(from: count) { state in
                if case .resetting = state { true } else { false }
            }
            bench.uart.line.toController = nil
            try await bench.wait(from: next) { $0 == .ready }
            withExtendedLifetime(scan) {}
            try await bench.visit()
        }
    }

    @Test("The host finds the controller on a line that was noisy during opening")
    func noisyStart() async throws {
        try await withWorkbench(
            prepare: { $0.toHost = NoisyWire(.inserted, oneIn: 4, seed: 11, lasting: 150) },
            { bench in try await bench.visit() }
        )
    }

    /// A kind of noise and its direction.
    struct Strike: CustomTestStringConvertible {
        let noise: Noise
        let isToHost: Bool

        static let all = Noise.allCases.flatMap { noise in
            [true, false].map { Strike(noise: noise, isToHost: $0) }
        }

        var testDescription: String {
            "\(noise.testDescription) on the way to the \(isToHost ? "host" : "controller")"
        }
    }

    @Test("The host recovers from noise at any time", arguments: Strike.all)
    func noise(strike: Strike) async throws {
        try await withWorkbench { bench in
            for seed in 1...3 as ClosedRange<UInt64> {
                try await disturb(bench, strike, seed: seed)
                try await bench.recover()
                try await bench.visit()
            }
        }
    }

    /// Uses the host while there is noise, until the host is no longer ready or two seconds have
    /// passed.
    private func disturb(_ bench: Workbench, _ strike: Strike, seed: UInt64) async throws {
        let wire = NoisyWire(strike.noise, oneIn: 60, seed: seed)
        if strike.isToHost {
            bench.uart.line.toHost = wire
        } else {
            bench.uart.line.toController = wire
        }
        let count = bench.states.all.count
        let visit = Task { try? await bench.visitAtLeisure() }
        // Noise need not have any effect, so that a missing state change is not a failure.
        _ = try? await within(.seconds(2), "a notice") {
            try await bench.states.wait(from: count) { $0 != .ready }
        }
        bench.uart.line.toHost = nil
        bench.uart.line.toController = nil
        visit.cancel()
        try await within(Workbench.limit, "the end of a visit") { await visit.value }
    }

    @Test("The host opens the line again if the controller does not answer a reset")
    func silence() async throws {
        try await withWorkbench { bench in
            bench.uart.line.isCut = true
            let count = bench.states.all.count
            let scan = bench.host.scan()
            let next = try await bench.wait(from: count) { $0.isUnavailable }
            bench.uart.line.isCut = false
            try await bench.wait(from: next) { $0 == .ready }
            withExtendedLifetime(scan) {}
            try await bench.visit()
        }
    }

    @Test("The host detects that the adapter was unplugged and uses it when it is back")
    func unplugged() async throws {
        try await withWorkbench { bench in
            let (scan, count) = (bench.host.scan(), bench.states.all.count)
            await bench.uart.unplug()
            let next = try await bench.wait(from: count) { state in
                guard case .unavailable(.transport(let text)) = state else { return false }
                return text.contains("plug it in again")
            }
            let absent = try await bench.wait(from: next) { state in
                guard case .unavailable(.transport(let text)) = state else { return false }
                return text.contains("no such device")
            }
            try bench.uart.terminal.plugIn()
            await bench.uart.connect()
            try await bench.wait(from: absent) { $0 == .ready }
            withExtendedLifetime(scan) {}
            try await bench.visit()
        }
    }
}

extension AdapterState {
    fileprivate var isUnavailable: Bool {
        if case .unavailable = self { true } else { false }
    }
}

extension Workbench {
    /// Waits until the host is ready. It resets the controller to end effects of the noise that the
    /// host has not detected.
    fileprivate func recover() async throws {
        try await wait(from: states.all.count - 1) { $0 == .ready }
        let count = states.all.count
        await uart.sayToHost([0xEE])
        // If the noise has begun a packet, the host detects it when the time for the rest has
        // passed.
        let next = try await wait(from: count) { $0 != .ready }
        try await wait(from: next) { $0 == .ready }
    }
}
