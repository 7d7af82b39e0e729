// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

@Suite("The commands of an operation")
struct CommandDialectTests {
    let legacy = CommandDialect(.forTests(), ownAddressKind: .random)
    let extended = CommandDialect(.extended, ownAddressKind: .public)
    let peer = DeviceAddress.accessory(1)

    private func decode<Command: HCICommand>(
        _ operation: ControllerOperation,
        in dialect: CommandDialect,
        as type: Command.Type
    ) throws -> Command {
        let command = dialect.command(for: operation)
        #expect(command.opcode == Command.opcode)
        return try Command(parsing: command.parameters[...])
    }

    @Test("Legacy scan parameters are encoded")
    func legacyScan() throws {
        let command = try decode(
            .setScanParameters(ScanParameters()),
            in: legacy,
            as: HCI.LESetScanParameters.self
        )
        #expect(command.type == .active)
        #expect(command.interval.rawValue == 96)
        #expect(command.window.rawValue == 96)
        #expect(command.ownAddressType == .random)
        #expect(command.filterPolicy == .unfiltered)
    }

    @Test("Legacy scan parameters are limited to their ranges")
    func legacyScanBounds() throws {
        var parameters = ScanParameters()
        parameters.interval = .seconds(60)
        parameters.window = .zero
        let command = try decode(
            .setScanParameters(parameters),
            in: legacy,
            as: HCI.LESetScanParameters.self
        )
        #expect(command.interval.rawValue == 0x4000)
        #expect(command.window.rawValue == 4)
    }

    @Test("A window is limited to its interval")
    func windowFits() throws {
        var parameters = ScanParameters()
        parameters.interval = .milliseconds(30)
        let command = try decode(
            .setScanParameters(parameters),
            in: legacy,
            as: HCI.LESetScanParameters.self
        )
        #expect(command.window == command.interval)
    }

    @Test("The enabling and disabling of a scan are encoded", arguments: [true, false])
    func enable(filtersDuplicates: Bool) throws {
        let operation = ControllerOperation.enableScan(filtersDuplicates: filtersDuplicates)
        let old = try decode(operation, in: legacy, as: HCI.LESetScanEnable.self)
        #expect(old == .init(isEnabled: true, filtersDuplicates: filtersDuplicates))
        let new = try decode(operation, in: extended, as: HCI.LESetExtendedScanEnable.self)
        #expect(new == .init(isEnabled: true, duplicates: filtersDuplicates ? .on : .off))
        let off = try decode(.disableScan, in: extended, as: HCI.LESetExtendedScanEnable.self)
        #expect(!off.isEnabled)
    }

    @Test("Extended scan parameters are encoded for LE 1M alone and for both PHYs")
    func extendedScan() throws {
        var parameters = ScanParameters()
        parameters.isActive = false
        parameters.phys = [.le1M, .leCoded]
        let operation = ControllerOperation.setScanParameters(parameters)
        let without = try decode(operation, in: extended, as: HCI.LESetExtendedScanParameters.self)
        #expect(
            without.phys.phys == .le1M,
            "A controller without LE Coded gets no LE Coded parameters"
        )
        #expect(without.phys.le1M?.type == .passive)

        var capabilities = ControllerCapabilities.extended
        capabilities.leFeatures.insert(.coded)
        let able = CommandDialect(capabilities, ownAddressKind: .random)
        let with = try decode(operation, in: able, as: HCI.LESetExtendedScanParameters.self)
        #expect(with.phys.phys == [.le1M, .coded])
        #expect(with.phys.coded?.interval.rawValue == 192, "The interval holds both windows")
        #expect(with.phys.coded?.window.rawValue == 96)
    }

    @Test("The shortest windows of two PHYs together fit into the interval")
    func shortestWindow() throws {
        var parameters = ScanParameters()
        parameters.interval = .microseconds(2500)
        parameters.window = .milliseconds(2)
        parameters.phys = [.le1M, .leCoded]
        var capabilities = ControllerCapabilities.extended
        capabilities.leFeatures.insert(.coded)
        let command = try decode(
            .setScanParameters(parameters),
            in: CommandDialect(capabilities, ownAddressKind: .random),
            as: HCI.LESetExtendedScanParameters.self
        )
        let coded = try #require(command.phys.coded)
        #expect(coded.interval.rawValue == 8)
        #expect(coded.window.rawValue == 4)
    }

    @Test("The windows of two PHYs together fit into the interval")
    func longestWindow() throws {
        var parameters = ScanParameters()
        parameters.window = .seconds(Int64.max)
        parameters.phys = [.le1M, .leCoded]
        var capabilities = ControllerCapabilities.extended
        capabilities.leFeatures.insert(.coded)
        let command = try decode(
            .setScanParameters(parameters),
            in: CommandDialect(capabilities, ownAddressKind: .random),
            as: HCI.LESetExtendedScanParameters.self
        )
        let coded = try #require(command.phys.coded)
        #expect(coded.interval.rawValue == 0xFFFF)
        #expect(coded.window.rawValue == 0x7FFF)
    }

    @Test("A scan and a connection use the public address in both families of commands")
    func publicAddress() throws {
        var scan = ScanParameters()
        scan.usesPublicAddress = true
        var connection = ConnectParameters()
        connection.usesPublicAddress = true
        let extended = CommandDialect(.extended, ownAddressKind: .random)
        let create = ControllerOperation.createConnection(.peer(peer), connection)
        #expect(
            try decode(.setScanParameters(scan), in: legacy, as: HCI.LESetScanParameters.self)
                .ownAddressType == .public
        )
        #expect(
            try decode(
                .setScanParameters(scan),
                in: extended,
                as: HCI.LESetExtendedScanParameters.self
            ).ownAddressType == .public
        )
        #expect(
            try decode(create, in: legacy, as: HCI.LECreateConnection.self).ownAddressType
                == .public
        )
        #expect(
            try decode(create, in: extended, as: HCI.LEExtendedCreateConnection.self)
                .ownAddressType == .public
        )
    }

    @Test("A controller without all extended commands gets legacy commands")
    func half() {
        var capabilities = ControllerCapabilities.forTests(commands: [
            .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leCreateConnection,
        ])
        capabilities.leFeatures = [.extendedAdvertising]
        #expect(!CommandDialect(capabilities, ownAddressKind: .random).isExtended)
    }

    @Test("Legacy Create Connection is encoded for a peer and for the Filter Accept List")
    func legacyCreate() throws {
        let direct = try decode(
            .createConnection(.peer(peer), ConnectParameters()),
            in: legacy,
            as: HCI.LECreateConnection.self
        )
        #expect(direct.filterPolicy == .peerAddress)
        #expect(direct.peerAddress.deviceAddress == peer)
        #expect(direct.scanInterval.rawValue == 96)
        #expect(direct.scanWindow.rawValue == 48)
        #expect(direct.parameters.intervalMinimum.rawValue == 12)
        #expect(direct.parameters.intervalMaximum.rawValue == 24)
        #expect(direct.parameters.supervisionTimeout.rawValue == 500)
        let pending = try decode(
            .createConnection(.acceptList, ConnectParameters()),
            in: legacy,
            as: HCI.LECreateConnection.self
        )
        #expect(pending.filterPolicy == .filterAcceptList)
    }

    @Test("Extended Create Connection is encoded")
    func extendedCreate() throws {
        let command = try decode(
            .createConnection(.peer(peer), ConnectParameters()),
            in: extended,
            as: HCI.LEExtendedCreateConnection.self
        )
        #expect(command.ownAddressType == .public)
        #expect(command.peerAddress.deviceAddress == peer)
        #expect(command.phys.phys == .le1M)
        #expect(command.phys.le1M?.parameters.intervalMaximum.rawValue == 24)
    }

    @Test("Only Create Connection ends with Command Status")
    func completion() {
        let create = ControllerOperation.createConnection(.peer(peer), ConnectParameters())
        #expect(legacy.command(for: create).isCompletedByStatus)
        #expect(extended.command(for: create).isCompletedByStatus)
        #expect(!legacy.command(for: .cancelConnection).isCompletedByStatus)
    }

    @Test("Changes of the Filter Accept List are encoded")
    func edits() throws {
        let add = try decode(
            .addToAcceptList(peer),
            in: legacy,
            as: HCI.LEAddDeviceToFilterAcceptList.self
        )
        #expect(add.address.deviceAddress == peer)
        let remove = try decode(
            .removeFromAcceptList(peer),
            in: legacy,
            as: HCI.LERemoveDeviceFromFilterAcceptList.self
        )
        #expect(remove.address.deviceAddress == peer)
        let clearing = legacy.command(for: ControllerOperation.clearAcceptList)
        #expect(clearing.opcode == .leClearFilterAcceptList)
    }

    @Test(
        "The encoded timing is legal for any request",
        arguments: [Duration.zero, .milliseconds(15), .seconds(4), .seconds(100)],
        [-1, 0, 30, 499, 100_000]
    )
    func timing(interval: Duration, latency: Int) {
        var parameters = ConnectParameters()
        parameters.intervalMinimum = interval
        parameters.intervalMaximum = interval
        parameters.peripheralLatency = latency
        for timeout in [Duration.zero, .seconds(5), .seconds(1000)] {
            parameters.supervisionTimeout = timeout
            let wire = parameters.onTheWire
            #expect(6...3200 ~= wire.intervalMinimum.rawValue)
            #expect(wire.intervalMinimum <= wire.intervalMaximum)
            #expect(0...499 ~= wire.peripheralLatency)
            #expect(10...3200 ~= wire.supervisionTimeout.rawValue)
            let silence = wire.intervalMaximum.duration * 2 * (Int(wire.peripheralLatency) + 1)
            #expect(wire.supervisionTimeout.duration > silence)
        }
    }

    @Test("Initiating may overlap a scan if the controller reports that, or reports no states")
    func overlap() {
        var capabilities = ControllerCapabilities.forTests(saysNoOverlap: true)
        var passive = ScanParameters()
        passive.isActive = false
        func allows(_ parameters: ScanParameters?) -> Bool {
            CommandDialect(capabilities, ownAddressKind: .random)
                .allowsInitiating(whileScanning: parameters)
        }
        #expect(!allows(ScanParameters()))
        #expect(allows(nil))
        capabilities.states = [.passiveScanningAndInitiating]
        #expect(allows(passive))
        #expect(!allows(ScanParameters()))
        capabilities.states = []
        #expect(
            allows(ScanParameters()),
            "A controller that does not report its states allows the scan"
        )
    }
}
