// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

// The words that dialogues are written with. PDUs are hexadecimal, in the order in which their
// octets travel; blanks are for the eye.

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

/// The operation that the application started last ends like this.
func application(
    hears result: Result<GATT.Outcome, GATT.Failure>,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Line {
    Line(event: .applicationHearsResult(result), sourceLocation: sourceLocation)
}

/// The application hears something that it did not ask for.
func application(
    isTold action: GATTClient.Action,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Line {
    Line(event: .applicationHears(action), sourceLocation: sourceLocation)
}

/// The application asks for the whole table. `isTrusted` says whether the link is encrypted with the
/// key of a bond.
func applicationWantsDatabase(
    isTrusted: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Line {
    Line(event: .applicationWantsDatabase(isTrusted: isTrusted), sourceLocation: sourceLocation)
}

/// The application gets the table that it has asked for.
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

/// Nothing is sent for a while.
func time(passes time: Duration, sourceLocation: SourceLocation = #_sourceLocation) -> Line {
    Line(event: .timePasses(time), sourceLocation: sourceLocation)
}

/// The octets that the hexadecimal digits spell.
func bytes(_ hexadecimal: String) -> [UInt8] {
    guard let bytes = [UInt8](hexadecimal: hexadecimal.filter { $0 != " " }) else {
        Issue.record("\(hexadecimal) is not hexadecimal")
        return []
    }
    return bytes
}

/// The octets `0, 1, 2 …` that stand for a long value, as hexadecimal digits.
func octets(_ range: Range<Int>) -> String {
    range.map { UInt8(truncatingIfNeeded: $0) }.hexadecimal
}

extension AttributeHandle: ExpressibleByIntegerLiteral {
    /// Lets dialogues write handles as numbers.
    public init(integerLiteral value: UInt16) {
        self.init(value)
    }
}

extension BluetoothUUID: ExpressibleByIntegerLiteral {
    /// Lets dialogues write assigned numbers as numbers.
    public init(integerLiteral value: UInt16) {
        self.init(value)
    }
}
