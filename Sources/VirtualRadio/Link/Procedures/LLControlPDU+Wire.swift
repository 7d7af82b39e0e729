// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

extension LLControlPDU {
    /// The opcode, and the number of bytes that follow it (Vol 6, Part B, 2.4.2).
    private var form: (opcode: UInt8, length: Int) {
        switch self {
        case .connectionUpdateIndication: (0x00, 11)
        case .channelMapIndication: (0x01, 7)
        case .terminateIndication: (0x02, 1)
        case .encryptionRequest: (0x03, 22)
        case .encryptionResponse: (0x04, 12)
        case .startEncryptionRequest: (0x05, 0)
        case .startEncryptionResponse: (0x06, 0)
        case .unknownResponse: (0x07, 1)
        case .featureRequest: (0x08, 8)
        case .featureResponse: (0x09, 8)
        case .pauseEncryptionRequest: (0x0A, 0)
        case .pauseEncryptionResponse: (0x0B, 0)
        case .versionIndication: (0x0C, 5)
        case .rejectIndication: (0x0D, 1)
        case .peripheralFeatureRequest: (0x0E, 8)
        case .connectionParameterRequest: (0x0F, 23)
        case .connectionParameterResponse: (0x10, 23)
        case .extendedRejectIndication: (0x11, 2)
        case .pingRequest: (0x12, 0)
        case .pingResponse: (0x13, 0)
        case .lengthRequest: (0x14, 8)
        case .lengthResponse: (0x15, 8)
        case .phyRequest: (0x16, 2)
        case .phyResponse: (0x17, 2)
        case .phyUpdateIndication: (0x18, 4)
        case .unknown(let opcode, let length): (opcode, length)
        }
    }

    /// The opcode (Vol 6, Part B, 2.4.2).
    package var opcode: UInt8 { form.opcode }

    /// The length of the payload in bytes: the opcode and the bytes that follow, without a MIC.
    package var length: Int { 1 + form.length }
}
