// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The limits of the choice of a radio. Signals are in dBm, and differences in dB.
package struct RadioRules: Hashable, Sendable {
    /// The time for which a signal counts as current.
    package var freshness: Duration = .seconds(5)
    /// The share of a new reading in the smoothed signal.
    package var smoothing = 0.4
    /// The advantage that another radio needs to become the one whose reports of a device are
    /// passed on.
    package var reportMargin = 4.0

    /// The longest time for which all radios only listen before a request connects. After the loss
    /// of a link, this time follows `supervisionTimeout`, since the peer does not advertise before.
    package var surveyLimit: Duration = .milliseconds(600)
    /// The time for which the other radios may still report, after the first has received the peer.
    package var surveySettling: Duration = .milliseconds(60)
    /// The time for which only the best radio tries to connect, before all radios do.
    package var headStart: Duration = .milliseconds(1_500)

    /// The time between two readings of the signal of a link.
    package var readingInterval: Duration = .seconds(1)
    /// The signal of a link below which another radio may take over.
    package var weakSignal = -76.0
    /// The signal of a link below which it ends even if no other radio receives the peer, because a
    /// peripheral usually does not advertise while it is connected.
    package var poorSignal = -82.0
    /// The time for which the signal must be weak.
    package var weakTime: Duration = .seconds(2)
    /// The advantage that another radio needs to take over a link.
    package var moveMargin = 8.0
    /// The minimum time between the opening of a link and its move.
    package var dwell: Duration = .seconds(10)
    /// The maximum of the minimum time between the opening of a link and its move. The minimum time
    /// doubles with each move of a peer, from `dwell` to this limit, and is `dwell` again when the
    /// peer's link is strong.
    package var dwellLimit: Duration = .seconds(600)

    /// The supervision timeout of the links. It is shorter than usual, because another radio can
    /// take over as soon as both sides know that a link is lost.
    package var supervisionTimeout: Duration = .seconds(3)

    /// The reduction of a radio's signal for each recent failure to connect, in dB.
    package var failurePenalty = 10.0
    /// The maximum number of failures that count.
    package var failureLimit = 3
    /// The time for which a failure counts.
    package var failureTime: Duration = .seconds(30)

    /// Creates the default rules.
    package init() {}
}
