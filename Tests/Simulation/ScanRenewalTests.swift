// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import HCITransports
import LanyardTestSupport
import Synchronization
import Testing
import VirtualAccessories
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.ScanRequest

/// Scans that begin while the controller scans. Advertisements that the controller filters as
/// duplicates are new to these scans.
@Suite("A scan that joins or replaces another scan")
struct ScanRenewalTests {
    /// The event between the end of the first scan and the beginning of the second.
    enum Change: CaseIterable {
        /// The first scan continues.
        case beside
        /// No event: the first scan ends and the second begins in the same instant.
        case instead
        /// A connection request that is canceled in the same instant.
        case connecting
    }

    @Test(
        "The second scan discovers every device, as the first one does",
        arguments: Change.allCases,
        RunSeed.seeds(3)
    )
    func allDevices(_ change: Change, seed: UInt64) async throws {
        let world = World(seed: seed)
        try ExampleAccessories.populate(world)
        let air = SimulatedAir(world)
        let transport = try air.addAdapter()
        let recorder = ScanRecorder()
        try await air.run(bound: .seconds(200)) {
            let host = BluetoothHost(transport: transport, executor: air.executor)
            host.execute { $0.attach(recorder) }
            try await host.start()
            host.execute { $0.listen(recorder) }
            try await air.sleep(for: .seconds(60))
            host.execute { $0.listen(recorder, after: change) }
            try await air.sleep(for: .seconds(60))
            await host.shutdown()
        }
        let received = recorder.received
        #expect(received.count == 2)
        #expect(received[0].count >= 5 && received[1] == received[0], "\(received.map(\.count))")
    }

    /// The devices that each scan has discovered, in the order of the scans.
    final class ScanRecorder: HostObserver {
        private let state = Mutex((scans: [RequestIdentifier](), received: [Set<DeviceAddress>]()))

        var received: [Set<DeviceAddress>] { state.withLock { $0.received } }
        var lastScan: RequestIdentifier? { state.withLock { $0.scans.last } }

        func add(_ scan: RequestIdentifier) {
            state.withLock { state in
                state.scans.append(scan)
                state.received.append([])
            }
        }

        func hostDid(_ event: HostEvent) {
            guard case .advertised(let scan, let found) = event else { return }
            state.withLock { state in
                guard let number = state.scans.firstIndex(of: scan) else { return }
                state.received[number].insert(found.address)
            }
        }
    }
}

extension BluetoothHost {
    fileprivate func listen(
        _ recorder: ScanRenewalTests.ScanRecorder,
        after change: ScanRenewalTests.Change? = nil
    ) {
        if change == .connecting, let address = recorder.received.first?.first {
            cancelConnectionRequest(beginConnecting(to: address, options: .whenAvailable) { _ in })
        }
        if change != .beside, let scan = recorder.lastScan { endScan(scan) }
        let request = ScanRequest(
            filter: ScanFilter(),
            parameters: ScanParameters(),
            reportsDuplicates: false
        )
        recorder.add(beginScan(request) { _ in })
    }
}
