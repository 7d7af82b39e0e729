// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes
import Testing

@testable import BluetoothGATT

/// Tests of links that end at any step of a procedure with several requests, before the application
/// has answered a question of the server, or before the client has confirmed an indication. Every
/// operation must end, and the server must keep no state of the client.
@Suite("The end of a link")
struct DisconnectionTests {
    /// A procedure with a name for failure messages.
    struct Procedure: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let operations: @Sendable (ServedPair) -> [GATT.Operation]

        init(_ name: String, _ operations: @escaping @Sendable (ServedPair) -> [GATT.Operation]) {
            testDescription = name
            self.operations = operations
        }
    }

    static let long = [UInt8](repeating: 0x5A, count: 300)

    static let procedures = [
        Procedure("discovery of services") { _ in [.discoverPrimaryServices(uuid: nil)] },
        Procedure("discovery of includes") { _ in
            [.findIncludedServices(first: .first, last: .last)]
        },
        Procedure("discovery of characteristics") { _ in
            [.discoverCharacteristics(first: .first, last: .last, uuid: nil)]
        },
        Procedure("discovery of descriptors") { _ in
            [.discoverDescriptors(first: .first, last: .last)]
        },
        Procedure("long read") { [.readLong($0.storedHandle)] },
        Procedure("long read from the application") { [.readLong($0.dynamicHandle)] },
        Procedure("long write") { [.writeLong($0.storedHandle, offset: 0, long)] },
        Procedure("long write to the application") {
            [.writeLong($0.dynamicHandle, offset: 0, long)]
        },
        Procedure("reliable write") {
            [
                .reliableWrite([
                    .init(handle: $0.storedHandle, value: Array(long.prefix(40))),
                    .init(handle: $0.dynamicHandle, value: Array(long.prefix(40))),
                ])
            ]
        },
        Procedure("two long writes and a read") {
            [
                .writeLong($0.storedHandle, offset: 0, long), .readLong($0.dynamicHandle),
                .writeLong($0.dynamicHandle, offset: 0, long),
            ]
        },
    ]

    /// Checks that the server has no state of any client.
    private func expectClean(_ server: GATTServer, _ comment: Comment) {
        #expect(server.clients.isEmpty, comment)
        #expect(server.pending.isEmpty, comment)
        #expect(server.prepared.isEmpty, comment)
        #expect(server.nextDeadline == nil, comment)
    }

    /// Checks that the next link can read and write.
    private func expectUsable(_ pair: inout ServedPair, _ comment: Comment) throws {
        pair.connect()
        let execute = pair.server.receive(
            .executeWriteRequest(.init(flags: .writeAll)),
            on: pair.name,
            now: .zero
        )
        #expect(execute == [.respond(pair.name, .executeWriteResponse)], comment)
        let read = pair.start(.readLong(pair.storedHandle))
        pair.drive()
        let stored = try #require(pair.server.value(of: pair.storedHandle))
        #expect(pair.ends[read] == [.success(.value(stored))], comment)
        pair.disconnect()
        expectClean(pair.server, comment)
    }

    @Test("The end of a link at any step leaves no state", arguments: procedures)
    func everyStep(_ procedure: Procedure) throws {
        var whole = try ServedPair()
        whole.connect()
        for operation in procedure.operations(whole) { whole.start(operation) }
        let steps = whole.drive()
        #expect(steps > 1)
        for limit in 0...steps {
            var pair = try ServedPair()
            pair.connect()
            let ids = procedure.operations(pair).map { pair.start($0) }
            pair.drive(atMost: limit)
            pair.disconnect()
            for id in ids { #expect(pair.ends[id]?.count == 1, "Link ended after \(limit) steps") }
            expectClean(pair.server, "Link ended after \(limit) steps")
            let stored = try #require(pair.server.value(of: pair.storedHandle))
            let values = [ServedPair.longValue, Self.long, Array(Self.long.prefix(40))]
            #expect(values.contains(stored), "Partial write, link ended after \(limit) steps")
            try expectUsable(&pair, "Link ended after \(limit) steps")
        }
    }

    @Test("The end of a link ends a question to the application, and a late answer is ignored")
    func question() throws {
        var pair = try ServedPair()
        pair.answersQuestions = false
        let operations: [GATT.Operation] = [
            .read(pair.dynamicHandle), .write(pair.dynamicHandle, [1]),
            .writeLong(pair.dynamicHandle, offset: 0, Self.long),
        ]
        for operation in operations {
            pair.connect()
            let id = pair.start(operation)
            pair.drive()
            #expect(pair.questions.count == 1)
            #expect(pair.ends[id] == nil)
            let questions = pair.questions
            pair.disconnect()
            #expect(pair.ends[id]?.count == 1)
            expectClean(pair.server, "\(operation)")
            // The client reconnects before the application answers.
            pair.connect()
            let read = pair.start(.read(pair.storedHandle))
            pair.answer(questions)
            pair.drive()
            let value = Array(ServedPair.longValue.prefix(22))
            #expect(pair.ends[read] == [.success(.value(value))])
            pair.disconnect()
            try expectUsable(&pair, "\(operation)")
        }
    }

    @Test("A bonded client gets an unconfirmed Service Changed again after it reconnects")
    func serviceChanged() throws {
        let bonded = LinkSecurity(isEncrypted: true, keySize: 16, isBonded: true)
        var pair = try ServedPair()
        pair.connect(bonded)
        let changed = try #require(pair.server.serviceChangedHandle)
        let descriptor = try #require(changed.next)
        let operation = GATT.Operation.subscribe(
            valueHandle: changed,
            descriptor: descriptor,
            .indication
        )
        pair.start(operation)
        pair.drive()
        let (_, actions) = try pair.server.publish(.init(.init(0xD005), []))
        pair.perform(actions)
        // The indication is sent and not confirmed.
        pair.drive(atMost: 1)
        #expect(pair.notified.count == 1)
        pair.disconnect()
        expectClean(pair.server, "After an unconfirmed indication")

        let clientRecord = try #require(pair.clientRecord)
        pair.connect(bonded)
        pair.perform(pair.server.restore(pair.name.client, clientRecord))
        pair.drive()
        #expect(pair.notified.count == 1)
        pair.disconnect()
        try expectUsable(&pair, "After an unconfirmed indication")
    }

    @Test(
        "The end of a link removes subscriptions, and the record of a bonded client restores them",
        arguments: [true, false]
    )
    func subscriptions(isBonded: Bool) throws {
        let security =
            isBonded ? LinkSecurity(isEncrypted: true, keySize: 16, isBonded: true) : .none
        var pair = try ServedPair()
        pair.connect(security)
        let characteristic = pair.services[0].characteristics[0]
        let configuration = try #require(
            characteristic.descriptors.first {
                $0.uuid == GATT.AttributeType.clientCharacteristicConfiguration
            }
        )
        pair.start(
            .subscribe(
                valueHandle: pair.storedHandle,
                descriptor: configuration.handle,
                .notification
            )
        )
        pair.drive()
        #expect(pair.server.subscribers(of: pair.storedHandle) == [pair.name.client])
        pair.disconnect()
        #expect(pair.server.subscribers(of: pair.storedHandle) == [])
        pair.connect(security)
        #expect(pair.server.subscribers(of: pair.storedHandle) == [])
        #expect((pair.clientRecord != nil) == isBonded)
        guard let clientRecord = pair.clientRecord else { return }
        pair.perform(pair.server.restore(pair.name.client, clientRecord))
        #expect(pair.server.subscribers(of: pair.storedHandle) == [pair.name.client])
    }
}
