// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("Refused legacy advertising commands")
struct LegacyRefusalTests {
    let world = World(seed: 15)
    let host: TestHost

    init() throws { host = try TestHost(world) }

    @Test(
        "Intervals outside 20 ms to 10.24 s are not supported",
        arguments: [(0x1F, 0x40), (0x20, 0x4001), (0, 0), (0xFFFF, 0xFFFF)] as [(UInt16, UInt16)]
    )
    func unsupportedIntervals(range: (UInt16, UInt16)) throws {
        var parameters = TestHost.parameters()
        parameters.intervalMinimum = HCI.ScanInterval(rawValue: range.0)
        parameters.intervalMaximum = HCI.ScanInterval(rawValue: range.1)
        #expect(try host.status(parameters) == .unsupportedFeatureOrParameterValue)
        parameters.type = .directedHighDutyCycle
        #expect(try host.status(parameters) == .success)
    }

    @Test("Invalid parameters are refused", arguments: 0..<6)
    func invalid(which: Int) throws {
        var parameters = TestHost.parameters()
        switch which {
        case 0: parameters.intervalMinimum = HCI.ScanInterval(rawValue: 0x100)
        case 1: parameters.type = HCI.AdvertisingType(rawValue: 5)
        case 2: parameters.ownAddressType = HCI.OwnAddressType(rawValue: 4)
        case 3: parameters.peerAddress = HCI.PeerAddress(type: .anonymous, value: 0)
        case 4: parameters.channels = HCI.AdvertisingChannels(rawValue: 0xF8)
        default: parameters.filterPolicy = HCI.AdvertisingFilterPolicy(rawValue: 4)
        }
        parameters.intervalMaximum = HCI.ScanInterval(rawValue: 0xA0)
        #expect(try host.status(parameters) == .invalidCommandParameters)
    }

    @Test("During advertising, parameters cannot change, but data can")
    func enabled() throws {
        try host.advertise()
        #expect(try host.status(TestHost.parameters()) == .commandDisallowed)
        try host.clearAdvertisingData()
        #expect(try host.status(HCI.LESetAdvertisingEnable(isEnabled: true)) == .success)
        try host.perform(HCI.LESetAdvertisingEnable(isEnabled: false))
        #expect(try host.status(TestHost.parameters()) == .success)
    }

    @Test(
        "A random address must be set before it is used",
        arguments: [HCI.OwnAddressType.random, .resolvableOrRandom]
    )
    func randomAddress(own: HCI.OwnAddressType) throws {
        try host.perform(TestHost.parameters(own: own))
        let enable = HCI.LESetAdvertisingEnable(isEnabled: true)
        #expect(try host.status(enable) == .invalidCommandParameters)
        let address = HCI.BareAddress(value: 0xC000_0000_0001)
        #expect(try host.status(HCI.LESetRandomAddress(address: address)) == .success)
        #expect(try host.status(enable) == .success)
    }

    @Test("After malformed commands, valid parameters are accepted")
    func malformed() throws {
        for length in 0..<15 {
            host.send([0x01, 0x06, 0x20, UInt8(length)] + [UInt8](repeating: 0xFF, count: length))
            host.send([0x01, 0x08, 0x20, UInt8(length)] + [UInt8](repeating: 0xFF, count: length))
        }
        world.run(for: .seconds(1))
        #expect(try host.status(TestHost.parameters()) == .success)
    }

    @Test("Legacy and extended commands cannot be mixed")
    func dialects() throws {
        try host.perform(TestHost.parameters())
        #expect(try host.status(TestHost.setParameters()) == .commandDisallowed)
        #expect(
            try host.enableStatus(HCI.AdvertisingSetRun(advertisingHandle: 1)) == .commandDisallowed
        )
        #expect(try host.status(HCI.LEClearAdvertisingSets()) == .commandDisallowed)
        #expect(try host.perform(HCI.LEReadNumberOfSupportedAdvertisingSets()).count == 8)

        let other = try TestHost(world)
        try other.perform(TestHost.setParameters())
        #expect(try other.status(TestHost.parameters()) == .commandDisallowed)
        #expect(try other.status(HCI.LESetAdvertisingEnable(isEnabled: true)) == .commandDisallowed)
        #expect(try other.perform(HCI.LEReadAdvertisingPhysicalChannelTxPower()).level == 0)
    }
}

@Suite("Refused extended advertising commands")
struct ExtendedRefusalTests {
    let world = World(seed: 16)
    let host: TestHost

    init() throws { host = try TestHost(world) }

    private let run = HCI.AdvertisingSetRun(advertisingHandle: 1)

    private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

    private func set(
        _ operation: HCI.DataOperation,
        _ count: Int,
        of handle: UInt8 = 1
    ) throws -> HCI.ErrorCode {
        try host.status(
            HCI.LESetExtendedAdvertisingData(
                advertisingHandle: handle,
                operation: operation,
                data: bytes(count)[...]
            )
        )
    }

    private func respond(
        _ operation: HCI.DataOperation,
        _ count: Int,
        of handle: UInt8 = 1
    ) throws -> HCI.ErrorCode {
        try host.status(
            HCI.LESetExtendedScanResponseData(
                advertisingHandle: handle,
                operation: operation,
                data: bytes(count)[...]
            )
        )
    }

    @Test("Commands for an unknown set are refused")
    func unknownSet() throws {
        let unknown = HCI.ErrorCode.unknownAdvertisingIdentifier
        #expect(try set(.complete, 3) == unknown)
        #expect(try respond(.complete, 3) == unknown)
        #expect(try host.enableStatus(run) == unknown)
        #expect(try host.status(HCI.LERemoveAdvertisingSet(advertisingHandle: 1)) == unknown)
        let address = HCI.BareAddress(value: 0xC000_0000_0001)
        let setAddress = HCI.LESetAdvertisingSetRandomAddress(
            advertisingHandle: 1,
            address: address
        )
        #expect(try host.status(setAddress) == unknown)
        #expect(try host.status(HCI.LEClearAdvertisingSets()) == .success)
    }

    @Test("Invalid parameters are refused", arguments: 0..<9)
    func invalid(which: Int) throws {
        var parameters = TestHost.setParameters()
        switch which {
        case 0: parameters.advertisingHandle = 0xF0
        case 1: parameters.intervalMinimum = HCI.AdvertisingInterval(rawValue: 161)
        case 2: parameters.channels = []
        case 3: parameters.ownAddressType = HCI.OwnAddressType(rawValue: 9)
        case 4: parameters.filterPolicy = HCI.AdvertisingFilterPolicy(rawValue: 4)
        case 5: parameters.setIdentifier = 16
        case 6: parameters.transmitPower = 21
        case 7: (parameters.properties, parameters.primaryPHY) = ([.legacy], .leCoded)
        default: parameters.peerAddress = HCI.PeerAddress(type: .publicIdentity, value: 1)
        }
        #expect(try host.status(parameters) == .invalidCommandParameters)
        #expect(try host.enableStatus(run) == .unknownAdvertisingIdentifier)
    }

    @Test("Unsupported PHYs and intervals are refused")
    func unsupported() throws {
        let unsupported = HCI.ErrorCode.unsupportedFeatureOrParameterValue
        var parameters = TestHost.setParameters()
        parameters.primaryPHY = .le2M
        #expect(try host.status(parameters) == unsupported)
        parameters.primaryPHY = .le1M
        parameters.secondaryPHY = PHY(rawValue: 4)
        #expect(try host.status(parameters) == unsupported)
        #expect(try host.status(TestHost.setParameters(1, interval: 31...160)) == unsupported)
        #expect(try host.status(TestHost.setParameters(1, interval: 32...0xFF_FFFF)) == .success)
    }

    @Test("Exactly the combinations of properties that the specification allows are accepted")
    func properties() throws {
        let legacy: Set<UInt16> = [0x10, 0x12, 0x13, 0x15, 0x1D]
        for raw in 0...0xFF as ClosedRange<UInt16> {
            let properties = HCI.AdvertisingProperties(rawValue: raw)
            let isConnectableAndScannable = raw & 0b11 == 0b11
            let isAnonymousInvitation = raw & 0x20 != 0 && raw & 0b11 != 0
            let isExtended =
                raw & 0x98 == 0 && !isConnectableAndScannable && !isAnonymousInvitation
            let isAccepted = legacy.contains(raw) || isExtended
            let status = try host.status(TestHost.setParameters(1, properties))
            #expect(status == (isAccepted ? .success : .invalidCommandParameters), "\(properties)")
        }
    }

    @Test("The controller accepts as many sets as it reports")
    func setLimit() throws {
        let count = try host.perform(HCI.LEReadNumberOfSupportedAdvertisingSets()).count
        for handle in 0..<count { try host.perform(TestHost.setParameters(handle)) }
        #expect(try host.status(TestHost.setParameters(count)) == .memoryCapacityExceeded)
        #expect(try host.status(TestHost.setParameters(0)) == .success)
        try host.perform(HCI.LERemoveAdvertisingSet(advertisingHandle: 3))
        #expect(try host.status(TestHost.setParameters(count)) == .success)
        try host.perform(HCI.LEClearAdvertisingSets())
        #expect(try set(.complete, 1, of: 0) == .unknownAdvertisingIdentifier)
    }

    @Test("An enabled connectable set keeps its parameters and address, and cannot be removed")
    func enabled() throws {
        try host.perform(TestHost.setParameters(1, [.legacy, .connectable, .scannable]))
        try host.perform(TestHost.setParameters(2, [.legacy]))
        try host.enable(run)
        let address = HCI.BareAddress(value: 0xC000_0000_0001)
        let setAddress = HCI.LESetAdvertisingSetRandomAddress(
            advertisingHandle: 1,
            address: address
        )
        #expect(try host.status(TestHost.setParameters(1, [.legacy])) == .commandDisallowed)
        #expect(try host.status(setAddress) == .commandDisallowed)
        #expect(
            try host.status(HCI.LERemoveAdvertisingSet(advertisingHandle: 1)) == .commandDisallowed
        )
        #expect(try host.status(HCI.LEClearAdvertisingSets()) == .commandDisallowed)
        #expect(try host.status(HCI.LERemoveAdvertisingSet(advertisingHandle: 2)) == .success)
        try host.disable(1)
        #expect(try host.status(setAddress) == .success)
        #expect(try host.status(HCI.LEClearAdvertisingSets()) == .success)
    }

    @Test("LL/DDI/ADV/BI-05-C and BI-06-C: Legacy data has up to 31 bytes in one command")
    func legacyData() throws {
        try host.perform(TestHost.setParameters(1, [.legacy, .scannable]))
        #expect(try set(.complete, 32) == .invalidCommandParameters)
        #expect(try set(.first, 10) == .invalidCommandParameters)
        #expect(try set(.complete, 31) == .success)
        #expect(try respond(.complete, 32) == .invalidCommandParameters)
        #expect(try respond(.last, 10) == .invalidCommandParameters)
        #expect(try respond(.complete, 31) == .success)
        #expect(try host.enableStatus(run) == .success)
        #expect(try set(.complete, 32) == .invalidCommandParameters)
        #expect(try respond(.complete, 32) == .invalidCommandParameters)
    }

    @Test("Data of a kind that the set does not send is invalid")
    func wrongKind() throws {
        try host.perform(TestHost.setParameters(1, [.scannable]))
        #expect(try set(.complete, 3) == .invalidCommandParameters)
        try host.perform(TestHost.setParameters(2, [.legacy, .connectable, .directed]))
        #expect(try set(.complete, 3, of: 2) == .invalidCommandParameters)
        try host.perform(TestHost.setParameters(3))
        #expect(try respond(.complete, 3, of: 3) == .invalidCommandParameters)
        #expect(try respond(.complete, 0, of: 3) == .success)
    }

    @Test("Fragments of data must not be empty, and an enabled set accepts only complete data")
    func pieces() throws {
        try host.perform(TestHost.setParameters())
        #expect(try set(.first, 0) == .invalidCommandParameters)
        #expect(try set(.intermediate, 0) == .invalidCommandParameters)
        #expect(try set(.last, 0) == .invalidCommandParameters)
        #expect(try set(HCI.DataOperation(rawValue: 5), 3) == .invalidCommandParameters)
        #expect(try set(.unchanged, 0) == .invalidCommandParameters)
        #expect(try set(.first, 100) == .success)
        #expect(try host.enableStatus(run) == .commandDisallowed)
        #expect(try set(.last, 100) == .success)
        #expect(try host.enableStatus(run) == .success)
        #expect(try set(.first, 100) == .commandDisallowed)
        #expect(try set(.unchanged, 1) == .invalidCommandParameters)
        #expect(try set(.unchanged, 0) == .success)
        #expect(try set(.complete, 100) == .success)
    }

    @Test("More than 1,650 bytes are refused, and all data is discarded")
    func tooMuch() throws {
        try host.perform(TestHost.setParameters(1, [.scannable]))
        #expect(try respond(.first, 251) == .success)
        for _ in 0..<5 { #expect(try respond(.intermediate, 251) == .success) }
        #expect(try respond(.last, 251) == .memoryCapacityExceeded)
        #expect(try host.enableStatus(run) == .commandDisallowed)
        #expect(try respond(.complete, 251) == .success)
        #expect(try host.enableStatus(run) == .success)
    }

    @Test("Data that does not fit into the interval is too long")
    func tooLong() throws {
        var parameters = TestHost.setParameters(1, [], interval: 32...32)
        parameters.primaryPHY = .leCoded
        parameters.secondaryPHY = .leCoded
        try host.perform(parameters)
        try host.setData(bytes(1000))
        #expect(try host.enableStatus(run) == .packetTooLong)
        try host.setData(bytes(100))
        #expect(try host.enableStatus(run) == .success)
        #expect(try set(.complete, 251) == .packetTooLong)
        try host.disable(1)
        try host.setData(bytes(1000))
        #expect(try host.status(parameters) == .packetTooLong)
    }

    @Test("The duration of a scan response includes its TxPower field")
    func responsePower() {
        var configuration = AdvertisingSetConfiguration.standard
        configuration.properties = [.scannable]
        let plain = configuration.responseDuration(100)
        configuration.properties.insert(.includesTransmitPower)
        // The AUX_ADV_IND and the AUX_SCAN_RSP have a byte more.
        let byte = Modulation.le1M.airTime(pduLength: 1) - Modulation.le1M.airTime(pduLength: 0)
        #expect(configuration.responseDuration(100) - plain == byte * 2)
    }

    @Test("The data of a connectable set must fit in one packet")
    func connectableData() throws {
        try host.perform(TestHost.setParameters(1, [.connectable]))
        try host.setData(bytes(246))
        #expect(try host.enableStatus(run) == .invalidCommandParameters)
        try host.setData(bytes(245))
        #expect(try host.enableStatus(run) == .success)
        #expect(try set(.complete, 246) == .packetTooLong)
    }

    @Test("New properties of a set must be compatible with its data")
    func otherConfiguration() throws {
        try host.perform(TestHost.setParameters())
        try host.setData(bytes(32))
        #expect(try host.status(TestHost.setParameters(1, [.legacy])) == .invalidCommandParameters)
        #expect(
            try host.status(TestHost.setParameters(1, [.scannable])) == .invalidCommandParameters
        )
        try host.setData(bytes(31))
        #expect(try host.status(TestHost.setParameters(1, [.legacy])) == .success)
    }

    @Test("A scannable set needs a response to be enabled, and keeps it while enabled")
    func responseNeeded() throws {
        try host.perform(TestHost.setParameters(1, [.scannable]))
        #expect(try host.enableStatus(run) == .commandDisallowed)
        try host.setResponse(bytes(1))
        #expect(try host.enableStatus(run) == .success)
        #expect(try respond(.complete, 0) == .commandDisallowed)
        #expect(try respond(.first, 5) == .commandDisallowed)
        #expect(try respond(.unchanged, 0) == .invalidCommandParameters)
        #expect(try respond(.complete, 5) == .success)
    }

    @Test("The enabled sets must exist, and each may be named once")
    func enabling() throws {
        let none = HCI.LESetExtendedAdvertisingEnable(isEnabled: true, sets: [])
        #expect(try host.status(none) == .invalidCommandParameters)
        try host.perform(TestHost.setParameters(1))
        #expect(try host.enableStatus(run, run) == .invalidCommandParameters)
        let other = HCI.AdvertisingSetRun(advertisingHandle: 2)
        #expect(try host.enableStatus(run, other) == .unknownAdvertisingIdentifier)
        #expect(try host.status(HCI.LEClearAdvertisingSets()) == .success)
    }

    @Test(
        "High duty cycle advertising requires a duration of up to 1.28 s",
        arguments: [0, 1, 128, 129] as [UInt16]
    )
    func highDutyCycle(duration: UInt16) throws {
        let properties: HCI.AdvertisingProperties = [
            .legacy, .connectable, .directed, .highDutyCycle,
        ]
        try host.perform(TestHost.setParameters(1, properties))
        let status = try host.enableStatus(
            HCI.AdvertisingSetRun(
                advertisingHandle: 1,
                duration: HCI.Timeout(rawValue: duration)
            )
        )
        #expect(status == ((1...128).contains(duration) ? .success : .invalidCommandParameters))
    }

    @Test("A set that uses a random address must have its own")
    func randomAddress() throws {
        var parameters = TestHost.setParameters()
        parameters.ownAddressType = .random
        try host.perform(parameters)
        #expect(try host.enableStatus(run) == .invalidCommandParameters)
        let address = HCI.BareAddress(value: 0xC000_0000_0001)
        try host.perform(
            HCI.LESetAdvertisingSetRandomAddress(advertisingHandle: 1, address: address)
        )
        #expect(try host.enableStatus(run) == .success)
    }

    @Test(
        "The chosen power does not exceed the requested power",
        arguments: [-20, 0, 20, 127] as [Int8]
    )
    func power(asked: Int8) throws {
        var parameters = TestHost.setParameters()
        parameters.transmitPower = asked
        #expect(try host.perform(parameters).transmitPower == min(0, asked))
    }

    @Test("A controller without a free link cannot enable connectable advertising")
    func linkLimit() throws {
        var configuration = ControllerConfiguration(name: "small")
        configuration.linkLimit = 0
        let small = try TestHost(World(seed: 1), configuration)
        try small.perform(TestHost.setParameters(1, [.connectable]))
        try small.perform(TestHost.setParameters(2, [.legacy]))
        #expect(try small.enableStatus(run) == .connectionLimitExceeded)
        let other = HCI.AdvertisingSetRun(advertisingHandle: 2)
        #expect(try small.enableStatus(other, run) == .connectionLimitExceeded)
        #expect(try small.enableStatus(other) == .success)
        try small.perform(HCI.Reset())
        let enable = HCI.LESetAdvertisingEnable(isEnabled: true)
        #expect(try small.status(enable) == .connectionLimitExceeded)
    }

    @Test("The controller reports that it can advertise up to 1,650 bytes")
    func dataLength() throws {
        #expect(try host.perform(HCI.LEReadMaximumAdvertisingDataLength()).length == 1650)
    }
}
