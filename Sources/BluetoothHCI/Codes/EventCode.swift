// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The number of an event (Vol 4, Part E, 5.4.4).
    package struct EventCode: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let disconnectionComplete = EventCode(rawValue: 0x05)
        package static let encryptionChange = EventCode(rawValue: 0x08)
        package static let readRemoteVersionInformationComplete = EventCode(rawValue: 0x0C)
        package static let commandComplete = EventCode(rawValue: 0x0E)
        package static let commandStatus = EventCode(rawValue: 0x0F)
        package static let hardwareError = EventCode(rawValue: 0x10)
        package static let numberOfCompletedPackets = EventCode(rawValue: 0x13)
        package static let dataBufferOverflow = EventCode(rawValue: 0x1A)
        package static let encryptionKeyRefreshComplete = EventCode(rawValue: 0x30)
        package static let leMeta = EventCode(rawValue: 0x3E)
        package static let authenticatedPayloadTimeoutExpired = EventCode(rawValue: 0x57)
        package static let encryptionChangeV2 = EventCode(rawValue: 0x59)
        package static let vendor = EventCode(rawValue: 0xFF)

        package static let names: [UInt8: String] = [
            0x05: "Disconnection Complete",
            0x08: "Encryption Change",
            0x0C: "Read Remote Version Information Complete",
            0x0E: "Command Complete",
            0x0F: "Command Status",
            0x10: "Hardware Error",
            0x13: "Number Of Completed Packets",
            0x1A: "Data Buffer Overflow",
            0x30: "Encryption Key Refresh Complete",
            0x3E: "LE Meta",
            0x57: "Authenticated Payload Timeout Expired",
            0x59: "Encryption Change [v2]",
            0xFF: "Vendor Specific",
        ]
    }

    /// The number of an LE event: the first byte of an LE Meta event (Vol 4, Part E, 7.7.65).
    package struct LESubeventCode: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let connectionComplete = LESubeventCode(rawValue: 0x01)
        package static let advertisingReport = LESubeventCode(rawValue: 0x02)
        package static let connectionUpdateComplete = LESubeventCode(rawValue: 0x03)
        package static let readRemoteFeaturesComplete = LESubeventCode(rawValue: 0x04)
        package static let longTermKeyRequest = LESubeventCode(rawValue: 0x05)
        package static let remoteConnectionParameterRequest = LESubeventCode(rawValue: 0x06)
        package static let dataLengthChange = LESubeventCode(rawValue: 0x07)
        package static let readLocalP256PublicKeyComplete = LESubeventCode(rawValue: 0x08)
        package static let generateDHKeyComplete = LESubeventCode(rawValue: 0x09)
        package static let enhancedConnectionComplete = LESubeventCode(rawValue: 0x0A)
        package static let directedAdvertisingReport = LESubeventCode(rawValue: 0x0B)
        package static let phyUpdateComplete = LESubeventCode(rawValue: 0x0C)
        package static let extendedAdvertisingReport = LESubeventCode(rawValue: 0x0D)
        package static let scanTimeout = LESubeventCode(rawValue: 0x11)
        package static let advertisingSetTerminated = LESubeventCode(rawValue: 0x12)
        package static let scanRequestReceived = LESubeventCode(rawValue: 0x13)
        package static let channelSelectionAlgorithm = LESubeventCode(rawValue: 0x14)
        package static let enhancedConnectionCompleteV2 = LESubeventCode(rawValue: 0x29)

        package static let names: [UInt8: String] = [
            0x01: "LE Connection Complete",
            0x02: "LE Advertising Report",
            0x03: "LE Connection Update Complete",
            0x04: "LE Read Remote Features Complete",
            0x05: "LE Long Term Key Request",
            0x06: "LE Remote Connection Parameter Request",
            0x07: "LE Data Length Change",
            0x08: "LE Read Local P-256 Public Key Complete",
            0x09: "LE Generate DHKey Complete",
            0x0A: "LE Enhanced Connection Complete",
            0x0B: "LE Directed Advertising Report",
            0x0C: "LE PHY Update Complete",
            0x0D: "LE Extended Advertising Report",
            0x11: "LE Scan Timeout",
            0x12: "LE Advertising Set Terminated",
            0x13: "LE Scan Request Received",
            0x14: "LE Channel Selection Algorithm",
            0x29: "LE Enhanced Connection Complete [v2]",
        ]

        /// Creates the code of an LE event in H4 form, type byte first; `nil` for any other packet.
        package init?(h4 packet: ArraySlice<UInt8>) {
            let header = [PacketType.event.rawValue, EventCode.leMeta.rawValue]
            guard packet.count > 3, packet.starts(with: header) else { return nil }
            rawValue = packet[packet.startIndex + 3]
        }

        /// Whether the event reports advertisements.
        package var reportsAdvertisements: Bool {
            switch self {
            case .advertisingReport, .directedAdvertisingReport, .extendedAdvertisingReport: true
            default: false
            }
        }
    }
}
