// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension Advertiser {
    /// The parameters of all commands for one set, for one request to advertise and one controller.
    struct SetConfiguration: Sendable, Hashable {
        let parameters: AdvertisingParameters
        /// The random address of the set, or `nil` for a set with a public address. On a legacy
        /// controller, it is always `nil`, because sets have no addresses of their own.
        let address: DeviceAddress?
        let data: [UInt8]
        let response: [UInt8]
        let layout: AdvertisingLayout

        /// Creates the configuration of a set.
        ///
        /// - Parameters:
        ///   - ownAddress: The set's own address. With `nil`, the set has the host's address.
        ///   - power: The transmit power of the controller, in dBm, if it is known.
        /// - Throws: The reason why the controller or the specification does not allow the request.
        init(
            _ advertising: Advertising,
            in dialect: CommandDialect,
            address ownAddress: DeviceAddress? = nil,
            power: Int8?
        ) throws(AdvertisingError) {
            try Self.check(advertising, in: dialect)
            let room = AdvertisingRoom(for: advertising, limit: dialect.advertisingDataLimit)
            switch advertising.content {
            case .composed(let content):
                layout = AdvertisingLayout(content, in: room, controllerPower: power ?? 0)
            case .raw(let data, let response):
                layout = try AdvertisingLayout(
                    rawAdvertisingData: data,
                    scanResponse: response,
                    in: room
                )
            }
            data = layout.advertisingData.bytes
            response = layout.scanResponse.bytes
            guard advertising.form == .legacy || advertising.kind != .scannable || !response.isEmpty
            else { throw .unsupported("an extended scannable set without a scan response") }
            parameters = AdvertisingParameters(advertising, in: dialect)
            let ofHost = ownAddress ?? dialect.ownAddress
            address = dialect.isExtended ? Self.randomAddress(advertising, ofHost: ofHost) : nil
        }

        private static func check(
            _ advertising: Advertising,
            in dialect: CommandDialect
        ) throws(AdvertisingError) {
            guard dialect.canAdvertise else { throw .unsupported("advertising") }
            if advertising.form == .extended, !dialect.isExtended {
                throw .unsupported("extended advertising")
            }
            if advertising.eventLimit != nil, !dialect.isExtended {
                throw .unsupported("a limit of advertising events")
            }
            if case .random(let address) = advertising.address {
                guard dialect.isExtended || address == dialect.ownAddress else {
                    throw .unsupported("an address for each set")
                }
                guard address.kind == .random else {
                    throw .unsupported("a public address as a random address")
                }
            }
            if dialect.isPrivate, advertising.address.staysTheSame {
                throw .unsupported("a permanent address on a host with private addresses")
            }
            if advertising.address == .ofBond {
                guard advertising.target != nil, dialect.isPrivate, dialect.canResolve else {
                    throw .unsupported("private addresses of a bond")
                }
            }
            if advertising.address == .public, !dialect.hasPublicAddress {
                throw .unsupported("a public address")
            }
            if advertising.form == .extended, advertising.isHighDutyCycle {
                throw .unsupported("a high duty cycle in extended packets")
            }
            if advertising.recipient != nil,
                advertising.form == .legacy || advertising.isConnectable
            {
                throw .unsupported("a recipient of legacy or connectable packets")
            }
            if advertising.form == .extended { try checkPHYs(advertising, in: dialect) }
        }

        private static func checkPHYs(
            _ advertising: Advertising,
            in dialect: CommandDialect
        ) throws(AdvertisingError) {
            guard [.le1M, .leCoded].contains(advertising.primaryPHY),
                dialect.supports(advertising.primaryPHY), dialect.supports(advertising.secondaryPHY)
            else { throw .unsupported("the requested PHY") }
        }

        private static func randomAddress(
            _ advertising: Advertising,
            ofHost: DeviceAddress?
        ) -> DeviceAddress? {
            switch advertising.address {
            case .ofHost, .ofBond: ofHost?.kind == .random ? ofHost : nil
            case .public: nil
            case .random(let address): address
            }
        }
    }
}

extension AdvertisingParameters {
    private static let intervalMinimum: Duration = .milliseconds(20)
    private static let legacyMaximum: Duration = .milliseconds(10_240)
    private static let extendedMaximum: Duration = .microseconds(0xFF_FFFF * 625)
    /// The shortest interval at which a controller before version 5.0 sends advertisements that are
    /// not connectable (Vol 6, Part B, 4.4.2.2, of Core 4.2).
    private static let slowMinimum: Duration = .milliseconds(100)
    private static let setIdentifierMaximum: UInt8 = 0x0F
    private static let powerRange: ClosedRange<Int8> = -127...20

    init(_ advertising: Advertising, in dialect: CommandDialect) {
        properties = Self.properties(of: advertising)
        interval = Self.interval(of: advertising, in: dialect)
        let channels = HCI.AdvertisingChannels(rawValue: advertising.channels.rawValue)
            .intersection(.all)
        self.channels = channels.isEmpty ? .all : channels
        ownAddressType = Self.ownAddressType(of: advertising, in: dialect)
        target = advertising.target
        filterPolicy = Self.filterPolicy(of: advertising)
        transmitPower = advertising.transmitPower.map {
            min(max($0, Self.powerRange.lowerBound), Self.powerRange.upperBound)
        }
        guard advertising.form == .extended else { return }
        primaryPHY = advertising.primaryPHY
        secondaryPHY = advertising.secondaryPHY
        setIdentifier = min(advertising.setIdentifier, Self.setIdentifierMaximum)
    }

    private static func properties(of advertising: Advertising) -> HCI.AdvertisingProperties {
        var properties: HCI.AdvertisingProperties =
            switch (advertising.kind, advertising.form) {
            case (.connectable, .legacy): [.connectable, .scannable]
            case (.connectable, .extended): .connectable
            case (.scannable, _): .scannable
            case (.nonConnectable, _): []
            case (.directed(_, .low), _): [.connectable, .directed]
            case (.directed(_, .high), _): [.connectable, .directed, .highDutyCycle]
            }
        guard advertising.form == .extended else { return properties.union(.legacy) }
        if advertising.recipient != nil { properties.insert(.directed) }
        if advertising.isAnonymous, advertising.kind == .nonConnectable {
            properties.insert(.anonymous)
        }
        if advertising.includesTransmitPower { properties.insert(.includesTransmitPower) }
        return properties
    }

    private static func interval(
        of advertising: Advertising,
        in dialect: CommandDialect
    ) -> ClosedRange<Duration> {
        let isSlow = dialect.isOld && !advertising.isConnectable
        let minimum = isSlow ? slowMinimum : intervalMinimum
        let maximum = dialect.isExtended ? extendedMaximum : legacyMaximum
        let lower = min(max(advertising.interval.lowerBound, minimum), maximum)
        return lower...min(max(advertising.interval.upperBound, lower), maximum)
    }

    private static func ownAddressType(
        of advertising: Advertising,
        in dialect: CommandDialect
    ) -> HCI.OwnAddressType {
        switch advertising.address {
        case .ofHost: dialect.ownAddress?.kind == .public ? .public : .random
        case .public: .public
        case .random: .random
        case .ofBond: .resolvableOrRandom
        }
    }

    /// Returns the filter policy. Directed advertising needs no list, because its parameters
    /// contain the device.
    private static func filterPolicy(of advertising: Advertising) -> HCI.AdvertisingFilterPolicy {
        guard advertising.target == nil else { return .unfiltered }
        return switch advertising.admission {
        case .everyone: .unfiltered
        case .connections: .connectFiltered
        case .scanRequests: .scanFiltered
        case .only: .filtered
        }
    }
}

extension Advertising.Address {
    /// Whether the address identifies the advertiser permanently.
    fileprivate var staysTheSame: Bool {
        switch self {
        case .ofHost, .ofBond: false
        case .public: true
        case .random(let address): address.randomKind == .static
        }
    }
}

extension Advertising {
    /// The devices that the Filter Accept List must hold.
    var admittedDevices: [DeviceAddress] {
        switch admission {
        case _ where target != nil: []
        case .everyone: []
        case .connections(let list), .scanRequests(let list), .only(let list): list
        }
    }
}
