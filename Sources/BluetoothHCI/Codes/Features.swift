// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The features of a controller outside of LE (Vol 2, Part C, 3.3).
    package struct LMPFeatures: BitSet {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }

        package static let classicNotSupported = LMPFeatures(rawValue: 1 << 37)
        package static let leSupported = LMPFeatures(rawValue: 1 << 38)
    }

    /// The features of a Link Layer (Vol 6, Part B, 4.6).
    package struct LEFeatures: BitSet {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }

        package static let encryption = LEFeatures(rawValue: 1 << 0)
        package static let connectionParametersRequest = LEFeatures(rawValue: 1 << 1)
        package static let extendedReject = LEFeatures(rawValue: 1 << 2)
        package static let peripheralFeatureExchange = LEFeatures(rawValue: 1 << 3)
        package static let ping = LEFeatures(rawValue: 1 << 4)
        package static let dataPacketLengthExtension = LEFeatures(rawValue: 1 << 5)
        package static let privacy = LEFeatures(rawValue: 1 << 6)
        package static let extendedScannerFilterPolicies = LEFeatures(rawValue: 1 << 7)
        package static let le2M = LEFeatures(rawValue: 1 << 8)
        package static let stableModulationIndexTransmitter = LEFeatures(rawValue: 1 << 9)
        package static let stableModulationIndexReceiver = LEFeatures(rawValue: 1 << 10)
        package static let coded = LEFeatures(rawValue: 1 << 11)
        package static let extendedAdvertising = LEFeatures(rawValue: 1 << 12)
        package static let periodicAdvertising = LEFeatures(rawValue: 1 << 13)
        package static let channelSelectionAlgorithm2 = LEFeatures(rawValue: 1 << 14)
        package static let powerClass1 = LEFeatures(rawValue: 1 << 15)
        package static let minimumUsedChannels = LEFeatures(rawValue: 1 << 16)
        package static let connectionSubrating = LEFeatures(rawValue: 1 << 37)
        package static let connectionSubratingHostSupport = LEFeatures(rawValue: 1 << 38)
    }
}
