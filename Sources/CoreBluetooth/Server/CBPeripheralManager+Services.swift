// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CBPeripheralManager {
    func publish(_ service: CBMutableService) {
        guard isReadyForCommands() else { return }
        PublicationRules.check(service)
        command(making: { takeIn(service) }) { [session] adapter, taken, statesHeard in
            let isCurrent = adapter.accepts(commandOf: session, after: statesHeard)
            adapter.publish(taken.value, refusal: taken.refusal, isCurrent: isCurrent, for: session)
        }
    }

    /// Has the service among those that are published, and as the adapter is to have it.
    private func takeIn(
        _ service: CBMutableService
    ) -> (value: PublishedService, refusal: CBError.Code?) {
        let number = mirror.change { $0.add(service) }
        let included = service.includedServices ?? []
        let includes = included.compactMap { includedService in
            mirror.read { $0.number(of: includedService) }
        }
        var refusal = PublicationRules.refusal(of: service)
        if includes.count != included.count { refusal = refusal ?? .invalidParameters }
        service.setPublished(true)
        return (PublishedService(service, number: number, includes: includes), refusal)
    }

    func unpublish(_ service: CBMutableService) {
        guard isReadyForCommands() else { return }
        guard let number = mirror.read({ $0.number(of: service) }) else {
            return Misuse.warn("\(service) is not published by \(Misuse.name(self))")
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

    /// A service is the application's to change again.
    func forget(_ number: Int) {
        mirror.change { $0.remove(number) }?.release()
    }

    func forgetAll() {
        for service in mirror.change({ $0.removeAll() }) { service.release() }
    }
}

extension CBMutableService {
    /// Nobody has the service in a table any more.
    fileprivate func release() {
        setPublished(false)
        for case let characteristic as CBMutableCharacteristic in characteristics ?? [] {
            characteristic.setSubscribedCentrals([])
        }
    }
}
