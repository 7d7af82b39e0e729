// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothHCI
import BluetoothTypes

// The beginning and the end of links, as the controller reports them.
extension HostCore {
    mutating func receiveLinkEvent(_ event: HCI.Event, now: Instant) {
        switch event {
        case .connectionComplete(let event):
            connectionCompleted(ConnectionReport(event), now: now)
        case .enhancedConnectionComplete(let event):
            connectionCompleted(ConnectionReport(event), now: now)
        case .enhancedConnectionCompleteV2(let event):
            connectionCompleted(ConnectionReport(event), now: now)
        default:
            guard let handle = event.connectionHandle else { return }
            withLink(handle, now: now) { $0.receive(event, &$1) }
        }
    }

    private mutating func connectionCompleted(_ report: ConnectionReport, now: Instant) {
        if report.status == .advertisingTimeout {
            return perform(advertiser.directedAdvertisingTimedOut(now: now), now: now)
        }
        guard report.role == .central || report.status != .success else {
            return connectionAccepted(report, now: now)
        }
        let localAddress = localAddress(in: report)
        let actions = scheduler.connectionCompleted(
            status: report.status,
            peer: requestedAddress(in: report),
            now: now
        )
        if report.status == .success {
            var request: RequestIdentifier?
            // The scheduler's actions may contain a request that was canceled in the meantime.
            for case .connected(let id) in actions
            where connectionRequests[.init(rawValue: id)] != nil {
                request = RequestIdentifier(rawValue: id)
            }
            linkBegan(report, from: localAddress, for: request, isIncoming: false, now: now)
        }
        perform(actions, now: now)
    }

    /// Handles a connection of a peer. The link ends at once if no set awaits connections, for
    /// example if the peer connected while its set was being stopped, or if the host is being shut
    /// down.
    private mutating func connectionAccepted(_ report: ConnectionReport, now: Instant) {
        let isAdmitted = advertiser.awaitsConnections && shutdownDeadline == nil
        let localAddress = localAddress(in: report)
        linkBegan(report, from: localAddress, for: nil, isIncoming: isAdmitted, now: now)
        perform(advertiser.connectionMade(now: now), now: now)
        activitiesChanged(now: now)
    }

    /// Handles a new link: for a connection request, or for a peer that connected to this host. The
    /// link ends at once if neither a request nor an advertising set awaits it.
    private mutating func linkBegan(
        _ report: ConnectionReport,
        from localAddress: DeviceAddress,
        for request: RequestIdentifier?,
        isIncoming: Bool,
        now: Instant
    ) {
        let link = makeLink(report, from: localAddress, for: request)
        // If the handle is in use, the event about the end of the earlier link was lost.
        endLink(link.handle, with: .disconnected(.connectionTimeout), now: now)
        links.append(link)
        withLink(link.identifier, now: now) { $0.begin(&$1) }
        // The end of the earlier link may have ended the request.
        let request = request.flatMap { connectionRequests[$0] == nil ? nil : $0 }
        guard request != nil || isIncoming else {
            emit(.log("\(link.peer) connected, but no request or set awaits the link"))
            withLink(link.identifier, now: now) { link, context in
                link.connectionRequest = nil
                link.disconnect(request: nil, &context)
            }
            return
        }
        if let request {
            connectionRequests[request]?.phase = .establishing(link.identifier)
            updateScan(now: now)
        }
        // With the extended commands, a link begins on the PHY on which its peer was discovered.
        let mayUseOtherPHY =
            request == nil
            ? advertiser.mayConnectOnOtherPHY : context.capabilities?.usesExtendedCommands == true
        withLink(link.identifier, now: now) { link, context in
            if mayUseOtherPHY { link.readFirstPHY(&context) }
            link.prepare(&context)
            if isIncoming { link.announce(&context) }
        }
    }

    private mutating func makeLink(
        _ report: ConnectionReport,
        from localAddress: DeviceAddress,
        for request: RequestIdentifier?
    ) -> LinkCore {
        let identifier = LinkIdentifier(rawValue: nextLink)
        nextLink += 1
        return LinkCore(
            identifier: identifier,
            report: report,
            identity: identity(in: report),
            localAddress: localAddress,
            connectionRequest: request,
            receiveMTULimit: min(max(configuration.attMTU, ATT.defaultMTU), 517)
        )
    }

    /// Handles the end of a link, which makes room in the controller for other activities.
    mutating func linkEnded(_ link: LinkIdentifier, _ error: HostError, now: Instant) {
        if let (handle, end) = look(at: link, { ($0.handle, $0.protection.end) }) {
            endLink(handle, with: end ?? error, now: now)
        }
        perform(scheduler.linkCountChanged(now: now), now: now)
        perform(advertiser.linkCountChanged(now: now), now: now)
        pumpBlockedLinks(now: now)
        finishShutDown(now: now)
    }

    /// Ends a link, and everything that waits on it.
    private mutating func endLink(_ handle: ConnectionHandle, with error: HostError, now: Instant) {
        guard var link = links.remove(handle) else { return }
        if link.isCountedAsOccupying { context.count(false) }
        context.now = now
        link.end(with: error, &context)
        if let request = link.connectionRequest {
            connectionAttemptFailed(request, with: error, now: now)
        }
        continueConnectionRequests(after: link, with: error, now: now)
        context.writeChanges(now: now)
        if context.checkEvents() { handleLinkEvents(now: now) }
    }

    mutating func endLinks(with error: HostError, now: Instant) {
        for handle in links.cores.map(\.handle) { endLink(handle, with: error, now: now) }
    }
}
