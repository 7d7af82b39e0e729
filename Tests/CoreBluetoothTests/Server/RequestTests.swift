// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import Foundation
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Requests of centrals")
struct RequestTests {
    private static let hundred = Data((0..<100).map { UInt8($0) })

    /// Answers reads with `hundred`, and accepts all writes.
    @Sendable private static func giveHundred(_ app: PeripheralRecorder, _ all: [CBATTRequest]) {
        guard let request = all.first else { return }
        guard request.value == nil else {
            return app.manager.respond(to: request, withResult: .success)
        }
        guard request.offset <= hundred.count else {
            return app.manager.respond(to: request, withResult: .invalidOffset)
        }
        request.value = hundred.dropFirst(request.offset)
        app.manager.respond(to: request, withResult: .success)
    }

    @Test("10.2, 10.3 A long value is read in parts at increasing offsets, each truncated to fit")
    func longRead() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            app.answer(Self.giveHundred)
            // The smallest possible MTU.
            try await fixture.client(configure: { $0.attMTU = 23 }) { client in
                let dynamic = try await client.find(SampleService.dynamic)
                #expect(try await client.link.readLong(dynamic) == [UInt8](Self.hundred))
            }
            #expect(app.allRequests.map(\.offset) == [0, 22, 44, 66, 88])
        }
    }

    @Test("10.2 A read at the end of the value returns no bytes")
    func end() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            let value = Self.hundred.prefix(44)
            app.answer { app, requests in
                requests[0].value = value.dropFirst(requests[0].offset)
                app.manager.respond(to: requests[0], withResult: .success)
            }
            try await fixture.client(configure: { $0.attMTU = 23 }) { client in
                let dynamic = try await client.find(SampleService.dynamic)
                #expect(try await client.link.readLong(dynamic) == [UInt8](value))
            }
            #expect(app.allRequests.map(\.offset) == [0, 22, 44])
            #expect(app.allRequests.last?.value == Data())
        }
    }

    @Test("10.2 A read beyond the end of a shortened value is an invalid offset")
    func pastTheEnd() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            app.answer { app, requests in
                guard requests[0].offset == 0 else {
                    return app.manager.respond(to: requests[0], withResult: .invalidOffset)
                }
                requests[0].value = Self.hundred
                app.manager.respond(to: requests[0], withResult: .success)
            }
            try await fixture.client(configure: { $0.attMTU = 23 }) { client in
                let dynamic = try await client.find(SampleService.dynamic)
                // A client treats an invalid offset as the end of the value.
                let read = try await client.link.readLong(dynamic)
                #expect(read == [UInt8](Self.hundred.prefix(22)))
            }
            #expect(app.allRequests.map(\.offset) == [0, 22])
        }
    }

    @Test("10.2 A success without a value is an empty value")
    func noValue() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            app.answer { $0.manager.respond(to: $1[0], withResult: .success) }
            try await fixture.client { client in
                let dynamic = try await client.find(SampleService.dynamic)
                #expect(try await client.link.read(dynamic) == [])
            }
        }
    }

    @Test("10.4, 10.5 Prepared writes arrive as one unit with offsets and are answered once")
    func longWrite() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            app.answer(Self.giveHundred)
            try await fixture.client(configure: { $0.attMTU = 23 }) { client in
                let dynamic = try await client.find(SampleService.dynamic)
                try await client.link.write([UInt8](Self.hundred.prefix(50)), to: dynamic)
            }
            #expect(app.journal.lines.contains("write A002[0]+18 A002[18]+18 A002[36]+14"))
            let written = app.allRequests.reduce(into: Data()) { $0 += $1.value ?? Data() }
            #expect(written == Self.hundred.prefix(50))
        }
    }

    @Test(
        "10.4 A refusal refuses all writes of a unit and names the answered write",
        arguments: [0, 1]
    )
    func unit(answered: Int) async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            app.answer {
                $0.manager.respond(to: $1[answered], withResult: .invalidAttributeValueLength)
            }
            try await fixture.client { client in
                let values = [
                    GATT.AttributeValue(
                        handle: try await client.find(SampleService.dynamic).valueHandle,
                        value: [1]
                    ),
                    GATT.AttributeValue(
                        handle: try await client.find(SampleService.other).valueHandle,
                        value: [2, 3]
                    ),
                ]
                let refusal = GATT.Failure.attribute(
                    .invalidAttributeValueLength,
                    handle: values[answered].handle
                )
                await #expect(throws: refusal) { try await client.link.writeReliably(values) }
            }
            #expect(app.journal.lines.last == "write A002[0]+1 A005[0]+2")
        }
    }

    @Test("10.6 A Write Command arrives like a request, and answering it has no effect")
    func command() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            app.answer { $0.manager.respond(to: $1[0], withResult: .success) }
            try await fixture.client { client in
                let dynamic = try await client.find(SampleService.dynamic)
                try await client.link.writeWithoutResponse([7, 8], to: dynamic)
                await app.journal.wait(for: "write A002[0]+2")
                // The link still works.
                _ = try await client.find(SampleService.fixed)
            }
        }
    }

    @Test("10.7 An unanswered request is refused before the central times out")
    func silence() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            try await fixture.client { client in
                let dynamic = try await client.find(SampleService.dynamic)
                let before = fixture.air.now
                let refusal = try await client.refusal {
                    _ = try await client.link.read(dynamic)
                }
                #expect(refusal == .unlikelyError)
                let waited = fixture.air.now - before
                #expect(waited > .seconds(24) && waited < .seconds(30))
                let fixed = try await client.find(SampleService.fixed)
                #expect(try await client.link.read(fixed) == [1, 2, 3])
            }
        }
    }

    @Test("10.7 A second answer to a request is ignored and logged")
    func twice() async throws {
        let fixture = try Fixture()
        let journal = Journal()
        try await Misuse.observing(journal.add) {
            try await fixture.serve([SampleService.make().0]) { app in
                app.answer { app, requests in
                    requests[0].value = Data([1])
                    app.manager.respond(to: requests[0], withResult: .success)
                    requests[0].value = Data([2])
                    app.manager.respond(to: requests[0], withResult: .success)
                }
                try await fixture.client { client in
                    let dynamic = try await client.find(SampleService.dynamic)
                    #expect(try await client.link.read(dynamic) == [1])
                    #expect(try await client.link.read(dynamic) == [1])
                }
            }
        }
        #expect(journal.lines.count { $0.contains("The request is over") } >= 2)
    }

    @Test("10.8 Requests for static values or without permission never reach the app")
    func checks() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            try await fixture.client { client in
                let fixed = try await client.find(SampleService.fixed)
                #expect(try await client.link.read(fixed) == [1, 2, 3])
                let write = try await client.refusal {
                    try await client.link.write([9], to: fixed)
                }
                #expect(write == .writeNotPermitted)
                let indicated = try await client.find(SampleService.indicated)
                let read = try await client.refusal {
                    _ = try await client.link.read(indicated)
                }
                #expect(read == .readNotPermitted)
            }
            #expect(app.allRequests.isEmpty)
        }
    }

    @Test("10.9 Application errors reach the central unchanged", arguments: [0x80, 0x9F, 0x0D])
    func applicationErrors(code: Int) async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            app.answer { app, requests in
                guard let code = CBATTError.Code(rawValue: code) else { return }
                app.manager.respond(to: requests[0], withResult: code)
            }
            try await fixture.client { client in
                let dynamic = try await client.find(SampleService.dynamic)
                let refusal = try await client.refusal {
                    _ = try await client.link.read(dynamic)
                }
                #expect(refusal == ATT.ErrorCode(rawValue: UInt8(code)))
            }
        }
    }

    @Test("10.9 A number outside the protocol's range becomes unlikelyError")
    func impossibleError() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            app.answer { app, requests in
                guard let code = CBATTError.Code(rawValue: 0x1234) else { return }
                app.manager.respond(to: requests[0], withResult: code)
            }
            try await fixture.client { client in
                let dynamic = try await client.find(SampleService.dynamic)
                let refusal = try await client.refusal {
                    _ = try await client.link.read(dynamic)
                }
                #expect(refusal == .unlikelyError)
            }
        }
    }

    @Test("Releasing a manager refuses its open requests and removes its services")
    func managerGone() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            app.answer { app, _ in app.dropManager() }
            try await fixture.client { client in
                let dynamic = try await client.find(SampleService.dynamic)
                let before = fixture.air.now
                let refusal = try await client.refusal {
                    _ = try await client.link.read(dynamic)
                }
                #expect(refusal == .unlikelyError || refusal == .invalidHandle)
                #expect(fixture.air.now - before < .seconds(1))
                let left = try await client.link.discoverServices().map(\.uuid)
                #expect(!left.contains(BluetoothUUID(0xA000)))
            }
        }
    }

    @Test("10.1 Without a delegate, requests are refused")
    func withoutDelegate() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            app.manager.delegate = nil
            try await fixture.client { client in
                let dynamic = try await client.find(SampleService.dynamic)
                let refusal = try await client.refusal {
                    _ = try await client.link.read(dynamic)
                }
                #expect(refusal == .unlikelyError)
            }
        }
    }

    @Test("A central has one object, and the same identifier on its next link")
    func centrals() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            app.answer(Self.giveHundred)
            try await fixture.client { client in
                let dynamic = try await client.find(SampleService.dynamic)
                _ = try await client.link.read(dynamic)
                try await client.link.write([1], to: dynamic)
            }
            #expect(app.centrals.count == 1)
            let identifier = app.centrals.first?.identifier
            app.forget()
            try await fixture.client { client in
                _ = try await client.link.read(try await client.find(SampleService.dynamic))
            }
            #expect(app.centrals.map(\.identifier) == [identifier])
        }
    }
}
