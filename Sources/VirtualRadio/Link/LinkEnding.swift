// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// How links end.
extension Ether {
    /// The controller loses all its links at once and in silence, as by Reset or loss of power. The
    /// peers find out by their supervision timeouts.
    package mutating func dropLinks(of radio: RadioID) {
        for id in links.names(of: radio) {
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

    /// The end is over, and its host is told why. The data that it held is lost; the host counts it
    /// as completed by itself (Vol 4, Part E, 4.3).
    mutating func finish(_ side: LinkSide, _ reason: HCI.ErrorCode, _ link: inout Link) {
        guard let radio = link[side]?.radio, let handle = link[side]?.handle else { return }
        remove(side, &link)
        let complete = HCI.DisconnectionComplete(
            status: .success,
            connectionHandle: handle,
            reason: reason
        )
        emit(.disconnectionComplete(complete), to: radio)
    }

    private mutating func remove(_ side: LinkSide, _ link: inout Link) {
        guard let end = link[side] else { return }
        cancel(&end.deadlineToken)
        links.accounts[end.radio.index].close(end.handle)
        links.accounts[end.radio.index].heldPackets -= end.heldPackets
        schedules[end.radio.index].release(link.id, from: now)
        link[side] = nil
    }

    /// Makes sure that the end's timer is due at its next deadline, or before. It is not moved when
    /// a deadline moves away, as supervision does with every packet, but when it fires.
    mutating func armDeadline(_ side: LinkSide, _ link: inout Link) {
        guard let deadline = link[side]?.deadlineToArm else { return }
        if let token = link[side]?.deadlineToken { timeline.cancel(token) }
        let timer: LinkTimer = side == .central ? .centralDeadline : .peripheralDeadline
        let token = timeline.schedule(.link(timer, link.id), at: deadline)
        link[side]?.deadlineToken = token
        link[side]?.deadlineInstant = deadline
    }

    /// A deadline may have passed: then the link is lost to this end, or a procedure has taken too
    /// long (Vol 6, Part B, 4.5.2 and 5.2).
    mutating func deadlinePassed(_ side: LinkSide, _ link: inout Link) {
        guard let lost = link[side]?.supervisionDeadline, let next = link[side]?.nextDeadline else {
            return
        }
        link[side]?.deadlineToken = nil
        link[side]?.deadlineInstant = nil
        if lost <= now {
            let isEstablished = link[side]?.lastHeard != nil
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
