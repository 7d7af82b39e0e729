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
        guard security.isEncrypted, security.isBonded, let peer = links[handle]?.identity,
            links[handle]?.serving.isRecalled == false
        else { return perform(server.securityChanged(link.client, security)) }
        links[handle]?.serving.isRecalled = true
        peerMet(peer)
        if !recall(peer, of: link) { recalled(memories[peer], of: link) }
    }

    /// Asks for what is kept of a bonded client, as soon as it connects.
    mutating func recogniseClient(of handle: ConnectionHandle) {
        guard let link = links[handle]?.identifier, let peer = links[handle]?.identity,
            links[handle]?.bond != nil
        else { return }
        if !recall(peer, of: link) { recalled(memories[peer], of: link) }
    }

    /// Asks the driver for what the store has of a client. False if there is no need, or no store.
    private mutating func recall(_ peer: DeviceAddress, of link: LinkIdentifier) -> Bool {
        let key = RecordName.client(peer).key
        guard memories[peer] == nil, configuration.store != nil, !keeping.leftAlone.contains(key)
        else { return false }
        emit(.recall(link, key))
        return true
    }

    /// What the store has of a client: the answer to `recall`; nil if it has nothing.
    package mutating func recalled(_ bytes: [UInt8]?, of link: LinkIdentifier, now: Instant) {
        guard let handle = handles[link], let peer = links[handle]?.identity else { return }
        recalled(parse(bytes, of: peer), of: link)
        pump(handle, now: now)
    }

    private mutating func parse(_ bytes: [UInt8]?, of peer: DeviceAddress) -> ClientMemory? {
        let key = RecordName.client(peer).key
        guard let bytes else { return keeping.leftAlone.contains(key) ? unknown(peer) : nil }
        do throws(RecordFault) {
            return try ClientMemory(parsing: bytes, peer: peer)
        } catch {
            report(.init(error, key))
            return unknown(peer)
        }
    }

    /// What is kept of a client whose record cannot be read. What it has signed before might be played
    /// again: until it has another key to sign with, all its counters are used.
    private func unknown(_ peer: DeviceAddress) -> ClientMemory? {
        guard bonds.contains(where: { $0.peer == peer && $0.peerSigningKey != nil }) else {
            return nil
        }
        var memory = ClientMemory()
        memory.lastSignCounter = .max
        return memory
    }

    private mutating func recalled(_ memory: ClientMemory?, of link: LinkIdentifier) {
        guard let handle = handles[link], let peer = links[handle]?.identity,
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
        var memory = memory
        var earlier = memories[peer] ?? ClientMemory()
        // Another link of the same client may be ahead of this one.
        memory.lastSignCounter = [memory.lastSignCounter, earlier.lastSignCounter]
            .compactMap { $0 }.max()
        memories[peer] = memory
        if memory.lastSignCounter != earlier.lastSignCounter { countSignatures(of: peer) }
        guard configuration.store != nil else { return }
        if let counter = memory.lastSignCounter, counter != earlier.lastSignCounter,
            keeping.ceilings[peer, default: CounterCeiling()].rise(above: counter)
        {
            return write(.client(peer))
        }
        earlier.lastSignCounter = memory.lastSignCounter
        if earlier != memory { keep(.client(peer)) }
    }

    /// What a client has signed on one of its links is not taken again on another.
    private mutating func countSignatures(of peer: DeviceAddress) {
        for handle in links.handles where links[handle]?.bond?.peer == peer {
            useSigningKey(on: handle)
        }
    }

    /// A client has gone: the store is to know which counter it has used last.
    mutating func clientParted(_ handle: ConnectionHandle) {
        guard let peer = links[handle]?.bond?.peer, keeping.ceilings[peer]?.ceiling != nil else {
            return
        }
        keeping.ceilings[peer]?.settle()
        keep(.client(peer))
    }

    /// Nothing is kept of a client any more.
    mutating func forgetClient(_ peer: DeviceAddress) {
        memories[peer] = nil
        forgetDatabase(of: peer)
        discard(.client(peer))
    }
}
