// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The channels, timing and modulation of a link's packets, at one of its ends.
///
/// Both ends must change their settings at the same connection event. Otherwise packets of one end
/// no longer reach the other.
package struct LinkSettings: Hashable, Sendable {
    /// The interval, latency and supervision timeout.
    package var parameters: LinkParameters
    /// The data channels.
    package var channelMap: ChannelMap
    /// The modulation of sent packets.
    package var sending: Modulation
    /// The PHY of received packets.
    package var receiving: PHY
    /// The sum of all offsets by which updates have moved the anchors.
    package var shift = Duration.zero

    /// Creates the initial values of a requested link.
    package init(_ proposal: LinkProposal) {
        parameters = proposal.parameters
        channelMap = ChannelMap(rawValue: proposal.channelMap)
        sending = proposal.modulation
        receiving = proposal.modulation.phy
    }
}
