// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The links of the proxies.
extension RootCanalBridge {
    /// Handles an event of a proxy's controller that concerns a link.
    mutating func linkEvent(_ event: HCI.Event, at number: Int, now: Instant) {
        switch event {
        case .enhancedConnectionComplete(let event): connectionComplete(event, at: number, now: now)
        case .enhancedConnectionCompleteV2(let event):
            connectionComplete(event.connection, at: number, now: now)
        case .disconnectionComplete(let event): disconnectionComplete(event, at: number)
        case .numberOfCompletedPackets(let event):
            for entry in event.completed { completed(entry, at: number, now: now) }
        case .encryptionChange(let event):
            encrypted(event.status, on: key(number, event.connectionHandle))
        case .encryptionKeyRefreshComplete(let event):
            encrypted(event.status, on: key(number, event.connectionHandle))
        case .longTermKeyRequest(let event): keyRequested(event, at: number)
        case .readRemoteFeaturesComplete(let event):
            let content = RootCanalPacket.Content.featureResponse(
                features: event.features.rawValue,
                status: event.status.rawValue
            )
            answer(content, on: key(number, event.connectionHandle))
        case .readRemoteVersionInformationComplete(let event):
            let content = RootCanalPacket.Content.versionResponse(
                version: event.version.rawValue,
                subversion: UInt8(truncatingIfNeeded: event.subversion),
                company: event.company
            )
            if event.status == .success { answer(content, on: key(number, event.connectionHandle)) }
        case .connectionUpdateComplete(let event): updated(event, at: number)
        case .remoteConnectionParameterRequest(let event): parametersRequested(event, at: number)
        case .phyUpdateComplete(let event): phyUpdated(event, at: number)
        default: break
        }
    }

    private func key(_ number: Int, _ handle: ConnectionHandle) -> RootCanalLink.Key? {
        keys[.init(proxy: number, handle: handle)]
    }

    /// Sends RootCanal's device a packet of our device on the link.
    private mutating func answer(
        _ content: RootCanalPacket.Content,
        on key: RootCanalLink.Key?
    ) {
        if let key { send(content, from: key.local, to: key.remote) }
    }

    // MARK: - The beginning

    private mutating func connectionComplete(
        _ event: HCI.LEEnhancedConnectionComplete,
        at number: Int,
        now: Instant
    ) {
        guard let proxy = proxies[number] else { return }
        guard event.status == .success, let local = event.peerAddress.deviceAddress else {
            if proxy.cancellationCount > 0 {
                proxies[number]?.cancellationCount -= 1
            } else {
                proxies[number]?.pendingConnection = nil
            }
            return
        }
        let key = RootCanalLink.Key(remote: proxy.address.value, local: local.value)
        let endpoint = RootCanalLink.Endpoint(proxy: number, handle: event.connectionHandle)
        let isRemoteCentral = event.role == .central
        if isRemoteCentral { proxies[number]?.pendingConnection = nil }
        guard links[key] == nil, links.count < Self.linkLimit else {
            let refusal = HCI.Disconnect(
                connectionHandle: endpoint.handle,
                reason: .remoteDeviceLowResources
            )
            return command(refusal, at: number, now: now)
        }
        var link = RootCanalLink(
            key,
            at: endpoint,
            isRemoteCentral: isRemoteCentral,
            timeout: event.supervisionTimeout.duration,
            now: now
        )
        let parameters = RootCanalPacket.ConnectionParameters(
            initiator: isRemoteCentral ? proxy.address.kind : local.kind,
            advertiser: isRemoteCentral ? local.kind : proxy.address.kind,
            interval: event.interval.rawValue,
            latency: event.peripheralLatency,
            timeout: event.supervisionTimeout.rawValue
        )
        if !isRemoteCentral { link.answerDeadline = now + Self.answerLimit }
        links[key] = link
        keys[endpoint] = key
        answer(
            isRemoteCentral ? .connectionResponse(parameters) : .connectionRequest(parameters),
            on: key
        )
    }

    // MARK: - The end

    /// Ends the link in our world and, unless RootCanal's device has ended it, at RootCanal.
    mutating func end(
        _ key: RootCanalLink.Key,
        _ reason: HCI.ErrorCode,
        _ now: Instant
    ) {
        guard let link = links[key], !link.isEnding else { return }
        if link.endReason == nil {
            send(.disconnection(reason: reason.rawValue), from: key.local, to: key.remote)
        }
        links[key]?.endReason = reason
        links[key]?.isEnding = true
        let disconnect = HCI.Disconnect(
            connectionHandle: link.endpoint.handle,
            reason: Self.hostReasons.contains(reason) ? reason : .remoteUserTerminatedConnection
        )
        command(disconnect, at: link.endpoint.proxy, now: now)
    }

    /// The reasons that a host may give (Vol 4, Part E, 7.1.6).
    private static let hostReasons: Set<HCI.ErrorCode> = [
        .authenticationFailure, .remoteUserTerminatedConnection, .remoteDeviceLowResources,
        .remoteDevicePowerOff, .unsupportedRemoteFeature, .pairingWithUnitKeyNotSupported,
        .unacceptableConnectionParameters,
    ]

    /// Ends the link, if RootCanal's device has ended it and none of its data waits.
    mutating func endIfIdle(_ key: RootCanalLink.Key, now: Instant) {
        guard let link = links[key], let reason = link.endReason, link.isIdle else { return }
        end(key, reason, now)
    }

    private mutating func disconnectionComplete(
        _ event: HCI.DisconnectionComplete,
        at number: Int
    ) {
        guard event.status == .success, let key = key(number, event.connectionHandle),
            let link = links[key]
        else { return }
        proxies[number]?.freeBuffers += link.outstanding
        if link.endReason == nil { answer(.disconnection(reason: event.reason.rawValue), on: key) }
        forget(key)
    }

    /// Handles a deadline of the link, if one has passed.
    ///
    /// - If RootCanal's device has not accepted the connection in time, the link ends.
    /// - If the device has sent nothing on the link for half of the supervision timeout, the bridge
    ///   pings it. A device that still has the link answers.
    /// - If the device has sent nothing on the link for the whole timeout, the link ends. If the
    ///   device has also been silent on each other link for three quarters of that link's timeout,
    ///   the bridge removes the device's proxy instead.
    mutating func linkDeadlinePassed(_ key: RootCanalLink.Key, now: Instant) {
        guard let link = links[key], !link.isEnding else { return }
        if let deadline = link.answerDeadline {
            guard deadline <= now else { return }
            links[key]?.answerDeadline = nil
            return end(key, .remoteUserTerminatedConnection, now)
        }
        guard link.lastReceived + link.timeout > now else {
            let open = links.values.filter {
                $0.endpoint.proxy == link.endpoint.proxy && !$0.isEnding
            }
            let hasVanished = open.allSatisfy { $0.lastReceived + $0.timeout * 3 / 4 <= now }
            return hasVanished ? remove(link.endpoint.proxy) : end(key, .connectionTimeout, now)
        }
        guard !link.isPinged, link.lastReceived + link.timeout / 2 <= now else { return }
        links[key]?.isPinged = true
        answer(.pingRequest, on: key)
    }

    // MARK: - Data

    /// Sends RootCanal's device the data of our device.
    mutating func receive(_ packet: HCI.ACLPacket, from number: Int) {
        guard let key = key(number, packet.connectionHandle) else { return }
        let isContinuation = packet.boundary == .continuing
        answer(.data(isContinuation: isContinuation, Array(packet.payload)), on: key)
    }

    private mutating func completed(
        _ entry: HCI.CompletedPackets,
        at number: Int,
        now: Instant
    ) {
        guard let key = key(number, entry.connectionHandle) else { return }
        proxies[number]?.freeBuffers += links[key]?.completed(Int(entry.count)) ?? 0
        endIfIdle(key, now: now)
    }

    /// Gives the proxy's controller as much data as it can take. The links take turns.
    mutating func releaseData(of number: Int) {
        var endpoints = links.values.filter { $0.endpoint.proxy == number && !$0.isIdle }
            .map(\.endpoint)
        endpoints.sort { $0.handle.rawValue < $1.handle.rawValue }
        while !endpoints.isEmpty {
            for endpoint in endpoints {
                guard let key = keys[endpoint], let free = proxies[number]?.freeBuffers, free > 0,
                    let packet = links[key]?.takePacket()
                else {
                    endpoints.removeAll { $0 == endpoint }
                    continue
                }
                proxies[number]?.freeBuffers -= 1
                proxies[number]?.session.sendPacket(packet)
            }
        }
    }

    // MARK: - Encryption, parameters and PHYs

    private mutating func encrypted(_ status: HCI.ErrorCode, on key: RootCanalLink.Key?) {
        guard let key, let bytes = links[key]?.encryptionKey else { return }
        links[key]?.encryptionKey = nil
        // RootCanal 1.10 reads no status, and takes a key of zeros for a refusal.
        let known = status == .success ? bytes : [UInt8](repeating: 0, count: 16)
        answer(.encryptionResponse(status: status.rawValue, key: known), on: key)
    }

    private mutating func keyRequested(_ event: HCI.LELongTermKeyRequest, at number: Int) {
        guard let key = key(number, event.connectionHandle) else { return }
        links[key]?.isAwaitingKey = true
        readCentralKey(at: number, for: event)
    }

    /// Asks RootCanal's peripheral for its key, because our central requests encryption. The packet
    /// has the key of our central. RootCanal 1.13 compares the two keys, and earlier releases do
    /// not. If the keys differ, encryption fails on our air.
    ///
    /// - Parameters:
    ///   - number: The number of the device's proxy.
    ///   - event: The request that the proxy's controller has sent.
    ///   - centralKey: The key with which our central requests encryption.
    package mutating func requestEncryption(
        at number: Int,
        answering event: HCI.LELongTermKeyRequest,
        with centralKey: HCI.Key128
    ) {
        let content = RootCanalPacket.Content.encryptionRequest(
            random: (0..<8).map { UInt8(truncatingIfNeeded: event.random >> UInt64(8 * $0)) },
            diversifier: event.encryptedDiversifier,
            key: centralKey.bytes
        )
        answer(content, on: key(number, event.connectionHandle))
    }

    private mutating func updated(_ event: HCI.LEConnectionUpdateComplete, at number: Int) {
        guard let key = key(number, event.connectionHandle), let link = links[key] else { return }
        if event.status == .success { links[key]?.timeout = event.supervisionTimeout.duration }
        // RootCanal's central has made the update itself.
        guard !link.isRemoteCentral else { return }
        let content = RootCanalPacket.Content.parameterUpdate(
            status: event.status.rawValue,
            interval: event.interval.rawValue,
            latency: event.peripheralLatency,
            timeout: event.supervisionTimeout.rawValue
        )
        answer(content, on: key)
    }

    private mutating func parametersRequested(
        _ event: HCI.LERemoteConnectionParameterRequest,
        at number: Int
    ) {
        guard let key = key(number, event.connectionHandle),
            event.intervalMinimum <= event.intervalMaximum
        else { return }
        links[key]?.isAwaitingParameters = true
        let content = RootCanalPacket.Content.parameterRequest(
            intervals: event.intervalMinimum.rawValue...event.intervalMaximum.rawValue,
            latency: event.peripheralLatency,
            timeout: event.supervisionTimeout.rawValue
        )
        answer(content, on: key)
    }

    /// Reports to RootCanal's peripheral the PHYs that it has requested. A change that our device
    /// requests is not reported, because RootCanal's packets are the same on every PHY.
    private mutating func phyUpdated(_ event: HCI.LEPHYUpdateComplete, at number: Int) {
        guard let key = key(number, event.connectionHandle), links[key]?.isAwaitingPHY == true
        else { return }
        links[key]?.isAwaitingPHY = false
        let content = RootCanalPacket.Content.phyUpdate(
            toPeripheral: event.receive.bit,
            toCentral: event.transmit.bit
        )
        answer(content, on: key)
    }
}

extension PHY {
    /// The bit of the PHY in a set; 0 for an unknown PHY.
    fileprivate var bit: UInt8 {
        switch self {
        case .le1M: HCI.PHYSet.le1M.rawValue
        case .le2M: HCI.PHYSet.le2M.rawValue
        case .leCoded: HCI.PHYSet.coded.rawValue
        default: 0
        }
    }
}
