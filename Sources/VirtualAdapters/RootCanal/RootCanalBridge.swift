// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import VirtualAccessories

/// The translation between the air of a `World` and the Link Layer port of RootCanal.
///
/// RootCanal's packets are abstract: they have no channel and no time, and an answer to a packet
/// can come at any time. On our air, an answer begins T_IFS after the packet. So packets are not
/// passed on one by one. The bridge adds controllers to our world instead, and is the host of each:
///
/// - The *observer* scans. The bridge sends RootCanal the advertisements of our devices, at a
///   limited rate.
/// - A *proxy* for each of RootCanal's devices has the address of that device. It sends advertising
///   events for the advertisements of the device. On our air, it is the device's end of its links.
///   The timing, the losses and the encryption of these links are those of our air.
///
/// Pairing works through the bridge, because each host sees the address that the other host uses.
///
/// The bridge does no I/O. `RootCanalConnection` drives it: after each call, the driver performs
/// the outputs (`takeOutputs()`) and sets its timer to `nextDeadline`.
package struct RootCanalBridge: Sendable {
    /// The maximum number of proxies. Packets of further devices are ignored.
    package static let proxyLimit = 64
    /// The maximum number of links of all proxies. Further links are ended.
    static let linkLimit = 256
    /// The time after which a proxy without links is removed, if its device sends nothing.
    static let silenceLimit = Duration.seconds(30)
    /// The minimum time between two requests for the scan response of a device.
    static let scanPeriod = Duration.seconds(1)
    /// The time for our device to advertise again after RootCanal's device has requested a
    /// connection: more than the longest advertising interval of legacy packets, 10.24 s.
    static let connectionLimit = Duration.seconds(12)
    /// The time for RootCanal's device to answer a connection request.
    static let answerLimit = Duration.seconds(2)

    /// The number of the observer among the controllers.
    static let observerNumber = 0

    /// An action for the driver.
    package enum Output: Equatable, Sendable {
        /// Send the packet to RootCanal.
        case send(RootCanalPacket)
        /// Add a controller with the number. Without an address it is the observer.
        case addController(Int, DeviceAddress?)
        /// Remove the controller, without a packet on the air.
        case removeController(Int)
        /// Call `answerScan(of:for:with:)` with the scan response of our device, if it has one.
        case readScanResponse(of: DeviceAddress, for: DeviceAddress)
        /// Call `requestEncryption(at:answering:with:)` with the key of our central on this link of
        /// the controller.
        case readCentralKey(Int, HCI.LELongTermKeyRequest)
        /// Send the H4 packets to the controller.
        case sendToController(Int, [[UInt8]])
    }

    var proxies: [Int: RootCanalProxy] = [:]
    /// The numbers of the proxies, by the address of their device.
    var numbers: [DeviceAddress: Int] = [:]
    var observer = RootCanalObserver()
    var links: [RootCanalLink.Key: RootCanalLink] = [:]
    var keys: [RootCanalLink.Endpoint: RootCanalLink.Key] = [:]
    private var deframer = RootCanalDeframer()
    private var outputs: [Output] = []
    private var lastNumber = Self.observerNumber

    /// Creates a bridge. The observer's controller is the first output.
    ///
    /// - Parameter now: The current instant of the world.
    package init(now: Instant) {
        outputs.append(.addController(Self.observerNumber, nil))
        observer.start(now: now)
        drainSessions()
    }

    /// Returns and removes the outputs, in order.
    package mutating func takeOutputs() -> [Output] {
        defer { outputs = [] }
        return outputs
    }

    /// Handles bytes from RootCanal. Malformed packets, and those that our Link Layer does not
    /// have, are ignored.
    ///
    /// - Throws: ``RootCanalError`` if a packet is too long to be one of RootCanal.
    package mutating func receive(
        _ bytes: ArraySlice<UInt8>,
        now: Instant
    ) throws(RootCanalError) {
        deframer.append(bytes)
        defer { drainSessions() }
        do throws(RootCanalDeframer.LengthError) {
            while let bytes = try deframer.next() {
                if let packet = try? RootCanalPacket(bytes) { receive(packet, now: now) }
            }
        } catch {
            throw .packetTooLong(error.length)
        }
    }

    /// Handles an H4 packet from the controller with this number.
    package mutating func receive(_ packet: [UInt8], from number: Int, now: Instant) {
        defer { drainSessions() }
        switch try? HCI.Packet(h4: packet[...]) {
        case .event(let code, let parameters):
            guard let event = try? HCI.Event(code: code, parameters: parameters) else { break }
            receive(event, from: number, now: now)
        case .acl(let packet): receive(packet, from: number)
        default: break
        }
    }

    private mutating func receive(_ event: HCI.Event, from number: Int, now: Instant) {
        if number == Self.observerNumber {
            for report in observer.receive(event, now: now) { relay(report, now: now) }
        } else if proxies[number] != nil {
            proxies[number]?.receive(event, now: now)
            linkEvent(event, at: number, now: now)
            releaseData(of: number)
        }
    }

    /// Records that the world has no room for the controller with this number.
    package mutating func controllerRefused(_ number: Int) {
        forget(number)
    }

    mutating func send(
        _ content: RootCanalPacket.Content,
        from source: UInt64,
        to destination: UInt64
    ) {
        let packet = RootCanalPacket(source: source, destination: destination, content: content)
        outputs.append(.send(packet))
    }

    mutating func readScanResponse(of advertiser: DeviceAddress, for scanner: DeviceAddress) {
        // A scan request between two of RootCanal's devices needs no answer of the bridge.
        guard numbers[advertiser] == nil else { return }
        outputs.append(.readScanResponse(of: advertiser, for: scanner))
    }

    mutating func readCentralKey(at number: Int, for request: HCI.LELongTermKeyRequest) {
        outputs.append(.readCentralKey(number, request))
    }

    /// Sends a command to the controller of a proxy.
    mutating func command(_ command: some HCICommand, at number: Int, now: Instant) {
        proxies[number]?.session.send(command, now: now)
    }

    /// Passes the packets of all sessions to their controllers.
    private mutating func drainSessions() {
        if let packets = observer.takePackets() {
            outputs.append(.sendToController(Self.observerNumber, packets))
        }
        for number in proxies.keys.sorted() {
            guard let packets = proxies[number]?.session.takePackets(), !packets.isEmpty else {
                continue
            }
            outputs.append(.sendToController(number, packets))
        }
    }
}

/// The reason why the bytes of RootCanal's port cannot be read.
public enum RootCanalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A packet states this length, in bytes, which RootCanal's packets do not have.
    case packetTooLong(Int)

    /// The reason in words.
    public var description: String {
        switch self {
        case .packetTooLong(let length):
            "a packet of \(length) bytes is not one of RootCanal's Link Layer port"
        }
    }
}

// MARK: - Proxies

extension RootCanalBridge {
    /// Returns the number of the proxy for the device, and creates the proxy if there is none.
    /// Returns `nil` if there are too many proxies.
    mutating func proxy(for address: DeviceAddress, now: Instant) -> Int? {
        if let number = numbers[address] { return number }
        guard proxies.count < Self.proxyLimit else { return nil }
        lastNumber += 1
        var proxy = RootCanalProxy(address, now: now)
        proxy.session.start(now: now)
        proxies[lastNumber] = proxy
        numbers[address] = lastNumber
        outputs.append(.addController(lastNumber, address))
        return lastNumber
    }

    /// Removes a proxy. Our devices that have a link to it detect that by their supervision
    /// timeout.
    mutating func remove(_ number: Int) {
        forget(number)
        outputs.append(.removeController(number))
    }

    private mutating func forget(_ number: Int) {
        guard let proxy = proxies.removeValue(forKey: number) else { return }
        numbers[proxy.address] = nil
        for key in links.values.filter({ $0.endpoint.proxy == number }).map(\.key) { forget(key) }
    }

    /// Removes the link from the tables.
    mutating func forget(_ key: RootCanalLink.Key) {
        guard let link = links.removeValue(forKey: key) else { return }
        keys[link.endpoint] = nil
    }
}

// MARK: - Time

extension RootCanalBridge {
    /// The instant at which `deadlinePassed(now:)` must be called; `nil` for none.
    package var nextDeadline: Instant? {
        var deadline = observer.nextDeadline
        for (number, proxy) in proxies {
            deadline = earliest(deadline, proxy.session.nextDeadline)
            deadline = earliest(deadline, proxy.pendingConnection?.deadline)
            if !isInUse(number) {
                deadline = earliest(deadline, proxy.lastReceived + Self.silenceLimit)
            }
        }
        return links.values.reduce(deadline) { earliest($0, $1.nextDeadline) }
    }

    /// Handles the deadline.
    package mutating func deadlinePassed(now: Instant) {
        observer.deadlinePassed(now: now)
        for key in links.keys.sorted(by: { ($0.remote, $0.local) < ($1.remote, $1.local) }) {
            linkDeadlinePassed(key, now: now)
        }
        for number in proxies.keys.sorted() {
            _ = proxies[number]?.session.deadlinePassed(now: now)
            cancelLateConnection(of: number, now: now)
            guard let received = proxies[number]?.lastReceived, !isInUse(number),
                received + Self.silenceLimit <= now
            else { continue }
            remove(number)
        }
        drainSessions()
    }

    /// Returns whether the proxy has links or is connecting.
    private func isInUse(_ number: Int) -> Bool {
        proxies[number]?.pendingConnection != nil
            || links.values.contains { $0.endpoint.proxy == number }
    }
}
