// SPDX-License-Identifier: Apache-2.0

/// The limits and times of connection attempts. The numbers of failures and the back-off times are
/// those of bleak-retry-connector, which is used in large installations. Unlike in that library, a
/// burst for a remembered accessory ends with a pending connection request instead of an error.
struct ReconnectLimits: Hashable, Sendable {
    /// The maximum number of hard failures in a burst.
    var hardFailures = 4
    /// The maximum number of other failures in a burst.
    var transientFailures = 9
    /// The maximum duration of a burst. A failure that comes more than this time after the previous
    /// failure begins a new burst.
    var burst = Duration.seconds(60)
    /// The minimum wait after a transient failure.
    var backOffMinimum = Duration.milliseconds(100)
    /// The maximum wait after a transient failure.
    var backOffMaximum = Duration.seconds(1)
    /// The wait after the system reported that there are too many links. For a pending connection
    /// request, it doubles with each refusal.
    var capacityBackOff = Duration.seconds(4)
    /// The maximum wait after the system refused a pending connection request because there are too
    /// many links.
    var capacityBackOffMaximum = Duration.seconds(60)
    /// The wait after a burst whose last attempt made an unusable link or was a pending connection
    /// request. Without it, the library would connect without end to an accessory that always
    /// disconnects.
    var burstBackOff = Duration.seconds(60)
    /// The duration of a usable link after which earlier failures no longer count.
    var steady = Duration.seconds(10)
    /// The time after a discovery within which the library connects with a timeout instead of
    /// leaving a request pending.
    var justSeen = Duration.seconds(5)
    /// The maximum time that a link without a slot waits for one.
    var slotWait = Duration.seconds(10)
}
