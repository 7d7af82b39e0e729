// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import HCITransports

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("The system's adapters")
struct SystemAdaptersTests {
    private let daemon = SystemProcess(number: 512, name: "bluetoothd")
    private let program = SystemProcess(number: 80, name: "bumble")

    private var files: FileTree {
        var files = FileTree()
        files.add(process: 512, "bluetoothd", files: ["socket:[4712]"])
        files.add(process: 80, "bumble", files: ["/dev/null", "socket:[4711]"])
        files.add(process: 9, "sshd", files: ["socket:[1]"])
        files.setSockets([4711, 4712])
        files.addSwitch(of: 1, soft: true, hard: false)
        files.texts["/sys/class/bluetooth/hci2/device/../product"] = "Dongle 5.4\n"
        return files
    }

    @Test("Adapters are listed with their state and the programs that use them") func list() {
        let kernel = ModelKernel(
            [
                2: .init(condition: .taken),
                0: .init(condition: .up(connections: 3), address: 0xAB),
                1: .init(),
                3: .init(condition: .settingUp(until: Instant(nanoseconds: .max))),
            ],
            files: files
        )
        let adapters = SystemAdapters.list(of: kernel)
        #expect(adapters.map(\.name) == ["hci0", "hci1", "hci2", "hci3"])
        #expect(adapters.map(\.state) == [.up, .down, .taken, .settingUp])
        #expect(adapters.map(\.holders) == [[daemon], [], [program], []])
        #expect(adapters.map(\.connections) == [3, 0, 0, 0])
        #expect(adapters.map(\.product) == [nil, nil, "Dongle 5.4", nil])
        #expect(adapters.map { $0.radioSwitch?.isOff } == [nil, true, nil, nil])
        #expect(adapters.map(\.mayBeTaken) == [false, false, false, true])
        #expect(adapters[0].address?.value == 0xAB && adapters[1].address == nil)
        #expect(adapters.allSatisfy { $0.bus == .usb && $0.supportsLowEnergy == true })
        #expect(kernel.calls.isEmpty)
    }

    @Test("The list is empty where the kernel has no Bluetooth") func noBluetooth() {
        let kernel = ModelKernel([0: .init()])
        kernel.change { $0.refusal = EAFNOSUPPORT }
        #expect(SystemAdapters.list(of: kernel).isEmpty)
    }

    @Test("Without permission to see other processes, adapters are listed without their users")
    func blind() {
        let kernel = ModelKernel([0: .init(condition: .taken)])
        let adapter = SystemAdapters.list(of: kernel).first
        #expect(adapter?.state == .taken && adapter?.holders == [])
    }

    // MARK: The preferred adapter

    private func adapter(_ index: UInt16, _ state: SystemAdapter.State) -> SystemAdapter {
        SystemAdapter(index: index, supportsLowEnergy: true, state: state)
    }

    @Test("Unused adapters are preferred, then adapters being set up, then adapters that are up")
    func preferred() {
        let all = [
            adapter(0, .taken), adapter(1, .up), adapter(2, .settingUp), adapter(4, .down),
            adapter(3, .down),
        ]
        #expect(SystemAdapter.preferred(of: all)?.index == 3)
        #expect(SystemAdapter.preferred(of: Array(all.prefix(3)))?.index == 2)
        #expect(SystemAdapter.preferred(of: Array(all.prefix(2)))?.index == 1)
        #expect(SystemAdapter.preferred(of: Array(all.prefix(1))) == nil)
    }

    @Test("An adapter with links, without Low Energy, or switched off is not preferred")
    func unfit() {
        var connected = adapter(0, .up)
        connected.connections = 1
        var classic = adapter(1, .down)
        classic.supportsLowEnergy = false
        var off = adapter(2, .down)
        off.radioSwitch = RadioSwitch(isSoftBlocked: false, isHardBlocked: true)
        #expect(SystemAdapter.preferred(of: [connected, classic, off]) == nil)
        var unknown = adapter(3, .down)
        unknown.supportsLowEnergy = nil
        #expect(SystemAdapter.preferred(of: [connected, classic, off, unknown])?.index == 3)
    }

    @Test("An adapter is specified by its address, or by its number if the address is unknown")
    func specification() {
        var adapter = adapter(6, .down)
        #expect(adapter.specification == .hci(index: 6))
        adapter.address = DeviceAddress(value: 0xA1B2C3D4E5F6, kind: .public)
        #expect(adapter.specification.description == "hci:A1:B2:C3:D4:E5:F6")
    }

    // MARK: Changes

    @Test(
        "Added and removed adapters are reported, and other events are not",
        .timeLimit(.minutes(20))
    )
    func changes() async {
        let kernel = ModelKernel()
        var changes = SystemAdapters.changes(of: kernel).makeAsyncIterator()
        #expect(await changes.next() != nil)
        kernel.plug(0)
        #expect(await changes.next() != nil)
        kernel.announce(0x0013, 0)
        kernel.unplug(0)
        #expect(await changes.next() != nil)
    }

    @Test("Changes end when the kernel's announcements end", .timeLimit(.minutes(20)))
    func endOfChanges() async {
        let kernel = ModelKernel()
        var changes = SystemAdapters.changes(of: kernel).makeAsyncIterator()
        #expect(await changes.next() != nil)
        kernel.endAnnouncements()
        #expect(await changes.next() == nil)
    }

    @Test("Changes end at once where there is no kernel to announce them") func noChanges() async {
        var changes = SystemAdapters.changes(of: nil).makeAsyncIterator()
        #expect(await changes.next() == nil)
    }
}
