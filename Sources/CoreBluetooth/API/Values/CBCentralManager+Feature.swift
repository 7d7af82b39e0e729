// SPDX-License-Identifier: Apache-2.0

extension CBCentralManager {
    /// The features that not every adapter has.
    public struct Feature: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Creates a set from its bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// Scanning for and connecting to peripherals with extended advertising (Vol 6, Part B,
        /// 4.6.12).
        public static var extendedScanAndConnect: CBCentralManager.Feature { .init(rawValue: 1) }

        /// Measuring distances with Channel Sounding. The adapters of this host do not support it.
        public static var channelSounding: CBCentralManager.Feature { .init(rawValue: 1 << 10) }
    }
}
