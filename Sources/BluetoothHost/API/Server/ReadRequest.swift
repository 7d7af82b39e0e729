// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

/// A client's request to read a value that the application provides.
///
/// Answer it once, from any task, within 25 seconds. After that, the host refuses it with
/// `unlikelyError`, because the client would end the link after 30 seconds (Vol 3, Part F, 3.3.3).
/// Until the answer, the client can send no other request on the same bearer. If the application
/// drops the request without an answer, the host refuses it at once. A second answer, and an answer
/// after the link has ended, have no effect.
public struct ReadRequest: Sendable {
    /// The link to the client.
    public let link: Link

    /// The handle of the attribute, which is a characteristic's value or a descriptor.
    public let handle: AttributeHandle

    /// The offset in bytes from which the client reads the value. It is greater than zero for all
    /// parts of a long value but the first.
    public let offset: Int

    let question: OpenQuestion

    /// Sends the value to the client. Returns at once; call it from any thread.
    ///
    /// - Parameter value: The bytes of the value from `offset` on; empty if the value ends there.
    ///   Bytes that do not fit into the response are left out, and the client requests them later.
    public func respond(with value: [UInt8]) {
        question.answer(.success(value))
    }

    /// Refuses the request. Returns at once; call it from any thread.
    ///
    /// - Parameter code: The reason; `invalidOffset` if the value is shorter than `offset`.
    public func refuse(_ code: ATT.ErrorCode) {
        question.answer(.failure(code))
    }
}
