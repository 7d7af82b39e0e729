// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The packets of RootCanal's devices.
extension RootCanalBridge {
    /// Handles a packet.
    mutating func receive(_ packet: RootCanalPacket, now: Instant) {
        let source = packet.source
        switch packet.content {
        case .advertisement(let type, let own, let target, let data):
            guard data.count <= HCI.LegacyAdvertisingData.lengthLimit else { return }
            let target = DeviceAddress(value: packet.destination, kind: target)
            let parameters = RootCanalProxy.Parameters(type, target: target)
            let device = DeviceAddress(value: source, kind: own)
            advertised(parameters, type == .directed ? [] : data, by: device, now: now)
        case .extendedAdvertisement(let advertisement):
            let target = DeviceAddress(value: packet.destination, kind: advertisement.target)
            guard let parameters = RootCanalProxy.Parameters(advertisement, target: target) else {
                return
            }
            let device = DeviceAddress(value: source, kind: advertisement.own)
            advertised(parameters, advertisement.data, by: device, now: now)
        case .scanRequest(let own, let advertiser):
            readScanResponse(
                of: DeviceAddress(value: packet.destination, kind: advertiser),
                for: DeviceAddress(value: source, kind: own)
            )
        case .scanResponse(let own, let data):
            guard packet.destination == observer.address?.value,
                let number = numbers[DeviceAddress(value: source, kind: own)]
            else { return }
            proxies[number]?.scanResponse = data
        case .connectionRequest(let parameters):
            connect(parameters, from: source, to: packet.destination, now: now)
        default: linkPacket(packet, now: now)
        }
    }

    /// Sends an advertising event of the device's proxy, and asks a scannable device for its scan
    /// response, at most once in each `scanPeriod`.
    private mutating func advertised(
        _ parameters: RootCanalProxy.Parameters,
        _ data: [UInt8],
        by device: DeviceAddress,
        now: Instant
    ) {
        guard let number = proxy(for: device, now: now) else { return }
        proxies[number]?.lastReceived = now
        proxies[number]?.advertise(parameters, data, now: now)
        guard parameters.properties.contains(.scannable), let scanner = observer.address else {
            return
        }
        if let last = proxies[number]?.lastScanRequest, now - last < Self.scanPeriod { return }
        proxies[number]?.lastScanRequest = now
        send(
            .scanRequest(own: scanner.kind, advertiser: device.kind),
            from: scanner.value,
            to: device.value
        )
    }

    /// Answers a scan request of RootCanal's device.
    ///
    /// - Parameters:
    ///   - advertiser: Our device.
    ///   - scanner: RootCanal's device.
    ///   - data: The scan response that our device advertises.
    package mutating func answerScan(
        of advertiser: DeviceAddress,
        for scanner: DeviceAddress,
        with data: [UInt8]
    ) {
        send(
            .scanResponse(own: advertiser.kind, data: data),
            from: advertiser.value,
            to: scanner.value
        )
    }

    // MARK: - Connecting

    /// Makes the proxy of RootCanal's central connect to our device, unless it is connecting to the
    /// device already. A pending connection to another device is canceled, because the central no
    /// longer requests it.
    private mutating func connect(
        _ parameters: RootCanalPacket.ConnectionParameters,
        from source: UInt64,
        to destination: UInt64,
        now: Instant
    ) {
        let central = DeviceAddress(value: source, kind: parameters.initiator)
        let peer = DeviceAddress(value: destination, kind: parameters.advertiser)
        // RootCanal's devices receive each other without the bridge.
        guard numbers[peer] == nil, let number = proxy(for: central, now: now),
            let proxy = proxies[number], proxy.pendingConnection?.peer != peer
        else { return }
        proxies[number]?.lastReceived = now
        if proxy.pendingConnection != nil { cancelConnection(of: number, now: now) }
        let interval = HCI.ConnectionInterval(rawValue: parameters.interval)
        let window = HCI.ScanInterval(.milliseconds(60))
        let initiating = HCI.PHYInitiatingParameters(
            scanInterval: window,
            scanWindow: window,
            parameters: HCI.ConnectionParameters(
                intervalMinimum: interval,
                intervalMaximum: interval,
                peripheralLatency: parameters.latency,
                supervisionTimeout: HCI.Timeout(rawValue: parameters.timeout)
            )
        )
        let create = HCI.LEExtendedCreateConnection(
            filterPolicy: .peerAddress,
            ownAddressType: proxy.ownAddressType,
            peerAddress: HCI.PeerAddress(peer),
            phys: .init(le1M: initiating)
        )
        let encoded = HCI.EncodedCommand(create)
        proxies[number]?.pendingConnection = .init(
            peer: peer,
            deadline: now + Self.connectionLimit,
            command: encoded
        )
        // A controller that is still starting gets the command after its startup.
        if proxy.session.capabilities != nil {
            proxies[number]?.session.send(encoded, now: now)
        }
    }

    private mutating func cancelConnection(of number: Int, now: Instant) {
        proxies[number]?.pendingConnection = nil
        proxies[number]?.cancellationCount += 1
        command(HCI.LECreateConnectionCancel(), at: number, now: now)
    }

    /// Cancels a pending connection whose time limit has passed.
    mutating func cancelLateConnection(of number: Int, now: Instant) {
        guard let pending = proxies[number]?.pendingConnection, pending.deadline <= now else {
            return
        }
        cancelConnection(of: number, now: now)
    }

    // MARK: - Links

    /// Handles a packet of an existing link.
    private mutating func linkPacket(_ packet: RootCanalPacket, now: Instant) {
        let key = RootCanalLink.Key(remote: packet.source, local: packet.destination)
        guard let link = links[key] else { return }
        proxies[link.endpoint.proxy]?.lastReceived = now
        links[key]?.lastReceived = now
        links[key]?.isPinged = false
        switch packet.content {
        case .connectionResponse: links[key]?.answerDeadline = nil
        case .disconnection(let reason):
            links[key]?.endReason = HCI.ErrorCode(rawValue: reason)
            endIfIdle(key, now: now)
        case .data(let isContinuation, let data):
            receive(data, isContinuation: isContinuation, on: key, now: now)
        case .pingRequest: send(.pingResponse, from: key.local, to: key.remote)
        case .featureRequest:
            let handle = link.endpoint.handle
            let read = HCI.LEReadRemoteFeatures(connectionHandle: handle)
            command(read, at: link.endpoint.proxy, now: now)
        case .versionRequest:
            let handle = link.endpoint.handle
            let read = HCI.ReadRemoteVersionInformation(connectionHandle: handle)
            command(read, at: link.endpoint.proxy, now: now)
        case .encryptionRequest, .encryptionResponse:
            encryptionPacket(packet.content, on: link, now: now)
        case .parameterRequest, .parameterUpdate:
            parameterPacket(packet.content, on: link, now: now)
        case .phyRequest, .phyUpdate: phyPacket(packet.content, on: link, now: now)
        default: break
        }
    }

    private mutating func receive(
        _ data: [UInt8],
        isContinuation: Bool,
        on key: RootCanalLink.Key,
        now: Instant
    ) {
        guard let number = links[key]?.endpoint.proxy, links[key]?.endReason == nil,
            let length = proxies[number]?.session.capabilities?.aclPacketLength
        else { return }
        let isTaken = links[key]?.enqueue(
            data,
            isContinuation: isContinuation,
            packetLength: length
        )
        if isTaken == true {
            releaseData(of: number)
        } else {
            end(key, .remoteDeviceLowResources, now)
        }
    }

    private mutating func encryptionPacket(
        _ content: RootCanalPacket.Content,
        on link: RootCanalLink,
        now: Instant
    ) {
        let (number, handle) = (link.endpoint.proxy, link.endpoint.handle)
        switch content {
        case .encryptionRequest(let random, let diversifier, let bytes):
            guard link.isRemoteCentral, let key = HCI.Key128(bytes) else { return }
            links[link.key]?.encryptionKey = bytes
            let enable = HCI.LEEnableEncryption(
                connectionHandle: handle,
                random: random.reversed().reduce(0) { $0 << 8 | UInt64($1) },
                encryptedDiversifier: diversifier,
                longTermKey: key
            )
            command(enable, at: number, now: now)
        case .encryptionResponse(let status, let bytes):
            guard link.isAwaitingKey, let key = HCI.Key128(bytes) else { return }
            links[link.key]?.isAwaitingKey = false
            guard status == 0 else {
                let refusal = HCI.LELongTermKeyRequestNegativeReply(connectionHandle: handle)
                return command(refusal, at: number, now: now)
            }
            let reply = HCI.LELongTermKeyRequestReply(connectionHandle: handle, longTermKey: key)
            command(reply, at: number, now: now)
        default: break
        }
    }

    private mutating func parameterPacket(
        _ content: RootCanalPacket.Content,
        on link: RootCanalLink,
        now: Instant
    ) {
        let (number, handle) = (link.endpoint.proxy, link.endpoint.handle)
        switch content {
        case .parameterRequest(let intervals, let latency, let timeout):
            guard !link.isRemoteCentral else { return }
            let parameters = HCI.ConnectionParameters(intervals, latency, timeout)
            let update = HCI.LEConnectionUpdate(connectionHandle: handle, parameters: parameters)
            command(update, at: number, now: now)
        case .parameterUpdate(let status, let interval, let latency, let timeout):
            guard link.isRemoteCentral else { return }
            let parameters = HCI.ConnectionParameters(interval...interval, latency, timeout)
            links[link.key]?.isAwaitingParameters = false
            switch (link.isAwaitingParameters, status) {
            case (true, 0):
                let reply = HCI.LERemoteConnectionParameterRequestReply(
                    connectionHandle: handle,
                    parameters: parameters
                )
                command(reply, at: number, now: now)
            case (true, _):
                let refusal = HCI.LERemoteConnectionParameterRequestNegativeReply(
                    connectionHandle: handle,
                    reason: HCI.ErrorCode(rawValue: status)
                )
                command(refusal, at: number, now: now)
            case (false, 0):
                let update = HCI.LEConnectionUpdate(
                    connectionHandle: handle,
                    parameters: parameters
                )
                command(update, at: number, now: now)
            case (false, _): break
            }
        default: break
        }
    }

    /// Handles a PHY request of RootCanal's device, or the decision of that device as the central.
    private mutating func phyPacket(
        _ content: RootCanalPacket.Content,
        on link: RootCanalLink,
        now: Instant
    ) {
        let preference: HCI.PHYPreference
        switch content {
        case .phyRequest where link.isRemoteCentral:
            let all = HCI.PHYSet([.le1M, .le2M, .coded]).rawValue
            return send(
                .phyResponse(send: all, receive: all),
                from: link.key.local,
                to: link.key.remote
            )
        case .phyRequest(let send, let receive):
            links[link.key]?.isAwaitingPHY = true
            preference = HCI.PHYPreference(transmit: send, receive: receive)
        case .phyUpdate(let toPeripheral, let toCentral) where link.isRemoteCentral:
            preference = HCI.PHYPreference(transmit: toPeripheral, receive: toCentral)
        default: return
        }
        let set = HCI.LESetPHY(connectionHandle: link.endpoint.handle, preference: preference)
        command(set, at: link.endpoint.proxy, now: now)
    }
}

extension HCI.ConnectionParameters {
    fileprivate init(_ intervals: ClosedRange<UInt16>, _ latency: UInt16, _ timeout: UInt16) {
        self.init(
            intervalMinimum: HCI.ConnectionInterval(rawValue: intervals.lowerBound),
            intervalMaximum: HCI.ConnectionInterval(rawValue: intervals.upperBound),
            peripheralLatency: latency,
            supervisionTimeout: HCI.Timeout(rawValue: timeout)
        )
    }
}

extension HCI.PHYPreference {
    /// Creates the preference for the PHYs of these bits. If no bit is set, the PHY stays the same.
    fileprivate init(transmit: UInt8, receive: UInt8) {
        self.init(
            transmit: transmit == 0 ? nil : HCI.PHYSet(rawValue: transmit),
            receive: receive == 0 ? nil : HCI.PHYSet(rawValue: receive)
        )
    }
}
