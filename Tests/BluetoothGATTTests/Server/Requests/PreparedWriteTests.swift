// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes
import ServerTestSupport
import Testing

@testable import BluetoothGATT

@Suite("Prepared writes")
struct PreparedWriteTests {
    private var fixture: ServerFixture
    private let first = ServerFixture.bearer(1)
    private let second = ServerFixture.bearer(2)
    private let enhanced = ServerFixture.bearer(1, channel: 0x40)

    init() throws {
        fixture = ServerFixture(try SampleTable.server())
        fixture.connect(first, mtu: 517)
        fixture.connect(second, mtu: 517)
        fixture.connect(enhanced, mtu: 517)
    }

    private mutating func prepare(
        _ value: [UInt8],
        at offset: UInt16 = 0,
        of handle: UInt8 = 0x25,
        on bearer: GATTServer.BearerID
    ) -> ATT.ErrorCode? {
        let bytes = [UInt8(offset & 0xFF), UInt8(offset >> 8)]
        let answers = fixture.send([0x16, handle, 0] + bytes + value, on: bearer)
        guard answers.first?.first != 0x17 else {
            #expect(answers == [[0x17, handle, 0] + bytes + value])
            return nil
        }
        return answers.first?.last.map(ATT.ErrorCode.init)
    }

    private mutating func execute(
        _ flags: UInt8 = 1,
        on bearer: GATTServer.BearerID
    ) -> [UInt8] {
        fixture.send([0x18, flags], on: bearer).first ?? []
    }

    private var value: [UInt8]? { fixture.server.value(of: AttributeHandle(0x25)) }

    @Test("Prepared writes of two clients do not mix")
    mutating func twoClients() {
        for part in 0..<UInt16(4) {
            #expect(prepare([1, 1], at: 2 * part, on: first) == nil)
            #expect(prepare([2, 2, 2], at: 3 * part, on: second) == nil)
        }
        #expect(value == SampleTable.bytes(50))
        #expect(execute(on: first) == [0x19])
        #expect(value == Array(repeating: 1, count: 8))
        #expect(execute(on: second) == [0x19])
        #expect(value == Array(repeating: 2, count: 12))
    }

    @Test("Canceling the prepared writes of one client keeps the prepared writes of another client")
    mutating func cancelsOwn() {
        _ = prepare([1], on: first)
        _ = prepare([2], on: second)
        #expect(execute(0, on: first) == [0x19])
        #expect(execute(on: first) == [0x19])
        #expect(value == SampleTable.bytes(50))
        #expect(execute(on: second) == [0x19])
        #expect(value == [2])
    }

    @Test("All bearers of a client share a queue")
    mutating func twoBearers() {
        _ = prepare([1], on: first)
        _ = prepare([2], at: 1, on: enhanced)
        #expect(execute(on: enhanced) == [0x19])
        #expect(value == [1, 2])
        _ = prepare([3], on: first)
        #expect(execute(on: enhanced) == [0x19])
        #expect(execute(0, on: first) == [0x19])
        #expect(value == [3])
    }

    @Test("The end of the last bearer clears the queue, and the end of another bearer does not")
    mutating func disconnects() {
        _ = prepare([1], on: first)
        _ = prepare([2], at: 1, on: enhanced)
        fixture.disconnect(first)
        fixture.connect(first, mtu: 517)
        #expect(execute(on: first) == [0x19])
        #expect(value == [1, 2])
        _ = prepare([3], on: first)
        fixture.disconnect(enhanced)
        fixture.disconnect(first)
        fixture.connect(first, mtu: 517)
        #expect(execute(on: first) == [0x19])
        #expect(value == [1, 2])
    }

    @Test("The number of parts is limited for each client, over all its bearers")
    mutating func boundsParts() {
        for part in 0..<GATTServer.preparedWriteLimit {
            #expect(prepare([7], on: part.isMultiple(of: 2) ? first : enhanced) == nil)
        }
        #expect(prepare([7], on: first) == .prepareQueueFull)
        #expect(prepare([], on: enhanced) == .prepareQueueFull)
        #expect(prepare([7], on: second) == nil)
        #expect(execute(on: first) == [0x19])
        #expect(prepare([7], on: first) == nil)
    }

    @Test("The number of bytes in the queue is limited")
    mutating func boundsBytes() {
        let part = [UInt8](repeating: 1, count: GATT.valueLengthLimit)
        for _ in 0..<GATTServer.preparedByteLimit / part.count {
            #expect(prepare(part, on: first) == nil)
        }
        #expect(prepare([1], on: first) == .prepareQueueFull)
        #expect(prepare([], on: first) == nil)
        #expect(prepare([1], on: second) == nil)
        #expect(execute(0, on: first) == [0x19])
        #expect(prepare([1], on: first) == nil)
    }

    @Test("The longest value is written at the smallest MTU")
    mutating func longestValue() {
        let bearer = ServerFixture.bearer(3)
        fixture.connect(bearer)
        let longest = SampleTable.bytes(GATT.valueLengthLimit)
        for offset in stride(from: 0, to: longest.count, by: 18) {
            let part = Array(longest[offset...].prefix(18))
            #expect(prepare(part, at: UInt16(offset), on: bearer) == nil)
        }
        #expect(execute(on: bearer) == [0x19])
        #expect(value == longest)
        let report = GATTServer.Action.report(
            bearer.client,
            .written([.init(handle: .init(0x25), value: longest)])
        )
        #expect(fixture.takeEvents() == [report])
    }

    @Test("A part overwrites and extends the value, and at offset zero replaces it")
    mutating func writesParts() {
        _ = prepare([90, 91], at: 10, on: first)
        _ = prepare([92, 93], at: 49, on: first)
        _ = execute(on: first)
        var expected = SampleTable.bytes(51)
        expected.replaceSubrange(10..<12, with: [90, 91])
        expected.replaceSubrange(49..<51, with: [92, 93])
        #expect(value == expected)
        _ = prepare([1, 2], on: first)
        _ = prepare([3], on: first)
        _ = execute(on: first)
        #expect(value == [3])
    }

    @Test("A part that begins beyond the end of the value is refused during the execution")
    mutating func checksOffsets() {
        _ = prepare([1], on: first)
        _ = prepare([2], at: 2, on: first)
        #expect(execute(on: first) == [0x01, 0x18, 0x25, 0, ATT.ErrorCode.invalidOffset.rawValue])
        #expect(value == SampleTable.bytes(50))
        _ = prepare([1], at: 512, of: 0x32, on: first)
        let tooLong = ATT.ErrorCode.invalidAttributeValueLength.rawValue
        #expect(execute(on: first) == [0x01, 0x18, 0x32, 0, tooLong])
        _ = prepare([], at: 513, of: 0x32, on: first)
        #expect(execute(on: first) == [0x01, 0x18, 0x32, 0, ATT.ErrorCode.invalidOffset.rawValue])
        #expect(fixture.events.isEmpty)
    }

    @Test("A prepared write of a removed attribute does not apply to the next one at its handle")
    mutating func survivesUnpublishing() throws {
        try publish(0xB300)
        #expect(prepare([1], of: 0x92, on: first) == nil)
        try replace(with: 0xB301)
        let outOfSync = ATT.ErrorCode.databaseOutOfSync.rawValue
        #expect(execute(on: first) == [0x01, 0x18, 0x92, 0, outOfSync])
        #expect(fixture.server.value(of: AttributeHandle(0x92)) == [0])
    }

    @Test("An attribute that is replaced during a question is neither written nor reported")
    mutating func replacedWhileAsked() throws {
        try publish(0xB300)
        _ = prepare([1], of: 0x92, on: first)
        _ = prepare([2], of: 0x32, on: first)
        #expect(execute(on: first) == [])
        let question = fixture.takeEvents().first
        guard case .ask(let id, _)? = question else {
            Issue.record("The application gets no question")
            return
        }
        try replace(with: 0xB301)
        fixture.answer(id, .success([]))
        #expect(fixture.drain(first) == [[0x19]])
        #expect(fixture.server.value(of: AttributeHandle(0x92)) == [0])
        #expect(fixture.events.isEmpty)
    }

    /// Publishes a service whose only characteristic has its value at handle 0x92.
    private mutating func publish(_ type: UInt16) throws {
        let definition = GATT.ServiceDefinition(
            .init(0xA020),
            [.init(.init(type), .write, value: .stored([0]))],
            handle: .init(0x90)
        )
        _ = try fixture.server.publish(definition)
    }

    private mutating func replace(with type: UInt16) throws {
        _ = try fixture.server.unpublish(.init(0x90))
        try publish(type)
    }

    @Test("Executing fails if the link lost its security after preparing")
    mutating func losesProtection() {
        let encrypted = LinkSecurity(isEncrypted: true, keySize: 16)
        _ = fixture.server.securityChanged(first.client, encrypted)
        #expect(prepare([1], of: 0x2A, on: first) == nil)
        _ = fixture.server.securityChanged(first.client, .none)
        #expect(execute(on: first) == [0x01, 0x18, 0x2A, 0, 0x05])
        #expect(fixture.server.value(of: AttributeHandle(0x2A)) == [3])
    }

    @Test("A client that disconnects during a question leaves all values unchanged")
    mutating func disconnectsWhileAsked() {
        _ = prepare([1], on: first)
        _ = prepare([2], of: 0x32, on: first)
        #expect(execute(on: first) == [])
        fixture.disconnect(first)
        fixture.answer(.success([]))
        #expect(value == SampleTable.bytes(50))
    }
}
