// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The closing of links.
extension Ether {
    /// Removes all links of the controller at once, without any packet, as on Reset or loss of
    /// power. The peers detect the loss by their supervision timeouts.
    package mutating func dropLinks(of radio: RadioID) {
        for id in links.identifiers(of: radio) {
            guard let box = links.take(id) else { continue }
            guard box.link.isMade else {
                links.remove(id)
                continue
            }
            for side in LinkSide.allCases where box.link[side]?.radio == radio {
                remove(side, &box.link)
            }
            links.putBack(box)
        }
    }

    /// Closes one end of the link and reports the reason to its host. Data that the end held is
    /// lost, and the host counts it as completed (Vol 4, Part E, 4.3).
    mutating func finish(_ side: LinkSide, _ reason: HCI.ErrorCode, _ link: inout RadioLink) {
        guard let radio = link[side]?.radio, let handle = link[side]?.handle else { return }
        remove(side, &link)
        let complete = HCI.DisconnectionComplete(
            status: .success,
            connectionHandle: handle,
            reason: reason
        )
        emit(.disconnectionComplete(complete), to: radio)
    }

    private mutating func remove(_ side: LinkSide, _ link: inout RadioLink) {
        guard let end = link[side] else { return }
        cancel(&end.deadlineToken)
        links.resources[end.radio.index].close(end.handle, to: end.identity)
        links.resources[end.radio.index].heldPackets -= end.heldPackets
        schedules[end.radio.index].releaseAll(of: link.id, from: now)
        link[side] = nil
        links.changeCount += 1
    }

    /// Ensures that the end's timer fires at its next deadline, or before. When a deadline moves to
    /// a later time, as the supervision timeout does with every packet, the timer stays, and is set
    /// again when it fires.
    ///
    /// Every connection event calls this method. So a link that receives packets needs no timer:
    /// its deadlines are after the end of its next event.
    mutating func armDeadline(_ side: LinkSide, _ link: inout RadioLink) {
        guard let deadline = link[side]?.deadlineToArm, !link.endsEvent(before: deadline, side)
        else { return }
        if let token = link[side]?.deadlineToken { timeline.cancel(token) }
        let timer: LinkTimer = side == .central ? .centralDeadline : .peripheralDeadline
        let token = timeline.schedule(.link(timer, link.id), at: deadline)
        link[side]?.deadlineToken = token
        link[side]?.deadlineInstant = deadline
    }

    /// Checks the deadlines when the timer fires. If the end has lost the link, it closes. If a
    /// procedure has taken too long, the end performs the actions for that (Vol 6, Part B, 4.5.2
    /// and 5.2). If a deadline has moved, the timer is set again.
    mutating func deadlinePassed(_ side: LinkSide, _ link: inout RadioLink) {
        guard let lost = link[side]?.supervisionDeadline, let next = link[side]?.nextDeadline else {
            return
        }
        link[side]?.deadlineToken = nil
        link[side]?.deadlineInstant = nil
        if lost <= now {
            let isEstablished = link[side]?.lastReceived != nil
            let reason: HCI.ErrorCode =
                isEstablished ? .connectionTimeout : .connectionFailedToBeEstablished
            return finish(side, reason, &link)
        }
        if next <= now {
            let actions = link[side]?.procedures.deadlinePassed(now: now) ?? []
            perform(actions, side, &link)
        }
        armDeadline(side, &link)
    }
}

extension RadioLink {
    /// Returns whether a connection event certainly ends before the deadline of an established end.
    /// An event may be late, and may last for an interval.
    fileprivate func endsEvent(before deadline: Instant, _ side: LinkSide) -> Bool {
        guard let interval = central?.timing.interval, self[side]?.lastReceived != nil else {
            return false
        }
        return anchor.nanoseconds + 2 * interval < deadline.nanoseconds
    }
}
