// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// The common part of all discoveries. A discovery sends requests for the rest of a range until the
/// range is exhausted or the server responds with Attribute Not Found, which means that there are
/// no more attributes.
protocol Discovery: Procedure {
    /// The progress of the discovery.
    var sweep: HandleSweep { get set }

    /// Returns the request for the range from `start` to the end.
    func request(from start: AttributeHandle) -> ATT.PDU

    /// Returns everything that was found. It is called once, at the end.
    func outcome() -> GATT.Outcome

    /// Processes a response and advances the sweep past its attributes.
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

    /// Returns the next request, or completes the procedure.
    func proceed() -> ProcedureStep {
        guard let next = sweep.next else { return .complete(outcome()) }
        return .send(request(from: next))
    }
}

extension Array {
    /// Appends a result of a discovery unless the limit is reached.
    ///
    /// - Throws: ``GATT/Failure/tooManyAttributes`` at `GATT.discoveryLimit`.
    mutating func keep(_ element: Element) throws(GATT.Failure) {
        guard count < GATT.discoveryLimit else { throw .tooManyAttributes }
        append(element)
    }
}
