// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import Foundation
import Synchronization
import Testing

@testable import LanyardCLI

@Suite("Operations on a characteristic") struct CharacteristicOperationsTests {
    private let accessory = ScriptedAccessory.sample

    private var operations: CharacteristicOperations {
        CharacteristicOperations(accessory: accessory, limits: StepLimits())
    }

    private static func status(_ error: any Error) -> ProcessStatus? {
        (error as? ProgramFailure)?.status
    }

    @Test("A value is printed in hexadecimal and decoded")
    func reads() async throws {
        let report = try await operations.read(CharacteristicReference("180F/2A19"))
        #expect(report.line == "5d  93 %")
        let json =
            #"{"address":"C4:F0:00:00:00:01","uuid":"2A19","valueHandle":7,"value":"5d","#
            + #""meaning":"93 %"}"#
        #expect(report.json.compact == json)
    }

    @Test("A value is read by its UUID without a discovery of characteristics")
    func readsByUUID() async throws {
        let report = try await operations.read(CharacteristicReference("2A00"))
        #expect(report.valueHandle == 3)
        #expect(accessory.procedures.lines == ["read 2A00"])
        _ = try await operations.read(CharacteristicReference("180F/2A19"))
        #expect(accessory.procedures.lines == ["read 2A00", "services", "read 2A19"])
    }

    @Test(
        "A value that fills the response to a read by UUID is read to its end",
        arguments: [180, 181, 400]
    )
    func readsLongValuesByUUID(count: Int) async throws {
        var accessory = accessory
        let value = (0..<count).map { UInt8($0 % 251) }
        accessory.answers[3] = .bytes(value)
        let operations = CharacteristicOperations(accessory: accessory, limits: StepLimits())
        let report = try await operations.read(CharacteristicReference("2A00"))
        #expect(report.bytes == value)
        let whole = ["read 2A00"]
        #expect(accessory.procedures.lines == (count < 181 ? whole : whole + ["read 3"]))
    }

    @Test("A value is read by its handle if the response to a read by UUID is malformed")
    func readsByHandleAfterMalformedResponse() async throws {
        var accessory = accessory
        let value = (0..<400).map { UInt8($0 % 251) }
        accessory.answers[3] = .bytes(value)
        accessory.readsByUUIDFail = .protocolViolation("attribute 0x06FF is out of order")
        let operations = CharacteristicOperations(accessory: accessory, limits: StepLimits())
        let report = try await operations.read(CharacteristicReference("2A00"))
        #expect(report.bytes == value)
        #expect(report.valueHandle == 3)
    }

    @Test("A refused write names --without-response if the characteristic supports only that")
    func writeNeedsNoResponse() async throws {
        var accessory = accessory
        let refusal = GATT.Failure.attribute(.writeNotPermitted, handle: AttributeHandle(13))
        accessory.answers = [11: .failure(refusal), 13: .failure(refusal)]
        let operations = CharacteristicOperations(accessory: accessory, limits: StepLimits())
        for (reference, isNamed) in [("#13", true), ("#11", false)] {
            await #expect {
                try await operations.write([1], to: .init(reference), withResponse: true)
            } throws: {
                let advice = ($0 as? ProgramFailure)?.advice
                return advice?.contains("use --without-response") == isNamed
            }
        }
    }

    @Test("A read by UUID fails if the accessory refuses it or several characteristics match")
    func readByUUIDIsRefused() async throws {
        let vendor = "4C414E59-4152-4400-A000-000000000001"
        await #expect {
            try await operations.read(CharacteristicReference(vendor))
        } throws: {
            Self.status($0) == .refused
        }
        await #expect {
            try await operations.read(CharacteristicReference("2A19"))
        } throws: {
            ($0 as? ProgramFailure)?.advice.contains("#7, #13") == true
        }
    }

    @Test("A write finds its characteristic without a discovery of services")
    func writesWithoutServices() async throws {
        _ = try await operations.write(
            [1],
            to: CharacteristicReference("2A00"),
            withResponse: true
        )
        #expect(accessory.procedures.lines == ["characteristics"])
    }

    @Test("A refused read is an error with the reason")
    func readIsRefused() async throws {
        await #expect {
            try await operations.read(CharacteristicReference("#11"))
        } throws: {
            Self.status($0) == .refused
        }
    }

    @Test("A write with response is one request")
    func writes() async throws {
        let report = try await operations.write(
            [1, 2],
            to: CharacteristicReference("#3"),
            withResponse: true
        )
        #expect(accessory.written.lines == ["write 3 0102"])
        #expect(report.line == "2 bytes written to 2A00 #3")
    }

    @Test("A write without response is a command")
    func writesWithoutResponse() async throws {
        let report = try await operations.write(
            [1],
            to: CharacteristicReference("#13"),
            withResponse: false
        )
        #expect(accessory.written.lines == ["command 13 01"])
        #expect(report.line == "1 byte written to 2A19 #13, without response")
        let json =
            #"{"address":"C4:F0:00:00:00:01","uuid":"2A19","valueHandle":13,"written":1,"#
            + #""withResponse":false}"#
        #expect(report.json.compact == json)
    }

    @Test("A Write Command is not sent to a characteristic that does not support it")
    func refusesCommands() async throws {
        await #expect {
            try await operations.write(
                [1],
                to: CharacteristicReference("#3"),
                withResponse: false
            )
        } throws: {
            Self.status($0) == .refused
        }
        #expect(accessory.written.lines.isEmpty)
    }

    @Test("A subscription passes on the requested number of values")
    func subscribes() async throws {
        var accessory = accessory
        accessory.notifications = [[1], [2], [3]]
        #expect(try await subscribe(to: ["#7"], of: accessory, count: 2) == ["01  1 %", "02  2 %"])
    }

    /// Subscribes, and returns the lines of the values.
    private func subscribe(
        to references: [String],
        of accessory: ScriptedAccessory,
        kind: GATT.SubscriptionKind? = nil,
        count: Int?
    ) async throws -> [String] {
        let received = Mutex<[String]>([])
        let subscriptions = CharacteristicSubscriptions(
            operations: CharacteristicOperations(accessory: accessory, limits: StepLimits()),
            references: try references.map { try CharacteristicReference($0) },
            kind: kind,
            count: count
        )
        try await subscriptions.run { report in
            received.withLock { $0.append(report.line) }
        }
        return received.withLock { $0 }
    }

    @Test("Several subscriptions end together after the requested number of values")
    func subscribesToSeveral() async throws {
        var accessory = accessory
        accessory.notifications = [[1], [2], [3]]
        #expect(try await subscribe(to: ["#7", "#13"], of: accessory, count: 3).count == 3)
    }

    @Test("A characteristic that is named several times is subscribed to once")
    func subscribesOnce() async throws {
        var accessory = accessory
        accessory.notifications = [[1], [2]]
        let lines = try await subscribe(
            to: ["#7", "180F/2A19", "#7", "#0x7"],
            of: accessory,
            count: 2
        )
        #expect(lines == ["01  1 %", "02  2 %"])
        #expect(accessory.written.lines == ["subscribe 7"])
    }

    @Test("The line of a value has its time and, if there are several, its characteristic")
    func timedLines() async throws {
        let report = try await operations.read(CharacteristicReference("180F/2A19"))
        let date = Date(timeIntervalSince1970: 7.25)
        #expect(report.line(at: date, isNamed: false).hasSuffix(":07.250  5d  93 %"))
        #expect(
            report.line(at: date, isNamed: true).hasSuffix(":07.250  Battery Level #7  5d  93 %")
        )
    }

    @Test("A subscription that ends early is an error")
    func subscriptionEnds() async throws {
        await #expect {
            try await subscribe(to: ["#7"], of: accessory, count: nil)
        } throws: {
            Self.status($0) == .inputOutput
        }
    }

    @Test("Indications are not requested from a characteristic without them")
    func refusesIndications() async throws {
        await #expect {
            try await subscribe(to: ["#7"], of: accessory, kind: .indication, count: 1)
        } throws: {
            Self.status($0) == .refused
        }
    }
}
