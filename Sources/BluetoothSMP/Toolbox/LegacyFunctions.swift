// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension SMP.Toolbox {
    /// The random address hash ah: 24 bits of a key and of 24 random bits (Vol 3, Part H, 2.2.2).
    package static func ah(_ key: HCI.Key128, _ random: UInt32) -> UInt32 {
        var block = [UInt8](repeating: 0, count: 16)
        for place in 0..<3 { block[place] = UInt8(truncatingIfNeeded: random >> (8 * place)) }
        return e(key, block).bytes.prefix(3).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The confirm value c1 of legacy pairing (Vol 3, Part H, 2.2.3).
    ///
    /// - Parameters:
    ///   - temporaryKey: what the two sides know.
    ///   - random: the number that is to be confirmed.
    ///   - request: the features of the Pairing Request, as they travelled.
    ///   - response: the features of the Pairing Response, as they travelled.
    ///   - initiator: the address that the initiator uses on the link.
    ///   - responder: the address that the responder uses on the link.
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

    /// The key s1 with which legacy pairing encrypts the link: of the half of each side's random
    /// number that is less significant (Vol 3, Part H, 2.2.4). Not shortened yet.
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
