// SPDX-License-Identifier: Apache-2.0

/// When to look again whether there is room for a write without response.
///
/// Core Bluetooth says so by a callback. But on a fresh or restored link `canSendWriteWithoutResponse` is
/// known to be false at first without a callback that follows, until something is written
/// (tinygo-org/bluetooth#435; NordicSemiconductor/IOS-nRF-Connect-Device-Manager#354). So who waits looks
/// again by itself, and on a link that never had room one write goes out after a while nevertheless. On a
/// link that had, no is no: what is written in spite of it would be lost.
struct RoomWatch {
    /// After what time it looks for the first time; then after twice as long, and so on.
    static let firstPause = Duration.milliseconds(20)
    /// How long it waits at most between two looks.
    static let longestPause = Duration.milliseconds(640)
    /// How long a link is asked that never had room.
    static let patience = Duration.seconds(1)

    /// When to look again; nil if nobody waits.
    private(set) var nextLook: Duration?
    private var since: Duration?
    private var pause = firstPause
    private var hadRoom = false

    /// Whether a write may go out, where the system says this.
    mutating func mayWrite(_ isThere: Bool, now: Duration) -> Bool {
        hadRoom = hadRoom || isThere
        guard !isThere, !hadRoom, let since else { return isThere }
        return now - since >= Self.patience
    }

    /// Somebody waits for room, or nobody does any more.
    mutating func update(isWaiting: Bool, now: Duration) {
        guard isWaiting else {
            (nextLook, since, pause) = (nil, nil, Self.firstPause)
            return
        }
        since = since ?? now
        guard nextLook.map({ $0 <= now }) ?? true else { return }
        nextLook = now + pause
        pause = min(pause * 2, Self.longestPause)
    }

    /// A write without response went out: who waits now waits anew.
    mutating func wrote() {
        (nextLook, since, pause) = (nil, nil, Self.firstPause)
    }
}
