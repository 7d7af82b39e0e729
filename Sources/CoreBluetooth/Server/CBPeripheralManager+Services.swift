// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CBPeripheralManager {
    func publish(_ service: CBMutableService) {
        guard isReadyForCommands() else { return }
        PublicationRules.check(service)
        let number = mirror.change { $0.add(service) }
        let included = service.includedServices ?? []
        let includes = included.compactMap { includedService in
            mirror.read { $0.number(of: includedService) }
        }
        var refusal = PublicationRules.refusal(of: service)
        if includes.count != included.count { refusal = refusal ?? .invalidParameters }
        let value = PublishedService(service, number: number, includes: includes)
        service.setPublished(true)
        adapter?.enter { [session, refusal] in
            $0.publish(value, refusal: refusal, for: session)
        }
    }

    func unpublish(_ service: CBMutableService) {
        guard isReadyForCommands() else { return }
        guard let number = mirror.read({ $0.number(of: service) }) else {
            return Misuse.warn("\(service) is not published by \(Misuse.name(self))")
        }
        forget(number)
        adapter?.enter { [session] in $0.unpublish(number, for: session) }
    }

    func unpublishAll() {
        guard isReadyForCommands() else { return }
        forgetAll()
        adapter?.enter { [session] in $0.unpublishAll(of: session) }
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
