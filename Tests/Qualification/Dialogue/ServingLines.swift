// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

// The words for dialogues with our server. `client(sends:)` and `server(sends:)` mean there what
// they mean in dialogues with our client.

/// The server asks its application.
func application(
    isAsked question: GATTServer.Question,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Line {
    Line(event: .applicationIsAsked(question), sourceLocation: sourceLocation)
}

/// The application hears something of its client.
func application(
    isTold report: GATTServer.Report,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Line {
    Line(event: .applicationIsTold(report), sourceLocation: sourceLocation)
}

/// The application answers what it was asked last.
func application(
    answers result: Result<[UInt8], ATT.ErrorCode>,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Line {
    Line(event: .applicationAnswers(result), sourceLocation: sourceLocation)
}

/// The application has a value for its subscribers.
func application(
    tells value: [UInt8],
    of handle: AttributeHandle,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Line {
    Line(event: .applicationTells(handle, value), sourceLocation: sourceLocation)
}

/// The application lets the client at what wants authorization.
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

/// The link is protected in another way from now on.
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
    /// Encrypted with a key that was made without protection against a man in the middle.
    static let encrypted = LinkSecurity(
        isEncrypted: true,
        usesSecureConnections: true,
        keySize: 16,
        isBonded: true
    )
    /// Encrypted with a key of seven octets.
    static let shortKey = LinkSecurity(isEncrypted: true, keySize: 7)
    /// Bonded, and not encrypted yet.
    static let bonded = LinkSecurity(isBonded: true)
}
