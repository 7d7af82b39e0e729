// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// Publishing and unpublishing services.
extension SharedAdapter {
    /// Publishes a service and answers the manager, in the order of the calls.
    ///
    /// - Parameters:
    ///   - refusal: The reason why the service must not be published. `nil` to publish it.
    ///   - isCurrent: Whether Bluetooth is on and was not off since the call.
    package func publish(
        _ service: AddedService,
        refusal: ClientError.Code?,
        isCurrent: Bool,
        for session: SessionIdentifier
    ) {
        guard server.sessions[session] != nil else { return }
        let code = refusal ?? publish(service, isCurrent: isCurrent, for: session)
        intentsChanged(of: session)
        post(.added(service.number, code.map { .failed($0) }), to: session)
    }

    /// Publishes a service. Returns the error if that fails.
    private func publish(
        _ service: AddedService,
        isCurrent: Bool,
        for session: SessionIdentifier
    ) -> ClientError.Code? {
        guard server.tree.entry(service.number, of: session) == nil else {
            server.tree.renew(service.number, of: session)
            return nil
        }
        guard isCurrent else { return .unknown }
        replacePredecessors(of: service, for: session)
        guard let includes = server.tree.handles(of: service.includes, of: session) else {
            return .invalidParameters
        }
        do {
            let definition = service.definition(includes: includes)
            let published = try port.publish(definition)
            server.tree.insert(service, of: session, as: published)
            noteProtection()
            return nil
        } catch {
            return ClientError.Code(refusal: error)
        }
    }

    /// Unpublishes the earlier services that a service replaces. Without this, an application that
    /// publishes its services each time Bluetooth turns on would have them several times.
    private func replacePredecessors(
        of service: AddedService,
        for session: SessionIdentifier
    ) {
        let earlier = server.tree.predecessors(of: service, of: session)
        guard !earlier.isEmpty else { return }
        for number in earlier { unpublish(number, for: session) }
        post(.replaced(earlier), to: session)
    }

    /// Unpublishes a service. A service that other services include stays in the database until
    /// those services are unpublished.
    package func unpublish(_ number: Int, for session: SessionIdentifier) {
        guard let entry = server.tree.entry(number, of: session) else { return }
        server.tree.remove(number, of: session)
        intentsChanged(of: session)
        server.subscriptions.remove(service: number, of: session)
        server.servicesToUnpublish.append(entry.published)
        noteProtection()
        unpublishRemaining()
    }

    /// Removes a service that the port could not offer to clients, so that the application can
    /// publish it again.
    func publishingFailed(_ service: GATT.DiscoveredService, _ error: PortError) {
        Misuse.warn("The service \(service.service.uuid) could not be published: \(error)")
        guard let entry = server.tree.entry(publishedAs: service) else { return }
        server.tree.remove(entry.service.number, of: entry.session)
        intentsChanged(of: entry.session)
        server.subscriptions.remove(service: entry.service.number, of: entry.session)
        noteProtection()
    }

    /// Updates whether a published value or channel requires encryption. If so, centrals may pair.
    func noteProtection() {
        let isProtected =
            server.tree.hasProtectedValues
            || listening.listeners.values.contains(where: \.isEncrypted)
        switches.change { $0.pairingConditions.hasProtectedContent = isProtected }
    }

    /// Unpublishes all services of a manager, the newest first, because a service may include
    /// older ones.
    package func unpublishAll(of session: SessionIdentifier) {
        for service in server.tree.services(of: session).reversed() {
            unpublish(service.number, for: session)
        }
    }

    private func unpublishRemaining() {
        // Each service that is unpublished may have included another one that waits.
        var count: Int
        repeat {
            count = server.servicesToUnpublish.count
            for service in server.servicesToUnpublish.reversed() {
                do {
                    try port.unpublish(service)
                } catch GATT.DefinitionError.stillIncluded {
                    continue
                } catch {
                    // The host no longer has the service.
                }
                server.servicesToUnpublish.removeAll { $0 == service }
            }
        } while server.servicesToUnpublish.count < count
    }
}

extension ClientError.Code {
    /// Creates the error that an application gets for a service that the port refused.
    fileprivate init(refusal error: any Error) {
        self =
            switch error {
            case GATT.DefinitionError.tableFull: .outOfSpace
            case GATT.DefinitionError.reserved: .uuidNotAllowed
            case PortError.unsupported: .operationNotSupported
            default: .invalidParameters
            }
    }
}
