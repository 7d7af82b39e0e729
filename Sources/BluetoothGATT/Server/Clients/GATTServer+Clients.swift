// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATTServer {
    /// A bearer is there; a client's first one makes its record.
    ///
    /// - Parameter mtu: The ATT_MTU of the bearer: 23 at least; less counts as 23.
    package mutating func open(_ bearer: BearerID, security: LinkSecurity, mtu: Int) {
        hasBeenSeen = true
        var client = clients[bearer.client] ?? Client(security: security)
        client.security = security
        client.bearers[bearer.channel] = max(mtu, Self.smallestMTU)
        if client.memory.knownHash == nil, client.awareness.isAware {
            client.memory.knownHash = database.hash
        }
        clients[bearer.client] = client
    }

    /// A bearer is gone; with the last one goes the client's record. What is kept of a bonded client
    /// was handed out by `remember` before.
    ///
    /// - Returns: What was not confirmed on this bearer, for another one.
    @discardableResult
    package mutating func close(_ bearer: BearerID) -> [Action] {
        guard clients[bearer.client]?.bearers.removeValue(forKey: bearer.channel) != nil else {
            return []
        }
        forgetRequests(of: bearer)
        if clients[bearer.client]?.bearers.isEmpty == true {
            clients[bearer.client] = nil
            return []
        }
        clients[bearer.client]?.serviceChange.closed(bearer.channel)
        return indicateServiceChange(to: bearer.client)
    }

    /// The ATT_MTU of the bearer is another one.
    package mutating func mtuChanged(_ bearer: BearerID, _ mtu: Int) {
        guard clients[bearer.client]?.bearers[bearer.channel] != nil else { return }
        clients[bearer.client]?.bearers[bearer.channel] = max(mtu, Self.smallestMTU)
    }

    /// The link is protected in another way. Once it is encrypted with the key of a bond, the
    /// client's record is kept from then on; where there is an older one, `restore` it before.
    package mutating func securityChanged(
        _ client: ClientID,
        _ security: LinkSecurity
    ) -> [Action] {
        guard let before = clients[client] else { return [] }
        clients[client]?.security = security
        // With the bond went what was kept: a new one begins with nothing.
        if !security.isBonded { clients[client]?.kept = nil }
        let isNewlyTrusted = !before.isTrusted && clients[client]?.isTrusted == true
        // What could not be said to a client that had not proved who it is, is said now.
        return isNewlyTrusted ? remember(client) + indicateServiceChange(to: client) : []
    }

    /// The application lets the client at what needs authorization, or no longer.
    package mutating func authorize(_ client: ClientID, _ isAuthorized: Bool) {
        clients[client]?.isAuthorized = isAuthorized
    }

    /// What is known of a connected client: its security and authorization above all; nil if it is
    /// not connected.
    package func client(_ id: ClientID) -> Client? { clients[id] }

    /// The smallest ATT_MTU (Vol 3, Part F, 3.2.8).
    private static let smallestMTU = 23

    /// Hands out what is known of a client, if it is to be kept and has changed.
    mutating func remember(_ client: ClientID) -> [Action] {
        guard let record = clients[client], record.isTrusted, record.memory != record.kept else {
            return []
        }
        clients[client]?.kept = record.memory
        return [.remember(client, record.memory)]
    }
}

extension GATTServer {
    /// The client seems to be one that was bonded before, and has not proved it yet.
    ///
    /// Nothing that is kept of it is given to it or taken from it. But if it knows another table, it
    /// is refused as it will be once it has proved who it is, or its old handles would be served
    /// until then (Vol 3, Part G, 2.5.2.1).
    package mutating func recognise(_ client: ClientID, _ memory: ClientMemory) {
        guard clients[client]?.isTrusted == false, memory.knownHash != database.hash else { return }
        clients[client]?.memory.supportedFeatures |= memory.supportedFeatures & ClientFeatures.all
        clients[client]?.awareness.databaseChanged()
    }

    /// The client is one that was bonded before: what was kept of it counts again.
    ///
    /// Call it as soon as it is known who the client is, before anything of it is received: a client
    /// that does not know of a change is then refused from its first request on. What it has
    /// configured on this link already stays. Configurations of characteristics that are no longer
    /// there are forgotten; the application is told of the others. If the table has changed, Service
    /// Changed is indicated for all of it: what it was before is not known.
    package mutating func restore(_ client: ClientID, _ memory: ClientMemory) -> [Action] {
        guard var record = clients[client] else { return [] }
        let valid = memory.configurations.filter(isStillThere)
        let configured = record.memory.configurations
        record.memory.configurations.merge(valid) { current, _ in current }
        record.memory.supportedFeatures |= memory.supportedFeatures & ClientFeatures.all
        let counters = [memory.lastSignCounter, record.memory.lastSignCounter].compactMap { $0 }
        record.memory.lastSignCounter = counters.max()
        record.memory.knownHash = memory.knownHash
        record.kept = memory
        if memory.knownHash == database.hash {
            record.awareness.becomeAware()
        } else {
            record.awareness.databaseChanged()
        }
        clients[client] = record
        if !record.awareness.isAware, wantsServiceChanged(client) {
            clients[client]?.serviceChange.add(.all)
        }
        let told = valid.keys.sorted().filter { configured[$0] == nil }.compactMap {
            subscriptionReport(ofConfiguration: $0, by: client)
        }
        return told + remember(client) + indicateServiceChange(to: client)
    }

    /// Whether the descriptor still is at its handle, of the same characteristic, and the bits can
    /// still be set.
    private func isStillThere(
        _ handle: AttributeHandle,
        _ configuration: ClientMemory.Configuration
    ) -> Bool {
        guard case .clientConfiguration(let valueHandle) = database.attribute(handle)?.value,
            let record = database.characteristics[valueHandle]
        else { return false }
        return record.uuid == configuration.characteristic
            && record.service == configuration.service
            && configuration.bits & ~record.permittedConfiguration == 0
    }
}
