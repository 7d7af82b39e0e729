// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

@Suite("Signed Write Without Response (Vol 3, Part G, 4.9.2)")
struct SignedWriteTests {
    private let key = SigningKey(key: SignatureTests.key)

    private func operation(
        _ value: [UInt8],
        counter: UInt32 = 5
    ) throws -> GATT.Operation {
        let signer = try #require(GATT.CommandSigner(key, counter: counter))
        return .signedWriteWithoutResponse(AttributeHandle(0x12), value, signer)
    }

    @Test("GATT/CL/GAW/BV-02-C: The command is sent with its counter and signature")
    func leaves() throws {
        var client = DrivenClient()
        let operation = try operation([1, 2])
        #expect(client.start(operation, id: 1).isEmpty)
        let outgoing = client.nextPDU(now: .zero)
        let expected = try SignatureTests.command(5).encode()
        #expect(outgoing?.bytes == expected)
        #expect(outgoing?.actions == [.completed(1, .success(.done))])
        #expect(client.nextPDU(now: .zero) == nil)
    }

    @Test("A server with the key accepts each counter once, in ascending order")
    func accepted() throws {
        var client = DrivenClient()
        var checker = key
        for counter: UInt32 in [0, 1, 0x0102_0304] {
            _ = client.start(try operation([9], counter: counter), id: UInt64(counter) + 1)
            let outgoing = client.nextPDU(now: .zero)
            let bytes = try #require(outgoing).bytes
            guard case .signedWriteCommand(let command) = try ATT.PDU(parsing: bytes[...]) else {
                Issue.record("The PDU is not a signed command")
                return
            }
            let isGood = [checker.accept(command), checker.accept(command)]
            #expect(isGood == [true, false])
        }
    }

    @Test("The signature shortens the longest value by twelve bytes", arguments: [23, 64])
    func room(_ mtu: Int) throws {
        var client = DrivenClient(enhancedMTU: 64)
        if mtu == 23 { client = DrivenClient() }
        let value = [UInt8](repeating: 7, count: mtu - 15)
        let fitting = try operation(value)
        #expect(client.start(fitting, id: 1).isEmpty)
        #expect(client.nextPDU(now: .zero)?.bytes.count == mtu)
        let failure = GATT.Failure.valueTooLong(limit: mtu - 15)
        let tooLong = try operation(value + [8])
        #expect(client.start(tooLong, id: 2) == [.completed(2, .failure(failure))])
    }

    @Test("A key that does not have 16 bytes gives no signature", arguments: [0, 15, 17, 32])
    func keyLength(_ length: Int) {
        let key = SigningKey(key: [UInt8](repeating: 1, count: length))
        #expect(GATT.CommandSigner(key, counter: 0) == nil)
    }
}
