// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The thresholds and times with which `RadioCore` chooses the radio of each link. Signals are in
/// dBm, and differences in dB.
package struct RadioRules: Hashable, Sendable {
    /// The time for which a signal counts as current.
    package var freshness: Duration = .seconds(5)
    /// The weight of a new reading in the smoothed signal, from 0 to 1.
    package var smoothing = 0.4
    /// The minimum difference by which another radio must receive a device better before its
    /// reports of the device are passed on instead.
    package var reportMargin = 4.0

    /// The maximum duration of a survey, in which all radios listen before a request connects.
    /// After the loss of a link, this time begins when `supervisionTimeout` has passed, because the
    /// peer does not advertise earlier.
    package var surveyLimit: Duration = .milliseconds(600)
    /// The time for which a survey continues after one radio has received the peer, so that the
    /// others can receive the peer too.
    package var surveySettling: Duration = .milliseconds(60)
    /// The time for which only the best radio tries to connect, before all radios do.
    package var headStart: Duration = .milliseconds(1_500)

    /// The time between two readings of the signal of a link. A radio reads one signal at a time,
    /// so the time is longer if the readings of all its links take longer.
    package var readingInterval: Duration = .seconds(1)
    /// The longest time for which surveys and head starts delay the readings of a radio, so that
    /// the commands of the connection requests do not wait for them.
    package var readingPauseLimit: Duration = .seconds(5)
    /// The signal of a link below which another radio may take over.
    package var weakSignal = -76.0
    /// The signal of a link below which the link is moved even if no other radio receives the peer.
    /// Other radios usually cannot receive it, because few peripherals advertise while connected.
    package var poorSignal = -82.0
    /// The time for which the signal must be weak before the link is moved.
    package var weakTime: Duration = .seconds(2)
    /// The minimum difference by which another radio must receive the peer better to take over a
    /// link.
    package var moveMargin = 8.0
    /// The minimum time between the opening of a link and its move.
    package var minimumStay: Duration = .seconds(10)
    /// The limit to which moves extend the time in `minimumStay`. That time doubles with each move
    /// of a peer. It is `minimumStay` again as soon as the signal of the peer's link is not weak.
    package var minimumStayLimit: Duration = .seconds(600)

    /// The supervision timeout of the links. It is shorter than usual, because another radio can
    /// take over as soon as both sides know that a link is lost.
    package var supervisionTimeout: Duration = .seconds(3)

    /// The difference by which each recent failure to connect to a peer reduces the radio's signal
    /// in the choice, in dB.
    package var failurePenalty = 10.0
    /// The maximum number of failures that count.
    package var failureLimit = 3
    /// The time for which a failure counts.
    package var failureTime: Duration = .seconds(30)

    /// Creates the default rules.
    package init() {}
}
