// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

/// The fixture of dialogues with our server.
struct ServingFixture: DialogueFixture {
    private var fixture: ServerFixture
    /// The PDUs that the server has sent and that no line has expected yet.
    private var sent: [[UInt8]] = []

    init(security: LinkSecurity, mtu: UInt16) throws {
        fixture = ServerFixture(try SampleTable.server())
        fixture.connect(security: security, mtu: mtu)
    }

    mutating func play(_ line: Line) {
        let place = line.sourceLocation
        switch line.event {
        case .clientSends(let pdu): sent += fixture.send(pdu)
        case .serverSends(let pdu): expectSent(pdu, place)
        case .applicationIsAsked(let question): expectAsked(question, place)
        case .applicationReceives(let report): expectReport(report, place)
        case .applicationAnswers(let result, let handle): answer(result, at: handle)
        case .applicationSends(let handle, let value): send(value, of: handle, place)
        case .applicationAuthorizes: fixture.server.authorize(.client, true)
        case .applicationPublishes(let definition): publish(definition, place)
        case .linkIsProtected(let security):
            fixture.perform(fixture.server.securityChanged(.client, security))
        case .timePasses(let time):
            fixture.pass(time)
            sent += fixture.drain()
        default:
            Issue.record("a line for a dialogue with our client", sourceLocation: place)
        }
    }

    mutating func expectSilence(_ sourceLocation: SourceLocation) {
        #expect(
            sent.map(\.hexadecimal) == [],
            "no other PDU of the server",
            sourceLocation: sourceLocation
        )
        let events = takeEvents()
        #expect(events == [], "no other event of the application", sourceLocation: sourceLocation)
    }

    private mutating func expectSent(_ pdu: [UInt8], _ place: SourceLocation) {
        let next = sent.isEmpty ? nil : sent.removeFirst().hexadecimal
        #expect(next == pdu.hexadecimal, "the next PDU of the server", sourceLocation: place)
    }

    private var question: GATTServer.RequestID?

    private mutating func expectAsked(_ question: GATTServer.Question, _ place: SourceLocation) {
        guard case .ask(let id, let asked)? = nextEvent() else {
            Issue.record("the application is not asked", sourceLocation: place)
            return
        }
        self.question = id
        #expect(asked == question, "the question to the application", sourceLocation: place)
    }

    private mutating func expectReport(_ report: GATTServer.Report, _ place: SourceLocation) {
        let expected = GATTServer.Action.report(.client, report)
        #expect(nextEvent() == expected, "the report to the application", sourceLocation: place)
    }

    private mutating func answer(
        _ result: Result<[UInt8], ATT.ErrorCode>,
        at handle: AttributeHandle?
    ) {
        if let question { fixture.answer(question, result, at: handle) }
        sent += fixture.drain()
    }

    private mutating func send(
        _ value: [UInt8],
        of handle: AttributeHandle,
        _ place: SourceLocation
    ) {
        let isSent = try? fixture.notify(handle, value)
        #expect(isSent == true, "the value is sent", sourceLocation: place)
        sent += fixture.drain()
    }

    private mutating func publish(_ definition: GATT.ServiceDefinition, _ place: SourceLocation) {
        do {
            fixture.perform(try fixture.server.publish(definition).1)
            sent += fixture.drain()
        } catch {
            Issue.record(error, sourceLocation: place)
        }
    }

    /// The events that the application gets next.
    private var events: [GATTServer.Action] = []

    private mutating func nextEvent() -> GATTServer.Action? {
        events = takeEvents()
        return events.isEmpty ? nil : events.removeFirst()
    }

    private mutating func takeEvents() -> [GATTServer.Action] {
        defer { events = [] }
        return events + fixture.takeEvents().filter(\.isReported)
    }
}

extension GATTServer.Action {
    /// Whether the application gets the action, unlike records to store and violations to log.
    fileprivate var isReported: Bool {
        switch self {
        case .remember, .violated: false
        default: true
        }
    }
}
