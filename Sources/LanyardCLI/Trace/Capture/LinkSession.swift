// SPDX-License-Identifier: Apache-2.0

import BluetoothCrypto
import BluetoothTypes

/// What the two ends have told each other of a session that is to be encrypted: LL_ENC_REQ and
/// LL_ENC_RSP (Vol 6, Part B, 2.4.2.4 and 2.4.2.5).
struct SessionOffer {
    let random: UInt64
    let diversifier: UInt16
    /// Least significant octet first.
    let centralDiversifier: [UInt8]
    let centralVector: [UInt8]

    /// Of LL_ENC_REQ without its opcode.
    init?(_ parameters: ArraySlice<UInt8>) {
        var reader = ByteReader(parameters)
        guard let random = try? reader.readUInt64(), let diversifier = try? reader.readUInt16(),
            let keyPart = try? reader.readBytes(8), let vector = try? reader.readBytes(4)
        else { return nil }
        self.random = random
        self.diversifier = diversifier
        centralDiversifier = Array(keyPart)
        centralVector = Array(vector)
    }
}

/// A session under one key, with a counter for either direction.
struct LinkSession {
    /// How many packets a sniffer may have missed in a row.
    static let lossLimit: UInt64 = 64

    private let cipher: AESCCM
    private let vector: [UInt8]
    /// What the next packet of the Peripheral and of the Central is counted as.
    private var counters: [UInt64] = [0, 0]

    /// - Parameter parameters: LL_ENC_RSP without its opcode.
    init?(_ key: ExportedKey, _ offer: SessionOffer, _ parameters: ArraySlice<UInt8>) {
        var reader = ByteReader(parameters)
        guard let keyPart = try? reader.readBytes(8), let vector = try? reader.readBytes(4) else {
            return nil
        }
        let diversifier = offer.centralDiversifier + keyPart
        guard let sessionKey = AES128(key: key.octets)?.encrypt(diversifier.reversed()),
            let cipher = AESCCM(key: sessionKey)
        else { return nil }
        self.cipher = cipher
        self.vector = offer.centralVector + vector
    }

    /// Decrypts a packet; nil if it was not encrypted in this session.
    mutating func open(_ packet: AirPacket, isFromCentral: Bool) -> [UInt8]? {
        let place = isFromCentral ? 1 : 0
        for counter in counters[place]...counters[place] + Self.lossLimit {
            let text = cipher.open(
                packet.payload,
                nonce: nonce(counter, isFromCentral),
                context: [packet.authenticatedHeader]
            )
            guard let text else { continue }
            counters[place] = counter + 1
            return text
        }
        return nil
    }

    /// Vol 6, Part E, 2.1: the counter of 39 bits, the direction, the vector.
    private func nonce(_ counter: UInt64, _ isFromCentral: Bool) -> [UInt8] {
        var octets = (0..<5).map { UInt8(truncatingIfNeeded: counter >> (8 * UInt64($0))) }
        octets[4] = octets[4] & 0x7F | (isFromCentral ? 0x80 : 0)
        return octets + vector
    }
}
