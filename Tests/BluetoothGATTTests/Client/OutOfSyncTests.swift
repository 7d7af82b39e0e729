// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

@Suite("When a server's table has changed")
struct OutOfSyncTests {
    private static let handle = AttributeHandle(20)
    private static let failure = GATT.Failure.attribute(.databaseOutOfSync, handle: handle)

    private func ended(_ id: GATTClient.OperationID) -> GATTClient.Action {
        .completed(id, .failure(Self.failure))
    }

    @Test("what waits to be asked by the old one is not asked")
    func waiting() {
        var client = GATTClient()
        _ = client.start(.read(.init(3)), id: 1)
        #expect(client.nextPDU(now: .zero) != nil)
        _ = client.start(.read(Self.handle), id: 2)
        _ = client.start(.writeWithoutResponse(Self.handle, [1]), id: 3)
        _ = client.start(.discoverPrimaryServices(uuid: nil), id: 4)
        _ = client.start(.writeLong(Self.handle, offset: 0, [1, 2]), id: 5)
        _ = client.start(.writeLong(Self.handle, offset: 0, [1, 2]), id: 6)
        let actions = client.failOutOfSync()
        #expect(actions == [ended(2), ended(3), ended(5), ended(6)])
        #expect(client.failOutOfSync() == [])
        // What is with the server, and what names no attribute, goes on.
        let value = client.receive([0x0B, 7], now: .zero)
        #expect(value == [.completed(1, .success(.value([7])))])
        #expect(client.nextPDU(now: .zero)?.bytes.first == 0x10)
    }

    @Test("a long read does not go on in another value")
    func longRead() {
        var client = GATTClient()
        _ = client.start(.readLong(Self.handle), id: 1)
        _ = client.nextPDU(now: .zero)
        _ = client.receive(([0x0B] + [UInt8](repeating: 1, count: 22))[...], now: .zero)
        #expect(client.failOutOfSync() == [ended(1)])
        #expect(client.nextPDU(now: .zero) == nil)
    }

    @Test("what a long write has prepared is taken back")
    func longWrite() {
        var client = GATTClient()
        let value = [UInt8](repeating: 5, count: 30)
        _ = client.start(.writeLong(Self.handle, offset: 0, value), id: 1)
        let part = [20, 0, 0, 0] + value.prefix(18)
        #expect(client.nextPDU(now: .zero)?.bytes == [0x16] + part)
        _ = client.receive(([0x17] + part)[...], now: .zero)
        #expect(client.failOutOfSync() == [ended(1)])
        // The next part was handed over already.
        let last = [20, 0, 18, 0] + value.suffix(12)
        #expect(client.nextPDU(now: .zero)?.bytes == [0x16] + last)
        _ = client.receive(([0x17] + last)[...], now: .zero)
        #expect(client.nextPDU(now: .zero)?.bytes == [0x18, 0x00])
        _ = client.receive([0x19], now: .zero)
        #expect(client.nextPDU(now: .zero) == nil)
        #expect(client.hasRoom)
    }
}
