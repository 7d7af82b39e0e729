// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

@Suite("A server that is out of sync")
struct OutOfSyncTests {
    private static let handle = AttributeHandle(20)
    private static let failure = GATT.Failure.attribute(.databaseOutOfSync, handle: handle)

    private func ended(_ id: DrivenClient.OperationID) -> DrivenClient.Action {
        .completed(id, .failure(Self.failure))
    }

    @Test("Waiting operations that use old handles fail without a request")
    func waiting() {
        var client = DrivenClient()
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
        // An open request and a request without an attribute handle continue.
        let value = client.receive([0x0B, 7], now: .zero)
        #expect(value == [.completed(1, .success(.value([7])))])
        #expect(client.nextPDU(now: .zero)?.bytes.first == 0x10)
    }

    @Test("A long read ends without another request")
    func longRead() {
        var client = DrivenClient()
        _ = client.start(.readLong(Self.handle), id: 1)
        _ = client.nextPDU(now: .zero)
        _ = client.receive(([0x0B] + [UInt8](repeating: 1, count: 22))[...], now: .zero)
        #expect(client.failOutOfSync() == [ended(1)])
        #expect(client.nextPDU(now: .zero) == nil)
    }

    @Test("The prepared parts of a long write are canceled")
    func longWrite() {
        var client = DrivenClient()
        let value = [UInt8](repeating: 5, count: 30)
        _ = client.start(.writeLong(Self.handle, offset: 0, value), id: 1)
        let part = [20, 0, 0, 0] + value.prefix(18)
        #expect(client.nextPDU(now: .zero)?.bytes == [0x16] + part)
        _ = client.receive(([0x17] + part)[...], now: .zero)
        #expect(client.failOutOfSync() == [ended(1)])
        // The bearer has already accepted the next part.
        let last = [20, 0, 18, 0] + value.suffix(12)
        #expect(client.nextPDU(now: .zero)?.bytes == [0x16] + last)
        _ = client.receive(([0x17] + last)[...], now: .zero)
        #expect(client.nextPDU(now: .zero)?.bytes == [0x18, 0x00])
        _ = client.receive([0x19], now: .zero)
        #expect(client.nextPDU(now: .zero) == nil)
        #expect(client.hasRoom)
    }
}
