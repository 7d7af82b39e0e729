// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// What all discoveries have in common: request after request over the rest of a range, until the
/// range is exhausted or the server says Attribute Not Found, which is how it says "no more".
protocol Discovery: Procedure {
    /// How far the discovery has come.
    var sweep: HandleSweep { get set }

    /// The request for what lies from `start` to the end of the range.
    func request(from start: AttributeHandle) -> ATT.PDU

    /// All that was found; asked for once, at the end.
    func outcome() -> GATT.Outcome

    /// Takes in what a response holds, and moves the sweep past it.
    mutating func take(_ response: ATT.PDU) throws(GATT.Failure)
}

extension Discovery {
    mutating func begin(mtu: Int) -> ProcedureStep { proceed() }

    mutating func receive(
        _ response: ATT.PDU,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep {
        try take(response)
        return proceed()
    }

    mutating func receive(
        _ failure: GATT.Failure,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep {
        guard case .attribute(.attributeNotFound, _) = failure else { throw failure }
        return .complete(outcome())
    }

    /// The next request, or the end.
    func proceed() -> ProcedureStep {
        guard let next = sweep.next else { return .complete(outcome()) }
        return .send(request(from: next))
    }
}

extension Array {
    /// Adds what a discovery has found, unless it has found too much already.
    mutating func keep(_ element: Element) throws(GATT.Failure) {
        guard count < GATT.discoveryLimit else { throw .tooManyAttributes }
        append(element)
    }
}
