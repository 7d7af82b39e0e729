// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// Signed Write Without Response: a command whose signature proves the identity of its sender on a
/// link without encryption, with at most MTU - 15 bytes (Vol 3, Part G, 4.9.2).
struct SignedWriteWithoutResponse: Procedure {
    let handle: AttributeHandle
    let value: [UInt8]
    let signer: GATT.CommandSigner

    func begin(mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        let length = ATT.SignedWriteCommand.signatureLength
        try GATT.checkWrite(value, signatureLength: length, mtu: mtu)
        return .send(.signedWriteCommand(signer.sign(value, for: handle)))
    }

    func receive(_ response: ATT.PDU, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        throw .unexpected(response)
    }
}
