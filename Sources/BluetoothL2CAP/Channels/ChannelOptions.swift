// SPDX-License-Identifier: Apache-2.0

extension L2CAP {
    /// What this side of a channel can receive. The peer says the same for its side.
    public struct ChannelOptions: Sendable, Equatable {
        /// The longest SDU that we receive, in octets: 23 to 65,535, on an enhanced channel 64 and
        /// up.
        public var mtu: Int
        /// The longest payload of a frame that we receive, in octets: 23 to 65,533, on an enhanced
        /// channel 64 and up. 247 fill the longest packet of a link.
        public var mps: Int
        /// How many frames the peer may be ahead of our reader. A channel begins with as many as
        /// one SDU of `mtu` octets takes, if that is more.
        public var window: Int

        /// Makes options; the defaults suit most.
        public init(mtu: Int = 2_048, mps: Int = 247, window: Int = 32) {
            self.mtu = mtu
            self.mps = mps
            self.window = window
        }

        /// The most frames that a peer can be allowed to be ahead (Vol 3, Part A, 10.1).
        package static let creditLimit = 0xFFFF

        /// The credits that a channel begins with.
        package var initialCredits: Int {
            let octets = mtu + ChannelReceiver.lengthFieldLength
            return min(Self.creditLimit, max(window, (octets + mps - 1) / mps))
        }

        /// Whether a channel of the mode can have these.
        package func isValid(for mode: Mode) -> Bool {
            (mode.sizeMinimum...0xFFFF).contains(mtu)
                && (mode.sizeMinimum...0xFFFD).contains(mps)
                && (1...Self.creditLimit).contains(window)
        }
    }
}
