// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHost
import BluetoothTypes

// A peripheral manager that goes on where an earlier process was killed. Its services are in the
// table as soon as it is opened, each where it was: a bonded central that comes back finds nothing
// changed, and what it had subscribed to holds. Advertising goes on when there is power.
extension SharedAdapter {
    /// Finds what is kept for a manager that has just been opened, and has it told.
    func restore(_ session: PeripheralManagerSession) {
        openRecords()
        guard let identifier = session.restoreIdentifier else { return }
        let key = RestorationKey(role: .peripheral, identifier: identifier)
        guard take(key, for: session.identifier),
            let intents: PeripheralManagerIntents = recall(key), !intents.isEmpty
        else { return }
        let services = intents.services.filter { republish($0, for: session.identifier) }
        if let advertisement = intents.advertisement {
            let wish = AdvertisementWish(
                localName: advertisement.localName,
                services: advertisement.services,
                hasBackgroundRules: session.hasBackgroundRules
            )
            server.advertising.plan.restore(wish, for: session.identifier)
        }
        let restored = RestoredPeripheralManager(
            services: services,
            advertisement: intents.advertisement
        )
        post(.restored(restored), to: session)
    }

    /// Puts a service where it was, or where there is room; whether there was any.
    private func republish(
        _ service: PublishedService,
        for session: SessionIdentifier
    ) -> Bool {
        guard let includes = server.tree.handles(of: service.includes, of: session) else {
            return false
        }
        let there = service.definition(includes: includes)
        var anywhere = there
        anywhere.handle = nil
        for definition in [there, anywhere] {
            guard let published = try? onHost({ try $0.publish(definition) }) else { continue }
            server.tree.insert(service, of: session, as: published, isFromBefore: true)
            return true
        }
        Misuse.warn("There is no room for the service \(service.uuid) that was published before")
        return false
    }

    /// What a peripheral manager wants now.
    func peripheralManagerIntents(of session: SessionIdentifier) -> PeripheralManagerIntents {
        PeripheralManagerIntents(
            services: server.tree.services(of: session),
            advertisement: server.advertising.plan.wish(of: session).map { wish in
                AdvertisementIntent(localName: wish.localName, services: wish.services)
            }
        )
    }
}
