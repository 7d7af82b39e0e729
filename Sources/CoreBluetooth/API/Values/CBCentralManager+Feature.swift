// SPDX-License-Identifier: Apache-2.0

extension CBCentralManager {
    /// What an adapter can do beyond what all can.
    public struct Feature: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Makes the set of these bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// Finds and connects to what advertises with extended advertising (Vol 6, Part B, 4.6.12).
        public static var extendedScanAndConnect: CBCentralManager.Feature { .init(rawValue: 1) }

        /// Measures distances by channel sounding. No adapter of this host does.
        public static var channelSounding: CBCentralManager.Feature { .init(rawValue: 1 << 10) }
    }
}
