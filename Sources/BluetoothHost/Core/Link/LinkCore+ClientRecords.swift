// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHCI
import BluetoothTypes
import HCITransports

// The configuration of bonded clients, in the memory of the host and in its store.
//
// A client is trusted when its link is encrypted with the bond's key. Its record then applies
// again. Two parts of the record apply as soon as the client connects, because they can only lead
// to refusals: the database that the client knows, and the last counter of its signatures, which
// arrive without encryption and must not be replayed.
extension LinkCore {
    /// Passes the protection of the link to the server. When the link is first encrypted with the
    /// bond's key, the server gets the client's record before the protection.
    mutating func updateServerSecurity(_ context: inout LinkContext) {
        guard security.isEncrypted, security.isBonded, !serving.isRecalled else {
            let actions = context.server.securityChanged(identifier.client, security)
            return perform(actions, &context)
        }
        serving.isRecalled = true
        context.markBondUsed(by: identity)
        if !context.recallClient(identity, of: identifier) {
            recalledClient(context.clientRecords[identity], &context)
        }
    }

    /// Asks for the record of a bonded client as soon as the client connects.
    mutating func recallClient(_ context: inout LinkContext) {
        guard bond != nil, !context.recallClient(identity, of: identifier),
            let record = context.clientRecords[identity]
        else { return }
        useSigningKey(&context)
        context.server.recognize(identifier.client, record)
    }

    /// Takes the stored record of the client, or `nil` if the store has none.
    mutating func recalledClient(_ bytes: [UInt8]?, _ context: inout LinkContext) {
        recalledClient(context.parse(bytes, of: identity), &context)
        pump(&context)
    }

    private mutating func recalledClient(_ record: ClientRecord?, _ context: inout LinkContext) {
        if let record {
            context.clientRecords[identity] = record
            useSigningKey(&context)
        }
        guard security.isEncrypted, security.isBonded else {
            if let record { context.server.recognize(identifier.client, record) }
            return
        }
        announce(&context)
        if let record {
            perform(context.server.restore(identifier.client, record), &context)
        }
        let actions = context.server.securityChanged(identifier.client, security)
        perform(actions, &context)
    }

    /// Stores the changed record of a bonded client.
    func remember(_ record: ClientRecord, _ context: inout LinkContext) {
        guard let peer = bond?.peer else { return }
        if context.remember(record, of: peer) {
            context.post(.clientSigned(peer), of: identifier)
        }
    }
}

extension LinkContext {
    /// Asks the driver for the stored record of a client. Returns `false` if the record is already
    /// known or the store cannot provide it.
    fileprivate mutating func recallClient(_ peer: DeviceAddress, of link: LinkIdentifier) -> Bool {
        let key = RecordName.client(peer).key
        guard clientRecords[peer] == nil, configuration.store != nil,
            !storeState.untouchedKeys.contains(key)
        else { return false }
        emit(.recall(link, key))
        return true
    }

    fileprivate mutating func parse(_ bytes: [UInt8]?, of peer: DeviceAddress) -> ClientRecord? {
        let key = RecordName.client(peer).key
        guard let bytes else {
            return storeState.untouchedKeys.contains(key) ? unreadableRecord(of: peer) : nil
        }
        do throws(RecordFault) {
            return try ClientRecord(parsing: bytes, peer: peer)
        } catch {
            let finding = BondInventory.Finding(error, key)
            report(finding)
            let substitute = unreadableRecord(of: peer)
            // The next start of the host finds no trace of an entry that is set aside.
            if case .unusable = finding, substitute != nil {
                clientRecords[peer] = substitute
                keep(.client(peer))
            }
            return substitute
        }
    }

    /// Returns a substitute for a client's stored record that cannot be read, or `nil` if the
    /// client has no signing key. An attacker might replay the client's earlier signed commands,
    /// so in the substitute all counters are used until the client has another signing key.
    private func unreadableRecord(of peer: DeviceAddress) -> ClientRecord? {
        guard bonds.contains(where: { $0.peer == peer && $0.peerSigningKey != nil }) else {
            return nil
        }
        var record = ClientRecord()
        record.lastSignCounter = .max
        return record
    }

    /// Stores a client's record. Returns whether the client has signed another command.
    fileprivate mutating func remember(_ record: ClientRecord, of peer: DeviceAddress) -> Bool {
        var record = record
        var earlier = clientRecords[peer] ?? ClientRecord()
        // Another link of the same client may have a higher counter.
        record.lastSignCounter = [record.lastSignCounter, earlier.lastSignCounter]
            .compactMap { $0 }.max()
        clientRecords[peer] = record
        let hasSigned = record.lastSignCounter != earlier.lastSignCounter
        guard configuration.store != nil else { return hasSigned }
        if hasSigned, let counter = record.lastSignCounter,
            storeState.ceilings[peer, default: CounterCeiling()].raise(above: counter)
        {
            write(.client(peer))
            return hasSigned
        }
        earlier.lastSignCounter = record.lastSignCounter
        if earlier != record { keep(.client(peer)) }
        return hasSigned
    }

    /// Stores the last counter that a client has used, because its link has ended.
    mutating func clientLeft(_ peer: DeviceAddress?) {
        guard let peer, storeState.ceilings[peer]?.ceiling != nil else { return }
        storeState.ceilings[peer]?.removeLimit()
        keep(.client(peer))
    }
}
