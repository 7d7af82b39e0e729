// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Synchronization
import Testing

@testable import HCITransports

@Suite("Adapter executor")
struct AdapterExecutorTests {
    private let executor = AdapterExecutor()

    /// Waits until all that was enqueued before has run.
    private func drain() async {
        await withCheckedContinuation { continuation in
            executor.perform { continuation.resume() }
        }
    }

    @Test("closures run in the order they were given, on one thread that is not ours")
    func order() async {
        let seen = Mutex<[Int]>([])
        for index in 0..<1000 {
            executor.perform { [executor] in
                #expect(executor.isCurrent)
                seen.withLock { $0.append(index) }
            }
        }
        await drain()
        #expect(!executor.isCurrent)
        #expect(seen.withLock { $0 } == Array(0..<1000))
        executor.shutDown()
    }
}
