// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("Refused commands to scan")
struct ScanCommandTests {
    let world = World(seed: 3)
    let host: TestHost

    init() throws {
        host = try TestHost(world)
    }

    @Test(
        "Legacy parameters out of range are invalid",
        arguments: [
            TestHost.scanParameters(.init(rawValue: 2)),
            TestHost.scanParameters(interval: 3, window: 3),
            TestHost.scanParameters(interval: 0x4001),
            TestHost.scanParameters(interval: 0x10, window: 3),
            TestHost.scanParameters(interval: 0x10, window: 0x11),
            TestHost.scanParameters(own: .init(rawValue: 4)),
            TestHost.scanParameters(policy: .init(rawValue: 4)),
        ]
    )
    func legacyRanges(command: HCI.LESetScanParameters) throws {
        #expect(try host.status(command) == .invalidCommandParameters)
        #expect(try host.status(TestHost.scanParameters(interval: 4, window: 4)) == .success)
    }

    @Test(
        "Extended parameters out of range are invalid",
        arguments: [
            TestHost.extendedScanParameters(.init(rawValue: 2)),
            TestHost.extendedScanParameters(le1M: (3, 3)),
            TestHost.extendedScanParameters(le1M: (0x10, 0x11)),
            TestHost.extendedScanParameters(coded: (0x10, 3)),
            TestHost.extendedScanParameters(own: .init(rawValue: 4)),
            TestHost.extendedScanParameters(policy: .init(rawValue: 4)),
            TestHost.extendedScanParameters(le1M: nil),
        ]
    )
    func extendedRanges(command: HCI.LESetExtendedScanParameters) throws {
        #expect(try host.status(command) == .invalidCommandParameters)
    }

    @Test("Scanning LE 2M as a primary PHY is refused")
    func fast() throws {
        let command = TestHost.extendedScanParameters(le1M: nil, le2M: (0x10, 0x10))
        #expect(try host.status(command) == .unsupportedFeatureOrParameterValue)
    }

    @Test("Parameters cannot change during a scan")
    func whileScanning() throws {
        try host.scan()
        #expect(try host.status(TestHost.scanParameters()) == .commandDisallowed)
        try host.stopScan()
        #expect(try host.status(TestHost.scanParameters()) == .success)
    }

    @Test("Extended parameters cannot change during a scan")
    func whileScanningExtended() throws {
        try host.scanExtended()
        #expect(try host.status(TestHost.extendedScanParameters()) == .commandDisallowed)
    }

    @Test(
        "A random address must be set before the host scans with it",
        arguments: [.random, .resolvableOrRandom] as [HCI.OwnAddressType]
    )
    func randomAddress(own: HCI.OwnAddressType) throws {
        try host.perform(TestHost.scanParameters(.active, own: own))
        let enable = HCI.LESetScanEnable(isEnabled: true, filtersDuplicates: false)
        #expect(try host.status(enable) == .invalidCommandParameters)
        try host.perform(HCI.LESetRandomAddress(address: .init(value: 0xC000_0000_0001)))
        #expect(try host.status(enable) == .success)
    }

    @Test("Legacy and extended commands cannot be mixed until Reset")
    func dialects() throws {
        try host.scan()
        #expect(try host.enableExtendedScan() == .commandDisallowed)
        #expect(try host.status(TestHost.extendedScanParameters()) == .commandDisallowed)
        try host.perform(HCI.Reset())
        try host.scanExtended()
        #expect(try host.status(TestHost.scanParameters()) == .commandDisallowed)
        let enable = HCI.LESetScanEnable(isEnabled: false, filtersDuplicates: false)
        #expect(try host.status(enable) == .commandDisallowed)
    }

    @Test("A refused command does not choose between legacy and extended")
    func refusedDialect() throws {
        try host.status(TestHost.scanParameters(interval: 3))
        #expect(try host.status(TestHost.extendedScanParameters()) == .success)
    }

    @Test(
        "Contradictory durations and periods, and unknown filters, are invalid",
        arguments: [
            (.onResetEachPeriod, 0, 0), (.onResetEachPeriod, 10, 0), (.onResetEachPeriod, 0, 10),
            (.off, 128, 1), (.off, 256, 2), (.init(rawValue: 3), 0, 0),
        ] as [(HCI.DuplicateFilter, UInt16, UInt16)]
    )
    func durations(duplicates: HCI.DuplicateFilter, duration: UInt16, period: UInt16) throws {
        let status = try host.enableExtendedScan(
            duplicates: duplicates,
            duration: duration,
            period: period
        )
        #expect(status == .invalidCommandParameters)
        #expect(try host.enableExtendedScan(duration: 127, period: 1) == .success)
    }

    @Test("Disabling an inactive scan succeeds")
    func disabling() throws {
        try host.stopScan()
        try host.stopScan()
        #expect(host.events.isEmpty)
    }

    @Test("After malformed commands, valid commands are accepted")
    func malformed() throws {
        for opcode in [0x0B, 0x0C, 0x41, 0x42] as [UInt8] {
            host.send([0x01, opcode, 0x20, 0x01, 0x00])
            world.run(for: .zero)
        }
        #expect(host.events.isEmpty)
        #expect(try host.status(TestHost.scanParameters()) == .success)
    }
}
