// SPDX-License-Identifier: Apache-2.0

import BluetoothCrypto
import BluetoothGAP
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

#if canImport(Glibc)
    import Glibc
#elseif !os(Linux)
    import Darwin
#endif

// The table of security in docs/PERFORMANCE.md, printed as Markdown. Run with `taskset -c 1`: on
// one core.
//
// Each figure is next to the cost of the cryptographic library alone for the same work in the same
// run: their ratio can be compared between machines.
@main
struct SecurityTable {
    private static let pairingCount = 500
    private static let resolutionCount = 200
    private static let bondCount = 1_000

    static func main() throws {
        print("| | time, µs | CPU, µs | in the library alone, µs | ratio |")
        print("|---|--:|--:|--:|--:|")
        let agreements = measure(pairingCount) { seed in
            var run = PairingRun(.noInputNoOutput, seed: seed)
            return run.agreeTwice()
        }
        for (name, capability) in PairingRun.kinds {
            let pairing = measure(pairingCount) { seed in
                var run = PairingRun(capability, seed: seed)
                return run.pair()
            }
            printRow("pairing, both sides: \(name)", pairing, agreements)
        }
        let blocks = measure(resolutionCount) { seed in encryptBlocks(seed) }
        let resolution = measureResolution()
        printRow("unknown address among \(bondCount) bonds", resolution, blocks)
    }

    /// Microseconds for one operation.
    struct Figure {
        var time: Double
        var processor: Double
    }

    /// Measures an operation, which must succeed each time.
    private static func measure(_ count: Int, _ body: (UInt64) -> Bool) -> Figure {
        precondition(body(0), "The measured operation failed before the measurement")
        let processor = clock()
        let start = ContinuousClock.now
        for seed in 1...UInt64(count) { precondition(body(seed), "The measured operation failed") }
        let time = ContinuousClock.now - start
        let ticks = Double(clock() - processor) / Double(CLOCKS_PER_SEC)
        return Figure(
            time: time / .microseconds(1) / Double(count),
            processor: ticks * 1_000_000 / Double(count)
        )
    }

    /// A prepared cipher for the key of each bond. To try all keys, a resolver must encrypt at
    /// least one block with each of them.
    private static let ciphers = (0..<bondCount).compactMap { AES128(key: key($0)) }

    private static func encryptBlocks(_ seed: UInt64) -> Bool {
        let block = [UInt8](repeating: UInt8(truncatingIfNeeded: seed), count: 16)
        return ciphers.allSatisfy { $0.encrypt(block) != nil }
    }

    private static func key(_ number: Int) -> [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: (number &+ 1) &* (2 * $0 + 3)) }
    }

    /// Measures the resolution of new addresses that belong to no bond, so that every key is tried.
    private static func measureResolution() -> Figure {
        var resolver = AddressResolver()
        resolver.setPeers(
            (0..<bondCount).compactMap { number in
                HCI.Key128(key(number)).map {
                    AddressResolver.Peer(
                        identity: DeviceAddress(value: UInt64(number), kind: .public),
                        key: $0
                    )
                }
            }
        )
        return measure(resolutionCount) { seed in
            let address = DeviceAddress(value: 0x4000_0000_0000 | seed << 20, kind: .random)
            _ = resolver.resolve(address)
            return true
        }
    }

    private static func printRow(_ name: String, _ figure: Figure, _ floor: Figure) {
        let cells = [
            tenths(figure.time), tenths(figure.processor), tenths(floor.time),
            (figure.time / floor.time * 100).rounded() / 100,
        ]
        print("| \(name) | " + cells.map(\.description).joined(separator: " | ") + " |")
    }

    private static func tenths(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}
