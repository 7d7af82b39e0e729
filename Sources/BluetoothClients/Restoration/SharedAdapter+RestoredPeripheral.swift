// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// Restoring a peripheral manager after an earlier process was killed. Its services are published as
// soon as it is opened. If their former handles are free, a bonded central can still use its copy
// of the database and its subscriptions. Advertising continues when Bluetooth is on.
extension SharedAdapter {
    /// Reads the stored intents of a manager that was opened, and sends it the restored state.
    func restore(_ session: PeripheralManagerSession) {
        openRecords()
        guard let identifier = session.restoreIdentifier else { return }
        let key = RestorationKey(role: .peripheral, identifier: identifier)
        guard take(key, for: session.identifier),
            var intents: PeripheralManagerIntents = recall(key), !intents.isEmpty
        else { return }
        intents.services.removeAll { !republish($0, for: session.identifier) }
        intents.advertisement?.hasBackgroundRules = session.hasBackgroundRules
        if let advertisement = intents.advertisement {
            server.advertising.plan.restore(advertisement, for: session.identifier)
        }
        post(.restored(intents), to: session)
    }

    /// Publishes a service with its former handle, or with another one if the handle is not free.
    /// Returns `false` if the service cannot be published.
    private func republish(
        _ service: AddedService,
        for session: SessionIdentifier
    ) -> Bool {
        guard let includes = server.tree.handles(of: service.includes, of: session) else {
            return false
        }
        let there = service.definition(includes: includes)
        var anywhere = there
        anywhere.handle = nil
        for definition in [there, anywhere] {
            guard let published = try? port.publish(definition) else { continue }
            server.tree.insert(service, of: session, as: published, isFromEarlierSession: true)
            return true
        }
        Misuse.warn("The database has no space for the restored service \(service.uuid)")
        return false
    }

    /// Returns the intents of a peripheral manager.
    func peripheralManagerIntents(of session: SessionIdentifier) -> PeripheralManagerIntents {
        PeripheralManagerIntents(
            services: server.tree.services(of: session),
            advertisement: server.advertising.plan.advertisement(of: session)
        )
    }
}
