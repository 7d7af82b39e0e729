// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension SMP.Toolbox {
    /// Returns the confirm value c1 of legacy pairing (Vol 3, Part H, 2.2.3).
    ///
    /// - Parameters:
    ///   - temporaryKey: The temporary key that both devices have.
    ///   - random: The random number to confirm.
    ///   - request: The features of the Pairing Request, as transmitted.
    ///   - response: The features of the Pairing Response, as transmitted.
    ///   - initiator: The address of the initiator on the link.
    ///   - responder: The address of the responder on the link.
    package static func c1(
        _ temporaryKey: HCI.Key128,
        _ random: SMP.Value128,
        request: SMP.PairingFeatures,
        response: SMP.PairingFeatures,
        initiator: DeviceAddress,
        responder: DeviceAddress
    ) -> SMP.Value128 {
        let kinds = [initiator.kind.rawValue, responder.kind.rawValue]
        let exchanged =
            SMP.PDU.pairingRequest(request).encode() + SMP.PDU.pairingResponse(response).encode()
        let padding = [UInt8](repeating: 0, count: 4)
        let addresses = responder.littleEndianBytes + initiator.littleEndianBytes + padding
        let first = e(temporaryKey, xor(random.bytes, kinds + exchanged))
        return e(temporaryKey, xor(first.bytes, addresses))
    }

    /// Returns the key s1, with which legacy pairing encrypts the link, before it is shortened. It
    /// is computed from the less significant half of each device's random number (Vol 3, Part H,
    /// 2.2.4).
    package static func s1(
        _ temporaryKey: HCI.Key128,
        responder: SMP.Value128,
        initiator: SMP.Value128
    ) -> HCI.Key128 {
        let halves = [initiator, responder].flatMap { $0.bytes.prefix(8) }
        return HCI.Key128(e(temporaryKey, halves))
    }

    private static func xor(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] {
        zip(one, other).map { $0 ^ $1 }
    }
}
