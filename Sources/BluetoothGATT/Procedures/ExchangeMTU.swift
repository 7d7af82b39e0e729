// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// Exchange MTU: exchanges the maximum lengths of PDUs that the client and the server receive (Vol
/// 3, Part G, 4.3.1).
///
/// If the server does not support the request, the MTU stays at 23 bytes, which is an outcome and
/// not a failure. Once the request is sent, the procedure always runs to its end, because a client
/// may exchange MTUs only once on each link and could not repeat a canceled exchange.
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
