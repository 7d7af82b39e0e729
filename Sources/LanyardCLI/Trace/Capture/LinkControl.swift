// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// PDUs of the Link Layer's own in words (Vol 6, Part B, 2.4.2).
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

    /// The PDU on one line: its name, and its parameters in hexadecimal.
    static func describe(_ octets: [UInt8]) -> String {
        guard let opcode = octets.first else { return "empty" }
        let name = names[opcode] ?? "LL control \([opcode].hexadecimal)"
        let parameters = octets.dropFirst()
        return parameters.isEmpty ? name : "\(name) \(parameters.hexadecimal)"
    }
}
