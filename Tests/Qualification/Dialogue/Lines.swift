// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

// The vocabulary of the dialogues. PDUs are hexadecimal, in the order in which their bytes are
// transmitted. Spaces are for readability.

/// The application starts an operation.
func application(
    asks operation: GATT.Operation,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Line {
    Line(event: .applicationAsks(operation), sourceLocation: sourceLocation)
}

/// The application cancels the operation that it started last.
func applicationCancels(sourceLocation: SourceLocation = #_sourceLocation) -> Line {
    Line(event: .applicationCancels, sourceLocation: sourceLocation)
}

/// The operation that the application started last ends with this result.
func operation(
    endsWith result: Result<GATT.Outcome, GATT.Failure>,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Line {
    Line(event: .operationEnds(result), sourceLocation: sourceLocation)
}

/// The application gets an event that it did not request.
func application(
    receives action: DrivenClient.Action,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Line {
    Line(event: .applicationReceivesEvent(action), sourceLocation: sourceLocation)
}

/// The application requests the whole database. `isTrusted` states whether the link is encrypted
/// with the key of a bond.
func applicationRequestsDatabase(
    isTrusted: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Line {
    Line(event: .applicationRequestsDatabase(isTrusted: isTrusted), sourceLocation: sourceLocation)
}

/// The application gets the database that it requested.
func application(
    gets database: GATT.Database,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Line {
    Line(event: .applicationGetsDatabase(database), sourceLocation: sourceLocation)
}

/// The client sends this PDU.
func client(sends pdu: String, sourceLocation: SourceLocation = #_sourceLocation) -> Line {
    Line(event: .clientSends(bytes(pdu)), sourceLocation: sourceLocation)
}

/// The server sends this PDU.
func server(sends pdu: String, sourceLocation: SourceLocation = #_sourceLocation) -> Line {
    Line(event: .serverSends(bytes(pdu)), sourceLocation: sourceLocation)
}

/// No PDU is sent for this duration.
func time(passes time: Duration, sourceLocation: SourceLocation = #_sourceLocation) -> Line {
    Line(event: .timePasses(time), sourceLocation: sourceLocation)
}

/// Returns the bytes of the hexadecimal digits.
func bytes(_ hexadecimal: String) -> [UInt8] {
    guard let bytes = [UInt8](hexadecimal: hexadecimal.filter { $0 != " " }) else {
        Issue.record("\(hexadecimal) is not hexadecimal")
        return []
    }
    return bytes
}

/// Returns the numbers of a range, modulo 256, as hexadecimal digits of bytes.
func bytes(_ range: Range<Int>) -> String {
    range.map { UInt8(truncatingIfNeeded: $0) }.hexadecimal
}

extension AttributeHandle: ExpressibleByIntegerLiteral {
    /// Creates a handle from an integer literal in a dialogue.
    public init(integerLiteral value: UInt16) {
        self.init(value)
    }
}

extension BluetoothUUID: ExpressibleByIntegerLiteral {
    /// Creates an assigned number from an integer literal in a dialogue.
    public init(integerLiteral value: UInt16) {
        self.init(value)
    }
}
