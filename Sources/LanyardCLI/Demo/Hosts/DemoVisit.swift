// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import VirtualAdapters

/// The Central of the demonstration: finds the accessory, does with it all that a Central does, and
/// checks that each thing has the result that it should.
struct DemoVisit: Sendable {
    let report: DemoReport
    let people: DemoPeople
    let host: BluetoothHost
    private let air: SimulatedAir
    private let accessory: ServedAccessory

    init(
        _ report: DemoReport,
        _ people: DemoPeople,
        air: SimulatedAir,
        host: BluetoothHost,
        _ accessory: ServedAccessory
    ) {
        self.report = report
        self.people = people
        self.air = air
        self.host = host
        self.accessory = accessory
    }

    /// All steps, one after the other.
    func run() async throws {
        let address = try await find()
        let link = try await connect(to: address)
        let found = try await explore(link)
        try await read(link, found)
        try await write(link, found)
        try await exchangeMessages(link, found)
        try await receiveNotifications(link, found)
        try await receiveIndications(link, found)
        try await leave(try await visitProtected(link, found))
    }

    // MARK: Finding

    private func find() async throws -> DeviceAddress {
        try report.heading("A scan: who is there")
        for try await found in host.scan(for: ScanFilter(name: accessory.name)) {
            try report.say(found.line)
            try report.check(found.isConnectable, "the accessory cannot be connected to")
            return found.address
        }
        throw ProgramFailure(.notFound, "the demonstration found no accessory")
    }

    private func connect(to address: DeviceAddress) async throws -> Link {
        try report.heading("A connection")
        let link = try await host.connect(to: address)
        let mtu = try await link.mtu
        try report.say("connected to \(AddressText.describe(address)), MTU \(mtu)")
        try report.check(mtu > 23, "the MTU was not exchanged")
        return link
    }

    /// What is found has to be what the file describes, attribute by attribute.
    private func explore(_ link: Link) async throws -> Exploration {
        try report.heading("What the accessory is: services, characteristics, descriptors, values")
        let explorer = Explorer(accessory: link, limits: .unlimited)
        let found = try await explorer.explore(advertisedName: nil)
        try report.say(found.tree.text)
        let expected = try DatabaseListing(accessory).exploration
        try report.check(found.name == accessory.name, "the accessory has another name")
        let (theirs, ours) = (found.comparable, expected.comparable)
        try report.check(theirs == ours, "the services are not those that are served")
        return found
    }

    // MARK: Reading and writing

    private func read(_ link: Link, _ found: Exploration) async throws {
        try report.heading("A short read, and one of a value as long as can be")
        let level = try found.handle(of: DemoDatabase.battery)
        let battery = try await link.read(level)
        try report.say(
            "battery level: \(ValueText.describe(battery, ofCharacteristic: DemoDatabase.battery))"
        )
        try report.check(battery == [87], "the battery level is \(battery.hexadecimal)")
        let long = try await link.readLong(found.handle(of: DemoDatabase.long))
        try report.say("the long one: \(long.count) bytes")
        let pattern = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
        try report.check(long == pattern, "the long value is not what is served")
    }

    private func write(_ link: Link, _ found: Exploration) async throws {
        try report.heading("Writes: one that is confirmed, one that is not, one in parts")
        let handle = try found.handle(of: DemoDatabase.writable)
        try await link.write(Array("hello".utf8), to: handle)
        try await expect(Array("hello".utf8), of: handle, link)
        try await link.writeWithoutResponse(Array("world".utf8), to: handle)
        try await expect(Array("world".utf8), of: handle, link)
        let long = (0..<512).map { UInt8(truncatingIfNeeded: $0 / 2) }
        try await link.write(long, to: handle)
        try await expect(long, of: handle, link)
    }

    private func expect(
        _ value: [UInt8],
        of handle: AttributeHandle,
        _ link: Link
    ) async throws {
        let read = try await link.readLong(handle)
        let shown = read.count > 64 ? "\(read.count) bytes" : ValueText.plain(read)
        try report.say("read back: \(shown)")
        try report.check(read == value, "what was written is not what is read back")
    }

    // MARK: Values that are sent

    private func exchangeMessages(_ link: Link, _ found: Exploration) async throws {
        try report.heading("Messages there and back")
        let characteristic = try found.characteristic(DemoDatabase.echo)
        var messages = try await link.subscribe(to: characteristic).makeAsyncIterator()
        for text in ["one", "two", "three"] {
            try await link.write(Array(text.utf8), to: characteristic.valueHandle)
            let answer = try await messages.next() ?? []
            try report.say("said \"\(text)\", heard \(ValueText.plain(answer))")
            try report.check(answer == Array(text.utf8), "the echo is another")
        }
    }

    private func receiveNotifications(_ link: Link, _ found: Exploration) async throws {
        try report.heading("Ten notifications: a heart rate")
        let characteristic = try found.characteristic(DemoDatabase.heartRate)
        var last: UInt8?
        for try await value in try await link.subscribe(to: characteristic).prefix(10) {
            try report.say(ValueText.describe(value, ofCharacteristic: DemoDatabase.heartRate))
            let rate = value.last ?? 0
            try report.check(value.first == 6, "the heart rate has other flags")
            try report.check(last.map { rate == $0 + 1 } ?? true, "a heart beat was lost")
            last = rate
        }
        try report.check(last != nil, "no heart rate came")
    }

    private func receiveIndications(_ link: Link, _ found: Exploration) async throws {
        try report.heading("Three indications, each confirmed: a counter")
        let characteristic = try found.characteristic(DemoDatabase.ticks)
        var last: UInt32?
        for try await value in try await link.subscribe(to: characteristic).prefix(3) {
            let count = value.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            try report.say("tick \(count)")
            try report.check(last.map { count == $0 + 1 } ?? true, "a tick was lost")
            last = count
        }
        try report.check(last != nil, "no tick came")
    }

    // MARK: The end

    /// The accessory, too, must know why the link ended.
    private func leave(_ link: Link) async throws {
        try report.heading("The end, as the accessory saw it")
        try await link.disconnect()
        try await air.sleep(for: .seconds(1))
        let reason = "\(HCI.ErrorCode.remoteUserTerminatedConnection)"
        try report.check(
            report.news.contains { news in
                if case .disconnected(_, reason) = news { true } else { false }
            },
            "the accessory was not told that the Central has gone"
        )
    }
}

extension Exploration {
    /// What has to be alike on both sides. The values of Generic Attribute are each client's own.
    fileprivate var comparable: [Service] {
        services.filter { $0.uuid != GATT.AttributeType.genericAttribute }
    }

    fileprivate func characteristic(_ uuid: BluetoothUUID) throws -> GATT.Characteristic {
        for service in services {
            for (index, found) in service.characteristics.enumerated() where found.uuid == uuid {
                let next = service.characteristics.dropFirst(index + 1).first
                let end = next.map { $0.handle - 1 } ?? service.endHandle
                return GATT.Characteristic(
                    uuid: uuid,
                    handle: AttributeHandle(rawValue: found.handle),
                    valueHandle: AttributeHandle(rawValue: found.valueHandle),
                    properties: found.properties,
                    endHandle: AttributeHandle(rawValue: end)
                )
            }
        }
        throw ProgramFailure(.notFound, "the demonstration found no characteristic \(uuid)")
    }

    func handle(of uuid: BluetoothUUID) throws -> AttributeHandle {
        try characteristic(uuid).valueHandle
    }
}
