// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// Exchange MTU: tells the server how much we can receive, and learns the same of it
/// (Vol 3, Part G, 4.3.1).
///
/// A server that does not know the request stays at 23 octets; that is an outcome, not a failure.
/// Once asked for, the exchange is carried through: a client may ask once for each link, so an
/// exchange that was called off could never be repeated.
struct ExchangeMTU: Procedure {
    let receiveMTU: Int

    func begin(mtu: Int) -> ProcedureStep {
        .send(.exchangeMTURequest(.init(receiveMTU: UInt16(receiveMTU))))
    }

    func receive(_ response: ATT.PDU, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        guard case .exchangeMTUResponse = response else { throw .unexpected(response) }
        return .complete(.mtu(mtu))
    }

    func receive(_ failure: GATT.Failure, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        guard case .attribute(.requestNotSupported, _) = failure else { throw failure }
        return .complete(.mtu(mtu))
    }

    func abandon() -> Bool { true }
}
