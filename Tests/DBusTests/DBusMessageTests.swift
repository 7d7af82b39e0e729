// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import DBus

@Suite struct DBusMessageTests {
    /// The call of Hello, with the fields in the order in which `DBusMessage` writes them.
    static let hello = Data(
        hex: "6C010001 00000000 01000000 6D000000"
            + "01016F00 15000000 2F6F72672F667265656465736B746F702F44427573 00 0000"
            + "02017300 14000000 6F72672E667265656465736B746F702E44427573 00 000000"
            + "03017300 05000000 48656C6C6F 00 0000"
            + "06017300 14000000 6F72672E667265656465736B746F702E44427573 00 000000"
    )

    static let examples: [DBusMessage] = [
        DBusMessage(
            .call(path: .root, interface: nil, member: "Ping"),
            serial: 7,
            expectsReply: false
        ),
        DBusMessage(.reply(to: 3), serial: 2, sender: ":1.0", body: [.string("x"), .uint32(4)]),
        DBusMessage(
            .error(name: "org.bluez.Error.Failed", to: 9),
            serial: 1,
            body: [.string("no")]
        ),
        DBusMessage(
            .signal(path: .root, interface: "a.b", member: "C"),
            serial: 8,
            destination: ":1.5",
            body: [.properties(["Powered": .boolean(true)])],
            descriptorCount: 2
        ),
        DBusMessage(.unknown(77), serial: 5),
    ]

    @Test("The call of Hello is written as the expected bytes, and read from them")
    func vector() throws {
        var message = DBusMessage.toBus("Hello")
        message.serial = 1
        #expect(message.bytes == [UInt8](Self.hello))
        #expect(try DBusMessage.read([UInt8](Self.hello)) == message)
    }

    @Test("A message is read as it was written", arguments: examples)
    func roundTrip(_ message: DBusMessage) throws {
        #expect(try DBusMessage.read(message.bytes) == message)
    }

    @Test("Every truncation and a trailing byte are refused", arguments: examples)
    func truncation(_ message: DBusMessage) {
        let bytes = message.bytes
        for count in 0..<bytes.count {
            #expect(throws: MalformedBytes.self) {
                try DBusMessage.read(Array(bytes.prefix(count)))
            }
        }
        #expect(throws: MalformedBytes.self) { try DBusMessage.read(bytes + [0]) }
    }

    @Test(
        "An invalid value in the first 16 bytes is refused",
        arguments: [
            // The byte order, the type, the version, the serial, the lengths of the fields and the
            // body.
            (0, 0x6D as UInt8), (1, 0), (3, 2), (8, 0), (12, 0x6C), (15, 0x7F), (7, 0x7F),
        ]
    )
    func prefix(_ position: Int, _ byte: UInt8) {
        var bytes = [UInt8](Self.hello)
        bytes[position] = byte
        #expect(throws: MalformedBytes.self) { try DBusMessage.read(bytes) }
    }

    @Test("Forbidden names and fields, and more than 16 descriptors, are refused")
    func names() {
        let kinds: [DBusMessage.Kind] = [
            .call(path: .root, interface: "one", member: "M"),
            .call(path: .root, interface: "a.1b", member: "M"),
            .call(path: .root, interface: nil, member: "a.b"),
            .call(path: .root, interface: nil, member: ""),
            .call(path: .root, interface: nil, member: String(repeating: "m", count: 256)),
            .signal(path: .root, interface: "a..b", member: "M"), .error(name: "failed", to: 1),
            .reply(to: 0),
        ]
        for kind in kinds {
            #expect(throws: MalformedBytes.self, "\(kind)") {
                try DBusMessage.read(DBusMessage(kind, serial: 1).bytes)
            }
        }
        for destination in ["", "a", ":", ".a.b", "a.b.", "a.1"] {
            let message = DBusMessage(.reply(to: 1), serial: 1, destination: destination)
            #expect(throws: MalformedBytes.self, "\(destination)") {
                try DBusMessage.read(message.bytes)
            }
        }
        let crowded = DBusMessage(.reply(to: 1), serial: 1, descriptorCount: 17)
        #expect(throws: MalformedBytes.self) { try DBusMessage.read(crowded.bytes) }
    }

    @Test("Random changes of a message never trap", arguments: RunSeed.seeds(4))
    func changed(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var readCount = 0
        for _ in 0..<2_000 {
            let index = Int.random(in: 0..<Self.examples.count, using: &random)
            var bytes = Self.examples[index].bytes
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                let position = Int.random(in: 0..<bytes.count, using: &random)
                bytes[position] = UInt8.random(in: .min ... .max, using: &random)
            }
            // A message that can be read survives a round trip.
            guard let message = try? DBusMessage.read(bytes) else { continue }
            readCount += 1
            #expect((try? DBusMessage.read(message.bytes)) == message)
        }
        #expect((1..<2_000).contains(readCount))
    }

    @Test(
        "The same messages are read from a stream in pieces of random lengths",
        arguments: RunSeed.seeds(4)
    )
    func deframing(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var rest = Self.examples.flatMap(\.bytes)[...]
        var deframer = DBusDeframer()
        var found: [DBusMessage] = []
        while !rest.isEmpty {
            let count = Int.random(in: 1...min(40, rest.count), using: &random)
            deframer.receive(rest.prefix(count))
            rest = rest.dropFirst(count)
            while let bytes = try deframer.next() { found.append(try DBusMessage.read(bytes)) }
        }
        #expect(found == Self.examples)
        #expect(deframer.pendingCount == 0)
    }

    @Test("A message beyond the limit is refused before its fields and its body arrive")
    func lengthLimit() {
        var deframer = DBusDeframer()
        deframer.receive([0x6C, 2, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 8, 0, 0, 0])
        #expect(throws: MalformedBytes.invalid(field: "message length")) { try deframer.next() }
    }

    @Test("A match rule quotes its values")
    func matchRule() {
        let rule = DBusMatchRule(
            sender: "org.bluez",
            pathNamespace: DBusObjectPath("/org/bluez"),
            firstArgument: "it's"
        )
        #expect(
            rule.description
                == #"type='signal',sender='org.bluez',path_namespace='/org/bluez',arg0='it'\''s'"#
        )
    }

    @Test("The last element and the ancestors of a path are found, and invalid paths are refused")
    func paths() throws {
        let path = try #require(DBusObjectPath("/org/bluez/hci0"))
        #expect(path.lastElement == "hci0")
        #expect(path.isBelow(.root))
        #expect(!path.isBelow(path))
        for text in ["", "org", "/org/", "//", "/org/blu-ez", "/é"] {
            #expect(DBusObjectPath(text) == nil, "\(text)")
        }
    }
}
