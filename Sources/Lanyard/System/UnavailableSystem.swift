// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// The system of a platform without a module that is called CoreBluetooth: Bluetooth is always
/// unsupported.
struct UnavailableSystem: AccessorySystem {
    func makeCentral(
        restoring restoreIdentifier: String?,
        on queue: DispatchQueue
    ) -> any SystemCentral {
        UnavailableCentral(on: queue)
    }

    func makeServer(
        restoring restoreIdentifier: String?,
        on queue: DispatchQueue
    ) -> any SystemServer {
        UnavailableServer(on: queue)
    }
}

private final class UnavailableCentral: SystemCentral {
    let availability = Availability.unsupported
    private let queue: DispatchQueue

    init(on queue: DispatchQueue) {
        self.queue = queue
    }

    func begin(_ receive: @escaping @Sendable (SystemCentralEvent) -> Void) {
        queue.async { receive(.availabilityChanged(.unsupported)) }
    }

    func end() {}
    func setInBackground(_ isInBackground: Bool) {}
    func scan(_ scan: PlannedScan) {}
    func stopScan() {}
    func peripherals(with identifiers: [UUID]) -> [SystemPeripheral] { [] }
    func connectedPeripherals(with services: [BluetoothID]) -> [SystemPeripheral] { [] }
    func connect(_ peripheral: SystemPeripheral, _ options: ConnectionOptions) {}
    func cancelConnection(_ peripheral: SystemPeripheral) {}
    func linkState(of peripheral: SystemPeripheral) -> SystemLinkState { .disconnected }

    func writeCapacity(of peripheral: SystemPeripheral) -> WriteCapacity {
        WriteCapacity(withResponse: 0, withoutResponse: 0, canSendWithoutResponse: false)
    }

    func send(_ request: PeripheralRequest, to peripheral: SystemPeripheral) {}
}

private final class UnavailableServer: SystemServer {
    private let queue: DispatchQueue

    init(on queue: DispatchQueue) {
        self.queue = queue
    }

    func begin(_ receive: @escaping @Sendable (SystemServerEvent) -> Void) {
        queue.async { receive(.availabilityChanged(.unsupported)) }
    }

    func end() {}
    func publish(_ services: [PublishedService]) {}
    func advertise(name: String, services: [BluetoothID]) {}
    func respond(to request: ServerRequestNumber, _ result: Result<Data, AttributeError>) {}
    func subscribers(of characteristic: BluetoothID) -> [SystemSubscriber] { [] }

    func send(
        _ value: Data,
        of characteristic: BluetoothID,
        to centrals: [UUID]?,
        delivered: (@Sendable (Bool) -> Void)?
    ) -> Bool {
        delivered?(false)
        return true
    }

    func refusal(for error: any Error) -> AttributeError? { nil }
}
