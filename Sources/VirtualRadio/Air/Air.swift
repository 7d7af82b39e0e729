// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The packets that are being sent on each channel, or were sent a moment ago. `Air` decides which
/// receptions a collision destroys.
///
/// Terms:
/// - *Collision*: two packets overlap on a channel, at a receiver that receives both.
/// - *Capture*: the receiver receives the wanted packet in spite of a collision, because that
///   packet is stronger by `captureThreshold` than the sum of all others at their loudest.
///
/// Rules:
/// 1. The ether reports each packet with `begin`, at the start of the packet or up to `leadLimit`
///    before it.
/// 2. The ether calls `destroys` for each receiver at the end of the packet, when every packet that
///    overlaps it is known.
/// 3. `Air` forgets packets that ended more than `retention` before the latest start. At that time
///    no call of `destroys` can still be for a packet that they overlapped.
/// 4. Only packets on the same channel interfere, whatever their modulation.
package struct Air: Sendable {
    /// The maximum time before its start at which a packet may be reported. An advertiser that
    /// skips packets reports its next packet early.
    package static let leadLimit = Duration.milliseconds(20)

    /// The time for which a packet is stored: `leadLimit`, and more than the air time of the
    /// longest packet. The longest packet has 251 bytes and a MIC, on LE Coded with eight symbols
    /// for each bit (17,040 µs).
    package static let retention = leadLimit + .milliseconds(18)

    /// The maximum number of packets that are remembered for one channel. Beyond it the oldest is
    /// forgotten. Within `retention`, forty advertisers that never pause send about this many full
    /// advertisements.
    package static let transmissionLimit = 4_096

    /// The margin in decibels by which a packet must be stronger than all others on its channel
    /// together to be received. The specification requires receivers to cope with 21 dB on LE 1M
    /// (Vol 6, Part A, 4.2). Receivers on the market cope with about 8 dB.
    package var captureThreshold: Double {
        didSet { captureRatio = ReproducibleMath.ratio(decibels: captureThreshold) }
    }
    private var captureRatio: Double

    private var channels = [ChannelLog](repeating: ChannelLog(), count: RadioChannel.count)

    /// Creates a medium without packets.
    package init(captureThreshold: Double = 8) {
        self.captureThreshold = captureThreshold
        captureRatio = ReproducibleMath.ratio(decibels: captureThreshold)
    }

    /// Returns the number of packets that are remembered for the channel.
    package func transmissionCount(on channel: RadioChannel) -> Int {
        channels[channel.index].count
    }

    /// The number of packets that were forgotten too early because of `transmissionLimit`.
    /// Collisions with them may have been missed.
    package var forgottenCount: Int { channels.reduce(0) { $0 + $1.forgottenCount } }

    /// Adds a packet that a radio sends.
    package mutating func begin(_ transmission: Transmission) {
        channels[transmission.channel.index].append(transmission)
    }

    /// Returns the end of the last packet that begins at exactly `start` on the channel; `nil` if
    /// no packet does. An advertiser uses it to find out whether a request begins where one may
    /// begin.
    package func end(ofPacketsFrom start: Instant, on channel: RadioChannel) -> Instant? {
        channels[channel.index].end(ofPacketsFrom: start)
    }

    /// Returns whether every reported packet on the channel ends at the instant or before.
    func isQuiet(_ channel: RadioChannel, from instant: Instant) -> Bool {
        channels[channel.index].isQuiet(from: instant)
    }

    /// Returns the packets of other senders that overlap this one, the latest first.
    package func overlapping(_ wanted: Transmission) -> [Transmission] {
        var found: [Transmission] = []
        channels[wanted.channel.index].forEachOverlapping(wanted) { found.append($0) }
        return found
    }

    /// Returns whether overlapping packets destroy the reception of a packet.
    ///
    /// Packets of the receiver itself are ignored. `RadioSchedule` ensures that a radio does not
    /// receive while it sends.
    ///
    /// - Parameters:
    ///   - wanted: The packet.
    ///   - power: The power of the packet at the receiver.
    ///   - powerOf: The power at the receiver of a sender that sends at full power; `nil` if the
    ///     receiver does not receive it.
    package func destroys(
        _ wanted: Transmission,
        power: ReceivedPower,
        powerOf: (RadioID) -> ReceivedPower?
    ) -> Bool {
        let log = channels[wanted.channel.index]
        var isDestroyed = false
        // The sum of the interfering power rises only when a packet starts. It is highest at the
        // start of one of the packets, or at the start of the wanted packet. Most packets overlap
        // at most one other packet. So the inner search is repeated for each start, and the method
        // allocates no memory.
        log.forEachOverlapping(wanted) { interferer in
            guard !isDestroyed, powerOf(interferer.sender) != nil else { return }
            var loudest = 0.0
            let instant = max(interferer.start, wanted.start)
            log.forEachOverlapping(wanted) { other in
                guard other.start <= instant, instant < other.end else { return }
                loudest += powerOf(other.sender)?.reduced(by: other.reduction).milliwatts ?? 0
            }
            isDestroyed = power.milliwatts < loudest * captureRatio
        }
        return isDestroyed
    }
}
