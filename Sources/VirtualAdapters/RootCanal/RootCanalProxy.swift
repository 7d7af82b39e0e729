// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import VirtualAccessories

/// A controller of our world that acts for one of RootCanal's devices. It has the address of that
/// device and sends its advertisements. In our world, it is the device's end of its links.
struct RootCanalProxy: Sendable {
    /// A connection that the device has requested, and that is not established yet.
    struct PendingConnection: Sendable {
        let peer: DeviceAddress
        let deadline: Instant
        let command: HCI.EncodedCommand
    }

    /// The address that the device uses on RootCanal's air.
    let address: DeviceAddress
    /// The instant of the last packet of the device.
    var lastReceived: Instant
    /// The instant of the last request for the device's scan response.
    var lastScanRequest: Instant?
    /// The device's scan response, if it has answered.
    var scanResponse: [UInt8]?
    var pendingConnection: PendingConnection?
    /// The number of canceled connections whose end the controller has not reported.
    var cancellationCount = 0
    /// The number of ACL packets that the controller can take.
    var freeBuffers = 0
    /// The exchange of commands with the controller.
    var session = ControllerSession()
    private var sets: [AdvertisingSet] = []
    /// The latest advertisement of the device while the controller starts.
    private var waiting: (parameters: Parameters, data: [UInt8])?

    init(_ address: DeviceAddress, now: Instant) {
        self.address = address
        lastReceived = now
    }

    /// The address type for advertising and for connections.
    var ownAddressType: HCI.OwnAddressType { address.kind == .public ? .public : .random }

    /// Handles an event, if it answers a command or ends an advertising event.
    mutating func receive(_ event: HCI.Event, now: Instant) {
        switch session.receive(event, now: now) {
        case .ready(let capabilities):
            freeBuffers = capabilities.aclPacketCount
            if address.kind == .random {
                session.send(HCI.LESetRandomAddress(address: BareAddress(address)), now: now)
            }
            waiting.map { advertise($0.parameters, $0.data, now: now) }
            waiting = nil
            pendingConnection.map { session.send($0.command, now: now) }
        case .failed, nil: break
        }
        switch event {
        case .advertisingSetTerminated(let event):
            guard let index = index(of: event.advertisingHandle) else { break }
            sets[index].runEnd = nil
        case .commandComplete(let event) where event.opcode == .leSetExtendedAdvertisingEnable:
            // After a refusal, every set is configured again for its next advertisement.
            guard event.returnParameters.first != 0 else { break }
            for index in sets.indices { sets[index].reset() }
        case .commandStatus(let event) where event.opcode == .leExtendedCreateConnection:
            if event.status != .success { pendingConnection = nil }
        default: break
        }
    }

    private typealias BareAddress = HCI.BareAddress
}

// MARK: - Advertising

extension RootCanalProxy {
    /// The maximum number of advertising sets: as many as a controller has by default.
    static let setLimit = 8
    /// A time after which every advertising event has ended.
    static let eventLimit = Duration.seconds(1)

    /// The parameters of an advertisement.
    struct Parameters: Hashable, Sendable {
        var properties: HCI.AdvertisingProperties
        var target: DeviceAddress?
        var primaryPHY = PHY.le1M
        var secondaryPHY = PHY.le1M
        var setIdentifier: UInt8 = 0
    }

    /// An advertising set of the controller.
    private struct AdvertisingSet: Sendable {
        let handle: UInt8
        let isLegacy: Bool
        let setIdentifier: UInt8
        var parameters: Parameters?
        var data: [UInt8]?
        var scanResponse: [UInt8]?
        /// The instant from which the last advertising event counts as ended, even if the
        /// controller has not reported its end; `nil` after that report.
        var runEnd: Instant?

        mutating func reset() {
            (parameters, data, scanResponse, runEnd) = (nil, nil, nil, nil)
        }
    }

    private func index(of handle: UInt8) -> Int? { sets.firstIndex { $0.handle == handle } }

    /// Sends one advertising event for an advertisement of the device. Does nothing while the set's
    /// last event lasts, if the device has too many sets, or if a scannable extended set has no
    /// scan response yet. While the controller starts, keeps the advertisement for later.
    mutating func advertise(_ parameters: Parameters, _ data: [UInt8], now: Instant) {
        guard session.capabilities != nil else {
            waiting = (parameters, data)
            return
        }
        guard let index = index(for: parameters) else { return }
        if let end = sets[index].runEnd {
            guard now >= end else { return }
            sets[index].reset()
        }
        let isScannable = parameters.properties.contains(.scannable)
        let response = isScannable ? scanResponse ?? [] : []
        // A scannable set with extended packets has its data in the scan response only.
        guard parameters.properties.carriesData || !isScannable || !response.isEmpty else { return }
        configure(index, parameters, now: now)
        let handle = sets[index].handle
        if parameters.properties.carriesData, sets[index].data != data {
            sets[index].data = data
            for (operation, fragment) in Self.fragments(data) {
                let command = HCI.LESetExtendedAdvertisingData(
                    advertisingHandle: handle,
                    operation: operation,
                    data: fragment
                )
                session.send(command, now: now)
            }
        }
        if isScannable, sets[index].scanResponse != response {
            sets[index].scanResponse = response
            for (operation, fragment) in Self.fragments(response) {
                let command = HCI.LESetExtendedScanResponseData(
                    advertisingHandle: handle,
                    operation: operation,
                    data: fragment
                )
                session.send(command, now: now)
            }
        }
        let run = HCI.AdvertisingSetRun(advertisingHandle: handle, eventLimit: 1)
        session.send(HCI.LESetExtendedAdvertisingEnable(isEnabled: true, sets: [run]), now: now)
        sets[index].runEnd = now + Self.eventLimit
    }

    /// Returns the index of the set for the advertisement, and adds the set if there is none; `nil`
    /// if there are too many.
    private mutating func index(for parameters: Parameters) -> Int? {
        let isLegacy = parameters.properties.contains(.legacy)
        let index = sets.firstIndex {
            $0.isLegacy == isLegacy && $0.setIdentifier == parameters.setIdentifier
        }
        if let index { return index }
        guard sets.count < Self.setLimit else { return nil }
        sets.append(
            AdvertisingSet(
                handle: UInt8(sets.count),
                isLegacy: isLegacy,
                setIdentifier: parameters.setIdentifier
            )
        )
        return sets.count - 1
    }

    /// Gives the set the parameters and its address, in place of earlier ones.
    private mutating func configure(_ index: Int, _ parameters: Parameters, now: Instant) {
        guard sets[index].parameters != parameters else { return }
        let handle = sets[index].handle
        if sets[index].parameters != nil {
            session.send(HCI.LERemoveAdvertisingSet(advertisingHandle: handle), now: now)
        }
        sets[index].reset()
        sets[index].parameters = parameters
        // The set sends single events, so the interval has no effect.
        let interval = HCI.AdvertisingInterval(rawValue: 160)
        let command = HCI.LESetExtendedAdvertisingParameters(
            advertisingHandle: handle,
            properties: parameters.properties,
            intervalMinimum: interval,
            intervalMaximum: interval,
            ownAddressType: ownAddressType,
            peerAddress: parameters.target.map { HCI.PeerAddress($0) } ?? .none,
            primaryPHY: parameters.primaryPHY,
            secondaryPHY: parameters.secondaryPHY,
            setIdentifier: parameters.setIdentifier
        )
        session.send(command, now: now)
        guard address.kind == .random else { return }
        let set = HCI.LESetAdvertisingSetRandomAddress(
            advertisingHandle: handle,
            address: BareAddress(address)
        )
        session.send(set, now: now)
    }

    /// The maximum length of a fragment, the data in one command (Vol 4, Part E, 7.8.54).
    private static let fragmentLimit = 251
    /// The maximum length of the data of an advertisement (Vol 6, Part B, 2.3.4.9).
    private static let dataLimit = 1_650

    /// Divides the data into the fragments of the commands.
    private static func fragments(_ data: [UInt8]) -> [(HCI.DataOperation, ArraySlice<UInt8>)] {
        let data = data.prefix(dataLimit)
        guard data.count > fragmentLimit else { return [(.complete, data)] }
        return stride(from: 0, to: data.count, by: fragmentLimit).map { start in
            let end = min(start + fragmentLimit, data.count)
            let operation: HCI.DataOperation =
                start == 0 ? .first : end == data.count ? .last : .intermediate
            return (operation, data[start..<end])
        }
    }
}

extension RootCanalProxy.Parameters {
    /// Creates the parameters of a legacy advertisement.
    init(_ type: RootCanalPacket.AdvertisingType, target: DeviceAddress) {
        switch type {
        case .undirected: self.init(properties: [.legacy, .connectable, .scannable])
        case .directed:
            self.init(properties: [.legacy, .connectable, .directed], target: target)
        case .scannable: self.init(properties: [.legacy, .scannable])
        case .nonconnectable: self.init(properties: [.legacy])
        }
    }

    /// Creates the parameters of an extended advertisement; `nil` if our Link Layer does not have
    /// it.
    init?(_ advertisement: RootCanalPacket.ExtendedAdvertisement, target: DeviceAddress) {
        guard !advertisement.isConnectable || !advertisement.isScannable else { return nil }
        var properties: HCI.AdvertisingProperties = []
        if advertisement.isConnectable { properties.insert(.connectable) }
        if advertisement.isScannable { properties.insert(.scannable) }
        if advertisement.isDirected { properties.insert(.directed) }
        let secondaryPHY: PHY =
            switch advertisement.secondaryPHY {
            case 2: .le2M
            case 3...: .leCoded
            default: .le1M
            }
        self.init(
            properties: properties,
            target: advertisement.isDirected ? target : nil,
            primaryPHY: advertisement.primaryPHY >= 3 ? .leCoded : .le1M,
            secondaryPHY: secondaryPHY,
            setIdentifier: advertisement.setIdentifier & 0x0F
        )
    }
}
