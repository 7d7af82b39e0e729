// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// What is being sent, on every channel, and was a moment ago: tells which receptions are destroyed
/// by something else that was sent at the same time.
///
/// Terms:
/// - *Collision*: two packets overlap on a channel, at a receiver that hears both.
/// - *Capture*: the receiver follows the wanted packet nevertheless, because it is stronger than
///   all the others together, at their loudest, by `captureThreshold`.
///
/// Rules:
/// 1. Whoever sends, reports it with `begin`, at the start of the packet or up to `leadLimit` before.
/// 2. Whoever receives, asks at the end of the packet, when all that may have overlapped is known.
/// 3. What ended more than `memory` before the latest start is forgotten. By then nobody can still
///    ask about a packet that it overlapped.
/// 4. Only packets on the very channel interfere, whatever their modulation.
package struct Air: Sendable {
    /// How long before its start a packet may be reported. An advertiser can report a whole event.
    package static let leadLimit = Duration.milliseconds(20)

    /// How long what was sent is remembered: the lead, and longer than the longest packet, 251
    /// octets with MIC on LE Coded with eight symbols for a bit (17,040 µs).
    package static let memory = leadLimit + .milliseconds(18)

    /// How many packets of one channel are remembered; beyond, the oldest is forgotten. So many
    /// full advertisements come from forty advertisers that never pause.
    package static let transmissionLimit = 4_096

    /// By how many decibels a packet must be stronger than all others on its channel to be
    /// received. The specification asks receivers to cope with 21 dB on LE 1M (Vol 6, Part A, 4.2);
    /// those that are sold cope with about 8.
    package var captureThreshold: Double {
        didSet { captureRatio = Reproducible.ratio(decibels: captureThreshold) }
    }
    private var captureRatio: Double

    private var channels = [ChannelLog](repeating: ChannelLog(), count: RadioChannel.count)

    /// Silent air.
    package init(captureThreshold: Double = 8) {
        self.captureThreshold = captureThreshold
        captureRatio = Reproducible.ratio(decibels: captureThreshold)
    }

    /// How many packets of the channel are remembered.
    package func transmissionCount(on channel: RadioChannel) -> Int {
        channels[channel.index].count
    }

    /// How many packets were forgotten too early, because of `transmissionLimit`: collisions with
    /// them will have been missed.
    package var forgottenCount: Int { channels.reduce(0) { $0 + $1.forgottenCount } }

    /// The packet is sent.
    package mutating func begin(_ transmission: Transmission) {
        channels[transmission.channel.index].append(transmission)
    }

    /// When the last of the packets ends that begin at this very instant on the channel; nil if none
    /// does. So an advertiser knows whether it hears a request begin where one may.
    package func end(ofPacketsFrom start: Instant, on channel: RadioChannel) -> Instant? {
        channels[channel.index].end(ofPacketsFrom: start)
    }

    /// The packets of other senders that are on the air together with this one, the latest first.
    package func overlapping(_ wanted: Transmission) -> [Transmission] {
        var found: [Transmission] = []
        channels[wanted.channel.index].forEachOverlapping(wanted) { found.append($0) }
        return found
    }

    /// Whether a receiver cannot make out the packet for the others in the air, if it arrives with
    /// `power`. `powerOf` says with what power a sender arrives at the receiver that sends with all
    /// it has, nil if not at all.
    /// Packets of the receiver itself are passed over: that it cannot hear while it sends is a
    /// matter of its schedule.
    package func destroys(
        _ wanted: Transmission,
        power: ReceivedPower,
        powerOf: (RadioID) -> ReceivedPower?
    ) -> Bool {
        let log = channels[wanted.channel.index]
        var isDestroyed = false
        // What is on the air grows at starts only: it is loudest when one of them begins, or at
        // the beginning of the packet itself. Most packets meet none or one, so this allocates
        // nothing and asks again rather than to remember.
        log.forEachOverlapping(wanted) { rival in
            guard !isDestroyed, powerOf(rival.sender) != nil else { return }
            var loudest = 0.0
            let instant = max(rival.start, wanted.start)
            log.forEachOverlapping(wanted) { other in
                guard other.start <= instant, instant < other.end else { return }
                loudest += powerOf(other.sender)?.reduced(by: other.reduction).milliwatts ?? 0
            }
            isDestroyed = power.milliwatts < loudest * captureRatio
        }
        return isDestroyed
    }
}
