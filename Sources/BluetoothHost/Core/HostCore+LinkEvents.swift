// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// What the controller tells about links.
extension HostCore {
    mutating func receiveLinkEvent(_ event: HCI.Event, now: Instant) {
        switch event {
        case .connectionComplete(let event):
            connectionCompleted(ConnectionReport(event), now: now)
        case .enhancedConnectionComplete(let event):
            connectionCompleted(ConnectionReport(event), now: now)
        case .enhancedConnectionCompleteV2(let event):
            connectionCompleted(ConnectionReport(event), now: now)
        case .disconnectionComplete(let event): disconnectionCompleted(event, now: now)
        case .connectionUpdateComplete(let event): connectionUpdated(event, now: now)
        case .dataLengthChange(let event): dataLengthChanged(event)
        case .phyUpdateComplete(let event): phyUpdated(event)
        case .readRemoteVersionInformationComplete(let event): versionArrived(event)
        case .remoteConnectionParameterRequest(let event): parametersAsked(event, now: now)
        case .longTermKeyRequest(let event): longTermKeyAsked(event, now: now)
        case .encryptionChange(let event):
            encryptionChanged(on: event.connectionHandle, event.status, event.encryption, now: now)
        case .encryptionChangeV2(let event): encryptionChanged(event, now: now)
        case .encryptionKeyRefreshComplete(let event): keyRefreshed(event, now: now)
        default: break
        }
    }

    private mutating func connectionCompleted(_ report: ConnectionReport, now: Instant) {
        if report.status == .advertisingTimeout {
            return perform(advertiser.directedAdvertisingTimedOut(now: now), now: now)
        }
        guard report.role == .central || report.status != .success else {
            return connectionAccepted(report, now: now)
        }
        let actions = scheduler.connectionCompleted(
            status: report.status,
            peer: dialledAddress(in: report),
            now: now
        )
        if report.status == .success {
            var dial: RequestIdentifier?
            // One that was cancelled meanwhile may be among them.
            for case .connected(let id) in actions where dials[.init(rawValue: id)] != nil {
                dial = RequestIdentifier(rawValue: id)
            }
            linkBegan(newLink(report, dial: dial), isIncoming: false, now: now)
        }
        perform(actions, now: now)
    }

    /// What is known of a link when it begins.
    mutating func newLink(_ report: ConnectionReport, dial: RequestIdentifier?) -> LinkState {
        let identifier = LinkIdentifier(rawValue: nextLink)
        nextLink += 1
        return LinkState(
            identifier: identifier,
            report: report,
            identity: identity(in: report),
            localAddress: localAddress(in: report),
            dial: dial,
            receiveMTULimit: min(max(configuration.attMTU, ATT.defaultMTU), 517)
        )
    }

    private mutating func disconnectionCompleted(
        _ event: HCI.DisconnectionComplete,
        now: Instant
    ) {
        let handle = event.connectionHandle
        guard event.status == .success else {
            return disconnectionFailed(handle, .controller(event.status), now: now)
        }
        linkIsGone(handle, .disconnected(event.reason), now: now)
    }

    /// A link is gone: the room it took is others' now.
    mutating func linkIsGone(_ handle: ConnectionHandle, _ error: HostError, now: Instant) {
        endLink(handle, with: links[handle]?.protection.end ?? error, now: now)
        perform(scheduler.linkCountChanged(now: now), now: now)
        perform(advertiser.linkCountChanged(now: now), now: now)
        pumpAll(now: now)
        finishShutDown(now: now)
    }

    /// The controller accepted or refused to end a link. One that does not know the link any more
    /// has lost the event that said so: the link is gone.
    mutating func disconnectionAnswered(
        _ link: LinkIdentifier,
        _ result: CommandResult,
        now: Instant
    ) {
        // The link may have ended by itself, and its handle may be another link's already.
        guard let handle = handles[link] else { return }
        do throws(CommandFailure) {
            try result.requireSuccess()
        } catch .refused(.unknownConnectionIdentifier) {
            linkIsGone(handle, .disconnected(.connectionTerminatedByLocalHost), now: now)
        } catch {
            disconnectionFailed(handle, HostError(error, state), now: now)
        }
    }

    /// The controller will not end the link: who asked is told, and may ask again. A link that the
    /// host itself wants to end is tried again until its time is over.
    mutating func disconnectionFailed(
        _ handle: ConnectionHandle,
        _ error: HostError,
        now: Instant
    ) {
        guard let link = links[handle], link.isDisconnecting, !link.awaitsKeys else {
            return emit(.log("ignored that a link does not end which nobody has ended"))
        }
        let requests = link.disconnectRequests
        links[handle]?.disconnectRequests = []
        if requests.isEmpty || link.protection.end != nil {
            links[handle]?.nextDisconnectAttempt = now + Self.disconnectRest
        } else {
            links[handle]?.disconnectDeadline = nil
        }
        for request in requests { fail(request, error) }
    }

    private mutating func connectionUpdated(
        _ event: HCI.LEConnectionUpdateComplete,
        now: Instant
    ) {
        let handle = event.connectionHandle
        guard event.status == .success else {
            if asksAgainBySignalling(handle, after: event.status, now: now) { return }
            let error = HostError.controller(event.status)
            return procedureEnded(.connectionUpdate, on: handle, .failure(error))
        }
        let parameters = ConnectionParameters(
            interval: event.interval.duration,
            latency: event.peripheralLatency,
            supervisionTimeout: event.supervisionTimeout.duration
        )
        links[handle]?.parameters = parameters
        links[handle]?.askedParameters = nil
        procedureEnded(.connectionUpdate, on: handle, .success(.parameters(parameters)))
    }

    private mutating func dataLengthChanged(_ event: HCI.LEDataLengthChange) {
        links[event.connectionHandle]?.dataLength = DataLength(
            transmitOctets: Int(event.transmitOctets),
            receiveOctets: Int(event.receiveOctets)
        )
    }

    private mutating func phyUpdated(_ event: HCI.LEPHYUpdateComplete) {
        let handle = event.connectionHandle
        guard event.status == .success else {
            let error = HostError.controller(event.status)
            return procedureEnded(.phyUpdate, on: handle, .failure(error))
        }
        let phy = LinkPHY(transmit: event.transmit, receive: event.receive)
        links[handle]?.phy = phy
        procedureEnded(.phyUpdate, on: handle, .success(.phy(phy)))
    }

    private mutating func versionArrived(_ event: HCI.ReadRemoteVersionInformationComplete) {
        let handle = event.connectionHandle
        guard event.status == .success else {
            let error = HostError.controller(event.status)
            return procedureEnded(.versionExchange, on: handle, .failure(error))
        }
        let version = RemoteVersion(
            version: event.version.rawValue,
            company: event.company,
            subversion: event.subversion
        )
        procedureEnded(.versionExchange, on: handle, .success(.version(version)))
    }

    /// The peer asks by a link-layer procedure, which the controller puts to us
    /// (Vol 4, Part E, 7.7.65.6); it takes our word within the procedure's own time.
    private mutating func parametersAsked(
        _ event: HCI.LERemoteConnectionParameterRequest,
        now: Instant
    ) {
        let request = ConnectionParametersRequest(
            intervalMinimum: event.intervalMinimum.rawValue,
            intervalMaximum: event.intervalMaximum.rawValue,
            peripheralLatency: event.peripheralLatency,
            supervisionTimeout: event.supervisionTimeout.rawValue
        )
        guard configuration.acceptsParameterRequests, request.isValid else {
            let reply = HCI.LERemoteConnectionParameterRequestNegativeReply(
                connectionHandle: event.connectionHandle,
                reason: .unacceptableConnectionParameters
            )
            return upkeep(HCI.EncodedCommand(reply), on: event.connectionHandle, now: now)
        }
        let reply = HCI.LERemoteConnectionParameterRequestReply(
            connectionHandle: event.connectionHandle,
            parameters: HCI.ConnectionParameters(request)
        )
        upkeep(HCI.EncodedCommand(reply), on: event.connectionHandle, now: now)
    }
}

/// A finished attempt to connect, in whichever of its events the controller reported it.
struct ConnectionReport {
    let status: HCI.ErrorCode
    let handle: ConnectionHandle
    let role: HCI.Role
    /// The address that the peer used on the air.
    let peer: DeviceAddress
    /// Who that is, if the controller recognised it.
    let resolvedIdentity: DeviceAddress?
    /// The private address that the controller made for us, if it made one.
    let localPrivateAddress: DeviceAddress?
    /// The advertising set that led to the link, if the controller tells with the link.
    let advertisingHandle: UInt8?
    let parameters: ConnectionParameters

    /// Stands for no set (Vol 4, Part E, 7.7.65.10).
    private static let noSet: UInt8 = 0xFF

    init(_ event: HCI.LEConnectionComplete) {
        status = event.status
        handle = event.connectionHandle
        role = event.role
        peer = event.peerAddress.connectedAddress
        resolvedIdentity = event.peerAddress.isIdentity ? peer : nil
        localPrivateAddress = nil
        advertisingHandle = nil
        parameters = ConnectionParameters(
            interval: event.interval.duration,
            latency: event.peripheralLatency,
            supervisionTimeout: event.supervisionTimeout.duration
        )
    }

    init(_ event: HCI.LEEnhancedConnectionCompleteV2) {
        let set = event.advertisingHandle
        self.init(event.connection, advertisingHandle: set == Self.noSet ? nil : set)
    }

    init(_ event: HCI.LEEnhancedConnectionComplete, advertisingHandle: UInt8? = nil) {
        status = event.status
        handle = event.connectionHandle
        role = event.role
        let reported = event.peerAddress.connectedAddress
        peer = event.peerPrivateAddress.privateAddress ?? reported
        resolvedIdentity = event.peerAddress.isIdentity ? reported : nil
        localPrivateAddress = event.localPrivateAddress.privateAddress
        self.advertisingHandle = advertisingHandle
        parameters = ConnectionParameters(
            interval: event.interval.duration,
            latency: event.peripheralLatency,
            supervisionTimeout: event.supervisionTimeout.duration
        )
    }
}

extension HCI.BareAddress {
    /// A private address, where all zero says that there is none.
    fileprivate var privateAddress: DeviceAddress? { value == 0 ? nil : deviceAddress(.random) }
}

extension HCI.PeerAddress {
    /// The address of a connected peer; a type that no peer can have reads as random.
    fileprivate var connectedAddress: DeviceAddress {
        deviceAddress ?? DeviceAddress(value: value, kind: .random)
    }
}
