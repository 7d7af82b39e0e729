// SPDX-License-Identifier: Apache-2.0

import Benchmark
import Scenarios

/// Declares the benchmarks of decoding a notification through all layers, without a host or a
/// transport.
func decodeBenchmarks() {
    for size in [20, 244] {
        Benchmark("Decode a notification of \(size) bytes, ACL to GATT") { benchmark in
            var scenario = DecodeScenario(size: size)
            try await benchmark.measureRatio(toEchoOf: size + 12) {
                for _ in benchmark.scaledIterations { blackHole(scenario.decode()) }
            }
        }
    }
}
