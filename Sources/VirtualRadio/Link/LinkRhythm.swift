// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// Where, when and how the packets of a link are sent, as one of its ends sees it.
///
/// The two ends change it at the same connection event, or never meet again.
package struct LinkRhythm: Hashable, Sendable {
    /// Interval, latency and supervision timeout.
    package var parameters: LinkParameters
    /// The channels.
    package var channelMap: ChannelMap
    /// How this end sends.
    package var sending: Modulation
    /// On which PHY it receives.
    package var receiving: PHY
    /// By how much updates have moved the anchors altogether.
    package var shift = Duration.zero

    /// How the link begins that was asked for.
    package init(_ proposal: LinkProposal) {
        parameters = proposal.parameters
        channelMap = ChannelMap(rawValue: proposal.channelMap)
        sending = proposal.modulation
        receiving = proposal.modulation.phy
    }

    /// Whether the packets of two ends meet that see it like this.
    func meets(_ other: LinkRhythm) -> Bool {
        sending.phy == other.receiving && receiving == other.sending.phy
            && parameters.interval == other.parameters.interval && shift == other.shift
            && channelMap.rawValue == other.channelMap.rawValue
    }
}
