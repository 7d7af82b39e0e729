// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothSMP
import BluetoothTypes
import HCITransports

@testable import BluetoothHost

/// Reads a forged record: arbitrary contents with a valid frame. The first byte selects the kind.
/// For kind 0 the input contains the frame as well. A record, except a counter or an application's
/// value, must be the same when it is written and read again.
func fuzzStoreRecords(_ bytes: [UInt8]) {
    let kind = (bytes.first ?? 0) % 9
    let contents = Array(bytes.dropFirst())
    switch kind {
    case 0: for name in names { read(contents, as: name) }
    default:
        let name = names[Int(kind) - 1]
        read(Record.encode(name) { $0.write(contentsOf: contents) }, as: name)
    }
}

private let peer = DeviceAddress(value: 0xC000_0000_0001, kind: .random)

private let names: [RecordName] =
    [.identity, .secret, .order, .bond(peer), .counter(peer), .client(peer), .database(peer)]
    + [ApplicationName("a").map(RecordName.application)].compactMap { $0 }

private func read(_ bytes: [UInt8], as name: RecordName) {
    require(RecordName(name.key) == name, "a name that cannot be parsed")
    switch name {
    case .identity:
        guard let identity = try? Pairing.LocalIdentity(parsing: bytes) else { return }
        let again = try? Pairing.LocalIdentity(parsing: identity.encode())
        require(again?.address == identity.address, "another identity comes back")
    case .secret:
        guard let secret = try? Record.decode(secret: bytes) else { return }
        require(
            (try? Record.decode(secret: Record.encode(secret: secret))) == secret,
            "another secret comes back"
        )
    case .order:
        guard let order = try? BondOrder(parsing: bytes) else { return }
        require((try? BondOrder(parsing: order.encode())) == order, "another order comes back")
    case .bond(let peer): readBond(bytes, peer)
    case .counter(let peer): _ = try? SignCounter(parsing: bytes, peer: peer)
    case .client(let peer):
        guard let memory = try? ClientRecord(parsing: bytes, peer: peer) else { return }
        let again = try? ClientRecord(parsing: memory.encode(for: peer), peer: peer)
        require(again == memory, "another client comes back")
        var server = GATTServer()
        _ = server.restore(GATTServer.ClientID(rawValue: 1), memory)
    case .database(let peer):
        guard let record = try? DatabaseRecord(parsing: bytes, peer: peer) else { return }
        let again = try? DatabaseRecord(parsing: record.encode(for: peer), peer: peer)
        require(again == record, "another table comes back")
        var client = GATTClient()
        client.recall(record.database)
    case .application(let name): _ = try? Record.decode(bytes, of: name)
    }
}

private func readBond(_ bytes: [UInt8], _ peer: DeviceAddress) {
    let entry = StoreEntry(key: RecordName.bond(peer).key, contents: .success(bytes))
    guard let bond = try? Bond(parsing: bytes, peer: peer) else {
        let inventory = BondInventory([entry], localIdentity: peer)
        require(inventory.bonds.isEmpty, "a bond that cannot be read is in the inventory")
        require(inventory.findings.count == 1, "a bond that cannot be read is not reported")
        return
    }
    let ours = bond.localIdentity ?? peer
    let again = try? Bond(parsing: bond.encode(localIdentity: ours), peer: peer)
    require(again == bond, "another bond comes back")
    require(BondInventory([entry], localIdentity: ours).bonds == [bond], "a bond is not taken")
}
