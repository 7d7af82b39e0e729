// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

/// A client's request to write values that the application provides.
///
/// Answer it once, from any task, within 25 seconds, like a ``ReadRequest``.
public struct WriteRequest: Sendable {
    /// The link to the client.
    public let link: Link

    /// The values to write, in this order. Write all of them or none.
    ///
    /// There is more than one entry if the client prepared several values before it wrote them, or
    /// several parts of one value that are not contiguous. Values that the server stores
    /// (`GATT.ValueSource.stored`) are not among the entries. If the same request writes stored
    /// values, they change when the request is accepted, and the event `written` follows.
    public let entries: [GATT.WriteEntry]

    /// Whether the client waits for an answer. If not, the client sent a command, and the host
    /// drops an answer.
    public let needsResponse: Bool

    /// The pending answer; `nil` for a command.
    let question: OpenQuestion?

    /// Confirms to the client that all values were written. Returns at once; call it from any
    /// thread.
    public func accept() {
        question?.answer(.success([]))
    }

    /// Refuses the whole request, so that none of its values is written. Returns at once; call it
    /// from any thread.
    ///
    /// ```swift
    /// for entry in request.entries where entry.value.count > 4 {
    ///     return request.refuse(.invalidAttributeValueLength, at: entry.handle)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - code: The reason that the client gets, for example `valueNotAllowed`.
    ///   - handle: The handle of the attribute that caused the refusal, which the client gets as
    ///     well (Vol 3, Part F, 3.4.6.3). It must be in `entries`; `nil` for the first.
    public func refuse(_ code: ATT.ErrorCode, at handle: AttributeHandle? = nil) {
        precondition(
            handle == nil || entries.contains { $0.handle == handle },
            "The request writes no attribute with the handle that `refuse(_:at:)` got."
        )
        question?.answer(.failure(code), at: handle)
    }
}
