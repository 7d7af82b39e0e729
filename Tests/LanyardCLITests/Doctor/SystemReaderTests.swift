// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LanyardCLI

@Suite("Reading the state of a Linux computer") struct SystemReaderTests {
    private func read(_ files: FakeSystemTree) -> SystemState {
        SystemReader(tree: files.tree, adapters: { [] }).read(kernel: .available)
    }

    @Test("A computer without devices has empty lists") func empty() throws {
        let found = read(try FakeSystemTree())
        #expect(found.adapters.isEmpty && found.switches.isEmpty && found.daemons.isEmpty)
        #expect(found.serialPorts.isEmpty && found.mayTakeAdapters == nil)
    }

    @Test("Only radio switches of Bluetooth are read") func switches() throws {
        let files = try FakeSystemTree()
        for (entry, type, soft, hard) in [
            ("rfkill0", "wlan", "1", "1"), ("rfkill1", "bluetooth", "1", "0"),
            ("rfkill2", "bluetooth", "0", "1"), ("rfkill3", "bluetooth", "0", "0"),
        ] {
            try files.write("/sys/class/rfkill/\(entry)/type", "\(type)\n")
            try files.write("/sys/class/rfkill/\(entry)/name", "hci-\(entry)\n")
            try files.write("/sys/class/rfkill/\(entry)/soft", "\(soft)\n")
            try files.write("/sys/class/rfkill/\(entry)/hard", "\(hard)\n")
        }
        let found = read(files).switches
        #expect(found.map(\.name) == ["hci-rfkill1", "hci-rfkill2", "hci-rfkill3"])
        #expect(found.map(\.isOffInSoftware) == [true, false, false])
        #expect(found.map(\.isHardBlocked) == [false, true, false])
    }

    @Test(
        "The permission to take adapters is bit 12 of the effective capabilities",
        arguments: [
            ("0000000000000000", false), ("0000000000001000", true),
            ("000001fffeffffff", true), ("000001ffffffefff", false), ("nonsense", nil),
        ] as [(String, Bool?)]
    )
    func capabilities(digits: String, expected: Bool?) throws {
        let files = try FakeSystemTree()
        let status = "Name:\tlanyard\nCapPrm:\tffffffffffffffff\nCapEff:\t\(digits)\nSeccomp:\t0\n"
        try files.write("/proc/self/status", status)
        #expect(read(files).mayTakeAdapters == expected)
    }

    @Test("The daemon is found among the processes") func daemon() throws {
        let files = try FakeSystemTree()
        try files.write("/proc/1/comm", "systemd\n")
        try files.write("/proc/842/comm", "bluetoothd\n")
        try files.write("/proc/900/comm", "bluetoothctl\n")
        try files.write("/proc/self/comm", "bluetoothd\n")
        #expect(read(files).daemons == [.init(number: 842, name: "bluetoothd")])
    }

    @Test("Only serial ports with a device are listed, with its product name") func ports()
        throws
    {
        let files = try FakeSystemTree()
        let usb = "/sys/devices/pci/usb1/1-4"
        try files.write("\(usb)/product", "nRF52 Connectivity\n")
        try files.folder("\(usb)/1-4:1.0")
        try files.link("/sys/class/tty/ttyACM0/device", to: "\(usb)/1-4:1.0")
        try files.folder("/sys/class/tty/ttyS0/device")
        try files.write("/sys/class/tty/ttyS0/type", "4\n")
        try files.folder("/sys/class/tty/ttyS1/device")
        try files.write("/sys/class/tty/ttyS1/type", "0\n")
        try files.folder("/sys/class/tty/ttyS2")
        try files.folder("/sys/class/tty/tty7/device")
        let found = read(files).serialPorts
        #expect(found.map(\.path) == ["/dev/ttyACM0", "/dev/ttyS0"])
        #expect(found.map(\.product) == ["nRF52 Connectivity", nil])
    }

    @Test("The process that holds a lock is found in the kernel's list") func locks() throws {
        let files = try FakeSystemTree()
        try files.write("/store/.lock", "")
        let attributes = try FileManager.default.attributesOfItem(
            atPath: files.root + "/store/.lock"
        )
        let inode = try #require(attributes[.systemFileNumber] as? Int)
        try files.write("/proc/4711/comm", "thermostat\n")
        let lines = [
            "1: POSIX  ADVISORY  WRITE 11 08:01:\(inode) 0 EOF",
            "2: FLOCK  ADVISORY  WRITE 12 08:01:9\(inode) 0 EOF",
            "3: FLOCK  ADVISORY  WRITE 4711 08:01:\(inode) 0 EOF", "nonsense",
        ]
        try files.write("/proc/locks", lines.joined(separator: "\n") + "\n")
        let reader = SystemReader(tree: files.tree)
        #expect(reader.holder(ofLock: "/store/.lock") == .init(number: 4711, name: "thermostat"))
        #expect(reader.holder(ofLock: "/store/other") == nil)
    }

    @Test("A long file is read up to the limit") func endless() throws {
        let files = try FakeSystemTree()
        try files.write("/proc/1/comm", String(repeating: "a", count: 200_000))
        #expect(files.tree.text("/proc/1/comm")?.count == SystemTree.lengthLimit)
    }
}
