// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

/// A client wants to write values that the application has.
///
/// Answer it once, as a `ReadRequest`: from any task, within 25 seconds.
public struct WriteRequest: Sendable {
    /// Who asks.
    public let link: Link

    /// What is to be written, in this order: all of it or nothing. More than one entry where the
    /// client prepared them first, for a long value or several at once; entries whose values the
    /// server keeps may be among them, and are in force once the request is accepted.
    public let entries: [GATT.WriteEntry]

    /// Whether the client waits for an answer. If not, it wrote by a command: what it is answered
    /// goes nowhere.
    public let needsResponse: Bool

    /// Nil for a command.
    let question: OpenQuestion?

    /// Tells the client that everything was written. Returns at once and can be called anywhere.
    public func accept() {
        question?.answer(.success([]))
    }

    /// Refuses everything, with one of `ATT.ErrorCode`; `valueNotAllowed`, for example.
    public func refuse(_ code: ATT.ErrorCode) {
        question?.answer(.failure(code))
    }
}
