// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// Updates that both ends apply at an instant, in the same connection event (Vol 6, Part B, 5.5).
extension LinkProcedures {
    /// Applies the updates that are due, before the first packet of the event with that number. The
    /// owner need not call this for events that the end skips.
    package mutating func eventBegins(_ eventCounter: UInt16, now: Instant) -> [Action] {
        guard !updates.isEmpty, !isOver else { return [] }
        let due = updates.filter { Int16(bitPattern: eventCounter &- $0.instant) >= 0 }
        guard !due.isEmpty else { return [] }
        updates.removeAll { due.contains($0) }
        for update in due { apply(update) }
        startNext()
        return takeActions()
    }

    mutating func schedule(_ update: InstantUpdate) {
        updates.removeAll { $0.kind == update.kind }
        updates.append(update)
        if remote?.kind == update.kind { remote = nil }
    }

    /// Handles an indication of the central, which announces an update and its instant.
    mutating func takeIndication(_ pdu: LLControlPDU, _ eventCounter: UInt16) {
        switch pdu {
        case .connectionUpdateIndication(let update):
            guard update.parameters.areLegal else { return end(.invalidLinkLayerParameters) }
            answeredByIndication(.connectionUpdate)
            scheduleInTime(.parameters(update), eventCounter)
        case .channelMapIndication(let channels, let instant):
            guard Self.areLegal(channels) else { return end(.invalidLinkLayerParameters) }
            scheduleInTime(.channels(channels, instant: instant), eventCounter)
        case .phyUpdateIndication(let decision):
            guard areLegal(decision) else { return end(.unsupportedLinkLayerParameterValue) }
            answeredByIndication(.phy)
            if decision.changesSomething {
                scheduleInTime(.phys(decision), eventCounter)
            } else {
                decided(decision)
            }
        default: break
        }
    }

    private mutating func scheduleInTime(_ update: InstantUpdate, _ eventCounter: UInt16) {
        guard Int16(bitPattern: update.instant &- eventCounter) >= 0 else {
            return end(.instantPassed)
        }
        schedule(update)
    }

    /// Stops the response timeout of a procedure that an indication of the central answers.
    private mutating func answeredByIndication(_ kind: LinkProcedure.Kind) {
        if own?.kind == kind { own?.deadline = nil }
        guard remote?.kind == kind else { return }
        remote = nil
        remoteDeadline = nil
    }

    private mutating func apply(_ update: InstantUpdate) {
        switch update {
        case .parameters(let update): apply(update)
        case .phys(let decision): apply(decision)
        case .channels(let channels, _):
            self.channels = channels
            finish(.channelMap)
            actions.append(.setChannels(channels))
        }
    }
}

/// The Channel Map Update procedure (Vol 6, Part B, 5.1.2).
extension LinkProcedures {
    /// Returns whether the channel map is valid: a link needs at least two of the 37 channels (Vol
    /// 6, Part B, 4.5.8.1).
    static func areLegal(_ channels: UInt64) -> Bool {
        channels <= HCI.ChannelMap.all.rawValue && channels.nonzeroBitCount >= 2
    }

    /// Updates the channel map after the central's host has classified the channels.
    mutating func setChannels(_ channels: UInt64) throws(HCI.ErrorCode) {
        guard side == .central else { throw .commandDisallowed }
        guard Self.areLegal(channels) else { throw .invalidCommandParameters }
        enqueue(.channelMap(channels))
    }

    mutating func startChannelMap(_ channels: UInt64) {
        guard channels != self.channels else { return }
        begin(.channelMap(channels), .channelMapIndication(channels: channels, instant: 0))
    }
}
