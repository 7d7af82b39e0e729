// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import VirtualAccessories

/// The scanner of a bridge: it receives the advertisements of our world.
///
/// It only listens. The scan requests of an active scanner that listens all the time would collide
/// with the connection requests of our devices, which begin at the same time after an
/// advertisement.
struct RootCanalObserver: Sendable {
    /// The maximum number of advertisements for RootCanal in a second. RootCanal's port takes one
    /// packet in each tick of 5 to 10 ms, and the other ticks are for links.
    static let rateLimit = 50
    /// The shortest time between two relayed advertisements of one set. RootCanal's packets have no
    /// interval, so more advertisements would rarely contain anything new.
    static let repeatPeriod = Duration.milliseconds(100)
    /// The maximum number of advertising sets for which the time of the last relayed advertisement
    /// is stored. If there are more, all these times are forgotten.
    static let setLimit = 256
    /// The maximum length of the data of an advertisement (Vol 6, Part B, 2.3.4.9).
    private static let dataLimit = 1_650

    private struct SetKey: Hashable, Sendable {
        let address: HCI.PeerAddress
        let setIdentifier: UInt8
    }

    /// The controller's public address, after startup.
    var address: DeviceAddress? { session.capabilities?.publicAddress }

    private var session = ControllerSession()
    private var relayed: [SetKey: Instant] = [:]
    /// The parts received so far of an extended advertisement that is not complete.
    private var partial: (key: SetKey, data: [UInt8])?
    /// The end of the current second, and the number of advertisements relayed in it.
    private var second = (end: Instant.zero, count: 0)

    mutating func start(now: Instant) {
        session.start(now: now)
    }

    mutating func takePackets() -> [[UInt8]]? {
        let packets = session.takePackets()
        return packets.isEmpty ? nil : packets
    }

    var nextDeadline: Instant? { session.nextDeadline }

    mutating func deadlinePassed(now: Instant) {
        _ = session.deadlinePassed(now: now)
    }

    /// Handles an event of the controller.
    ///
    /// - Returns: The complete advertisements.
    mutating func receive(_ event: HCI.Event, now: Instant) -> [HCI.ExtendedAdvertisingReport] {
        if case .ready = session.receive(event, now: now) { scan(now: now) }
        guard case .extendedAdvertisingReports(let reports) = event else { return [] }
        var advertisements: [HCI.ExtendedAdvertisingReport] = []
        for report in reports {
            if let whole = complete(report) { advertisements.append(whole) }
        }
        return advertisements
    }

    /// Scans all the time.
    private mutating func scan(now: Instant) {
        let window = HCI.ScanInterval(.milliseconds(60))
        let parameters = HCI.PHYScanParameters(type: .passive, interval: window, window: window)
        session.send(
            HCI.LESetExtendedScanParameters(ownAddressType: .public, phys: .init(le1M: parameters)),
            now: now
        )
        session.send(HCI.LESetExtendedScanEnable(isEnabled: true, duplicates: .off), now: now)
    }

    /// Returns the report with all data of the advertisement; `nil` while a part is missing.
    private mutating func complete(
        _ report: HCI.ExtendedAdvertisingReport
    ) -> HCI.ExtendedAdvertisingReport? {
        let key = SetKey(address: report.address, setIdentifier: report.setIdentifier)
        let earlier = partial?.key == key ? partial?.data ?? [] : []
        partial = nil
        var whole = report
        whole.data = (earlier + report.data)[...]
        switch report.type.dataStatus {
        case .complete: return whole
        case .incomplete where whole.data.count <= Self.dataLimit:
            partial = (key, Array(whole.data))
            return nil
        default: return nil
        }
    }

    /// Returns whether RootCanal may get the advertisement, and counts it if so.
    mutating func admits(_ report: HCI.ExtendedAdvertisingReport, now: Instant) -> Bool {
        let key = SetKey(address: report.address, setIdentifier: report.setIdentifier)
        if let last = relayed[key], now - last < Self.repeatPeriod { return false }
        if now >= second.end { second = (now + .seconds(1), 0) }
        guard second.count < Self.rateLimit else { return false }
        if relayed.count >= Self.setLimit { relayed = [:] }
        relayed[key] = now
        second.count += 1
        return true
    }
}

extension RootCanalBridge {
    /// Sends RootCanal the advertisement of one of our devices, if the rate limits allow it.
    /// Ignores the advertisements of the proxies, which come from RootCanal, and anonymous
    /// advertisements, which RootCanal's packets cannot contain.
    mutating func relay(_ report: HCI.ExtendedAdvertisingReport, now: Instant) {
        guard let advertiser = report.address.deviceAddress, numbers[advertiser] == nil,
            observer.admits(report, now: now)
        else { return }
        let target = report.type.isDirected ? report.target.deviceAddress : nil
        let content: RootCanalPacket.Content
        if report.type.isLegacy {
            content = .advertisement(
                type: RootCanalPacket.AdvertisingType(report.type),
                own: advertiser.kind,
                target: target?.kind ?? .public,
                data: report.type.isDirected ? [] : Array(report.data)
            )
        } else {
            content = .extendedAdvertisement(
                RootCanalPacket.ExtendedAdvertisement(report, advertiser, target: target)
            )
        }
        send(content, from: advertiser.value, to: target?.value ?? 0)
    }
}

extension RootCanalPacket.AdvertisingType {
    fileprivate init(_ type: HCI.ExtendedReportType) {
        self =
            switch (type.isConnectable, type.isScannable) {
            case (true, true): .undirected
            case (true, false): .directed
            case (false, true): .scannable
            case (false, false): .nonconnectable
            }
    }
}

extension RootCanalPacket.ExtendedAdvertisement {
    fileprivate init(
        _ report: HCI.ExtendedAdvertisingReport,
        _ advertiser: DeviceAddress,
        target: DeviceAddress?
    ) {
        self.init(
            own: advertiser.kind,
            target: target?.kind ?? .public,
            isConnectable: report.type.isConnectable,
            isScannable: report.type.isScannable,
            isDirected: report.type.isDirected,
            setIdentifier: report.setIdentifier,
            transmitPower: UInt8(bitPattern: report.transmitPower),
            primaryPHY: report.primaryPHY.rawValue,
            secondaryPHY: report.secondaryPHY?.rawValue ?? 0,
            data: Array(report.data)
        )
    }
}
