// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// A test case as the official test suite draws it: what the application asks of the client, what
/// the client sends, what the server sends, and what the application hears, line by line.
///
/// ```swift
/// Dialogue {
///     application(asks: .read(0x0003))
///     client(sends: "0A 0300")
///     server(sends: "0B 010203")
///     application(hears: .success(.value([1, 2, 3])))
/// }.play()
/// ```
///
/// Nothing may happen that no line tells of: each PDU that the client sends and each thing that
/// the application hears must be the one that the next line expects, and none may be left over.
struct Dialogue {
    private let lines: [Line]
    private let makeStage: () throws -> any Theatre

    /// Writes a dialogue with our client, which can receive `receiveMTU` octets, and has kept this
    /// of the server's table.
    init(
        receiveMTU: Int = 517,
        kept: DatabaseRecord? = nil,
        @DialogueBuilder lines: () -> [Line]
    ) {
        makeStage = { Stage(receiveMTU: receiveMTU, kept: kept) }
        self.lines = lines()
    }

    /// Writes a dialogue with our server, which serves the sample table, on a link of this security
    /// and MTU.
    init(
        serving security: LinkSecurity,
        mtu: UInt16 = 23,
        @DialogueBuilder lines: () -> [Line]
    ) {
        makeStage = { try ServingStage(security: security, mtu: mtu) }
        self.lines = lines()
    }

    /// Plays all lines, and reports each that does not come true at its place in the test.
    func play(sourceLocation: SourceLocation = #_sourceLocation) {
        do {
            var stage = try makeStage()
            for line in lines { stage.play(line) }
            stage.expectSilence(sourceLocation)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
    }
}

/// Where one kind of dialogue is played.
protocol Theatre {
    mutating func play(_ line: Line)

    /// Reports whatever happened that no line tells of.
    mutating func expectSilence(_ sourceLocation: SourceLocation)
}

/// One line of a dialogue.
struct Line {
    enum Event {
        case applicationAsks(GATT.Operation)
        case applicationCancels
        case applicationWantsDatabase(isTrusted: Bool)
        case applicationGetsDatabase(GATT.Database)
        case applicationHears(GATTClient.Action)
        case applicationHearsResult(Result<GATT.Outcome, GATT.Failure>)
        case clientSends([UInt8])
        case serverSends([UInt8])
        case timePasses(Duration)

        // Where our server is played.
        case applicationIsAsked(GATTServer.Question)
        case applicationIsTold(GATTServer.Report)
        case applicationAnswers(Result<[UInt8], ATT.ErrorCode>)
        case applicationTells(AttributeHandle, [UInt8])
        case applicationAuthorizes
        case applicationPublishes(GATT.ServiceDefinition)
        case linkIsProtected(LinkSecurity)
    }

    let event: Event
    let sourceLocation: SourceLocation
}

/// Collects lines, and lists of lines, in the order in which they are written.
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
