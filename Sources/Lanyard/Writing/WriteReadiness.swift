// SPDX-License-Identifier: Apache-2.0

/// The rules that decide when a waiting write without response may be made, and when to check
/// again. There is *room* if the system accepts a write without response now.
///
/// Core Bluetooth reports room by a callback. But on a new or restored link,
/// `canSendWriteWithoutResponse` can be `false` without a later callback, until a value is written
/// (tinygo-org/bluetooth#435; NordicSemiconductor/IOS-nRF-Connect-Device-Manager#354). A waiting
/// queue therefore checks again by itself. If a link never had room, the queue writes nevertheless
/// after ``waitingLimit``, because the callback may depend on that write. If a link has had room,
/// the queue does not, because the system would discard the write.
struct WriteReadiness {
    /// The time before the first check; it doubles with each check.
    static let firstPause = Duration.milliseconds(20)
    /// The maximum time between two checks.
    static let longestPause = Duration.milliseconds(640)
    /// The waiting time after which a link that never had room is used nevertheless.
    static let waitingLimit = Duration.seconds(1)

    /// The time of the next check; `nil` if no write waits.
    private(set) var nextCheck: Duration?
    private var since: Duration?
    private var pause = firstPause
    private var hadRoom = false

    /// Returns whether a write may be made. `hasRoom` is the answer of the system.
    mutating func mayWrite(_ hasRoom: Bool, now: Duration) -> Bool {
        hadRoom = hadRoom || hasRoom
        guard !hasRoom, !hadRoom, let since else { return hasRoom }
        return now - since >= Self.waitingLimit
    }

    /// Records whether a write waits for room.
    mutating func update(isWaiting: Bool, now: Duration) {
        guard isWaiting else {
            (nextCheck, since, pause) = (nil, nil, Self.firstPause)
            return
        }
        since = since ?? now
        guard nextCheck.map({ $0 <= now }) ?? true else { return }
        nextCheck = now + pause
        pause = min(pause * 2, Self.longestPause)
    }

    /// Records a write without response, after which the wait starts again.
    mutating func wrote() {
        (nextCheck, since, pause) = (nil, nil, Self.firstPause)
    }
}
