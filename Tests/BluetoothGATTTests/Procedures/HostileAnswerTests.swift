// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// Servers that try to mislead a discovery, to prolong it, or to exhaust memory.
@Suite("Invalid responses of a server")
struct HostileAnswerTests {
    /// An operation and its responses, the last of which violates the protocol.
    struct HostileExchange: CustomTestStringConvertible {
        let testDescription: String
        let operation: GATT.Operation
        let answers: [String]

        init(_ description: String, _ operation: GATT.Operation, _ answers: String...) {
            testDescription = description
            self.operation = operation
            self.answers = answers
        }

        var pdus: [[UInt8]] {
            answers.map { [UInt8](hexadecimal: $0.filter { $0 != " " }) ?? [] }
        }
    }

    private static let services = GATT.Operation.discoverPrimaryServices(uuid: nil)
    private static let battery = GATT.Operation.discoverPrimaryServices(uuid: .init(0x180F))
    private static let includes = GATT.Operation.findIncludedServices(
        first: .init(0x10),
        last: .init(0x1F)
    )
    private static let characteristics = GATT.Operation.discoverCharacteristics(
        first: .init(0x10),
        last: .init(0x1F),
        uuid: nil
    )
    private static let descriptors = GATT.Operation.discoverDescriptors(
        first: .init(0x10),
        last: .init(0x1F)
    )

    static let hostilities: [HostileExchange] = [
        .init("the same service again", services, "11 06 0100 0500 0018", "11 06 0100 0500 0018"),
        .init("services that overlap", services, "11 06 0100 0500 0018 0500 0900 0118"),
        .init("services in descending order", services, "11 06 1000 1500 0018 0100 0500 0118"),
        .init("a service that ends before it begins", services, "11 06 0500 0100 0018"),
        .init("a service at handle zero", services, "11 06 0000 0500 0018"),
        .init("a service with a UUID of 3 bytes", services, "11 07 0100 0500 001800"),
        .init("a service with a UUID of 4 bytes", services, "11 08 0100 0500 00180000"),
        .init("a service without a UUID", services, "11 04 0100 0500"),
        .init("the same found service again", battery, "07 0100 0500", "07 0100 0500"),
        .init("a found service that ends early", battery, "07 0500 0100"),
        .init("an include before the range", includes, "09 08 0F00 2000 2F00 0F18"),
        .init("an include after the range", includes, "09 08 2000 2000 2F00 0F18"),
        .init("an include of a service at handle zero", includes, "09 08 1000 0000 2F00 0F18"),
        .init("an include of an inverted range", includes, "09 08 1000 2F00 2000 0F18"),
        .init("an include of 3 bytes", includes, "09 05 1000 2F00 20"),
        .init("an include of 7 bytes", includes, "09 09 1000 2000 2F00 0F18 00"),
        .init("an included UUID of 3 bytes", includes, "09 06 1000 2000 2F00", "0B 010203"),
        .init(
            "the same characteristic again",
            characteristics,
            "09 07 1000 02 1100 002A",
            "09 07 1000 02 1100 002A"
        ),
        .init("a characteristic before the range", characteristics, "09 07 0F00 02 1000 002A"),
        .init("a value beyond the range", characteristics, "09 07 1000 02 2000 002A"),
        .init("a value before its declaration", characteristics, "09 07 1200 02 1100 002A"),
        .init("a value at its declaration", characteristics, "09 07 1200 02 1200 002A"),
        .init(
            "characteristics that overlap",
            characteristics,
            "09 07 1000 02 1500 002A 1200 02 1600 012A"
        ),
        .init("a characteristic of 4 bytes", characteristics, "09 06 1000 02 1100 00"),
        .init("a characteristic of 7 bytes", characteristics, "09 09 1000 02 1100 002A0000"),
        .init("a descriptor twice", descriptors, "05 01 1000 0229 1000 0229"),
        .init("a descriptor before the range", descriptors, "05 01 0F00 0229"),
        .init("a descriptor beyond the range", descriptors, "05 01 1F00 0229 2000 0229"),
        .init(
            "more values than were asked for",
            .readMultipleVariable([.init(1), .init(2)]),
            "21 0100 01 0100 02 0100 03"
        ),
    ]

    @Test("An operation fails at the first invalid response", arguments: hostilities)
    func ends(_ exchange: HostileExchange) {
        var script = Script()
        let actions = script.play(exchange.operation, answers: exchange.pdus)
        guard case .completed(1, .failure(.protocolViolation(let reason))) = actions.last else {
            Issue.record("\(actions)")
            return
        }
        #expect(!reason.isEmpty)
        #expect(actions.count == 1)
        #expect(script.client.nextPDU(now: .zero) == nil)
    }

    @Test("A malformed response fails its operation, and the next operation succeeds")
    func malformed() {
        var script = Script()
        let actions = script.play(Self.services, answers: [[0x11, 0x06, 0x01]])
        guard case .completed(1, .failure(.protocolViolation)) = actions.last else {
            Issue.record("\(actions)")
            return
        }
        let next = script.play(.read(.init(3)), answers: [[0x0B, 7]], id: 2)
        #expect(next == [.completed(2, .success(.value([7])))])
    }

    @Test("A discovery fails at the limit of its results")
    func tooMany() {
        var script = Script()
        _ = script.play(.exchangeMTU, answers: [[0x03, 0x05, 0x02]], id: 2)
        var actions = script.client.start(Self.descriptorsOfAll, id: 1)
        var handle: UInt16 = 1
        while actions.isEmpty, script.client.nextPDU(now: .zero) != nil {
            var writer = ByteWriter()
            writer.write(UInt8(0x05))
            writer.write(UInt8(0x01))
            for _ in 0..<100 {
                writer.write(handle)
                writer.write(UInt16(0x2901))
                handle += 1
            }
            actions = script.client.receive(writer.bytes[...], now: .zero)
        }
        #expect(actions == [.completed(1, .failure(.tooManyAttributes))])
        #expect(Int(handle) <= GATT.discoveryLimit + 200)
    }

    private static let descriptorsOfAll = GATT.Operation.discoverDescriptors(
        first: .first,
        last: .last
    )

    @Test("A long read fails if the value exceeds the maximum length")
    func endlessValue() {
        var script = Script()
        let part = [UInt8](repeating: 0xAA, count: 22)
        let answers = [[0x0B] + part] + Array(repeating: [0x0D] + part, count: 30)
        let actions = script.play(.readLong(.init(3)), answers: answers)
        guard case .completed(1, .failure(.protocolViolation)) = actions.first else {
            Issue.record("\(actions)")
            return
        }
    }

    @Test("A value that becomes shorter during a long read ends at its new end")
    func shrinkingValue() {
        var script = Script()
        let part = [UInt8](repeating: 0xAA, count: 22)
        let actions = script.play(
            .readLong(.init(3)),
            answers: [[0x0B] + part, [0x0D] + part, [0x01, 0x0C, 3, 0, 0x07]]
        )
        #expect(actions == [.completed(1, .success(.value(part + part)))])
    }

    @Test("An error within a long read fails the operation")
    func errorInTheMiddle() {
        var script = Script()
        let part = [UInt8](repeating: 0xAA, count: 22)
        let actions = script.play(
            .readLong(.init(3)),
            answers: [[0x0B] + part, [0x01, 0x0C, 3, 0, 0x05]]
        )
        let failure = GATT.Failure.attribute(.insufficientAuthentication, handle: .init(3))
        #expect(actions == [.completed(1, .failure(failure))])
    }

    @Test("Attribute Not Found for the UUID of an included service fails the discovery")
    func includedServiceVanishes() {
        var script = Script()
        let actions = script.play(
            Self.includes,
            answers: [
                [0x09, 0x06, 0x10, 0, 0x20, 0, 0x2F, 0], [0x01, 0x0A, 0x20, 0, 0x0A],
            ]
        )
        let failure = GATT.Failure.attribute(.attributeNotFound, handle: .init(0x20))
        #expect(actions == [.completed(1, .failure(failure))])
    }

    @Test("An error other than Attribute Not Found fails a discovery")
    func discoveryRefused() {
        var script = Script()
        let actions = script.play(
            .discoverSecondaryServices,
            answers: [[0x01, 0x10, 1, 0, 0x10]]
        )
        let failure = GATT.Failure.attribute(.unsupportedGroupType, handle: .init(1))
        #expect(actions == [.completed(1, .failure(failure))])
    }
}
