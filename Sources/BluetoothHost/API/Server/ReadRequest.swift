// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

/// A client waits for a value that the application has.
///
/// Answer it once, from any task, at any time within 25 seconds: after that the client is refused
/// with `unlikelyError`, since it would end the link after 30 (Vol 3, Part F, 3.3.3). Until then the
/// client can ask nothing else on the same bearer. It is refused at once if the request is dropped
/// without an answer. A second answer, and one that comes after the link has ended, does nothing.
public struct ReadRequest: Sendable {
    /// Who asks.
    public let link: Link

    /// The attribute: a characteristic's value or a descriptor.
    public let handle: AttributeHandle

    /// From which octet on the client wants the value: not zero where it reads a long one in parts.
    public let offset: Int

    let question: OpenQuestion

    /// Gives the value: its octets from `offset` on, none if it ends there. What does not fit into
    /// the response is left out; the client comes back for it.
    ///
    /// Returns at once and can be called anywhere. On the host's executor, the answer leaves in the
    /// same turn of its thread.
    public func respond(with value: [UInt8]) {
        question.answer(.success(value))
    }

    /// Refuses, with one of `ATT.ErrorCode`; `invalidOffset` if the value is shorter than `offset`.
    public func refuse(_ code: ATT.ErrorCode) {
        question.answer(.failure(code))
    }
}
