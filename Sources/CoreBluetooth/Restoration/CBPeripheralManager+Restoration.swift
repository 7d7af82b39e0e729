// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import Foundation

// Restored state, on the manager's queue.
extension CBPeripheralManager {
    /// Creates the restored objects, which are already published, and passes them to the delegate.
    func restored(_ restored: PeripheralManagerIntents) {
        var services: [Int: CBMutableService] = [:]
        for value in restored.services {
            let service = value.makeService(included: services)
            services[value.number] = service
            snapshot.change { $0.insert(service, as: value) }
            service.setPublished(true)
        }
        var state: [String: Any] = [:]
        if !services.isEmpty {
            let inOrder = restored.services.compactMap { services[$0.number] }
            state[CBPeripheralManagerRestoredStateServicesKey] = inOrder
        }
        if let advertisement = restored.advertisement {
            state[CBPeripheralManagerRestoredStateAdvertisementDataKey] = advertisement.dictionary
        }
        delegate?.peripheralManager(self, willRestoreState: state)
    }
}
