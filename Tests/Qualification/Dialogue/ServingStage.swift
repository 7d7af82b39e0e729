// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

/// The stage of dialogues with our server.
struct ServingStage: Theatre {
    private var stage: ServerStage
    /// The PDUs that the server has sent and that no line has expected yet.
    private var sent: [[UInt8]] = []

    init(security: LinkSecurity, mtu: UInt16) throws {
        stage = ServerStage(try SampleTable.server())
        stage.connect(security: security, mtu: mtu)
    }

    mutating func play(_ line: Line) {
        let place = line.sourceLocation
        switch line.event {
        case .clientSends(let pdu): sent += stage.send(pdu)
        case .serverSends(let pdu): expectSent(pdu, place)
        case .applicationIsAsked(let question): expectAsked(question, place)
        case .applicationIsTold(let report): expectTold(report, place)
        case .applicationAnswers(let result, let handle): answer(result, at: handle)
        case .applicationTells(let handle, let value): tell(value, of: handle, place)
        case .applicationAuthorizes: stage.server.authorize(.client, true)
        case .applicationPublishes(let definition): publish(definition, place)
        case .linkIsProtected(let security):
            stage.perform(stage.server.securityChanged(.client, security))
        case .timePasses(let time):
            stage.pass(time)
            sent += stage.drain()
        default:
            Issue.record("a line for a dialogue with our client", sourceLocation: place)
        }
    }

    mutating func expectSilence(_ sourceLocation: SourceLocation) {
        #expect(
            sent.map(\.hexadecimal) == [],
            "the server sends more",
            sourceLocation: sourceLocation
        )
        let news = takeNews()
        #expect(news == [], "the application hears more", sourceLocation: sourceLocation)
    }

    private mutating func expectSent(_ pdu: [UInt8], _ place: SourceLocation) {
        let next = sent.isEmpty ? nil : sent.removeFirst().hexadecimal
        #expect(next == pdu.hexadecimal, "what the server sends", sourceLocation: place)
    }

    private var question: GATTServer.RequestID?

    private mutating func expectAsked(_ question: GATTServer.Question, _ place: SourceLocation) {
        guard case .ask(let id, let asked)? = nextNews() else {
            Issue.record("the application is not asked", sourceLocation: place)
            return
        }
        self.question = id
        #expect(asked == question, "what the application is asked", sourceLocation: place)
    }

    private mutating func expectTold(_ report: GATTServer.Report, _ place: SourceLocation) {
        let expected = GATTServer.Action.told(.client, report)
        #expect(nextNews() == expected, "what the application is told", sourceLocation: place)
    }

    private mutating func answer(
        _ result: Result<[UInt8], ATT.ErrorCode>,
        at handle: AttributeHandle?
    ) {
        if let question { stage.answer(question, result, at: handle) }
        sent += stage.drain()
    }

    private mutating func tell(
        _ value: [UInt8],
        of handle: AttributeHandle,
        _ place: SourceLocation
    ) {
        let isSent = try? stage.notify(handle, value)
        #expect(isSent == true, "the value is sent", sourceLocation: place)
        sent += stage.drain()
    }

    private mutating func publish(_ definition: GATT.ServiceDefinition, _ place: SourceLocation) {
        do {
            stage.perform(try stage.server.publish(definition).1)
            sent += stage.drain()
        } catch {
            Issue.record(error, sourceLocation: place)
        }
    }

    /// The events that the application gets next.
    private var news: [GATTServer.Action] = []

    private mutating func nextNews() -> GATTServer.Action? {
        news = takeNews()
        return news.isEmpty ? nil : news.removeFirst()
    }

    private mutating func takeNews() -> [GATTServer.Action] {
        defer { news = [] }
        return news + stage.takeNews().filter(\.isHeard)
    }
}

extension GATTServer.Action {
    /// Whether the application gets the action, unlike records to store and violations to log.
    fileprivate var isHeard: Bool {
        switch self {
        case .remember, .violated: false
        default: true
        }
    }
}
