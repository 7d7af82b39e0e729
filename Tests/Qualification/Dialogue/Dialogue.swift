// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

/// A test case in the form of the official test suite: the requests of the application, the PDUs of
/// the client and of the server, and the events of the application, line by line.
///
/// ```swift
/// Dialogue {
///     application(asks: .read(0x0003))
///     client(sends: "0A 0300")
///     server(sends: "0B 010203")
///     operation(endsWith: .success(.value([1, 2, 3])))
/// }.play()
/// ```
///
/// Each PDU of our side and each event of the application must be the one that the next line
/// expects. After the last line, none may be left.
struct Dialogue {
    private let lines: [Line]
    private let makeFixture: () throws -> any DialogueFixture

    /// Creates a dialogue with our client, which can receive `receiveMTU` bytes and has stored
    /// `record` of the server's database.
    init(
        receiveMTU: Int = 517,
        record: DatabaseRecord? = nil,
        @DialogueBuilder lines: () -> [Line]
    ) {
        makeFixture = { Fixture(receiveMTU: receiveMTU, record: record) }
        self.lines = lines()
    }

    /// Creates a dialogue with our server, which serves the sample database, on a link with this
    /// security and MTU.
    init(
        serving security: LinkSecurity,
        mtu: UInt16 = 23,
        @DialogueBuilder lines: () -> [Line]
    ) {
        makeFixture = { try ServingFixture(security: security, mtu: mtu) }
        self.lines = lines()
    }

    /// Plays all lines, and reports each failure at the place of its line in the test.
    func play(sourceLocation: SourceLocation = #_sourceLocation) {
        do {
            var fixture = try makeFixture()
            for line in lines { fixture.play(line) }
            fixture.expectSilence(sourceLocation)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
    }
}

/// A fixture for one kind of dialogue.
protocol DialogueFixture {
    mutating func play(_ line: Line)

    /// Reports every event that no line expected.
    mutating func expectSilence(_ sourceLocation: SourceLocation)
}

/// One line of a dialogue.
struct Line {
    enum Event {
        case applicationAsks(GATT.Operation)
        case applicationCancels
        case applicationRequestsDatabase(isTrusted: Bool)
        case applicationGetsDatabase(GATT.Database)
        case applicationReceivesEvent(DrivenClient.Action)
        case operationEnds(Result<GATT.Outcome, GATT.Failure>)
        case clientSends([UInt8])
        case serverSends([UInt8])
        case timePasses(Duration)

        // Events of dialogues with our server.
        case applicationIsAsked(GATTServer.Question)
        case applicationReceives(GATTServer.Report)
        case applicationAnswers(Result<[UInt8], ATT.ErrorCode>, AttributeHandle?)
        case applicationSends(AttributeHandle, [UInt8])
        case applicationAuthorizes
        case applicationPublishes(GATT.ServiceDefinition)
        case linkIsProtected(LinkSecurity)
    }

    let event: Event
    let sourceLocation: SourceLocation
}

/// A collector of lines and lists of lines in the order in which they are written.
@resultBuilder
enum DialogueBuilder {
    static func buildExpression(_ line: Line) -> [Line] { [line] }
    static func buildExpression(_ lines: [Line]) -> [Line] { lines }
    static func buildBlock(_ lines: [Line]...) -> [Line] { lines.flatMap { $0 } }
    static func buildArray(_ lines: [[Line]]) -> [Line] { lines.flatMap { $0 } }
    static func buildOptional(_ lines: [Line]?) -> [Line] { lines ?? [] }
    static func buildEither(first lines: [Line]) -> [Line] { lines }
    static func buildEither(second lines: [Line]) -> [Line] { lines }
}
