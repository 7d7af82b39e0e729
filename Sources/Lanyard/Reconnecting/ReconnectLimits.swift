// SPDX-License-Identifier: Apache-2.0

/// How often, and after how long, it is tried again. The numbers are those that served in large homes
/// (bleak-retry-connector); what is different is how it ends: not with an error but with waiting.
struct ReconnectLimits: Hashable, Sendable {
    /// Attempts that may fail hard in a burst.
    var hardFailures = 4
    /// Attempts that may fail otherwise in a burst.
    var transientFailures = 9
    /// How long a burst lasts, at most. A failure so long after the last one begins another burst.
    var burst = Duration.seconds(60)
    /// The shortest wait after a failure that passes.
    var backOffMinimum = Duration.milliseconds(100)
    /// The longest.
    var backOffMaximum = Duration.seconds(1)
    /// The wait where the system has too many links.
    var capacityBackOff = Duration.seconds(4)
    /// The wait after a burst in which links came about and were of no use: without it an accessory that
    /// hangs up on everybody would be connected to without end.
    var rest = Duration.seconds(60)
    /// A link that was usable for so long was good: what failed before it does not count any more.
    var steady = Duration.seconds(10)
    /// So long after an accessory was seen it is dialled rather than waited for.
    var justSeen = Duration.seconds(5)
    /// How long a link that came by itself waits for a slot, at most.
    var slotWait = Duration.seconds(10)
}
