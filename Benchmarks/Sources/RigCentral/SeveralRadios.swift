// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothPort
import BluetoothRadios
import HCITransports
import Synchronization

/// Several controllers as one adapter. It counts the advertisements that an application would get.
final class SeveralRadios: PortObserver {
    private let executor = AdapterExecutor()
    private let adapter: CompositeAdapter
    private let count = Mutex(0)

    /// Opens the adapters, and returns when all of them are ready.
    ///
    /// - Parameter names: The names of the adapters.
    /// - Throws: `AdapterSpecificationError` for a name of no adapter.
    init(_ names: [Substring]) async throws {
        let transports = try names.map { try AdapterSpecification(String($0)).makeTransport() }
        adapter = CompositeAdapter(
            transports,
            configuration: HostConfiguration(),
            executor: executor
        )
        executor.perform { [self] in
            adapter.attach(self)
            adapter.open()
        }
        while await usableCount() < transports.count {
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private func usableCount() async -> Int {
        await withCheckedContinuation { continuation in
            executor.perform { [adapter] in
                continuation.resume(returning: adapter.report.radios.count(where: \.isUsable))
            }
        }
    }

    func portDid(_ event: PortEvent) {
        if case .advertised = event { count.withLock { $0 += 1 } }
    }

    /// Scans, and returns the number of advertisements.
    func scan(_ seconds: Int, every: Bool) async throws -> Int {
        let before = count.withLock { $0 }
        let scan = await withCheckedContinuation { continuation in
            executor.perform { [adapter] in
                let scan = adapter.startScan(PortScan(reportsDuplicates: every)) { _ in
                    // A scan that ends by itself shows in a lower count.
                }
                continuation.resume(returning: scan)
            }
        }
        try await Task.sleep(for: .seconds(seconds))
        executor.perform { [adapter] in adapter.endScan(scan) }
        return count.withLock { $0 } - before
    }

    func shutDown() async {
        await adapter.shutDown()
        executor.shutDown()
    }
}
