// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// One procedure of Vol 3, Part G, chapter 4, under way: what it has asked, and what it has
/// learned so far.
///
/// A procedure never has more than one request open, and hears of nothing but that request. It
/// does not know the bearer, other procedures, or time. Throwing ends it.
protocol Procedure: Sendable {
    /// Says what to send first. `mtu` is the longest PDU that may be sent, in octets; it can have
    /// grown by the next call.
    mutating func begin(mtu: Int) throws(GATT.Failure) -> ProcedureStep

    /// Takes in the answer to its request, of the kind that belongs to it.
    mutating func receive(
        _ response: ATT.PDU,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep

    /// Takes in that its request failed: the server refused it (`.attribute`), or gave an answer
    /// that cannot be understood (`.protocolViolation`).
    mutating func receive(
        _ failure: GATT.Failure,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep

    /// Tells that nobody waits for the outcome any more. Returns whether the procedure must go on
    /// to its end all the same, because it would leave something behind at the server.
    mutating func abandon() -> Bool
}

/// What a procedure wants to happen next.
enum ProcedureStep: Equatable {
    /// Send this. If it is a request, tell what comes of it; a command has no answer, and the
    /// procedure is done when it has left.
    case send(ATT.PDU)
    /// The procedure is done.
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
    /// The bearer matches answers to requests, so only a fault of ours can lead here.
    static func unexpected(_ response: ATT.PDU) -> GATT.Failure {
        .protocolViolation("\(response.opcode) answers another request")
    }

    init(_ error: ATT.ErrorResponse) {
        self = .attribute(error.code, handle: error.handle)
    }
}
