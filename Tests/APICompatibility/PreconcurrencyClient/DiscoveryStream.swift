// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// Swift 6: a delegate on a queue of its own that turns callbacks into a sequence of values.

/// A discovery as sendable values.
struct Discovery: Sendable, Equatable {
    let identifier: UUID
    let name: String?
    let strength: Int
}

/// Returns all discoveries, as a sequence that ends when Bluetooth is powered off or unavailable.
func discoveries(
    on queue: DispatchQueue,
    options: sending [String: Any]? = nil
) -> AsyncStream<Discovery> {
    AsyncStream { continuation in
        let scanner = Scanner(continuation, options: options)
        scanner.start(on: queue)
        continuation.onTermination = { _ in scanner.stop(on: queue) }
    }
}

/// A scanner that is used only on its queue.
private final class Scanner: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    private let continuation: AsyncStream<Discovery>.Continuation
    private let options: [String: Any]?
    private var central: CBCentralManager?

    init(_ continuation: AsyncStream<Discovery>.Continuation, options: [String: Any]?) {
        self.continuation = continuation
        self.options = options
    }

    func start(on queue: DispatchQueue) {
        queue.async { [self] in
            central = CBCentralManager(delegate: self, queue: queue, options: options)
        }
    }

    func stop(on queue: DispatchQueue) {
        queue.async { [self] in
            central?.stopScan()
            central = nil
        }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn {
            central.scanForPeripherals(withServices: nil)
        } else if central.state.rawValue > CBManagerState.resetting.rawValue {
            continuation.finish()
        }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String
        continuation.yield(
            Discovery(
                identifier: peripheral.identifier,
                name: name ?? peripheral.name,
                strength: RSSI.intValue
            )
        )
    }
}
