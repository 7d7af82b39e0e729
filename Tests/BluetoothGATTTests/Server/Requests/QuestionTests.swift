// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes
import ServerTestSupport
import Testing

@testable import BluetoothGATT

@Suite("Questions to the application")
struct QuestionTests {
    private var fixture: ServerFixture
    private let client = ServerFixture.bearer(1).client

    init() throws {
        fixture = ServerFixture(try SampleTable.server())
        _ = try fixture.server.publish(
            .init(
                .init(0xA010),
                (0..<4).map { _ in .init(.init(0xB200), [.read, .write], value: .dynamic) },
                handle: .init(0x80)
            )
        )
        fixture.connect()
    }

    private mutating func send(_ hexadecimal: String) -> [String] {
        fixture.send([UInt8](hexadecimal: hexadecimal) ?? []).map(\.hexadecimal)
    }

    private mutating func answer(_ result: Result<[UInt8], ATT.ErrorCode>) -> [String] {
        fixture.answer(result)
        return fixture.drain().map(\.hexadecimal)
    }

    private var asked: [GATTServer.Question] {
        fixture.events.compactMap { if case .ask(_, let question) = $0 { question } else { nil } }
    }

    @Test("A question for a read contains the offset, and the answer is truncated to the MTU")
    mutating func read() {
        #expect(send("0c32000500") == [])
        #expect(asked == [.read(client, AttributeHandle(0x32), offset: 5)])
        #expect(answer(.success(SampleTable.bytes(30))) == ["0d" + hexadecimal(22)])
    }

    @Test("An answer is truncated to the maximum length of a value")
    mutating func cutsToValue() {
        _ = send("020502")
        _ = send("0c3200fc01")
        #expect(answer(.success(SampleTable.bytes(30))) == ["0d00010203"])
        _ = send("0c3200ffff")
        #expect(answer(.success(SampleTable.bytes(30))) == ["0d"])
    }

    @Test("Several values are requested from the application one after another")
    mutating func readMultiple() {
        #expect(send("0e820022008400") == [])
        #expect(asked == [.read(client, AttributeHandle(0x82), offset: 0)])
        #expect(answer(.success([7])) == [])
        #expect(asked == [.read(client, AttributeHandle(0x84), offset: 0)])
        #expect(answer(.success([8, 9])) == ["0f070102030809"])
    }

    @Test("A value that does not fit into the response is not requested")
    mutating func readMultipleFull() {
        _ = send("0e82008400")
        #expect(answer(.success(SampleTable.bytes(22))) == ["0f" + hexadecimal(22)])
        #expect(asked == [])
    }

    @Test("Read Multiple Variable requests values one by one, and a refusal names its attribute")
    mutating func readMultipleVariable() {
        _ = send("2082008400")
        _ = answer(.success([7]))
        #expect(answer(.success([])) == ["210100070000"])
        _ = send("2082008400")
        _ = answer(.success([7]))
        #expect(answer(.failure(.init(rawValue: 0x81))) == ["0120840081"])
    }

    @Test("Read By Type continues while the lengths are equal")
    mutating func readByType() {
        _ = send("088000880000b2")
        #expect(answer(.success([1, 1])) == [])
        #expect(answer(.success([2, 2])) == [])
        #expect(answer(.success([3])) == ["0904820001018400" + "0202"])
        #expect(asked == [])
    }

    @Test("Read By Type ends before a refused value, and fails if the first value is refused")
    mutating func readByTypeRefused() {
        _ = send("088000880000b2")
        _ = answer(.success([1]))
        #expect(answer(.failure(.unlikelyError)) == ["0903820001"])
        _ = send("088000880000b2")
        #expect(answer(.failure(.unlikelyError)) == ["010882000e"])
    }

    @Test("Values of the application are found, and a refused value does not match")
    mutating func findByTypeValue() {
        _ = send("068000880000b20708")
        _ = answer(.success([7, 8]))
        _ = answer(.failure(.unlikelyError))
        _ = answer(.success([7]))
        #expect(answer(.success([7, 8])) == ["078200820088008800"])
    }

    @Test("All questions of one request share its deadline")
    mutating func deadline() {
        _ = send("0e82008400")
        #expect(fixture.server.nextDeadline == Instant.zero + GATTServer.questionLimit)
        fixture.pass(.seconds(20))
        _ = answer(.success([1]))
        #expect(fixture.server.nextDeadline == Instant.zero + GATTServer.questionLimit)
        fixture.pass(.seconds(5))
        #expect(fixture.drain().map(\.hexadecimal) == ["010e84000e"])
        #expect(fixture.server.nextDeadline == nil)
        #expect(answer(.success([1])) == [])
    }

    @Test("An answer at the deadline is too late")
    mutating func tooLate() {
        _ = send("128200aa")
        guard case .ask(let id, _)? = fixture.takeEvents().first else {
            Issue.record("The application gets no question")
            return
        }
        let deadline = Instant.zero + GATTServer.questionLimit
        let actions = fixture.server.answer(id, .success([]), now: deadline)
        fixture.perform(actions)
        #expect(fixture.drain().map(\.hexadecimal) == ["011282000e"])
    }

    @Test("A question ends when it is answered and when its bearer closes")
    mutating func endsOnce() {
        _ = send("0a8200")
        guard case .ask(let id, _)? = fixture.takeEvents().first else {
            Issue.record("The application gets no question")
            return
        }
        fixture.answer(id, .success([1]))
        fixture.answer(id, .success([2]))
        fixture.answer(id + 1, .success([3]))
        #expect(fixture.drain().map(\.hexadecimal) == ["0b01"])
        _ = send("0a8200")
        fixture.disconnect()
        #expect(fixture.server.nextDeadline == nil)
        #expect(answer(.success([1])) == [])
        fixture.connect()
        #expect(send("0a2200") == ["0b010203"])
    }

    @Test("Each bearer has its own question, and a question does not block commands")
    mutating func oneForEachBearer() {
        let other = ServerFixture.bearer(1, channel: 0x40)
        let otherClient = ServerFixture.bearer(2)
        fixture.connect(other)
        fixture.connect(otherClient)
        _ = send("0a8200")
        _ = fixture.send([0x0A, 0x84, 0], on: other)
        _ = fixture.send([0x0A, 0x86, 0], on: otherClient)
        #expect(send("52220001") == [])
        #expect(fixture.server.value(of: AttributeHandle(0x22)) == [1])
        let ids = fixture.takeEvents().compactMap { action -> GATTServer.RequestID? in
            if case .ask(let id, _) = action { id } else { nil }
        }
        #expect(ids.count == 3)
        for (id, value) in zip(ids, [7, 8, 9] as [UInt8]).reversed() {
            fixture.answer(id, .success([value]))
        }
        #expect(fixture.drain() == [[0x0B, 7]])
        #expect(fixture.drain(other) == [[0x0B, 8]])
        #expect(fixture.drain(otherClient) == [[0x0B, 9]])
    }

    @Test("Commands to the application leave no pending request")
    mutating func commandsAreForgotten() {
        for _ in 0..<1000 { _ = send("528200aa") }
        #expect(fixture.takeEvents().count == 1000)
        #expect(fixture.server.nextDeadline == nil)
        #expect(fixture.server.pending.isEmpty)
    }

    @Test("An answer fails if the link lost its security during the question")
    mutating func losesProtection() throws {
        _ = try fixture.server.publish(
            .init(
                .init(0xA011),
                [
                    .init(.init(0xB201), .read, value: .dynamic),
                    .init(
                        .init(0xB202),
                        .read,
                        permissions: .init(read: .encrypted),
                        value: .stored([1])
                    ),
                ],
                handle: .init(0x90)
            )
        )
        let encrypted = LinkSecurity(isEncrypted: true, keySize: 16)
        _ = fixture.server.securityChanged(client, encrypted)
        _ = send("0e92009400")
        _ = fixture.server.securityChanged(client, .none)
        #expect(answer(.success([1])) == ["010e940005"])
    }

    private func hexadecimal(_ count: Int) -> String { SampleTable.bytes(count).hexadecimal }
}
