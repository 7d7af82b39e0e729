// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHCI
import BluetoothTypes
import HCITransports

// What bonded clients have configured: kept while the host lives, and in its store for the next.
//
// A client is believed to be who it is once its link is encrypted with the bond's key. Then what is
// kept of it counts again; the core asks its driver for what the store has, and goes on with the
// answer before anything else arrives. Some of it counts from the beginning, where it can only lead
// to refusals: which table the client knows, and the last counter of one that signs its commands,
// for those come without encryption, and must not be played again.
extension HostCore {
    /// Tells the server how well a link is protected. The first time that it is encrypted, what is
    /// kept of the client comes before.
    mutating func serverHearsOfSecurity(of handle: ConnectionHandle) {
        guard let link = links[handle]?.identifier, let security = links[handle]?.security else {
            return
        }
        guard security.isEncrypted, security.isBonded, let peer = links[handle]?.peer,
            links[handle]?.serving.isRecalled == false
        else { return perform(server.securityChanged(link.client, security)) }
        links[handle]?.serving.isRecalled = true
        if !recall(peer, of: link) { recalled(memories[peer], of: link) }
    }

    /// Asks for what is kept of a bonded client, as soon as it connects.
    mutating func recogniseClient(of handle: ConnectionHandle) {
        guard let link = links[handle]?.identifier, let peer = links[handle]?.peer,
            links[handle]?.bond != nil
        else { return }
        if !recall(peer, of: link) { recalled(memories[peer], of: link) }
    }

    /// Asks the driver for what the store has of a client. False if there is no need, or no store.
    private mutating func recall(_ peer: DeviceAddress, of link: LinkIdentifier) -> Bool {
        guard memories[peer] == nil, configuration.store != nil, let key = StoreKey(client: peer)
        else { return false }
        emit(.recall(link, key))
        return true
    }

    /// What the store has of a client: the answer to `recall`; nil if it has nothing.
    package mutating func recalled(_ bytes: [UInt8]?, of link: LinkIdentifier, now: Instant) {
        var memory: ClientMemory?
        if let bytes {
            memory = try? ClientMemory(parsing: bytes)
            if memory == nil { emit(.log("the store has something else where a client should be")) }
        }
        recalled(memory, of: link)
        if let handle = handles[link] { pump(handle, now: now) }
    }

    private mutating func recalled(_ memory: ClientMemory?, of link: LinkIdentifier) {
        guard let handle = handles[link], let peer = links[handle]?.peer,
            let security = links[handle]?.security
        else { return }
        if let memory {
            memories[peer] = memory
            useSigningKey(on: handle)
        }
        guard security.isEncrypted, security.isBonded else {
            if let memory { server.recognise(link.client, memory) }
            return
        }
        announce(handle)
        if let memory { perform(server.restore(link.client, memory)) }
        perform(server.securityChanged(link.client, security))
    }

    /// The record of a bonded client has changed.
    mutating func remember(_ memory: ClientMemory, of link: LinkIdentifier) {
        guard let peer = handles[link].flatMap({ links[$0]?.bond?.peer }) else { return }
        memories[peer] = memory
        guard configuration.store != nil, let key = StoreKey(client: peer) else { return }
        emit(.save(memory.encode(), key))
    }

    /// Nothing is kept of a client any more.
    mutating func forgetClient(_ peer: DeviceAddress) {
        memories[peer] = nil
        forgetDatabase(of: peer)
        guard configuration.store != nil, let key = StoreKey(client: peer) else { return }
        emit(.remove(key))
    }
}

extension StoreKey {
    /// Where a client's record is kept: `client-random-c0ffee000001`.
    package init?(client: DeviceAddress) {
        let digits = String(client.value, radix: 16)
        let padding = String(repeating: "0", count: 12 - digits.count)
        let kind = client.kind == .public ? "public" : "random"
        self.init("client-\(kind)-\(padding)\(digits)")
    }
}
