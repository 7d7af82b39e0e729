// SPDX-License-Identifier: Apache-2.0

import BluetoothCrypto
import BluetoothTypes

/// The contents of LL_ENC_REQ (Vol 6, Part B, 2.4.2.4).
struct LinkEncryptionRequest {
    let random: UInt64
    let diversifier: UInt16
    /// The central's part of the session key diversifier, least significant byte first.
    let centralDiversifier: [UInt8]
    let centralVector: [UInt8]

    /// Parses the contents; `nil` if they are too short.
    ///
    /// - Parameter parameters: LL_ENC_REQ without its opcode.
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

/// An encrypted session under one key, with a packet counter for each direction.
struct LinkSession {
    /// The maximum number of consecutive packets that a sniffer may have missed.
    static let lossLimit: UInt64 = 64

    private let cipher: AESCCM
    private let vector: [UInt8]
    /// The next packet counters of the peripheral and of the central.
    private var counters: [UInt64] = [0, 0]

    /// Creates the session with a key; `nil` if the answer is too short.
    ///
    /// - Parameter parameters: LL_ENC_RSP without its opcode.
    init?(_ key: ExportedKey, _ offer: LinkEncryptionRequest, _ parameters: ArraySlice<UInt8>) {
        var reader = ByteReader(parameters)
        guard let keyPart = try? reader.readBytes(8), let vector = try? reader.readBytes(4) else {
            return nil
        }
        let diversifier = offer.centralDiversifier + keyPart
        guard let sessionKey = AES128(key: key.bytes)?.encrypt(diversifier.reversed()),
            let cipher = AESCCM(key: sessionKey)
        else { return nil }
        self.cipher = cipher
        self.vector = offer.centralVector + vector
    }

    /// Decrypts a packet; `nil` if it does not belong to this session.
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

    /// Returns the nonce (Vol 6, Part E, 2.1): the counter of 39 bits, the direction bit, and the
    /// initialization vector.
    private func nonce(_ counter: UInt64, _ isFromCentral: Bool) -> [UInt8] {
        var bytes = (0..<5).map { UInt8(truncatingIfNeeded: counter >> (8 * UInt64($0))) }
        bytes[4] = bytes[4] & 0x7F | (isFromCentral ? 0x80 : 0)
        return bytes + vector
    }
}

/// Link Layer control PDUs in words (Vol 6, Part B, 2.4.2).
enum LinkControl {
    static let encryptionRequest: UInt8 = 0x03
    static let encryptionResponse: UInt8 = 0x04
    static let startEncryptionRequest: UInt8 = 0x05
    static let pauseEncryptionResponse: UInt8 = 0x0B

    private static let names: [UInt8: String] = [
        0x00: "LL_CONNECTION_UPDATE_IND", 0x01: "LL_CHANNEL_MAP_IND", 0x02: "LL_TERMINATE_IND",
        0x03: "LL_ENC_REQ", 0x04: "LL_ENC_RSP", 0x05: "LL_START_ENC_REQ",
        0x06: "LL_START_ENC_RSP", 0x07: "LL_UNKNOWN_RSP", 0x08: "LL_FEATURE_REQ",
        0x09: "LL_FEATURE_RSP", 0x0A: "LL_PAUSE_ENC_REQ", 0x0B: "LL_PAUSE_ENC_RSP",
        0x0C: "LL_VERSION_IND", 0x0D: "LL_REJECT_IND", 0x0E: "LL_PERIPHERAL_FEATURE_REQ",
        0x0F: "LL_CONNECTION_PARAM_REQ", 0x10: "LL_CONNECTION_PARAM_RSP",
        0x11: "LL_REJECT_EXT_IND", 0x12: "LL_PING_REQ", 0x13: "LL_PING_RSP",
        0x14: "LL_LENGTH_REQ", 0x15: "LL_LENGTH_RSP", 0x16: "LL_PHY_REQ", 0x17: "LL_PHY_RSP",
        0x18: "LL_PHY_UPDATE_IND", 0x19: "LL_MIN_USED_CHANNELS_IND",
    ]

    /// Returns the PDU on one line: its name, and its parameters in hexadecimal.
    static func describe(_ bytes: [UInt8]) -> String {
        guard let opcode = bytes.first else { return "empty" }
        let name = names[opcode] ?? "LL control \([opcode].hexadecimal)"
        let parameters = bytes.dropFirst()
        return parameters.isEmpty ? name : "\(name) \(parameters.hexadecimal)"
    }
}
