// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// The Filter Accept List as a host uses it (Vol 4, Part E, 7.8.14 to 7.8.17).
@Suite struct FilterAcceptListTests {
    let world = World(seed: 1)

    @Test("The size is the configured limit, up to 255", arguments: [1, 32, 255, 1000])
    func size(_ limit: Int) throws {
        let host = try makeHost(limit: limit)
        let size = try host.perform(HCI.LEReadFilterAcceptListSize()).size
        #expect(Int(size) == min(limit, 255))
    }

    @Test("A device is in the list from its addition to its removal")
    func addsAndRemoves() throws {
        let host = try makeHost()
        let device = try address("C0:00:00:00:00:01", .random)
        #expect(!host.acceptList.contains(device))
        try host.perform(HCI.LEAddDeviceToFilterAcceptList(address: .init(device)))
        #expect(host.acceptList.contains(device))
        try host.perform(HCI.LERemoveDeviceFromFilterAcceptList(address: .init(device)))
        #expect(!host.acceptList.contains(device))
    }

    @Test("Public and random addresses of the same bits are two devices")
    func tellsKindsApart() throws {
        let host = try makeHost()
        let device = try address("C0:00:00:00:00:01", .public)
        try host.perform(HCI.LEAddDeviceToFilterAcceptList(address: .init(device)))
        #expect(host.acceptList.contains(device))
        #expect(!host.acceptList.contains(DeviceAddress(value: device.value, kind: .random)))
    }

    @Test("The list holds as many devices as its size, and each device counts once")
    func isFull() throws {
        let host = try makeHost(limit: 3)
        for number in 1...3 { #expect(try host.add(number) == .success) }
        #expect(try host.add(4) == .memoryCapacityExceeded)
        #expect(try host.add(2) == .success)
        let anonymous = HCI.PeerAddress(type: .anonymous, value: 0)
        #expect(
            try host.status(HCI.LEAddDeviceToFilterAcceptList(address: anonymous))
                == .memoryCapacityExceeded
        )
        try host.perform(HCI.LEClearFilterAcceptList())
        for number in 4...6 { #expect(try host.add(number) == .success) }
    }

    @Test("All anonymous advertisers have one entry, whose address has no effect")
    func anonymous() throws {
        let host = try makeHost(limit: 1)
        #expect(!host.acceptList.containsAnonymous)
        for value in [UInt64(0), 1, 0xFFFF_FFFF_FFFF] {
            let anonymous = HCI.PeerAddress(type: .anonymous, value: value)
            try host.perform(HCI.LEAddDeviceToFilterAcceptList(address: anonymous))
        }
        #expect(host.acceptList.containsAnonymous)
        let other = HCI.PeerAddress(type: .anonymous, value: 7)
        try host.perform(HCI.LERemoveDeviceFromFilterAcceptList(address: other))
        #expect(!host.acceptList.containsAnonymous)
    }

    @Test("Removing an unlisted device succeeds")
    func removesNothing() throws {
        let host = try makeHost()
        let device = HCI.PeerAddress(type: .public, value: 9)
        try host.perform(HCI.LERemoveDeviceFromFilterAcceptList(address: device))
    }

    @Test(
        "Identity address types and unknown types are refused",
        arguments: [0x02, 0x03, 0x04, 0xFE]
    )
    func refusesTypes(_ number: UInt8) throws {
        let host = try makeHost()
        let device = HCI.PeerAddress(type: HCI.AddressType(rawValue: number), value: 9)
        let adding = HCI.LEAddDeviceToFilterAcceptList(address: device)
        let removing = HCI.LERemoveDeviceFromFilterAcceptList(address: device)
        #expect(try host.status(adding) == .invalidCommandParameters)
        #expect(try host.status(removing) == .invalidCommandParameters)
    }

    @Test("Reset clears the list")
    func isReset() throws {
        let host = try makeHost(limit: 1)
        #expect(try host.add(1) == .success)
        try host.perform(HCI.Reset())
        #expect(try host.add(2) == .success)
    }

    @Test("The list cannot change while a scan uses it")
    func isHeldByScan() throws {
        let host = try makeHost()
        try host.scan(policy: .filterAcceptList)
        #expect(try host.add(1) == .commandDisallowed)
        let device = HCI.PeerAddress(type: .public, value: 1)
        #expect(
            try host.status(HCI.LERemoveDeviceFromFilterAcceptList(address: device))
                == .commandDisallowed
        )
        #expect(try host.status(HCI.LEClearFilterAcceptList()) == .commandDisallowed)
        try host.perform(HCI.LESetScanEnable(isEnabled: false, filtersDuplicates: false))
        #expect(try host.add(1) == .success)
    }

    @Test("A scan without the list does not lock it")
    func isNotHeldByOpenScan() throws {
        let host = try makeHost()
        try host.scan(policy: .unfiltered)
        #expect(try host.add(1) == .success)
        try host.perform(HCI.LEClearFilterAcceptList())
    }

    private func makeHost(limit: Int = 8) throws -> TestHost {
        var configuration = ControllerConfiguration()
        configuration.acceptListLimit = limit
        return try TestHost(world, configuration)
    }

    private func address(_ text: String, _ kind: DeviceAddress.Kind) throws -> DeviceAddress {
        try #require(DeviceAddress(text, kind: kind))
    }
}

extension TestHost {
    /// The controller's list.
    fileprivate var acceptList: FilterAcceptList { controller.acceptList }

    /// Adds the public device with the number to the Filter Accept List.
    fileprivate func add(_ number: Int) throws -> HCI.ErrorCode {
        let device = HCI.PeerAddress(type: .public, value: UInt64(number))
        return try status(HCI.LEAddDeviceToFilterAcceptList(address: device))
    }
}
