// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// A procedure of Vol 3, Part G, chapter 4, in progress: its outstanding request and its results so
/// far.
///
/// A procedure never has more than one outstanding request and receives only the response to that
/// request. It has no access to the bearer, other procedures, or time. An error that it throws ends
/// it.
protocol Procedure: Sendable {
    /// Returns the first step.
    ///
    /// - Parameter mtu: The maximum length of a PDU in bytes, which may have increased at the next
    ///   call.
    mutating func begin(mtu: Int) throws(GATT.Failure) -> ProcedureStep

    /// Processes the response to the outstanding request. The response has the kind that the
    /// request requires.
    mutating func receive(
        _ response: ATT.PDU,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep

    /// Processes a failed request: the server refused it (`.attribute`), or sent a response that
    /// cannot be decoded (`.protocolViolation`).
    mutating func receive(
        _ failure: GATT.Failure,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep

    /// Abandons the procedure, because the caller canceled it.
    ///
    /// - Returns: Whether the procedure must continue to its end, because otherwise prepared writes
    ///   would remain at the server.
    mutating func abandon() -> Bool
}

/// The next step of a procedure.
enum ProcedureStep: Equatable {
    /// Send this PDU. If it is a request, pass its result to the procedure. A command has no
    /// response, and the procedure is complete when the command is sent.
    case send(ATT.PDU)
    /// The procedure is complete.
    case complete(GATT.Outcome)
}

extension Procedure {
    mutating func receive(
        _ failure: GATT.Failure,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep {
        throw failure
    }

    mutating func abandon() -> Bool { false }
}

extension GATT.Failure {
    /// Returns the failure for a response of the wrong kind. The bearer matches responses to
    /// requests, so only an error in this package can cause it.
    static func unexpected(_ response: ATT.PDU) -> GATT.Failure {
        .protocolViolation("\(response.opcode) does not answer the request")
    }

    init(_ error: ATT.ErrorResponse) {
        self = .attribute(error.code, handle: error.handle)
    }
}
