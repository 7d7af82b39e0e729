// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import Foundation

extension CBPeripheralManager {
    func publish(_ service: CBMutableService) {
        guard isReadyForCommands() else { return }
        PublicationRules.check(service)
        command(making: { addToSnapshot(service) }) { [session] adapter, taken, statesReceived in
            let isCurrent = adapter.accepts(commandOf: session, after: statesReceived)
            if let former = taken.former { adapter.unpublish(former, for: session) }
            adapter.publish(taken.value, refusal: taken.refusal, isCurrent: isCurrent, for: session)
        }
    }

    /// Adds a service to the snapshot.
    ///
    /// - Returns: `value` is the service as the adapter publishes it. `former` is the number under
    ///   which the service is published already, if the app has changed it since. `refusal` is the
    ///   reason why the service must not be published, or `nil` if there is none.
    private func addToSnapshot(
        _ service: CBMutableService
    ) -> (value: AddedService, former: Int?, refusal: ClientError.Code?) {
        let included = service.includedServices ?? []
        let includes = included.compactMap { includedService in
            snapshot.read { $0.number(of: includedService) }
        }
        let former = snapshot.read { $0.change(of: service, includes: includes) }
        if let former { forget(former) }
        let value = snapshot.change { $0.add(service, includes: includes) }
        let isComplete = includes.count == included.count && PublicationRules.isOwn(service)
        let refusal = value.refusal ?? (isComplete ? nil : .invalidParameters)
        service.setPublished(true)
        return (value, former, refusal)
    }

    func unpublish(_ service: CBMutableService) {
        guard isReadyForCommands() else { return }
        guard let number = snapshot.read({ $0.number(of: service) }) else {
            return Misuse.warn("\(service.logName) is not published by \(Misuse.name(self))")
        }
        command(making: { forget(number) }) { [session] adapter, _, _ in
            adapter.unpublish(number, for: session)
        }
    }

    func unpublishAll() {
        guard isReadyForCommands() else { return }
        command(making: { forgetAll() }) { [session] adapter, _, _ in
            adapter.unpublishAll(of: session)
        }
    }

    /// Removes a service from the snapshot.
    func forget(_ number: Int) {
        snapshot.change { $0.remove(number) }?.release()
    }

    func forgetAll() {
        for entry in snapshot.change({ $0.removeAll() }) { entry.release() }
    }
}

extension PeripheralManagerSnapshot.Entry {
    /// Marks the objects as not published, and removes their subscriptions.
    fileprivate func release() {
        service.setPublished(false)
        for characteristic in characteristics {
            characteristic.setPublished(false)
            characteristic.setSubscribedCentrals([])
        }
    }
}
