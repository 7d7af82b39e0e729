// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATTServer {
    /// Adds a bearer, and creates the client's record for its first one.
    ///
    /// - Parameter mtu: The ATT_MTU of the bearer. A value below 23 counts as 23.
    package mutating func open(_ bearer: BearerID, security: LinkSecurity, mtu: Int) {
        hasBeenSeen = true
        var client = clients[bearer.client] ?? Client(security: security)
        client.security = security
        client.bearers[bearer.channel] = max(mtu, ATT.defaultMTU)
        if client.clientRecord.knownHash == nil, client.awareness.isAware {
            client.clientRecord.knownHash = database.hash
        }
        clients[bearer.client] = client
    }

    /// Removes a bearer and its open request. With the client's last bearer, removes its record and
    /// prepared writes (Vol 3, Part F, 3.3.2 and 3.4.6.1). The `remember` action has already stored
    /// the record of a trusted client.
    ///
    /// - Returns: An action that repeats an unconfirmed indication on another bearer of the client.
    ///   Empty if there is no such indication or no other bearer.
    @discardableResult
    package mutating func close(_ bearer: BearerID) -> [Action] {
        guard clients[bearer.client]?.bearers.removeValue(forKey: bearer.channel) != nil else {
            return []
        }
        pending[bearer] = nil
        if clients[bearer.client]?.bearers.isEmpty == true {
            clients[bearer.client] = nil
            prepared[bearer.client] = nil
            return []
        }
        clients[bearer.client]?.serviceChange.closed(bearer.channel)
        return indicateServiceChange(to: bearer.client)
    }

    /// Sets the ATT_MTU of a bearer.
    package mutating func mtuChanged(_ bearer: BearerID, _ mtu: Int) {
        guard clients[bearer.client]?.bearers[bearer.channel] != nil else { return }
        clients[bearer.client]?.bearers[bearer.channel] = max(mtu, ATT.defaultMTU)
    }

    /// Sets the security of a client's link.
    ///
    /// Once the link is encrypted with the key of a bond, the client's record is stored from then
    /// on. If there is an older record, call `restore` first.
    package mutating func securityChanged(
        _ client: ClientID,
        _ security: LinkSecurity
    ) -> [Action] {
        guard let before = clients[client] else { return [] }
        clients[client]?.security = security
        // The stored record belonged to the old bond. A new bond starts without a record.
        if !security.isBonded { clients[client]?.storedRecord = nil }
        let isNewlyTrusted = !before.isTrusted && clients[client]?.isTrusted == true
        // A change that could not be indicated to an unencrypted client is indicated now.
        return isNewlyTrusted ? remember(client) + indicateServiceChange(to: client) : []
    }

    /// Sets whether the application authorizes the client for attributes that require
    /// authorization.
    package mutating func authorize(_ client: ClientID, _ isAuthorized: Bool) {
        clients[client]?.isAuthorized = isAuthorized
    }

    /// Returns the record of a connected client, with its security and authorization, or `nil` if
    /// it is not connected.
    package func client(_ id: ClientID) -> Client? { clients[id] }

    /// Returns an action that stores the client's record if it is trusted and the record has
    /// changed.
    mutating func remember(_ client: ClientID) -> [Action] {
        guard let record = clients[client], record.isTrusted,
            record.clientRecord != record.storedRecord
        else {
            return []
        }
        clients[client]?.storedRecord = record.clientRecord
        return [.remember(client, record.clientRecord)]
    }
}

extension GATTServer {
    /// Processes the record of a client that seems to be bonded but has not proved its identity by
    /// encryption yet.
    ///
    /// If the database that the client knows is not the current one, the client already becomes
    /// change-unaware, as it will be after encryption (Vol 3, Part G, 2.5.2.1). The server also
    /// takes over the client's supported features from the record. The rest of the record has no
    /// effect.
    package mutating func recognize(_ client: ClientID, _ clientRecord: ClientRecord) {
        guard clients[client]?.isTrusted == false, clientRecord.knownHash != database.hash else {
            return
        }
        clients[client]?.clientRecord.supportedFeatures |=
            clientRecord.supportedFeatures & ClientFeatures.all
        clients[client]?.awareness.databaseChanged()
    }

    /// Restores the stored record of a bonded client.
    ///
    /// Call this as soon as the client's identity is proved, before its next PDU is processed. A
    /// client that does not know of a change is then change-unaware from its first request on.
    /// Configurations that the client has written on this link take precedence. Stored
    /// configurations of characteristics that no longer exist are removed, and those that take
    /// effect are reported to the application. If the database has changed, the server indicates
    /// Service Changed for all handles to a client that has subscribed to it, because the earlier
    /// database is not known.
    package mutating func restore(_ client: ClientID, _ clientRecord: ClientRecord) -> [Action] {
        guard var record = clients[client] else { return [] }
        let valid = clientRecord.configurations.filter(permitsConfiguration)
        let configured = record.clientRecord.configurations
        record.clientRecord.configurations.merge(valid) { current, _ in current }
        record.clientRecord.supportedFeatures |= clientRecord.supportedFeatures & ClientFeatures.all
        let counters = [clientRecord.lastSignCounter, record.clientRecord.lastSignCounter]
            .compactMap { $0 }
        record.clientRecord.lastSignCounter = counters.max()
        record.clientRecord.knownHash = clientRecord.knownHash
        record.storedRecord = clientRecord
        if clientRecord.knownHash == database.hash {
            record.awareness.becomeAware()
        } else {
            record.awareness.databaseChanged()
        }
        clients[client] = record
        if !record.awareness.isAware, wantsServiceChanged(client) {
            clients[client]?.serviceChange.add(.all)
        }
        let subscribed = valid.keys.sorted().filter { configured[$0] == nil }.compactMap {
            subscriptionReport(ofConfiguration: $0, by: client)
        }
        return subscribed + remember(client) + indicateServiceChange(to: client)
    }

    /// Returns whether the descriptor still exists at its handle, belongs to the same
    /// characteristic, and permits the bits.
    private func permitsConfiguration(
        _ handle: AttributeHandle,
        _ configuration: ClientRecord.Configuration
    ) -> Bool {
        guard case .clientConfiguration(let valueHandle) = database.attribute(handle)?.value,
            let record = database.characteristics[valueHandle]
        else { return false }
        return record.uuid == configuration.characteristic
            && record.service == configuration.service
            && configuration.bits & ~record.permittedConfiguration == 0
    }
}
