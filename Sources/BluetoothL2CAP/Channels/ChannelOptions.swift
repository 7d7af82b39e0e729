// SPDX-License-Identifier: Apache-2.0

extension L2CAP {
    /// The limits for data that the local side of a channel receives. The peer states its own
    /// limits for the other direction.
    public struct ChannelOptions: Sendable, Equatable {
        /// The maximum length of an SDU that the local side receives, in bytes: 23 to 65,535, or 64
        /// to 65,535 on an enhanced channel.
        public var mtu: Int
        /// The maximum payload of a frame that the local side receives, in bytes: 23 to 65,533, or
        /// 64 to 65,533 on an enhanced channel. A frame with 247 bytes fills the longest packet of
        /// a link.
        public var mps: Int
        /// The number of frames that the peer may send before the application reads.
        ///
        /// If one SDU of `mtu` bytes needs more frames than this, the channel starts with as many
        /// credits as the SDU needs.
        public var window: Int

        /// Creates options.
        public init(mtu: Int = 2_048, mps: Int = 247, window: Int = 32) {
            self.mtu = mtu
            self.mps = mps
            self.window = window
        }

        /// The maximum number of credits that a peer can have (Vol 3, Part A, 10.1).
        package static let creditLimit = 0xFFFF

        /// The number of credits with which a channel starts.
        package var initialCredits: Int {
            let bytes = mtu + ChannelReceiver.lengthFieldLength
            return min(Self.creditLimit, max(window, (bytes + mps - 1) / mps))
        }

        /// Returns whether a channel of this mode can have these options.
        package func isValid(for mode: Mode) -> Bool {
            (mode.sizeMinimum...0xFFFF).contains(mtu)
                && (mode.sizeMinimum...0xFFFD).contains(mps)
                && (1...Self.creditLimit).contains(window)
        }
    }
}
