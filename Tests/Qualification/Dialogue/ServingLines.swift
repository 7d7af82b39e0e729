// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

// The vocabulary of dialogues with our server. `client(sends:)` and `server(sends:)` have the same
// meaning as in dialogues with our client.

/// The server asks its application.
func application(
    isAsked question: GATTServer.Question,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Line {
    Line(event: .applicationIsAsked(question), sourceLocation: sourceLocation)
}

/// The application gets a report about its client.
func application(
    receives report: GATTServer.Report,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Line {
    Line(event: .applicationReceives(report), sourceLocation: sourceLocation)
}

/// The application answers the latest question, and names the attribute that caused a refusal.
func application(
    answers result: Result<[UInt8], ATT.ErrorCode>,
    at handle: AttributeHandle? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Line {
    Line(event: .applicationAnswers(result, handle), sourceLocation: sourceLocation)
}

/// The application sends a value to its subscribers.
func application(
    sends value: [UInt8],
    of handle: AttributeHandle,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Line {
    Line(event: .applicationSends(handle, value), sourceLocation: sourceLocation)
}

/// The application authorizes the client.
func applicationAuthorizes(sourceLocation: SourceLocation = #_sourceLocation) -> Line {
    Line(event: .applicationAuthorizes, sourceLocation: sourceLocation)
}

/// The application publishes a service.
func application(
    publishes definition: GATT.ServiceDefinition,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Line {
    Line(event: .applicationPublishes(definition), sourceLocation: sourceLocation)
}

/// The security of the link changes.
func link(
    isNow security: LinkSecurity,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Line {
    Line(event: .linkIsProtected(security), sourceLocation: sourceLocation)
}

extension GATTServer.ClientID {
    /// The client of a dialogue.
    static let client = GATTServer.ClientID(rawValue: 1)
}

extension LinkSecurity {
    /// The security of a bonded link with a key from a pairing without protection against an
    /// attacker in the middle.
    static let encrypted = LinkSecurity(
        isEncrypted: true,
        usesSecureConnections: true,
        keySize: 16,
        isBonded: true
    )
    /// The security of a link that is encrypted with a key of seven bytes.
    static let shortKey = LinkSecurity(isEncrypted: true, keySize: 7)
    /// The security of a bonded link that is not encrypted yet.
    static let bonded = LinkSecurity(isBonded: true)
}
